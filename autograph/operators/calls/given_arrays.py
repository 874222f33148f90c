"""Arrays that a function which calls itself gives back: its own, or some that it was given.

In Python `def f(x, n): return x if n == 0 else f(x + 1, n - 1)` gives the very array that it is
given, or a new one. A number among the results tells which. Where it may be a view of such an
array, the result can be read only, as long as none of these changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from autograph.operators.captured.alternatives import Part
from autograph.operators.values.references import (
    assume,
    cells_under,
    fulfil,
    has_cell,
    is_older_cell,
    promised,
    refer,
    reference_of,
    reserve,
    seen_by,
    select,
    snapshot,
)
from runtime.building import Builder, current_builder
from runtime.cells import Cell
from runtime.tensor import Tensor

__all__ = ["OWN", "Sharing", "code_of", "given", "sharing_of"]

# The number of an array that the function made. Those of arguments are below it, by position; an
# array that is older than the call has its own number.
OWN = -1


class Sharing(NamedTuple):
    """Which arrays one result may be: `positions` of arguments, numbers of `older` arrays.

    `is_view`: it may be a view of one of these, in a place that is not known.
    """

    positions: frozenset[int] = frozenset()
    older: frozenset[int] = frozenset()
    is_view: bool = False

    @property
    def has_code(self) -> bool:
        """Whether a number tells which it is."""
        return bool(self.positions or self.older) and not self.is_view

    def joined(self, other: Sharing) -> Sharing:
        """What covers both."""
        return Sharing(
            self.positions | other.positions,
            self.older | other.older,
            self.is_view or other.is_view,
        )


def sharing_of(x: Any, builder: Builder, parameters: Mapping[Cell, int]) -> Sharing:
    """Which arrays a result may be that the body built by `builder` left.

    `parameters` are the cells of the arguments, with their positions.
    """
    sharing = Sharing()
    for part in _parts(x):
        for cell in seen_by(part) or (part.cell,):
            is_view = bool(part.chain or seen_by(part))
            if cell in parameters:
                sharing = sharing.joined(Sharing(frozenset((parameters[cell],)), is_view=is_view))
            elif is_older_cell(cell, builder):
                older = Part(cell, (), cell.root.type)
                sharing = sharing.joined(Sharing(older=frozenset((older.number,)), is_view=is_view))
    return sharing


def _parts(x: Any) -> Iterable[Part]:
    found = reference_of(x) if has_cell(x) else None
    return () if found is None else found.parts.values()


def code_of(x: Any, builder: Builder, parameters: Mapping[Cell, int]) -> Any:
    """The number that tells which array a result is: known, or traced."""
    found = reference_of(x) if has_cell(x) else None
    if found is None:
        return OWN
    codes = {n: _code(part, builder, parameters) for n, part in found.parts.items()}
    return _selected(found.index, codes)


def _code(part: Part, builder: Builder, parameters: Mapping[Cell, int]) -> int:
    if part.chain:
        return OWN
    if part.cell in parameters:
        return OWN - 1 - parameters[part.cell]
    return part.number if is_older_cell(part.cell, builder) else OWN


def given(
    content: Tensor, code: Any, sharing: Sharing, arguments: Sequence[Any], name: str
) -> Tensor:
    """The array of that content which a call gave; `arguments` are the values of its leaves."""
    builder = current_builder()
    older = {number: builder.root.references[number] for number in sorted(sharing.older)}
    shared = [arguments[i] for i in sorted(sharing.positions)]
    is_seen = any(seen_by(part) for x in shared for part in _parts(x))
    if sharing.is_view or is_seen:
        cells = [cell for x in shared if has_cell(x) for cell in cells_under(x)]
        cells += [part.cell for part in older.values()]
        made = snapshot(content, dict.fromkeys(cells), name)
        assume(made, content)
        return made
    if not sharing.has_code:
        return content
    own = promised(reserve(), content.type)
    fulfil(own, content)
    numbers: dict[int, Any] = {OWN: own.number}
    parts = {own.number: own, **older}
    for position, x in zip(sorted(sharing.positions), shared, strict=True):
        found = reference_of(x) if has_cell(x) else None
        if found is not None:
            numbers[OWN - 1 - position] = found.index
            parts.update(found.parts)
    made = refer(_selected(code, numbers), parts, content.type)
    assume(made, content)
    return made


def _selected(code: Any, numbers: dict[int, Any]) -> Any:
    return numbers.get(code, code) if isinstance(code, int) else select(code, numbers)
