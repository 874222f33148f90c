"""TensorFlow's functions that make tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.tf.arguments import dimension, dimensions
from autograph.tf.defaults import dtype_of_number
from autograph.tf.math.reductions import reduce_max
from autograph.tf.tensors import Tensor, as_tensor, cast, constant, operands
from runtime import nn, ops

__all__ = [
    "eye",
    "fill",
    "linspace",
    "meshgrid",
    "one_hot",
    "ones",
    "ones_like",
    "range",
    "sequence_mask",
    "zeros",
    "zeros_like",
]


def zeros(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """Zeros, float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.zeros([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    return as_tensor(ops.zeros(dimensions(shape), dtype=np.dtype(dtype)))


def ones(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """Ones, float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.ones([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """
    return as_tensor(ops.ones(dimensions(shape), dtype=np.dtype(dtype)))


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """One value everywhere, in its dtype.

    >>> import autograph.tf as tf
    >>> tf.fill([2], 7).numpy()
    array([7, 7], dtype=int32)
    """
    value = as_tensor(value)
    if value.ndim:
        raise ValueError(f"fill takes a scalar, not an array of shape {tuple(value.shape)}")
    return as_tensor(ops.full(dimensions(dims), value, dtype=value.dtype))


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros of the shape and dtype of a tensor.

    >>> import autograph.tf as tf
    >>> tf.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.], dtype=float32)
    """
    return as_tensor(ops.zeros_like(as_tensor(input), dtype=_dtype(dtype)))


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
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
) -> Tensor:  # fmt: skip
    """The identity matrix, float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.eye(2, dtype=tf.int32).numpy().tolist()
    [[1, 0], [0, 1]]
    """
    rows = dimension(num_rows)
    columns = rows if num_columns is None else dimension(num_columns)
    made = as_tensor(ops.eye(rows, columns, dtype=np.dtype(dtype)))
    if batch_shape is None:
        return made
    return ops.broadcast_to(made, (*dimensions(batch_shape), rows, columns))


def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Numbers from `start` (0 if it is the only one) up to `limit`, int32 or float32 of numbers.

    >>> import autograph.tf as tf
    >>> tf.range(3).numpy(), tf.range(0.0, 1.0, 0.25).numpy()
    (array([0, 1, 2], dtype=int32), array([0.  , 0.25, 0.5 , 0.75], dtype=float32))
    """
    if limit is None:
        start, limit = 0, start
    bounds = (start, limit, delta)
    wanted = np.dtype(dtype) if dtype is not None else _common_dtype(bounds)
    parts = [x if type(x) in (int, float) else cast(x, wanted) for x in bounds]
    if wanted.kind == "f" and all(type(x) in (int, float) for x in parts):
        # In the steps of the dtype, as TensorFlow counts.
        count = int(np.ceil((parts[1] - parts[0]) / parts[2]))
        steps = np.arange(max(count, 0)).astype(wanted)
        return constant(wanted.type(parts[0]) + steps * wanted.type(parts[2]))
    return cast(ops.arange(*parts), wanted)


def _common_dtype(parts: Sequence[Any]) -> np.dtype[Any]:
    strong = [as_tensor(x).dtype for x in parts if type(x) not in (int, float)]
    if strong:
        return np.result_type(*strong)
    return (
        np.result_type(np.int32, *(dtype_of_number(x) for x in parts))
        if all(type(x) is int for x in parts)
        else np.dtype(np.float32)
    )


def linspace(start: Any, stop: Any, num: int, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` numbers from `start` to `stop`, both included; of integers float64.

    >>> import autograph.tf as tf
    >>> tf.linspace(0.0, 1.0, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    start, stop = (as_tensor(x) for x in operands(start, stop))
    wanted = np.result_type(start.dtype, stop.dtype)
    wanted = wanted if wanted.kind == "f" else np.dtype(np.float64)
    made = ops.linspace(cast(start, np.float64), cast(stop, np.float64), num=int(num))
    return cast(made if axis == 0 else ops.moveaxis(made, 0, axis), wanted)


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None,
    dtype: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
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
) -> Tensor:
    """Rows that begin with as many ones as `lengths` says.

    >>> import autograph.tf as tf
    >>> tf.sequence_mask([1, 3], dtype=tf.int32).numpy()
    array([[1, 0, 0],
           [1, 1, 1]], dtype=int32)
    """
    lengths = as_tensor(lengths)
    longest = ops.as_weak(reduce_max(lengths)) if maxlen is None else dimension(maxlen)
    return cast(ops.less(ops.arange(longest), ops.expand_dims(lengths, -1)), dtype)


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Any]:
    """Coordinates of the points of a grid.

    >>> import autograph.tf as tf
    >>> x, y = tf.meshgrid([1, 2], [3, 4])
    >>> y.numpy().tolist()
    [[3, 3], [4, 4]]
    """
    return [as_tensor(x) for x in ops.meshgrid(*map(as_tensor, args), indexing=indexing)]
