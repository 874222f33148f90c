"""The gamma function and its relatives: its logarithm, their derivatives, and the beta function.

M. Abramowitz and I. Stegun, "Handbook of mathematical functions" (1964), chapter 6: Stirling's
series (6.1.40, 6.3.18) where it converges, else the series about 2 (6.1.33) after the recurrences
(6.1.15, 6.3.5); to the left of 0 the reflections (6.1.17, 6.3.7, 6.4.7).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import array as sample
from runtime.ops.declaration.samples import binary, unary
from runtime.ops.elementwise.rules import derivative
from runtime.ops.special_functions.special_types import (
    divided,
    double_first,
    evaluated,
    polynomial,
    special,
)

__all__ = [
    "beta",
    "betaln",
    "digamma",
    "gamma",
    "gamma_correction",
    "gamma_kernel",
    "gammaln",
    "hurwitz_sum",
    "log_beta_kernel",
    "log_gamma_of_next",
    "loggamma",
    "polygamma_at",
    "polygamma_kernel",
]

# ln(gamma(2 + z)) = (1 - Euler's constant) z + the sum of (-1)**k (zeta(k) - 1) z**k / k.
_ZETA = (
    0.6449340668482264, 0.2020569031595943, 0.08232323371113819, 0.03692775514336993,
    0.01734306198444914, 0.008349277381922827, 0.00407735619794434, 0.0020083928260822143,
    0.0009945751278180853, 0.0004941886041194645, 0.0002460865533080483, 0.00012271334757848915,
    6.124813505870483e-05, 3.058823630702049e-05, 1.528225940865187e-05, 7.637197637899763e-06,
    3.81729326499984e-06, 1.908212716553939e-06, 9.539620338727962e-07, 4.769329867878064e-07,
    2.38450502727733e-07, 1.1921992596531106e-07, 5.960818905125948e-08, 2.980350351465228e-08,
    1.4901554828365043e-08, 7.45071178983543e-09, 3.725334024788457e-09, 1.862659723513049e-09,
    9.313274324196682e-10, 4.656629065033784e-10,
)  # fmt: skip
_ABOUT_TWO = (
    *((-1.0) ** k * z / k for k, z in reversed(tuple(enumerate(_ZETA, 2)))),
    0.42278433509846713,
    0.0,
)
# Bernoulli numbers of even index, B(2 k): over 2 k (2 k - 1), over 2 k, and over (2 k)!.
_STIRLING = (
    0.08333333333333333, -0.002777777777777778, 0.0007936507936507937, -0.0005952380952380953,
    0.0008417508417508417, -0.0019175269175269176, 0.00641025641025641, -0.029550653594771242,
    0.17964437236883057, -1.3924322169059011,
)  # fmt: skip
_LOG_SERIES = (
    0.08333333333333333, -0.008333333333333333, 0.003968253968253968, -0.004166666666666667,
    0.007575757575757576, -0.021092796092796094, 0.08333333333333333, -0.4432598039215686,
    3.0539543302701198, -26.456212121212122,
)  # fmt: skip
_EULER_MACLAURIN = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11,
    -3.3896802963225827e-13, 8.586062056277845e-15, -2.174868698558062e-16,
    5.5090028283602295e-18, -1.3954464685812522e-19, 3.534707039629467e-21,
)  # fmt: skip
# digamma(x) / (x - its root) in t = 2 x - 3 on [1, 2]: the sum of the first 24 terms of its series
# in Chebyshev's polynomials, as powers of t. The root in two numbers.
_ROOT_QUOTIENT = (
    -1.0015117602062808e-11, 2.918622732168261e-11, -2.7468150389464952e-11,
    8.734528429142953e-11, -4.197772636734229e-10, 1.2469984616707403e-09,
    -3.5032218996509724e-09, 1.0527692435026686e-08, -3.181266980138485e-08,
    9.543298288278275e-08, -2.8620904099739414e-07, 8.589060721930695e-07,
    -2.578134894751126e-06, 7.741234508636364e-06, -2.3258232466707952e-05,
    6.995018825112794e-05, -0.00021074841288961643, 0.0006368880303865817,
    -0.001935066664735652, 0.005936795278301761, -0.01855061538173984, 0.06013562106019684,
    -0.21181371064073024, 0.9510558760318328,
)  # fmt: skip
_ROOT, _REST_OF_ROOT = 1.4616321449683622, 9.549995429965697e-17
# From here on Stirling's series has double precision.
_FAR = 8.0
_HALF_LOG_TOTAL = 0.5 * math.log(2 * math.pi)
_FACTORIALS = tuple(float(math.factorial(n)) for n in range(171))
_TABLE = np.array(_FACTORIALS)


# ---- kernels in double precision ---------------------------------------------------------------


def _sin_pi(xp: Module, x: Array) -> Array:
    """sin(pi x), exactly 0 at integers."""
    nearest = xp.rint(x)
    sine = xp.sin(math.pi * (x - nearest))
    return xp.where(xp.fmod(nearest, 2) == 0, sine, -sine)


def gamma_correction(x: Array) -> Array:
    """What Stirling's formula lacks of ln(gamma(x)), for `x` of at least `_FAR`."""
    inverse = 1 / x
    return inverse * polynomial(inverse * inverse, _STIRLING[::-1])


def _ascent(xp: Module, x: Array) -> tuple[Array, Array, Array]:
    """For 0 < `x` < `_FAR`: (z, p, q) such that gamma(x) = gamma(2 + z) p / q."""
    nearest = xp.rint(x)
    product: Array = xp.ones_like(x)
    for j in range(1, int(nearest.max()) - 1):
        product = product * xp.where(nearest - 2 >= j, x - j, 1.0)
    quotient = xp.where(nearest < 2, x, 1.0) * xp.where(nearest < 1, x + 1, 1.0)
    return x - nearest, product, quotient


def _gamma_near(xp: Module, x: Array) -> Array:
    z, product, quotient = _ascent(xp, x)
    return xp.exp(polynomial(z, _ABOUT_TWO)) * product / quotient


def _gamma_far(xp: Module, x: Array) -> Array:
    # Half of the power twice: the whole of it overflows before the function does.
    half = x ** (0.5 * x - 0.25)
    found = half * (math.sqrt(2 * math.pi) * xp.exp(gamma_correction(x)) * xp.exp(-x)) * half
    return xp.where(x > 180, math.inf, found)


def _gamma_right(xp: Module, x: Array) -> Array:
    """gamma, for positive `x`: of integers, from a table."""
    found = divided(xp, x, x < _FAR, _gamma_near, _gamma_far)
    is_whole = (xp.rint(x) == x) & (x >= 1) & (x <= len(_FACTORIALS))
    if not is_whole.any():
        return found
    known = xp.asarray(_TABLE)
    return xp.where(is_whole, known[xp.where(is_whole, x - 1, 0).astype(np.intp)], found)


def _gamma_left(xp: Module, x: Array) -> Array:
    """gamma, for `x` that is not positive: by gamma(-x), as 1 - x would be rounded."""
    found = -math.pi / (x * _gamma_right(xp, -x) * _sin_pi(xp, x))
    is_pole = (x < 0) & (xp.floor(x) == x)
    return xp.where(is_pole, math.nan, xp.where(x > -1e-300, 1 / x, found))


def gamma_kernel(xp: Module, x: Array) -> Array:
    return divided(xp, x, x > 0, _gamma_right, _gamma_left)


def log_gamma_of_next(xp: Module, a: Array) -> Array:
    """ln(gamma(1 + a)), for positive `a`, precise where that is small."""
    near = xp.where(a < 0.5, a, 0.0)
    return xp.where(a < 0.5, polynomial(near, _ABOUT_TWO) - xp.log1p(near), _log_gamma(xp, 1 + a))


def _log_gamma_near(xp: Module, x: Array) -> Array:
    z, product, quotient = _ascent(xp, x)
    return polynomial(z, _ABOUT_TWO) + (xp.log(product) - xp.log(quotient))


def _log_gamma_far(xp: Module, x: Array) -> Array:
    return (x - 0.5) * (xp.log(x) - 1) + (_HALF_LOG_TOTAL - 0.5 + gamma_correction(x))


def _log_gamma_right(xp: Module, x: Array) -> Array:
    """ln(gamma), for positive `x`."""
    return divided(xp, x, x < _FAR, _log_gamma_near, _log_gamma_far)


def _log_gamma_left(xp: Module, x: Array) -> Array:
    sine = xp.log(xp.abs(_sin_pi(xp, x)))
    found = math.log(math.pi) - sine - _log_gamma_right(xp, 1 - x)
    return xp.where(xp.floor(x) == x, xp.where(x == -math.inf, x, math.inf), found)


def _log_gamma(xp: Module, x: Array) -> Array:
    return divided(xp, x, x > 0, _log_gamma_right, _log_gamma_left)


def _log_gamma_of_positive(xp: Module, x: Array) -> Array:
    return xp.where(x < 0, math.nan, _log_gamma(xp, x))


def _digamma_near(xp: Module, x: Array) -> Array:
    steps = xp.floor(x)
    unit = x - steps + 1
    found = ((unit - _ROOT) - _REST_OF_ROOT) * polynomial(2 * unit - 3, _ROOT_QUOTIENT)
    for j in range(1, int(steps.max())):
        found = found + xp.where(steps > j, 1 / xp.where(steps > j, x - j, 1.0), 0.0)
    return found - xp.where(steps < 1, 1 / x, 0.0)


def _digamma_far(xp: Module, x: Array) -> Array:
    inverse = 1 / x
    square = inverse * inverse
    return xp.log(x) - (0.5 * inverse + square * polynomial(square, _LOG_SERIES[::-1]))


def _digamma_right(xp: Module, x: Array) -> Array:
    """digamma, for positive `x`."""
    return divided(xp, x, x < _FAR, _digamma_near, _digamma_far)


def _digamma_left(xp: Module, x: Array) -> Array:
    nearest = xp.rint(x)
    slope = math.pi / xp.tan(math.pi * (x - nearest))
    found = _digamma_right(xp, 1 - x) - slope
    return xp.where(x == 0, -1 / x, xp.where(nearest == x, math.nan, found))


def _digamma(xp: Module, x: Array) -> Array:
    return divided(xp, x, x > 0, _digamma_right, _digamma_left)


def hurwitz_sum(xp: Module, s: Array, x: Array, order: int = 0) -> Array:
    """The sum of (x + k)**-s over k = 0, 1, ..., for positive `x`; continued to `s` of below 1.

    Or its derivative by `s` of an order. Ten terms, then the rule of Euler and Maclaurin (23.1.30),
    all as lists of the coefficients of Taylor's series in `s`.
    """
    total: Any = 0.0
    for k in range(10):
        total = total + _power_series(xp, s, x + k, order)[order]
    y = x + 10
    rest: list[Any] = [y * (-1.0) ** m / (s - 1) ** (m + 1) for m in range(order + 1)]
    rest[0] = rest[0] + 0.5
    rising, scale = [s, 1.0, *[0.0] * order][: order + 1], 1 / y
    for j, c in enumerate(_EULER_MACLAURIN):
        rest = [a + c * scale * b for a, b in zip(rest, rising, strict=True)]
        for up in (2.0 * j + 1, 2.0 * j + 2):
            rising = [a * (s + up) + b for a, b in zip(rising, [0.0, *rising], strict=False)]
        scale = scale / (y * y)
    power = _power_series(xp, s, y, order)
    for i in range(order + 1):
        total = total + power[i] * rest[order - i]
    return total * float(math.factorial(order)) if order else total


def _power_series(xp: Module, s: Array, base: Array, order: int) -> list[Any]:
    """The coefficients of base**-(s + e) as a series in e."""
    series = [base**-s]
    for j in range(1, order + 1):
        series.append(series[-1] * (-xp.log(base) / j))
    return series


def _slopes_of_cotangent(n: int) -> tuple[float, ...]:
    """The `n`-th derivative of cot, as a polynomial in cot: the highest power first."""
    ascending = [0, 1]
    for _ in range(n):
        slopes = [-k * c for k, c in enumerate(ascending)][1:]
        ascending = [a + b for a, b in zip([*slopes, 0, 0], [0, 0, *slopes], strict=True)]
    return tuple(map(float, reversed(ascending)))


def polygamma_kernel(xp: Module, n: int, x: Array) -> Array:
    if n == 0:
        return _digamma(xp, x)
    scale = (-1.0) ** (n + 1) * (_FACTORIALS[n] if n < len(_FACTORIALS) else math.inf)

    def right(xp: Module, x: Array) -> Array:
        return scale * hurwitz_sum(xp, n + 1.0, x)

    def left(xp: Module, x: Array) -> Array:
        nearest = xp.rint(x)
        cotangent = 1 / xp.tan(math.pi * (x - nearest))
        bend = math.pi ** (n + 1) * polynomial(cotangent, _slopes_of_cotangent(n))
        found = (-1.0) ** n * scale * hurwitz_sum(xp, n + 1.0, 1 - x) - bend
        return xp.where(nearest == x, scale * math.inf, found)

    return divided(xp, x, x > 0, right, left)


def _log_beta_far(xp: Module, a: Array, b: Array) -> Array:
    """ln(beta), for `a` of at least `_FAR` and positive `b` of at most that."""
    lifted = xp.where(b < _FAR, b + _FAR, b)
    ratio = -xp.log1p(lifted / a)
    both = a + lifted
    found = (a - 0.5) * ratio + lifted * (xp.log(lifted / a) + ratio)
    found = found + (_HALF_LOG_TOTAL - 0.5 * xp.log(lifted))
    found = found + (gamma_correction(a) + gamma_correction(lifted) - gamma_correction(both))
    for k in range(int(_FAR)):
        found = found + xp.where(b < _FAR, xp.log((a + b + k) / (b + k)), 0.0)
    return found


# Where the gamma functions of both and of their sum are finite.
_MODERATE = 171.0


def _inverse_gamma(xp: Module, x: Array) -> Array:
    """1 / gamma(x), which is 0 at the poles."""
    return xp.where((x <= 0) & (xp.floor(x) == x), 0.0, 1 / gamma_kernel(xp, x))


def _near_beta(xp: Module, a: Array, b: Array) -> Array:
    """beta, by gamma functions; `b` is the smaller one, whose function is the largest."""
    return gamma_kernel(xp, a) * _inverse_gamma(xp, a + b) * gamma_kernel(xp, b)


def _sign_of_gamma(xp: Module, x: Array) -> Array:
    return xp.where((x > 0) | (xp.fmod(xp.floor(x), 2) == 0), 1.0, -1.0)


def _is_far(xp: Module, a: Array, b: Array) -> Array:
    return (xp.abs(a) > _MODERATE) | (xp.abs(b) > _MODERATE) | (xp.abs(a + b) > _MODERATE)


def _log_size(xp: Module, a: Array, b: Array) -> Array:
    """ln(abs(beta)) for large numbers, `b` being the smaller one."""
    right = _log_beta_far(xp, xp.clip(a, _FAR, 1e308), xp.maximum(b, 0.0))
    right = xp.where(a == math.inf, xp.where(b == math.inf, math.nan, -math.inf), right)
    left = _log_gamma(xp, a) + _log_gamma(xp, b) - _log_gamma(xp, a + b)
    return xp.where(b > 0, right, left)


def _mirrored(xp: Module, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Where `b` is 0 or a negative integer: (a', b', sign), the function being that of a' and b'.

    It is finite only for a positive integer `a` of less than 1 - b.
    """
    is_pole = (b <= 0) & (xp.floor(b) == b)
    is_finite = (xp.floor(a) == a) & (a > 0) & (1 - a - b > 0)
    first = xp.where(is_pole & is_finite, 1 - a - b, a)
    second = xp.where(is_pole, xp.where(is_finite, a, math.inf), b)
    sign = xp.where(is_pole & is_finite & (xp.fmod(a, 2) != 0), -1.0, 1.0)
    return xp.maximum(first, second), xp.minimum(first, second), sign


def _beta(xp: Module, a: Array, b: Array) -> Array:
    large, small, sign = _mirrored(xp, xp.maximum(a, b), xp.minimum(a, b))
    is_far = _is_far(xp, large, small)
    near = _near_beta(xp, xp.where(is_far, 1.0, large), xp.where(is_far, 1.0, small))
    signs = _sign_of_gamma(xp, large) * _sign_of_gamma(xp, small)
    signs = signs * _sign_of_gamma(xp, large + small)
    found = xp.where(is_far, signs * xp.exp(_log_size(xp, large, small)), near)
    return _at_infinity(xp, a, b, sign * found, True)


def log_beta_kernel(xp: Module, a: Array, b: Array) -> Array:
    large, small, _ = _mirrored(xp, xp.maximum(a, b), xp.minimum(a, b))
    is_far = _is_far(xp, large, small)
    near = _near_beta(xp, xp.where(is_far, 1.0, large), xp.where(is_far, 1.0, small))
    found = xp.where(is_far, _log_size(xp, large, small), xp.log(xp.abs(near)))
    return _at_infinity(xp, a, b, found, False)


def _at_infinity(xp: Module, a: Array, b: Array, found: Array, is_signed: bool) -> Array:
    """`found`, but inf where there is a pole, of SciPy's sign, and nan where an operand is."""
    small, large = xp.minimum(a, b), xp.maximum(a, b)
    is_pole = (small <= 0) & (xp.floor(small) == small)
    is_whole = xp.floor(large) == large
    is_finite = is_whole & (large > 0) & (1 - large - small > 0)
    found = xp.where(is_pole & ~is_finite, math.inf, found)
    is_odd = is_pole & is_whole & (large <= 0) & (xp.fmod(b, 2) != 0)
    found = xp.where(is_odd & is_signed, -math.inf, found)
    return xp.where(xp.isnan(a) | xp.isnan(b), math.nan, found)


# ---- the operations ----------------------------------------------------------------------------


def _slope_of_digamma(out: Any, x: Any) -> Any:
    return polygamma_at(x, n=1)


def _polygamma_vjp(g: Any, out: Any, x: Any, n: int) -> tuple[Any]:
    return (g * polygamma_at(x, n=n + 1),)


@special(double_first, derivative(_slope_of_digamma), reads=(0,), samples=unary(0.3, 12.0))
def digamma(xp: Module, x: Array) -> Array:
    """The derivative of `gammaln(x)`; nan at 0 and the negative integers, where there are poles.

    >>> ag.special.digamma(np.array([1.0, 10.0])).numpy()
    array([-0.57721566,  2.25175259])
    """
    return evaluated(xp, _digamma, double_first, x)


@special(
    double_first,
    _polygamma_vjp,
    reads=(0,),
    samples=lambda: (
        ((sample((4,), low=0.3, high=12.0),), {"n": 1}),
        ((sample((2, 2), low=0.3, high=12.0),), {"n": 2}),
        ((sample((3,), low=-2.7, high=-2.3),), {"n": 1}),
        ((sample((3,), low=-2.7, high=-2.3),), {"n": 3}),
        ((sample((3,), "f4", low=0.3, high=12.0),), {"n": 1}),
        ((sample((3,), "i8", low=1, high=12),), {"n": 0}),
    ),
)
def polygamma_at(xp: Module, x: Array, n: int) -> Array:
    """The derivative of order `n` of `digamma(x)`."""
    return evaluated(xp, lambda xp, x: polygamma_kernel(xp, n, x), double_first, x)


@special(
    double_first,
    derivative(lambda out, x: out * digamma(x)),
    reads=("out", 0),
    samples=unary(0.3, 12.0),
)
def gamma(xp: Module, x: Array) -> Array:
    """The gamma function; of an integer `n`, the factorial of `n - 1`, rounded once.

    It is nan at the negative integers, and an infinity at 0.

    >>> ag.special.gamma(np.array([0.5, 5.0])).numpy()
    array([ 1.77245385, 24.        ])
    """
    return evaluated(xp, gamma_kernel, double_first, x)


@special(double_first, derivative(lambda out, x: digamma(x)), reads=(0,), samples=unary(0.3, 12.0))
def gammaln(xp: Module, x: Array) -> Array:
    """Logarithm of the size of `gamma(x)`; inf at 0 and the negative integers.

    >>> ag.special.gammaln(np.array([0.5, 1000.0])).numpy()
    array([5.72364943e-01, 5.90522042e+03])
    """
    return evaluated(xp, _log_gamma, double_first, x)


@special(double_first, derivative(lambda out, x: digamma(x)), reads=(0,), samples=unary(0.3, 12.0))
def loggamma(xp: Module, x: Array) -> Array:
    """Logarithm of `gamma(x)` of real `x`; nan where `x` is negative.

    >>> ag.special.loggamma(np.array([0.5, -0.5])).numpy()
    array([0.57236494,        nan])
    """
    return evaluated(xp, _log_gamma_of_positive, double_first, x)


@special(
    double_first,
    (
        lambda g, out, a, b: g * out * (digamma(a) - digamma(a + b)),
        lambda g, out, a, b: g * out * (digamma(b) - digamma(a + b)),
    ),
    inputs=2,
    reads=("out", 0, 1),
    samples=binary(0.3, 9.0, dtypes="f8,f8 f4,f4 f4,f8 i8,f8"),
)
def beta(xp: Module, a: Array, b: Array) -> Array:
    """`gamma(a) * gamma(b) / gamma(a + b)`, broadcast, without overflow.

    >>> ag.special.beta(np.array([0.5, 1000.0]), 2.0).numpy()
    array([1.33333333e+00, 9.99000999e-07])
    """
    return evaluated(xp, _beta, double_first, a, b)


@special(
    double_first,
    (
        lambda g, out, a, b: g * (digamma(a) - digamma(a + b)),
        lambda g, out, a, b: g * (digamma(b) - digamma(a + b)),
    ),
    inputs=2,
    reads=(0, 1),
    samples=binary(0.3, 9.0, dtypes="f8,f8 f4,f4 f4,f8 i8,f8"),
)
def betaln(xp: Module, a: Array, b: Array) -> Array:
    """Logarithm of the size of `beta(a, b)`, broadcast.

    >>> ag.special.betaln(np.array([0.5, 1000.0]), 2.0).numpy()
    array([  0.28768207, -13.81651006])
    """
    return evaluated(xp, log_beta_kernel, double_first, a, b)
