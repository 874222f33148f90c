"""Lowering of searches in sorted arrays."""

from __future__ import annotations

import numpy as np

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Computed, Form, Stored, as_expr
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Assign, Block, Handed, If, Store, While, read
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    FALSE,
    Expr,
    both,
    call,
    cast,
    either,
    index,
    invert,
    is_float,
    select,
)
from runtime.lowering.nodes.call_outs import called_outside
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted

__all__ = ["searchsorted"]


def searchsorted(b: Builder, node: Node) -> list[Form]:
    """Where numbers are to be put."""
    x, v = (b.forms[value] for value in node.inputs)
    if isinstance(x, Expr):
        raise Refusal("a search in a number")
    types = [tensor_type(value.type).dtype for value in node.inputs]
    kind = machine_type(np.promote_types(*types))
    x = b.stored(x) if isinstance(x, Computed) and not x.is_view else x
    is_left = node.attrs["side"] == "left"
    if isinstance(v, Expr):
        with b.loop_body(b.block):
            return [_of_one(b, x, b.let(converted(v, kind)), is_left)]
    is_unsorted = _is_unsorted(b, x)
    target = b.buffer("places", "i8", v.shape)
    place = Stored(target, target.shape, "i8")

    def write(indices: list[Expr]) -> None:
        found = _of_many(b, x, b.let(converted(b.at(v, indices), kind)), is_left)
        b.emit(Store(target, place.at(indices).args[0], found))

    # What many values are put to in an array that is not sorted depends on NumPy's version.
    if b.program.has_effects:
        blocks: tuple[Block, Block] = ([], [])
        with b.inside(blocks[0]):
            result = Handed(tensor_type(node.outputs[0].type), buffer=target, shape=target.shape)
            called_outside(b, node, [result], (0,), is_rare=True)
        with b.inside(blocks[1]):
            b.nest(v.shape, write, serial=True)
        b.emit(If(is_unsorted, *blocks))
    else:
        b.leave_where(is_unsorted)
        b.nest(v.shape, write, serial=True)
    b.owned.add(node.outputs[0])
    return [place]


def _of_one(b: Builder, x: Array, v: Expr, is_left: bool) -> Expr:
    """The search of one number, in the steps of NumPy's: they matter where nothing is sorted."""
    low, high = b.cell("low", index(0)), b.cell("high", as_expr(x.shape[0]))
    body: Block = []
    with b.within(body):
        first, behind = b.let(read(low)), b.let(read(high))
        half = call("lshr", call("sub", behind, first), index(1))
        middle = b.let(call("add", first, half))
        is_later = b.let(_is_later(b, x, middle, v, is_left))
        b.emit(Assign(low, select(is_later, call("add", middle, index(1)), first)))
        b.emit(Assign(high, select(is_later, behind, middle)))
    b.emit(While([], call("lt", read(low), read(high)), body))
    return b.let(read(low))


def _of_many(b: Builder, x: Array, v: Expr, is_left: bool) -> Expr:
    """The search of one of many numbers, in as many steps as for the others: none waits for what
    the processor did not foresee."""
    size = as_expr(x.shape[0])
    low, left = b.cell("low", index(0)), b.cell("left", size)
    body: Block = []
    with b.within(body):
        first, count = b.let(read(low)), b.let(read(left))
        half = b.let(call("lshr", count, index(1)))
        behind = b.let(call("add", first, half))
        is_later = b.let(_is_later(b, x, call("sub", behind, index(1)), v, is_left))
        b.emit(Assign(low, select(is_later, behind, first)))
        b.emit(Assign(left, call("sub", count, half)))
    b.emit(While([], call("gt", read(left), index(1)), body))
    last: Block = []
    with b.within(last):
        first = b.let(read(low))
        is_later = b.let(_is_later(b, x, first, v, is_left))
        b.emit(Assign(low, call("add", first, cast(is_later, "i8"))))
    b.emit(If(call("gt", size, index(0)), last, []))
    return b.let(read(low))


def _is_unsorted(b: Builder, x: Array) -> Expr:
    """Whether an array is not sorted."""
    found = b.cell("unsorted", FALSE)

    def look(indices: list[Expr]) -> None:
        (i,) = indices
        last = b.let(select(call("gt", i, index(0)), call("sub", i, index(1)), index(0)))
        is_less = _less(b.at(x, [i]), b.at(x, [last]))
        b.emit(Assign(found, either(read(found), is_less)))

    b.nest(x.shape, look, serial=True)
    return b.let(read(found))


def _is_later(b: Builder, array: Array, at: Expr, v: Expr, is_left: bool) -> Expr:
    """Whether a number is to stand behind an element."""
    x = converted(b.at(array, [at]), v.type)
    return _less(x, v) if is_left else invert(_less(v, x))


def _less(x: Expr, y: Expr) -> Expr:
    """Whether one number is to stand before another: nan is behind all others."""
    less = call("lt", x, y)
    if not is_float(x.type):
        return less
    return either(less, both(call("ne", y, y), call("eq", x, x)))
