"""Functions of probabilities and of residuals: logarithms with weights, entropies, losses.

They are what `scipy.special` calls by these names, values at the edges of their domains included.
"""

from __future__ import annotations

import math
from typing import Any

from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import binary, unary
from runtime.ops.elementwise.arithmetic import abs as abs_
from runtime.ops.elementwise.arithmetic import sign
from runtime.ops.elementwise.comparison import equal, less_equal
from runtime.ops.elementwise.exponential import exp, expm1, log, log1p, sqrt
from runtime.ops.elementwise.rules import derivative, typed_slope
from runtime.ops.elementwise.selection import where_
from runtime.ops.special_functions.special_types import (
    double_first,
    evaluated,
    single_first,
    special,
)

__all__ = [
    "boxcox",
    "entr",
    "expit",
    "huber",
    "inv_boxcox",
    "kl_div",
    "log_expit",
    "logit",
    "pseudo_huber",
    "rel_entr",
    "xlog1py",
    "xlogy",
]


def _weighted(x: Any, y: Any) -> Any:
    """`x / y`, which is 0 where `x` is."""
    is_zero = equal(x, 0)
    return where_(is_zero, 0, x / where_(is_zero, 1, y))


def _beside(x: Any, y: Any, edge: float) -> Any:
    """`y`, but 1 above the edge of the logarithm's domain where `x` is 0 and `y` not within."""
    return where_((x == 0) & (y <= edge), edge + 1, y)


def _ratio(x: Any, y: Any) -> Any:
    """`x / y`, and 1 where both are 0."""
    is_edge = (x == 0) & (y == 0)
    return where_(is_edge, 1, x / where_(is_edge, 1, y))


# ---- logarithms with weights -------------------------------------------------------------------


def _xlogy(xp: Module, x: Array, y: Array) -> Array:
    return xp.where((x == 0) & ~xp.isnan(y), 0.0, x * xp.log(y))


@special(
    double_first,
    (
        typed_slope(lambda out, x, y: log(_beside(x, y, 0))),
        typed_slope(lambda out, x, y: _weighted(x, y)),
    ),
    inputs=2,
    reads=(0, 1),
    samples=binary(0.3, 4.0, dtypes="f8,f8 f4,f4 f4,f8 i8,f8"),
)
def xlogy(xp: Module, x: Array, y: Array) -> Array:
    """`x * log(y)`, which is 0 where `x` is 0.

    >>> ag.special.xlogy(np.array([0.0, 2.0]), np.array([0.0, 1.0])).numpy()
    array([0., 0.])
    """
    return evaluated(xp, _xlogy, double_first, x, y)


def _xlog1py(xp: Module, x: Array, y: Array) -> Array:
    return xp.where((x == 0) & ~xp.isnan(y), 0.0, x * xp.log1p(y))


@special(
    double_first,
    (
        typed_slope(lambda out, x, y: log1p(_beside(x, y, -1))),
        typed_slope(lambda out, x, y: _weighted(x, 1 + y)),
    ),
    inputs=2,
    reads=(0, 1),
    samples=binary(0.3, 4.0, dtypes="f8,f8 f4,f4 f4,f8 i8,f8"),
)
def xlog1py(xp: Module, x: Array, y: Array) -> Array:
    """`x * log(1 + y)`, which is 0 where `x` is 0.

    >>> ag.special.xlog1py(np.array([0.0, 2.0]), np.array([-1.0, 1e-20])).numpy()
    array([0.e+00, 2.e-20])
    """
    return evaluated(xp, _xlog1py, double_first, x, y)


# ---- entropies ---------------------------------------------------------------------------------


def _entr(xp: Module, x: Array) -> Array:
    inside = -x * xp.log(xp.where(x > 0, x, 1.0))
    found = xp.where(x > 0, inside, xp.where(x == 0, 0.0, -math.inf))
    return xp.where(xp.isnan(x), x, found)


@special(single_first, derivative(lambda out, x: -log(x) - 1), reads=(0,), samples=unary(0.2, 4.0))
def entr(xp: Module, x: Array) -> Array:
    """`-x * log(x)`; 0 at 0, and -inf where `x` is negative.

    >>> ag.special.entr(np.array([0.0, 0.5, -1.0])).numpy()
    array([0.        , 0.34657359,       -inf])
    """
    return evaluated(xp, _entr, single_first, x)


def _log_ratio(xp: Module, x: Array, y: Array) -> Array:
    """ln(x / y), where neither the ratio nor a difference of logarithms loses digits."""
    ratio = x / y
    near = xp.where(
        (ratio > 0.5) & (ratio < 2), xp.log1p((x - y) / xp.where(y > 0, y, 1.0)), xp.log(ratio)
    )
    is_safe = (ratio > 1e-300) & (ratio < 1e300)
    return xp.where(is_safe, near, xp.log(x) - xp.log(y))


def _rel_entr(xp: Module, x: Array, y: Array) -> Array:
    inside = (x > 0) & (y > 0)
    found = x * _log_ratio(xp, xp.where(inside, x, 1.0), xp.where(inside, y, 1.0))
    edge = xp.where((x == 0) & (y >= 0), 0.0, math.inf)
    found = xp.where(inside, found, edge)
    return xp.where(xp.isnan(x) | xp.isnan(y), math.nan, found)


@special(
    single_first,
    (
        typed_slope(lambda out, x, y: log(_ratio(x, y)) + 1),
        typed_slope(lambda out, x, y: -_weighted(x, y)),
    ),
    inputs=2,
    reads=(0, 1),
    samples=binary(0.3, 4.0, dtypes="f8,f8 f4,f4 f4,f8 i8,f8"),
)
def rel_entr(xp: Module, x: Array, y: Array) -> Array:
    """`x * log(x / y)`; 0 where `x` is 0, inf outside of the domain.

    >>> ag.special.rel_entr(np.array([0.0, 2.0, 1.0]), np.array([0.0, 1.0, -1.0])).numpy()
    array([0.        , 1.38629436,        inf])
    """
    return evaluated(xp, _rel_entr, single_first, x, y)


def _kl_div(xp: Module, x: Array, y: Array) -> Array:
    inside = (x > 0) & (y > 0)
    found = xp.where(inside, _rel_entr(xp, x, y) - x + y, math.inf)
    found = xp.where((x == 0) & (y >= 0), y, found)
    return xp.where(xp.isnan(x) | xp.isnan(y), math.nan, found)


@special(
    single_first,
    (
        typed_slope(lambda out, x, y: log(_ratio(x, y))),
        typed_slope(lambda out, x, y: 1 - _weighted(x, y)),
    ),
    inputs=2,
    reads=(0, 1),
    samples=binary(0.3, 4.0, dtypes="f8,f8 f4,f4 f4,f8 i8,f8"),
)
def kl_div(xp: Module, x: Array, y: Array) -> Array:
    """`x * log(x / y) - x + y`; `y` where `x` is 0, inf outside of the domain.

    >>> ag.special.kl_div(np.array([0.0, 2.0, 1.0]), np.array([3.0, 1.0, -1.0])).numpy()
    array([3.        , 0.38629436,        inf])
    """
    return evaluated(xp, _kl_div, single_first, x, y)


# ---- the logistic function ---------------------------------------------------------------------


def _expit(xp: Module, x: Array) -> Array:
    small = xp.exp(-xp.abs(x))
    return xp.where(x < 0, small, 1.0 + 0.0 * small) / (1 + small)


def _slope_of_expit(out: Any, x: Any) -> Any:
    return out * expit(-x)


@special(double_first, derivative(_slope_of_expit), reads=("out", 0), samples=unary(-3.0, 3.0))
def expit(xp: Module, x: Array) -> Array:
    """The logistic function `1 / (1 + exp(-x))`, without overflow.

    >>> ag.special.expit(np.array([-1000.0, 0.0, 1.0])).numpy()
    array([0.        , 0.5       , 0.73105858])
    """
    return evaluated(xp, _expit, double_first, x)


def _logit(xp: Module, x: Array) -> Array:
    # Near 1/2 as the difference of two logarithms near 0, which keeps its digits.
    s = 2 * (x - 0.5)
    centre = xp.log1p(s) - xp.log1p(-s)
    return xp.where((x > 0.3) & (x < 0.65), centre, xp.log(x / (1 - x)))


@special(
    double_first,
    derivative(lambda out, x: 1 / (x * (1 - x))),
    reads=(0,),
    samples=unary(0.1, 0.9, dtypes="f8 f4"),
)
def logit(xp: Module, x: Array) -> Array:
    """`log(x / (1 - x))`, the inverse of `expit`; nan outside of [0, 1].

    >>> ag.special.logit(np.array([0.0, 0.5, 0.75])).numpy()
    array([      -inf, 0.        , 1.09861229])
    """
    return evaluated(xp, _logit, double_first, x)


def _log_expit(xp: Module, x: Array) -> Array:
    rest = xp.log1p(xp.exp(-xp.abs(x)))
    return xp.where(x < 0, x - rest, -rest)


@special(double_first, derivative(lambda out, x: expit(-x)), reads=(0,), samples=unary(-3.0, 3.0))
def log_expit(xp: Module, x: Array) -> Array:
    """Logarithm of `expit(x)`, precise at both ends.

    >>> ag.special.log_expit(np.array([-1000.0, 0.0])).numpy()
    array([-1.00000000e+03, -6.93147181e-01])
    """
    return evaluated(xp, _log_expit, double_first, x)


# ---- transformations of Box and Cox ------------------------------------------------------------

# G. Box and D. Cox, "An analysis of transformations", Journal of the Royal Statistical Society B 26
# (1964), 211-252.

_SMALL = 1e-3


def _boxcox(xp: Module, x: Array, power: Array) -> Array:
    logarithm = xp.log(x)
    exponent = power * logarithm
    is_zero = xp.abs(power) < 1e-19
    safe = xp.where(is_zero, 1.0, power)
    large = xp.sign(safe) * xp.exp(exponent - xp.log(xp.abs(safe))) - 1 / safe
    found = xp.where(exponent < 709.78, xp.expm1(exponent) / safe, large)
    # At x = 0 a product of 0 and -inf decides nothing.
    return xp.where(is_zero, logarithm, found)


def _root_slope(x: Any, power: Any) -> Any:
    """`x ** (power - 1)`, and 0 where `x` is 0 in spite of an infinite one, as of a root."""
    return where_((x == 0) & (power > 0) & (power < 1), 0, x ** (power - 1))


def _boxcox_slope(out: Any, x: Any, power: Any) -> Any:
    is_edge = x == 0
    inside = where_(is_edge, 1, x)
    return where_(is_edge, _root_slope(x, power), exp(power * log(inside)) / inside)


def _boxcox_rate(out: Any, x: Any, power: Any) -> Any:
    is_edge = (x == 0) & (power > 0)
    logarithm = log(where_(is_edge, 1, x))
    safe = where_(is_edge, power, 1)
    inside = logarithm**2 * _second_order(power * logarithm)
    return where_(is_edge, 1 / (safe * safe), inside)


def _second_order(t: Any) -> Any:
    """`(t * exp(t) - exp(t) + 1) / t**2`, by its series near 0."""
    is_small = less_equal(abs_(t), _SMALL)
    safe = where_(is_small, 1, t)
    series = 0.5 + t * (1 / 3 + t * (0.125 + t * (1 / 30 + t / 144)))
    return where_(is_small, series, (safe * exp(safe) - expm1(safe)) / (safe * safe))


@special(
    single_first,
    (typed_slope(_boxcox_slope), typed_slope(_boxcox_rate)),
    inputs=2,
    reads=(0, 1),
    samples=binary(0.3, 4.0, dtypes="f8,f8 f4,f4 f4,f8 i8,f8", second=(-2.0, 2.0)),
)
def boxcox(xp: Module, x: Array, lmbda: Array) -> Array:
    """`(x**lmbda - 1) / lmbda`, which is `log(x)` for `lmbda` = 0.

    >>> ag.special.boxcox(np.array([1.0, 4.0]), np.array([0.0, 0.5])).numpy()
    array([0., 2.])
    """
    return evaluated(xp, _boxcox, single_first, x, lmbda)


def _inv_boxcox(xp: Module, y: Array, power: Array) -> Array:
    is_zero = power == 0
    safe = xp.where(is_zero, 1.0, power)
    scaled = safe * y
    usual = xp.exp(xp.log1p(scaled) / safe)
    large = xp.exp((xp.log(xp.sign(safe) * (y + 1 / safe)) + xp.log(xp.abs(safe))) / safe)
    return xp.where(is_zero, xp.exp(y), xp.where(scaled < 1.79e308, usual, large))


def _power_slope(y: Any, power: Any) -> Any:
    """The derivative of `log(1 + power * y) / power` with respect to `power`."""
    t = power * y
    is_small = less_equal(abs_(t), _SMALL)
    safe = where_(is_small, 1, t)
    series = -0.5 + t * (2 / 3 + t * (-0.75 + t * (0.8 - t * 5 / 6)))
    ratio = where_(is_small, series, (safe / (1 + safe) - log1p(safe)) / (safe * safe))
    return y * y * ratio


def _inverse_slope(out: Any, y: Any, power: Any) -> Any:
    base = 1 + power * y
    is_edge = base == 0
    exponent = 1 / where_(is_edge, power, 1)
    return where_(is_edge, _root_slope(base, exponent), out / where_(is_edge, 1, base))


@special(
    single_first,
    (
        typed_slope(_inverse_slope),
        typed_slope(lambda out, y, power: where_(out == 0, 0, out * _power_slope(y, power))),
    ),
    inputs=2,
    reads=("out", 0, 1),
    samples=binary(0.3, 1.5, dtypes="f8,f8 f4,f4 f4,f8 i8,f8", second=(-0.5, 2.0)),
)
def inv_boxcox(xp: Module, y: Array, lmbda: Array) -> Array:
    """`(1 + lmbda * y)**(1 / lmbda)`, which is `exp(y)` for `lmbda` = 0: the inverse of `boxcox`.

    >>> ag.special.inv_boxcox(np.array([0.0, 2.0]), np.array([0.0, 0.5])).numpy()
    array([1., 4.])
    """
    return evaluated(xp, _inv_boxcox, single_first, y, lmbda)


# ---- losses ------------------------------------------------------------------------------------


def _huber(xp: Module, delta: Array, r: Array) -> Array:
    size = xp.abs(r)
    found = xp.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return xp.where(delta < 0, math.inf, found)


def _clipped(r: Any, delta: Any) -> Any:
    return where_(less_equal(abs_(r), delta), r, delta * sign(r))


def _beyond(r: Any, delta: Any) -> Any:
    return where_(less_equal(abs_(r), delta), 0, abs_(r) - delta)


@special(
    single_first,
    (
        lambda g, out, delta, r: g * _beyond(r, delta),
        lambda g, out, delta, r: g * _clipped(r, delta),
    ),
    inputs=2,
    reads=(0, 1),
    samples=binary(0.5, 1.5, dtypes="f8,f8 f4,f4 f4,f8 i8,f8", second=(-4.0, 4.0)),
)
def huber(xp: Module, delta: Array, r: Array) -> Array:
    """Half of the square of `r` up to the size `delta`, linear beyond; inf for a negative `delta`.

    P. Huber, "Robust estimation of a location parameter", Annals of Statistics 53 (1964), 73-101.

    >>> ag.special.huber(1.0, np.array([0.5, -3.0])).numpy()
    array([0.125, 2.5  ])
    """
    return evaluated(xp, _huber, single_first, delta, r)


def _pseudo_huber(xp: Module, delta: Array, r: Array) -> Array:
    ratio = r / xp.where(delta > 0, delta, 1.0)
    found = delta * delta * xp.expm1(0.5 * xp.log1p(ratio * ratio))
    found = xp.where((delta == 0) | (r == 0), 0.0, found)
    return xp.where(delta < 0, math.inf, found)


def _root(delta: Any, r: Any) -> Any:
    return sqrt(1 + (r / delta) ** 2)


def _or_one(delta: Any) -> Any:
    return where_(delta == 0, 1, delta)


def _pseudo_huber_rate(out: Any, delta: Any, r: Any) -> Any:
    size = _or_one(delta)
    return where_(delta == 0, abs_(r), 2 * out / size - r * r / size / _root(size, r))


@special(
    single_first,
    (
        typed_slope(_pseudo_huber_rate),
        typed_slope(lambda out, delta, r: where_(delta == 0, 0, r / _root(_or_one(delta), r))),
    ),
    inputs=2,
    reads=("out", 0, 1),
    samples=binary(0.5, 1.5, dtypes="f8,f8 f4,f4 f4,f8 i8,f8", second=(-4.0, 4.0)),
)
def pseudo_huber(xp: Module, delta: Array, r: Array) -> Array:
    """`delta**2 * (sqrt(1 + (r / delta)**2) - 1)`: a smooth `huber`.

    >>> ag.special.pseudo_huber(1.0, np.array([0.0, 1.0])).numpy()
    array([0.        , 0.41421356])
    """
    return evaluated(xp, _pseudo_huber, single_first, delta, r)
