"""Kinds of numbers, element by element and of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.comparison import equal, isinf, logical_and, logical_not, not_equal, signbit
from runtime.ops.complex import imag
from runtime.ops.declare import implements
from runtime.ops.operands import Operand, dtype_of
from runtime.ops.samples import array, calls

__all__ = ["iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal", "isrealobj"]

_MIXED = calls(
    lambda: (
        ((np.array([1 + 1j, 2, 1j]),), {}),
        ((array((3,)),), {}),
        ((array((2,), "i8"),), {}),
    )
)
_SIGNED = calls(
    lambda: (
        ((np.array([np.inf, -np.inf, np.nan, 0.0]),), {}),
        ((array((3,), "i8"),), {}),
    )
)


@implements("isreal", samples=_MIXED)
def isreal(x: Operand, /) -> Any:
    """Whether each element of `x` has no imaginary part.

    >>> ag.isreal(np.array([1 + 1j, 2])).numpy()
    array([False,  True])
    """
    return equal(imag(x), 0)


@implements("iscomplex", samples=_MIXED)
def iscomplex(x: Operand, /) -> Any:
    """Whether each element of `x` has an imaginary part that is not 0.

    >>> ag.iscomplex(np.array([1 + 1j, 2])).numpy()
    array([ True, False])
    """
    return not_equal(imag(x), 0)


@implements("isrealobj", samples=_MIXED)
def isrealobj(x: Operand, /) -> bool:
    """Whether the dtype of `x` is not complex.

    >>> ag.isrealobj(np.array([1j]))
    False
    """
    return dtype_of(x).kind != "c"


@implements("iscomplexobj", samples=_MIXED)
def iscomplexobj(x: Operand, /) -> bool:
    """Whether the dtype of `x` is complex.

    >>> ag.iscomplexobj(np.array([1j]))
    True
    """
    return dtype_of(x).kind == "c"


def _check_signed(x: Operand) -> None:
    if dtype_of(x).kind == "c":
        raise TypeError("This operation is not supported for complex128 values: it has no sign.")


@implements("isposinf", samples=_SIGNED)
def isposinf(x: Operand, /) -> Any:
    """Whether each element of `x` is positive infinity.

    >>> ag.isposinf(np.array([np.inf, -np.inf, 0.0])).numpy()
    array([ True, False, False])
    """
    _check_signed(x)
    return logical_and(isinf(x), logical_not(signbit(x)))


@implements("isneginf", samples=_SIGNED)
def isneginf(x: Operand, /) -> Any:
    """Whether each element of `x` is negative infinity.

    >>> ag.isneginf(np.array([np.inf, -np.inf, 0.0])).numpy()
    array([False,  True, False])
    """
    _check_signed(x)
    return logical_and(isinf(x), signbit(x))
