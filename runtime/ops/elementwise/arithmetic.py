"""Arithmetic."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import as_ufunc, implements, no_gradient, op, overflows
from runtime.ops.declaration.inference import by_ufunc
from runtime.ops.declaration.operands import Array, Module, Operand
from runtime.ops.declaration.samples import array, binary, fixed, unary
from runtime.ops.elementwise.complex import imag, real
from runtime.ops.elementwise.rules import conjugated, derivative, keeping_zeros, over, scaled, slope
from runtime.ops.elementwise.selection import where_

__all__ = [
    "abs",
    "add",
    "copysign",
    "divide",
    "divmod",
    "floor_divide",
    "fmod",
    "gcd",
    "heaviside",
    "lcm",
    "multiply",
    "negative",
    "positive",
    "reciprocal",
    "remainder",
    "sign",
    "square",
    "subtract",
]

_NUMERIC = "f8,f8 f4,f4 f4,f8 i8,i8 i4,f4 u1,u1 c16,f8 c8,c8"
_REAL = "f8,f8 f4,f4 f4,f8 i8,i8 i4,f4 u1,u1"


@as_ufunc(
    np.add,
    (lambda g, out, x, y: g, lambda g, out, x, y: g),
    python=operator.add,
    raises=overflows,
    expression="{0} + {1}",
    samples=binary(dtypes=_NUMERIC + " ?,?"),
)
def add(xp: Module, x: Array, y: Array) -> Array:
    """Sum of `x` and `y`, broadcast against each other.

    >>> ag.add(1.0, np.array([1.0, 2.0])).numpy()
    array([2., 3.])
    """
    return xp.add(x, y)


@as_ufunc(
    np.subtract,
    (lambda g, out, x, y: g, lambda g, out, x, y: -g),
    python=operator.sub,
    raises=overflows,
    expression="{0} - {1}",
    samples=binary(dtypes=_NUMERIC),
)
def subtract(xp: Module, x: Array, y: Array) -> Array:
    """Difference of `x` and `y`, broadcast; raises TypeError for two bool arrays.

    >>> ag.subtract(np.array([1.0, 2.0]), 1.0).numpy()
    array([0., 1.])
    """
    return xp.subtract(x, y)


@as_ufunc(
    np.multiply,
    (slope(lambda out, x, y: y), slope(lambda out, x, y: x)),
    reads=(0, 1),
    python=operator.mul,
    raises=overflows,
    expression="{0} * {1}",
    samples=binary(dtypes=_NUMERIC + " ?,?"),
)
def multiply(xp: Module, x: Array, y: Array) -> Array:
    """Product of `x` and `y`, element by element, broadcast.

    >>> ag.multiply(np.array([1.0, 2.0]), 3.0).numpy()
    array([3., 6.])
    """
    return xp.multiply(x, y)


_NUMBERS = fixed(
    lambda: (
        (np.complex128(0.5 - 1.25j), np.complex128(-0.75 + 0.3j)),
        (np.complex64(0.5 - 1.25j), np.complex64(-0.75 + 0.3j)),
        (np.complex128(0.5 - 1.25j), 2.5 + 0.1j),
        (1.5, np.complex128(-0.75 + 0.3j)),
    )
)


@op(
    inputs=2,
    infer=by_ufunc(np.multiply),
    vjp=multiply.op.vjp,
    reads=(0, 1),
    samples=_NUMBERS,
)
def complex_product(xp: Module, x: Array, y: Array) -> Array:
    """Product of two complex numbers as NumPy's scalars have it.

    Each step is rounded; of arrays, NumPy may round only once what is multiplied and added.
    """
    return x * y


def _zero_division(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """Division of Python numbers raises, that of arrays does not."""
    return all(t.weak for t in types)


@as_ufunc(
    np.divide,
    (
        keeping_zeros(lambda g, out, x, y: over(g, conjugated(y))),
        slope(lambda out, x, y: -(out / y)),
    ),
    reads=(1, "out"),
    python=operator.truediv,
    expression="{0} / {1}",
    raises=_zero_division,
    samples=binary(dtypes=_NUMERIC, second=(1, 3)),
)
def divide(xp: Module, x: Array, y: Array) -> Array:
    """True quotient of `x` and `y`, broadcast; integers give floats.

    Python numbers raise ZeroDivisionError for a zero `y`; arrays give inf or nan.

    >>> ag.divide(np.array([1, 2]), 2).numpy()
    array([0.5, 1. ])
    """
    return xp.divide(x, y)


@as_ufunc(
    np.floor_divide,
    no_gradient,
    python=operator.floordiv,
    expression="{0} // {1}",
    raises=_zero_division,
    samples=binary(dtypes=_REAL, second=(1, 3)),
)
def floor_divide(xp: Module, x: Array, y: Array) -> Array:
    """Largest integer not above the quotient of `x` and `y`, broadcast.

    Python numbers raise ZeroDivisionError for a zero `y`; integer arrays give 0.

    >>> ag.floor_divide(np.array([7, -7]), 2).numpy()
    array([ 3, -4])
    """
    return xp.floor_divide(x, y)


@as_ufunc(
    np.remainder,
    (lambda g, out, x, y: g, lambda g, out, x, y: -g * floor_divide(x, y)),
    reads=(0, 1),
    python=operator.mod,
    expression="{0} % {1}",
    raises=_zero_division,
    numpy=("remainder", "mod"),
    samples=binary(-0.9, -0.1, dtypes=_REAL, second=(1, 3)),
)
def remainder(xp: Module, x: Array, y: Array) -> Array:
    """Remainder of the floor division, of the sign of `y`, broadcast.

    >>> ag.remainder(np.array([7, -7]), 3).numpy()
    array([1, 2])
    """
    return xp.remainder(x, y)


@implements("divmod", samples=lambda: (((array((3,)), array((3,), low=1)), {}),))
def divmod(x: Operand, y: Operand, /) -> tuple[Any, Any]:
    """Floor division and remainder.

    >>> [r.tolist() for r in ag.divmod(np.array([7, -7]), 3)]
    [[2, -3], [1, 2]]
    """
    return floor_divide(x, y), remainder(x, y)


@as_ufunc(
    np.fmod,
    (lambda g, out, x, y: g, lambda g, out, x, y: -g * ((x - out) / y)),
    reads=(0, 1, "out"),
    scalar="fmod({0}, {1})",
    samples=binary(-0.9, -0.1, dtypes=_REAL, second=(1, 3)),
)
def fmod(xp: Module, x: Array, y: Array) -> Array:
    """Remainder of the division truncated to zero, of the sign of `x`, broadcast.

    >>> ag.fmod(np.array([7, -7]), 3).numpy()
    array([ 1, -1])
    """
    return xp.fmod(x, y)


@as_ufunc(
    np.negative,
    (lambda g, out, x: -g,),
    python=operator.neg,
    raises=overflows,
    expression="-{0}",
    samples=unary(dtypes="f8 f4 i8 u1 c16"),
)
def negative(xp: Module, x: Array) -> Array:
    """`-x`; raises TypeError for bool arrays.

    >>> ag.negative(np.array([1.0, -2.0])).numpy()
    array([-1.,  2.])
    """
    return xp.negative(x)


@as_ufunc(
    np.positive,
    (lambda g, out, x: g,),
    python=operator.pos,
    expression="+{0}",
    samples=unary(dtypes="f8 f4 i8 c16"),
)
def positive(xp: Module, x: Array) -> Array:
    """A copy of `x`; raises TypeError for bool arrays.

    >>> ag.positive(np.array([1.0, -2.0])).numpy()
    array([ 1., -2.])
    """
    return xp.positive(x)


@keeping_zeros
def _abs_rule(g: Any, out: Any, x: Any) -> Any:
    return scaled(g, sign(x))


@as_ufunc(
    np.absolute,
    (_abs_rule,),
    reads=(0,),
    python=operator.abs,
    raises=overflows,
    expression="abs({0})",
    samples=unary(0.3, 2.0, dtypes="f8 f4 i8 c16 c8 ?"),
)
def abs(xp: Module, x: Array) -> Array:
    """Absolute value of `x`: real for complex `x`.

    >>> ag.abs(np.array([-1.5, 3 + 4j])).numpy()
    array([1.5, 5. ])
    """
    return xp.absolute(x)


@op(
    inputs=1,
    infer=by_ufunc(np.absolute),
    vjp=(_abs_rule,),
    reads=(0,),
    samples=fixed(lambda: ((np.complex128(0.5 - 1.25j),), (np.complex64(0.5 - 1.25j),))),
)
def complex_modulus(xp: Module, x: Array) -> Array:
    """Absolute value of a complex number as NumPy's scalars have it; see `complex_product`."""
    return x.__abs__()


def _sign_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    if x.dtype.kind != "c":
        return (None,)
    # x/|x| moves only across its direction: g less its part along `out`, over |x|.
    along = real(out) * real(g) + imag(out) * imag(g)
    size = abs(x)
    still = size == 0
    return (where_(still, 0, (g - out * along) / where_(still, 1, size)),)


@as_ufunc(
    np.sign,
    _sign_vjp,
    reads=(0, "out"),
    scalar="1 if {0} > 0 else -1 if {0} < 0 else {0} if {0} != {0} else 0",
    samples=unary(0.3, 2.0, dtypes="c16 f8 f4 i8"),
)
def sign(xp: Module, x: Array) -> Array:
    """-1, 0 or 1 by the sign of `x`; x/|x| for complex `x`.

    >>> ag.sign(np.array([-2.0, 0.0, 5.0])).numpy()
    array([-1.,  0.,  1.])
    """
    return xp.sign(x)


@as_ufunc(
    np.square,
    derivative(lambda out, x: 2 * x),
    reads=(0,),
    scalar="{0} * {0}",
    samples=unary(dtypes="f8 f4 i8 c16"),
)
def square(xp: Module, x: Array) -> Array:
    """`x * x`.

    >>> ag.square(np.array([2.0, 3.0])).numpy()
    array([4., 9.])
    """
    return xp.square(x)


@as_ufunc(
    np.reciprocal,
    derivative(lambda out, x: -(out * out)),
    reads=("out",),
    samples=unary(1.0, 3.0, dtypes="f8 f4 i8 c16"),
    scalar=None,
)
def reciprocal(xp: Module, x: Array) -> Array:
    """`1 / x`, truncated for integers.

    >>> ag.reciprocal(np.array([2.0, 4.0])).numpy()
    array([0.5 , 0.25])
    """
    return xp.reciprocal(x)


@as_ufunc(
    np.copysign,
    (lambda g, out, x, y: g * sign(x) * sign(out), None),
    reads=(0, "out"),
    scalar="copysign({0}, {1})",
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4 i8,f8"),
)
def copysign(xp: Module, x: Array, y: Array) -> Array:
    """Size of `x` with the sign of `y`, broadcast.

    >>> ag.copysign(3.0, np.array([-1.0, 1.0])).numpy()
    array([-3.,  3.])
    """
    return xp.copysign(x, y)


@as_ufunc(
    np.heaviside,
    (None, lambda g, out, x, y: where_(x == 0, g, 0)),
    reads=(0,),
    scalar="{0} if {0} != {0} else 0 if {0} < 0 else {1} if {0} == 0 else 1",
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4"),
)
def heaviside(xp: Module, x: Array, y: Array) -> Array:
    """0 for negative `x`, `y` for zero, 1 for positive, broadcast.

    >>> ag.heaviside(np.array([-1.0, 0.0, 2.0]), 0.5).numpy()
    array([0. , 0.5, 1. ])
    """
    return xp.heaviside(x, y)


_INTEGERS = fixed(
    lambda: (
        (array((3,), "i8", 1, 20), array((3,), "i8", 1, 20)),
        (np.int32(12), 18),
        (4, 6),
    )
)


@as_ufunc(np.gcd, no_gradient, samples=_INTEGERS)
def gcd(xp: Module, x: Array, y: Array) -> Array:
    """Greatest common divisor of two integers, broadcast.

    >>> ag.gcd(np.array([12, 18]), 8).numpy()
    array([4, 2])
    """
    return xp.gcd(x, y)


@as_ufunc(np.lcm, no_gradient, samples=_INTEGERS)
def lcm(xp: Module, x: Array, y: Array) -> Array:
    """Least common multiple of two integers, broadcast.

    >>> ag.lcm(np.array([4, 6]), 10).numpy()
    array([20, 30])
    """
    return xp.lcm(x, y)
