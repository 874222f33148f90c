"""The complementary and inverse error functions, and the standard normal distribution.

All of them come from two: Cody's approximations of the error function, and Wichura's of the normal
quantile. Factors `exp(-x**2)` are computed without the error that rounding of `x**2` would make.
"""

from __future__ import annotations

import math

import numpy as np

from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import unary
from runtime.ops.elementwise.exponential import exp
from runtime.ops.elementwise.rules import derivative
from runtime.ops.elementwise.selection import clip
from runtime.ops.special_functions import exact
from runtime.ops.special_functions.error_function import _BORDER, _P, _Q, _R, _S, _SLOPE, _slope
from runtime.ops.special_functions.special_types import (
    divided,
    double_first,
    evaluated,
    polynomial,
    single_first,
    special,
)

__all__ = ["erfc", "erfcinv", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri"]

# W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of
# Computation 23 (1969), 631-637, beyond 4: x exp(x**2) erfc(x) = 1 / sqrt(pi) + F / x**2, where F
# is a ratio of polynomials in 1 / x**2. Highest power first.
_F = (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
      1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4)  # fmt: skip
_G = (1.0, 2.56852019228982242e0, 1.87295284992346047e0, 5.27905102951428412e-1,
      6.05183413124413191e-2, 2.33520497626869185e-3)  # fmt: skip
_FAR = 4.0
_SQRT_HALF = math.sqrt(0.5)
_ROOT = math.sqrt(math.pi)
_TOTAL = math.sqrt(2 * math.pi)


# ---- kernels in double precision ---------------------------------------------------------------


def _near(x: Array) -> Array:
    """erf, for sizes of at most `_BORDER`."""
    square = x * x
    return x * (polynomial(square, _P) / polynomial(square, _Q))


def _scaled_middle(xp: Module, x: Array) -> Array:
    return polynomial(x, _R) / polynomial(x, _S)


def _scaled_far(xp: Module, x: Array) -> Array:
    inverse = 1 / (x * x)
    ratio = inverse * polynomial(inverse, _F) / polynomial(inverse, _G)
    return (1 / _ROOT - ratio) / x


def _scaled(xp: Module, x: Array) -> Array:
    """exp(x**2) erfc(x), for `x` of at least `_BORDER`."""
    return divided(xp, x, x <= _FAR, _scaled_middle, _scaled_far)


def _square_in_two(xp: Module, x: Array) -> tuple[Array, Array]:
    """`x**2` as a number of few digits, whose exponential has no error of rounding, and the rest.

    Infinite `x` give (inf, 0).
    """
    size = xp.minimum(xp.abs(x), 1e150)
    rough = xp.trunc(size * 16) / 16
    return rough * rough, (size - rough) * (size + rough)


def _bell(xp: Module, x: Array, scale: float) -> Array:
    """exp(scale * x**2), where a product with `scale` makes no error of rounding."""
    high, low = _square_in_two(xp, x)
    return xp.exp(scale * high) * xp.exp(scale * low)


def _erfc(xp: Module, x: Array) -> Array:
    def near(xp: Module, x: Array) -> Array:
        return 1 - _near(x)

    def outer(xp: Module, x: Array) -> Array:
        size = xp.abs(x)
        tail = _scaled(xp, size) * _bell(xp, size, -1.0)
        return xp.where(x < 0, 2 - tail, tail)

    return divided(xp, x, xp.abs(x) <= _BORDER, near, outer)


def _erfcx(xp: Module, x: Array) -> Array:
    def near(xp: Module, x: Array) -> Array:
        return xp.exp(x * x) * (1 - _near(x))

    def outer(xp: Module, x: Array) -> Array:
        scaled = _scaled(xp, xp.abs(x))
        return xp.where(x < 0, 2 * _bell(xp, xp.minimum(x, 0), 1.0) - scaled, scaled)

    return divided(xp, x, xp.abs(x) <= _BORDER, near, outer)


def _ndtr(xp: Module, x: Array) -> Array:
    def near(xp: Module, x: Array) -> Array:
        return 0.5 + 0.5 * _near(x * _SQRT_HALF)

    def outer(xp: Module, x: Array) -> Array:
        tail = 0.5 * _scaled(xp, xp.abs(x) * _SQRT_HALF) * _bell(xp, x, -0.5)
        return xp.where(x > 0, 1 - tail, tail)

    return divided(xp, x, xp.abs(x * _SQRT_HALF) <= _BORDER, near, outer)


def _log_ndtr(xp: Module, x: Array) -> Array:
    def far(xp: Module, x: Array) -> Array:
        return xp.log(0.5 * _scaled(xp, -x * _SQRT_HALF)) - 0.5 * x * x

    def near(xp: Module, x: Array) -> Array:
        # The logarithm of 1 less what the distribution leaves to the right.
        return xp.log1p(-_ndtr(xp, -x))

    return divided(xp, x, x < -1, far, near)


def _quantile(xp: Module, tail: Array, centre: Array) -> Array:
    """The `z` of at least 0 that is exceeded with probability `tail` = 1/2 - `centre`."""
    inside = tail > 0
    if xp is np and tail.ndim == 0 and inside:
        return np.float64(exact.normal_quantile(xp, float(tail), float(centre)))
    found = exact.normal_quantile(
        xp,
        xp.where(inside, tail, 0.5).reshape(-1),
        xp.where(inside, centre, 0.0).reshape(-1),
    ).reshape(tail.shape)
    edge = xp.where(tail == 0, math.inf, math.nan)
    return xp.where(inside, found, edge)


def _ndtri(xp: Module, p: Array) -> Array:
    p = xp.asarray(p)
    tail = xp.where(p > 0.5, 1 - p, p)
    return xp.copysign(_quantile(xp, tail, xp.abs(p - 0.5)), p - 0.5)


def _erfinv(xp: Module, y: Array) -> Array:
    y = xp.asarray(y)
    size = xp.abs(y)
    found = _quantile(xp, (1 - size) / 2, size / 2) * _SQRT_HALF
    return xp.where(y < 0, -found, found)


def _erfcinv(xp: Module, y: Array) -> Array:
    y = xp.asarray(y)
    tail = xp.where(y > 1, 2 - y, y) / 2
    return xp.copysign(_quantile(xp, tail, xp.abs(1 - y) / 2) * _SQRT_HALF, -(y - 1))


# ---- the operations ----------------------------------------------------------------------------


@special(
    double_first, derivative(lambda out, x: -_slope(out, x)), reads=(0,), samples=unary(-2.0, 6.0)
)
def erfc(xp: Module, x: Array) -> Array:
    """`1 - erf(x)`, precise where that is small.

    >>> ag.special.erfc(np.array([0.0, 10.0])).numpy()
    array([1.00000000e+00, 2.08848758e-45])
    """
    return evaluated(xp, _erfc, double_first, x)


@special(
    double_first,
    derivative(lambda out, x: 2 * x * out - _SLOPE),
    reads=(0, "out"),
    samples=unary(-2.0, 6.0),
)
def erfcx(xp: Module, x: Array) -> Array:
    """`exp(x**2) * erfc(x)`, without underflow.

    >>> ag.special.erfcx(np.array([0.0, 100.0])).numpy()
    array([1.        , 0.00564161])
    """
    return evaluated(xp, _erfcx, double_first, x)


@special(
    single_first,
    derivative(lambda out, x: _ROOT / 2 * exp(out * out)),
    reads=("out",),
    samples=unary(-0.9, 0.9, dtypes="f8 f4"),
)
def erfinv(xp: Module, x: Array) -> Array:
    """The number whose error function is `x`; nan outside of [-1, 1].

    >>> ag.special.erfinv(np.array([0.0, 0.5, 1.0])).numpy()
    array([0.        , 0.47693628,        inf])
    """
    return evaluated(xp, _erfinv, single_first, x)


@special(
    single_first,
    derivative(lambda out, x: -_ROOT / 2 * exp(out * out)),
    reads=("out",),
    samples=unary(0.1, 1.9, dtypes="f8 f4"),
)
def erfcinv(xp: Module, x: Array) -> Array:
    """The number whose `erfc` is `x`; nan outside of [0, 2].

    >>> ag.special.erfcinv(np.array([0.5, 1.0, 2.0])).numpy()
    array([ 0.47693628, -0.        ,        -inf])
    """
    return evaluated(xp, _erfcinv, single_first, x)


@special(
    double_first,
    derivative(lambda out, x: exp(-0.5 * clip(x, -45, 45) ** 2) / _TOTAL),
    reads=(0,),
    samples=unary(-3.0, 3.0),
)
def ndtr(xp: Module, x: Array) -> Array:
    """The distribution function of the standard normal distribution.

    >>> ag.special.ndtr(np.array([-10.0, 0.0, 1.0])).numpy()
    array([7.61985302e-24, 5.00000000e-01, 8.41344746e-01])
    """
    return evaluated(xp, _ndtr, double_first, x)


@special(
    double_first,
    # Beyond 30 the derivative is 0 in double precision, but `erfcx` would overflow.
    derivative(lambda out, x: 2 / _TOTAL / erfcx(-_SQRT_HALF * clip(x, None, 30))),
    reads=(0,),
    samples=unary(-5.0, 3.0),
)
def log_ndtr(xp: Module, x: Array) -> Array:
    """Logarithm of `ndtr(x)`, precise at both ends.

    >>> ag.special.log_ndtr(np.array([-100.0, 0.0])).numpy()
    array([-5.00552421e+03, -6.93147181e-01])
    """
    return evaluated(xp, _log_ndtr, double_first, x)


@special(
    single_first,
    derivative(lambda out, x: _TOTAL * exp(0.5 * out * out)),
    reads=("out",),
    samples=unary(0.1, 0.9, dtypes="f8 f4"),
)
def ndtri(xp: Module, x: Array) -> Array:
    """The number whose `ndtr` is `x`; nan outside of [0, 1].

    >>> ag.special.ndtri(np.array([0.025, 0.5, 1.0])).numpy()
    array([-1.95996398,  0.        ,         inf])
    """
    return evaluated(xp, _ndtri, single_first, x)
