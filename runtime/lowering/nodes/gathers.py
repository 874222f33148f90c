"""Lowering of indexes with integer arrays, which gather elements, replace them, or add to them.

All integers are looked at before anything is read or written: a loop over elements does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Elements,
    Form,
    Stored,
    as_expr,
    is_memory,
)
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Assign, Dim, product, read
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    FALSE,
    Expr,
    call,
    cast,
    const,
    either,
    index,
    is_float,
    is_signed,
    select,
)
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.elements import tensor_type
from runtime.lowering.nodes.masks import elements_at, fitting, positions, whole_mask
from runtime.lowering.nodes.shaping import as_array
from runtime.lowering.nodes.slicing import sliced, static_index
from runtime.ops.indexing.keys import expanded_index
from runtime.spec import TensorType

__all__ = ["Part", "gather", "not_negative", "part_of"]

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
    mask = whole_mask(b, node, node.inputs[1:], len(x.shape))
    if mask is not None:
        b.owned.add(node.outputs[0])
        return [elements_at(b, x, mask)]
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
            along = _chosen_along(b, node, x.shape[axis:], entry, type_, rest)
            chosen += enumerate(along, axis)
            maps += [None] * len(along)
            places.append(len(shape))
            axis += len(along) - 1
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


def _chosen_along(
    b: Builder,
    node: Node,
    sizes: Sequence[Dim],
    entry: tuple[object, ...],
    type_: TensorType | None,
    rest: list[Form],
) -> Sequence[Array]:
    """The integers of one axis, or of as many as a mask has."""
    if type_ is None or type_.dtype.kind != "b":
        return [_positions(b, node, sizes[0], entry, rest)]
    mask = rest.pop(0)
    if isinstance(mask, Expr):
        raise Refusal("an index that is a bool")
    return positions(b, fitting(b, mask, sizes))


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
        fails(b, node)(_is_outside(given, limit, True), IndexError)
        return as_array(b.let(_from_begin(given, limit, True)))
    signed = is_signed(given.type)
    if b.is_written_out(given):
        found = [b.let(cast(i, "i8")) for i in b.elements(given).values]
        for i in found:
            fails(b, node)(_is_outside(i, limit, signed), IndexError)
        whole = tuple(n for n in given.shape if isinstance(n, int))
        return Elements([b.let(_from_begin(i, limit, signed)) for i in found], whole, "i8")
    kept = b.stored(given)
    outside = _is_any(b, kept, lambda i: _is_outside(cast(i, "i8"), limit, signed))
    fails(b, node)(outside, IndexError)

    def at(indices: Sequence[Expr]) -> Expr:
        return _from_begin(cast(b.at(kept, indices), "i8"), limit, signed)

    return Computed(at, given.shape, "i8", is_view=True)


def _is_any(b: Builder, x: Stored, holds: Callable[[Expr], Expr]) -> Expr:
    """Whether something holds of an element."""
    cell = b.cell("found", FALSE)

    def look(i: list[Expr]) -> None:
        here = b.let(b.flat_at(x, i[0]))
        b.emit(Assign(cell, either(read(cell), holds(here))))

    b.nest([product(x.shape)], look, serial=True)
    return b.let(read(cell))


def not_negative(b: Builder, node: Node) -> list[Form]:
    """The operand, which has no negative elements."""
    x = b.forms[node.inputs[0]]
    zero = const(0, x.type)
    if isinstance(x, Expr):
        fails(b, node)(call("lt", x, zero), ValueError)
    elif is_signed(x.type):
        x = b.stored(x)
        fails(b, node)(_is_any(b, x, lambda i: call("lt", i, zero)), ValueError)
    return [x]


def _is_outside(i: Expr, limit: Expr, signed: bool) -> Expr:
    above = call("ge", i, limit)
    return either(above, call("lt", i, call("sub", index(0), limit))) if signed else above


def _from_begin(i: Expr, limit: Expr, signed: bool) -> Expr:
    return select(call("lt", i, index(0)), call("add", i, limit), i) if signed else i
