"""Parts of arrays at indices, and arrays in which parts are other ones, in ONNX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.export.onnx.emitter import Emitter, Term, refuse
from runtime.export.onnx.shaping import span
from runtime.export.onnx.table import rank_of_value, result_dtype, writes
from runtime.graph.ir import Node

__all__: list[str] = []

_FIRST, _LAST = -(2**62), 2**62


class _Key:
    """A subscript: what it says of each axis of the array, and where axes of one are put in."""

    def __init__(self, index: tuple[Any, ...], operands: Iterator[Term], types: Any, rank: int):
        self.rank = rank
        # By axis: a slice of terms and numbers, a number or term, or an array of integers.
        self.parts: list[Any] = []
        self.new: list[int] = []
        used = sum(_axes_of(entry, types) for entry in index)
        kinds = iter(types)
        for entry in index:
            self._add(entry, operands, kinds, rank - used)
        self.parts += [slice(None)] * (rank - len(self.parts))

    def _add(self, entry: Any, operands: Iterator[Term], kinds: Iterator[Any], left: int) -> None:
        match entry:
            case ("int", place):
                self.parts.append(place)
            case ("slice", *bounds):
                self.parts.append(slice(*[next(operands) if b == "operand" else b for b in bounds]))
                for b in bounds:
                    if b == "operand":
                        next(kinds)
            case ("newaxis",):
                self.new.append(len(self.parts) + len(self.new))
            case ("ellipsis",):
                self.parts += [slice(None)] * left
            case _:
                self._operand(next(operands), next(kinds))

    def _operand(self, x: Term, type_: Any) -> None:
        if type_.dtype.kind == "b":
            if type_.rank == 0:
                raise refuse("a subscript that is a truth")
            found = x.emit("NonZero", x, dtype=np.int64)
            for k in range(type_.rank):
                self.parts.append(_Array(x.emit("Gather", found, x.emit.constant(k, np.int64)), 1))
        elif type_.rank == 0:
            self.parts.append(x)
        else:
            self.parts.append(_Array(x.to(np.int64), type_.rank))


class _Array:
    """An array of integers in a subscript."""

    def __init__(self, term: Term, rank: int) -> None:
        self.term, self.rank = term, rank


def _axes_of(entry: Any, types: Any) -> int:
    """How many axes an entry takes; of operands, one, or all of a mask."""
    if entry[0] in ("newaxis", "ellipsis"):
        return 0
    if entry[0] in ("int", "slice"):
        return 1
    masks = [t.rank for t in types if t.dtype.kind == "b"]
    return masks[0] if masks else 1


def part_at(emit: Emitter, x: Term, key: _Key) -> Term:
    """The part of an array at a subscript."""
    if any(isinstance(part, _Array) for part in key.parts):
        return _at_arrays(emit, x, key)
    x = _sliced(emit, x, key)
    for axis in reversed(range(key.rank)):
        part = key.parts[axis]
        if not isinstance(part, slice):
            place = part.to(np.int64) if isinstance(part, Term) else emit.constant(part, np.int64)
            x = emit("Gather", x, place, axis=axis)
    return _with_new_axes(emit, x, key)


def _with_new_axes(emit: Emitter, x: Term, key: _Key) -> Term:
    if not key.new:
        return x
    gone = [a for a, part in enumerate(key.parts) if not isinstance(part, (slice, _Array))]
    places = []
    for seen, place in enumerate(key.new):
        before = sum(1 for a in gone if a < place - seen)
        places.append(place - before)
    return emit("Unsqueeze", x, emit.ints(*places))


def _sliced(emit: Emitter, x: Term, key: _Key) -> Term:
    """The slices of a subscript, all in one node."""
    rows = []
    for axis, part in enumerate(key.parts):
        if isinstance(part, slice) and part != slice(None):
            step = 1 if part.step is None else part.step
            if isinstance(step, Term):
                raise refuse("a slice whose step is not known")
            first = part.start if part.start is not None else (0 if step > 0 else _LAST)
            last = part.stop if part.stop is not None else (_LAST if step > 0 else _FIRST)
            rows.append((first, last, axis, step))
    if not rows:
        return x
    firsts, lasts, axes, steps = zip(*rows, strict=True)
    bounds = [_vector(emit, values) for values in (firsts, lasts)]
    return emit("Slice", x, *bounds, emit.ints(*axes), emit.ints(*steps))


def _vector(emit: Emitter, values: tuple[Any, ...]) -> Term:
    if all(isinstance(v, int) for v in values):
        return emit.ints(*values)
    parts = [emit.vector(v) if isinstance(v, Term) else emit.ints(v) for v in values]
    return parts[0] if len(parts) == 1 else emit("Concat", *parts, axis=0)


def _at_arrays(emit: Emitter, x: Term, key: _Key) -> Term:
    """Arrays of integers: they are broadcast, and their axes stand where they are side by side."""
    if key.new:
        raise refuse("new axes beside arrays in a subscript", "use `expand_dims` first")
    x = _sliced(emit, x, key)
    axes = [a for a, part in enumerate(key.parts) if not isinstance(part, slice)]
    terms = [_as_array(emit, key.parts[a]) for a in axes]
    rank = max(part.rank for part in key.parts if isinstance(part, _Array))
    rest = [a for a in range(key.rank) if a not in axes]
    if len(axes) == 1:
        return emit("Gather", x, terms[0], axis=axes[0])
    turned = emit("Transpose", x, perm=[*axes, *rest])
    zero = terms[0] * 0
    for term in terms[1:]:
        zero = zero + term * 0
    columns = [emit("Unsqueeze", zero + term, emit.ints(-1)) for term in terms]
    found = emit("GatherND", turned, emit("Concat", *columns, axis=-1))
    is_apart = axes != list(range(axes[0], axes[-1] + 1))
    before = 0 if is_apart else sum(1 for a in rest if a < axes[0])
    if not before:
        return found
    order = [*range(rank, rank + before), *range(rank), *range(rank + before, rank + len(rest))]
    return emit("Transpose", found, perm=order)


def _as_array(emit: Emitter, part: Any) -> Term:
    if isinstance(part, _Array):
        return part.term
    return part.to(np.int64) if isinstance(part, Term) else emit.constant(part, np.int64)


def _key(node: Node, operands: tuple[Term, ...], first: int) -> _Key:
    types = [value.type for value in node.inputs[first:]]
    return _Key(node.attrs["index"], iter(operands), types, rank_of_value(node))


@writes("getitem", "getitem_array")
def _getitem(emit: Emitter, node: Node, x: Term, *operands: Term) -> Term:
    return part_at(emit, x, _key(node, operands, 1))


_REDUCTIONS = {"add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}


def _scattered(emit: Emitter, node: Node, x: Term, v: Term, key: _Key, reduction: str) -> Term:
    """The elements at the places of a subscript in the row of all elements are other ones."""
    shape = emit.shape(x)
    places = emit.reshape(span(emit, emit("Size", x, dtype=np.int64)), shape)
    places = part_at(emit, places, key)
    values = emit("Expand", v.to(x.dtype), emit.shape(places))
    wide = x.to(np.int32) if x.dtype.kind == "b" else x
    found = emit(
        "ScatterElements", emit.flat(wide), emit.flat(places), emit.flat(values).to(wide.dtype),
        axis=0, reduction=reduction,
    )  # fmt: skip
    return emit.reshape(found.to(result_dtype(node)), shape)


@writes("index_update", "index_add")
def _index_update(emit: Emitter, node: Node, x: Term, v: Term, *operands: Term) -> Term:
    reduction = "none" if node.op.name == "index_update" else "add"
    return _scattered(emit, node, x, v, _key(node, operands, 2), reduction)


@writes("index_extreme", "index_scale")
def _index_extreme(emit: Emitter, node: Node, x: Term, v: Term, *operands: Term) -> Term:
    reduction = _REDUCTIONS.get(node.attrs["ufunc"])
    if reduction is None or x.dtype.kind == "b":
        raise refuse(f"`{node.attrs['ufunc']}.at`")
    return _scattered(emit, node, x, v, _key(node, operands, 2), reduction)
