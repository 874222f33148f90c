"""What an op's operand is: a tensor, an array, a NumPy scalar or a Python number."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from runtime.devices import device_of, host_array, is_device_array
from runtime.dtypes import dtype_from, kind_of
from runtime.errors import unknown_rank
from runtime.spec import Dim, Shape, TensorType, type_of_number

__all__ = [
    "Abstract",
    "Array",
    "Axes",
    "Module",
    "Operand",
    "as_dtype",
    "as_fitting",
    "content",
    "decode_shape",
    "dtype_of",
    "encode_shape",
    "is_array",
    "is_empty",
    "is_large",
    "is_number",
    "is_tensor",
    "known_shape",
    "normal_axes",
    "normal_axis",
    "rank_of",
    "refuse_bool_axis",
    "shape_of",
    "sizes_of",
    "type_of",
]

# A raw array of some array module: ndarray, NumPy scalar or Python number.
Array: TypeAlias = Any
# The array module that a kernel computes with: numpy, or one with its functions.
Module: TypeAlias = Any
# What a user passes: a tensor or anything that an array can be made of.
Operand: TypeAlias = Any
Axes: TypeAlias = int | tuple[int, ...] | None

_NUMBERS = (bool, int, float, complex)
_INT = {int}


def as_dtype(x: Any) -> np.dtype[Any]:
    """The dtype that `x` names.

    Raises TypeError, as NumPy does, for an array or a Python number; a tensor has a dtype, too.
    """
    if is_tensor(x):
        if x.is_array:
            raise TypeError("Cannot construct a dtype from an array")
        if x.type.weak:
            raise TypeError(f"Cannot interpret a {x.type.class_name(False)} as a data type")
    return dtype_from(x)


class Abstract:
    """Stands in a gradient rule for a value that the rule does not read.

    >>> Abstract(TensorType(np.dtype("f4"), (2, 3))).ndim
    2
    """

    __slots__ = ("shape", "type")

    def __init__(self, type_: TensorType, shape: tuple[Any, ...] | None = None) -> None:
        self.type = type_
        self.shape = type_.shape if shape is None else shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return rank_of(self)


def is_tensor(x: Operand) -> bool:
    """Whether `x` is a tensor, eager or traced (or stands for one)."""
    return isinstance(getattr(x, "type", None), TensorType)


def is_array(x: Operand) -> bool:
    """Whether NumPy has an array of `x`, of rank 0 too, or makes one of it, and no scalar."""
    return bool(x.is_array) if is_tensor(x) else isinstance(x, (np.ndarray, list, tuple))


def is_empty(x: Operand) -> bool:
    """Whether `x` certainly has no elements: an axis of unknown size may have some."""
    return 0 in (type_of(x).shape or ())


def content(x: Operand) -> Operand:
    """`x`, but for a variable the value that it holds now."""
    # An object of the user's may have an answer for every name.
    read: Any = getattr(type(x), "read_value", None)
    return x if read is None else read(x)


def is_number(x: Operand) -> bool:
    """Whether `x` is a plain Python number, which is weak."""
    return isinstance(x, _NUMBERS) and not isinstance(x, np.generic)


def is_large(x: Any) -> bool:
    """Whether `x` is a Python int that is beyond those of a graph, which have 64 bits."""
    return type(x) is int and not -(2**63) <= x < 2**63


def as_fitting(x: Any, dtype: np.dtype[Any]) -> Any:
    """A Python int beyond 64 bits as a number of `dtype`, if it is uint64 or one of floats.

    Anything else, and an int that does not fit, as it is.
    """
    if not is_large(x):
        return x
    if kind_of(dtype) in "fc":
        return float(x)
    return np.uint64(x) if dtype == np.uint64 and 0 <= x < 2**64 else x


def type_of(x: Operand) -> TensorType:
    """Type of any operand.

    >>> print(type_of(1.5), type_of(np.float32(1)), type_of(np.zeros((2, 3))))
    float float32[] float64[2, 3]
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return TensorType(x.dtype, x.shape)
    own = getattr(x, "type", None)
    if isinstance(own, TensorType):
        return own
    if is_number(x):
        return type_of_number(x)
    if is_device_array(x):
        return TensorType(x.dtype, x.shape, device=device_of(x))
    array = np.asarray(x)
    return TensorType(array.dtype, array.shape)


def dtype_of(x: Operand) -> np.dtype[Any]:
    """Element type of any operand; the default one for a Python number."""
    own = getattr(x, "dtype", None)
    return own if isinstance(own, np.dtype) else type_of(x).dtype


def shape_of(x: Operand) -> tuple[Any, ...]:
    """Size of each axis; one that is known only at run time is a weak integer tensor."""
    shape = x.shape if hasattr(x, "shape") else type_of(x).shape
    if shape is None:
        raise unknown_rank()
    return tuple(shape)


def rank_of(x: Operand) -> int:
    """Number of axes; raises StagingError when it is not known."""
    if isinstance(x, np.ndarray):
        return x.ndim
    rank: int | None = x.rank if hasattr(x, "rank") else type_of(x).rank
    if rank is None:
        raise unknown_rank()
    return rank


def normal_axis(axis: Any, rank: int) -> int:
    """`axis` counted from the front; raises AxisError when out of range."""
    return int(normalize_axis_index(operator.index(axis), rank))


def refuse_bool_axis(axis: Any) -> None:
    """Raise TypeError for an axis that is True or False, as many functions of NumPy's do."""
    if any(isinstance(a, bool) for a in (axis if isinstance(axis, tuple | list) else (axis,))):
        raise TypeError("an integer is required for the axis")


def normal_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes counted from the front, None meaning all.

    Raises AxisError when one is out of range, ValueError when one is named twice.

    >>> normal_axes((-1, 0), 3)
    (2, 0)
    """
    if axis is None:
        return tuple(range(rank))
    return tuple(int(a) for a in normalize_axis_tuple(axis, rank))


def sizes_of(shape: Any) -> tuple[Any, ...]:
    """The sizes that a size, a sequence of sizes, or an integer vector says.

    >>> sizes_of(3), sizes_of([2, 3])
    ((3,), (2, 3))
    """
    if isinstance(shape, (tuple, list)):
        return tuple(shape)
    if type_of(shape).rank != 1:
        return (shape,)
    if type_of(shape).dtype.kind not in "iu":
        raise TypeError(f"a shape is made of integers, not of {type_of(shape).dtype}")
    count = shape_of(shape)[0]
    if not isinstance(count, int):
        raise ValueError("how many sizes a shape has is not known here")
    return tuple(shape[i] for i in range(count))


def encode_shape(shape: Any) -> tuple[tuple[Dim, ...], tuple[Operand, ...]]:
    """A shape argument as (static part, operands): None in the first takes the next of the second.

    `shape` is a size or a sequence of sizes; a size is an int or an integer tensor.

    >>> encode_shape([2, -1])
    ((2, -1), ())
    """
    sizes = shape if type(shape) is tuple else sizes_of(shape)
    if _INT.issuperset(map(type, sizes)):
        return sizes, ()
    parts = [(None, n) if is_tensor(n) else (operator.index(n), None) for n in sizes]
    return tuple(n for n, _ in parts), tuple(t for n, t in parts if n is None)


def decode_shape(shape: tuple[Dim, ...], dims: Iterable[Any]) -> tuple[int, ...]:
    """The shape that `encode_shape` took apart, once `dims` have values."""
    if None not in shape:
        return shape  # type: ignore[return-value]
    rest = iter(dims)
    return tuple(_size(next(rest)) if n is None else n for n in shape)


def _size(n: Any) -> int:
    """A size; one that was computed on another device is fetched."""
    return operator.index(host_array(n))


def known_shape(shape: Any) -> Shape:
    """A shape as types hold it: what is not an int is not known.

    >>> known_shape((2, None))
    (2, None)
    """
    return None if shape is None else tuple(n if isinstance(n, int) else None for n in shape)


@lru_cache(maxsize=4096)
def ufunc_dtype(ufunc: np.ufunc, operands: tuple[Any, ...]) -> np.dtype[Any]:
    """Dtype of the (first) result of a NumPy ufunc on dtypes, or Python types for weak numbers."""
    resolved = ufunc.resolve_dtypes((*operands, *[None] * ufunc.nout))
    return resolved[ufunc.nin]
