"""The incomplete gamma and beta functions, with their derivatives of all orders.

A tail is its first term, which is computed without cancellation (Stirling's formula where the
parameters are large), times an integral of a smooth function, taken by Gauss and Legendre's rule:
in `t = x (1 - r)` below, in `t = x (1 + r)` above. The recurrences by which a small parameter is
raised to that end (DLMF 8.8.5 and 8.17.20) add positive terms only. Derivatives by the parameters
are integrals of the same function, weighted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from runtime.ops.declaration.operands import Array, Module, Operand, dtype_of
from runtime.ops.declaration.samples import array as sample
from runtime.ops.declaration.samples import calls
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import exp, log, log1p
from runtime.ops.special_functions.entropies import xlog1py, xlogy
from runtime.ops.special_functions.gamma_functions import (
    betaln,
    gamma_correction,
    gamma_kernel,
    gammaln,
    log_beta_kernel,
    log_gamma_of_next,
    polygamma_at,
    polygamma_kernel,
)
from runtime.ops.special_functions.special_types import (
    double_first,
    evaluated,
    single_first,
    special,
)

__all__ = ["betainc", "betaincc", "gammainc", "gammaincc"]

# Parameters are raised to at least this, and by as many steps.
_RAISED = 12
# Integrands are taken to have ended where they are exp(-44) of what they are at the start.
_END = 44.0
_POINTS = 64
# So many integrals are taken at all nodes at once.
_FEW = 2048
# exp(-x) has all its digits up to here; its powers, to an exponent of less than the second, too.
_UNDERFLOW, _MODERATE = 700.0, 100.0


@functools.cache
def _rule() -> list[tuple[float, float]]:
    """Nodes in [0, 1] and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    return [(0.5 * (x + 1), 0.5 * w) for x, w in zip(nodes.tolist(), weights.tolist(), strict=True)]


def _less_its_logarithm(xp: Module, u: Array, above: Array = None) -> Array:
    """u - log(1 + u), precise where that is small; `above` is 1 + u, if it is known better."""
    is_small = xp.abs(u) < 0.5
    near = xp.where(is_small, u, 0.0)
    y = near / (2 + near)
    square = y * y
    series: Array = 0.0 * square
    for k in range(20, 0, -1):
        series = (series + 1 / (2 * k + 1)) * square
    logarithm = xp.log1p(xp.where(is_small, 0.0, u)) if above is None else xp.log(above)
    return xp.where(is_small, near * y - 2 * y * series, u - logarithm)


def _integrated(xp: Module, end: Array, integrand: Callable[[Array], Array]) -> Array:
    """The integral of `integrand(r)` from 0 to `end`; the same, bit for bit, for few and many."""
    rule, total = _rule(), 0.0 * end
    if end.size > _FEW:
        for node, weight in rule:
            total = total + weight * integrand(end * node)
        return total * end
    nodes = xp.asarray([node for node, _ in rule]).reshape(-1, *(1,) * end.ndim)
    for (_, weight), values in zip(rule, integrand(end * nodes), strict=True):
        total = total + weight * values
    return total * end


# ---- derivatives by parameters -------------------------------------------------------------------

# The derivative of order (i, j) of exp(g(a, b)) is exp(g) times a polynomial in those of g.
Slopes = Callable[[int, int], Any]


def _polynomial(g: Slopes, i: int, j: int) -> Any:
    """Bell's polynomial of two indices, where g(p, q) is the derivative of order (p, q)."""
    if i == j == 0:
        return 1.0
    total: Any = 0.0
    if i == 0:
        for q in range(j):
            total = total + math.comb(j - 1, q) * _polynomial(g, 0, j - 1 - q) * g(0, q + 1)
        return total
    for p in range(i):
        for q in range(j + 1):
            count = math.comb(i - 1, p) * math.comb(j, q)
            total = total + count * _polynomial(g, i - 1 - p, j - q) * g(p + 1, q)
    return total


def _gamma_slopes(first: Any, a: Any, polygamma: Callable[[int, Any], Any]) -> Slopes:
    """Those of a log(t) - ln(gamma(a)), `first` being log(t)."""
    known = functools.cache(lambda n: polygamma(n, a))
    return lambda p, _: first - known(0) if p == 1 else -known(p - 1)


def _beta_slopes(
    first: Any, second: Any, a: Any, b: Any, both: Any, polygamma: Callable[[int, Any], Any]
) -> Slopes:
    """Those of a log(t) + b log(1 - t) + ln(gamma(a + b)) - ln(gamma(a)) - ln(gamma(b)).

    `first` and `second` are the logarithms, `both` is a + b.
    """
    of_a = functools.cache(lambda n: polygamma(n, a))
    of_b = functools.cache(lambda n: polygamma(n, b))
    of_both = functools.cache(lambda n: polygamma(n, both))

    def slope(p: int, q: int) -> Any:
        found = of_both(p + q - 1)
        if q == 0:
            found = found - of_a(p - 1) + (first if p == 1 else 0.0)
        if p == 0:
            found = found - of_b(q - 1) + (second if q == 1 else 0.0)
        return found

    return slope


# ---- the incomplete gamma function ---------------------------------------------------------------


def _gamma_term(xp: Module, a: Array, x: Array) -> Array:
    """x**a exp(-x) / gamma(a + 1)."""
    is_moderate, is_near = a < _MODERATE, x < _UNDERFLOW
    low, high = xp.where(is_moderate, a, 1.0), xp.where(is_moderate, _MODERATE, a)
    near = xp.where(is_near, x, 1.0) ** low * xp.exp(-x) / gamma_kernel(xp, low + 1)
    off = xp.exp(low * xp.log(x) - x - log_gamma_of_next(xp, low))
    exponent = high * _less_its_logarithm(xp, (x - high) / high, x / high)
    far = xp.exp(-exponent - gamma_correction(high)) / xp.sqrt(2 * math.pi * high)
    return xp.where(is_moderate, xp.where(is_near, near, off), far)


def _gamma_below(xp: Module, a: Array, x: Array, order: int) -> Array:
    """The part below `x`, for `x` below the larger of 1 and `a`."""
    term, total = _gamma_term(xp, a, x), 0.0 * x
    is_raised = a < _RAISED
    for k in range(_RAISED):
        slopes = _gamma_slopes(xp.log(x), a + (k + 1), functools.partial(polygamma_kernel, xp))
        total = total + xp.where(is_raised, term * _polynomial(slopes, order, 0), 0.0)
        term = xp.where(is_raised, term * (x / (a + (k + 1))), term)
    a = xp.where(is_raised, a + _RAISED, a)
    slope = a - x
    end = _end_below(xp, slope, a)
    polygammas = functools.cache(lambda n: polygamma_kernel(xp, n, a))

    def integrand(r: Array) -> Array:
        value = xp.exp(-slope * r - a * _less_its_logarithm(xp, -r)) / (1 - r)
        if order == 0:
            return value
        slopes = _gamma_slopes(xp.log(x) + xp.log1p(-r), a, lambda n, _: polygammas(n))
        return value * _polynomial(slopes, order, 0)

    return total + term * a * _integrated(xp, end, integrand)


def _end_below(xp: Module, slope: Array, a: Array) -> Array:
    """Beyond which `slope * r - a * (log(1 - r) + r)` is `_END` at least; at most 1."""
    return xp.minimum(2 * _END / (slope + xp.sqrt(slope * slope + 2 * _END * a)), 1.0)


def _gamma_above(xp: Module, a: Array, x: Array, order: int) -> Array:
    """The part above `x`, for `x` of at least 1 and `a`."""
    slope = x - a
    half, whole = slope - _END, 2 * x - a
    end = (xp.sqrt(half * half + 2 * _END * whole) - half) / whole
    polygammas = functools.cache(lambda n: polygamma_kernel(xp, n, a))

    def integrand(r: Array) -> Array:
        value = xp.exp(-slope * r - a * _less_its_logarithm(xp, r)) / (1 + r)
        if order == 0:
            return value
        slopes = _gamma_slopes(xp.log(x) + xp.log1p(r), a, lambda n, _: polygammas(n))
        return value * _polynomial(slopes, order, 0)

    return _gamma_term(xp, a, x) * a * _integrated(xp, end, integrand)


def _small_gamma_above(xp: Module, a: Array, x: Array) -> Array:
    """The part above `x`, both being less than 1 (DLMF 8.7.3)."""
    power = a * xp.log(x) - log_gamma_of_next(xp, a)
    series, term = 0.0 * x, 1.0
    for k in range(1, 24):
        term = term * (-x / k)
        series = series + term / (a + k)
    return -xp.expm1(power) - xp.exp(power) * a * series


def _gamma_part(xp: Module, a: Array, x: Array, order: int, upper: bool) -> Array:
    a, x = xp.broadcast_arrays(a, x)
    is_inside = (a > 0) & (x > 0) & (a < math.inf) & (x < math.inf)
    edge = _edge_of_gamma(xp, a, x, order)
    a, x = xp.where(is_inside, a, 1.0), xp.where(is_inside, x, 2.0)
    is_above = x >= xp.maximum(a, 1.0)
    above = below = 0.0
    if is_above.any():
        above = _gamma_above(xp, xp.where(is_above, a, 1.0), xp.where(is_above, x, 2.0), order)
    low, near = xp.where(is_above, 1.0, a), xp.where(is_above, 0.5, x)
    if not is_above.all():
        below = _gamma_below(xp, low, near, order)
    if order:
        found = xp.where(is_inside, xp.where(is_above, -above, below), edge)
        return -found if upper else found
    if not upper:
        return xp.where(is_inside, xp.where(is_above, 1 - above, below), edge)
    is_small = (low < 1) & (near < 1)
    small = _small_gamma_above(xp, xp.where(is_small, low, 0.5), xp.where(is_small, near, 0.5))
    above = xp.where(is_above, above, xp.where(is_small, small, 1 - below))
    return xp.where(is_inside, above, 1 - edge)


def _edge_of_gamma(xp: Module, a: Array, x: Array, order: int) -> Array:
    """The part below `x` where a parameter is 0, infinite, or none that there may be."""
    is_zero = ((x == 0) & (a > 0)) | ((a == math.inf) & (x >= 0) & (x < math.inf))
    is_whole = ((a == 0) & (x > 0)) | ((x == math.inf) & (a >= 0) & (a < math.inf))
    return xp.where(is_zero, 0.0, xp.where(is_whole, 0.0 if order else 1.0, math.nan))


def _gamma_density(a: Any, x: Any, order: int) -> Any:
    """The derivative of the part below `x` by `x`, and `order` times by `a`."""
    slopes = _gamma_slopes(log(x), a, lambda n, a: polygamma_at(a, n=n))
    return exp(xlogy(a - 1, x) - x - gammaln(a)) * _polynomial(slopes, order, 0)


def _gamma_slope(g: Any, out: Any, a: Any, x: Any, order: int, upper: bool) -> Any:
    return g * gamma_part(a, x, order=order + 1, upper=upper)


_GAMMAS = calls(
    lambda: (
        *(
            ((sample((6,), low=0.3, high=9.0), sample((6,), low=0.2, high=12.0, salt=1)), attrs)
            for attrs in ({}, {"upper": True}, {"order": 1}, {"order": 2, "upper": True})
        ),
        ((sample((2, 1), low=11.0, high=90.0), sample((3,), low=20.0, high=90.0)), {}),
        ((sample((4,), "f4", low=0.3, high=9.0), sample((4,), "f4", low=0.2, high=9.0)), {}),
        ((sample((4,), "i8", low=1, high=9), 2.5), {"upper": True}),
        ((2.5, sample((), low=0.3, high=9.0)), {}),
        ((sample((0, 2)), sample((2,))), {}),
    )
)


@special(
    double_first,
    (
        _gamma_slope,
        lambda g, out, a, x, order, upper: (-g if upper else g) * _gamma_density(a, x, order),
    ),
    inputs=2,
    reads=(0, 1),
    samples=_GAMMAS,
)
def gamma_part(xp: Module, a: Array, x: Array, order: int = 0, upper: bool = False) -> Array:
    """The part of gamma(a) below `x`, or above it, of 1; or its derivative by `a`."""
    kernel = functools.partial(_gamma_part, order=order, upper=upper)
    return evaluated(xp, kernel, double_first, a, x)


def gammainc(a: Operand, x: Operand, /) -> Any:
    """The integral of `t**(a - 1) * exp(-t)` from 0 to `x`, over `gamma(a)`; broadcast.

    It is nan where `a` or `x` is negative. It has gradients by both.

    >>> ag.special.gammainc(2.0, np.array([1.0, 5.0])).numpy()
    array([0.26424112, 0.95957232])
    """
    return gamma_part(a, x)


def gammaincc(a: Operand, x: Operand, /) -> Any:
    """`1 - gammainc(a, x)`, precise where that is small; broadcast.

    >>> ag.special.gammaincc(2.0, np.array([1.0, 50.0])).numpy()
    array([7.35758882e-01, 9.83662422e-21])
    """
    return gamma_part(a, x, upper=True)


# ---- the incomplete beta function ----------------------------------------------------------------


def _beta_term(xp: Module, a: Array, b: Array, x: Array, y: Array) -> Array:
    """x**a y**b / (a beta(a, b)), where y is 1 - x."""
    is_far = (a >= 10) & (b >= 10)
    large, other = xp.where(is_far, a, 10.0), xp.where(is_far, b, 10.0)
    both = large + other
    off = (other * x - large * y) / both  # how far x is from the mean
    parts = (x * both / large, y * both / other)
    exponent = large * _less_its_logarithm(xp, off * both / large, parts[0])
    exponent = exponent + other * _less_its_logarithm(xp, -off * both / other, parts[1])
    exponent = exponent + (gamma_correction(large) + gamma_correction(other))
    far = xp.exp(gamma_correction(both) - exponent) * xp.sqrt(other / large / both / (2 * math.pi))
    a, b = xp.where(is_far, 1.0, a), xp.where(is_far, 1.0, b)
    size = a * _log_of(xp, x, y) + b * _log_of(xp, y, x) - log_beta_kernel(xp, a, b)
    return xp.where(is_far, far, xp.exp(size) / a)


def _log_of(xp: Module, x: Array, rest: Array) -> Array:
    """log(x), where `rest` is 1 - x."""
    return xp.where(x < 0.5, xp.log(x), xp.log1p(-rest))


def _beta_below(xp: Module, given: list[Array], i: int, j: int) -> Array:
    """The part below x, for (a, b, x, 1 - x) with x not much above the mean; or its derivative.

    That is taken `i` times by a and `j` times by b.
    """
    a, b, x, y = given
    polygamma = functools.partial(polygamma_kernel, xp)
    first, second = _log_of(xp, x, y), _log_of(xp, y, x)
    term, total = _beta_term(xp, a, b, x, y), 0.0 * x
    is_raised = a < _RAISED
    for k in range(_RAISED):
        slopes = _beta_slopes(first, second, a + (k + 1), b, a + b + k, polygamma)
        total = total + xp.where(is_raised, term * _polynomial(slopes, i, j), 0.0)
        term = xp.where(is_raised, term * (x * ((a + b + k) / (a + (k + 1)))), term)
    a = xp.where(is_raised, a + _RAISED, a)
    odds = x / y
    slope = a - b * odds

    def exponent(r: Array) -> Array:
        own, other = _less_its_logarithm(xp, -r), _less_its_logarithm(xp, odds * r)
        return slope * r + (a * own + b * other)

    end = _end_below(xp, slope, a)
    for _ in range(3):  # it is still too far where `b` counts more: Newton's steps from there
        r = xp.minimum(end, 0.99)
        rise = slope + a * r / (1 - r) + b * odds * odds * r / (1 + odds * r)
        end = xp.where(end < 0.99, r - (exponent(r) - _END) / rise, end)
    known = {n: (polygamma(n, a), polygamma(n, b), polygamma(n, a + b)) for n in range(i + j)}

    def integrand(r: Array) -> Array:
        value = xp.exp(-exponent(r)) / ((1 - r) * (1 + odds * r))
        if i == j == 0:
            return value
        logs = first + xp.log1p(-r), second + xp.log1p(odds * r)
        slopes = _beta_slopes(*logs, 0, 1, 2, lambda n, which: known[n][which])
        return value * _polynomial(slopes, i, j)

    return total + term * (a / y) * _integrated(xp, end, integrand)


def _beta_part(xp: Module, a: Array, b: Array, x: Array, i: int, j: int, upper: bool) -> Array:
    a, b, x = xp.broadcast_arrays(a, b, x)
    is_inside = (a > 0) & (b > 0) & (a < math.inf) & (b < math.inf) & (x > 0) & (x < 1)
    edge = _edge_of_beta(xp, a, b, x, i + j)
    a, b = xp.where(is_inside, a, 1.0), xp.where(is_inside, b, 1.0)
    x = xp.where(is_inside, x, 0.25)
    is_above = x * (a + b + 2) > a + 1
    y, usual = 1 - x, (1.0, 1.0, 0.25, 0.75)
    above = below = 0.0
    if not is_above.all():
        given = [xp.where(is_above, n, v) for n, v in zip(usual, (a, b, x, y), strict=True)]
        below = _beta_below(xp, given, i, j)
    if is_above.any():
        given = [xp.where(is_above, v, n) for n, v in zip(usual, (b, a, y, x), strict=True)]
        above = _beta_below(xp, given, j, i)
    if i + j:
        found = xp.where(is_inside, xp.where(is_above, -above, below), edge)
        return -found if upper else found
    if upper:
        return xp.where(is_inside, xp.where(is_above, above, 1 - below), 1 - edge)
    return xp.where(is_inside, xp.where(is_above, 1 - above, below), edge)


def _edge_of_beta(xp: Module, a: Array, b: Array, x: Array, order: int) -> Array:
    """The part below `x` at the ends, where a parameter is 0, infinite, or none there may be."""
    is_one = (a >= 0) & (b >= 0) & (x >= 0) & (x <= 1)
    is_one &= ~((a == 0) & (b == 0)) & ~((a == math.inf) & (b == math.inf))
    is_whole = (x == 1) | ((x > 0) & ((a == 0) | (b == math.inf)))
    return xp.where(is_one, xp.where(is_whole, 0.0 if order else 1.0, 0.0), math.nan)


def _beta_density(given: Iterable[Any], i: int, j: int) -> Any:
    """The derivative of the part below `x` by `x`, `i` times by `a` and `j` times by `b`."""
    a, b, x = given
    slopes = _beta_slopes(log(x), log1p(-x), a, b, a + b, lambda n, a: polygamma_at(a, n=n))
    size = xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b)
    return exp(size) * _polynomial(slopes, i, j)


def _beta_rule(of_a: int, of_b: int) -> Callable[..., Any]:
    def rule(g: Any, out: Any, a: Any, b: Any, x: Any, i: int, j: int, upper: bool) -> Any:
        return g * beta_part(a, b, x, i=i + of_a, j=j + of_b, upper=upper)

    return rule


_BETAS = calls(
    lambda: (
        *(
            ((sample((6,), low=0.3, high=9.0), sample((6,), low=0.2, high=9.0, salt=1),
              sample((6,), low=0.05, high=0.95)), attrs)
            for attrs in ({}, {"upper": True}, {"i": 1}, {"j": 1, "upper": True}, {"i": 1, "j": 1})
        ),
        ((sample((2, 1), low=11.0, high=90.0), 30.0, sample((3,), low=0.1, high=0.9)), {}),
        ((sample((4,), "f4", 0.3, 9.0), np.float32(2), sample((4,), "f4", 0.1, 0.9)), {}),
        ((sample((4,), "i8", low=1, high=9), 2, 0.5), {"upper": True}),
        ((sample((0, 2)), 1.0, sample((2,))), {}),
    )
)  # fmt: skip


@special(
    single_first,
    (
        _beta_rule(1, 0),
        _beta_rule(0, 1),
        lambda g, out, *given, i, j, upper: (
            (-g if upper else g) * _beta_density((astype(v, dtype_of(out)) for v in given), i, j)
        ),
    ),
    inputs=3,
    reads=(0, 1, 2),
    samples=_BETAS,
)
def beta_part(
    xp: Module, a: Array, b: Array, x: Array, i: int = 0, j: int = 0, upper: bool = False
) -> Array:
    """The part of beta(a, b) below `x`, or above it, of 1; or its derivative by `a` and `b`."""
    kernel = functools.partial(_beta_part, i=i, j=j, upper=upper)
    return evaluated(xp, kernel, single_first, a, b, x)


def betainc(a: Operand, b: Operand, x: Operand, /) -> Any:
    """The integral of `t**(a - 1) * (1 - t)**(b - 1)` from 0 to `x`, over `beta(a, b)`; broadcast.

    It is nan for an `x` outside of [0, 1] and negative parameters. Where a parameter is far below
    1, small results are precise to 1e-14 of 1 only. It has gradients by all.

    >>> ag.special.betainc(2.0, 3.0, np.array([0.25, 0.5])).numpy()
    array([0.26171875, 0.6875    ])
    """
    return beta_part(a, b, x)


def betaincc(a: Operand, b: Operand, x: Operand, /) -> Any:
    """`1 - betainc(a, b, x)`, precise where that is small; broadcast.

    >>> ag.special.betaincc(2.0, 9.0, np.array([0.5, 0.999])).numpy()
    array([1.07421875e-02, 9.99100000e-27])
    """
    return beta_part(a, b, x, upper=True)
