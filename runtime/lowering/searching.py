"""Lowering of searches in sorted arrays."""

from __future__ import annotations

import numpy as np

from runtime.graph.ir import Node
from runtime.lowering.arrays import Computed, Form, as_expr
from runtime.lowering.builder import Builder
from runtime.lowering.elements import machine_type, tensor_type
from runtime.lowering.elementwise import converted
from runtime.lowering.kernel import Assign, Block, While, read
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import Expr, both, call, either, index, invert, is_float, select

__all__ = ["searchsorted"]


def searchsorted(b: Builder, node: Node) -> list[Form]:
    """Where a number is to be put, in the steps of NumPy's: they matter where nothing is sorted."""
    x, v = (b.forms[value] for value in node.inputs)
    if isinstance(x, Expr) or not isinstance(v, Expr):
        raise Refusal("searchsorted of many values")
    types = [tensor_type(value.type).dtype for value in node.inputs]
    kind = machine_type(np.promote_types(*types))
    x = b.stored(x) if isinstance(x, Computed) and not x.is_view else x
    v = b.let(converted(v, kind))
    low, high = b.cell("low", index(0)), b.cell("high", as_expr(x.shape[0]))
    body: Block = []
    with b.loop_body(body):
        first, behind = b.let(read(low)), b.let(read(high))
        half = call("lshr", call("sub", behind, first), index(1))
        middle = b.let(call("add", first, half))
        here = b.let(converted(b.at(x, [middle]), kind))
        is_left = node.attrs["side"] == "left"
        is_later = b.let(_less(here, v) if is_left else invert(_less(v, here)))
        b.emit(Assign(low, select(is_later, call("add", middle, index(1)), first)))
        b.emit(Assign(high, select(is_later, behind, middle)))
    b.emit(While([], call("lt", read(low), read(high)), body))
    return [b.let(read(low))]


def _less(x: Expr, y: Expr) -> Expr:
    """Whether one number is to stand before another: nan is behind all others."""
    less = call("lt", x, y)
    if not is_float(x.type):
        return less
    return either(less, both(call("ne", y, y), call("eq", x, x)))
