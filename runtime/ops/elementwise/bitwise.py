"""Bits of integers and bools."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import as_ufunc, no_gradient
from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import binary, unary

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
]

_BITS = binary(0, 9, dtypes="i8,i8 ?,? u1,i4 i4,i4")
_SHIFTS = binary(0, 9, dtypes="i8,i8 u1,i4 i4,i4")


def _shift_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """Python numbers raise for a negative count, arrays do not."""
    return all(t.weak for t in types)


@as_ufunc(np.bitwise_and, no_gradient, python=operator.and_, expression="{0} & {1}", samples=_BITS)
def bitwise_and(xp: Module, x: Array, y: Array) -> Array:
    """Bits set in both `x` and `y`, integers or bools, broadcast.

    >>> ag.bitwise_and(np.array([12, 10]), 6).numpy()
    array([4, 2])
    """
    return xp.bitwise_and(x, y)


@as_ufunc(np.bitwise_or, no_gradient, python=operator.or_, expression="{0} | {1}", samples=_BITS)
def bitwise_or(xp: Module, x: Array, y: Array) -> Array:
    """Bits set in `x` or `y`, integers or bools, broadcast.

    >>> ag.bitwise_or(np.array([12, 10]), 6).numpy()
    array([14, 14])
    """
    return xp.bitwise_or(x, y)


@as_ufunc(np.bitwise_xor, no_gradient, python=operator.xor, expression="{0} ^ {1}", samples=_BITS)
def bitwise_xor(xp: Module, x: Array, y: Array) -> Array:
    """Bits set in exactly one of `x` and `y`, integers or bools, broadcast.

    >>> ag.bitwise_xor(np.array([12, 10]), 6).numpy()
    array([10, 12])
    """
    return xp.bitwise_xor(x, y)


@as_ufunc(
    np.invert,
    no_gradient,
    # int(): Python 3.12 warns of ~True, which is ~1.
    python=lambda x: ~int(x) if isinstance(x, int) else ~x,
    expression="~{0}",
    numpy=("invert", "bitwise_not", "bitwise_invert"),
    samples=unary(0, 9, dtypes="i8 ? u1"),
)
def bitwise_invert(xp: Module, x: Array) -> Array:
    """All bits of `x` flipped; logical not for bool arrays.

    >>> ag.bitwise_invert(np.array([0, 5])).numpy()
    array([-1, -6])
    """
    return xp.invert(x)


@as_ufunc(
    np.left_shift,
    no_gradient,
    python=operator.lshift,
    expression="{0} << {1}",
    raises=_shift_raises,
    samples=_SHIFTS,
)
def bitwise_left_shift(xp: Module, x: Array, y: Array) -> Array:
    """`x * 2**y` for integers, broadcast.

    >>> ag.bitwise_left_shift(np.array([1, 2]), 3).numpy()
    array([ 8, 16])
    """
    return xp.left_shift(x, y)


@as_ufunc(
    np.right_shift,
    no_gradient,
    python=operator.rshift,
    expression="{0} >> {1}",
    raises=_shift_raises,
    samples=_SHIFTS,
)
def bitwise_right_shift(xp: Module, x: Array, y: Array) -> Array:
    """`x // 2**y` for integers, broadcast.

    >>> ag.bitwise_right_shift(np.array([8, 20]), 2).numpy()
    array([2, 5])
    """
    return xp.right_shift(x, y)
