"""Kinds of numbers, element by element and of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.creation import zeros_like
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.operands import Operand, dtype_of, type_of
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.arithmetic import abs as abs_
from runtime.ops.elementwise.comparison import (
    equal,
    isinf,
    less,
    logical_and,
    logical_not,
    not_equal,
    signbit,
)
from runtime.ops.elementwise.complex import imag, make_complex, real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import where_
from runtime.ops.reductions.reductions import all as all_

__all__ = [
    "iscomplex",
    "iscomplexobj",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "real_if_close",
]

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


@implements(
    samples=lambda: (
        ((np.array([1 + 1j, 2]),), {}),
        ((array((3,)), 2.0), {}),
        ((np.array([1 + 1e-3j]),), {"tol": 1e-9}),
    ),
)
def real_if_close(x: Operand, /, tol: float = 100) -> Any:
    """`x` without imaginary parts if all of them are nearly 0: complex, where `x` is.

    They are less than `tol`; where that is above 1, than `tol` times the spacing of numbers at 1.

    >>> ag.real_if_close(np.array([2 + 1e-15j])).numpy()
    array([2.+0.j])
    """
    if dtype_of(x).kind != "c":
        return astype(x, dtype_of(x)) if type_of(x).weak else x
    if tol > 1:
        tol = float(np.finfo(dtype_of(x)).eps) * tol
    return where_(all_(less(abs_(imag(x)), tol)), make_complex(real(x), zeros_like(real(x))), x)
