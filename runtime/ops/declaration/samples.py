"""Sample inputs for the generic test suite: small, deterministic, in several dtypes and shapes.

A samples function gives pairs (inputs, attrs). Samples in float64 or complex128 also serve the
comparison of gradients with finite differences, so they keep away from kinks and poles.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np

__all__ = ["array", "binary", "calls", "fixed", "on_axes", "unary"]

Sample: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
Samples: TypeAlias = Callable[[], Iterator[Sample]]

# Multiples of the golden ratio are spread evenly over [0, 1).
_GOLDEN = (5**0.5 - 1) / 2
_SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (0, 2))
_PAIRS = (((3,), (3,)), ((2, 3), (3,)), ((2, 1), (3,)), ((), (2,)), ((), ()), ((0, 3), (3,)))


def array(
    shape: tuple[int, ...] | int,
    dtype: str = "f8",
    low: float = -2.0,
    high: float = 2.0,
    salt: int = 0,
) -> Any:
    """A pseudo-random raw array with entries in [low, high)."""
    seed = zlib.crc32(f"{shape}{dtype}{low}{high}{salt}".encode())
    kind, spread = dtype[0], _spread(seed, shape)
    if kind == "?":
        return np.asarray(spread < 0.5)[()]
    if kind in "iu":
        lowest = math.ceil(low) if kind == "i" else max(math.ceil(low), 0)
        values = np.floor(lowest + (int(high) + 1 - lowest) * spread)
    else:
        values = low + (high - low) * spread
    if kind == "c":
        values = values + 1j * (low + (high - low) * _spread(seed + 1, shape))
    return np.asarray(values, dtype)[()]


def _spread(seed: int, shape: tuple[int, ...] | int) -> Any:
    """Numbers in [0, 1), far apart from each other; a generator would cost ten times more."""
    count = math.prod(shape) if isinstance(shape, tuple) else shape
    return ((seed % 9973 / 9973 + _GOLDEN * np.arange(1, count + 1)) % 1.0).reshape(shape)


def unary(
    low: float = -2.0, high: float = 2.0, dtypes: str = "f8 f4 i8", numbers: bool = True
) -> Samples:
    """One operand: several shapes of the first dtype, one shape of the others, a number."""

    def samples() -> Iterator[Sample]:
        first, *others = dtypes.split()
        for shape in _SHAPES:
            yield (array(shape, first, low, high),), {}
        for dtype in others:
            yield (array((4,), dtype, low, high),), {}
        if numbers:
            yield (array((), first, low, high).item(),), {}

    return samples


def binary(
    low: float = -2.0,
    high: float = 2.0,
    dtypes: str = "f8,f8 f4,f4 f4,f8 i8,i8 i4,f4",
    second: tuple[float, float] | None = None,
    numbers: bool = True,
) -> Samples:
    """Two operands: broadcasting shapes of the first dtypes, one shape of the others, numbers."""
    low2, high2 = second or (low, high)

    def samples() -> Iterator[Sample]:
        pairs = [pair.split(",") for pair in dtypes.split()]
        for (a, b), (m, n) in [(p, pairs[0]) for p in _PAIRS] + [(_PAIRS[1], q) for q in pairs[1:]]:
            yield (array(a, m, low, high), array(b, n, low2, high2, 1)), {}
        if numbers:
            m, n = pairs[0]
            left, right = array((), m, low, high), array((), n, low2, high2, 1)
            yield (array((2,), m, low, high), right.item()), {}
            yield (left.item(), array((2,), n, low2, high2, 1)), {}
            yield (left.item(), right.item()), {}

    return samples


def on_axes(
    dtypes: str = "f8 f4 i8",
    axes: tuple[Any, ...] = (None, 0, -1, (0, 1)),
    keepdims: bool = True,
    empty: bool = True,
    scalar: bool = True,
    **attrs: Any,
) -> Samples:
    """One operand of two axes, reduced over each of `axes`."""

    def samples() -> Iterator[Sample]:
        first, *others = dtypes.split()
        for axis, keep in product(axes, (False, True) if keepdims else (False,)):
            extra = {"keepdims": True} if keep else {}
            yield (array((2, 3), first),), {"axis": axis, **extra, **attrs}
        for dtype in others:
            yield (array((2, 3), dtype),), {"axis": axes[0], **attrs}
        if scalar:
            yield (array((), first),), attrs
        if empty:
            yield (array((0, 2), first),), {"axis": 0, **attrs}

    return samples


def fixed(inputs: Callable[[], tuple[tuple[Any, ...], ...]], **attrs: Any) -> Samples:
    """The tuples of operands that `inputs` gives, all with the same attributes."""

    def samples() -> Iterator[Sample]:
        for operands in inputs():
            yield operands, attrs

    return samples


def calls(samples: Callable[[], tuple[Sample, ...]]) -> Samples:
    """The pairs (inputs, attrs) that `samples` gives; made only when asked for."""
    return lambda: iter(samples())
