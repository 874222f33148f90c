"""Which of the containers that a loop carries are one object, and which may not be written.

A container that each round binds anew is carried by what is in it. Places that hold one object
before the loop, and one after each round, hold one in the rounds too. Where two places hold the
same object at times only, or one that is seen elsewhere too, a write through either would have to
be seen through the other: the journal refuses it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from autograph.operators.branches.may_alias import Sight, made_of, until_left
from autograph.operators.captured.variables import in_words
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.values.bodies import Outcome, State
from autograph.operators.values.carried import NOTHING, with_children
from autograph.operators.values.identity import note_chosen_value
from runtime import journal

__all__ = ["CarriedObjects", "Place"]


class Place(NamedTuple):
    """A carried container: its number, the user's name for it, before the loop, after a round."""

    number: int
    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class _Older:
    """An object from before the loop, by its identity."""

    key: int


@dataclass(frozen=True)
class _New:
    """An object that a round made, by its identity: another one in each round."""

    key: int


# Two of these, of which the first is the number of a place, may be one object.
Pairs = set[tuple[int, Hashable]]
# What each place may hold: numbers of places, `_Older` and `_New` objects.
Held = dict[int, set[Hashable]]


class CarriedObjects:
    """The containers that one loop carries by what is in them; `state` has its names."""

    def __init__(self, state: State) -> None:
        self._state = state
        # By the number of a place: the number of the first one that always holds the same object.
        self.firsts: dict[int, int] = {}
        # What is not to be written in a round, by first number and by identity, with a name of it.
        self._made_refused: dict[int, str] = {}
        self._older_refused: dict[int, tuple[Any, str]] = {}
        # What made ones replace, by identity, with the names of the places where they do.
        self._let_go: defaultdict[int, set[str]] = defaultdict(set)
        self._made: dict[int, Any] = {}
        self._locks: journal.Transaction | None = None
        # What may be one object after the loop: if there was no round, and if there was one.
        self._pairs: tuple[Pairs, Pairs] = (set(), set())
        self._places: dict[int, Place] = {}
        self._things: dict[int, Any] = {}
        self._seen: set[int] = set()
        # The places that may hold an item of a list, which a write would have to reach.
        self._items: set[int] = set()

    # ---- in a round, and after the loop --------------------------------------------------------

    def begin(self) -> None:
        """Before the containers of a round, or of what follows the loop, are made."""
        self._made = {}

    def lock(self, locks: journal.Transaction) -> None:
        """Before a round that runs in that transaction: what it may not write."""
        self._locks = locks
        for thing, name in self._older_refused.values():
            locks.kin[id(thing)] = (thing, name)

    def make(self, form: Branching | Growing, parts: list[Any], name: str) -> Any:
        """The container of a place, the same for all places that hold it."""
        if not form.number:
            made = with_children(form.like, parts)
            note_chosen_value(made)
            return made
        first = self.firsts.get(form.number, form.number)
        if first not in self._made:
            made = self._made[first] = made_of(form.like, parts)
            if first in self._items:
                journal.note_frozen(made, whole=False)
            if self._locks is not None and first in self._made_refused:
                self._locks.kin[id(made)] = (made, self._made_refused[first])
        return self._made[first]

    def is_stale(self, thing: Any) -> bool:
        """Whether a round does not write `thing` any more: a made one is there in its place."""
        return id(thing) in self._let_go

    def refuse(self, thing: Any, name: str) -> None:
        """Refuse writes of `thing`, which a round was seen to do though a made one replaces it."""
        if any(map(self._is_written, self._let_go[id(thing)])):
            self._older_refused[id(thing)] = (thing, name)

    def finish(self, surely_ran: bool) -> None:
        """After the loop, and after its containers are made: what is not to be written now."""
        before, after = self._pairs
        pairs = after if surely_ran else before | after
        both: dict[frozenset[int], object] = defaultdict(object)
        for first, place in self._places.items():
            mine = {other for number, other in pairs if number == first}
            older = [self._things[x.key] for x in mine if isinstance(x, _Older)]
            others = [both[frozenset((first, x))] for x in mine if isinstance(x, int)]
            journal.note_chosen(self._made[first], (*older, *others, object()))
            seen = [x for x in older if id(x) in self._seen]
            for x in (self._made[first], *seen) if seen or others else ():
                journal.note_kin(x, in_words(place.name), until_left(place.name, self._state))

    def _is_written(self, name: str) -> bool:
        """Whether rounds may write what has that name; behind a `return` they write nothing."""
        until = until_left(name, self._state)
        return until is None or until()

    # ---- what a round left ---------------------------------------------------------------------

    def learn(self, places: list[Place], outcome: Outcome, sight: Sight) -> bool:
        """Note what a round left; whether that tells something new."""
        if self.firsts.keys() != {place.number for place in places}:
            self.firsts = _grouped((p.number, _before(p)) for p in places)
            for x in places:
                if x.before is not NOTHING:
                    self._let_go[id(x.before)].add(x.name)
            return True
        firsts = _grouped((p.number, (self.firsts[p.number], _after(p))) for p in places)
        if firsts != self.firsts:
            self.firsts = firsts
            return True
        self._places = {p.number: p for p in places if firsts[p.number] == p.number}
        given = {n: journal.may_be(p.before) for n, p in self._places.items()}
        left = {n: outcome.may_be(p.after) for n, p in self._places.items()}
        things = [x for found in (*given.values(), *left.values()) for x in found]
        self._things = {id(x): x for x in things if x is not NOTHING}
        self._seen = {k for k, x in self._things.items() if sight.has(x) or journal.is_kin(x)}
        self._find_pairs(given, left)
        known = len(self._items)
        self._items |= {
            n
            for n, place in self._places.items()
            if any(outcome.was_item(x) for x in (place.before, place.after) if x is not NOTHING)
        }
        is_more = self._refuse()
        return is_more or len(self._items) > known

    def _find_pairs(self, given: dict[int, list[Any]], left: dict[int, list[Any]]) -> None:
        """What may be one object: closed under what a round does to it."""
        made: dict[int, Hashable] = {id(x): first for first, x in self._made.items()}
        older: dict[int, Hashable] = {
            id(x): _Older(id(x)) for found in given.values() for x in found
        }
        before, after = self._held(given, older), self._held(left, older | made)
        start = found = _paired(before, set())
        while not (following := _paired(after, found)) <= found:
            found = found | following
        self._pairs = start, _paired(after, found)

    def _held(self, found: dict[int, list[Any]], known: dict[int, Hashable]) -> Held:
        """What each place holds: known objects, or others."""

        def token(key: int) -> Hashable:
            return known.get(key, _Older(key) if key in self._seen else _New(key))

        return {n: {token(id(x)) for x in xs if x is not NOTHING} for n, xs in found.items()}

    def _refuse(self) -> bool:
        """Find what is not to be written in a round; whether that is more than was known."""
        known = len(self._made_refused), len(self._older_refused)
        for number, other in self._pairs[0] | self._pairs[1]:
            name = self._places[number].name
            others = [self._places[other].name] if isinstance(other, int) else []
            if not all(map(self._is_written, (name, *others))):
                continue
            if isinstance(other, _Older) and other.key in self._seen:
                self._older_refused.setdefault(other.key, (self._things[other.key], name))
            if not isinstance(other, _Older) or other.key in self._seen:
                self._made_refused.setdefault(number, name)
        for key, (_, name) in self._older_refused.items():
            self._let_go[key].add(name)
        return known != (len(self._made_refused), len(self._older_refused))


def _before(place: Place) -> Hashable:
    """What tells the object that a place holds before the loop, or else what it gets in a round."""
    return id(place.before) if place.before is not NOTHING else ("nothing", _after(place))


def _after(place: Place) -> Hashable:
    """What tells the object that a round leaves in a place; that of nothing is the place's own."""
    return id(place.after) if place.after is not NOTHING else ("nothing", place.number)


def _grouped(keys: Iterable[tuple[int, Hashable]]) -> dict[int, int]:
    """For each number the first one that has the same key."""
    firsts: dict[Hashable, int] = {}
    return {number: firsts.setdefault(key, number) for number, key in keys}


def _paired(held: Held, known: Pairs) -> Pairs:
    """Which places may hold one object where they hold one of `held`, of which `known` may be one.

    A place that holds nothing holds what nothing else does.
    """

    def is_one(x: Hashable, y: Hashable) -> bool:
        return x == y or (x, y) in known or (y, x) in known

    found: Pairs = set()
    for number, mine in held.items():
        found |= {(number, x) for x in mine if isinstance(x, _Older)}
        found |= {(number, y) for n, y in known if n in mine and isinstance(y, _Older)}
        found |= {
            (number, other)
            for other, its in held.items()
            if other != number and any(is_one(x, y) for x in mine for y in its)
        }
    return found
