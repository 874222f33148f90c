"""Hurwitz's and Riemann's zeta functions, and the derivatives of digamma of any orders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.declaration.internal import stop_gradient
from runtime.ops.declaration.operands import Array, Module, Operand, dtype_of
from runtime.ops.declaration.samples import array as sample
from runtime.ops.elementwise.comparison import equal, isfinite, logical_and
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import exp
from runtime.ops.elementwise.rounding import rint
from runtime.ops.elementwise.selection import where_
from runtime.ops.elementwise.trigonometric import sin
from runtime.ops.special_functions.gamma_functions import digamma, gamma, gammaln, hurwitz_sum
from runtime.ops.special_functions.special_types import evaluated, floating, single_first, special

__all__ = ["polygamma_of_orders", "zeta"]


def _zeta(xp: Module, s: Array, q: Array, order: int, continued: bool) -> Array:
    s, q = xp.broadcast_arrays(s, q)
    is_inside = (q > 0) & (q < math.inf) & (s < math.inf) & (s != 1) & ((s > 1) | continued)
    found = hurwitz_sum(xp, xp.where(is_inside, s, 2.0), xp.where(is_inside, q, 1.0), order)
    is_left = (q < 0) & (q != xp.floor(q)) & (s > 1) & (s == xp.floor(s)) & (s < math.inf)
    if is_left.any() and not order:
        left = _zeta_left(xp, xp.where(is_left, s, 2.0), xp.where(is_left, q, 1.0))
        found = xp.where(is_left, left, found)
        is_inside = is_inside | is_left
    return xp.where(is_inside, found, _edge(xp, s, q) if not order else math.nan)


def _zeta_left(xp: Module, s: Array, q: Array) -> Array:
    """The sum from a negative `q` on, which is no integer; `s` is one."""
    total: Array = 0.0
    while (q < 0).any():
        is_left = q < 0
        total = total + xp.where(is_left, xp.where(is_left, q, 1.0) ** -s, 0.0)
        q = xp.where(is_left, q + 1, q)
    return total + hurwitz_sum(xp, s, q)


def _edge(xp: Module, s: Array, q: Array) -> Array:
    """What SciPy gives at poles, at infinity, and where there is no such function."""
    is_pole = ~(s < 1) & (q <= 0) & (q == xp.floor(q))
    found = xp.where(is_pole, math.inf, math.nan)
    # SciPy has another formula from 1e8 on, which ends in 0 where its sum ends in nan.
    is_far = (q == math.inf) | ((s == math.inf) & (q > 1e8))
    found = xp.where((s > 1) & is_far, 0.0, found)
    found = xp.where((s == math.inf) & (q < 1), math.inf, found)
    found = xp.where((s == math.inf) & (q == 1), 1.0, found)
    return xp.where(s == 1, math.inf, found)


def _slope_by_exponent(g: Any, out: Any, s: Any, q: Any, order: int, continued: bool) -> Any:
    return g * zeta_part(s, q, order=order + 1, continued=continued)


def _slope_by_start(g: Any, out: Any, s: Any, q: Any, order: int, continued: bool) -> Any:
    """That of -s times the function of s + 1, `order` times by `s`."""
    found = -s * zeta_part(s + 1, q, order=order, continued=continued)
    if order:
        found = found - order * zeta_part(s + 1, q, order=order - 1, continued=continued)
    return g * found


@special(
    single_first,
    (_slope_by_exponent, _slope_by_start),
    inputs=2,
    reads=(0, 1),
    samples=lambda: (
        *(
            ((sample((6,), low=1.3, high=9.0), sample((6,), low=0.2, high=12.0, salt=1)), attrs)
            for attrs in ({}, {"order": 1}, {"order": 2})
        ),
        ((sample((3,), low=0.1, high=0.9), 1.0), {"continued": True}),
        ((sample((2, 1), "f4", 1.5, 4.0), sample((3,), "f4", 0.5, 4.0)), {}),
        ((2, sample((3,), "i8", low=1, high=9)), {}),
        ((sample((0, 2)), sample((2,))), {}),
    ),
)
def zeta_part(xp: Module, s: Array, q: Array, order: int = 0, continued: bool = False) -> Array:
    """The sum of (q + k)**-s over k = 0, 1, ..., or its derivative by `s`.

    It is nan for `s` below 1 unless it is continued to there.
    """
    return evaluated(xp, lambda xp, s, q: _zeta(xp, s, q, order, continued), single_first, s, q)


def zeta(x: Operand, q: Operand = None) -> Any:
    """The sum of `(q + k)**-x` over k = 0, 1, ..., Hurwitz's zeta function; broadcast.

    Without `q` it is Riemann's, with its continuation to numbers below 1. It is inf at poles and
    nan where the sum has no meaning. It has gradients by both.

    >>> ag.special.zeta(np.array([2.0, 0.0])).numpy()
    array([ 1.64493407, -0.5       ])
    >>> ag.special.zeta(np.array([2.0, 3.0]), 2.0).numpy()
    array([0.64493407, 0.2020569 ])
    """
    if q is not None:
        return zeta_part(x, q)
    own = dtype_of(floating(x))
    x = astype(x, np.float64)
    is_left = logical_and(x < 0, isfinite(x))
    right = zeta_part(where_(is_left, 1 - x, x), 1.0, continued=True)
    s = where_(is_left, x, -1.0)
    # sin(pi s / 2), which is 0 at the even integers.
    whole = rint(s / 2)
    sine = sin(math.pi * (s / 2 - whole)) * (1 - 2 * (whole % 2))
    size = exp(gammaln(1 - s) + (s - 1) * math.log(2 * math.pi))
    near = (2 * math.pi) ** (where_(s < -150, -150.0, s) - 1)
    size = where_(s < -150, size, near * gamma(where_(s < -150, 1.0, 1 - s)))
    return astype(where_(is_left, 2 * sine * size * right, right), own)


def polygamma_of_orders(n: Operand, x: Operand) -> Any:
    """The derivative of order `n` of `digamma(x)`, each with its own; no gradient by `n`."""
    n = stop_gradient(astype(n, np.float64))
    sign = where_(equal(n, rint(n)), 2 * (n % 2) - 1, math.nan)  # (-1)**(n + 1), where it is real
    higher = sign * gamma(n + 1) * zeta_part(where_(equal(n, 0), 2.0, n + 1), x)
    return where_(equal(n, 0), digamma(x), higher)
