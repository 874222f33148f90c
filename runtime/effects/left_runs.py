"""Code that is left alone runs once for a call, however often the call is traced; so do prints.

What marks and rules leave alone runs while tracing, and what it does stays done. A trace that
begins anew, a body that is traced again, and Python, where it makes the call after all, go on with
what such code gave before; where that was made of tensors, what it changed is changed back first.
"""

from __future__ import annotations

import functools
import itertools
import operator
import weakref
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from sys import getrefcount
from types import CellType, FunctionType, GeneratorType, MethodType
from typing import Any, NamedTuple, cast

import numpy as np

from runtime import journal
from runtime.building import Builder, building
from runtime.effects.taken_ahead import all_ahead, forget, has_ahead
from runtime.errors import StagingError
from runtime.origins import Origin, origin_of_caller, path_of_callers
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor

__all__ = ["CodeLeftAlone", "LeftRuns", "begin", "have_changed", "have_run", "is_within_run",
           "keep", "note_class", "of_call", "of_numbers", "run_again", "run_left", "show",
           "show_again", "undone"]  # fmt: skip

_VALUES = (int, float, complex, str, bytes, np.generic)
_MISSING = object()
_CONTAINERS = (list, dict, set, deque)
_NO_ATTRIBUTES: dict[str, Any] = {}
# Containers with more items are not looked at.
_MOST_ITEMS = 4096


class CodeLeftAlone(BaseException):
    """A trace came to code that is left alone, and Python makes the call from its beginning."""


class _Place(NamedTuple):
    """What may be changed: what gives its content, puts one there, and tells two of them apart.

    `thing` is the container, or the object that has the attributes; `holder` the cell, or the dict
    of names.
    """

    take: Callable[[], Any]
    put: Callable[[Any], None]
    are_same: Callable[[Any, Any], bool]
    thing: Any = None
    holder: Any = None

    def parts(self, content: Any) -> dict[Any, Any]:
        """What is there, by what tells the container, the cell or each name."""
        if type(self.holder) is dict:
            return {(id(self.holder), name): x for name, x in content.items()}
        return {id(self.thing if self.holder is None else self.holder): content}

    def rolled_back(self, after: Any, noted: dict[Any, Any]) -> Any:
        """What is there when places that were `noted` have the content again that they had."""
        after = noted.get(("content", id(self.thing)), after)
        if type(after) is not dict or type(self.thing) in _CONTAINERS:
            return after
        return {name: noted.get(("attr", id(self.thing), name), x) for name, x in after.items()}


class _Change(NamedTuple):
    """What was in a place before a run, and after it."""

    place: _Place
    before: Any
    after: Any

    def undo(self) -> bool:
        """Put back what was there, unless that was done meanwhile; whether it was not."""
        is_there = self.place.are_same(self.place.take(), self.after)
        if is_there:
            self.place.put(self.before)
        return is_there


class _Steps:
    """What a generator of such code gives, for all who go through it while a call is traced."""

    def __init__(self, generator: GeneratorType[Any, Any, Any], state: list[_Place]) -> None:
        self._generator = generator
        self._given: list[Any] = []
        self._end: Exception | None = None
        self._last: weakref.ref[Any] | None = None
        # What the steps may change, and what the first one has changed, if a trace made it.
        self._state = state
        self.changed: set[Any] = set()
        self.is_of_trace = False

    def begun(self) -> Generator[Any, Any, Any]:
        """A pass over the items: the steps that an earlier one came to are not made again."""
        earlier = None if self._last is None else self._last()
        if earlier is not None:
            forget(earlier)
        made = cast("GeneratorType[Any, Any, Any]", self._pass())
        made.__name__, made.__qualname__ = self._generator.__name__, self._generator.__qualname__
        self._last = weakref.ref(made)
        return made

    def _pass(self) -> Generator[Any, Any, Any]:
        sent = thrown = None
        for place in itertools.count():
            if place == len(self._given):
                if self._end is None:
                    self._step(sent, thrown)
                if isinstance(self._end, StopIteration):
                    return self._end.value
                if self._end is not None:
                    raise self._end
            try:
                sent, thrown = (yield self._given[place]), None
            except Exception as error:  # noqa: BLE001 - it is the generator's
                thrown = error

    def _step(self, sent: Any, thrown: Exception | None) -> None:
        step = self._generator
        is_ahead = not self._given and _open.get() is not None
        before = [(place, place.take()) for place in self._state if is_ahead]
        try:
            item = step.send(sent) if thrown is None else step.throw(thrown)
        except Exception as error:  # noqa: BLE001 - each pass raises it
            self._end = error
        else:
            self._given.append(item)
            self.is_of_trace |= _is_of_trace(item)
        for change in _changes(before):
            parts, now = change.place.parts(change.before), change.place.parts(change.after)
            keys = parts.keys() | now.keys()
            same = (parts.get(key, _MISSING) is now.get(key, _MISSING) for key in keys)
            self.changed.update(key for key, is_same in zip(keys, same, strict=True) if not is_same)

    def is_ahead(self) -> bool:
        """Whether an item of the pass that was begun last was taken, to know its type."""
        return self._last is not None and has_ahead(self._last())


@dataclass(slots=True, eq=False)
class _Run:
    """One run: of which function, on what, and what it gave, if that is to be given again."""

    function: Any
    given: tuple[Any, ...]
    # The graph that was being built.
    builder: Builder | None = None
    result: Any = _MISSING
    error: Exception | None = None
    steps: _Steps | None = None
    # What it changed; and of that, what rolling the trace back undoes.
    changes: list[_Change] = field(default_factory=list)
    noted: list[tuple[journal.Slot, _Change]] = field(default_factory=list)
    # What it made and gave, that nothing else holds, with what is in it.
    made: list[tuple[Any, list[tuple[_Place, Any]]]] = field(default_factory=list)
    # Whether an earlier trace, of the call or of a body, made it, and nothing of it is left.
    is_past: bool = False

    @property
    def is_known(self) -> bool:
        if self.steps is not None:
            return not self.steps.is_of_trace
        return self.result is not _MISSING or self.error is not None

    @property
    def is_seen_to_change(self) -> bool:
        return bool(self.changes or self.noted)

    def serves(self, given: tuple[Any, ...]) -> bool:
        """Whether it need not run again on what is given now, with what is in places now."""
        return (
            self.is_known
            and _are_same(self.given, given)
            and all(
                _are_alike(place.take(), before) or _are_alike(place.take(), after)
                for _, (place, before, after) in self.noted
            )
        )

    def again(self) -> Any:
        for slot, (place, before, after) in self.noted:
            now = place.take()
            if not _are_alike(now, after):
                journal.note_result(slot)
                place.put(_with_items_of(now, before, after))
        if self.error is not None:
            raise self.error
        for thing, contents in self.made:
            for place, content in contents:
                place.put(content)
            journal.fresh(thing)
        return self.result if self.steps is None else self.steps.begun()

    def undo(self) -> None:
        for change in reversed(self.changes):
            change.undo()
        self.changes, self.noted, self.result, self.error = [], [], _MISSING, None
        self.steps = None

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any], function: Any) -> Any:
        """Run the code, and note what it gives and changes."""
        nodes = _nodes()
        before = [(place, place.take()) for place in _state(self.function, self.given)]
        noted = {key: slot.read() for key, (slot, _) in journal.all_noted().items()}
        try:
            result = function(*args, **kwargs)
            if type(result) is GeneratorType and not any(map(_is_of_trace, self.given)):
                self.steps = _Steps(result, [place for place, _ in before])
                return self.steps.begun()
            if _nodes() == nodes and not _is_of_trace(result):
                self.result = result
            if _counts((result,))[0] == _SOLE + 1 + (self.result is result):
                # What holds the content of one is made when all are found.
                made = [*_made_in(result)]
                self.made = [(x, [(place, place.take()) for place in _own(x)]) for x in made]
            for thing, _ in self.made:
                journal.fresh(thing)
            return result
        except StagingError:
            raise
        except Exception as error:
            self.error = error
            raise
        finally:
            now = journal.all_noted()
            since = {key: old for key, (_, old) in now.items() if key not in noted}
            self.changes = [
                change._replace(after=change.place.rolled_back(change.after, since))
                for change in _changes(before)
            ]
            for key, (slot, old) in now.items():
                place = _Place(slot.read, slot.write, _hold_same)
                for change in _changes([(place, noted.get(key, old))]):
                    self.noted.append((slot, change))
            if any(_is_of_trace(change.after) for _, change in self.noted):
                self.result, self.error, self.steps = _MISSING, None, None


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
        # What calls before had taken of iterators: Python lacks what this one takes.
        self._ahead = all_ahead()
        self.is_within = False
        self.is_any = self.is_again = False
        # Whether Python makes the call if such code runs, whether it is to see what numbers are,
        # and to stand in loops of Python: see `of_numbers`.
        self.is_pythons = self.sees_numbers = self.sees_ranges = False
        # A trace that stages nothing, and what the function gave in it.
        self.given: tuple[Any, Any] | None = None
        # Where traces have printed, in order; and how often this one has come to a print.
        self._shown: list[Origin | None] = []
        self._prints = 0

    def begin(self) -> None:
        """Another trace of the call begins."""
        self.given = None
        self._prints = 0
        self._counts.clear()
        made = enumerate(self._made)
        first = (i for i, run in made if run.is_seen_to_change and not run.is_known)
        self._undo_from(next(first, len(self._made)))
        for run in self._made:
            run.is_past = not run.is_seen_to_change

    def _undo_from(self, first: int, current: Sequence[Builder | None] = ()) -> None:
        """Undo the runs from one on, but for those of this try, which are in `current` graphs."""
        for run in reversed(self._made[first:]):
            if run.builder not in current:
                if run.is_seen_to_change:
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
        if self.is_pythons and not self._made and all_ahead() <= self._ahead:
            self.is_any = False
            raise CodeLeftAlone
        self.is_any = True
        if self.is_within:
            return function(*args, **kwargs)
        builder = building()
        this = _Run(*_taken_apart(function, args, kwargs), builder)
        is_in_body = builder is not None and builder is not builder.root
        depends = is_in_body or any(map(_is_of_trace, this.given))
        if (is_in_body and self.sees_ranges) or (depends and self.sees_numbers):
            raise StagingError(
                "code that is left alone depends on numbers of Python's, which it is to see",
                origin=origin_of_caller(),
            )
        self._refuse_what_waits(this)
        path = tuple((id(code), at) for code, at in path_of_callers())
        self._counts[path, builder] += 1
        key = path, self._counts[path, builder], id(this.function)
        known = self._runs.get(key)
        if known is not None and known.serves(this.given):
            return known.again()
        if known is not None and not known.is_past:
            self._undo_from(self._made.index(known), _chain_of(builder))
        self._runs[key] = this
        self._made.append(this)
        self._functions.add(id(this.function))
        self.is_within = True
        try:
            return this.run(args, kwargs, function)
        finally:
            self.is_within = False

    def is_to_be_shown(self, origin: Origin | None) -> bool:
        """Whether no earlier trace has printed there, in its turn."""
        at, self._prints = self._prints, self._prints + 1
        if self._shown[at : at + 1] == [origin]:
            return False
        self._shown[at:] = [origin]
        return True

    def _refuse_what_waits(self, this: _Run) -> None:
        """Refuse a run that needs what a generator changes whose other steps the graph makes."""
        waiting = [run.steps for run in self._made if run.steps and run.steps.is_ahead()]
        if not waiting:
            return
        read = {
            key for place in _state(this.function, this.given) for key in place.parts(place.take())
        }
        if any(steps.changed & read for steps in waiting):
            raise StagingError(
                "code that is left alone needs what a generator that is left alone changes, of "
                "which the steps are made when the graph runs",
                "make a list of what it gives outside of the converted function",
                origin=origin_of_caller(),
            )

    def forget_shown(self) -> None:
        """Print again where earlier traces have."""
        self._shown.clear()

    def have_changed(self) -> bool:
        """Whether what ran is seen to have changed something, that stays so."""
        return any(run.is_seen_to_change for run in self._made)

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Within this, what such code has changed is as it was before, unless it changed since."""
        changes = [change for run in self._made for change in run.changes]
        undone = [change for change in reversed(changes) if change.undo()]
        try:
            yield
        finally:
            for change in reversed(undone):
                change.place.put(change.after)

    @contextmanager
    def again(self) -> Iterator[None]:
        """Within this, Python makes the call: what ran while tracing does not run again."""
        self.begin()
        # Python makes objects itself.
        makes = (i for i, run in enumerate(self._made) if isinstance(run.function, type))
        self._undo_from(next(makes, len(self._made)))
        self.is_again, self.is_pythons = True, False
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


def show(write: Callable[[], None], origin: Origin | None) -> None:
    """Print while tracing, at a place where no earlier trace of the call has in its turn.

    >>> with of_call():
    ...     for _ in range(2):
    ...         begin()
    ...         show(lambda: print("once"), None)
    once
    """
    runs = _open.get()
    if runs is None or runs.is_to_be_shown(origin):
        write()


def show_again() -> None:
    """Note that the next trace is another one, of later calls: it prints what earlier ones have."""
    runs = _open.get()
    if runs is not None:
        runs.forget_shown()


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


def have_changed() -> bool:
    """Whether code that is left alone is seen to have changed something for the call."""
    runs = _open.get()
    return runs is not None and runs.have_changed()


@contextmanager
def undone() -> Iterator[None]:
    """Within this, what such code has changed for the call is as it was before."""
    runs = _open.get()
    with nullcontext() if runs is None else runs.undone():
        yield


def is_within_run() -> bool:
    """Whether code that is left alone runs now."""
    runs = _open.get()
    return runs is not None and runs.is_within


def of_numbers(*, is_pythons: bool, are_inputs: bool, stages_ranges: bool) -> None:
    """Say whether the next trace is of Python's numbers alone, or stages loops that Python can run.

    What `is_pythons` is given up, by CodeLeftAlone, where it comes to code that is left alone.
    Numbers that are inputs are constants where such code depends on them: it is given them, or they
    take it to where it stands. Loops in which it stands are run by Python.
    """
    runs = _open.get()
    if runs is not None:
        runs.is_pythons = is_pythons
        runs.sees_numbers, runs.sees_ranges = are_inputs, stages_ranges


def _chain_of(builder: Builder | None) -> list[Builder | None]:
    """A graph that is being built, and those that it is a body in."""
    chain = [builder]
    while builder is not None:
        builder = builder.parent
        chain.append(builder)
    return chain[: len(chain) - 1] or chain


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


def _changes(places: Iterable[tuple[_Place, Any]]) -> Iterator[_Change]:
    """What changed of some places, each with what was there."""
    for place, before in places:
        after = place.take()
        if not place.are_same(before, after):
            yield _Change(place, before, after)


def _state(function: Any, given: tuple[Any, ...]) -> Iterator[_Place]:
    """What a function may change of what it is given, and of names that its code has."""
    function = vars(function).get("__init__") if isinstance(function, type) else function
    code = getattr(function, "__code__", None)
    if code is not None:
        names = _of_names(function.__globals__, code.co_names)
        yield names
        for value in names.take().values():
            yield from _of_container(value)
        for cell in function.__closure__ or ():
            ways = functools.partial(_content_of, cell), functools.partial(_bind, cell)
            yield _Place(*ways, operator.is_, holder=cell)
            yield from _of_container(_content_of(cell))
    for thing in given:
        held = _attributes(thing).values()
        if any(_attributes(x) is not _NO_ATTRIBUTES for x in held):
            continue  # to put back a part of it, and not what these hold, would tear it apart
        yield from _own(thing)
        for value in held:
            yield from _of_container(value)


def _own(thing: Any) -> Iterator[_Place]:
    """What an object or a container holds itself."""
    held = _attributes(thing)
    if held is not _NO_ATTRIBUTES:
        yield _of_names(held, None, thing)
    yield from _of_container(thing)


def _attributes(thing: Any) -> dict[str, Any]:
    held = getattr(thing, "__dict__", None)
    is_users = type(thing).__flags__ & MADE_BY_CLASS_STATEMENT
    return held if is_users and type(held) is dict else _NO_ATTRIBUTES


def _made_in(result: Any) -> Iterator[Any]:
    """A result that nothing else holds, and what in it nothing else holds either."""
    held = _attributes(result)
    if held is not _NO_ATTRIBUTES or type(result) in _CONTAINERS:
        yield result
    if type(result) in _CONTAINERS or type(result) is tuple:
        held = result
    parts = held.values() if type(held) is dict else held
    for part, count in zip(parts, _counts(parts), strict=True):
        if count == _SOLE:
            yield from _made_in(part)


def _counts(parts: Iterable[Any]) -> list[int]:
    """How many hold each of some parts."""
    return [getrefcount(part) for part in parts]


# What that is of a part that nothing else holds.
_SOLE = _counts([object()])[0]


def _content_of(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not bound yet
        return _MISSING


def _bind(cell: CellType, content: Any) -> None:
    if content is _MISSING:
        del cell.cell_contents
    else:
        cell.cell_contents = content


def _of_names(held: dict[str, Any], names: tuple[str, ...] | None, owner: Any = None) -> _Place:
    """Some names of a namespace, or all of them."""

    def take() -> dict[str, Any]:
        return dict(held) if names is None else {x: held[x] for x in names if x in held}

    def put(before: dict[str, Any]) -> None:
        """Put back what is another thing, or is missing; what stays is left as it is."""
        for name in take().keys() - before.keys():
            del held[name]
        held.update((k, x) for k, x in before.items() if held.get(k, _MISSING) is not x)

    return _Place(take, put, _hold_same, owner, held)


def _of_container(thing: Any) -> Iterator[_Place]:
    kind: Any = type(thing)
    if kind in _CONTAINERS and len(thing) <= _MOST_ITEMS:
        put = kind.update if kind in (dict, set) else kind.extend

        def refill(before: Any) -> None:
            kind.clear(thing)
            put(thing, before)

        yield _Place(functools.partial(kind, thing), refill, _hold_same, thing)


def _hold_same(one: Any, other: Any) -> bool:
    """Whether two things, or contents of a container, are the same objects in the same order."""
    kind: Any = type(one)
    if kind is not type(other) or (kind not in _CONTAINERS and kind is not np.ndarray):
        return one is other
    if kind is np.ndarray:
        return one is other or one.tobytes() == other.tobytes()
    if kind is set:
        return set(map(id, one)) == set(map(id, other))
    if kind is dict:
        return _hold_same([*one], [*other]) and _hold_same([*one.values()], [*other.values()])
    return len(one) == len(other) and all(map(operator.is_, one, other))


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two contents are the same, but for objects that a trace has made."""
    if one is other:
        return True
    kind: Any = type(one)
    if kind is not type(other) or _is_of_trace(one):
        return False
    if kind is dict:
        return [*one] == [*other] and all(map(_are_alike, one.values(), other.values()))
    if kind in (list, tuple, deque):
        return len(one) == len(other) and all(map(_are_alike, one, other))
    if kind in _VALUES or kind in (set, np.ndarray):
        return bool(np.array_equal(one, other)) if kind is np.ndarray else bool(one == other)
    return isinstance(one, _VALUES) and bool(one == other)


def _with_items_of(now: Any, before: Any, after: Any) -> Any:
    """What a run left, with the objects that are there now for those that were before it."""
    kind: Any = type(after)
    if kind not in (list, deque, dict) or type(now) is not kind or type(before) is not kind:
        return after
    pairs = (before.values(), now.values()) if kind is dict else (before, now)
    others = {id(x): y for x, y in zip(*pairs, strict=True)}
    if kind is dict:
        return {key: others.get(id(x), x) for key, x in after.items()}
    return kind(others.get(id(x), x) for x in after)
