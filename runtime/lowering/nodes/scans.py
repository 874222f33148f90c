"""Lowering of running sums and products."""

from __future__ import annotations

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Form, Stored, as_expr, flat_offset
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Cell,
    For,
    Register,
    Store,
    load,
    product,
    read,
)
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, const, index, is_float, select
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted

__all__ = ["scan"]

_COMBINE = {"cumsum": "add", "cumprod": "mul"}


def scan(b: Builder, node: Node) -> list[Form]:
    """`cumsum` and `cumprod`: each element from the one before it, in order."""
    form = b.forms[node.inputs[0]]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if isinstance(form, Expr):
        raise Refusal(f"{node.op.name} of a scalar")
    axis, x = node.attrs["axis"], form
    if axis is None and len(x.shape) != 1:
        found = b.stored(x)
        x = Stored(found.buffer, (product(x.shape),), x.type)
    at = 0 if axis is None else int(axis) % len(x.shape)
    target = b.buffer(node.outputs[0].name, kind, x.shape)
    registers = [Register(b.fresh("i"), "i8") for _ in x.shape]
    one = _along_rows if at == len(x.shape) - 1 else _along_columns
    body = one(b, x, target, registers, at, _COMBINE[node.op.name])
    for register, size in reversed(list(zip(registers[:at], x.shape[:at], strict=True))):
        body = [For(register, size, body)]
    for statement in body:
        b.emit(statement)
    b.owned.add(node.outputs[0])
    return [Stored(target, x.shape, kind)]


def _along_rows(
    b: Builder, x: Array, target: Buffer, registers: list[Register], at: int, name: str
) -> Block:
    """Rows of elements: what was added so far is in a cell, which begins with what changes nothing.

    That is -0.0 of sums of floats, since 0.0 would make zeros of negative ones.
    """
    kind = target.type
    nothing = const(1, kind) if name == "mul" else const(-0.0 if is_float(kind) else 0, kind)
    cell = Cell(b.fresh("sum"), kind)
    loop = For(registers[at], x.shape[at], [], serial=True)
    with b.loop_body(loop.body):
        indices = [read(register) for register in registers]
        total = b.let(call(name, read(cell), converted(b.at(x, indices), kind)))
        b.emit(Assign(cell, total))
        b.emit(Store(target, flat_offset(indices, target.shape), total))
    return [Assign(cell, nothing), loop]


def _along_columns(
    b: Builder, x: Array, target: Buffer, registers: list[Register], at: int, name: str
) -> Block:
    """Columns side by side, each row from the one before."""
    inner = product(x.shape[at + 1 :])
    columns: Block = []
    with b.loop_body(columns):
        indices = [read(register) for register in registers]
        value = b.let(converted(b.at(x, indices), target.type))
        here = b.let(flat_offset(indices, target.shape))
        is_first = b.let(call("eq", read(registers[at]), index(0)))
        # The first element is read where there is none before it.
        before = b.let(select(is_first, here, call("sub", here, as_expr(inner))))
        b.emit(
            Store(target, here, select(is_first, value, call(name, load(target, before), value)))
        )
    for register, size in reversed(list(zip(registers, x.shape, strict=True))[at + 1 :]):
        columns = [For(register, size, columns)]
    return [For(registers[at], x.shape[at], columns, serial=True)]
