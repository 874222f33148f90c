"""Powers, roots, exponentials and logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.errors import LimitValueError
from runtime.ops.declaration.declare import as_ufunc
from runtime.ops.declaration.operands import Array, Module, dtype_of
from runtime.ops.declaration.samples import binary, unary
from runtime.ops.elementwise.rules import chosen, derivative, quotient_or_zero, slope, typed_slope
from runtime.ops.elementwise.selection import where_

__all__ = [
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "pow",
    "power",
    "sqrt",
]

_LN2, _LN10 = float(np.log(2.0)), float(np.log(10.0))


def _python_pow(x: Any, y: Any) -> Any:
    """Python's power, where its type does not depend on the values."""
    if isinstance(x, int) and isinstance(y, int) and y < 0:
        raise LimitValueError(
            f"{x} ** {y}: an int to a negative int power is a float in Python; as graph values, "
            "ints give ints: write the base as a float"
        )
    result = x**y
    if isinstance(result, complex) and not isinstance(x, complex) and not isinstance(y, complex):
        raise LimitValueError(
            f"{x} ** {y}: the power is complex in Python; as graph values, floats give floats: "
            "write the base as a complex number"
        )
    return result


def _power_slope(x: Any, y: Any) -> Any:
    """d(x**y)/dx = y x**(y-1), without 0 ** -1 where y is 0; that of a root is 0 where x is."""
    is_zero = y == 0
    is_root = (y > 0) & (y < 1) if dtype_of(y).kind != "c" else False
    if is_root is not False:
        x = chosen(is_root, chosen(x == 0, math.inf, x), x)
    return chosen(is_zero, 0, y * x ** chosen(is_zero, 1, y - 1))


def _power_rate(out: Any, x: Any) -> Any:
    """d(x**y)/dy = x**y log(x), 0 where x is 0."""
    is_zero = x == 0
    return where_(is_zero, 0, out * log(where_(is_zero, 1, x)))


def exp_share(out: Any, x: Any) -> Any:
    """The share of `exp(x)` in the sum whose logarithm is `out`; it has none of 0."""
    return exp(_below(x, out))


def exp2_share(out: Any, x: Any) -> Any:
    """The share of `2**x` in the sum whose logarithm is `out`; it has none of 0."""
    return exp2(_below(x, out))


def _below(x: Any, out: Any) -> Any:
    return x - where_(out == -math.inf, 0, out)


def _may_be_wrong(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """The `raises` of powers: integers to negative ones, and Python's numbers."""
    return all(t.dtype.kind in "iub" or t.weak for t in types)


@as_ufunc(
    np.power,
    (
        slope(lambda out, x, y: _power_slope(x, y)),
        typed_slope(lambda out, x, y: _power_rate(out, x)),
    ),
    reads=(0, 1, "out"),
    python=_python_pow,
    expression="{0} ** {1}",
    raises=_may_be_wrong,
    numpy=("pow",),
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4 f4,f8 i8,i8 f8,i8 c16,f8"),
)
def pow(xp: Module, x: Array, y: Array) -> Array:
    """`x` to the power of `y`, broadcast.

    Raises ValueError for integers to negative integer powers.

    >>> ag.pow(np.array([1.0, 2.0, 3.0]), 2).numpy()
    array([1., 4., 9.])
    """
    # As in the user's code: `**` rounds scalars otherwise than `power`, and squares fast. But it
    # gives a Python number for one that is complex, and int8 for squares of bools.
    if type(x) is complex or (isinstance(x, xp.ndarray) and x.dtype.kind == "b"):
        return xp.power(x, y)
    return x**y


@as_ufunc(
    np.power,
    pow.op.vjp,
    reads=(0, 1, "out"),
    scalar="{0} ** {1}",
    raises=_may_be_wrong,
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4 f4,f8 i8,i8 f8,i8 c16,f8"),
)
def power(xp: Module, x: Array, y: Array) -> Array:
    """`numpy.power`: it differs from `**` in where it takes a product, a quotient or a root."""
    return xp.power(x, y)


@as_ufunc(
    np.float_power,
    (
        slope(lambda out, x, y: _power_slope(x, y)),
        typed_slope(lambda out, x, y: _power_rate(out, x)),
    ),
    reads=(0, 1, "out"),
    scalar="pow({0}, {1})",
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4 i8,i8"),
)
def float_power(xp: Module, x: Array, y: Array) -> Array:
    """`x` to the power of `y` in at least float64, broadcast.

    >>> ag.float_power(np.array([1, 2]), -1).numpy()
    array([1. , 0.5])
    """
    return xp.float_power(x, y)


@as_ufunc(
    np.exp,
    derivative(lambda out, x: out),
    reads=("out",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16 c8"),
)
def exp(xp: Module, x: Array) -> Array:
    """e to the power of `x`.

    >>> ag.exp(np.array([0.0, 1.0])).numpy()
    array([1.        , 2.71828183])
    """
    return xp.exp(x)


@as_ufunc(
    np.exp2,
    derivative(lambda out, x: _LN2 * out),
    reads=("out",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def exp2(xp: Module, x: Array) -> Array:
    """2 to the power of `x`.

    >>> ag.exp2(np.array([0.0, 3.0])).numpy()
    array([1., 8.])
    """
    return xp.exp2(x)


@as_ufunc(
    np.expm1,
    derivative(lambda out, x: out + 1),
    reads=("out",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def expm1(xp: Module, x: Array) -> Array:
    """`exp(x) - 1`, precise near 0.

    >>> ag.expm1(np.array([0.0, 1.0])).numpy()
    array([0.        , 1.71828183])
    """
    return xp.expm1(x)


@as_ufunc(
    np.log,
    derivative(lambda out, x: 1 / x),
    reads=(0,),
    samples=unary(0.5, 3.0, dtypes="f8 f4 i8 c16"),
)
def log(xp: Module, x: Array) -> Array:
    """Natural logarithm of `x`.

    >>> ag.log(np.array([1.0, 10.0])).numpy()
    array([0.        , 2.30258509])
    """
    return xp.log(x)


@as_ufunc(
    np.log2,
    derivative(lambda out, x: 1 / (x * _LN2)),
    reads=(0,),
    samples=unary(0.5, 3.0, dtypes="f8 f4 i8 c16"),
)
def log2(xp: Module, x: Array) -> Array:
    """Logarithm of `x` to base 2.

    >>> ag.log2(np.array([1.0, 8.0])).numpy()
    array([0., 3.])
    """
    return xp.log2(x)


@as_ufunc(
    np.log10,
    derivative(lambda out, x: 1 / (x * _LN10)),
    reads=(0,),
    samples=unary(0.5, 3.0, dtypes="f8 f4 i8 c16"),
)
def log10(xp: Module, x: Array) -> Array:
    """Logarithm of `x` to base 10.

    >>> ag.log10(np.array([1.0, 100.0])).numpy()
    array([0., 2.])
    """
    return xp.log10(x)


@as_ufunc(
    np.log1p,
    derivative(lambda out, x: 1 / (1 + x)),
    reads=(0,),
    samples=unary(-0.5, 2.0, dtypes="f8 f4 i8 c16"),
)
def log1p(xp: Module, x: Array) -> Array:
    """`log(1 + x)`, precise near 0.

    >>> ag.log1p(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.69314718])
    """
    return xp.log1p(x)


@as_ufunc(
    np.sqrt,
    derivative(lambda out, x: quotient_or_zero(0.5, out)),
    reads=("out",),
    samples=unary(0.5, 3.0, dtypes="f8 f4 i8 c16"),
)
def sqrt(xp: Module, x: Array) -> Array:
    """Square root of `x`; nan for negative numbers.

    >>> ag.sqrt(np.array([4.0, 9.0])).numpy()
    array([2., 3.])
    """
    return xp.sqrt(x)


@as_ufunc(
    np.cbrt,
    derivative(lambda out, x: quotient_or_zero(1, 3 * out * out)),
    reads=("out",),
    samples=unary(0.5, 3.0, dtypes="f8 f4 i8"),
)
def cbrt(xp: Module, x: Array) -> Array:
    """Real cube root of `x`.

    >>> ag.cbrt(np.array([8.0, -27.0])).numpy()
    array([ 2., -3.])
    """
    return xp.cbrt(x)


@as_ufunc(
    np.logaddexp,
    (slope(lambda out, x, y: exp_share(out, x)), slope(lambda out, x, y: exp_share(out, y))),
    reads=(0, 1, "out"),
    samples=binary(dtypes="f8,f8 f4,f4 i8,i8"),
)
def logaddexp(xp: Module, x: Array, y: Array) -> Array:
    """`log(exp(x) + exp(y))` without overflow, broadcast.

    >>> ag.logaddexp(np.array([0.0, 1000.0]), 0.0).numpy()
    array([6.93147181e-01, 1.00000000e+03])
    """
    return xp.logaddexp(x, y)


@as_ufunc(
    np.logaddexp2,
    (slope(lambda out, x, y: exp2_share(out, x)), slope(lambda out, x, y: exp2_share(out, y))),
    reads=(0, 1, "out"),
    samples=binary(dtypes="f8,f8 f4,f4 i8,i8"),
)
def logaddexp2(xp: Module, x: Array, y: Array) -> Array:
    """`log2(2**x + 2**y)` without overflow, broadcast.

    >>> ag.logaddexp2(np.array([1.0, 3.0]), 1.0).numpy()
    array([2.        , 3.32192809])
    """
    return xp.logaddexp2(x, y)


@as_ufunc(
    np.hypot,
    (
        slope(lambda out, x, y: quotient_or_zero(x, out)),
        slope(lambda out, x, y: quotient_or_zero(y, out)),
    ),
    reads=(0, 1, "out"),
    scalar="hypot({0}, {1})",
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4 i8,i8"),
)
def hypot(xp: Module, x: Array, y: Array) -> Array:
    """`sqrt(x**2 + y**2)` without overflow, broadcast.

    >>> ag.hypot(np.array([3.0, 5.0]), np.array([4.0, 12.0])).numpy()
    array([ 5., 13.])
    """
    return xp.hypot(x, y)
