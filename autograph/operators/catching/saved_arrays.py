"""The arrays that names hold after a `try`: older ones, or such as the body made.

Where the body raised decides which array a name holds. Each place that may hold several arrays has,
beside the content, a number that tells which it is, so that a write through the name reaches the
older array, and all its names, if it is that one. Of views of older arrays, which rows of loops
are, the indices are saved, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from autograph.operators.captured.alternatives import Part, Reference
from autograph.operators.values.carried import (
    NOTHING,
    is_array,
    is_numeric,
    merge_types,
    subject,
    type_of,
)
from autograph.operators.values.references import (
    Snapshot,
    assume,
    cells_under,
    fulfil,
    is_older_cell,
    promised,
    refer,
    reference_of,
    reserve,
    seen_by,
    select,
)
from runtime.building import Builder
from runtime.cells import Cell
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Column", "Row", "SavedArrays"]


class Column(NamedTuple):
    """A place for an array: its owner and number in it, the user's name, and what was found.

    The number is negative where the place has a result of its own for the end of the body.
    """

    place: Any
    position: int
    name: str
    type: TensorType
    found: tuple[Any, ...]

    @property
    def key(self) -> tuple[Any, int]:
        """What tells it from others."""
        return self.place, self.position

    @property
    def at_end(self) -> Column:
        """The place with what was found at the end of the body alone."""
        return self._replace(found=self.found[-1:])


class Row(NamedTuple):
    """A place for an array, and the array that it was given."""

    column: Column
    result: Tensor


class SavedArrays:
    """Which array each place of a `try` holds, wherever its body raises."""

    def __init__(self, parent: Builder) -> None:
        self._parent = parent
        # The number of the array that stands for all that the body makes for a place.
        self._own: dict[Any, int] = {}
        # The views of older arrays that a place may hold, by number: the types of their indices.
        self._views: defaultdict[Any, dict[int, tuple[TensorType, ...]]] = defaultdict(dict)

    def begin(self, body: Builder) -> None:
        """A new trace of the body."""
        self._body = body
        # Whether a place was found to hold a view that it was not known to hold.
        self.has_new_views = False
        self._parts: defaultdict[Any, dict[int, Part]] = defaultdict(dict)
        self._made: set[Any] = set()
        # Places that may hold a view of an older array.
        self._viewing: set[Any] = set()

    def which(self, key: Any, x: Any) -> Any:
        """The number of the array that a place holds now, NOTHING where it holds none."""
        if not is_array(x):
            return NOTHING
        if key not in self._own:
            self._own[key] = reserve()
        own, reference = self._own[key], reference_of(x) or Reference(NOTHING, {})
        numbers: dict[int, int] = {}
        for number, part in reference.parts.items():
            cells = seen_by(part) or (part.cell,)
            is_older = any(is_older_cell(cell, self._body) for cell in cells)
            are_indices = all(is_numeric(x) and type_of(x).rank == 0 for x in part.operands)
            if is_older and cells == (part.cell,) and are_indices:
                self._parts[key][number] = part
                self._note_view(key, number, part)
                continue
            numbers[number] = own
            if is_older:
                self._viewing.add(key)
        if numbers or not reference.parts:
            self._made.add(key)
        return select(reference.index, numbers) if reference.parts else own

    def _note_view(self, key: Any, number: int, part: Part) -> None:
        if not part.chain:
            return
        types = tuple(map(type_of, part.operands))
        known = self._views[key].get(number)
        if known is not None:
            pairs = zip(known, types, strict=True)
            types = tuple(merge_types("an index", one, other) for one, other in pairs)
        if types != known:
            self._views[key][number], self.has_new_views = types, True

    def indices(self, key: Any, x: Any) -> Iterator[Any]:
        """The indices of each view that a place may hold, NOTHING for those that it is not now."""
        reference = (reference_of(x) if is_array(x) else None) or Reference(NOTHING, {})
        for number, types in self._views[key].items():
            part = reference.parts.get(number)
            yield from (NOTHING for _ in types) if part is None else part.operands

    def index_types(self, key: Any) -> Iterator[TensorType]:
        """The types of what `indices` gives."""
        for types in self._views[key].values():
            yield from types

    def joined(
        self,
        columns: Sequence[Column],
        contents: Sequence[Tensor],
        told: Sequence[Tensor],
    ) -> list[Tensor]:
        """The array of each place, of results of the node: its contents, and what tells them apart.

        That is a number for each place, then the indices of the views that they may hold.
        """
        results = self._each_joined(columns, contents, told)
        first: dict[tuple[int, ...], int] = {}
        for i, column in enumerate(columns):
            same = first.setdefault(tuple(id(x) for x in column.found), i)
            if same != i:
                results[i] = results[same]
                continue
            if not self._is_clear(column):
                for x in column.found:
                    self._keep_from_writing(results[i], x, column.name)
            for other in first.values():
                if other != i and self._may_be_one(column, columns[other]):
                    _lock_both(results[i], column.name, results[other], columns[other].name)
        return results

    def joined_at_end(
        self,
        columns: Sequence[Column],
        contents: Sequence[Tensor],
        told: Sequence[Tensor],
    ) -> list[Tensor]:
        """The same for places that have a result of their own for the end of the body.

        An array that is in one of them twice is one array.
        """
        results = self._each_joined(columns, contents, told)
        first: dict[tuple[int, int], int] = {}
        for i, column in enumerate(columns):
            same = first.setdefault((id(column.place), id(column.found[-1])), i)
            results[i] = results[same]
        return results

    def _each_joined(
        self, columns: Sequence[Column], contents: Sequence[Tensor], told: Sequence[Tensor]
    ) -> list[Tensor]:
        numbers, indices = told[: len(columns)], iter(told[len(columns) :])
        return [
            self._joined(column, content, number, indices)
            for column, content, number in zip(columns, contents, numbers, strict=True)
        ]

    def settle(self, results: Sequence[Tensor], contents: Sequence[Tensor]) -> None:
        """After all places were written: what the arrays hold is known already."""
        for result, content in zip(results, contents, strict=True):
            assume(result, content)

    def part(self, rows: Sequence[Row], known: Sequence[Row]) -> None:
        """Arrays for the end of the body only: where two names may hold one, neither is written."""
        known = list(known)
        for row in rows:
            if not self._is_clear(row.column):
                self._keep_from_writing(row.result, row.column.found[-1], row.column.name)
            for other in known:
                is_own = other.column.place is row.column.place and other.column.position >= 0
                if is_own or other.result is row.result:
                    continue
                if self._may_be_one(row.column.at_end, other.column.at_end):
                    _lock_both(row.result, row.column.name, other.result, other.column.name)
            known.append(row)

    def _joined(
        self, column: Column, content: Tensor, number: Tensor, indices: Iterator[Tensor]
    ) -> Tensor:
        parts = dict(self._parts.get(column.key, {}))
        for view, types in self._views[column.key].items():
            operands = [next(indices) for _ in types]
            if view in parts:
                parts[view] = parts[view].with_operands(operands)
        if not parts or not self._is_clear(column):
            return content
        if column.key in self._made:
            own = self._own[column.key]
            parts[own] = promised(own, column.type)
            fulfil(parts[own], content.as_array())
        is_plain = not any(part.chain for part in parts.values())
        return refer(number, parts, column.type, self._parent if is_plain else None)

    def _is_clear(self, column: Column) -> bool:
        """Whether a write through the name reaches the older arrays that it may be."""
        return column.key not in self._viewing

    def _may_be_one(self, a: Column, b: Column) -> bool:
        """Whether two places may hold one array without either knowing."""
        both_clear = self._is_clear(a) and self._is_clear(b)
        return any(
            not (both_clear and is_older_cell(cell, self._body))
            for x, y in zip(a.found, b.found, strict=True)
            for cell in _common(x, y)
        )

    def _keep_from_writing(self, result: Tensor, x: Any, name: str) -> None:
        """An array that may show an older one: a write through either would not reach the other."""
        for cell in _cells(x):
            if not is_older_cell(cell, self._body):
                continue
            why = f"after the `try`, `{name}` may be another array or a new one, depending on data"
            result.cell().locked = why
            cell.locked = cell.locked or why


def _cells(x: Any) -> list[Cell]:
    """The cells of the arrays that `x` may be, or may be a view of."""
    found = cells_under(x) if isinstance(x, Tensor) and is_array(x) else []
    return [c for cell in found for c in (cell.sources if isinstance(cell, Snapshot) else (cell,))]


def _common(x: Any, y: Any) -> list[Cell]:
    others = _cells(y)
    return [cell for cell in _cells(x) if any(cell is other for other in others)]


def _lock_both(x: Tensor, name: str, y: Tensor, other: str) -> None:
    one = (
        f"two parts of {subject(name)}"
        if name == other
        else f"{subject(name)} and {subject(other)}"
    )
    why = f"{one} may be one array"
    x.cell().locked = y.cell().locked = why
