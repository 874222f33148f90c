"""Long lists that a function reads from names and attributes, as columns: see `columns`.

A trace that depends on what is in such a list, which changes or is very long, is given up: the next
one has the list as one of open length, as if it were an argument. The list is looked for where it
was read when a call begins: it may be another one each time. One that is only appended to stays as
it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.captured.captures import Captured, Place, Trace, content_before
from autograph.operators.captured.context import OpenLists
from autograph.operators.captured.guards import ApartGuard, SharingGuard
from autograph.tracing.columns import FEW, Columns, ObjectColumns, columns_of, lists_of_columns
from runtime import journal
from runtime.effects.given_containers import OutsideList, arguments_of
from runtime.errors import StagingError
from runtime.spec import TensorType

__all__ = ["FoundList", "Lists", "Opened"]

# The places that are looked into, by the first part of their keys; so many are known of a function.
_PLACES = ("global", "cell", "attr")
_MOST = 256
# Tables of fewer numbers that nobody changes are constants of the graph.
_MANY = 128


class FoundList(StagingError):
    """A trace depends on what is in a long list: it is to be made anew, with the list opened."""

    is_signal = True

    def __init__(self) -> None:
        super().__init__("what is in a long list from outside is looked at")


@dataclass(slots=True, eq=False)
class Lists:
    """What a Function has learned of long lists in names and attributes, by their labels.

    Those `opened` are columns, those `closed` their items one by one. `contents` tells what was in
    others.
    """

    opened: dict[Any, None] = field(default_factory=dict)
    closed: dict[Any, None] = field(default_factory=dict)
    contents: dict[Any, int] = field(default_factory=dict)
    # Those that the last trace has opened, and others that it met.
    used: tuple[Any, ...] = ()
    left: dict[Any, list[Any]] = field(default_factory=dict)
    # Whether all are their items for now.
    are_off: bool = False

    @contextmanager
    def closed_for_now(self) -> Iterator[None]:
        """Have all of them their items one by one within this context."""
        self.are_off, self.used = True, ()
        try:
            yield
        finally:
            self.are_off = False

    def open_left(self) -> bool:
        """Open those that the last trace met and had as their items; whether there are any."""
        left, self.left = self.left, {}
        found = [label for label, value in left.items() if columns_of(value) is not None]
        self.opened |= dict.fromkeys(found)
        return bool(found)

    def close(self) -> bool:
        """Have those that the last trace opened their items one by one; whether there are any."""
        self.closed |= dict.fromkeys(self.used)
        return bool(self.used)

    def has_changed(self, label: Any, columns: Columns) -> bool:
        """Whether something else was in a list before; what is in it now is noted."""
        content = hash(tuple(column.tobytes() for column in columns))
        known: dict[Any, Any]
        for known in (self.opened, self.closed, self.contents):
            while len(known) >= _MOST:
                del known[next(iter(known))]
        return self.contents.setdefault(label, content) != content


class _Known(NamedTuple):
    """A list that a trace has opened: what stands for it, and where it was read first."""

    stand_in: list[Any]
    key: Any
    place: Place


class Opened(OpenLists):
    """The long lists from outside of one trace."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        # By the ids of the lists: those that are open; the labels of the others, and them; and of
        # those the ones that the trace depends on.
        self._known: dict[int, _Known] = {}
        self._seen: dict[int, tuple[Any, list[Any]]] = {}
        self._needed: dict[int, Any] = {}
        lists.used, lists.left = (), {}

    def read(self, trace: Trace, key: Any, place: Place, value: Any) -> list[Any] | None:
        """What stands for what was found in a place; None where that is what it is."""
        if key[0] == "item":
            self.depend(key[1])
        if type(value) is not list:
            return None
        label = key[0], place.name
        if len(value) <= FEW or key[0] not in _PLACES or label in self._lists.closed:
            return None
        if id(value) in self._known:
            return self._again(trace, key, place, self._known[id(value)])
        if label not in self._lists.opened:
            self._seen.setdefault(id(value), (label, value))
            self._lists.left[label] = value
            return None
        columns = columns_of(value)
        return None if columns is None else self._opened(trace, key, place, value, columns)

    def depend(self, number: int) -> None:
        """Note that the trace depends on what is in a container that it has read, by its id.

        Raises FoundList if that is to be a list of open length: one of objects, which change; a
        very long one; one in which there was something else before, or that the trace writes.
        """
        if number not in self._seen:
            return
        label, value = self._seen.pop(number)
        before = content_before(value)
        columns = columns_of(before) if len(before) > FEW else None
        if columns is None:
            return
        is_open = isinstance(columns, ObjectColumns) or len(before) >= _MANY
        if self._lists.has_changed(label, columns) or is_open:
            self._open(label)
        self._needed[number] = label

    def _open(self, label: Any) -> None:
        self._lists.opened[label] = None
        raise FoundList

    def checked(self, trace: Trace) -> frozenset[Any]:
        """The labels of those that stayed their items and that the trace, at its end, depends on.

        Raises FoundList for one that the trace depends on and writes, StagingError for one that it
        has met in another way, too.
        """
        self._lists.left = {}
        noted: Any = journal.all_noted()
        for key in noted:
            if key[0] == "content" and key[1] in self._needed:
                self._open(self._needed[key[1]])
        if self._known and trace.effects.calls:
            raise StagingError("Python code is called that may see a list from outside")
        if any(key in trace.outside.things for key in self._known):
            raise StagingError("a list from outside is found in a container, too")
        return frozenset(self._needed.values())

    def _again(self, trace: Trace, key: Any, place: Place, known: _Known) -> list[Any]:
        """The same for a list that was found in a second place: it must be one list again."""
        if key != known.key:
            guard = SharingGuard(place, known.place, is_one=True)
            trace.captures.guards.setdefault(key, guard)
        return known.stand_in

    def _opened(
        self, trace: Trace, key: Any, place: Place, value: list[Any], columns: Columns
    ) -> list[Any]:
        self._lists.used = (*self._lists.used, (key[0], place.name))
        if isinstance(columns, ObjectColumns) and columns.cls in trace.found.classes:
            raise StagingError(f"objects of {columns.cls.__name__} were made before a list of them")
        root = OutsideList(place.fetch, partial(_columns_like, type(columns)))
        handles = [_column(trace, root, place, n, array) for n, array in enumerate(columns)]
        nest = {root: tuple.__new__(type(columns), handles)}
        made, held = lists_of_columns(nest, trace.attempt.heaps, trace.containers.row_lengths)
        stand_in: list[Any] = made[root]
        containers = trace.effects.handouts.containers
        containers[id(stand_in)] = (root,), stand_in
        containers.update(held)
        trace.outside.given[id(stand_in)] = stand_in
        trace.captures.kept += value, stand_in
        trace.containers.has_runs = True
        trace.captures.roots.append(root)
        self._known[id(value)] = _Known(stand_in, key, place)
        if len(self._known) > 1:
            places = tuple(known.place for known in self._known.values())
            trace.captures.guards["lists apart"] = ApartGuard(places)
        return stand_in


def _column(trace: Trace, root: OutsideList, place: Place, number: int, array: Any) -> Any:
    """The placeholder of a column, which is read at each call."""
    type_ = TensorType(array.dtype, (None,) * array.ndim)
    handle = trace.builder.tensor(trace.builder.input(type_, "column"))
    handle._name = place.name
    found = Place(place.name, partial(_column_now, root, number))
    trace.captures.inputs["column", id(root), number] = Captured(
        found, np.ndarray, type_, handle, _nothing
    )
    return handle


def _columns_like(kind: type[Columns], found: Any) -> Columns | None:
    """The columns of what was found in a place; None where they are not of a kind."""
    columns = columns_of(found) if type(found) is list and len(found) > FEW else None
    return columns if type(columns) is kind else None


def _column_now(root: OutsideList, number: int) -> Any:
    """A column of the list that a call found when it began, or that there is now."""
    given = arguments_of()
    columns = None if given is None else given.columns.get(root)
    if columns is None:
        columns = root.columns(root())
    return None if columns is None else columns[number]


def _nothing() -> None:
    return None
