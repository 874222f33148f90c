"""Subscripts of all lanes at once: `x[index]`, and writing at an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runtime import ops, trace
from runtime.batching.lanes import Lane, Uneven, aligned, full, lane_type, moved
from runtime.graph.ir import Node
from runtime.ops.declaration.operands import shape_of
from runtime.ops.indexing.keys import Index, expanded_index

__all__ = ["read", "written"]

_EVERYTHING = ("slice", None, None, None)


def read(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """`x[index]` of each lane."""
    x, rest = operands[0], operands[1:]
    subscript = _subscript(node.attrs["index"], x, rest)
    if not subscript.apart and not any(o.batched for o in rest):
        return _item(x.tensor, (_EVERYTHING, *node.attrs["index"]), rest)
    return _gathered(size, x, subscript)


def written(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """`x` of each lane with `v` put, or added, at the index."""
    x, v, rest = operands[0], operands[1], operands[2:]
    subscript = _subscript(node.attrs["index"], x, rest)
    x = Lane(full(x, size), True, x.type)
    if v.rank > subscript.rank:
        raise Uneven
    if not subscript.apart and not any(o.batched for o in rest):
        index = (_EVERYTHING, *node.attrs["index"])
        value = aligned(v, subscript.rank)
        return trace.apply(node.op, (x.tensor, value, *_tensors(rest)), {"index": index})
    return _scattered(size, node, x, v, subscript)


def _tensors(lanes: Sequence[Lane]) -> tuple[Any, ...]:
    return tuple(x.tensor for x in lanes)


def _item(x: Any, index: Index, operands: Sequence[Lane]) -> Any:
    return ops.getitem(x, _key(index, _tensors(operands)))


def _key(index: Index, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The subscript for the user-level functions."""
    rest = iter(operands)
    key: list[Any] = []
    for entry in index:
        match entry:
            case ("int", i):
                key.append(i)
            case ("slice", *bounds):
                key.append(slice(*(next(rest) if b == "operand" else b for b in bounds)))
            case ("newaxis",):
                key.append(None)
            case ("ellipsis",):
                key.append(Ellipsis)
            case _:
                key.append(next(rest))
    return tuple(key)


@dataclass(frozen=True, slots=True)
class _Subscript:
    """A subscript of one lane with an entry for each axis.

    `picks` are the ints and index arrays, with the axes of the lane that they pick from; `others`
    the slices and new axes, as a key, None for a new axis. `at` is where the axes of what is
    picked stand among those of the others; `apart`, whether NumPy moved them to the front.
    """

    picks: tuple[Any, ...]
    axes: tuple[int, ...]
    others: tuple[Any, ...]
    at: int
    apart: bool
    common: int

    @property
    def rank(self) -> int:
        """Number of axes of what is selected."""
        return self.common + len(self.others)


def _subscript(index: Index, x: Lane, operands: Sequence[Lane]) -> _Subscript:
    rest = iter(operands)
    picks: list[Any] = []
    axes: list[int] = []
    others: list[Any] = []
    places: list[int] = []
    axis = 0
    types = [lane_type(o) for o in operands]
    for entry, type_ in expanded_index(index, types, x.rank):
        if entry[0] == "newaxis":
            others.append(None)
            continue
        if entry[0] == "slice":
            others.append(slice(*(_shared(next(rest)) if b == "operand" else b for b in entry[1:])))
        elif type_ is not None and type_.dtype.kind == "b":
            raise Uneven  # how many elements a mask picks may differ from lane to lane
        else:
            picks.append(next(rest) if type_ is not None else entry[1])
            axes.append(axis)
            places.append(len(others))
        axis += 1
    arrays = [p for p in picks if isinstance(p, Lane)]
    common = max((p.rank for p in arrays), default=0)
    apart = common > 0 and len(set(places)) > 1
    at = 0 if apart or not places else places[0]
    return _Subscript(tuple(picks), tuple(axes), tuple(others), at, apart, common)


def _shared(bound: Lane) -> Any:
    if bound.batched:
        raise Uneven  # slices of different lengths
    return bound.tensor


def _picks(size: Any, subscript: _Subscript, numbered: bool) -> tuple[Any, ...]:
    """Index arrays whose first axis is the lane; with `numbered`, the lane's number first."""
    picked = [aligned(p, subscript.common) if isinstance(p, Lane) else p for p in subscript.picks]
    if not numbered:
        return tuple(picked)
    numbers = ops.arange(size)
    return (ops.reshape(numbers, (size, *(1,) * subscript.common)), *picked)


def _order(subscript: _Subscript, rank: int) -> list[int]:
    """Axes of one lane, those that are picked from first."""
    return [*subscript.axes, *(a for a in range(rank) if a not in subscript.axes)]


def _gathered(size: Any, x: Lane, subscript: _Subscript) -> Any:
    order = _order(subscript, x.rank)
    y = moved(x.tensor, (0, *(a + 1 for a in order)) if x.batched else order)
    found = ops.getitem(y, (*_picks(size, subscript, x.batched), *subscript.others))
    n, at = subscript.common, subscript.at
    others = range(1 + n, 1 + subscript.rank)
    return moved(found, (0, *others[:at], *range(1, 1 + n), *others[at:]))


def _scattered(size: Any, node: Node, x: Lane, v: Lane, subscript: _Subscript) -> Any:
    order = _order(subscript, x.rank)
    y = moved(x.tensor, (0, *(a + 1 for a in order)))
    key = (*_picks(size, subscript, True), *subscript.others)
    update = ops.index_update if node.op.name == "index_update" else ops.index_add
    done = update(y, _value(v, subscript), key)
    back = [order.index(a) for a in range(x.rank)]
    return moved(done, (0, *(a + 1 for a in back)))


def _value(v: Lane, subscript: _Subscript) -> Any:
    """What is written, its axes in the order of the moved array."""
    rank, n, at = subscript.rank, subscript.common, subscript.at
    if v.rank == 0:
        return aligned(v, rank)
    value = aligned(v, rank)
    if not v.batched:
        value = ops.reshape(value, ((1,) * (rank - v.rank) + shape_of(value)))
    lead = 1 if v.batched else 0
    picked = range(lead + at, lead + at + n)
    others = [a for a in range(lead, lead + rank) if a not in picked]
    return moved(value, (*range(lead), *picked, *others))
