"""Lowering of `x[...] = v`: into the memory of `x` where nothing else reads that later."""

from __future__ import annotations

import math

from runtime.graph.ir import Node, Value
from runtime.lowering.arrays import Array, Elements, Form, Stored, indices_of_flat
from runtime.lowering.builder import Builder, is_small
from runtime.lowering.elements import convert, tensor_type
from runtime.lowering.elementwise import converted
from runtime.lowering.kernel import Buffer, Copy, Store
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import TRUE, Expr, both, call, select
from runtime.lowering.shaping import subscript

__all__ = ["index_update", "may_overwrite"]


def index_update(b: Builder, node: Node) -> list[Form]:
    """`x` with `v` at an index of ints, slices and new axes."""
    x, v, *operands = (b.forms[value] for value in node.inputs)
    if isinstance(x, Expr):
        raise Refusal("an update of a scalar")
    maps, shape = subscript(b, node, x, operands)
    kind = x.type
    if isinstance(v, Expr):
        type_ = tensor_type(node.inputs[1].type)
        is_number = type_.weak and v.type == "i8"
        v = b.let(convert(v, type_, kind, b.fails(node)) if is_number else converted(v, kind))
    else:
        v = b.elements(v) if is_small(v.shape) else b.stored(v)
        b.same_shape(b.broadcast([v.shape, shape]), shape)

    def value(indices: list[Expr]) -> Expr:
        if isinstance(v, Expr):
            return v
        return converted(b.at(v, b.project(indices, v.shape)), kind)

    if is_small(x.shape):
        found = b.elements(x)
        sizes = tuple(n for n in shape if isinstance(n, int))
        for k in range(math.prod(sizes)):
            part = indices_of_flat(k, sizes)
            found = _of_elements(b, found, [place(part) for place in maps], value(part))
        return [found]
    target = Stored(_memory(b, node, x), x.shape, kind)

    def write(indices: list[Expr]) -> None:
        found = value(indices)
        offset = target.at([place(indices) for place in maps]).args[0]
        b.emit(Store(target.buffer, offset, found))

    if shape:
        b.nest(shape, write)
    else:
        write([])
    b.owned.add(node.outputs[0])
    return [target]


def _of_elements(b: Builder, x: Elements, at: list[Expr], value: Expr) -> Elements:
    """Each element as it was, or the new value where its index is the one."""
    values = []
    for k, old in enumerate(x.values):
        is_it: Expr = TRUE
        for i, own in zip(at, indices_of_flat(k, x.shape), strict=True):
            is_it = both(is_it, call("eq", i, own))
        values.append(b.let(select(is_it, value, old)))
    return Elements(values, x.shape, x.type)


def _memory(b: Builder, node: Node, x: Array) -> Buffer:
    """The memory of `x` if it may be overwritten, else a copy of it."""
    first = node.inputs[0]
    if isinstance(x, Stored) and may_overwrite(b, node, first):
        return x.buffer
    source = b.stored(x)
    made = b.buffer(first.name, x.type, x.shape)
    b.emit(Copy(made, source.buffer))
    return made


def may_overwrite(b: Builder, node: Node, value: Value) -> bool:
    """Whether the memory of a value is its own, and nothing that is read later looks into it."""
    form = b.forms[value]
    if value not in b.owned or not isinstance(form, Stored) or value in b.results:
        return False
    readers = b.readers.get(value, [])
    if not readers or readers[-1] is not node or node.inputs.count(value) != 1:
        return False
    return all(_is_settled(b, output, form.buffer) for r in readers[:-1] for output in r.outputs)


def _is_settled(b: Builder, value: Value, buffer: Buffer) -> bool:
    """Whether a value was computed from the memory already, and is elsewhere."""
    form = b.forms.get(value)
    if isinstance(form, Expr | Elements):
        return True
    return isinstance(form, Stored) and form.buffer is not buffer
