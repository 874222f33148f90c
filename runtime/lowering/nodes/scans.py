"""Lowering of running sums, products and extremes."""

from __future__ import annotations

import math

import numpy as np

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
from runtime.lowering.kernels.scalar import (
    Expr,
    call,
    const,
    index,
    is_complex,
    is_float,
    pair,
    part_type,
    select,
)
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted
from runtime.lowering.nodes.reductions import Combine, monoid

__all__ = ["scan"]

_REDUCTIONS = {"cumsum": "sum", "cumprod": "prod", "maximum": "max", "minimum": "min"}


def scan(b: Builder, node: Node) -> list[Form]:
    """`cumsum`, `cumprod` and running extremes: each element from the one before it, in order."""
    name = node.attrs.get("ufunc", node.op.name)
    if name not in _REDUCTIONS:
        raise Refusal(f"np.{name}.accumulate")
    form = b.forms[node.inputs[0]]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if isinstance(form, Expr):
        raise Refusal(f"{node.op.name} of a scalar")
    combine, _ = monoid(_REDUCTIONS[name], kind)
    axis, x = node.attrs["axis"], form
    if axis is None and len(x.shape) != 1:
        found = b.stored(x)
        x = Stored(found.buffer, (product(x.shape),), x.type)
    at = 0 if axis is None else int(axis) % len(x.shape)
    target = b.buffer(node.outputs[0].name, kind, x.shape)
    registers = [Register(b.fresh("i"), "i8") for _ in x.shape]
    one = _along_rows if at == len(x.shape) - 1 else _along_columns
    body = one(b, x, target, registers, at, combine, _nothing(_REDUCTIONS[name], kind))
    for register, size in reversed(list(zip(registers[:at], x.shape[:at], strict=True))):
        body = [For(register, size, body)]
    for statement in body:
        b.emit(statement)
    b.owned.add(node.outputs[0])
    return [Stored(target, x.shape, kind)]


def _nothing(name: str, kind: str) -> Expr:
    """What changes nothing: of sums of floats -0.0, since 0.0 would make zeros of negative ones."""
    if name == "prod":
        return const(1, kind)
    if name == "sum" and is_complex(kind):
        return pair(_nothing(name, part_type(kind)), _nothing(name, part_type(kind)))
    if name == "sum":
        return const(-0.0 if is_float(kind) else 0, kind)
    if is_float(kind):
        return const(-math.inf if name == "max" else math.inf, kind)
    if kind == "b1":
        return const(name == "min", kind)
    limits = np.iinfo(kind)
    return const(int(limits.min if name == "max" else limits.max), kind)


def _along_rows(
    b: Builder,
    x: Array,
    target: Buffer,
    registers: list[Register],
    at: int,
    combine: Combine,
    nothing: Expr,
) -> Block:
    """Rows of elements: what there was so far is in a cell, which begins with `nothing`."""
    kind = target.type
    cell = Cell(b.fresh("sum"), kind)
    loop = For(registers[at], x.shape[at], [], serial=True)
    with b.loop_body(loop.body):
        indices = [read(register) for register in registers]
        total = b.let(combine(b.let(read(cell)), b.let(converted(b.at(x, indices), kind))))
        b.emit(Assign(cell, total))
        b.emit(Store(target, flat_offset(indices, target.shape), total))
    return [Assign(cell, nothing), loop]


def _along_columns(
    b: Builder,
    x: Array,
    target: Buffer,
    registers: list[Register],
    at: int,
    combine: Combine,
    nothing: Expr,
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
        made = combine(b.let(load(target, before)), value)
        b.emit(Store(target, here, select(is_first, value, made)))
    for register, size in reversed(list(zip(registers, x.shape, strict=True))[at + 1 :]):
        columns = [For(register, size, columns)]
    return [For(registers[at], x.shape[at], columns, serial=True)]
