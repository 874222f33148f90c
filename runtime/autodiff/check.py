"""Derivatives against finite differences along random directions.

The form is that of `test_util.check_grads` of HIPS autograd: the derivative is a function like any
other, so the check calls itself on it until the order asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.autodiff.transforms import jvp, vjp
from runtime.dtypes import kind_of
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["check_gradients"]


def check_gradients(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    *,
    forward: bool = True,
    eps: float = 1e-6,
    rtol: float = 1e-4,
    atol: float = 1e-6,
    seed: int = 0,
) -> None:
    """Raise AssertionError unless the derivatives of `f` at `args` agree with differences.

    Arguments of float64 or complex128 are varied, others stay as they are. Results may be a nest;
    what is not inexact in it is left out. `forward` checks `jvp` too.
    """
    _Check(f, list(args), np.random.default_rng(seed), (eps, rtol, atol)).run(order, forward)


class _Check:
    def __init__(
        self,
        f: Callable[..., Any],
        args: list[Any],
        rng: np.random.Generator,
        tolerances: tuple[float, float, float],
    ) -> None:
        self.f, self.args, self.rng = f, args, rng
        self.eps, self.rtol, self.atol = self.tolerances = tolerances
        self.varied = [i for i, x in enumerate(args) if kind_of(_array(x).dtype) in "fc"]

    def at(self, *varied: Any) -> list[Any]:
        """Inexact results for other values of the varied arguments."""
        args = list(self.args)
        for i, x in zip(self.varied, varied, strict=True):
            args[i] = x
        return [y for y in tree.leaves(self.f(*args)) if y is not None and _kind(y) in "fc"]

    def run(self, order: int, forward: bool) -> None:
        """Compare at this order, then go to the next."""
        xs = [self.args[i] for i in self.varied]
        steps = [self._like(x) for x in xs]
        results, pull_back = vjp(self.at, *xs)
        weights = [self._like(y) for y in results]
        numeric = _dot(weights, self._difference(xs, steps))
        self._compare(numeric, _dot(pull_back(weights), steps), f"reverse mode, {order} to go")
        if forward:
            _, moved = jvp(self.at, xs, steps)
            self._compare(numeric, _dot(weights, moved), f"forward mode, {order} to go")
        if order > 1:

            def derivative(*xs: Any) -> Any:
                return vjp(self.at, *xs)[1](weights)

            _Check(derivative, xs, self.rng, self.tolerances).run(order - 1, forward)

    def _like(self, x: Any) -> Any:
        array = _array(x)
        step = self.rng.standard_normal(array.shape)
        if array.dtype.kind == "c":
            step = step + 1j * self.rng.standard_normal(array.shape)
        return np.asarray(step, array.dtype)[()]

    def _difference(self, xs: list[Any], steps: list[Any]) -> list[Any]:
        pairs = list(zip(map(_array, xs), steps, strict=True))
        above = self.at(*(Tensor((x + self.eps * s)[()]) for x, s in pairs))
        below = self.at(*(Tensor((x - self.eps * s)[()]) for x, s in pairs))
        return [(_array(a) - _array(b)) / (2 * self.eps) for a, b in zip(above, below, strict=True)]

    def _compare(self, numeric: float, found: float, what: str) -> None:
        if not np.isclose(numeric, found, self.rtol, self.atol):
            raise AssertionError(f"{what}: differences give {numeric}, the derivative is {found}")


def _array(x: Any) -> Any:
    return np.asarray(x.array if isinstance(x, Tensor) else x)


def _kind(x: Any) -> str:
    return kind_of(_array(x).dtype)


def _dot(weights: Sequence[Any], parts: Sequence[Any]) -> float:
    """Real inner product, as cotangents and tangents pair."""
    pairs = zip(map(_array, weights), map(_array, parts), strict=True)
    return float(sum(np.vdot(w, p).real for w, p in pairs))
