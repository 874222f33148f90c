"""The gradient of a function against central differences of the plain function, in float64."""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.tools.checking.line_log import RESULT, Event, logging_lines
from autograph.tools.checking.outcomes import Given
from runtime.autodiff import GradientTape, vjp
from runtime.building import constant
from runtime.dtypes import kind_of
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["Comparison", "Mismatch", "first_line", "mismatches"]

# The step at which rounding and truncation of a central difference balance.
_STEP = float(np.finfo(np.float64).eps) ** (1 / 3)
_RELATIVE, _ABSOLUTE = 1e-4, 1e-7
# Arguments of up to so many elements are varied one by one, larger ones along random directions.
_ELEMENTS, _DIRECTIONS = 24, 4


class Mismatch(NamedTuple):
    """A direction in which the derivative and the differences disagree."""

    what: str
    derivative: float
    difference: float
    leaf: int
    direction: np.ndarray[Any, Any]


class Comparison:
    """A function at a point: its floating arguments as float64, and how to vary them."""

    def __init__(self, given: Given, names: tuple[str, ...], prepare: Callable[[], None]) -> None:
        self.prepare = prepare
        leaves, self.structure = tree.flatten(given)
        self.leaves = [_in_double(x) for x in leaves]
        self.varied = [i for i, x in enumerate(self.leaves) if _is_real(x)]
        self.names = names

    @property
    def values(self) -> list[Any]:
        """The floating arguments."""
        return [self.leaves[i] for i in self.varied]

    def call(self, function: Callable[..., Any], values: list[Any]) -> list[Any]:
        """The floating results for other floating arguments."""
        leaves = copy.deepcopy(self.leaves)
        for i, value in zip(self.varied, values, strict=True):
            leaves[i] = value
        args, kwargs = tree.unflatten(self.structure, leaves)
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            return [y for y in tree.leaves(function(*args, **kwargs)) if _is_floating(y)]

    def plainly(self, function: Callable[..., Any], values: list[Any]) -> list[Any]:
        """The same of a plain function, in the state that the first call found."""
        self.prepare()
        return self.call(function, values)

    def moved(self, leaf: int, step: Any) -> list[Any]:
        """The floating arguments with a step added to one of them."""
        values = copy.deepcopy(self.values)
        values[leaf] = values[leaf] + step
        return values


def mismatches(
    plain: Callable[..., Any], converted: Callable[..., Any], point: Comparison, notes: list[str]
) -> Iterator[Mismatch]:
    """Where the derivative of `converted` is not what differences of `plain` give.

    What cannot be compared, as at a jump, is told in `notes`.
    """
    rng = np.random.default_rng(0)
    base = point.plainly(plain, copy.deepcopy(point.values))
    if not base or not all(np.all(np.isfinite(y)) for y in base):
        notes.append("no gradient is compared: there are no finite floating results")
        return
    weights = [rng.uniform(0.5, 1.5, np.shape(y)) for y in base]
    point.prepare()
    results, pull_back = vjp(lambda *xs: point.call(converted, list(xs)), *point.values)
    gradients = pull_back([_like(w, y) for w, y in zip(weights, results, strict=True)])
    for leaf, (x, gradient) in enumerate(zip(point.values, gradients, strict=True)):
        for what, direction in _directions(point.names[point.varied[leaf]], x, rng):
            step = _STEP * max(1.0, float(np.max(np.abs(x), initial=0.0)))
            steps = [
                _weighted(point.plainly(plain, point.moved(leaf, s * direction)), weights)
                for s in (-step, 0.0, step)
            ]
            if None in steps:
                notes.append(f"the gradient of {what} is not compared: shapes or values change")
                continue
            found = float(np.sum(np.asarray(gradient) * direction))
            yield from _judged(what, found, steps, step, (leaf, direction), notes)


def _judged(
    what: str, found: float, at: list[Any], step: float, where: tuple[int, Any], notes: list[str]
) -> Iterator[Mismatch]:
    below, here, above = at
    left, right = (here - below) / step, (above - here) / step
    central = (above - below) / (2 * step)
    rounding = 4e-15 * max(abs(above), abs(below)) / step
    allowed = _ABSOLUTE + rounding + _RELATIVE * max(abs(found), abs(central))
    if abs(found - central) <= allowed:
        return
    if abs(right - left) > 1e-2 * max(abs(left), abs(right)) + rounding:
        notes.append(f"the gradient of {what} is not compared: there is a kink or a jump")
        return
    yield Mismatch(what, found, central, *where)


def _directions(name: str, x: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    shape = np.shape(x)
    if shape == ():
        yield f"`{name}`", np.float64(1.0)
    elif np.size(x) <= _ELEMENTS:
        for position in np.ndindex(shape):
            direction = np.zeros(shape)
            direction[position] = 1.0
            yield f"`{name}[{', '.join(map(str, position))}]`", direction
    else:
        for _ in range(_DIRECTIONS):
            direction = rng.standard_normal(shape)
            yield f"`{name}`", direction / np.linalg.norm(direction)


def _weighted(results: list[Any], weights: list[Any]) -> float | None:
    """The weighted sum of the results; None where they are of other shapes, or not finite."""
    if [np.shape(y) for y in results] != [w.shape for w in weights]:
        return None
    total = float(sum(np.sum(np.asarray(y) * w) for y, w in zip(results, weights, strict=True)))
    return total if np.isfinite(total) else None


def _like(weight: Any, y: Any) -> Any:
    return np.asarray(weight, np.asarray(y).dtype)[()]


# ---- the line ----------------------------------------------------------------------------------


def first_line(
    plain: Callable[..., Any], eager: Callable[..., Any], point: Comparison, where: Mismatch
) -> Event | None:
    """The first event of logged functions whose derivative along the direction is wrong."""
    step = _STEP * max(1.0, float(np.max(np.abs(point.values[where.leaf]), initial=0.0)))
    below, above = (
        _logged(lambda s=s: point.plainly(plain, point.moved(where.leaf, s * where.direction)))  # type: ignore[misc]
        for s in (-step, step)
    )
    point.prepare()
    tensors = [constant(np.asarray(x)[()]) for x in point.values]
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(tensors)
        events = _logged(lambda: point.call(eager, list(tensors)))
    for event, low, high in zip(events, below, above, strict=False):
        if not low[:2] == high[:2] == event[:2] or np.shape(low.value) != np.shape(high.value):
            return None
        if not _is_floating(event.value):
            continue
        difference = np.sum(np.asarray(high.value) - np.asarray(low.value)) / (2 * step)
        found = 0.0
        if isinstance(event.value, Tensor):
            gradient = tape.gradient(event.value, tensors[where.leaf])
            if gradient is not None:
                found = float(np.sum(gradient.numpy() * where.direction))
        if abs(found - difference) > _ABSOLUTE * 10 + 10 * _RELATIVE * abs(difference):
            return Event(event.line, event.name, (f"{found:.6g}", f"{difference:.6g}"))
    return None


def _logged(run: Callable[[], Any]) -> list[Event]:
    with logging_lines() as events:
        run()
    return [event for event in events if event.name != RESULT or _is_floating(event.value)]


# ---- values ------------------------------------------------------------------------------------


def _in_double(x: Any) -> Any:
    if isinstance(x, Tensor):
        x = x.numpy()
    if isinstance(x, (np.ndarray, np.generic)) and kind_of(x.dtype) == "f":
        return x.astype(np.float64)
    return x


def _is_real(x: Any) -> bool:
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype == np.float64
    return isinstance(x, float)


def _is_floating(x: Any) -> bool:
    if isinstance(x, (np.ndarray, np.generic, Tensor)):
        return kind_of(x.dtype) == "f"
    return isinstance(x, float)
