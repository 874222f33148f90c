"""Facts about element types: limits, kinds, and what dtypes together make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.dtypes import limits_of
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.operands import Operand, is_tensor, type_of
from runtime.spec import TensorType, promote

__all__ = ["can_cast", "finfo", "iinfo", "isdtype", "promote_types", "result_type"]


@dataclass(frozen=True)
class FloatLimits:
    """Limits of a floating-point dtype, as Python numbers."""

    dtype: np.dtype[Any]
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float


@dataclass(frozen=True)
class IntegerLimits:
    """Limits of an integer dtype, as Python ints."""

    dtype: np.dtype[Any]
    bits: int
    max: int
    min: int


def _dtype(x: Operand) -> np.dtype[Any]:
    """The dtype that is meant by a dtype, its name, or an array."""
    if is_tensor(x) or isinstance(x, (np.ndarray, np.generic)):
        return type_of(x).dtype
    return np.dtype(x)


def finfo(type: Any, /) -> FloatLimits:
    """Limits of a floating-point dtype (of its parts, for a complex one), or of an array's.

    Raises ValueError for another dtype.

    >>> ag.finfo(np.float32).eps
    1.1920928955078125e-07
    """
    found = limits_of(_dtype(type))
    return FloatLimits(
        np.dtype(found.dtype),
        int(found.bits),
        *(float(n) for n in (found.eps, found.max, found.min, found.smallest_normal)),
    )


def iinfo(type: Any, /) -> IntegerLimits:
    """Limits of an integer dtype, or of an array's.

    Raises ValueError for another dtype.

    >>> ag.iinfo(np.int8).max
    127
    """
    found = np.iinfo(_dtype(type))
    return IntegerLimits(np.dtype(found.dtype), int(found.bits), int(found.max), int(found.min))


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether `dtype` is of a kind: a dtype, or a tuple of kinds, or one of these words.

    They are "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating" and "numeric".

    >>> ag.isdtype(np.dtype("f4"), ("integral", "real floating"))
    True
    """
    return bool(np.isdtype(np.dtype(dtype), kind))


@implements("can_cast")
def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Whether values of a dtype, or an array, can be cast to dtype `to` without loss.

    `casting` is NumPy's: "no", "equiv", "safe", "same_kind" or "unsafe".

    >>> ag.can_cast(np.int64, np.float64), ag.can_cast(np.float64, np.float32)
    (True, False)
    """
    return bool(np.can_cast(_dtype(from_), np.dtype(to), casting))  # type: ignore[arg-type]


def _operand_type(x: Operand) -> TensorType:
    is_value = is_tensor(x) or isinstance(x, (np.ndarray, np.generic, bool, int, float, complex))
    return type_of(x) if is_value else TensorType(np.dtype(x), ())


@implements("common_type")
def numpy_common_type(*arrays: Operand) -> type:
    """`numpy.common_type`."""
    return np.common_type(*(np.empty(0, type_of(x).dtype) for x in arrays))


@implements("result_type")
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The dtype that arrays, dtypes and Python numbers together make; numbers adapt to others.

    Raises ValueError for no argument.

    >>> ag.result_type(np.float32, np.ones(2, "i2"), 1.5)
    dtype('float32')
    """
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    return promote(*map(_operand_type, arrays_and_dtypes)).dtype


def promote_types(type1: Any, type2: Any, /) -> np.dtype[Any]:
    """The smallest dtype that two dtypes can be cast to without loss.

    >>> ag.promote_types(np.int32, np.float32)
    dtype('float64')
    """
    return np.promote_types(type1, type2)
