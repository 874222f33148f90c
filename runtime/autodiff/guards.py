"""The walk of a sweep: records whose cotangents are absent, when the graph runs, are left out.

The rules of a chain of such records are a branch, which computes what they move on only if there is
anything to move.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from runtime import trace
from runtime.autodiff.adjoints import Adjoints
from runtime.autodiff.cotangents import conform, cotangent_type, type_of_any, zero
from runtime.autodiff.emission import builder_now
from runtime.autodiff.presence import (
    FLAG,
    Possible,
    Presence,
    either,
    flag_of,
    is_same,
    plain,
    presence_of,
    with_presence,
)
from runtime.building import Builder, traced
from runtime.effects.control import emit_cond
from runtime.errors import Origin, StagingError
from runtime.graph.ir import Value
from runtime.spec import Type
from runtime.tensor import Tensor

__all__ = ["IsWanted", "Place", "Record", "Walk", "places_of"]

IsWanted = Callable[[Hashable], bool]
# So many records are put off, at most, in search of more that belong to a branch.
_FURTHEST = 24


class Place(NamedTuple):
    """Where a contribution goes: the key of an input, its type, and what has its shape."""

    key: Hashable
    type: Type
    like: Any


def places_of(
    keys: Sequence[Hashable], inputs: Sequence[Any], wanted: Sequence[bool]
) -> list[Place]:
    """The places of the wanted inputs, each once."""
    found = {}
    for key, x, asked in zip(keys, inputs, wanted, strict=True):
        if asked and key not in found:
            type_ = x.type if isinstance(x, Value) else type_of_any(x)
            assert type_ is not None, "what is wanted while a graph is built has a type"
            like = traced(key) if isinstance(key, Value) else x
            found[key] = Place(key, type_, like)
    return list(found.values())


class Record(Protocol):
    """One application, as the sweep sees it."""

    @property
    def keys(self) -> Sequence[Hashable]:
        """Those of the inputs."""

    @property
    def results(self) -> Sequence[Hashable]:
        """Keys of the outputs."""

    @property
    def is_calm(self) -> bool:
        """Whether it makes zeros of zeros, whatever the values are."""

    @property
    def origin(self) -> Origin | None:
        """The line of the user's that it comes from, if that is known."""

    def places(self, is_wanted: IsWanted) -> list[Place]:
        """Where it moves cotangents, in a graph."""

    def pull_back(self, adjoints: Adjoints, is_wanted: IsWanted) -> None:
        """Move the cotangents of the outputs on to the inputs."""


class Walk:
    """Records, walked backwards; with `located`, the nodes that are made get their origins."""

    def __init__(self, records: Iterable[Record], is_wanted: IsWanted, located: bool) -> None:
        self.waiting = list(records)
        self.is_wanted, self.located = is_wanted, located
        # The keys of records that are put off: what these wait for, and what waits for these.
        self.closed: set[Hashable] = set()

    def run(self, adjoints: Adjoints) -> None:
        """Move the cotangents in `adjoints` all the way."""
        while self.waiting:
            self.step(self.waiting.pop(), adjoints)

    def step(self, record: Record, adjoints: Adjoints, around: _Branch | None = None) -> None:
        """Walk a record: in a branch, with more, where what it takes may be absent."""
        if adjoints.has_possible:
            present = adjoints.presence(record.results)
            if present is False:
                return
            if isinstance(present, Tensor) and not record.is_calm:
                places = record.places(self.is_wanted)
                if places:
                    _Branch(self, adjoints, present, around).run(record, places)
                return
        with self.at(record):
            record.pull_back(adjoints, self.is_wanted)

    @contextmanager
    def at(self, record: Record) -> Iterator[None]:
        """Give the nodes that are made meanwhile the origin of a record."""
        if not self.located:
            yield
            return
        builder = builder_now()
        mark = builder.mark()
        try:
            yield
        except StagingError as error:
            error.place(record.origin)
            raise
        for made in builder.graph.nodes[mark:]:
            made.origin = record.origin


class _Branch:
    """Records that are walked where the cotangents of their results are `present`."""

    def __init__(
        self, walk: Walk, outer: Adjoints, present: Tensor, around: _Branch | None
    ) -> None:
        self.walk, self.outer, self.present, self.around = walk, outer, present, around
        self.inner = Adjoints(outer.kept, heeds=lambda key: True)
        # By key, where contributions may have gone to, and the sum before them.
        self.touched: dict[Hashable, tuple[Place, Any]] = {}

    def run(self, first: Record, places: list[Place]) -> None:
        """Walk the first record, and those after it that belong to the branch."""
        parent = builder_now()
        run = parent.inside("present")
        with trace.interpreting(run):
            self._take(first, places)
            with self.walk.at(first):
                first.pull_back(self.inner, self.walk.is_wanted)
            self._take_more()
        self._finish(parent, run, first)

    def _take(self, record: Record, places: list[Place]) -> None:
        """Have what a record needs within the branch, and within those around it."""
        if self.around is not None:
            self.around._take(record, places)
        gs = {key: self.outer.take(key) for key in record.results}
        given = [g for g in gs.values() if g is not None]
        for key, g in gs.items():
            if g is not None and self.inner.peek(key) is None:
                alone = len(given) == 1 or is_same(g.present, self.present)
                self.inner.put(key, plain(g) if alone else g)
            if key not in self.outer.kept:
                self.touched.pop(key, None)
        for place in places:
            if place.key not in self.touched:
                known = self.outer.peek(place.key)
                self.touched[place.key] = place, known
                if known is not None:
                    is_ours = self._is_ours(known)
                    known = plain(known)
                    self.inner.put(place.key, known if is_ours else Possible(known, False))

    def _take_more(self) -> None:
        """Walk the records that follow and take cotangents of the branch alone."""
        waiting, before = self.walk.waiting, self.walk.closed
        self.walk.closed = closed = set(before)
        put_off: list[Record] = []
        while waiting and len(put_off) < _FURTHEST:
            record = waiting.pop()
            keys = (*record.keys, *record.results)
            places = [] if not closed.isdisjoint(keys) else self._places(record)
            if places:
                self._take(record, places)
                self.walk.step(record, self.inner, self)
            else:
                put_off.append(record)
                closed.update(keys)
        waiting.extend(reversed(put_off))
        self.walk.closed = before

    def _places(self, record: Record) -> list[Place]:
        """Where a record moves cotangents, if all of them belong to the branch."""
        found = False
        for key in record.results:
            known = self.outer.peek(key)
            if (known is not None and not self._is_ours(known)) or self._is_around(key):
                return []
            found = found or known is not None or self.inner.peek(key) is not None
        return record.places(self.walk.is_wanted) if found else []

    def _is_around(self, key: Hashable) -> bool:
        """Whether a sum is there for a branch around this one already."""
        around = self.around
        while around is not None:
            if around.outer.peek(key) is not None:
                return True
            around = around.around
        return False

    def _is_ours(self, known: Any) -> bool:
        """Whether a sum of before is there where the branch is taken, and nowhere else."""
        return isinstance(known, Possible) and is_same(known.present, self.present)

    def _finish(self, parent: Builder, run: Builder, first: Record) -> None:
        """Make the branch, and put off what it gives."""
        inner, outer = self.inner, self.outer
        with trace.interpreting(run):
            added = {key: presence_of([inner.peek(key)]) for key in self.touched}
            moved = [key for key, there in added.items() if there is not False]
            # Of those that may be absent even so, the presences are results of the branch, too.
            flagged = [key for key in moved if added[key] is not True and outer.heeds(key)]
            types: list[Type] = [self.touched[key][0].type for key in moved]
            totals = [
                run.value_of(conform(plain(inner.peek(key)), type_))
                for key, type_ in zip(moved, types, strict=True)
            ]
            run.graph.outputs = totals + [flag_of(added[key]) for key in flagged]
        if not moved:
            return
        skip = parent.inside("absent")
        with trace.interpreting(skip):
            totals = [skip.value_of(_before(*self.touched[key])) for key in moved]
            skip.graph.outputs = totals + [flag_of(False) for _ in flagged]
        types = [cotangent_type(type_) for type_ in types] + [FLAG] * len(flagged)
        with self.walk.at(first):
            results = emit_cond(parent, flag_of(self.present), (run, skip), types)
        flags: dict[Hashable, Presence] = dict(zip(flagged, results[len(moved) :], strict=True))
        for key, total in zip(moved, results, strict=False):
            before = self.touched[key][1]
            there = either(presence_of([before]), flags.get(key, self.present))
            outer.put(key, with_presence(total, there))


def _before(place: Place, known: Any) -> Any:
    """The sum before anything is added to it."""
    if known is None:
        return zero(cotangent_type(place.type), place.like)
    return conform(plain(known), place.type)
