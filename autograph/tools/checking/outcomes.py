"""One run of a function, all that can be seen of it, and how two runs differ."""

from __future__ import annotations

import contextlib
import copy
import io
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.tracing.concrete import ConcreteFunction
from runtime.dtypes import kind_of
from runtime.random import get_global_generator
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["Outcome", "State", "compare", "observe", "same_number", "shown"]

Given = tuple[tuple[Any, ...], dict[str, Any]]
# Of the machine precision: what reductions and transcendental functions may differ by.
_SLACK = 64


@dataclass
class Outcome:
    """What one call did."""

    value: Any
    error: Exception | None
    printed: str
    arguments: Any


def observe(function: Callable[..., Any], given: Given) -> Outcome:
    """Call the function on a copy of what is given."""
    args, kwargs = copy.deepcopy(given)
    value, error, stream = None, None, io.StringIO()
    with contextlib.redirect_stdout(stream), warnings.catch_warnings(action="ignore"):
        try:
            value = function(*args, **kwargs)
        except Exception as raised:  # noqa: BLE001 - the user's own, to be compared
            error = raised
    with contextlib.suppress(Exception):  # a coroutine, say, is what it is
        value = copy.deepcopy(value)
    return Outcome(value, error, stream.getvalue(), (args, kwargs))


def compare(got: Outcome, expected: Outcome) -> Iterator[tuple[str, str, str]]:
    """What differs between two outcomes: its name, what was found, and what was expected."""
    if got.error is not None or expected.error is not None:
        said = _said(got), _said(expected)
        if said[0] != said[1]:
            yield "exception", *said
    elif not _is_same(got.value, expected.value):
        yield "result", shown(got.value), shown(expected.value)
    if got.printed != expected.printed:
        yield "printed text", repr(got.printed), repr(expected.printed)
    if not _is_same(got.arguments, expected.arguments):
        yield "arguments after the call", _arguments(got), _arguments(expected)


def _said(outcome: Outcome) -> str:
    if outcome.error is None:
        return "none is raised"
    return f"{type(outcome.error).__name__}: {outcome.error}".partition("\n")[0]


def _arguments(outcome: Outcome) -> str:
    args, kwargs = outcome.arguments
    return ", ".join([*map(shown, args), *(f"{k}={shown(v)}" for k, v in kwargs.items())])


def shown(x: Any) -> str:
    """A value in one line."""
    text = " ".join(repr(_raw(x)).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def _raw(x: Any) -> Any:
    return x.numpy() if isinstance(x, (Tensor, Variable)) else x


def _is_same(got: Any, expected: Any) -> bool:
    """Equality of nests; of numbers up to rounding, in the dtype or one that holds it."""
    leaves, structure = tree.flatten(got)
    others, its = tree.flatten(expected)
    if structure != its or len(leaves) != len(others):
        return False
    return all(map(_is_same_leaf, leaves, others))


def _is_same_leaf(got: Any, expected: Any) -> bool:
    got, expected = _raw(got), _raw(expected)
    numeric = (np.ndarray, np.generic, bool, int, float, complex)
    if isinstance(got, numeric) and isinstance(expected, numeric):
        return same_number(got, expected)
    if type(got) is not type(expected):
        return False
    if isinstance(expected, np.random.Generator):
        return repr(got.bit_generator.state) == repr(expected.bit_generator.state)
    kind: Any = type(expected)
    if callable(expected) or kind.__eq__ is object.__eq__:
        # Of other objects nothing is known but that each is another one.
        fields = None if callable(expected) else getattr(expected, "__dict__", None)
        return fields is None or _is_same(vars(got), fields)
    with contextlib.suppress(Exception):
        return bool(got == expected)
    return True


def same_number(got: Any, expected: Any) -> bool:
    """Whether two numbers or arrays are equal up to rounding.

    A graph may give the joined dtype where Python's own depends on data.
    """
    one, other = np.asarray(got), np.asarray(expected)
    if isinstance(got, np.ndarray) != isinstance(expected, np.ndarray) or one.shape != other.shape:
        return False
    if one.dtype != other.dtype and not np.can_cast(other.dtype, one.dtype):
        return False
    if kind_of(other.dtype) not in "fc":
        return np.array_equal(one, other)
    tolerance = _SLACK * np.finfo(other.dtype).eps
    largest = np.max(np.abs(other[np.isfinite(other)]), initial=0.0)
    return np.allclose(one, other, rtol=tolerance, atol=tolerance * largest, equal_nan=True)


# ---- what is around a call -------------------------------------------------------------------


class State:
    """Random numbers, and the Variables and arrays from outside, as they were: for the next run."""

    def __init__(self) -> None:
        self._random = random.getstate()
        self._legacy = np.random.get_state()
        self._kept: list[tuple[Any, Any]] = []
        self._keep(get_global_generator().state)

    def keep(self, concrete: ConcreteFunction) -> None:
        """Keep what a trace reads from outside by reference."""
        for capture in concrete._traced.captured:
            self._keep(capture.place.fetch())
        for thing in concrete._traced.externals:
            self._keep(thing)

    def _keep(self, thing: Any) -> None:
        if isinstance(thing, Variable):
            self._kept.append((thing, thing.numpy().copy()))
        elif isinstance(thing, np.ndarray) and thing.flags.writeable:
            self._kept.append((thing, thing.copy()))

    def restore(self) -> None:
        """Make all as it was."""
        random.setstate(self._random)
        np.random.set_state(self._legacy)
        for thing, content in self._kept:
            if isinstance(thing, Variable):
                thing.assign(content)
            else:
                thing[...] = content


def restored(state: State, run: Callable[[], Outcome]) -> Outcome:
    """A run that begins in that state, and leaves it."""
    state.restore()
    try:
        return run()
    finally:
        state.restore()


def first_difference(outcomes: Sequence[Outcome], expected: Outcome) -> Any:
    """The first of several calls that differs: (what, found, expected); None where none does."""
    return next((d for got in outcomes for d in compare(got, expected)), None)
