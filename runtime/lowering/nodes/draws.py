"""Lowering of draws: functions of a key and a counter, each element of its own bits.

The formulas are those of the ops, read as expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Computed, Elements, Form, as_expr, flat_offset
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Assign, Dim, product, read
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    FALSE,
    Expr,
    both,
    call,
    cast,
    const,
    either,
    index,
    invert,
    is_float,
    select,
)
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import mapped
from runtime.lowering.nodes.random_bits import Blocks, blocks_of, filled, number
from runtime.lowering.nodes.shaping import given_shape
from runtime.lowering.scalars.formulas import Formulas, Scalar, next_after
from runtime.ops.random.distributions import exponential, standard_normal, truncated_normal
from runtime.ops.random.draws import low_bits, unit, width_of
from runtime.ops.random.philox import FOLD, SPLIT

__all__ = [
    "ELEMENTS_OF_BITS",
    "advance",
    "below",
    "bernoulli",
    "draw",
    "fail_where",
    "fold",
    "split",
]

# What an element is of its bits, by the name of the op.
ELEMENTS_OF_BITS: dict[str, Callable[..., Any]] = {
    "random_bits": low_bits,
    "random_uniform": unit,
    "random_normal": standard_normal,
    "random_truncated_normal": truncated_normal,
    "random_exponential": exponential,
}


def draw(b: Builder, node: Node) -> list[Form]:
    """A draw each element of which is a formula of its bits."""
    attrs = {name: value for name, value in node.attrs.items() if name != "shape"}
    make = partial(ELEMENTS_OF_BITS[node.op.name], Formulas, **attrs)
    shape = given_shape(b, node, node.inputs[2:])
    return [_drawn(b, node, shape, width_of(attrs["dtype"]), make)]


def _drawn(
    b: Builder, node: Node, shape: Sequence[Dim], width: int, make: Callable[[Scalar], Scalar]
) -> Form:
    """The array, or the number, of what is made of bits."""
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    blocks = blocks_of(b, node)
    return filled(b, blocks, shape, width, kind, lambda bits: cast(make(bits(0)).expr, kind))


def bernoulli(b: Builder, node: Node) -> list[Form]:
    """Whether uniform numbers are below probabilities."""
    p, dims = b.forms[node.inputs[2]], node.inputs[3:]
    shape = given_shape(b, node, dims)
    uniform = partial(unit, Formulas, dtype=np.dtype(np.float64))
    _check_probabilities(b, node, p)
    if isinstance(p, Expr):
        limit = Scalar(b.let(cast(p, "f8")))
        return [_drawn(b, node, shape, 64, lambda bits: uniform(bits) < limit)]
    drawn = filled(b, blocks_of(b, node), shape, 64, "f8", lambda bits: uniform(bits(0)).expr)

    def compute(args: Sequence[Expr]) -> Expr:
        return call("lt", args[0], cast(args[1], "f8"))

    return [mapped(b, [drawn, p], "b1", compute)]


def _check_probabilities(b: Builder, node: Node, p: Form) -> None:
    """Fail where one is not within 0 and 1."""

    def is_wrong(x: Expr) -> Expr:
        x = cast(x, "f8")
        return invert(both(call("ge", x, const(0.0, "f8")), call("le", x, const(1.0, "f8"))))

    fail_where(b, node, p, is_wrong)


def fail_where(b: Builder, node: Node, form: Form, is_wrong: Callable[[Expr], Expr]) -> None:
    """Fail where that holds for any element."""
    if isinstance(form, Expr):
        fails(b, node)(is_wrong(form))
        return
    found = b.cell("wrong", FALSE)

    def look(indices: list[Expr]) -> None:
        b.emit(Assign(found, either(read(found), is_wrong(b.at(form, indices)))))

    b.nest(form.shape, look, serial=True)
    fails(b, node)(b.let(read(found)))


def below(b: Builder, node: Node) -> list[Form]:
    """What rounding made the upper bound is the number before it."""
    operands = [b.forms[value] for value in node.inputs]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if not is_float(kind):
        raise Refusal(f"draws of {kind}")

    def compute(args: Sequence[Expr]) -> Expr:
        x, low, high = (cast(arg, kind) for arg in args)
        return select(call("eq", x, high), next_after(high, low), x)

    numbers = [x for x in operands if isinstance(x, Expr)]
    if len(numbers) == len(operands):
        return [compute(numbers)]
    return [mapped(b, operands, kind, compute)]


# ---- keys ----------------------------------------------------------------------------------------


def fold(b: Builder, node: Node) -> list[Form]:
    """A key that depends on a key and a number."""
    key, data = (number(b, value) for value in node.inputs)
    return [Blocks(b, key, cast(data, "u8"), FOLD).parts(index(0), 64)[0].expr]


def split(b: Builder, node: Node) -> list[Form]:
    """Keys that depend on a key, one of each block."""
    shape = given_shape(b, node, node.inputs[1:])
    blocks = Blocks(b, number(b, node.inputs[0]), const(0, "u8"), SPLIT)

    def at(position: Expr) -> Expr:
        return blocks.parts(position, 64)[0].expr

    if not shape:
        return [at(index(0))]
    return [Computed(lambda indices: at(flat_offset(indices, shape)), shape, "u8", at)]


def advance(b: Builder, node: Node) -> list[Form]:
    """The key of a state, the number of the next block, and the state behind a draw."""
    state = b.forms[node.inputs[0]]
    assert not isinstance(state, Expr)
    count = as_expr(product(given_shape(b, node, node.inputs[1:])))
    key, first = (b.let(b.at(state, [index(k)])) for k in range(2))
    bits = call("add", call("mul", count, index(node.attrs["width"])), index(127))
    behind = call("add", first, cast(call("lshr", bits, index(7)), "u8"))
    return [key, first, Elements([key, b.let(behind)], (2,), "u8")]
