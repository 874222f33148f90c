"""The place of a loop in the program, and the solution that was last found there.

A loop inside another is solved in each trace of the outer body. It starts from what it found to
carry the last time, so that nesting does not multiply the traces.
"""

from __future__ import annotations

from dataclasses import replace
from types import CodeType
from typing import Any, NamedTuple

from autograph.operators.captured.alternatives import Part
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Maybe, Nullable
from autograph.operators.stand_ins.captured_items import parts_of
from autograph.operators.stand_ins.references import has_cell, reference_of, reserve
from autograph.operators.stand_ins.values import (
    has_parts,
    is_array,
    is_changeable,
    is_container,
    is_numeric,
    is_same,
    is_unset,
    own_children,
    split_none,
    type_of,
)
from autograph.operators.symbolic.arrays import Owning, Referring
from autograph.operators.symbolic.choices import Optional, OrNone
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Form, Leaf, Static, Unbound
from runtime.building import Builder
from runtime.cells import Cell
from runtime.spec import TensorType, join

__all__ = ["Site"]


class Solution(NamedTuple):
    """What a loop was found to carry: forms of names, written arrays, who shares what."""

    forms: dict[Any, Form]
    written: list[Cell]
    others: dict[int, set[int]]
    # The arrays that each name was before the loop.
    before: dict[Any, list[Part]]
    # That of the place, which is known by its id: a hash would go through it as a whole.
    code: CodeType | None = None


class Site:
    """One loop as it is met: its code, and what its names are before it."""

    def __init__(self, code: CodeType, initials: dict[Any, Any], parent: Builder) -> None:
        self.initials, self.parent, self.code = initials, parent, code
        self.key = id(code), tuple([t for x in initials.values() for t in _types(x)])
        self.before = {key: _parts(x) for key, x in initials.items()}
        self._owns: dict[int, int] = {}

    def remember(
        self, forms: dict[Any, Form], written: list[Cell], others: dict[int, set[int]]
    ) -> None:
        """Keep the solution for the next time that this place is met."""
        facts = current_trace()
        if facts is not None:
            facts.sites[self.key] = Solution(forms, written, others, self.before, self.code)

    def recall(self) -> Solution:
        """The last solution, as far as it serves, with the arrays of this time."""
        facts = current_trace()
        known: Solution | None = facts.sites.get(self.key) if facts is not None else None
        if known is None:
            return Solution({}, [], {}, {})
        self._owns = {}
        forms: dict[Any, Form] = {}
        for key, form in known.forms.items():
            moved = self._moved(form, self.initials[key], known)
            if moved is not None and _covers(moved, self.initials[key]):
                forms[key] = moved
        written = [
            cell for old in known.written for cell in self._now(old, known) if cell.locked is None
        ]
        others = {
            self._owns[own]: {self._owns[other] for other in found if other in self._owns}
            for own, found in known.others.items()
            if own in self._owns
        }
        return Solution(forms, list(dict.fromkeys(written)), others, self.before)

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
        return [cell] if cell.first is not None and self.parent.reaches(cell.first) else []

    def _moved(self, form: Form, x: Any, known: Solution) -> Form | None:
        """The form with the arrays of this time; None where that cannot be told."""
        if isinstance(form, Optional) and _is_of_the_last_time(form.part, x):
            return None
        if isinstance(form, Optional):
            inner = self._moved(form.part, x.inner if isinstance(x, Maybe) else x, known)
            return None if inner is None else Optional(inner)
        if isinstance(form, OrNone):
            inner = self._moved(form.part, split_none(x)[0], known)
            return None if inner is None else OrNone(inner)
        if isinstance(form, Branching):
            return self._moved_branches(form, x, known)
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
                moved = part if cell is part.cell else Part(cell, part.chain, part.type)
                found.setdefault(moved.number, (moved, types))
        numbers = sorted(found)
        of_parts = tuple(found[n][0] for n in numbers), tuple(found[n][1] for n in numbers)
        if isinstance(form, Owning):
            own = self._owns[form.own] = reserve()
            return Owning(form.type, *of_parts, own, form.name)
        return Referring(form.type, *of_parts) if found else None

    def _moved_branches(self, form: Branching, x: Any, known: Solution) -> Form | None:
        children = [child for _, child in parts_of(x)] if has_parts(x) else []
        if len(children) != len(form.parts):
            return None
        moved = [self._moved(p, c, known) for p, c in zip(form.parts, children, strict=True)]
        parts = tuple(part for part in moved if part is not None)
        return replace(form, parts=parts) if len(parts) == len(moved) else None


def _is_alike(cell: Cell, other: Cell) -> bool:
    """Whether views of one can be taken of the other."""
    if cell is other:
        return True
    first, its = cell.first, other.first
    return first is not None and its is not None and first.type == its.type


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


def _covers(form: Form, x: Any) -> bool:
    """Whether a loop may carry `x`, which is there before it, in that form."""
    if isinstance(form, Unbound):
        return is_unset(x)
    if isinstance(form, Optional):
        return is_unset(x) or _covers(form.part, x.inner if isinstance(x, Maybe) else x)
    if isinstance(form, OrNone):
        return x is None or _covers(form.part, split_none(x)[0])
    if isinstance(form, Static):
        return is_same(form.value, x)
    if isinstance(form, Leaf):
        return is_numeric(x) and not is_array(x) and join(form.type, type_of(x)) == form.type
    if isinstance(form, Referring):
        return has_cell(x) and join(form.type, type_of(x)) == form.type
    assert isinstance(form, Branching)
    if not has_parts(x) or type(x) is not type(form.like):
        return False
    children = parts_of(x)
    if tuple(step for step, _ in children) != form.steps:
        return False
    return all(_covers(p, child) for p, (_, child) in zip(form.parts, children, strict=True))
