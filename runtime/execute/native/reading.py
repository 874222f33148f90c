"""Graphs that read things from outside of their arguments: where, and what is looked at first.

The entry reads variables of modules and closures, attributes and items anew at each call, as Python
would, and compares what it finds there with what was there when the graph was made. Where anything
differs, a function of Python is called instead, which knows more of what is alike.

First of all it looks at the versions of classes: while they are those that were seen, reading an
attribute runs no code of the user's that it did not run then. So it does with functions that were
called, and with names that are what they nearly always are: those of built-ins and of libraries.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CellType
from typing import Any, NamedTuple

from runtime.execute.native.classes import Version
from runtime.execute.native.functions import Parts
from runtime.execute.native.layout import NO_VERSION

__all__ = [
    "Absent",
    "Alive",
    "Argument",
    "Attribute",
    "Check",
    "Constant",
    "Content",
    "Fetched",
    "Holds",
    "Item",
    "Named",
    "Nest",
    "OfArray",
    "OfKind",
    "Reading",
    "Referent",
    "Same",
    "Shared",
    "Source",
    "Unchanged",
    "Variable",
    "table",
    "was_called",
]


class Variable(NamedTuple):
    """An item of a dict, by a key of Python's own: the dict of a module is one."""

    names: dict[Any, Any]
    name: Any


class Argument(NamedTuple):
    """An argument of the call, by its position."""

    position: int


class Constant(NamedTuple):
    """This very object."""

    thing: Any


class Referent(NamedTuple):
    """What a weak reference refers to."""

    reference: Any


class Item(NamedTuple):
    """`thing[key]`, of a list, tuple or deque."""

    thing: Any
    key: Any


class Fetched(NamedTuple):
    """What a function gives."""

    function: Callable[[], Any]


class Attribute(NamedTuple):
    """`owner.name`; with `is_own`, as `object.__getattribute__` gives it.

    The owner must be of just that class, of which the versions of the classes tell whether it is as
    it was; None: of any. With `is_own`, it may be known where the object has the attribute: in its
    dict, or in a slot at an offset.
    """

    owner: Source
    name: str
    kind: Version | None
    is_own: bool = False
    is_in_dict: bool = False
    offset: int | None = None


Source = Variable | CellType | Argument | Constant | Referent | Item | Fetched | Attribute


class Same(NamedTuple):
    """A place must hold this very object."""

    source: Source
    thing: Any


class Alive(NamedTuple):
    """A place must hold what a weak reference refers to."""

    source: Source
    reference: Any


class Shared(NamedTuple):
    """Two places must hold one object, or else two."""

    one: Source
    other: Source
    is_one: bool


class Content(NamedTuple):
    """A list or tuple must hold just these objects: itself, what is referred to, or of a class."""

    container: Any
    wanted: Sequence[Constant | Referent | type]


class Unchanged(NamedTuple):
    """A function must give True of a dict, which is asked again when that has changed."""

    names: dict[Any, Any]
    function: Callable[[], bool]


class Holds(NamedTuple):
    """A function must give True."""

    function: Callable[[], bool]


class OfKind(NamedTuple):
    """What a place holds must be of just this class."""

    source: Source
    kind: Version


class OfArray(NamedTuple):
    """A place must hold an array of this dtype, the very object, and shape, which lies in rows."""

    source: Source
    dtype: Any
    shape: Sequence[int]


class Absent(NamedTuple):
    """An object of just that class must have no such name in its dict."""

    owner: Source
    name: str
    kind: Version


Check = Same | Alive | Shared | Content | Unchanged | Holds | OfKind | OfArray | Absent


class Nest(NamedTuple):
    """An argument, or an item of a nest before, that is to be a list, tuple or dict of this form.

    What is at that position must be of just this class, which may be that of named tuples, and
    have so many items; a dict, these very keys in this order. Of an object with fields, `keys` are
    their names: it must have these attributes, and nothing else in its dict. One that wraps an item
    has it in the first of its `slots`, by their offsets, and None in the others. The items have the
    next positions, after those of the arguments and of the nests before.
    """

    position: int
    kind: type
    length: int
    keys: Sequence[Any] = ()
    slots: Sequence[int] = ()

    @property
    def layout(self) -> int:
        """Where its items are."""
        if self.slots:
            return IN_SLOT
        if issubclass(self.kind, tuple):
            return IN_TUPLE
        return _LAYOUTS.get(self.kind, IN_OBJECT)


class Named(NamedTuple):
    """A dict must hold these very objects under names, and nothing under the `absent` ones."""

    names: dict[str, Any]
    wanted: Sequence[tuple[str, Any]]
    absent: Sequence[str] = ()


class Reading(NamedTuple):
    """What a call reads: `inputs`, given behind its arguments, and `constants`, given behind those.

    `arguments` counts those of the call and the items of its `nests`.

    It needs all `checks` to hold, all `classes` to have the versions that were seen, all
    `functions` their parts, all dicts the `named` objects, and the list `replaced` to be empty.
    `given` is what the graph takes in the place of the arguments, where it does not take just
    these, and `asked` what others of them must be: else the call is another one.
    """

    arguments: int
    inputs: Sequence[Source]
    constants: Sequence[Any]
    checks: Sequence[Check]
    replaced: list[Any]
    classes: Sequence[Version] = ()
    given: Sequence[Source] | None = None
    asked: Sequence[tuple[int, Same | Alive]] = ()
    functions: Sequence[Parts] = ()
    named: Sequence[Named] = ()
    nests: Sequence[Nest] = ()

    def without_graph(self, checks: Sequence[OfKind | OfArray]) -> Reading:
        """The same of no graph, where arguments have to pass these checks, too."""
        return self._replace(given=(), checks=[*checks, *self.checks])

    @property
    def is_of_arguments(self) -> bool:
        """Whether nothing is read: what is looked at is only to be as it was."""
        return self.given is None and not (
            self.nests
            or self.inputs
            or self.constants
            or self.checks
            or self.replaced
            or self.asked
        )


# Where something is read, or looked at at once, and what is compared later, as the entry knows it.
(_CELL, _VARIABLE, _CONSTANT, _ARGUMENT, _REFERENT, _OWN, _ATTRIBUTE, _ITEM, _FETCHED, _IN_DICT,
 _SLOT, _PLACE, _KIND, _LIVE, _ABSENT, _CONTENT, _UNCHANGED, _ARRAY) = range(18)  # fmt: skip
_SAME, _ONE, _TWO, _HOLDS = range(4)
# Where the items of a list, a tuple and a dict are, the fields of an object, and what one wraps.
IN_LIST, IN_TUPLE, IN_DICT, IN_OBJECT, IN_SLOT = range(5)
_LAYOUTS: dict[Any, int] = {list: IN_LIST, dict: IN_DICT}
# The word that is set by a call.
_CALLED = 16


def table(
    reading: Reading,
    context: int,
    fallback: Callable[..., Any],
    missed: Any = None,
    make: Callable[..., Any] | None = None,
    check: Callable[..., Any] | None = None,
    plain: tuple[Callable[..., Any], tuple[str, ...]] | None = None,
) -> tuple[ctypes.Array[ctypes.c_uint64], Any]:
    """What the entry is told, as words; and what must live as long as they are used.

    Without a graph, `plain` is the function that is called, and the names of its last arguments.

    With `missed`, all results are given, as a tuple or as what is to `make` of it; and that, where
    the arguments are of other types. With `check`, that is called with the inputs of the graph
    first, and they are given to `make`, too.
    """
    slots = _Slots(reading)
    # Behind each row, what the entry notes of a dict: its version, and what was found in it.
    noted = [(*row, NO_VERSION, 0) for row in slots.rows]
    pairs = [_words(_pairs(named, slots.kept)) for named in reading.named]
    dicts = [
        (id(named.names), NO_VERSION, len(row) // 2, ctypes.addressof(row))
        for named, row in zip(reading.named, pairs, strict=True)
    ]
    rows, checks, versions, functions, spaces = (
        _words(word for row in part for word in row)
        for part in (
            noted,
            slots.checks,
            [(version.address,) for version in reading.classes],
            [(parts.address,) for parts in reading.functions],
            dicts,
        )
    )
    asked = _words(
        word
        for position, check in reading.asked
        for word in (isinstance(check, Alive), position, id(check[1]))
    )
    nests, keys = _forms(reading.nests)
    words = (
        context,
        id(fallback),
        id(reading.replaced),
        reading.arguments,
        slots.borrowed,
        slots.inputs,
        slots.count,
        len(reading.classes),
        ctypes.addressof(versions),
        len(slots.rows),
        ctypes.addressof(rows),
        len(slots.checks),
        ctypes.addressof(checks),
        0 if missed is None else id(missed),
        len(asked) // 3,
        ctypes.addressof(asked),
        0,
        len(reading.functions),
        ctypes.addressof(functions),
        len(reading.named),
        ctypes.addressof(spaces),
        len(reading.nests),
        ctypes.addressof(nests),
        reading.arguments - sum(nest.length for nest in reading.nests),
        0 if make is None else id(make),
        0 if check is None else id(check),
        0 if plain is None else id(plain[0]),
        0 if plain is None or not plain[1] else id(plain[1]),
    )
    kept = (
        reading, fallback, missed, make, check, plain, slots.kept, rows, checks, versions, asked,
        functions, spaces, pairs, keys, nests,
    )  # fmt: skip
    return _words(words), kept


def _forms(nests: Sequence[Nest]) -> tuple[ctypes.Array[ctypes.c_uint64], Any]:
    """What tells nests, as words; and what these name."""
    keys = [_words(nest.slots or map(id, nest.keys)) for nest in nests]
    rows = (
        (nest.position, id(nest.kind), nest.length, nest.layout, ctypes.addressof(row))
        for nest, row in zip(nests, keys, strict=True)
    )
    return _words(word for row in rows for word in row), keys


def _pairs(named: Named, kept: list[Any]) -> Iterator[int]:
    """Each name, and what it must be; the names, as dicts find them at once, go to `kept`."""
    wanted = [*((name, id(thing)) for name, thing in named.wanted), *((n, 0) for n in named.absent)]
    for name, thing in wanted:
        kept.append(sys.intern(name))
        yield from (id(kept[-1]), thing)


def was_called(builtin: Any) -> bool:
    """Whether a graph was run by a builtin that reads, since this was asked last."""
    words = builtin.__self__.kept[0]
    was, words[_CALLED] = words[_CALLED], 0
    return bool(was)


class _Slots:
    """Where a call keeps what it reads: what the graph takes first, each place once.

    The first `borrowed` are the arguments as they are.
    """

    def __init__(self, reading: Reading) -> None:
        self.rows: list[tuple[int, int, int, int, int]] = []
        self.checks: list[tuple[int, int, int]] = []
        # What the rows name, and nothing else keeps.
        self.kept: list[Any] = []
        self._slots: dict[Any, int] = {}
        self._read: set[int] = set()
        self._kinds: set[tuple[int, int]] = set()
        self.borrowed = reading.arguments if reading.given is None else 0
        sources = [*(reading.given or ()), *reading.inputs, *map(Constant, reading.constants)]
        self._slots.update({_key(x): self.borrowed + i for i, x in enumerate(sources)})
        self.count = self.inputs = self.borrowed + len(sources)
        # What tells objects from one another comes before what is read of them.
        for position, wanted in reading.asked:
            if isinstance(wanted, Alive):
                place = self._slot(Argument(position))
                self._slots.setdefault(_key(Referent(wanted.reference)), place)
        for check in reading.checks:
            if isinstance(check, Alive):
                slot = self._slot(check.source)
                self.rows.append((_LIVE, slot, id(check.reference), 0, 0))
                self._slots.setdefault(_key(Referent(check.reference)), slot)
        for i, source in enumerate(sources, self.borrowed):
            if i not in self._read:
                self._read_into(i, source)
        for check in reading.checks:
            self._check(check)
        # What is read for this alone is not kept, so all else comes before.
        for check in reading.checks:
            if isinstance(check, Same):
                self._compare(check)

    def _slot(self, source: Source) -> int:
        """Where a place is read into; it is read there when it is asked for first."""
        key = _key(source)
        slot = self._slots.get(key)
        if slot is None:
            if isinstance(source, Argument) and source.position < self.borrowed:
                return source.position
            slot = self._slots[key] = self.count
            self.count += 1
        if slot >= self.borrowed and slot not in self._read:
            self._read_into(slot, source)
        return slot

    def _read_into(self, slot: int, source: Source) -> None:
        self._read.add(slot)
        self.rows.append((*self._row(slot, source), 0))

    def _compare(self, check: Same) -> None:
        is_kept = isinstance(check.source, Argument | Constant | Referent)
        if is_kept or _key(check.source) in self._slots:
            self.checks.append((_SAME, self._slot(check.source), id(check.thing)))
        else:
            self.rows.append((*self._row(0, check.source), id(check.thing)))

    def _row(self, slot: int, source: Source) -> tuple[int, int, int, int]:
        if isinstance(source, CellType):
            return _CELL, slot, id(source), 0
        if isinstance(source, Variable):
            return _VARIABLE, slot, id(source.names), id(source.name)
        if isinstance(source, Argument):
            return _ARGUMENT, slot, source.position, 0
        if isinstance(source, Constant):
            return _CONSTANT, slot, id(source.thing), 0
        if isinstance(source, Referent):
            return _REFERENT, slot, id(source.reference), 0
        if isinstance(source, Item):
            if type(source.thing) is list and type(source.key) is int and source.key >= 0:
                return _PLACE, slot, id(source.thing), source.key
            return _ITEM, slot, id(source.thing), id(source.key)
        if isinstance(source, Fetched):
            return _FETCHED, slot, id(source.function), 0
        owner = self._slot(source.owner)
        if source.kind is not None:
            self._of_kind(owner, source.kind)
        name = self._interned(source.name)
        if source.offset is not None:
            return _SLOT, slot, owner, source.offset
        if source.is_in_dict:
            return _IN_DICT, slot, owner, name
        return (_OWN if source.is_own else _ATTRIBUTE), slot, owner, name

    def _interned(self, name: str) -> int:
        """The name as dicts and classes find it at once."""
        self.kept.append(sys.intern(name))
        return id(self.kept[-1])

    def _of_kind(self, slot: int, kind: Version) -> None:
        if (slot, kind.address) not in self._kinds:
            self._kinds.add((slot, kind.address))
            self.rows.append((_KIND, slot, kind.address, 0, 0))

    def _check(self, check: Check) -> None:
        """How, the slot, and what it is compared with: an object, or another slot."""
        if isinstance(check, Shared):
            sign = _ONE if check.is_one else _TWO
            self.checks.append((sign, self._slot(check.one), self._slot(check.other)))
        elif isinstance(check, OfKind):
            self._of_kind(self._slot(check.source), check.kind)
        elif isinstance(check, OfArray):
            words = _words([id(check.dtype), len(check.shape), *check.shape])
            self.kept.append(words)
            self.rows.append((_ARRAY, self._slot(check.source), ctypes.addressof(words), 0, 0))
        elif isinstance(check, Absent):
            owner = self._slot(check.owner)
            self._of_kind(owner, check.kind)
            self.rows.append((_ABSENT, 0, owner, self._interned(check.name), 0))
        elif isinstance(check, Content):
            words = _words(_contents(check))
            self.kept.append(words)
            row = (_CONTENT, 0, id(check.container), ctypes.addressof(words), 0)
            self.rows.append(row)
        elif isinstance(check, Unchanged):
            self.rows.append((_UNCHANGED, 0, id(check.names), id(check.function), 0))
        elif isinstance(check, Holds):
            self.checks.append((_HOLDS, 0, id(check.function)))


def _contents(check: Content) -> Iterator[int]:
    """How many items there are, where they lie, and how each is told, and with what."""
    yield from (len(check.wanted), IN_LIST if isinstance(check.container, list) else IN_TUPLE)
    for wanted in check.wanted:
        if isinstance(wanted, Constant | Referent):
            yield from (isinstance(wanted, Referent), id(wanted[0]))
        else:
            yield from (2, id(wanted))


def _key(source: Source) -> Any:
    if isinstance(source, CellType):
        return id(source)
    if isinstance(source, Variable | Item):
        return type(source), id(source[0]), type(source[1]), source[1]
    if isinstance(source, Attribute):
        return Attribute, _key(source.owner), source.name
    return type(source), source[0] if isinstance(source, Argument) else id(source[0])


def _words(words: Any) -> ctypes.Array[ctypes.c_uint64]:
    row = list(words)
    return (ctypes.c_uint64 * len(row))(*row)
