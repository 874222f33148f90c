"""TensorFlow's functions that pick elements, and put others in their place."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from autograph.tf.arguments import dimensions, index_tuples
from autograph.tf.tensors import as_tensor, cast, operands
from runtime import ops

__all__ = [
    "boolean_mask",
    "clip_by_value",
    "gather",
    "gather_nd",
    "scatter_nd",
    "slice",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "where",
]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """The block that begins at `begin`, of a size (-1: to the end) along each axis.

    >>> import autograph.tf as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    firsts, sizes = dimensions(begin), dimensions(size)
    pairs = zip(firsts, sizes, strict=True)
    ends = [None if type(n) is int and n == -1 else a + n for a, n in pairs]

    key = tuple(builtins.slice(a, b) for a, b in zip(firsts, ends, strict=True))
    return as_tensor(input_)[key]


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
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


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Any:
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


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
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
) -> Any:
    """A copy with the elements at index tuples replaced.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0]], [9]).numpy()
    array([9, 2, 3], dtype=int32)
    """
    return _scattered(ops.index_update, tensor, indices, updates)


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """A copy with `updates` added to the elements at index tuples.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [9, 1]).numpy()
    array([11,  2,  3], dtype=int32)
    """
    return _scattered(ops.index_add, tensor, indices, updates)


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """A copy with `updates` taken from the elements at index tuples.

    >>> import autograph.tf as tf
    >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[0]], [1]).numpy()
    array([0, 2, 3], dtype=int32)
    """
    return _scattered(ops.index_add, tensor, indices, ops.negative(as_tensor(updates)))


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str | None = None) -> Any:
    """The elements where the mask is true, along the axes that it has from `axis` on.

    >>> import autograph.tf as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    lead = (builtins.slice(None),) * (0 if axis is None else int(axis))
    return as_tensor(tensor)[(*lead, as_tensor(mask))]


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
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


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Not below the one value, not above the other.

    >>> import autograph.tf as tf
    >>> tf.clip_by_value([1, 5], 2, 4).numpy()
    array([2, 4], dtype=int32)
    """
    t = as_tensor(t)
    low, high = operands(clip_value_min, t)[0], operands(clip_value_max, t)[0]
    return ops.minimum(ops.maximum(t, low), high)
