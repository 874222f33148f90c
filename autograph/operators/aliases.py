"""Which arrays of a staged loop are the same array, before it, from round to round, and after it.

Each array name that a loop carries has a bool beside it that says whether it is still the array
that it was before the loop: true at first, false once a round bound the name to a new array. Inside
the loop and after it the two are tied with that bool, so that a write through either is seen by
both exactly when Python's would be. Where more than that depends on data, a write is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runtime import ops
from runtime.building import Builder
from runtime.cells import Cell
from runtime.tensor import Tensor

__all__ = [
    "LoopArray", "entering_apart", "exit_alias", "leaving_apart", "tie_entries", "tie_rounds",
]  # fmt: skip


@dataclass
class LoopArray:
    """One carried array: before the loop, inside it, and the bool that says whether it is the same.

    `relatives` are older arrays that it may be from the second round on, depending on data.
    """

    name: str
    initial: Tensor
    placed: Tensor
    same: Tensor
    relatives: tuple[Tensor, ...] = ()


def tie_entries(arrays: list[LoopArray]) -> None:
    """Tie the placeholders of a round with the arrays from before the loop."""
    for array in arrays:
        unknown = array.relatives or array.initial.is_view
        array.placed.cell().tie(array.initial.cell(), None if unknown else array.same)
        for relative in array.relatives:
            if relative is not array.initial:
                array.placed.cell().tie(relative.cell(), None)


def tie_rounds(a: LoopArray, b: LoopArray) -> None:
    """Tie two arrays that each round leaves as one: so they are from the second round on."""
    a.placed.cell().tie(b.placed.cell(), ops.logical_not(a.same))


def entering_apart(arrays: list[LoopArray], met: set[str]) -> set[tuple[str, str]]:
    """Pairs of arrays, not both met before, that are different ones before the loop."""
    return {
        (a.name, b.name)
        for i, a in enumerate(arrays)
        for b in arrays[:i]
        if not (a.name in met and b.name in met)
        and not (a.initial.is_view or b.initial.is_view)
        and not a.initial.cell().may_be(b.initial.cell())
    }


def leaving_apart(
    apart: set[tuple[str, str]], arrays: list[LoopArray], afters: list[Any], body: Builder
) -> set[tuple[str, str]]:
    """Of pairs that enter a round as different arrays, those that leave it so: permuted, or new."""
    placed = {id(array.placed): array.name for array in arrays}
    left = {
        array.name: _source(after, placed, body)
        for array, after in zip(arrays, afters, strict=True)
    }

    def remain(a: str, b: str) -> bool:
        one, other = left[a], left[b]
        if one is None or other is None or one == other:
            return False
        if isinstance(one, str) and isinstance(other, str):
            return (one, other) in apart or (other, one) in apart
        return True

    return {(a, b) for a, b in apart if remain(a, b)}


def _source(after: Any, placed: dict[int, str], body: Builder) -> str | int | None:
    """The name that an array had at the start of the round, a number if it is new, else None."""
    if id(after) in placed:
        return placed[id(after)]
    if not isinstance(after, Tensor) or after.is_view or not _is_of(after, body):
        return None
    return id(after) if after._cell is None or not after._cell.tied else None


def exit_alias(array: LoopArray, after: Any, arrays: list[LoopArray], body: Builder) -> Any:
    """How a round that leaves `after` goes on from `array.same`.

    A bool (False: a new array) or a traced one; or the tuple of older arrays that it may be.
    """
    if after is array.placed:
        return array.same
    if not isinstance(after, Tensor):
        return False
    placed = {other.placed._cell: other for other in arrays if other.placed._cell is not None}
    if after._cell is None:
        return False if _is_of(after, body) else (after,)
    if after._cell in placed:
        return _relatives(placed[after._cell])
    if not _is_of(after, body):
        return (after,)
    found = _reached(after._cell, body)
    relatives = [placed[cell] for cell in found if cell in placed]
    older = [cell for cell in found if cell not in placed and not _made_in(cell, body)]
    if not relatives and not older:
        return False
    if relatives == [array] and set(older) <= {array.initial._cell} and not after.is_view:
        bits = found[array.placed.cell()]
        if bits is not None:
            result: Any = array.same
            for bit in bits:
                result = ops.logical_and(result, bit)
            return result
    others = [_handle(cell) for cell in older if cell is not array.initial._cell]
    return (array.initial, *(r for other in relatives for r in _relatives(other)), *others)


def _handle(cell: Cell) -> Tensor:
    """A name for the array of a cell."""
    made = Tensor(cell.root._array, cell.root._value)
    made._cell, made._chain, made._token = cell, (), cell.token
    return made


def _relatives(other: LoopArray) -> tuple[Tensor, ...]:
    return (other.initial, *other.relatives)


def _is_of(x: Tensor, body: Builder) -> bool:
    """Whether the array was made in the body."""
    if x._cell is not None:
        return _made_in(x._cell, body)
    return x._value is not None and body.owns(x._value)


def _made_in(cell: Cell, body: Builder) -> bool:
    return cell.first is not None and body.owns(cell.first)


def _reached(start: Cell, body: Builder) -> dict[Cell, list[Tensor] | None]:
    """Cells that may be the same array as `start`: with the bools that all must hold, if known."""
    found: dict[Cell, list[Tensor] | None] = {}
    open_: list[tuple[Cell, list[Tensor] | None]] = [(start, [])]
    seen = {start}
    while open_:
        cell, path = open_.pop()
        for other, bit in cell.tied:
            if other in seen or not (other.first is None or body.reaches(other.first)):
                continue
            seen.add(other)
            longer = None if path is None or bit is None else [*path, bit]
            found[other] = longer
            if _made_in(other, body):
                open_.append((other, longer))
    return found
