"""Lowering of draws whose candidates are refused: gamma and Poisson."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Cell,
    Dim,
    If,
    Store,
    While,
    product,
    read,
)
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    FALSE,
    Expr,
    both,
    call,
    cast,
    const,
    index,
    invert,
    is_float,
)
from runtime.lowering.nodes.draws import fail_where
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import is_whole
from runtime.lowering.nodes.random_bits import Blocks, blocks_of, number
from runtime.lowering.nodes.shaping import given_shape
from runtime.lowering.scalars.formulas import Formulas, Scalar
from runtime.ops.random.distributions import (
    LARGE_MEAN,
    LARGEST_MEAN,
    RAREST,
    Hat,
    cube,
    is_good,
    is_surely_good,
    may_be_good,
)
from runtime.ops.random.draws import ATTEMPTS, fraction
from runtime.ops.random.philox import BOOST
from runtime.ops.special_functions import exact

__all__ = ["gamma", "poisson"]

# What a candidate made of two random words is, and whether it is good.
_Propose = Callable[[Scalar, Scalar], tuple[Scalar, Scalar]]


def gamma(b: Builder, node: Node) -> list[Form]:
    """Numbers of the gamma distribution, of a shape parameter for all or for each."""
    key, counter = (number(b, value) for value in node.inputs[:2])
    blocks, boosts = Blocks(b, key, counter), Blocks(b, key, counter, BOOST)
    alphas = b.forms[node.inputs[2]]
    fail_where(b, node, alphas, lambda x: _is_outside(x, "gt", math.inf))

    def make(at: Expr, alpha: Scalar) -> Scalar:
        d = _let(b, Formulas.where(alpha < 1.0, alpha + 1.0, alpha) - 1.0 / 3.0)
        c = _let(b, 1.0 / Formulas.sqrt(9.0 * d))

        def propose(first: Scalar, second: Scalar) -> tuple[Scalar, Scalar]:
            is_positive, v, square = (_let(b, x) for x in cube(Formulas, c, first))
            u = _let(b, fraction(second, 64))
            is_sure = is_surely_good(u, square)
            return v, is_positive & (is_sure | is_good(Formulas, u, square, d, v))

        found = d * _accepted(b, blocks, at, propose)
        u = fraction(boosts.parts(at, 64)[0], 64)
        less = found * exact.exp(Formulas, exact.log(Formulas, u) / alpha)
        return Formulas.where(alpha < 1.0, less, found)

    return [_filled(b, node, alphas, make)]


def poisson(b: Builder, node: Node) -> list[Form]:
    """Counts of the Poisson distribution, of a mean for all or for each."""
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if not (is_float(kind) or kind in ("i8", "u8")):
        raise Refusal(f"counts that {kind} may not hold")
    blocks, means = blocks_of(b, node), b.forms[node.inputs[2]]
    fail_where(b, node, means, lambda x: _is_outside(x, "ge", LARGEST_MEAN))

    def make(at: Expr, lam: Scalar) -> Scalar:
        count = b.cell("count", const(0.0, "f8"))
        many: Block = []
        few: Block = []
        with b.within(many):
            b.emit(Assign(count, _many(b, blocks, at, lam).expr))
        with b.within(few):
            _add_up(b, count, fraction(blocks.parts(at, 64)[0] >> 12, 52), lam)
        b.emit(If(b.let((lam >= LARGE_MEAN).expr), many, few))
        return Scalar(b.let(read(count)))

    return [_filled(b, node, means, make)]


def _many(b: Builder, blocks: Blocks, at: Expr, lam: Scalar) -> Scalar:
    """A count of a large mean."""
    hat = Hat(Formulas, lam)

    def propose(first: Scalar, second: Scalar) -> tuple[Scalar, Scalar]:
        u, v = _let(b, fraction(first, 64) - 0.5), _let(b, fraction(second, 64))
        edge, k = (_let(b, x) for x in hat.candidate(u))
        is_found = may_be_good(edge, v, k) & hat.is_good(edge, v, k)
        return Formulas.maximum(k, 0.0), hat.is_surely_good(edge, v) | is_found

    return _accepted(b, blocks, at, propose)


def _add_up(b: Builder, count: Cell, u: Scalar, lam: Scalar) -> None:
    """The first count at which the summed probabilities exceed a uniform number."""
    u = _let(b, u)
    first = b.let(exact.exp(Formulas, -lam).expr)
    probability, total = b.cell("probability", first), b.cell("total", first)
    body: Block = []
    with b.within(body):
        n = _let(b, Scalar(read(count)) + 1.0)
        following = _let(b, Scalar(read(probability)) * (lam / n))
        b.emit(Assign(probability, following.expr))
        b.emit(Assign(total, (Scalar(read(total)) + following).expr))
        b.emit(Assign(count, n.expr))
    is_more = (u > Scalar(read(total))) & (Scalar(read(probability)) > RAREST)
    b.emit(While([], (is_more & (Scalar(read(count)) < 99.0)).expr, body))


def _accepted(b: Builder, blocks: Blocks, at: Expr, propose: _Propose) -> Scalar:
    """The first candidate that is good, or the last one."""
    value, good = b.cell("candidate", const(0.0, "f8")), b.cell("good", FALSE)
    attempt = b.cell("attempt", const(0, "u8"))
    body: Block = []
    with b.within(body):
        tried = b.let(read(attempt))
        first, second = (_let(b, x) for x in blocks.parts(at, 64, Scalar(tried)))
        found, is_good_ = propose(first, second)
        b.emit(Assign(value, found.expr))
        b.emit(Assign(good, is_good_.expr))
        b.emit(Assign(attempt, call("add", tried, const(1, "u8"))))
    is_allowed = call("lt", read(attempt), const(ATTEMPTS, "u8"))
    b.emit(While([], both(call("eq", read(good), FALSE), is_allowed), body))
    return Scalar(b.let(read(value)))


# ---- elements ------------------------------------------------------------------------------------


def _filled(
    b: Builder, node: Node, parameters: Form, make: Callable[[Expr, Scalar], Scalar]
) -> Form:
    """An array, or a number, of what is made at each position with the parameter there."""
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    shape = given_shape(b, node, node.inputs[3:])
    at_each = _at_each(b, parameters, shape)

    def element(at: Expr) -> Expr:
        parameter = Scalar(b.let(cast(at_each(at), "f8")))
        return b.let(cast(make(at, parameter).expr, kind))

    if not shape:
        with b.loop_body(b.block):
            return element(index(0))
    buffer = b.buffer("drawn", kind, shape)
    b.nest([product(shape)], lambda i: b.emit(Store(buffer, i[0], element(i[0]))), serial=True)
    return Stored(buffer, shape, kind)


def _at_each(b: Builder, form: Form, shape: Sequence[Dim]) -> Callable[[Expr], Expr]:
    """What a parameter is at a position of the draw."""
    if isinstance(form, Expr):
        return lambda at: form
    if not is_whole(b, form, shape):
        raise Refusal("parameters of a draw that are broadcast")
    stored = b.stored(form)
    return lambda at: b.flat_at(stored, at)


def _is_outside(x: Expr, above: str, limit: float) -> Expr:
    """Whether a parameter is not above 0, or 0, and below a limit."""
    x = cast(x, "f8")
    return invert(both(call(above, x, const(0.0, "f8")), call("lt", x, const(limit, "f8"))))


def _let(b: Builder, x: Scalar) -> Scalar:
    return Scalar(b.let(x.expr))
