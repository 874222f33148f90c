"""Containers that are one object or another by data, and what else is still seen of these.

After a staged statement such a container is an object of its own, so that a later write to it, or
to one that it may be, would not be seen in the other: it is refused. Reading is right in any case.
"""

from __future__ import annotations

import functools
import gc
import inspect
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import (
    BuiltinMethodType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any, NamedTuple

from autograph.generated import AG
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Maybe, Nullable, Poison, in_words, is_in_result
from autograph.operators.values.bodies import NO_NAMES, Outcome, State
from autograph.operators.values.carried import (
    KEEP_IN_LIST,
    NOTHING,
    VIEWS,
    attributes_of,
    is_changeable,
    is_unset,
    subject,
    with_children,
)
from autograph.operators.values.heaps import Reference, heap_of
from autograph.operators.values.one_of import OneOf, note_refused_choice
from autograph.operators.values.runs import LiveRun, OpenDeque, known_items
from autograph.operators.values.scope import cells_of
from autograph.pending import has_pending
from runtime import journal
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["Chosen", "Sight", "StandIn", "made_of", "note_kin", "note_stand_ins",
           "until_left"]  # fmt: skip

_NOT_MADE = object()
_BEING_MADE = object()
_OPERATORS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PACKAGE = os.path.dirname(_OPERATORS)
_OURS = (_PACKAGE + os.sep, os.path.join(os.path.dirname(_PACKAGE), "runtime") + os.sep)
_TRACING = os.path.join(_PACKAGE, "tracing", "trace.py")
_LOOPS = os.path.join(_OPERATORS, "loops", "loops.py")
# Our own functions that go through what the user's code gave them, and what loops do so with.
_ITERATING_MODULES = (
    _LOOPS,
    *(
        os.path.join(_OPERATORS, "builtins", f"builtin_{name}.py")
        for name in ("functions", "iterators", "reductions")
    ),
)
_ITERATED = ("iterated", "iterator", "iterable", "items")


@dataclass(eq=False)
class Chosen:
    """A container that is `sides[0]` on one path and `sides[1]` on the other, under all names."""

    name: str
    sides: tuple[Any, Any]
    build: Callable[[Sequence[Any]], Any]
    made: Any = _NOT_MADE
    # Whether it is there on one path only, and is older than the statement: then it stays itself.
    is_kept: bool = False
    # Where a path never gets here: the container that has the same on the other path.
    partner: Chosen | None = None

    def make(self, outputs: Sequence[Any]) -> Any:
        """The container after the statement, the same for all places that hold it."""
        if self.partner is not None:
            return self.partner.make(outputs)
        if self.made is _BEING_MADE:
            note_refused_choice(self.name)
            what = f"{subject(self.name)} is one of several objects that lead to each other"
            return Poison(self.name, what, KEEP_IN_LIST)
        if self.made is _NOT_MADE:
            self.made = _BEING_MADE
            self.made = self.build(outputs)
        return self.made


def made_of(like: Any, parts: list[Any]) -> Any:
    """A container like `like`, of other parts, that stands for what the program made."""
    facts = current_trace()
    if facts is not None:
        facts.adopted.watch(type(like))
    return journal.fresh(with_children(like, parts))


def note_kin(
    chosen: Collection[Chosen],
    outcomes: tuple[Outcome, Outcome],
    state: State,
    written: Mapping[Any, Any],
) -> None:
    """Tell the journal which containers are not to be written after a staged `if`.

    `state` and `written` are what the statement gave a value: what only they held is seen no more.
    """
    found = []
    for c in chosen:
        is_new = c.partner is None and c.made is not _NOT_MADE and not c.is_kept
        if is_new and is_changeable(c.made):
            sides = zip(c.sides, outcomes, strict=True)
            ones = [one for x, o in sides if x is not NOTHING for one in o.may_be(x)]
            found.append(StandIn(c.name, c.made, ones))
    note_stand_ins(found, state, written)


class StandIn(NamedTuple):
    """A container that a staged statement made, and those of which it is one, depending on data."""

    name: str
    made: Any
    ones: list[Any]


def note_stand_ins(found: Collection[StandIn], state: State, written: Mapping[Any, Any]) -> None:
    """Tell the journal which containers are not to be written, and what each may be."""
    if not found:
        return
    # The names and places have what the statement gave them: also what was there before, or what
    # has another name.
    sight = Sight(state, {}, state.get(), written)
    uses = Counter(key for x in found for key in {id(one) for one in x.ones})
    for name, made, ones in found:
        journal.note_chosen(made, tuple(ones))
        kin = [x for x in ones if sight.has(x) or uses[id(x)] > 1 or journal.is_kin(x)]
        for x in (made, *kin) if kin else ():
            journal.note_kin(x, in_words(name), until_left(name, state))


def until_left(name: str, state: State) -> Callable[[], bool] | None:
    """Whether the function is left that gives back what is called `name`; None for other names.

    `state` is that of the statement, which is in the function on top. Where that gives back None,
    it is a generator, and what goes through it gives back more.
    Until then a path that came to its `return` writes nothing more, but in what runs behind it:
    what is written on other paths is not seen in the result. A generator is not left where what
    goes through it runs.
    """
    facts = current_trace()
    if facts is None or not in_words(name).endswith("the result") or not facts.scopes.open:
        return None
    own = [x for key, x in zip(state.names, state.get(), strict=True) if is_in_result(key)]
    is_below = len(facts.scopes.open) > 1 and not any(map(_is_something, own))
    scope = facts.scopes.open[-2 if is_below else -1]

    def is_left() -> bool:
        return not any(one is scope for one in (*facts.scopes.open, *facts.scopes.suspended))

    return lambda: facts.scopes.finishing > 0 or is_left()


def _is_something(x: Any) -> bool:
    """Whether what a function gives back is, or may be, more than None."""
    inner = x.inner if isinstance(x, Maybe) else x
    return inner is not None and not is_unset(inner)


class Sight:
    """What user code may still reach, past the names of `state` and the places of `written`.

    `others` are what else is seen; `before` has what was in written places, by their keys in the
    journal.
    """

    def __init__(
        self,
        state: State,
        written: Mapping[Any, Any],
        others: Iterable[Any] = (),
        before: Mapping[Any, Any] | None = None,
    ) -> None:
        self._written = written
        self._cells = {id(cell) for cell in cells_of(state.getter).values()}
        self._found: dict[int, Any] = {}
        facts = current_trace()
        managers = [] if facts is None else facts.scopes.managers
        self._reach([*others, *managers, *_held_by_frames(state.names)], self._parts)
        # What was read before the statement, and is in no place any more.
        frames = _frames_with(state.names)
        pending = [frame for frame, _ in frames if has_pending(frame)]
        self._is_blind = any(has_pending(frame, hidden) for frame, hidden in frames)
        if pending:
            self._before = _by_owner(written if before is None else before)
            self._reach([v for frame in pending for v in _locals(frame).values()], self._parts_then)

    @classmethod
    def of_all(cls) -> Sight:
        """What user code may reach by any name, and in any place that the trace has written."""
        slots = [slot for slot, _ in journal.all_noted().values()]
        # What is in a container is read as a copy of that, which is no list of the user's.
        held = [part for slot in slots if slot.is_content for part in _items(slot.read())]
        held += [slot.read() for slot in slots if not slot.is_content]
        return cls(NO_NAMES, {}, held)

    @property
    def is_waiting(self) -> bool:
        """Whether code under way holds values that no name holds, which are not known."""
        return any(map(has_pending, _frames_of_users()))

    def reached(self) -> Iterable[Any]:
        """All that user code may reach."""
        return self._found.values()

    def has(self, x: Any) -> bool:
        """Whether user code may reach `x`, in the function or after the call."""
        facts = current_trace()
        is_given = facts is not None and facts.outside.is_callers(x)
        return is_given or self._is_blind or self._found.get(id(x)) is x

    def _reach(self, values: list[Any], parts: Callable[[Any], Iterable[Any]]) -> None:
        met: set[int] = set()
        while values:
            x = values.pop()
            if id(x) not in met:
                met.add(id(x))
                self._found[id(x)] = x
                values += parts(x)

    def _parts_then(self, x: Any) -> Iterator[Any]:
        """What an object leads to, and led to before the statement."""
        yield from self._parts(x)
        yield from self._before.get(id(x), ())

    def _parts(self, x: Any) -> Iterator[Any]:
        """What an object leads to."""
        if isinstance(x, ModuleType | str | bytes | int | float | complex):
            return
        if isinstance(x, Reference):  # to what the objects of its class hold
            heap = heap_of(type(x))
            yield from () if heap is None else heap.columns.values()
            return
        if isinstance(x, (list, tuple, dict, set, frozenset, deque)):
            if type(x) is tuple:  # an iterator may have one of its own, with holes in it
                yield from gc.get_referents(x)
            elif ("content", id(x)) not in self._written:
                yield from _held_by(x)
            if isinstance(x, dict):
                yield from dict.keys(x)
            if isinstance(x, OpenDeque) and x.opened is not None:
                yield x.opened
        elif isinstance(x, Maybe | Nullable):
            yield x.inner
        elif type(x) is OneOf:
            yield from x.things
        elif isinstance(x, LiveRun):
            yield from x.lists()
        elif isinstance(x, FunctionType):
            yield from (*(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values())
            for cell in x.__closure__ or ():
                if id(cell) not in self._cells:
                    yield from gc.get_referents(cell)
        elif isinstance(x, MethodType | BuiltinMethodType | MethodWrapperType):
            yield x.__self__
            yield getattr(x, "__func__", None)
        elif isinstance(x, functools.partial):
            yield from (x.func, *x.args, *x.keywords.values())
        elif type(x).__module__ in _ITERATING:
            # An iterator, or a view: what it goes through. A generator: its names and temporaries.
            is_lazy = isinstance(x, GeneratorType) or hasattr(x, "__next__")
            yield from gc.get_referents(x) if is_lazy or type(x) in VIEWS else ()
        yield from self._attributes(x)

    def _attributes(self, x: Any) -> Iterator[Any]:
        cls = x if isinstance(x, type) else type(x)
        if not cls.__flags__ & MADE_BY_CLASS_STATEMENT or _is_ours(cls):
            return
        if "<locals>" in cls.__qualname__:  # it may be younger than the trace, with all it holds
            yield from (v for base in cls.__mro__[:-1] for v in vars(base).values())
        if x is not cls:
            for name, value in attributes_of(x).items():
                if ("attr", id(x), name) not in self._written:
                    yield value


_ITERATING = ("builtins", "itertools", "collections")


def _held_by(x: Any) -> Iterable[Any]:
    """What is in a container, a set whose items depend on data being empty."""
    if isinstance(x, dict):
        return dict.values(x)
    if isinstance(x, deque):
        return deque.__iter__(x)
    return known_items(x) if isinstance(x, set) else x.__iter__()


def _is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in ("autograph", "runtime", "numpy")


def _by_owner(written: Mapping[Any, Any]) -> dict[int, list[Any]]:
    """What was in the places of each object, by its identity."""
    found: dict[int, list[Any]] = {}
    for key, content in written.items():
        if key[0] == "attr":
            found.setdefault(key[1], []).append(content)
        elif key[0] == "content":
            found.setdefault(key[1], []).extend(_items(content))
    return found


def _items(content: Any) -> Iterable[Any]:
    return content.values() if isinstance(content, dict) else content


def _held_by_frames(names: Iterable[str]) -> Iterator[Any]:
    """What the names of the functions under way hold, but those of the statement."""
    for frame, hidden in _frames_with(names):
        yield from [v for name, v in _locals(frame).items() if name not in hidden]


def _frames_with(names: Iterable[str]) -> list[tuple[FrameType, frozenset[str]]]:
    """The frames of users, each with those of the names that are hidden in it."""
    found, hidden = [], frozenset(names)
    for frame in _frames_of_users():
        code = frame.f_code
        is_converted = AG in code.co_freevars
        found.append((frame, hidden if is_converted else frozenset()))
        if is_converted:
            hidden = hidden.difference(code.co_cellvars)
    return found


def _locals(frame: FrameType) -> dict[str, Any]:
    held: Any = frame.f_locals
    code = frame.f_code
    is_loop = code.co_filename == _LOOPS
    found = {name: x for name, x in held.items() if not is_loop or name in _ITERATED}
    is_known = AG in code.co_freevars or code.co_filename.startswith(_OURS)
    if is_known and code.co_flags & inspect.CO_OPTIMIZED and type(held) is dict:
        held.clear()  # the frame would keep it, and with it all that is in it
    return found


def _frames_of_users() -> list[FrameType]:
    """The frames of code that is not ours, down to where the outermost trace began.

    And those of ours that go through what the user's code gave them.
    """
    found: list[FrameType] = []
    inside: list[FrameType] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename == _TRACING:
            inside = found[:]
        elif not filename.startswith(_OURS) or filename in _ITERATING_MODULES:
            found.append(frame)
        frame = frame.f_back
    return inside or [frame for frame in found if AG in frame.f_code.co_freevars]
