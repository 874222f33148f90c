"""Draws of the classical distributions, bit for bit the same wherever they are computed.

They are inverted, or candidates are refused, with the logarithm of `exact`; see `random`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import Any, TypeAlias

import numpy as np

from runtime.ops.declaration.declare import always, no_gradient, op
from runtime.ops.declaration.operands import Array, Module, decode_shape
from runtime.ops.random.draws import (
    ATTEMPTS,
    COUNTER,
    KEY,
    by_shape,
    checked_probabilities,
    draw_type,
    filled,
    fraction,
    of_bits,
    samples,
    width_of,
)
from runtime.ops.random.philox import BOOST, pairs, pieces, plus, words_at
from runtime.ops.special_functions import exact
from runtime.spec import Dim

__all__ = [
    "LARGEST_MEAN",
    "LARGE_MEAN",
    "RAREST",
    "Hat",
    "Trials",
    "cube",
    "exponential",
    "is_good",
    "is_surely_good",
    "may_be_good",
    "no_success",
    "parts_of_normal",
    "random_binomial",
    "random_exponential",
    "random_gamma",
    "random_normal",
    "random_poisson",
    "random_truncated_normal",
    "standard_normal",
    "truncated_normal",
]

_F8, _F4, _F2 = np.dtype("f8"), np.dtype("f4"), np.dtype("f2")
_I8 = np.dtype("i8")

# Of the positions of draws, and two random words for each: candidates, and which of them are good.
Proposal: TypeAlias = Callable[[Array, Array, Array], tuple[Array, Array]]


# ---- continuous distributions ------------------------------------------------------------------


def standard_normal(xp: Module, bits: Array, dtype: np.dtype[Any]) -> Array:
    """Standard normal numbers, by inversion: up to 9.1 (float32 and float16: 6.3) and never 0."""
    # The first bit is the sign, the others the distance from the centre, in probability.
    width = width_of(dtype)
    most = (1 << (width - 1)) - 1
    distance = bits & most
    p, q = fraction(most - distance, width), fraction(distance, width)
    z = exact.normal_quantile(xp, p, q)
    z *= 1.0 - 2.0 * (bits >> (width - 1))
    return z


random_normal = of_bits("random_normal", standard_normal, samples(_F8, _F4, _F2))


@op(
    inputs=None,
    infer=draw_type,
    vjp=no_gradient,
    raises=by_shape,
    samples=samples(_F8, _F4, low=-2.0, high=1.0),
)
def random_truncated_normal(
    xp: Module,
    key: Array,
    counter: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    dtype: np.dtype[Any],
    low: float,
    high: float,
) -> Array:
    """Standard normal numbers given that they lie in [low, high], by inversion."""

    def make(bits: Array) -> Array:
        return truncated_normal(xp, bits, dtype, low, high)

    return filled(xp, key, counter, decode_shape(shape, dims), dtype, make)


def truncated_normal(
    xp: Module, bits: Array, dtype: np.dtype[Any], low: float, high: float
) -> Array:
    """The number below which there are as many of those within the bounds as the bits say."""
    width = width_of(dtype)
    sign, bottom, top, below, mass, above = parts_of_normal(low, high)
    left = below + mass * fraction(bits, width)
    right = above + mass * fraction((1 << width) - 1 - bits, width)
    p = xp.minimum(left, right)
    z = exact.normal_quantile(xp, p, 0.5 - p)
    return sign * xp.clip(xp.where(left < right, -z, z), bottom, top)


def parts_of_normal(low: float, high: float) -> tuple[float, float, float, float, float, float]:
    """A sign, two bounds, and the probabilities of less, of what lies between them, and of more.

    Probabilities are told apart in the lower tail: an interval above 0 is mirrored.
    """
    sign = -1.0 if low > 0 else 1.0
    bottom, top = (-high, -low) if low > 0 else (low, high)
    below, above = _tail(-bottom), _tail(top)
    return sign, bottom, top, below, _tail(-top) - below, above


def _tail(x: float) -> float:
    """Probability that a standard normal number is above `x`."""
    return 0.5 * math.erfc(x / math.sqrt(2))


def exponential(xp: Module, bits: Array, dtype: np.dtype[Any]) -> Array:
    """Exponential numbers of mean 1, by inversion: up to 45 (float32 and float16: 22.9)."""
    # The bits are the probability of more.
    return 0.0 - exact.log(xp, fraction(bits, width_of(dtype)))


random_exponential = of_bits("random_exponential", exponential, samples(_F8, _F4, _F2))


def _spread(
    xp: Module, x: Array, sizes: tuple[int, ...], name: str, limit: float, zero: bool
) -> Array:
    """A parameter as a flat float64 array with an element per draw."""
    x = xp.asarray(x).astype(np.float64)
    wrong = ~((x >= 0 if zero else x > 0) & (x < limit))
    if bool(wrong.any()):
        bound = "0 or more" if zero else "above 0"
        found = x.reshape(-1)[wrong.reshape(-1)][0]
        raise ValueError(f"{name} must be {bound} and below {limit:.4g}, but one is {found}")
    return xp.broadcast_to(x, sizes).reshape(-1)


@op(
    inputs=None,
    infer=draw_type,
    raises=always,
    samples=lambda: (
        ((KEY, COUNTER, np.float64(2.5)), {"shape": (40,), "dtype": _F8}),
        ((KEY, COUNTER, np.array([0.3, 1.0, 50.0])), {"shape": (20, 3), "dtype": _F8}),
        ((KEY, COUNTER, np.float32(0.5), 3), {"shape": (None, 2), "dtype": _F4}),
        ((KEY, COUNTER, np.float64(2.5)), {"shape": (), "dtype": _F8}),
        ((KEY, COUNTER, np.float64(2.5)), {"shape": (0, 2), "dtype": _F8}),
    ),
)
def random_gamma(
    xp: Module,
    key: Array,
    counter: Array,
    alpha: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    dtype: np.dtype[Any],
) -> Array:
    """Numbers of the gamma distribution of shape parameter `alpha` and scale 1; a block for each.

    G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).
    Below 1, a draw for `alpha + 1` is multiplied by `u**(1 / alpha)`.
    """
    sizes = decode_shape(shape, dims)
    alpha = _spread(xp, alpha, sizes, "alpha", math.inf, zero=False)
    out = xp.empty(alpha.size, dtype)
    for part in pieces(xp, alpha.size):
        out[part] = _gammas(xp, key, plus(counter, part.start), alpha[part])
    return out.reshape(sizes)


def _gammas(xp: Module, key: Array, counter: Array, alpha: Array) -> Array:
    small = alpha < 1
    d = xp.where(small, alpha + 1.0, alpha) - 1.0 / 3.0
    result = d * _cubes(xp, key, counter, d)
    where = xp.nonzero(small)[0]
    if where.size:
        block = words_at(xp, key, counter, where.astype(np.uint64), 0, BOOST)
        logarithm = exact.log(xp, fraction(pairs(block)[0], 64)) / alpha[where]
        result[where] *= exact.exp(xp, logarithm)
    return result


def cube(xp: Module, c: Array, bits: Array) -> tuple[Array, Array, Array]:
    """Of a normal number x: whether `1 + c x` is positive, its cube, and the square of x."""
    x = standard_normal(xp, bits, _F8)
    t = 1.0 + c * x
    v = xp.maximum(t, 2.0**-60)
    return t > 0, v * v * v, x * x


def is_surely_good(u: Array, square: Array) -> Array:
    """Whether a cube is good, as most of the good ones tell at once."""
    return u < 1.0 - 0.0331 * square * square


def is_good(xp: Module, u: Array, square: Array, d: Array, v: Array) -> Array:
    """Whether a cube is good."""
    return exact.log(xp, u) < 0.5 * square + d * (1.0 - v + exact.log(xp, v))


def _cubes(xp: Module, key: Array, counter: Array, d: Array) -> Array:
    """The `v = (1 + c x)**3` of Marsaglia and Tsang, one per element of `d`."""
    c = 1.0 / xp.sqrt(9.0 * d)

    def propose(i: Array, first: Array, second: Array) -> tuple[Array, Array]:
        is_positive, v, square = cube(xp, c[i], first)
        u = fraction(second, 64)
        good = is_positive & is_surely_good(u, square)
        unsure = xp.nonzero(is_positive & ~good)[0]
        at = i[unsure]
        good[unsure] = is_good(xp, u[unsure], square[unsure], d[at], v[unsure])
        return v, good

    return _accepted(xp, key, counter, xp.arange(d.size), propose)


def _accepted(xp: Module, key: Array, counter: Array, blocks: Array, propose: Proposal) -> Array:
    """A number for each block, by rejection: drawn from it again until it is good."""
    accepted = xp.empty(blocks.size, np.float64)
    left = xp.arange(blocks.size)
    for attempt in range(ATTEMPTS):
        if left.size == 0:
            break
        words = words_at(xp, key, counter, blocks[left].astype(np.uint64), attempt)
        accepted[left], good = propose(left, *pairs(words))
        left = left[~good]
    return accepted


# ---- counts ------------------------------------------------------------------------------------

# Above this mean candidates are drawn and refused; below, probabilities are summed up.
LARGE_MEAN = 10.0
LARGEST_MEAN = 2.0**62
# What is rarer does not count.
RAREST = 2.0**-60


@op(
    inputs=None,
    infer=draw_type,
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((KEY, COUNTER, np.float64(2.5)), {"shape": (40,), "dtype": _I8}),
        ((KEY, COUNTER, np.array([0.0, 9.0, 50.0])), {"shape": (20, 3), "dtype": _I8}),
        ((KEY, COUNTER, np.float32(70), 3), {"shape": (None, 2), "dtype": np.dtype("i4")}),
        ((KEY, COUNTER, np.float64(2.5)), {"shape": (), "dtype": _F8}),
        ((KEY, COUNTER, np.float64(2.5)), {"shape": (0, 2), "dtype": _I8}),
    ),
)
def random_poisson(
    xp: Module,
    key: Array,
    counter: Array,
    lam: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    dtype: np.dtype[Any],
) -> Array:
    """Numbers of the Poisson distribution of mean `lam`; a block for each.

    By inversion below 10, else W. Hörmann, "The transformed rejection method for generating Poisson
    random variables", Insurance: Mathematics and Economics 12 (1993), PTRS.
    """
    sizes = decode_shape(shape, dims)
    lam = _spread(xp, lam, sizes, "lam", LARGEST_MEAN, zero=True)
    out = xp.empty(lam.size, np.float64)
    for part in pieces(xp, lam.size):
        out[part] = _counts(xp, key, plus(counter, part.start), lam[part])
    if dtype.kind in "iu" and out.size and float(out.max()) > np.iinfo(dtype).max:
        raise ValueError(f"{dtype} cannot hold a draw of {out.max():.0f}")
    return out.astype(dtype).reshape(sizes)


def _counts(xp: Module, key: Array, counter: Array, lam: Array) -> Array:
    result = xp.empty(lam.size, np.float64)
    large = lam >= LARGE_MEAN
    for counts, chosen in ((_few, ~large), (_many, large)):
        where = xp.nonzero(chosen)[0]
        if where.size:
            result[where] = counts(xp, key, counter, lam[where], where)
    return result


def _few(xp: Module, key: Array, counter: Array, lam: Array, where: Array) -> Array:
    return _inverted(xp, key, counter, where, exact.exp(xp, -lam), lambda n: lam / n)


def _inverted(
    xp: Module, key: Array, counter: Array, where: Array, probability: Array,
    ratio: Callable[[int], Array],
) -> Array:  # fmt: skip
    """The first count at which the summed probabilities exceed a uniform number.

    Given are those of 0, and how many times as likely n is as n - 1.
    """
    block = words_at(xp, key, counter, where.astype(np.uint64), 0)
    u = fraction(pairs(block)[0] >> 12, 52)
    total = probability.copy()
    counts = xp.zeros(where.size, np.float64)
    # Sums of probabilities may end below 1: what is too rare to count for them is left out.
    for n in range(1, 100):
        more = (u > total) & (probability > RAREST)
        if not bool(more.any()):
            break
        counts += more
        probability = probability * ratio(n)
        total += probability
    return counts


class Hat:
    """What candidates of a mean are drawn and refused by."""

    def __init__(self, xp: Module, lam: Array) -> None:
        self.xp, self.lam, self.logarithm = xp, lam, exact.log(xp, lam)
        self.b = 0.931 + 2.53 * xp.sqrt(lam)
        self.a = -0.059 + 0.02483 * self.b
        self.inverse_alpha = 1.1239 + 1.1328 / (self.b - 3.4)
        self.least = 0.9277 - 3.6224 / (self.b - 2.0)

    def at(self, i: Array) -> Hat:
        """Those of some of the means."""
        made = copy(self)
        for name in ("lam", "logarithm", "b", "a", "inverse_alpha", "least"):
            setattr(made, name, getattr(self, name)[i])
        return made

    def candidate(self, u: Array) -> tuple[Array, Array]:
        """How near the edge a number within -1/2 and 1/2 is, and the count that it stands for."""
        xp = self.xp
        edge = xp.maximum(0.5 - xp.abs(u), 2.0**-60)
        return edge, xp.floor((2.0 * self.a / edge + self.b) * u + self.lam + 0.43)

    def is_surely_good(self, edge: Array, v: Array) -> Array:
        """Whether a candidate is good, as most of the good ones tell at once."""
        return (edge >= 0.07) & (v <= self.least)

    def is_good(self, edge: Array, v: Array, n: Array) -> Array:
        """Whether a candidate is good."""
        xp = self.xp
        bound = exact.log(xp, self.inverse_alpha * v / (self.a / (edge * edge) + self.b))
        return bound <= n * self.logarithm - self.lam - exact.log_factorial(xp, n)


def may_be_good(edge: Array, v: Array, k: Array) -> Array:
    """Whether a candidate is to be looked at."""
    return (k >= 0) & ((edge >= 0.013) | (v <= edge))


def _many(xp: Module, key: Array, counter: Array, lam: Array, where: Array) -> Array:
    hat = Hat(xp, lam)

    def propose(i: Array, first: Array, second: Array) -> tuple[Array, Array]:
        u, v = fraction(first, 64) - 0.5, fraction(second, 64)
        own = hat.at(i)
        edge, k = own.candidate(u)
        good = own.is_surely_good(edge, v)
        unsure = xp.nonzero(~good & may_be_good(edge, v, k))[0]
        good[unsure] = own.at(unsure).is_good(edge[unsure], v[unsure], k[unsure])
        return xp.maximum(k, 0.0), good

    return _accepted(xp, key, counter, where, propose)


@op(
    inputs=None,
    infer=draw_type,
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((KEY, COUNTER, np.float64(9), np.float64(0.3)), {"shape": (40,), "dtype": _I8}),
        (
            (KEY, COUNTER, np.array([0, 20, 90]), np.array([0.5, 0.9, 0.25])),
            {"shape": (20, 3), "dtype": _I8},
        ),
        ((KEY, COUNTER, np.float64(70), 0.5, 3), {"shape": (None, 2), "dtype": _F4}),
        ((KEY, COUNTER, np.float64(9), np.float64(1)), {"shape": (), "dtype": _I8}),
        ((KEY, COUNTER, np.float64(9), np.float64(0)), {"shape": (0, 2), "dtype": _I8}),
    ),
)
def random_binomial(
    xp: Module,
    key: Array,
    counter: Array,
    n: Array,
    p: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    dtype: np.dtype[Any],
) -> Array:
    """How many of `n` trials succeed, each with probability `p`; a block for each draw.

    By inversion where fewer than 10 are to be expected, else W. Hörmann, "The generation of
    binomial random variates", J. Stat. Comput. Simul. 46 (1993), BTRS.
    """
    sizes = decode_shape(shape, dims)
    n = _spread(xp, n, sizes, "n", _LARGEST_COUNT, zero=True)
    p = xp.broadcast_to(checked_probabilities(xp, p), sizes).reshape(-1)
    if bool((n != xp.floor(n)).any()):
        raise ValueError("n must be whole numbers")
    if dtype.kind in "iu" and n.size and float(n.max()) > np.iinfo(dtype).max:
        raise ValueError(f"{dtype} cannot hold a draw out of {n.max():.0f}")
    out = xp.empty(n.size, np.float64)
    rare = xp.minimum(p, 1.0 - p)
    for part in pieces(xp, n.size):
        out[part] = _successes(xp, key, plus(counter, part.start), n[part], rare[part])
    return xp.where(p > 0.5, n - out, out).astype(dtype).reshape(sizes)


# Whole numbers up to here are floats.
_LARGEST_COUNT = 2.0**53


def _successes(xp: Module, key: Array, counter: Array, n: Array, p: Array) -> Array:
    """Draws for a `p` of at most one half."""
    result = xp.empty(n.size, np.float64)
    large = n * p >= LARGE_MEAN
    for draw, chosen in ((_few_successes, ~large), (_many_successes, large)):
        where = xp.nonzero(chosen)[0]
        if where.size:
            result[where] = draw(xp, key, counter, n[where], p[where], where)
    return result


def _few_successes(
    xp: Module, key: Array, counter: Array, n: Array, p: Array, where: Array
) -> Array:
    odds = p / (1.0 - p)

    def ratio(k: int) -> Array:
        return odds * xp.maximum(n - k + 1, 0.0) / k

    return _inverted(xp, key, counter, where, no_success(xp, n, p), ratio)


def no_success(xp: Module, n: Array, p: Array) -> Array:
    """The probability that none of `n` trials succeeds."""
    # log(1 - p), whose series takes over where 1 - p has lost digits of p.
    series = -p * (1.0 + p * (0.5 + p * (1 / 3 + p * 0.25)))
    logarithm = xp.where(p < 1e-4, series, exact.log(xp, 1.0 - p))
    return exact.exp(xp, n * logarithm)


class Trials:
    """What candidates of a count of successes are drawn and refused by."""

    def __init__(self, xp: Module, n: Array, p: Array) -> None:
        self.xp, self.n, self.p = xp, n, p
        root = xp.sqrt(n * p * (1.0 - p))
        self.b = 1.15 + 2.53 * root
        self.a = -0.0873 + 0.0248 * self.b + 0.01 * p
        self.alpha = (2.83 + 5.1 / self.b) * root
        self.least = 0.92 - 4.2 / self.b
        self.mode = xp.floor((n + 1.0) * p)
        self.logarithm = exact.log(xp, p / (1.0 - p))
        factorials = (exact.log_factorial(xp, m) for m in (self.mode, n - self.mode))
        self.most = sum(factorials, 0.0)

    def at(self, i: Array) -> Trials:
        """Those of some of the counts."""
        made = copy(self)
        for name in ("n", "p", "b", "a", "alpha", "least", "mode", "logarithm", "most"):
            setattr(made, name, getattr(self, name)[i])
        return made

    def candidate(self, u: Array) -> tuple[Array, Array, Array]:
        """How near the edge a number within -1/2 and 1/2 is, its count, and whether it is one."""
        xp = self.xp
        edge = xp.maximum(0.5 - xp.abs(u), 2.0**-60)
        k = xp.floor((2.0 * self.a / edge + self.b) * u + self.n * self.p + 0.5)
        is_count = (k >= 0) & (k <= self.n)
        return edge, xp.where(is_count, k, 0.0), is_count

    def is_surely_good(self, edge: Array, v: Array) -> Array:
        """Whether a candidate is good, as most of the good ones tell at once."""
        return (edge >= 0.07) & (v <= self.least)

    def is_good(self, edge: Array, v: Array, k: Array) -> Array:
        """Whether a candidate is good."""
        xp = self.xp
        bound = exact.log(xp, self.alpha * v / (self.a / (edge * edge) + self.b))
        less = exact.log_factorial(xp, k) + exact.log_factorial(xp, self.n - k)
        return bound <= self.most - less + (k - self.mode) * self.logarithm


def _many_successes(
    xp: Module, key: Array, counter: Array, n: Array, p: Array, where: Array
) -> Array:
    trials = Trials(xp, n, p)

    def propose(i: Array, first: Array, second: Array) -> tuple[Array, Array]:
        u, v = fraction(first, 64) - 0.5, fraction(second, 64)
        own = trials.at(i)
        edge, k, is_count = own.candidate(u)
        good = is_count & own.is_surely_good(edge, v)
        unsure = xp.nonzero(is_count & ~good)[0]
        good[unsure] = own.at(unsure).is_good(edge[unsure], v[unsure], k[unsure])
        return k, good

    return _accepted(xp, key, counter, where, propose)
