"""Joining the arrays that the two branches of a staged `if` left in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.operators.captured.alternatives import Part, Reference
from autograph.operators.values.bodies import Outcome
from autograph.operators.values.carried import NOTHING, merge_types, on_side, tensor, type_of
from autograph.operators.values.references import (
    assume,
    fulfil,
    is_older,
    is_older_cell,
    promised,
    refer,
    reference_of,
    reserve,
    seen_by,
    select,
    snapshot,
)
from runtime import trace
from runtime.building import Builder
from runtime.cells import Cell
from runtime.errors import StagingError
from runtime.spec import ErrorType, TensorType
from runtime.tensor import Tensor

__all__ = ["ArrayJoins", "Rebuild", "joined_type"]

# Makes what a place holds after the statement of the outputs of its node.
Rebuild = Callable[[Sequence[Any]], Any]
# Of a place, by its name and what it holds on the two paths.
Plan = Callable[[str, Any, Any], Rebuild]


@dataclass(eq=False)
class _Join:
    """An array name whose arrays on the two paths are not one: which they are, on each."""

    name: str
    contents: tuple[Any, Any]
    sides: tuple[Reference, Reference]
    made: Tensor | None = None
    content: Tensor | None = None


def joined_type(a: Any, b: Any, name: str) -> TensorType:
    """The type of a place that has these contents on the two paths."""
    if a is NOTHING or b is NOTHING:
        return type_of(b if a is NOTHING else a)
    own: Any = a.type if isinstance(a, Tensor) else None
    if isinstance(own, ErrorType):
        return own  # type: ignore[return-value]
    return merge_types(name, type_of(a), type_of(b))


class ArrayJoins:
    """The array names of one staged `if`."""

    def __init__(self, outcomes: tuple[Outcome, Outcome]) -> None:
        self.outcomes = outcomes
        # They are those of the Merger, while it emits.
        self._numeric: Plan
        self._plan: Plan
        self._joins: dict[tuple[int, int], _Join] = {}
        # In how many joins a cell is met, and what arrays that several of them share become.
        self._uses: Counter[Cell] = Counter()
        self._moved: dict[Cell, _Moved] = {}

    def add(self, name: str, a: Any, b: Any) -> Rebuild:
        """An array; which one it is, is known after all places are planned."""
        sides = []
        for x, outcome in zip((a, b), self.outcomes, strict=True):
            with trace.interpreting(outcome.builder):
                sides.append(reference_of(x) or Reference(NOTHING, {}))
        key = (_identity(a, sides[0]), _identity(b, sides[1]))
        join = self._joins.setdefault(key, _Join(name, (a, b), (sides[0], sides[1])))
        return lambda outputs: join.made

    def begin(
        self, parent: Builder, numeric: Plan, plan: Plan
    ) -> list[Callable[[Sequence[Any]], None]]:
        """Plan the outputs for all arrays; gives what makes these of them.

        `numeric` and `plan` say how a place goes on that holds numbers, or anything.
        """
        if not self._joins:
            return []
        self._numeric, self._plan = numeric, plan
        for join in self._joins.values():
            self._uses.update({part.cell for part in self._younger(join)})
        # What is a view of others is made when those are.
        joins = sorted(self._joins.values(), key=lambda join: any(self._seen(join)))
        return [self._join(join, parent) for join in joins]

    def finish(self) -> None:
        """After all places were written: what names of several arrays hold, is known already."""
        for join in self._joins.values():
            if join.content is not None and join.made is not None:
                assume(join.made, join.content)

    def _join(self, join: _Join, parent: Builder) -> Callable[[Sequence[Any]], None]:
        """Plan the outputs for an array; gives what makes the array of them."""
        type_ = joined_type(*join.contents, join.name)
        own = _Own(reserve(), type_)
        parts: dict[int, Callable[[Sequence[Any]], Part]] = {}
        indices = [self._side(join, side, own, parts) for side in (0, 1)]
        index = self._numeric(f"{join.name}_which", *indices)
        has_content = own.is_used or any(
            part.type != type_ for side in join.sides for part in side.parts.values()
        )
        sides = zip(join.sides, self.outcomes, strict=True)
        known = tuple(dict.fromkeys(side for side, o in sides if side.is_older(o.builder)))
        seen, younger = self._seen(join)
        is_view = bool(seen or younger)
        content = self._numeric(join.name, *join.contents) if has_content or is_view else None

        def finish(outputs: Sequence[Any]) -> None:
            join.content = None if content is None else tensor(content(outputs)).as_array()
            found = {number: make(outputs) for number, make in parts.items()}
            is_plain = not any(part.chain or seen_by(part) for part in found.values())
            if join.content is not None and is_view:
                parts_of_all = Reference(NOTHING, found, older=known).parts
                cells = (*seen, *(part.cell for part in parts_of_all.values()))
                cells += tuple(self._cells_after(younger, join.name))
                join.made = snapshot(join.content, dict.fromkeys(cells), join.name)
                return
            if not found and not known:
                join.made = join.content
                return
            if own.is_used and join.content is not None:
                found[own.number] = own.part
                fulfil(own.part, join.content)
            base = parent if is_plain else None
            join.made = refer(index(outputs), found, type_, base, known)

        return finish

    def _younger(self, join: _Join) -> Iterator[Part]:
        """The arrays of a place that may have been made on a path."""
        for outcome, side in zip(self.outcomes, join.sides, strict=True):
            if not side.is_older(outcome.builder):
                yield from side.parts.values()

    def _seen(self, join: _Join) -> tuple[list[Cell], list[Cell]]:
        """The cells of which the array is, on a path, a view in a place unknown.

        Those from before the statement, and those that a path made and that have names of their
        own.
        """
        older: list[Cell] = []
        younger: list[Cell] = []
        for outcome, side in zip(self.outcomes, join.sides, strict=True):
            for part in () if side.is_older(outcome.builder) else side.parts.values():
                for cell in () if is_older(part, outcome.builder) else seen_by(part):
                    if is_older_cell(cell, outcome.builder):
                        older.append(cell)
                    elif cell in self._uses:
                        younger.append(cell)
        return older, younger

    def _cells_after(self, cells: list[Cell], name: str) -> Iterator[Cell]:
        """The cells of what arrays become that a path made, and of which another is a view."""
        for join in self._joins.values():
            if any(part.cell in cells for part in self._younger(join)):
                reference = None if join.made is None else reference_of(join.made)
                if reference is None:
                    what = f"`{name}` is a view of an array that one path made"
                    raise StagingError(what, "make a copy (`y = x.copy()`) of one of the two")
                yield from (part.cell for part in reference.parts.values())

    def _side(self, join: _Join, side: int, own: _Own, parts: dict[int, Any]) -> Any:
        """The number of the array on one path; adds the arrays of `parts` that it may be."""
        outcome, reference = self.outcomes[side], join.sides[side]
        if join.contents[side] is NOTHING:
            return NOTHING
        if reference.is_older(outcome.builder):
            return reference.index
        numbers: dict[int, int] = {}
        for number, part in reference.parts.items():
            if is_older(part, outcome.builder):
                numbers[number] = number
                self._add_part(join, side, number, part, parts)
            elif self._uses[part.cell] == 1:
                numbers[number], own.is_used = own.number, True
            else:
                numbers[number] = self._move(join, side, part, parts)
        if not reference.parts:
            own.is_used = True
            return own.number
        with trace.interpreting(outcome.builder):
            return select(reference.index, numbers)

    def _add_part(
        self, join: _Join, side: int, number: int, part: Part, parts: dict[int, Any]
    ) -> None:
        """An array from before the statement, the indices of a view as they are on each path."""
        if number in parts:
            return
        if not part.chain:
            parts[number] = lambda outputs: part
            return
        other = join.sides[1 - side].parts.get(number)
        mine = part.operands
        theirs = [NOTHING] * len(mine) if other is None else other.operands
        pairs = zip(mine, theirs, strict=True) if side == 0 else zip(theirs, mine, strict=True)
        plans = [self._plan(f"{join.name}_at", *pair) for pair in pairs]
        parts[number] = lambda outputs: part.with_operands([plan(outputs) for plan in plans])

    def _move(self, join: _Join, side: int, part: Part, parts: dict[int, Any]) -> int:
        """An array that a branch made and several places share: the number of its new cell."""
        outcome = self.outcomes[side]
        moved = self._moved.get(part.cell)
        if moved is None:
            root = outcome.roots.get(part.cell, part.cell.root)
            content = self._numeric(join.name, *on_side(root, side))
            moved = self._moved[part.cell] = _Moved(reserve(), root.type, content)
        if not part.chain:
            parts[moved.number] = moved.make
            return moved.number
        plans = [self._plan(f"{join.name}_at", *on_side(x, side)) for x in part.operands]
        view = Part(moved.part.cell, part.chain, part.type)

        def make(outputs: Sequence[Any]) -> Part:
            moved.make(outputs)
            return view.with_operands([plan(outputs) for plan in plans])

        parts[view.number] = make
        return view.number


class _Own:
    """The array that stands for all that a branch made for one place only."""

    def __init__(self, number: int, type_: TensorType) -> None:
        self.number = number
        self.part = promised(number, type_)
        self.is_used = False


class _Moved:
    """An array that a branch made and several places share, as it is after the statement."""

    def __init__(self, number: int, type_: TensorType, content: Rebuild) -> None:
        self.number = number
        self.part = promised(number, type_)
        self.content = content
        self.is_made = False

    def make(self, outputs: Sequence[Any]) -> Part:
        """The array, its content taken from the outputs."""
        if not self.is_made:
            self.is_made = True
            fulfil(self.part, tensor(self.content(outputs)).as_array())
        return self.part


def _identity(x: Any, side: Reference) -> int:
    """The same for all names of one array."""
    if isinstance(side.index, int) and not side.parts[side.index].chain:
        return id(side.parts[side.index].cell)
    return id(x)
