"""The write journal: what traced code stores, where, and what stood there before.

A staged body runs inside a transaction: trace it, roll back, put placeholders into everything it
wrote, trace again. So the state of a loop is found, not guessed, and Python's side effects of
tracing do not happen twice.
"""

from __future__ import annotations

import gc
import itertools
import weakref
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from sys import getrefcount
from types import CellType, CodeType, FunctionType, GeneratorType, ModuleType
from typing import Any, NamedTuple

from runtime.errors import StagingError
from runtime.origins import Origin, origin_of_caller
from runtime.process.interrupts import uninterrupted

__all__ = [
    "ALONE",
    "BEING_MADE",
    "Item",
    "Slot",
    "Transaction",
    "Watch",
    "all_noted",
    "check",
    "first_noted",
    "fresh",
    "fresh_as",
    "frozen_refusal",
    "frozen_wholly",
    "is_fresh",
    "is_frozen",
    "is_kin",
    "is_made",
    "is_noted",
    "is_older_than_body",
    "is_only_in",
    "is_spent",
    "item_of",
    "leads_to",
    "may_be",
    "note",
    "note_advanced",
    "note_chosen",
    "note_cleared",
    "note_frozen",
    "note_held",
    "note_item",
    "note_kin",
    "note_lent",
    "note_result",
    "note_spent",
    "note_unspent",
    "place_of",
    "recording",
    "sides_of",
    "thawed",
    "transaction",
    "was_item",
]


class Slot(NamedTuple):
    """A place that holds a value: an attribute, an item, an array's cell, a shared name.

    `key` identifies the place (by object identity); `owner` keeps that object alive, so that the
    identity stays true. `read` and `write` get and set the content. `name` is the user's spelling.
    `load` reads it as the program does: what was there before the trace becomes an input.
    """

    key: Hashable
    owner: Any
    name: str
    read: Callable[[], Any]
    write: Callable[[Any], None]
    load: Callable[[], Any] | None = None

    @property
    def is_content(self) -> bool:
        """Whether it is all that is in a container."""
        return isinstance(self.key, tuple) and self.key[0] == "content"


class Item(NamedTuple):
    """A list or dict that is an item of a container, what gives it, and what sets it anew there.

    `writes` is how often the container had been written when it was taken out.
    """

    thing: Any
    container: Any
    get: Callable[[], Any]
    put: Callable[[Any], None]
    writes: int


class Watch:
    """Learns which of some places the transactions that have it write, or may write.

    A place is that of an item or attribute by its key, and all that is in its container.
    """

    def __init__(self, keys: Iterable[Hashable]) -> None:
        self._keys = {key: (key, ("content", *_owner_of(key))) for key in keys}
        self.written: set[Hashable] = set()

    def see(self, slot: Slot) -> None:
        """A slot is noted."""
        self.written.update(key for key, keys in self._keys.items() if slot.key in keys)


def _owner_of(key: Hashable) -> tuple[Hashable, ...]:
    return key[1:2] if isinstance(key, tuple) else ()


class Transaction:
    """The places written since it began, each with its first old content.

    It is open within a `with`; what is not committed is rolled back at its end.
    """

    def __init__(self, watch: Watch | None = None) -> None:
        self.parent = parent = _transaction.get()
        # Learns what is written in it and in those within it.
        self.watch: Watch | None = watch or (None if parent is None else parent.watch)
        self._token: Token[Transaction | None]
        # Whether it is that of the body of a staged statement, which is traced and rolled back.
        self.is_of_body = False
        self.slots: dict[Hashable, tuple[Slot, Any]] = {}
        # The user's line that wrote each of them first.
        self.places: dict[Hashable, Origin | None] = {}
        # Objects made since it began, by id: nobody else can see what is written into them.
        self.made: dict[int, Any] = {}
        # And those made in transactions within it that are over.
        self.made_within: dict[int, Any] = {}
        # All that bodies of staged statements made, by id, also those that are over.
        self.of_bodies: dict[int, Any] = {} if parent is None else parent.of_bodies
        # Generators among them, if any, which end when the last one who uses them lets them go.
        self.generators: weakref.WeakSet[Any] | None = None
        # The iterators that are older and were advanced, which cannot be undone.
        self.advanced: list[Any] = []
        # Containers that are one object or another by data, and these, by id: each with the name.
        self.kin: dict[int, tuple[Any, str]] = {}
        # Those of them that may be written for a while, each with what says whether it is over.
        self.leaving: dict[int, tuple[Any, Callable[[], bool]]] = (
            {} if parent is None else parent.leaving
        )
        # By the id of a container that stands for others: itself, and those that it may be.
        self.chosen: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        # Arrays that are not to be written, as a list holds their content: by the id of the cell,
        # with the cell, and whether the array itself is an item, not a part of it. So are lists
        # and dicts, which stand for themselves.
        self.frozen: dict[int, tuple[Any, bool]] = {}
        # When those became items, by id; and when others, which stand for one of several by data,
        # were known to be none of those that were items then.
        self.freezings: dict[int, int] = {}
        self.cleared: dict[int, int] = {}
        # Lists and dicts that stand alone in a list whose other items the graph holds, by id.
        self.held: dict[int, Any] = {}
        # Of lists and dicts that were put into a container as items, by id: that one, if known.
        self.containers: dict[int, tuple[Any, Any]] = {} if parent is None else parent.containers
        # Lists and dicts that were taken out of others as items, by id.
        self.items: dict[int, Item] = {}
        # Those of them that are being written.
        self.thawed: list[Any] = [] if parent is None else parent.thawed
        # How often containers were written, by id; what is rolled back counts, too.
        self.writes: Counter[int] = Counter() if parent is None else parent.writes
        # Iterators of which it depends on data how far they have come, by id.
        self.spent: dict[int, Any] = {} if parent is None else parent.spent
        # Objects that Python code was given and may keep, by id: each with the name of that code.
        self.lent: dict[int, tuple[Any, str]] = {} if parent is None else parent.lent
        # Whether one of several containers was to be written, where data says which, and was not.
        self.refused_choices: list[str] = [] if parent is None else parent.refused_choices
        # What was to be written, and was not, as a list holds its content.
        self.refused_items: list[Any] = [] if parent is None else parent.refused_items

    @uninterrupted
    def __enter__(self) -> Transaction:
        self._token = _transaction.set(self)
        return self

    @uninterrupted
    def __exit__(self, *details: object) -> None:
        _transaction.reset(self._token)
        self.roll_back()
        if self.is_of_body:
            self.of_bodies.update(self.made)
            self.of_bodies.update(self.made_within)
        if self.parent is not None:
            self.parent.made_within.update(self.made)
            self.parent.made_within.update(self.made_within)

    def note(self, slot: Slot) -> None:
        """Remember the content of `slot` before it is overwritten for the first time."""
        if slot.key not in self.slots and id(slot.owner) not in self.made:
            if self.watch is not None:
                self.watch.see(slot)
            self.slots[slot.key] = (slot, slot.read())
            self.places[slot.key] = origin_of_caller()

    def has_made(self, thing: Any) -> bool:
        """Whether an object was made since it began."""
        if type(thing) is GeneratorType:
            return self.generators is not None and thing in self.generators
        return self.made.get(id(thing)) is thing

    def has_made_within(self, thing: Any) -> bool:
        """Whether an object was made since it began, also in a part that was rolled back."""
        return self.has_made(thing) or self.made_within.get(id(thing)) is thing

    def has_made_by_now(self, thing: Any) -> bool:
        """Whether an object was made since it began, also in a part that is still under way."""
        open_ = _transaction.get()
        parts = []
        while open_ is not None and open_ is not self:
            parts.append(open_)
            open_ = open_.parent
        is_over = open_ is None
        return any(one.has_made_within(thing) for one in ((self,) if is_over else (self, *parts)))

    def hold(self, generator: Any) -> None:
        """Remember that a generator was made."""
        if self.generators is None:
            self.generators = weakref.WeakSet()
        self.generators.add(generator)

    def written(self) -> dict[Hashable, tuple[Slot, Any, Any]]:
        """Slot, old and present content of each written place."""
        return {key: (slot, old, slot.read()) for key, (slot, old) in self.slots.items()}

    def roll_back(self) -> None:
        """Restore all old contents, the last written first."""
        for slot, old in reversed(self.slots.values()):
            if slot.read() is not old:  # else a write failed, as this one would
                slot.write(old)
        self.slots.clear()

    def commit(self) -> None:
        """Keep the writes and tell the enclosing transaction of them."""
        if self.parent is not None:
            for key, entry in self.slots.items():
                if id(entry[0].owner) not in self.parent.made:
                    self.parent.slots.setdefault(key, entry)
                    self.parent.places.setdefault(key, self.places.get(key))
            self.parent.made.update(self.made)
            for generator in self.generators or ():
                self.parent.hold(generator)
            self.parent.kin.update(self.kin)
            self.parent.chosen.update(self.chosen)
            self.parent.frozen.update(self.frozen)
            self.parent.freezings.update(self.freezings)
            self.parent.cleared.update(self.cleared)
            self.parent.items.update(self.items)
            self.parent.held.update(self.held)
        self.slots.clear()


_transaction: ContextVar[Transaction | None] = ContextVar("transaction", default=None)


def recording() -> Transaction | None:
    """The open transaction, None where nothing is being traced."""
    return _transaction.get()


def all_noted() -> dict[Hashable, tuple[Slot, Any]]:
    """Slot and oldest content of each place written in any open transaction."""
    found: dict[Hashable, tuple[Slot, Any]] = {}
    open_ = _transaction.get()
    while open_ is not None:
        found |= open_.slots
        open_ = open_.parent
    return found


def is_noted() -> bool:
    """Whether any place was written in an open transaction."""
    open_ = _transaction.get()
    while open_ is not None and not open_.slots:
        open_ = open_.parent
    return open_ is not None


def first_noted(key: Hashable) -> tuple[Slot, Any] | None:
    """Slot and oldest content of a place, if it was noted in any open transaction."""
    found, open_ = None, _transaction.get()
    while open_ is not None:
        found = open_.slots.get(key, found)
        open_ = open_.parent
    return found


def place_of(key: Hashable) -> Origin | None:
    """The user's line that wrote a place first, in the outermost transaction that knows."""
    found, open_ = None, _transaction.get()
    while open_ is not None:
        found = open_.places.get(key, found)
        open_ = open_.parent
    return found


def note(slot: Slot) -> None:
    """Tell the open transaction, if any, that `slot` is about to be written."""
    open_ = _transaction.get()
    if open_ is not None:
        check(slot)
        open_.note(slot)
        open_.writes[id(slot.owner)] += 1


def check(slot: Slot) -> None:
    """Refuse a write of `slot` that would not be seen where it would have to be."""
    open_ = _transaction.get()
    if open_ is not None:
        _refuse_lent(slot, open_)
        _refuse_kin(slot, open_)
        _refuse_frozen(slot, open_)


def note_result(slot: Slot) -> None:
    """Tell it that a whole statement is about to write `slot`, as its parts already did."""
    open_ = _transaction.get()
    if open_ is not None:
        open_.note(slot)
        open_.writes[id(slot.owner)] += 1


def _refuse_lent(slot: Slot, open_: Transaction) -> None:
    """Refuse to change an object of the trace of which Python code may keep what it was given."""
    thing, name = open_.lent.get(id(slot.owner), (None, ""))
    if thing is not None and thing is slot.owner and slot.is_content:
        raise StagingError(
            f"a {type(thing).__name__} that was made in the function is given to `{name}`, which "
            "may keep it, and it is changed here",
            "give it a copy, or make a new one for each call",
            origin=origin_of_caller(),
        )


def note_lent(thing: Any, name: str) -> None:
    """Remember that the Python code called `name` was given `thing`, and may keep it."""
    open_ = _transaction.get()
    if open_ is not None:
        open_.lent.setdefault(id(thing), (thing, name))


# Places of what stands for another thing: a container, an object, a name that a function writes.
_OF_KIN = ("content", "attr", "cell")


def _refuse_kin(slot: Slot, open_: Transaction) -> None:
    """Refuse to change an object that another one stands for, which would not see the change."""
    if not isinstance(slot.key, tuple) or slot.key[0] not in _OF_KIN:
        return
    found = _kin_of(slot.owner, open_)
    if found is None:
        return
    thing, name = found
    until = open_.leaving.get(id(thing))
    if until is not None and until[0] is thing and not until[1]():
        return
    open_.refused_choices.append(name)
    kind = "variable" if type(thing) is CellType else type(thing).__name__
    place = name if " " in name else f"`{name}`"
    raise StagingError(
        f"which {kind} {place} is depends on data, and one that it may be is changed here",
        f"change it in each branch or before the loop, or take a copy of the {kind} there",
        origin=origin_of_caller(),
    )


def _refuse_frozen(slot: Slot, open_: Transaction | None) -> None:
    """Refuse to write an array of which a list has the content, and would not see the write."""
    if _has_frozen(slot.owner, open_):
        if open_ is not None:
            open_.refused_choices.append(slot.name)
            open_.refused_items.append(slot.owner)
        raise frozen_refusal(slot, origin_of_caller())


def _has_frozen(thing: Any, open_: Transaction | None) -> bool:
    if open_ is not None and any(x is thing for x in open_.thawed):
        return False
    while open_ is not None:
        if open_.frozen.get(id(thing), (None,))[0] is thing:
            return True
        open_ = open_.parent
    return False


def note_item(
    thing: Any, container: Any, get: Callable[[], Any], put: Callable[[Any], None]
) -> None:
    """Remember that `thing` is an item of a container, and how it is taken out and set anew."""
    open_ = _transaction.get()
    if open_ is not None:
        open_.items[id(thing)] = Item(thing, container, get, put, open_.writes[id(container)])


def item_of(thing: Any) -> Item | None:
    """What is known of a list or dict that is an item, and is where it was taken out.

    None where its container was written since, and while it is being written itself.
    """
    open_ = _transaction.get()
    if open_ is None or not _has_frozen(thing, open_):
        return None
    found = _noted_item(thing, open_)
    is_there = found is not None and found.writes == open_.writes[id(found.container)]
    return found if is_there else None


def note_held(thing: Any) -> None:
    """Remember that a list or dict stands alone in a list whose other items the graph holds."""
    open_ = _transaction.get()
    if open_ is not None:
        open_.held[id(thing)] = thing


def was_item(thing: Any) -> bool:
    """Whether a list or dict was taken out of a container or put into one, or may be such a one."""
    open_ = now = _transaction.get()
    while open_ is not None:
        if open_.held.get(id(thing)) is thing:
            return True
        open_ = open_.parent
    return _has_frozen(thing, now) or _noted_item(thing, now) is not None


def _noted_item(thing: Any, open_: Transaction | None) -> Item | None:
    while open_ is not None:
        found = open_.items.get(id(thing))
        if found is not None and found.thing is thing:
            return found
        open_ = open_.parent
    return None


@contextmanager
def thawed(thing: Any) -> Iterator[None]:
    """Within this a list or dict that is an item may be written: whoever does so puts it back."""
    open_ = _transaction.get()
    assert open_ is not None
    open_.thawed.append(thing)
    try:
        yield
    finally:
        open_.thawed.pop()


def frozen_refusal(slot: Slot, origin: Origin | None) -> StagingError:
    """The error for a write of an array that is an item of a list whose length depends on data.

    Or of a list, dict or object that is one, which may just have come from there
    (`d[k].append(x)`).
    """
    is_part = isinstance(slot.key, tuple) and slot.key[0] == "attr"
    name = f"a {type(slot.owner).__name__}" if is_part else slot.name
    hint = "put a copy into the list (`.append(x.copy())`), or write it before"
    if is_part:
        hint = "put a new one into the list (`copy.copy(x)`, `dataclasses.replace(x, ...)`)"
    if name in ("a list", "a dict"):
        hint = (
            "set the item anew (`d[k] = d[k] + [x]`), give a dict all its keys before "
            "(`d = {'a': [], 'b': []}`), or put a copy into the list"
        )
    elif name == "an array":
        hint = f"{hint}; of an item, set it anew (`d[k] = d[k] + x`)"
    return StagingError(
        f"{name} is an item of a list whose length depends on data, and it is written here, which "
        "the list would not see",
        hint,
        origin=origin,
    )


def note_frozen(cell: Any, *, whole: bool) -> bool:
    """Remember that the array of `cell` is not to be written from now on.

    Gives whether it was an item as a `whole` before.
    """
    open_ = _transaction.get()
    if open_ is None:
        return False
    known = any(x is cell for x in frozen_wholly())
    open_.frozen[id(cell)] = cell, known or whole
    open_.freezings[id(cell)] = next(_times)
    return known


def note_cleared(made: Any) -> None:
    """Remember that `made`, which is one of several by data, is none of those that are items now.

    On the path on which it would be that one, it was not put into a list.
    """
    open_ = _transaction.get()
    if open_ is not None:
        open_.cleared[id(made)] = next(_times)


_times = itertools.count()


def is_only_in(thing: Any, container: Any) -> bool:
    """Whether a list or dict is an item of no other container; from now on it is one of this."""
    open_ = _transaction.get()
    assert open_ is not None
    known, holder = open_.containers.get(id(thing), (None, None))
    if known is not thing:
        open_.containers[id(thing)] = thing, container
        return not is_frozen(thing)
    return holder is container and container is not None


def is_frozen(thing: Any) -> bool:
    """Whether a list, dict or object is an item of a list that has its content."""
    is_nest = isinstance(thing, list | dict) or hasattr(type(thing), "__dataclass_fields__")
    return is_nest and _has_frozen(thing, _transaction.get())


def frozen_wholly() -> list[Any]:
    """The cells of the arrays that are items as a whole, as far as open transactions know."""
    found, open_ = [], _transaction.get()
    while open_ is not None:
        found += [cell for cell, whole in open_.frozen.values() if whole]
        open_ = open_.parent
    return found


def _kin_of(thing: Any, open_: Transaction | None) -> tuple[Any, str] | None:
    while open_ is not None:
        entry = open_.kin.get(id(thing))
        if entry is not None and entry[0] is thing:
            return entry
        open_ = open_.parent
    return None


def note_kin(thing: Any, name: str, until: Callable[[], bool] | None = None) -> None:
    """Remember that which object `name` is depends on data, and that `thing` is among them.

    With `until`, `thing` may be written as long as that is false.
    """
    open_ = _transaction.get()
    if open_ is None:
        return
    is_known = _kin_of(thing, open_) is not None
    if until is None:
        open_.leaving.pop(id(thing), None)
    elif not is_known:
        open_.leaving[id(thing)] = thing, until
    open_.kin.setdefault(id(thing), (thing, name))


def note_chosen(made: Any, sides: tuple[Any, ...]) -> None:
    """Remember that `made` stands for one of `sides`, depending on data."""
    open_ = _transaction.get()
    if open_ is not None:
        open_.chosen[id(made)] = (made, sides)


def may_be(thing: Any, inner: dict[int, tuple[Any, tuple[Any, ...]]] | None = None) -> list[Any]:
    """`thing`, and the containers of which it is one, depending on data.

    `inner` is what a body that was rolled back had told by `note_chosen`.
    """
    met: dict[int, Any] = {}
    waiting = [thing]
    while waiting:
        one = waiting.pop()
        if id(one) not in met:
            met[id(one)] = one
            waiting += reversed(sides_of(one, inner or {}))
    return list(met.values())


def sides_of(thing: Any, inner: dict[int, tuple[Any, tuple[Any, ...]]]) -> tuple[Any, ...]:
    """The containers of which `thing` is one, depending on data; `inner` as in `may_be`."""
    found, open_ = inner.get(id(thing)), _transaction.get()
    while open_ is not None and (found is None or found[0] is not thing):
        found, open_ = open_.chosen.get(id(thing)), open_.parent
    return () if found is None or found[0] is not thing else found[1]


def is_kin(thing: Any) -> bool:
    """Whether `thing` is, or is stood for by, an object that depends on data."""
    return _kin_of(thing, _transaction.get()) is not None


def fresh(made: Any) -> Any:
    """`made`, of which the open transaction, if any, learns that it is new."""
    open_ = _transaction.get()
    if open_ is None:
        return made
    if type(made) is GeneratorType:
        open_.hold(made)
    else:
        open_.made[id(made)] = made
    return made


def fresh_as(made: Any, other: Any) -> None:
    """Tell the transaction that knows `other` as new that `made` came with it."""
    open_ = _transaction.get()
    while open_ is not None and not open_.has_made(other):
        open_ = open_.parent
    if open_ is not None:
        open_.made[id(made)] = made


def note_advanced(iterator: Any) -> None:
    """Tell the open transactions that are younger than `iterator` that it is advanced."""
    open_ = _transaction.get()
    while open_ is not None and not open_.has_made(iterator):
        open_.advanced.append(iterator)
        open_ = open_.parent


def note_spent(*iterators: Any) -> None:
    """Remember that it depends on data how far each of `iterators` has come."""
    open_ = _transaction.get()
    if open_ is not None:
        open_.spent.update((id(iterator), iterator) for iterator in iterators)


def note_unspent(*iterators: Any) -> None:
    """Remember that it is known how far each of `iterators` has come."""
    open_ = _transaction.get()
    if open_ is not None:
        for iterator in iterators:
            open_.spent.pop(id(iterator), None)


def is_spent(iterator: Any) -> bool:
    """Whether it depends on data how far `iterator` has come."""
    open_ = _transaction.get()
    return open_ is not None and open_.spent.get(id(iterator)) is iterator


class _Made:
    """Tells what `getrefcount` says of an object in an `__init__` that a call of its class runs."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        args[0].count = getrefcount(args[0])


# Without arguments by name, and with some, which Python calls another way.
BEING_MADE = _Made().count, _Made(name=0).count  # type: ignore[attr-defined]

# And what it says of a result, in what a call is given it, that nothing else holds.
ALONE = (lambda result: getrefcount(result))(object())


def is_fresh(thing: Any) -> bool:
    """Whether `thing` was made since the outermost open transaction began."""
    open_ = _transaction.get()
    while open_ is not None:
        if open_.has_made(thing):
            return True
        open_ = open_.parent
    return False


def is_made(thing: Any) -> bool:
    """Whether `thing` is fresh, or a body of a staged statement that is over made it."""
    open_ = _transaction.get()
    while open_ is not None:
        if open_.has_made_within(thing):
            return True
        open_ = open_.parent
    return False


# What leads to all of a program, or to nothing.
_APART = (type, ModuleType, CodeType, str, int, float, complex, bytes)


def leads_to(things: list[Any], thing: Any) -> bool:
    """Whether some things lead to `thing`, be it by objects of a library.

    What was put into places since the outermost transaction began does not count.

    >>> held = [1]
    >>> leads_to([{"a": (held,)}], held), leads_to([{"a": ([1],)}], held)
    (True, False)
    """
    noted: Any = all_noted()
    met = {id(slot.read()) for key, (slot, _) in noted.items() if key[0] == "attr"}
    waiting = [*things]
    while waiting:
        one = waiting.pop()
        before = noted.get(("content", id(one)))
        for part in _referents(one if before is None else before[1]):
            if part is thing:
                return id(part) not in met
            if id(part) not in met and not isinstance(part, _APART):
                met.add(id(part))
                waiting.append(part)
    return False


def _referents(thing: Any) -> Iterable[Any]:
    """What a thing refers to; a function, by the names that its code has."""
    if not isinstance(thing, FunctionType):
        return () if isinstance(thing, _APART) else gc.get_referents(thing)
    names = (thing.__globals__.get(name) for name in thing.__code__.co_names)
    return *names, thing.__closure__, thing.__defaults__, thing.__kwdefaults__, thing.__dict__


def is_older_than_body(thing: Any) -> bool:
    """Whether the body of a staged statement is being traced that does not make `thing` itself."""
    open_ = _transaction.get()
    while open_ is not None and not open_.has_made(thing):
        if open_.is_of_body:
            return True
        open_ = open_.parent
    return False


def is_of_body(thing: Any) -> bool:
    """Whether `thing` was made in the body of a staged statement, which may be over."""
    open_ = _transaction.get()
    is_found = open_ is not None and open_.of_bodies.get(id(thing)) is thing
    if is_found:
        return True
    while open_ is not None:
        is_found = is_found or open_.has_made_within(thing)
        if is_found and open_.is_of_body:
            return True
        open_ = open_.parent
    return False


def transaction(watch: Watch | None = None) -> Transaction:
    """Open a transaction; what is not committed is rolled back at its end.

    >>> box = [1]
    >>> slot = Slot(id(box), box, "box", lambda: box[0], lambda v: box.__setitem__(0, v))
    >>> with transaction() as t:
    ...     note(slot)
    ...     box[0] = 2
    >>> box
    [1]
    """
    return Transaction(watch)
