"""Draws of the classical distributions in ONNX, out of the runtime's uniform and normal numbers.

They are the formulas of `runtime.ops.random.distributions`; what is refused there is drawn again
here, for all elements at once, until each has been good.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runtime.export.onnx.emitter import Emitter, Term
from runtime.namespace import namespace
from runtime.ops.declaration.operands import shape_of
from runtime.ops.random import distributions
from runtime.ops.random.draws import ATTEMPTS, random_uniform
from runtime.ops.special_functions import exact

__all__ = ["LAWS", "Draws", "Law"]

_F8 = np.dtype(np.float64)


class _Elementwise:
    """Our namespace for kernels that compute all elements alike."""

    def __getattr__(self, name: str) -> Any:
        if name == "nonzero":
            raise AttributeError(name)
        return getattr(namespace(), name)


_xp: Any = _Elementwise()


class Draws:
    """Where numbers come from, as many as `like` has elements, while a graph is traced."""

    def __init__(self, key: Any, block: Any, like: Any) -> None:
        (size,) = shape_of(like)
        self._source = (key, block, size)

    def uniform(self) -> Any:
        """Numbers above 0, up to 1."""
        return 1.0 - random_uniform(*self._source, shape=(None,), dtype=_F8)

    def normal(self) -> Any:
        """Standard normal numbers."""
        return distributions.random_normal(*self._source, shape=(None,), dtype=_F8)

    def accepted(self, propose: Callable[[], tuple[Any, Any]], like: Any) -> Any:
        """The first good one of the numbers that `propose` gives for each element."""

        def step(found: Any, is_good: Any) -> tuple[Any, Any]:
            number, good = propose()
            return _xp.where(is_good, found, number), is_good | good

        start = (_xp.zeros_like(like), _xp.zeros_like(like, dtype=np.bool_))
        found, _ = _xp.while_loop(
            lambda found, is_good: ~_xp.all(is_good), step, start, maximum_iterations=ATTEMPTS
        )
        return found

    def inverted(self, none: Any, ratio: Callable[[Any], Any]) -> Any:
        """The first count at which the summed probabilities exceed a uniform number.

        Given are those of 0, and how many times as likely n is as n - 1.
        """
        u = self.uniform()

        def more(probability: Any, total: Any) -> Any:
            return (u > total) & (probability > distributions.RAREST)

        def step(n: Any, counts: Any, probability: Any, total: Any) -> tuple[Any, ...]:
            counts = counts + _xp.astype(more(probability, total), _F8)
            probability = probability * ratio(n)
            return n + 1.0, counts, probability, total + probability

        start = (_xp.asarray(1.0), _xp.zeros_like(none), none, none)
        _, counts, _, _ = _xp.while_loop(
            lambda n, counts, *rest: _xp.any(more(*rest)), step, start, maximum_iterations=100
        )
        return counts


def _gamma(draws: Draws, alpha: Any) -> Any:
    small = alpha < 1
    d = _xp.where(small, alpha + 1.0, alpha) - 1.0 / 3.0
    c = 1.0 / _xp.sqrt(9.0 * d)

    def propose() -> tuple[Any, Any]:
        x = draws.normal()
        t = 1.0 + c * x
        v = _xp.maximum(t, 2.0**-60) ** 3
        return v, (t > 0) & distributions.is_good(_xp, draws.uniform(), x * x, d, v)

    found = d * draws.accepted(propose, alpha)
    return _xp.where(small, found * draws.uniform() ** (1.0 / alpha), found)


def _poisson(draws: Draws, lam: Any) -> Any:
    border = distributions.LARGE_MEAN
    low, high = _xp.minimum(lam, border), _xp.maximum(lam, border)
    hat = distributions.Hat(_xp, high)

    def propose() -> tuple[Any, Any]:
        u, v = draws.uniform() - 0.5, draws.uniform()
        edge, k = hat.candidate(u)
        whole = _xp.maximum(k, 0.0)
        may_be = distributions.may_be_good(edge, v, k)
        return whole, hat.is_surely_good(edge, v) | (may_be & hat.is_good(edge, v, whole))

    few = draws.inverted(exact.exp(_xp, -low), lambda n: low / n)
    return _xp.where(lam < border, few, draws.accepted(propose, lam))


def _binomial(draws: Draws, n: Any, p: Any) -> Any:
    rare, border = _xp.minimum(p, 1.0 - p), distributions.LARGE_MEAN
    is_few = n * rare < border
    # Each way is computed for all, with what it can be computed with.
    odds = _xp.where(is_few, rare / (1.0 - rare), 0.0)
    none = _xp.where(is_few, distributions.no_success(_xp, n, rare), 1.0)
    few = draws.inverted(none, lambda k: odds * _xp.maximum(n - k + 1.0, 0.0) / k)
    many = distributions.Trials(_xp, _xp.where(is_few, 4 * border, n), _xp.where(is_few, 0.5, rare))

    def propose() -> tuple[Any, Any]:
        u, v = draws.uniform() - 0.5, draws.uniform()
        edge, k, is_count = many.candidate(u)
        return k, is_count & (many.is_surely_good(edge, v) | many.is_good(edge, v, k))

    found = _xp.where(is_few, few, draws.accepted(propose, n))
    return _xp.where(p > 0.5, n - found, found)


class Law(NamedTuple):
    """A distribution: what a draw is, and for each of its parameters whether it can be one."""

    draw: Callable[..., Any]
    parameters: tuple[Callable[[Emitter, Term], Term], ...]


LAWS = {
    "random_gamma": Law(_gamma, (lambda emit, x: (x > 0) & (x < np.inf),)),
    "random_poisson": Law(_poisson, (lambda emit, x: (x >= 0) & (x < distributions.LARGEST_MEAN),)),
    "random_binomial": Law(
        _binomial,
        (
            lambda emit, x: (x >= 0) & (x <= 2.0**53) & emit("Floor", x).equal(x),
            lambda emit, x: (x >= 0) & (x <= 1),
        ),
    ),
}
