"""TensorFlow's functions that pick elements, and put others in their place."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from autograph.tf.arguments import dimensions, index_tuples
from autograph.tf.tensors import Tensor, as_tensor, cast, operands
from runtime import ops

__all__ = [
    "boolean_mask",
    "clip_by_value",
    "dynamic_partition",
    "dynamic_stitch",
    "gather",
    "gather_nd",
    "reverse_sequence",
    "scatter_nd",
    "slice",
    "strided_slice",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "unravel_index",
    "where",
]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The block that begins at `begin`, of a size (-1: to the end) along each axis.

    >>> import autograph.tf as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    firsts, sizes = dimensions(begin), dimensions(size)
    pairs = zip(firsts, sizes, strict=True)
    ends = [None if type(n) is int and n == -1 else a + n for a, n in pairs]

    x = as_tensor(input_)
    for axis, (n, b) in enumerate(zip(x.shape, ends, strict=True)):
        if type(n) is type(b) is int and b > n:
            raise ValueError(f"slice: the block ends at {b}, but axis {axis} has size {n}")
    return x[tuple(builtins.slice(a, b) for a, b in zip(firsts, ends, strict=True))]


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The part from `begin` to before `end` along each of the first axes, in steps.

    Bit i of a mask speaks of entry i: its begin or end is that of the axis; it stands for all axes
    in between; it is a new axis; it is the one index `begin[i]`, whose axis goes.

    >>> import autograph.tf as tf
    >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> tf.strided_slice(x, [0, -1], [2, 0], [1, -2], end_mask=2).numpy().tolist()
    [[3, 1], [6, 4]]
    """
    if var is not None:
        raise ValueError("strided_slice: there is no var; assign to a part: variable[...].assign")
    firsts, ends = dimensions(begin), dimensions(end)
    steps = (1,) * len(firsts) if strides is None else dimensions(strides)
    key: list[Any] = []
    for i, (first, last, step) in enumerate(zip(firsts, ends, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(...)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(first)
        else:
            start, stop = None if begin_mask & bit else first, None if end_mask & bit else last
            key.append(builtins.slice(start, stop, step))
    return as_tensor(input_)[tuple(key)]


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The parts at `indices` along an axis; the first `batch_dims` axes are matched one by one.

    Raises IndexError for an index out of range; negative ones count from the end.

    >>> import autograph.tf as tf
    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """
    params, indices = as_tensor(params), as_tensor(indices)
    if batch_dims == 0:
        return ops.take(params, indices, axis=0 if axis is None else int(axis))
    count = batch_dims % indices.ndim if batch_dims < 0 else batch_dims
    along = count if axis is None else int(axis) % params.ndim
    params = ops.moveaxis(params, along, count)
    lead = tuple(
        ops.reshape(ops.arange(params.shape[i]), (1,) * i + (-1,) + (1,) * (indices.ndim - 1 - i))
        for i in range(count)
    )
    found = params[(*lead, indices)]
    if along == count:
        return found
    # The axes of the indices go where the axis was.
    new = tuple(range(count, indices.ndim))
    return ops.moveaxis(found, new, tuple(i + along - count for i in new))


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """The parts at the index tuples along the last axis of `indices`.

    >>> import autograph.tf as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)
    """
    params, indices = as_tensor(params), as_tensor(indices)
    if batch_dims == 0:
        return ops.gather(params, indices)
    width = indices.ndim - 1
    lead = tuple(
        ops.reshape(ops.arange(params.shape[i]), (1,) * i + (-1,) + (1,) * (width - 1 - i))
        for i in range(batch_dims)
    )
    return params[(*lead, *index_tuples(indices))]


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros to which `updates` are added at index tuples.

    >>> import autograph.tf as tf
    >>> tf.scatter_nd([[0], [0], [2]], [1, 2, 5], [3]).numpy()
    array([3, 0, 5], dtype=int32)
    """
    updates = as_tensor(updates)
    return as_tensor(ops.scatter(as_tensor(indices), updates, dimensions(shape)))


def _scattered(function: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    tensor, updates = operands(tensor, updates)
    return function(as_tensor(tensor), updates, index_tuples(indices))


def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """A copy with the elements at index tuples replaced.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0]], [9]).numpy()
    array([9, 2, 3], dtype=int32)
    """
    return _scattered(ops.index_update, tensor, indices, updates)


def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """A copy with `updates` added to the elements at index tuples.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [9, 1]).numpy()
    array([11,  2,  3], dtype=int32)
    """
    return _scattered(ops.index_add, tensor, indices, updates)


def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """A copy with `updates` taken from the elements at index tuples.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[0]], [1]).numpy()
    array([0, 2, 3], dtype=int32)
    """
    return _scattered(ops.index_add, tensor, indices, ops.negative(as_tensor(updates)))


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The elements where the mask is true, along the axes that it has from `axis` on.

    >>> import autograph.tf as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    lead = (builtins.slice(None),) * (0 if axis is None else int(axis))
    return as_tensor(tensor)[(*lead, as_tensor(mask))]


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`x` where the condition holds, else `y`; alone, the positions where it holds, int64.

    >>> import autograph.tf as tf
    >>> tf.where([True, False], 1.0, 2.0).numpy(), tf.where([False, True]).numpy().tolist()
    (array([1., 2.], dtype=float32), [[1]])
    """
    condition = as_tensor(condition)
    if x is None and y is None:
        return cast(ops.argwhere(condition), np.int64)
    if x is None or y is None:
        raise ValueError("where needs both of x and y, or none")
    x, y = operands(x, y)
    return ops.where(condition, x, y)


def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """Not below the one value, not above the other.

    >>> import autograph.tf as tf
    >>> tf.clip_by_value([1, 5], 2, 4).numpy()
    array([2, 4], dtype=int32)
    """
    t = as_tensor(t)
    low, high = operands(clip_value_min, t)[0], operands(clip_value_max, t)[0]
    return ops.maximum(ops.minimum(t, high), low)


def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """A copy in which the elements at index tuples are at least `updates`.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_max([1, 5, 3], [[0], [1]], [4, 4]).numpy()
    array([4, 5, 3], dtype=int32)
    """
    return _extremes(np.maximum, tensor, indices, updates)


def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """A copy in which the elements at index tuples are at most `updates`.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_min([1, 5, 3], [[0], [1]], [4, 4]).numpy()
    array([1, 4, 3], dtype=int32)
    """
    return _extremes(np.minimum, tensor, indices, updates)


def _extremes(function: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    tensor, updates = operands(tensor, updates)
    changed = ops.copy(as_tensor(tensor))
    function.at(changed, index_tuples(indices), updates)
    return changed


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The index tuples of positions in C order, one column each.

    >>> import autograph.tf as tf
    >>> tf.unravel_index([2, 5], [2, 3]).numpy().tolist()
    [[0, 1], [2, 2]]
    """
    found = as_tensor(indices)
    return cast(ops.stack(ops.unravel_index(found, dimensions(dims))), found.dtype)


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int | None = None, batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """For each item along `batch_axis`, its first `seq_lengths` elements in reverse order.

    >>> import autograph.tf as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    along, items = int(seq_axis or 0), int(batch_axis or 0)
    x, lengths = as_tensor(input), as_tensor(seq_lengths)
    if along == items:
        raise ValueError("reverse_sequence: seq_axis and batch_axis are the same")
    x = ops.moveaxis(x, (items, along), (0, 1))
    steps, ends = ops.arange(x.shape[1]), ops.expand_dims(lengths, 1)
    places = ops.where(ops.less(steps, ends), ends - 1 - steps, steps)
    places = ops.reshape(places, (x.shape[0], x.shape[1], *(1,) * (x.ndim - 2)))
    return ops.moveaxis(ops.take_along_axis(x, places, axis=1), (0, 1), (items, along))


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: Any = None) -> Any:
    """The rows of each of 0, 1, ..., `num_partitions - 1`, a list.

    >>> import autograph.tf as tf
    >>> [part.numpy().tolist() for part in tf.dynamic_partition([5, 6, 7], [0, 1, 0], 2)]
    [[5, 7], [6]]
    """
    data, numbers = as_tensor(data), as_tensor(partitions)
    return [boolean_mask(data, ops.equal(numbers, i)) for i in range(int(num_partitions))]


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """One tensor of rows: that of index `i` comes from where `i` is among `indices`, last.

    >>> import autograph.tf as tf
    >>> tf.dynamic_stitch([[0, 2], [1]], [[5, 7], [6]]).numpy()
    array([5, 6, 7], dtype=int32)
    """
    places = [as_tensor(part) for part in indices]
    rows = [as_tensor(part) for part in data]
    inner = rows[0].shape[places[0].ndim :]
    flat = [ops.reshape(part, (-1, *inner)) for part in rows]
    order = ops.concat([ops.ravel(part) for part in places])
    whole = ops.zeros((ops.as_weak(ops.max(order) + 1), *inner), rows[0].dtype)
    return as_tensor(ops.index_update(whole, ops.concat(flat), order))
