"""Lowering of running sums and products."""

from __future__ import annotations

from runtime.graph.ir import Node
from runtime.lowering.arrays import Form, Stored, as_expr
from runtime.lowering.builder import Builder
from runtime.lowering.elements import machine_type, tensor_type
from runtime.lowering.elementwise import converted
from runtime.lowering.kernel import Dim, For, Register, Store, load, product, read
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import Expr, call, index, select

__all__ = ["scan"]

_COMBINE = {"cumsum": "add", "cumprod": "mul"}


def scan(b: Builder, node: Node) -> list[Form]:
    """`cumsum` and `cumprod`: each element from the one before it, in order."""
    form = b.forms[node.inputs[0]]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if isinstance(form, Expr):
        raise Refusal(f"{node.op.name} of a scalar")
    x, axis = b.stored(form), node.attrs["axis"]
    shape: tuple[Dim, ...] = x.shape if axis is not None else (product(x.shape),)
    at = 0 if axis is None else int(axis) % len(shape)
    target = b.buffer(node.outputs[0].name, kind, shape)
    outer, size, inner = product(shape[:at]), shape[at], product(shape[at + 1 :])
    name = _COMBINE[node.op.name]
    i, k, j = (Register(b.fresh("i"), "i8") for _ in range(3))
    columns = For(j, inner, [])
    loop = For(i, outer, [For(k, size, [columns], serial=True)], serial=True)
    with b.loop_body(columns.body):
        row = call("add", call("mul", read(i), as_expr(size)), read(k))
        here = b.let(call("add", call("mul", row, as_expr(inner)), read(j)))
        value = b.let(converted(load(x.buffer, here), kind))
        is_first = b.let(call("eq", read(k), index(0)))
        # The first element is read where there is none before it.
        before = b.let(select(is_first, here, call("sub", here, as_expr(inner))))
        old = load(target, before)
        b.emit(Store(target, here, select(is_first, value, call(name, old, value))))
    b.emit(loop)
    b.owned.add(node.outputs[0])
    return [Stored(target, shape, kind)]
