"""Code that is left alone runs once for a call, however often the call is traced.

What marks and rules leave alone runs while tracing, and what it does stays done. A trace that
begins anew, a body that is traced again, and Python, where it makes the call after all, go on with
what such code gave before; where that was made of tensors, what it changed is changed back first.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any, cast

import numpy as np

from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller, path_of_callers
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor

__all__ = ["LeftRuns", "begin", "have_run", "is_within_run", "keep", "note_class", "of_call",
           "of_numbers", "run_again", "run_left"]  # fmt: skip

_VALUES = (int, float, complex, str, bytes, np.generic)
_MISSING = object()
_CONTAINERS = (list, dict, set, deque)
# Containers with more items are not looked at.
_MOST_ITEMS = 4096


@dataclass(slots=True, eq=False)
class _Run:
    """One run: of which function, on what, and what it gave, if that is to be given again."""

    function: Any
    given: tuple[Any, ...]
    result: Any = _MISSING
    error: Exception | None = None
    # What puts back what it changed.
    changes: list[Callable[[], None]] = field(default_factory=list)
    # Whether an earlier trace, of the call or of a body, made it, and nothing of it is left.
    is_past: bool = False

    @property
    def is_known(self) -> bool:
        return self.result is not _MISSING or self.error is not None

    def again(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result

    def undo(self) -> None:
        for change in reversed(self.changes):
            change()
        self.changes, self.result, self.error = [], _MISSING, None

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any], function: Any) -> Any:
        """Run the code, and note what it gives and changes."""
        nodes, before = _nodes(), _state(self.function, self.given)
        try:
            result = function(*args, **kwargs)
            if _nodes() == nodes and not _is_of_trace(result):
                self.result = result
            return result
        except StagingError:
            raise
        except Exception as error:
            self.error = error
            raise
        finally:
            self.changes = [put for put, is_same in before if not is_same()]


class LeftRuns:
    """The runs of code that is left alone while one call is traced, in order.

    `is_any` says whether there were any, `is_again` whether Python makes the call now.
    """

    def __init__(self) -> None:
        # In order; and by the place in the user's code, how often the trace, or the body of a
        # statement, has come there, and the function.
        self._made: list[_Run] = []
        self._runs: dict[Any, _Run] = {}
        self._counts: Counter[Any] = Counter()
        self._functions: set[int] = set()
        self.is_within = False
        self.is_any = self.is_again = False
        # Whether such code is to see what numbers are, and to stand in loops of Python: see
        # `of_numbers`.
        self.sees_numbers = self.sees_ranges = False
        # A trace that stages nothing, and what the function gave in it.
        self.given: tuple[Any, Any] | None = None

    def begin(self) -> None:
        """Another trace of the call begins."""
        self.given = None
        self._counts.clear()
        made = enumerate(self._made)
        self._undo_from(next((i for i, run in made if run.changes and not run.is_known), None))
        for run in self._made:
            run.is_past = not run.changes

    def _undo_from(self, first: int | None) -> None:
        for run in [] if first is None else reversed(self._made[first:]):
            if run.changes:
                run.undo()
            run.is_past = True

    def kinds(self) -> Iterator[type]:
        """The classes of the objects of which methods ran."""
        return iter(dict.fromkeys(type(run.given[0]) for run in self._made if run.given))

    def knows(self, function: Any) -> bool:
        """Whether a function is among those that ran."""
        return id(function) in self._functions

    def run(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What `function(*args, **kwargs)` gives, or gave at this place of a trace before."""
        self.is_any = True
        if self.is_within:
            return function(*args, **kwargs)
        this, builder = _Run(*_taken_apart(function, args, kwargs)), building()
        is_in_body = builder is not None and builder is not builder.root
        depends = is_in_body or any(map(_is_of_trace, this.given))
        if (is_in_body and self.sees_ranges) or (depends and self.sees_numbers):
            raise StagingError(
                "code that is left alone depends on numbers of Python's, which it is to see",
                origin=origin_of_caller(),
            )
        path = tuple((id(code), at) for code, at in path_of_callers())
        self._counts[path, builder] += 1
        key = path, self._counts[path, builder], id(this.function)
        known = self._runs.get(key)
        if known is not None and known.is_known and _are_same(known.given, this.given):
            return known.again()
        if known is not None and is_in_body and not known.is_past:
            self._undo_from(self._made.index(known))
        self._runs[key] = this
        self._made.append(this)
        self._functions.add(id(this.function))
        self.is_within = True
        try:
            return this.run(args, kwargs, function)
        finally:
            self.is_within = False

    @contextmanager
    def again(self) -> Iterator[None]:
        """Within this, Python makes the call: what ran while tracing does not run again."""
        self.begin()
        self.is_again = True
        token = _open.set(self)
        try:
            yield
        finally:
            _open.reset(token)


_open: ContextVar[LeftRuns | None] = ContextVar("left_runs", default=None)


@contextmanager
def of_call() -> Iterator[LeftRuns]:
    """One call is being traced."""
    made = LeftRuns()
    token = _open.set(made)
    try:
        yield made
    finally:
        _open.reset(token)


def begin() -> None:
    """A trace of the call begins, not always the first one."""
    runs = _open.get()
    if runs is not None:
        runs.begin()


def run_left(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `function(*args, **kwargs)` gives, of code that is left alone.

    >>> with of_call():
    ...     for _ in range(2):
    ...         begin()
    ...         found = run_left(print, ("once",), {})
    once
    """
    runs = _open.get()
    return function(*args, **kwargs) if runs is None else runs.run(function, args, kwargs)


def note_class(*, is_left_alone: bool) -> None:
    """Note that an object is made of a class, by code that is left alone or not."""
    runs = _open.get()
    if runs is not None:
        runs.is_any |= is_left_alone


def run_again(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """What Python calls in the place of a function, where it makes a call that was traced."""
    runs = _open.get()
    if runs is None or not (runs.is_again and runs.knows(function)):
        return None
    return lambda *args, **kwargs: runs.run(function, args, kwargs)


def keep(trace: Any, result: Any) -> bool:
    """Keep what the function gave in a trace that stages nothing, if code left alone ran in it."""
    runs = _open.get()
    if runs is None or not runs.is_any:
        return False
    runs.given = trace, result
    return True


def have_run() -> bool:
    """Whether code that is left alone ran while the call is traced."""
    runs = _open.get()
    return runs is not None and runs.is_any


def is_within_run() -> bool:
    """Whether code that is left alone runs now."""
    runs = _open.get()
    return runs is not None and runs.is_within


def of_numbers(*, are_inputs: bool, stages_ranges: bool) -> None:
    """Say whether the next trace is of Python's numbers alone, or stages loops that Python can run.

    Numbers that are inputs are constants where code that is left alone depends on them: it is given
    them, or they take it to where it stands. Loops in which it stands are run by Python.
    """
    runs = _open.get()
    if runs is not None:
        runs.sees_numbers, runs.sees_ranges = are_inputs, stages_ranges


def _nodes() -> int:
    builder = building()
    return 0 if builder is None else len(builder.graph.nodes)


def _taken_apart(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """The function that a call runs, and all that it is given."""
    given = *args, *(part for pair in kwargs.items() for part in pair)
    if isinstance(function, MethodType):
        return function.__func__, (function.__self__, *given)
    own = type(function).__call__
    if isinstance(function, FunctionType | functools.partial) or not isinstance(own, FunctionType):
        return function, given
    return own, (function, *given)


def _are_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_are_same, one, other))
    return isinstance(one, _VALUES) and bool(one == other)


def _is_of_trace(result: Any) -> bool:
    """Whether a result serves one trace only: it is made of tensors, or gives items once."""
    if isinstance(result, Tensor) or hasattr(type(result), "__next__"):
        return True
    parts = result.values() if type(result) is dict else result
    is_nest = type(result) in (list, tuple, set, dict)
    return is_nest and any(map(_is_of_trace, cast("Any", parts)))


# ---- what such code may change -----------------------------------------------------------------

_Place = tuple[Callable[[], None], Callable[[], bool]]


def _state(function: Any, given: tuple[Any, ...]) -> list[_Place]:
    """What a function may change of the objects that it is given, and of names that its code has.

    Of each place: what puts back what is there now, and whether that is still there.
    """
    found: list[_Place] = []
    code = getattr(function, "__code__", None)
    if code is not None:
        found += _of_names(function.__globals__, code.co_names)
    for thing in given:
        held = getattr(thing, "__dict__", None)
        if type(thing).__flags__ & MADE_BY_CLASS_STATEMENT and type(held) is dict:
            found += _of_names(held)
        found += _of_container(thing)
    return found


def _of_names(held: dict[str, Any], names: tuple[str, ...] | None = None) -> Iterator[_Place]:
    before = dict(held) if names is None else {name: held[name] for name in names if name in held}
    if names is None:
        yield functools.partial(_put, held, before), lambda: _are_one(held, before)
    else:
        yield (
            functools.partial(held.update, before),
            lambda: all(held.get(name, _MISSING) is x for name, x in before.items()),
        )
    for value in before.values():
        yield from _of_container(value)


def _put(held: dict[Any, Any], before: dict[Any, Any]) -> None:
    """Put back what is another thing, or is missing; what stays is left as it is."""
    for name in [name for name in held if name not in before]:
        del held[name]
    held.update((name, x) for name, x in before.items() if held.get(name, _MISSING) is not x)


def _are_one(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    return one.keys() == other.keys() and all(one[name] is x for name, x in other.items())


def _of_container(thing: Any) -> Iterator[_Place]:
    kind = type(thing)
    if kind not in _CONTAINERS or len(thing) > _MOST_ITEMS:
        return
    before: Any = kind(thing)
    if kind is dict:
        yield functools.partial(_put, thing, before), lambda: _are_one(thing, before)
        return
    put = thing.update if kind is set else thing.extend

    def refill() -> None:
        thing.clear()
        put(before)

    yield refill, lambda: len(thing) == len(before) and all(map(operator.is_, thing, before))
