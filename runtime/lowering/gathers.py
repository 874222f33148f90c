"""Lowering of indexes with integer arrays, which gather elements, replace them, or add to them.

All integers are looked at before anything is read or written: a loop over elements does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.graph.ir import Node, Value
from runtime.lowering.arrays import Array, Computed, Elements, Form, as_expr, is_memory
from runtime.lowering.builder import Builder
from runtime.lowering.call_outs import fails
from runtime.lowering.elements import tensor_type
from runtime.lowering.kernel import Assign, Dim, product, read
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import (
    FALSE,
    Expr,
    call,
    cast,
    either,
    index,
    is_float,
    is_signed,
    select,
)
from runtime.lowering.shaping import as_array
from runtime.lowering.slicing import sliced, static_index
from runtime.ops.keys import expanded_index

__all__ = ["Part", "gather", "part_of"]

Map = Callable[[Sequence[Expr]], Expr]


class Part:
    """What an index selects: its shape, and the index into the array of each of its elements."""

    def __init__(self, shape: Sequence[Dim], maps: Sequence[Map], repeats: bool) -> None:
        self.shape = tuple(shape)
        self.maps = maps
        # Whether elements of the array may be there more than once.
        self.repeats = repeats

    def place(self, indices: Sequence[Expr]) -> list[Expr]:
        """Where in the array an element of the part is."""
        return [at(indices) for at in self.maps]


def gather(b: Builder, node: Node) -> list[Form]:
    """The elements of an array at an index with integer arrays."""
    x = as_array(b.forms[node.inputs[0]])
    part = part_of(b, node, x, node.inputs[1:])

    def at(indices: Sequence[Expr]) -> Expr:
        return b.at(x, part.place(indices))

    if not part.shape:
        return [at([])]
    depth = 1 + x.depth if isinstance(x, Computed) else 1
    return [Computed(at, part.shape, x.type, None, is_memory(x), depth)]


def part_of(b: Builder, node: Node, x: Array, values: Sequence[Value]) -> Part:
    """What the index of a node, with integers of its operands, selects of an array."""
    types = [tensor_type(value.type) for value in values]
    entries = expanded_index(node.attrs["index"], types, len(x.shape))
    rest = [b.forms[value] for value in values]
    axis = 0
    shape: list[Dim] = []
    maps: list[Map | None] = []
    chosen: list[tuple[int, Array]] = []
    places: list[int] = []
    for entry, type_ in entries:
        if entry[0] == "newaxis":
            shape.append(1)
            continue
        if axis == len(x.shape):
            raise Refusal("a mask of a number")
        size = x.shape[axis]
        if entry[0] == "slice":
            if "operand" in entry:
                raise Refusal("a slice whose bounds are not known, beside an array of positions")
            maps.append(sliced(b, size, entry, [], len(shape), shape))
        else:
            if type_ is not None and type_.dtype.kind == "b":
                raise Refusal("an index that is a mask")
            found = _positions(b, node, size, entry, rest)
            chosen.append((axis, found))
            maps.append(None)
            places.append(len(shape))
        axis += 1
    common = b.broadcast([found.shape for _, found in chosen])
    start = places[0] if len(set(places)) == 1 else 0
    width = len(common)
    moved = [_behind(at, start, width) if at is not None else None for at in maps]
    for at, found in chosen:
        moved[at] = _chosen(b, found, start, width)
    final = [at for at in moved if at is not None]
    repeats = any(found.shape for _, found in chosen)
    return Part((*shape[:start], *common, *shape[start:]), final, repeats)


def _behind(at: Map, start: int, width: int) -> Map:
    """The map of an axis out of the indices of the part, among which there are further ones."""
    return lambda indices: at([*indices[:start], *indices[start + width :]])


def _chosen(b: Builder, found: Array, start: int, width: int) -> Map:
    def at(indices: Sequence[Expr]) -> Expr:
        return b.at(found, b.project(indices[start : start + width], found.shape))

    return at


def _positions(
    b: Builder, node: Node, size: Dim, entry: tuple[object, ...], rest: list[Form]
) -> Array:
    """The integers of one axis, counted from its begin; fails where one is out of bounds."""
    if entry[0] == "int":
        assert isinstance(entry[1], int)
        return as_array(static_index(b, size, entry[1]))
    given = rest.pop(0)
    if is_float(given.type) or given.type in ("b1", "u8"):
        raise Refusal(f"an index of {given.type}")
    limit = as_expr(size)
    if isinstance(given, Expr):
        given = b.let(cast(given, "i8"))
        fails(b, node)(_is_outside(given, limit, True))
        return as_array(b.let(_from_begin(given, limit, True)))
    signed = is_signed(given.type)
    if b.is_written_out(given):
        found = [b.let(cast(i, "i8")) for i in b.elements(given).values]
        for i in found:
            fails(b, node)(_is_outside(i, limit, signed))
        whole = tuple(n for n in given.shape if isinstance(n, int))
        return Elements([b.let(_from_begin(i, limit, signed)) for i in found], whole, "i8")
    given = b.stored(given)
    cell = b.cell("outside", FALSE)

    def look(i: list[Expr]) -> None:
        here = b.let(cast(b.flat_at(given, i[0]), "i8"))
        b.emit(Assign(cell, either(read(cell), _is_outside(here, limit, signed))))

    b.nest([product(given.shape)], look, serial=True)
    fails(b, node)(b.let(read(cell)))
    kept = given

    def at(indices: Sequence[Expr]) -> Expr:
        return _from_begin(cast(b.at(kept, indices), "i8"), limit, signed)

    return Computed(at, given.shape, "i8", is_view=True)


def _is_outside(i: Expr, limit: Expr, signed: bool) -> Expr:
    above = call("ge", i, limit)
    return either(above, call("lt", i, call("sub", index(0), limit))) if signed else above


def _from_begin(i: Expr, limit: Expr, signed: bool) -> Expr:
    return select(call("lt", i, index(0)), call("add", i, limit), i) if signed else i
