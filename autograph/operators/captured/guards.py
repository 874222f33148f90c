"""What a trace takes for granted about the world outside, and whether it still holds.

A guard says what was found in a place. Plain values are compared by type and value, everything else
by identity, held weakly.
"""

from __future__ import annotations

import array
import ctypes
import operator
import os
import types
import weakref
from collections import ChainMap, OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, ItemsView, Iterable, KeysView, Sequence, ValuesView
from typing import Any, ClassVar, NamedTuple

import numpy as np

from runtime.spec import DESCRIPTIONS
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["MISSING", "NUMBERS", "PLAIN_TYPES", "AbsenceGuard", "ApartGuard", "ContentGuard",
           "Guard", "Identity", "IdentityGuard", "Mark", "Place", "SharingGuard", "TypeGuard",
           "are_same_objects", "held_in", "is_of_library", "marks", "may_be_input", "same_value",
           "shown", "state_marks", "together", "weak"]  # fmt: skip

MISSING = object()
NUMBERS = (int, float)
_LARGE = 1 << 31
# Guards of more items than this are looked at together.
_MANY = 64
PLAIN = (bool, int, float, complex, str, bytes, type(None))
PLAIN_TYPES = frozenset(PLAIN)


def weak(thing: Any) -> Callable[[], Any]:
    """A reference that does not keep `thing` alive, where Python allows that."""
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: thing


class Place(NamedTuple):
    """Where a captured value was read: how to read it again, and its name in the user's words."""

    name: str
    fetch: Callable[[], Any]
    # The same as data, where it is plain, for code that reads many places at once: ("item", thing,
    # key), ("cell", cell, None), or ("attribute", reference to an object, name); "own attribute"
    # where the `__getattr__` of a class is not asked.
    route: tuple[str, Any, Any] | None = None


class Guard:
    """A captured Python value that the trace depends on.

    `key` is the journal's key of the place of a value that was read by itself.
    """

    __slots__ = ("by_value", "expected", "key", "place")
    # Whether it is about classes, functions and names of libraries: while those are as they were,
    # reading what the others compare runs no code of the user's that it did not run in the trace.
    is_of_code: ClassVar[bool] = False
    # How many items of a container it looks at.
    items: int = 0

    def __init__(self, place: Place, expected: Any, by_value: bool, key: Any = None) -> None:
        self.place = place
        self.expected = expected
        self.by_value = by_value
        self.key = key

    def holds(self) -> bool:
        """Whether the place still holds what the trace saw."""
        found = self.found()
        if found is self.expected:
            return True
        return self.by_value and same_value(found, self.expected)

    @property
    def singles(self) -> Sequence[Guard]:
        """The guards that it stands for, one for each place."""
        return (self,)

    @property
    def looks_at_many(self) -> bool:
        """Whether it takes a while, as each of many items of a container is looked at."""
        return self.items > _MANY

    @property
    def is_another_number(self) -> bool:
        """Whether the place of an int or float holds another one, which a graph could take."""
        if self.key is None or type(self.expected) not in NUMBERS:
            return False
        found = self.found()
        if type(found) is not type(self.expected) or same_value(found, self.expected):
            return False
        return may_be_input(found) and may_be_input(self.expected)

    def found(self) -> Any:
        """What the place holds now."""
        try:
            return self.place.fetch()
        except (AttributeError, KeyError, IndexError, NameError, ValueError, ReferenceError):
            return MISSING

    def explain(self) -> str:
        """What changed, in words."""
        return f"{self.place.name}: {_short(self.expected)} -> {shown(self.found())}"


def shown(found: Any) -> str:
    """What a place holds now, in words: of an array its dtype and shape."""
    if found is MISSING:
        return "unbound"
    if isinstance(found, (np.ndarray, Tensor)):
        return f"{found.dtype}{list(found.shape)}"
    return _short(found)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def may_be_input(number: Any) -> bool:
    """Whether a captured int or float may be an input of a graph, whose ints have 64 bits.

    Counters and sizes may. What is larger, as the state of a generator of random numbers, stays a
    constant of the trace, with which Python computes without a limit.
    """
    return isinstance(number, float) or -_LARGE < number < _LARGE


def same_value(a: Any, b: Any) -> bool:
    """Equality of Python values that tells 1, 1.0 and True apart, and 0.0 and -0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a.hex() == float(b).hex()
    if isinstance(a, Mark):
        return a.same(b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict):
        pairs = zip(a.items(), b.items(), strict=False)
        return len(a) == len(b) and all(same_value(one, other) for one, other in pairs)
    if isinstance(a, np.generic):
        return is_number_of_numpy(a) and bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())
    if isinstance(a, complex):
        return same_value(a.real, b.real) and same_value(a.imag, b.imag)
    if isinstance(a, (frozenset, set)):
        return bool(a == b) and tree.exactly(a) == tree.exactly(b)
    if isinstance(a, (int, str, bytes, type(None), *DESCRIPTIONS)):
        return bool(a == b)
    return a is b


def is_number_of_numpy(x: Any) -> bool:
    """Whether `x` is a NumPy number, which nobody changes and whose bytes are its value."""
    return isinstance(x, np.number | np.bool_)


class Identity:
    """A weak note of which object was seen."""

    __slots__ = ("described", "ref")

    def __init__(self, thing: Any) -> None:
        self.ref = weak(thing)
        self.described = _short(type(thing).__name__)


class IdentityGuard(Guard):
    """A captured object: the same one must be found again."""

    def __init__(self, place: Place, seen: Identity) -> None:
        super().__init__(place, seen, by_value=False)

    def holds(self) -> bool:
        # What died is None, as what is found may be.
        found = self.found()
        return found is not None and found is self.expected.ref()

    @property
    def is_past(self) -> bool:
        """Whether what was seen is gone, or is a container, which a trace keeps alive."""
        seen = self.expected.ref()
        return seen is None or isinstance(seen, (list, dict, set, deque, tuple))

    def explain(self) -> str:
        return f"{self.place.name}: another object ({self.expected.described} before)"


class AbsenceGuard(Guard):
    """An attribute that an object lacks; `plainly`: in its own `__dict__`."""

    __slots__ = ("plainly",)

    def __init__(self, place: Place, *, plainly: bool) -> None:
        super().__init__(place, MISSING, by_value=False)
        self.plainly = plainly


class TypeGuard(Guard):
    """A captured array whose elements a graph does not read, but whose type the trace has seen.

    `fits` tells whether what is found is of that type.
    """

    __slots__ = ("fits",)

    def __init__(self, place: Place, seen: str, fits: Callable[[Any], bool]) -> None:
        # Without a route: it is not compared with one object.
        super().__init__(Place(place.name, place.fetch), seen, by_value=False)
        self.fits = fits

    def holds(self) -> bool:
        found = self.found()
        return found is not MISSING and self.fits(found)

    def explain(self) -> str:
        return f"{self.place.name}: {self.expected} -> {shown(self.found())}"


class SharingGuard(Guard):
    """Two places: they must hold one object again, or two again."""

    __slots__ = ("one", "other")

    def __init__(self, place: Place, other: Place, is_one: bool) -> None:
        # Without a route: both places are to be read.
        super().__init__(Place(place.name, place.fetch), is_one, by_value=False)
        self.one, self.other = place, Guard(other, None, by_value=False)

    def holds(self) -> bool:
        found, other = self.found(), self.other.found()
        return found is not MISSING and (found is other) is self.expected

    def explain(self) -> str:
        """What changed, in words."""
        now = "is another object than" if self.expected else "is the same object as"
        return f"{self.place.name} {now} {self.other.place.name}"


class ApartGuard(Guard):
    """Places that must hold as many arrays again, none of them twice."""

    __slots__ = ("places",)

    def __init__(self, places: tuple[Place, ...]) -> None:
        names = " and ".join(place.name for place in places)
        super().__init__(Place(names, lambda: MISSING), None, by_value=False)
        self.places = tuple(Guard(place, None, by_value=False) for place in places)

    def holds(self) -> bool:
        found = [place.found() for place in self.places]
        return len({id(thing) for thing in found}) == len(found)

    def explain(self) -> str:
        """What changed, in words."""
        return f"two of {self.place.name} are one array"


class ContentGuard(Guard):
    """The content of a container: mostly the very objects of the trace, which is seen at once.

    `before` is what it held when the trace began; without `of_arrays`, arrays may be others.
    """

    __slots__ = ("_absent", "container", "items", "of_arrays", "references", "seen")

    def __init__(self, name: str, container: Any, before: Any, *, of_arrays: bool = True) -> None:
        place = Place(name, lambda: marks(container, of_arrays=of_arrays))
        super().__init__(place, marks(before, of_arrays=of_arrays), by_value=True)
        self.container, self.items, self.of_arrays = container, len(before), of_arrays
        held = self._told(before) if type(before) in _READ else None
        # None where that would keep what others let go: it is referred to weakly then.
        self.seen = held if held is not None and all(map(_is_kept, held)) else None
        self.references = None if held is None else [*map(weak, held)]
        self._absent = 0 if held is None else _count_none(held)

    def holds(self) -> bool:
        return self.is_as_it_was() or super().holds()

    def is_as_it_was(self) -> bool:
        """Whether it holds the very objects of the trace; they may be equal where it does not."""
        if self.references is None:
            return False
        found = self._told(self.container)
        if self.seen is not None:
            return are_same_objects(found, self.seen)
        are_same = len(found) == len(self.references) and all(
            map(operator.is_, found, map(operator.call, self.references))
        )
        return are_same and _count_none(found) == self._absent  # what died is None, too

    def _told(self, content: Any) -> list[Any]:
        held = held_in(content)
        if self.of_arrays:
            return held
        kinds = [*map(type, held)]
        if (arrays := kinds.count(np.ndarray)) in (0, len(kinds)):  # mostly
            return kinds if arrays else held
        return [
            np.ndarray if kind is np.ndarray else x for kind, x in zip(kinds, held, strict=True)
        ]


class ReachGuard(Guard):
    """That a list has items enough for those that are written by their positions."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether it has."""
        found = self.found()
        return found is not MISSING and bool(found >= self.expected)


class _ManyGuard(Guard):
    """Guards of many places: mostly all hold the very objects that the trace saw, `expected`."""

    __slots__ = ("_guards", "items")

    def __init__(
        self, name: str, guards: Sequence[Guard], read: Callable[[], list[Any]], seen: list[Any]
    ) -> None:
        super().__init__(Place(name, read), seen, by_value=False)
        self._guards, self.items = guards, len(guards)

    @property
    def singles(self) -> Sequence[Guard]:
        return self._guards

    def holds(self) -> bool:
        found = self.found()
        is_as_it_was = found is not MISSING and are_same_objects(found, self.expected)
        return is_as_it_was or all(guard.holds() for guard in self._guards)


def held_in(content: Any) -> list[Any]:
    """The items of a container; of a dict its keys, and its values behind them."""
    return [*content, *content.values()] if isinstance(content, dict) else [*content]


def _is_kept(x: Any) -> bool:
    """Whether to keep an item keeps nothing that others let go: it cannot be referred to weakly."""
    is_value = isinstance(x, PLAIN) or is_number_of_numpy(x)
    return is_value or not isinstance(weak(x), weakref.ref)


def are_same_objects(found: Sequence[Any], seen: Sequence[Any]) -> bool:
    """Whether all objects that were found are the very ones that were seen."""
    return len(found) == len(seen) and all(map(operator.is_, found, seen))


def together(guards: Iterable[Guard]) -> list[Guard]:
    """The guards; those of many items, or many containers, as one, which costs a call less."""
    kept: list[Guard] = []
    contents: list[ContentGuard] = []
    items: dict[int, list[Guard]] = {}
    for guard in guards:
        if isinstance(guard, ContentGuard) and guard.seen is not None:
            contents.append(guard)
        elif type(guard) is Guard and guard.key is not None and guard.key[0] == "item":
            items.setdefault(guard.key[1], []).append(guard)
        else:
            kept.append(guard)
    for found in items.values():
        kept += found if len(found) <= _MANY else [_of_items(found)]
    return kept + (contents if len(contents) <= _MANY else [_of_contents(contents)])


def _of_items(guards: list[Guard]) -> Guard:
    thing: Any = guards[0].place.route[1] if guards[0].place.route else None
    read = operator.itemgetter(*(guard.key[2] for guard in guards))
    name = f"{len(guards)} items of a {type(thing).__name__}"
    return _ManyGuard(name, guards, lambda: read(thing), [guard.expected for guard in guards])


def _of_contents(guards: list[ContentGuard]) -> Guard:
    def read() -> list[Any]:
        found: list[Any] = []
        for guard in guards:
            found += held_in(guard.container)
            found.append(MISSING)  # what moves from one to the next is seen
        return found

    seen = [x for guard in guards for x in (*(guard.seen or ()), MISSING)]
    return _ManyGuard(f"{len(guards)} containers", guards, read, seen)


# ---- contents and states, to be compared later ------------------------------------------------


def marks(content: Any, *, of_arrays: bool = True) -> tuple[Any, ...]:
    """The elements of a container, plain ones by value and others by identity.

    Without `of_arrays`, one array is as good as another. They are read past the methods of a class
    of the user's, which may do more than to give them.
    """
    mark_ = mark if of_arrays else _mark_of_kind
    base: Any = next((kind for kind in _READ if isinstance(content, kind)), None)
    if isinstance(content, dict):
        return tuple((k, mark_(v)) for k, v in base.items(content))
    return tuple(map(mark_, content if base is None else base.__iter__(content)))


_READ = (list, OrderedDict, dict, set, frozenset, deque, tuple)


class Mark:
    """An element of a captured container that is told by its identity, held weakly."""

    __slots__ = ("described", "ref")

    def __init__(self, thing: Any) -> None:
        self.ref = weak(thing)
        array = isinstance(thing, (np.ndarray, np.generic, Tensor))
        self.described = f"{thing.dtype}{list(thing.shape)}" if array else type(thing).__name__

    def same(self, other: Mark) -> bool:
        """Whether both mark one object, which still lives."""
        mine = self.ref()
        return mine is not None and mine is other.ref()

    def __repr__(self) -> str:
        return self.described


def _mark_of_kind(value: Any) -> Any:
    return np.ndarray if type(value) is np.ndarray else mark(value)


def _count_none(things: list[Any]) -> int:
    return [*map(type, things)].count(types.NoneType)


def mark(value: Any) -> Any:
    if type(value) is tuple or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return tuple.__new__(type(value), map(mark, value))
    return value if isinstance(value, PLAIN) or is_number_of_numpy(value) else Mark(value)


_STATELESS = (type, types.ModuleType, types.FunctionType, Tensor, Variable, np.ndarray)


def has_state(thing: Any) -> bool:
    """Whether `thing` is an object whose attributes its methods may read."""
    if isinstance(thing, _STATELESS):
        return False
    return isinstance(getattr(thing, "__dict__", None), dict)


# Containers and numbers of Python's own that others may change: those that show what another object
# holds, those that are memory, and those that are written in Python.
_VIEWS = (types.MappingProxyType, KeysView, ValuesView, ItemsView)
_BUFFERS = (array.array, bytearray, memoryview, ctypes.Array, ctypes.Structure, ctypes._SimpleCData)
_OF_LIBRARIES = (*_VIEWS, *_BUFFERS, UserDict, UserList, ChainMap, type(os.environ), np.poly1d)


def is_of_library(thing: Any) -> bool:
    """Whether `thing` is an object of a library that holds what others may change."""
    if isinstance(thing, _STATELESS):  # most are, and to ask the abstract classes takes a while
        return False
    # NumPy imports its polynomials when they are asked for.
    return isinstance(thing, _OF_LIBRARIES) or type(thing).__module__.startswith("numpy.polynomial")


def _parts(view: Any) -> Iterable[Any]:
    return view.items() if isinstance(view, types.MappingProxyType) else view


def state_marks(thing: Any, read: Callable[[Any], Any], seen: frozenset[int] = frozenset()) -> Any:
    """All that code which is handed `thing` may find in it, arrays by content.

    `read` gives what an object or container held at the time that counts.
    """
    if isinstance(thing, PLAIN):
        return thing
    if isinstance(thing, np.ndarray):
        return ("array", str(thing.dtype), thing.shape, thing.tobytes())
    if id(thing) in seen:
        return Mark(thing)
    inside = seen | {id(thing)}
    if isinstance(thing, (list, tuple, deque)):
        return tuple(state_marks(x, read, inside) for x in read(thing))
    if isinstance(thing, (set, frozenset)):
        return frozenset(thing)
    if isinstance(thing, dict):
        return tuple((k, state_marks(v, read, inside)) for k, v in read(thing).items())
    if isinstance(thing, _VIEWS):
        return (Mark(thing), *(state_marks(x, read, inside) for x in _parts(thing)))
    if isinstance(thing, _BUFFERS):
        return (Mark(thing), memoryview(thing).format, bytes(thing))
    if has_state(thing):
        fields = read(thing).items()
        return (Mark(thing), *((k, state_marks(v, read, inside)) for k, v in fields))
    return Mark(thing)
