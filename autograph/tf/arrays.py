"""TensorFlow's functions that make, cut, join, reorder and pick elements of tensors."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.tf.math import axes, descending_order, reduce_max
from autograph.tf.tensors import (
    TensorShape,
    as_tensor,
    cast_,
    constant,
    dtype_of_number,
    is_tensor,
    operands,
)
from runtime import nn, ops
from runtime.tensor import Tensor as AnyTensor

__all__ = [
    "argsort",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "clip_by_value",
    "concat",
    "dimensions",
    "ensure_shape",
    "expand_dims",
    "eye",
    "fill",
    "gather",
    "gather_nd",
    "identity",
    "identity_n",
    "linspace",
    "meshgrid",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "range",
    "rank",
    "repeat",
    "reshape",
    "reverse",
    "roll",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "shape_n",
    "size",
    "slice",
    "sort",
    "split",
    "squeeze",
    "stack",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tile",
    "transpose",
    "unique",
    "unique_with_counts",
    "unstack",
    "where",
    "zeros",
    "zeros_like",
]


def dimensions(shape: Any) -> tuple[Any, ...]:
    """A shape, in whatever way TensorFlow takes one, as a tuple of ints and scalar tensors."""
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    if isinstance(shape, AnyTensor) or hasattr(shape, "variable_type"):
        shape = as_tensor(shape)
        if shape.is_known:
            return tuple(np.atleast_1d(shape.numpy()).tolist())
        if shape.type.rank == 0:
            return (ops.as_weak(shape),)
        return tuple(ops.as_weak(shape[i]) for i in builtins.range(len(shape)))
    return tuple(map(_dimension, shape))


def _dimension(n: Any) -> Any:
    if isinstance(n, AnyTensor):
        return int(n) if n.is_known else n if n.type.weak else ops.as_weak(n)
    return int(n)


# ---- making ------------------------------------------------------------------------------------


def zeros(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Any:
    """Zeros, float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.zeros([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    return as_tensor(ops.zeros(dimensions(shape), dtype=np.dtype(dtype)))


def ones(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Any:
    """Ones, float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.ones([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """
    return as_tensor(ops.ones(dimensions(shape), dtype=np.dtype(dtype)))


def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """One value everywhere, in its dtype.

    >>> import autograph.tf as tf
    >>> tf.fill([2], 7).numpy()
    array([7, 7], dtype=int32)
    """
    value = as_tensor(value)
    return as_tensor(ops.full(dimensions(dims), value, dtype=value.dtype))


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros of the shape and dtype of a tensor.

    >>> import autograph.tf as tf
    >>> tf.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.], dtype=float32)
    """
    return as_tensor(ops.zeros_like(as_tensor(input), dtype=_dtype(dtype)))


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones of the shape and dtype of a tensor.

    >>> import autograph.tf as tf
    >>> tf.ones_like([1, 2]).numpy()
    array([1, 1], dtype=int32)
    """
    return as_tensor(ops.ones_like(as_tensor(input), dtype=_dtype(dtype)))


def _dtype(dtype: Any) -> np.dtype[Any] | None:
    return None if dtype is None else np.dtype(dtype)


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = np.float32,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The identity matrix, float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.eye(2, dtype=tf.int32).numpy().tolist()
    [[1, 0], [0, 1]]
    """
    rows = _dimension(num_rows)
    columns = rows if num_columns is None else _dimension(num_columns)
    made = as_tensor(ops.eye(rows, columns, dtype=np.dtype(dtype)))
    if batch_shape is None:
        return made
    return ops.broadcast_to(made, (*dimensions(batch_shape), rows, columns))


def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None
) -> Any:
    """Numbers from `start` (0 if it is the only one) up to `limit`, int32 or float32 of numbers.

    >>> import autograph.tf as tf
    >>> tf.range(3).numpy(), tf.range(0.0, 1.0, 0.25).numpy()
    (array([0, 1, 2], dtype=int32), array([0.  , 0.25, 0.5 , 0.75], dtype=float32))
    """
    if limit is None:
        start, limit = 0, start
    bounds = (start, limit, delta)
    wanted = np.dtype(dtype) if dtype is not None else _common_dtype(bounds)
    parts = [x if type(x) in (int, float) else cast_(x, wanted) for x in bounds]
    if wanted.kind == "f" and all(type(x) in (int, float) for x in parts):
        # In the steps of the dtype, as TensorFlow counts.
        count = int(np.ceil((parts[1] - parts[0]) / parts[2]))
        steps = np.arange(max(count, 0)).astype(wanted)
        return constant(wanted.type(parts[0]) + steps * wanted.type(parts[2]))
    return cast_(ops.arange(*parts), wanted)


def _common_dtype(parts: Sequence[Any]) -> np.dtype[Any]:
    strong = [as_tensor(x).dtype for x in parts if type(x) not in (int, float)]
    if strong:
        return np.result_type(*strong)
    return (
        np.result_type(np.int32, *(dtype_of_number(x) for x in parts))
        if all(type(x) is int for x in parts)
        else np.dtype(np.float32)
    )


def linspace(start: Any, stop: Any, num: int, name: str | None = None, axis: int = 0) -> Any:
    """`num` numbers from `start` to `stop`, both included; of integers float64.

    >>> import autograph.tf as tf
    >>> tf.linspace(0.0, 1.0, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    start, stop = (as_tensor(x) for x in operands(start, stop))
    wanted = np.result_type(start.dtype, stop.dtype)
    wanted = wanted if wanted.kind == "f" else np.dtype(np.float64)
    made = ops.linspace(cast_(start, np.float64), cast_(stop, np.float64), num=int(num))
    return cast_(made if axis == 0 else ops.moveaxis(made, 0, axis), wanted)


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None,
    dtype: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """A 1 at each index of a new axis of size `depth`, 0 elsewhere; float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    given = [as_tensor(v).dtype for v in (on_value, off_value) if v is not None]
    wanted = np.dtype(dtype) if dtype is not None else given[0] if given else np.dtype(np.float32)
    on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
    place = -1 if axis is None else axis
    return as_tensor(nn.one_hot(as_tensor(indices), int(depth), on, off, place, wanted))


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = np.bool_, name: str | None = None
) -> Any:
    """Rows that begin with as many ones as `lengths` says.

    >>> import autograph.tf as tf
    >>> tf.sequence_mask([1, 3], dtype=tf.int32).numpy()
    array([[1, 0, 0],
           [1, 1, 1]], dtype=int32)
    """
    lengths = as_tensor(lengths)
    longest = ops.as_weak(reduce_max(lengths)) if maxlen is None else _dimension(maxlen)
    return cast_(ops.less(ops.arange(longest), ops.expand_dims(lengths, -1)), dtype)


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Any]:
    """Coordinates of the points of a grid.

    >>> import autograph.tf as tf
    >>> x, y = tf.meshgrid([1, 2], [3, 4])
    >>> y.numpy().tolist()
    [[3, 3], [4, 4]]
    """
    return [as_tensor(x) for x in ops.meshgrid(*map(as_tensor, args), indexing=indexing)]


# ---- shapes ------------------------------------------------------------------------------------


def shape(input: Any, out_type: Any = np.int32, name: str | None = None) -> Any:
    """Sizes of the axes in a tensor, also where they are known only when a graph runs.

    >>> import autograph.tf as tf
    >>> tf.shape(tf.zeros([2, 3])).numpy()
    array([2, 3], dtype=int32)
    """
    sizes = tuple(as_tensor(input).shape)
    if not any(isinstance(n, AnyTensor) for n in sizes):
        return constant(np.array(sizes, dtype=out_type))
    return cast_(ops.stack([as_tensor(n) for n in sizes]), out_type)


def shape_n(input: Sequence[Any], out_type: Any = np.int32, name: str | None = None) -> list[Any]:
    """The shapes of several tensors.

    >>> import autograph.tf as tf
    >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([2]), tf.zeros([1, 3])])]
    [[2], [1, 3]]
    """
    return [shape(x, out_type) for x in input]


def size(input: Any, out_type: Any = np.int32, name: str | None = None) -> Any:
    """Number of elements.

    >>> import autograph.tf as tf
    >>> tf.size(tf.zeros([2, 3])).numpy()
    np.int32(6)
    """
    return cast_(as_tensor(as_tensor(input).size), out_type)


def rank(input: Any, name: str | None = None) -> Any:
    """Number of axes.

    >>> import autograph.tf as tf
    >>> tf.rank([[1]]).numpy()
    np.int32(2)
    """
    return constant(as_tensor(input).ndim)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The elements in row order under another shape; one size may be -1.

    >>> import autograph.tf as tf
    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return ops.reshape(as_tensor(tensor), dimensions(shape))


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """With a new axis of size 1.

    >>> import autograph.tf as tf
    >>> tf.expand_dims([1, 2], -1).shape
    TensorShape([2, 1])
    """
    return ops.expand_dims(as_tensor(input), axis=int(axis))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Without axes of size 1: all, or those given.

    >>> import autograph.tf as tf
    >>> tf.squeeze([[1], [2]]).shape
    TensorShape([2])
    """
    along = axes(axis)
    return ops.squeeze(as_tensor(input), axis=None if along == () else along)


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Any:
    """The axes in another order, reversed unless `perm` is given.

    >>> import autograph.tf as tf
    >>> tf.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    a = as_tensor(a)
    order = tuple(reversed(builtins.range(a.ndim))) if perm is None else axes(perm)
    moved = ops.permute_dims(a, tuple(i % a.ndim for i in order))
    return ops.conj(moved) if conjugate else moved


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """Repeated along axes of size 1 and new leading axes.

    >>> import autograph.tf as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return ops.broadcast_to(as_tensor(input), dimensions(shape))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape of what two shapes give together. Raises ValueError if they do not match.

    >>> import autograph.tf as tf
    >>> tf.broadcast_static_shape([2, 1], [3])
    TensorShape([2, 3])
    """
    return TensorShape(np.broadcast_shapes(dimensions(shape_x), dimensions(shape_y)))


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The same as a tensor.

    >>> import autograph.tf as tf
    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy()
    array([2, 3], dtype=int32)
    """
    x, y = as_tensor(shape_x), as_tensor(shape_y)
    count = max(len(x), len(y))
    x, y = (ops.pad(s, ((count - len(s), 0),), constant_values=1) for s in (x, y))
    return ops.where(ops.equal(x, 1), y, x)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """`x`; raises ValueError where its shape is not the given one (None: any size).

    >>> import autograph.tf as tf
    >>> tf.ensure_shape([1, 2], [None]).shape
    TensorShape([2])
    """
    x = as_tensor(x)
    x.set_shape(shape)
    return x


def identity(input: Any, name: str | None = None) -> Any:
    """A copy.

    >>> import autograph.tf as tf
    >>> tf.identity(3).numpy()
    np.int32(3)
    """
    return ops.copy(as_tensor(input))


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Any]:
    """Copies of several tensors.

    >>> import autograph.tf as tf
    >>> [x.numpy().item() for x in tf.identity_n([1, 2])]
    [1, 2]
    """
    return [identity(x) for x in input]


# ---- joining and parting -----------------------------------------------------------------------


def _alike(values: Any) -> list[Any]:
    """Several operands as tensors; numbers and lists take the dtype of a tensor among them."""
    if is_tensor(values):
        return list(as_tensor(values))
    first = next((as_tensor(v) for v in values if is_tensor(v)), None)
    if first is None:
        return [as_tensor(v) for v in values]
    return [v if is_tensor(v) else cast_(v, first.dtype) for v in values]


def concat(values: Any, axis: Any, name: str | None = None) -> Any:
    """Tensors one after the other along an axis.

    >>> import autograph.tf as tf
    >>> tf.concat([[1], [2, 3]], 0).numpy()
    array([1, 2, 3], dtype=int32)
    """
    return ops.concat([as_tensor(v) for v in _alike(values)], axis=int(axis))


def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors of one shape along a new axis.

    >>> import autograph.tf as tf
    >>> tf.stack([1, 2.5]).numpy()
    array([1. , 2.5], dtype=float32)
    """
    if isinstance(values, (list, tuple)) and all(type(v) in (int, float, bool) for v in values):
        return constant(list(values))
    return ops.stack([as_tensor(v) for v in _alike(values)], axis=axis)


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = None
) -> list[Any]:
    """The parts along an axis, in a list.

    >>> import autograph.tf as tf
    >>> [x.numpy().item() for x in tf.unstack([1, 2])]
    [1, 2]
    """
    parts = list(ops.unstack(as_tensor(value), axis=axis))
    if num is not None and num != len(parts):
        raise ValueError(f"unstack: num is {num}, but there are {len(parts)} parts")
    return parts


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str | None = None
) -> list[Any]:
    """Equal parts (an int), or parts of the sizes given, of which one may be -1.

    >>> import autograph.tf as tf
    >>> [x.numpy().tolist() for x in tf.split([1, 2, 3], [1, -1])]
    [[1], [2, 3]]
    """
    value, axis = as_tensor(value), int(axis)
    if isinstance(num_or_size_splits, int):
        return list(ops.split(value, num_or_size_splits, axis=axis))
    sizes = list(dimensions(num_or_size_splits))
    if -1 in sizes:
        sizes[sizes.index(-1)] = value.shape[axis] - sum(sizes) - 1
    total = value.shape[axis]
    if all(type(n) is int for n in (*sizes, total)) and sum(sizes) != total:
        raise ValueError(f"split: the sizes {sizes} do not add up to {total}, the size of the axis")
    ends = np.cumsum(sizes)[:-1].tolist()
    return list(ops.split(value, tuple(ends), axis=axis))


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeated as a whole along each axis.

    >>> import autograph.tf as tf
    >>> tf.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    return ops.tile(as_tensor(input), dimensions(multiples))


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Each element repeated.

    >>> import autograph.tf as tf
    >>> tf.repeat([1, 2], [2, 3]).numpy()
    array([1, 1, 2, 2, 2], dtype=int32)
    """
    times = repeats if isinstance(repeats, int) else as_tensor(repeats)
    return ops.repeat(as_tensor(input), times, axis=axis)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """With elements before and after along each axis; modes CONSTANT, REFLECT, SYMMETRIC.

    >>> import autograph.tf as tf
    >>> tf.pad([1, 2], [[1, 0]]).numpy(), tf.pad([1, 2, 3], [[1, 1]], "REFLECT").numpy()
    (array([0, 1, 2], dtype=int32), array([2, 1, 2, 3, 2], dtype=int32))
    """
    width = tuple(tuple(row) for row in as_tensor(paddings).tolist())
    options = {"constant_values": constant_values} if mode.upper() == "CONSTANT" else {}
    return ops.pad(as_tensor(tensor), width, mode.lower(), **options)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """In the opposite order along axes.

    >>> import autograph.tf as tf
    >>> tf.reverse([1, 2, 3], [0]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    along = axes(axis)
    return as_tensor(tensor) if along == () else ops.flip(as_tensor(tensor), axis=along)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    """Shifted around along axes.

    >>> import autograph.tf as tf
    >>> tf.roll([1, 2, 3], 1, 0).numpy()
    array([3, 1, 2], dtype=int32)
    """
    return ops.roll(as_tensor(input), axes(shift), axis=axes(axis))


# ---- picking and placing -----------------------------------------------------------------------


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
        for i in builtins.range(count)
    )
    found = params[(*lead, indices)]
    if along == count:
        return found
    # The axes of the indices go where the axis was.
    new = tuple(builtins.range(count, indices.ndim))
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
        for i in builtins.range(batch_dims)
    )
    return params[(*lead, *index_tuples(indices))]


def index_tuples(indices: Any) -> tuple[Any, ...]:
    """The key that the index tuples along the last axis make."""
    indices = as_tensor(indices)
    return tuple(indices[..., i] for i in builtins.range(int(indices.shape[-1])))


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
        return cast_(ops.argwhere(condition), np.int64)
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


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """Sorted along an axis.

    >>> import autograph.tf as tf
    >>> tf.sort([2, 1, 3], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)
    """
    made = ops.sort(as_tensor(values), axis=axis)
    return ops.flip(made, axis=axis) if _is_descending(direction) else made


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The positions of the elements in sorted order, int32; equal elements keep their order.

    >>> import autograph.tf as tf
    >>> tf.argsort([2, 1, 3]).numpy()
    array([1, 0, 2], dtype=int32)
    """
    values = as_tensor(values)
    if _is_descending(direction):
        return cast_(descending_order(values, axis), np.int32)
    return cast_(ops.argsort(values, axis=axis, stable=True), np.int32)


def _is_descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction is 'ASCENDING' or 'DESCENDING', not {direction!r}")
    return direction == "DESCENDING"


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = np.int32,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Where values would be put into a sorted sequence of one axis.

    >>> import autograph.tf as tf
    >>> tf.searchsorted([1, 2, 3], [2]).numpy()
    array([1], dtype=int32)
    """
    sequence, values = operands(sorted_sequence, values)
    return cast_(ops.searchsorted(as_tensor(sequence), as_tensor(values), side=side), out_type)


class Unique(NamedTuple):
    """Distinct elements, and which of them each element is."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """Distinct elements, which of them each element is, and how often each occurs."""

    y: Any
    idx: Any
    count: Any


def unique(x: Any, out_idx: Any = np.int32, name: str | None = None) -> Unique:
    """The distinct elements in the order in which they come, and which of them each element is.

    >>> import autograph.tf as tf
    >>> tf.unique([7, 5, 7]).y.numpy(), tf.unique([7, 5, 7]).idx.numpy()
    (array([7, 5], dtype=int32), array([0, 1, 0], dtype=int32))
    """
    return Unique(*unique_with_counts(x, out_idx)[:2])


def unique_with_counts(
    x: Any, out_idx: Any = np.int32, name: str | None = None
) -> UniqueWithCounts:
    """The same, and how often each occurs.

    >>> import autograph.tf as tf
    >>> tf.unique_with_counts([7, 5, 7]).count.numpy()
    array([2, 1], dtype=int32)
    """
    values, first, which, counts = ops.unique(
        as_tensor(x), return_index=True, return_inverse=True, return_counts=True
    )
    order = ops.argsort(first)
    back = ops.argsort(order)
    return UniqueWithCounts(
        ops.take(values, order, axis=0),
        cast_(ops.take(back, which, axis=0), out_idx),
        cast_(ops.take(counts, order, axis=0), out_idx),
    )
