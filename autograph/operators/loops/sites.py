"""The place of a loop in the program, and the solution that was last found there.

A loop inside another is solved in each trace of the outer body. It starts from what it found to
carry the last time, so that nesting does not multiply the traces.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import CellType, CodeType
from typing import Any, NamedTuple

from autograph.operators.captured.alternatives import Part
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Maybe, Nullable
from autograph.operators.loops.widening import form_of_parts, widen
from autograph.operators.symbolic.arrays import Owning, Referring
from autograph.operators.symbolic.choices import Optional, OrNone
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Form, Leaf, Static, Unbound
from autograph.operators.values.bodies import slot_content
from autograph.operators.values.captured_items import parts_of
from autograph.operators.values.carried import (
    has_parts,
    is_changeable,
    is_container,
    is_numeric,
    is_unset,
    own_children,
    type_of,
)
from autograph.operators.values.contents import content_slot
from autograph.operators.values.references import reference_of, reserve
from runtime import journal, trace
from runtime.building import Builder
from runtime.cells import Cell
from runtime.errors import Origin
from runtime.spec import TensorType

__all__ = ["Entry", "Site", "note_written"]


@dataclass(eq=False, repr=False)
class Entry:
    """One carried place: a name of the state, or a slot of the journal."""

    name: str
    initial: Any
    form: Form
    slot: journal.Slot | None = None
    placed: Any = None
    # The user's line that a round was first seen to write it at.
    place: Origin | None = None

    @property
    def owner(self) -> Any:
        """The container of which it is the content; None for any other place."""
        return self.slot.owner if self.slot is not None and self.slot.is_content else None


class Solution(NamedTuple):
    """What a loop was found to carry: forms of names, written arrays, who shares what."""

    forms: dict[Any, Form]
    written: list[Cell]
    # The names that its functions have for the lists and dicts that it writes.
    contents: set[str]
    others: dict[int, set[int]]
    # Whether the test is part of the round before.
    carries_go: bool = False
    # The arrays that each name was before the loop.
    before: dict[Any, list[Part]] = {}  # noqa: RUF012 - a new one is made for each
    # That of the place, which is known by its id: a hash would go through it as a whole.
    code: CodeType | None = None


class Site:
    """One loop as it is met: its code, and what its names are before it.

    `names` are those of the function around that its body and its test have.
    """

    def __init__(
        self, code: CodeType, initials: dict[Any, Any], parent: Builder, names: dict[str, CellType]
    ) -> None:
        self.initials, self.parent, self.code = initials, parent, code
        self.held = dict(_held(names))
        # What a name without a value gets is of the type of what the loop has names for.
        self.key = id(code), *(tuple(map(_told, held.values())) for held in (initials, self.held))
        self.before = {key: _parts(x) for key, x in initials.items()}
        self._owns: dict[int, int] = {}

    def remember(
        self, entries: dict[Any, Entry], others: dict[int, set[int]], carries_go: bool = False
    ) -> None:
        """Keep the solution for the next time that this place is met."""
        facts = current_trace()
        if facts is None:
            return
        forms = {key: entry.form for key, entry in entries.items() if entry.slot is None}
        slots = [entry.slot for entry in entries.values() if entry.slot is not None]
        written = [slot.owner for slot in slots if isinstance(slot.owner, Cell)]
        owners = {id(entry.owner) for entry in entries.values()}
        contents = {name for name, x in self._containers() if id(x) in owners}
        facts.decisions.sites[self.key] = facts.decisions.sites["written", id(self.code)] = (
            Solution(forms, written, contents, others, carries_go, self.before, self.code)
        )

    def recall(self) -> Solution:
        """The last solution, as far as it serves, with the arrays of this time."""
        facts = current_trace()
        sites = {} if facts is None else facts.decisions.sites
        known: Solution | None = sites.get(self.key)
        if known is None:  # what its code writes is known if it was met with other types
            written = sites.get(("round", id(self.code)), [])
            written = [c for c in written if self._is_there(c) and not c.locked]
            known = sites.get(("written", id(self.code)), Solution({}, [], set(), {}))
            return known._replace(forms={}, written=written, others={})
        self._owns = {}
        forms: dict[Any, Form] = {}
        body = Builder("round", self.parent)
        for key, form in known.forms.items():
            moved = self._moved(form, self.initials[key], known)
            if moved is not None and _covers(moved, self.initials[key], body):
                forms[key] = moved
        written = [
            cell for old in known.written for cell in self._now(old, known) if cell.locked is None
        ]
        others = {
            self._owns[own]: {self._owns[other] for other in found if other in self._owns}
            for own, found in known.others.items()
            if own in self._owns
        }
        written = list(dict.fromkeys(written))
        return Solution(forms, written, known.contents, others, known.carries_go)

    def _containers(self) -> Iterator[tuple[str, Any]]:
        """The lists and dicts that the loop has names for, and does not bind these anew."""
        bound = {id(x) for x in self.initials.values()}
        for name, found in self.held.items():
            if type(found) in (list, dict) and id(found) not in bound:
                yield name, found

    def supposed(self, names: set[str]) -> Iterator[Entry]:
        """What is in the lists and dicts of these names, as it is before the loop."""
        for found in [x for name, x in self._containers() if name in names and journal.is_made(x)]:
            slot = content_slot(found)
            initial = slot_content(slot)
            yield Entry(
                slot.name, initial, form_of_parts(initial, bools=False, is_content=True), slot
            )

    def _now(self, cell: Cell, known: Solution) -> list[Cell]:
        """The cells that are in the place of one from the last time."""
        found = [
            part.cell
            for key, parts in known.before.items()
            if any(part.cell is cell for part in parts)
            for part in self.before[key]
        ]
        if found:
            return found
        return [cell] if self._is_there(cell) else []

    def _is_there(self, cell: Cell) -> bool:
        """Whether an array is older than the loop."""
        return cell.first is not None and self.parent.reaches(cell.first)

    def _moved(self, form: Form, x: Any, known: Solution) -> Form | None:
        """The form with the arrays of this time; None where that cannot be told."""
        if isinstance(form, Optional) and _is_of_the_last_time(form.part, x):
            return None
        children = parts_of(x) if isinstance(form, Branching) and has_parts(x) else ()
        if isinstance(form, Branching) and len(children) != len(form.parts):
            return None
        if isinstance(form, Optional | OrNone | Branching):
            moved = [self._moved(part, one, known) for part, _, one in form.within(x)]
            parts = [part for part in moved if part is not None]
            return form.with_inner(parts) if len(parts) == len(moved) else None
        if isinstance(form, Static | Leaf | Unbound):
            return form
        if not isinstance(form, Referring) or form.sources:
            return None
        found: dict[int, tuple[Part, tuple[TensorType, ...]]] = {}
        for part in _parts(x):
            found[part.number] = part, tuple(map(type_of, part.operands))
        for part, types in zip(form.parts, form.types, strict=True):
            for cell in self._now(part.cell, known):
                if not _is_alike(cell, part.cell):
                    continue  # another view of another array: it is found anew
                own_part = part if cell is part.cell else Part(cell, part.chain, part.type)
                found.setdefault(own_part.number, (own_part, types))
        numbers = sorted(found)
        of_parts = tuple(found[n][0] for n in numbers), tuple(found[n][1] for n in numbers)
        if isinstance(form, Owning):
            own = self._owns[form.own] = reserve()
            return Owning(form.type, *of_parts, own, form.name)
        return Referring(form.type, *of_parts) if found else None


def note_written(code: CodeType | None, round_: journal.Transaction) -> None:
    """Remember the arrays that a round wrote which was run before the loop, to be taken back."""
    facts = current_trace()
    if facts is not None:
        owners = (slot.owner for slot, _ in round_.slots.values())
        facts.decisions.sites["round", id(code)] = [x for x in owners if isinstance(x, Cell)]


def _is_alike(cell: Cell, other: Cell) -> bool:
    """Whether views of one can be taken of the other."""
    if cell is other:
        return True
    first, its = cell.first, other.first
    return first is not None and its is not None and first.type == its.type


def _held(names: dict[str, CellType]) -> Iterator[tuple[str, Any]]:
    """What these names hold, if they have a value."""
    for name, cell in names.items():
        with suppress(ValueError):
            yield name, cell.cell_contents


def _told(x: Any) -> tuple[TensorType, ...]:
    return tuple(_types(x))


def _types(x: Any) -> list[TensorType]:
    if isinstance(x, Maybe | Nullable):
        return _types(x.inner)
    if is_numeric(x):
        return [type_of(x)]
    if is_container(x) and not is_changeable(x):
        return [t for _, part in own_children(x) for t in _types(part)]
    return []


def _parts(x: Any) -> list[Part]:
    """The arrays that a name may be before the loop."""
    if isinstance(x, Maybe | Nullable):
        return _parts(x.inner)
    found = reference_of(x)
    return [] if found is None else list(found.parts.values())


def _is_of_the_last_time(form: Form, x: Any) -> bool:
    """Whether a place that has no value yet got an object, which may be another one this time."""
    return is_unset(x) and isinstance(form, Static) and has_parts(form.value)


def _covers(form: Form, x: Any, body: Builder) -> bool:
    """Whether a round that carries the form may find `x`."""
    with trace.interpreting(body):
        return widen(form, x, "what the loop carries", body) == form
