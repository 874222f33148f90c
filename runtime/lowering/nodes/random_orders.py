"""Lowering of random orders: the order of random bits."""

from __future__ import annotations

from functools import partial

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Computed, Form, Stored, as_expr, flat_offset
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Dim,
    Store,
    While,
    load,
    product,
    read,
)
from runtime.lowering.kernels.scalar import Expr, both, call, cast, const, index, select
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.random_bits import blocks_of, filled
from runtime.lowering.nodes.shaping import given_shape, given_size

__all__ = ["permutation"]


def permutation(b: Builder, node: Node) -> list[Form]:
    """The order of random bits, which are spread so evenly that few share one of as many ranges."""
    shape = given_shape(b, node, node.inputs[3:])
    there = given_size(b, node.inputs[2])
    wanted = product(shape)
    if there is not wanted and there != wanted:
        fails(b, node)(call("gt", as_expr(wanted), as_expr(there)))
    bits = filled(b, blocks_of(b, node), (there,), 64, "u8", lambda bits: bits(0).expr)
    assert not isinstance(bits, Expr)
    order = _sorted(b, bits, there)
    if len(shape) == 1 and (there is wanted or there == wanted):
        b.owned.add(node.outputs[0])
        return [Stored(order, (there,), "i8")]
    if not shape:
        return [b.let(load(order, index(0)))]
    at = partial(load, order)
    return [Computed(lambda i: at(flat_offset(i, shape)), shape, "i8", at, is_view=True)]


def _sorted(b: Builder, bits: Array, count: Dim) -> Buffer:
    """The positions of random bits in ascending order; of equal ones, the first is the first."""
    whole = as_expr(count)
    following = b.shifted(count, 1)
    keys, order = b.buffer("keys", "u8", (count,)), b.buffer("order", "i8", (count,))
    begins = b.buffer("begins", "i8", (following,))
    b.nest([following], lambda i: b.emit(Store(begins, i[0], index(0))))

    def range_of(i: Expr) -> Expr:
        part = call("mul", call("lshr", b.at(bits, [i]), const(32, "u8")), cast(whole, "u8"))
        return b.let(cast(call("lshr", part, const(32, "u8")), "i8"))

    def look(i: list[Expr]) -> None:
        at = b.let(call("add", range_of(i[0]), index(1)))
        b.emit(Store(begins, at, b.let(call("add", load(begins, at), index(1)))))

    def add_up(i: list[Expr]) -> None:
        at = b.let(call("add", i[0], index(1)))
        both_ = b.let(call("add", b.let(load(begins, i[0])), b.let(load(begins, at))))
        b.emit(Store(begins, at, both_))

    def put(i: list[Expr]) -> None:
        own = range_of(i[0])
        at = b.let(load(begins, own))
        b.emit(Store(begins, own, b.let(call("add", at, index(1)))))
        b.emit(Store(keys, at, b.at(bits, [i[0]])))
        b.emit(Store(order, at, i[0]))

    for write in (look, add_up, put, lambda i: _insert(b, keys, order, i[0])):
        b.nest([count], write, serial=True)
    return order


def _insert(b: Builder, keys: Buffer, order: Buffer, k: Expr) -> None:
    """Move what is at a place in front of all larger ones before it."""
    key, own = b.let(load(keys, k)), b.let(load(order, k))
    place = b.cell("place", k)
    test: Block = []
    body: Block = []
    with b.within(test):
        at = b.let(read(place))
        before = b.let(select(call("gt", at, index(0)), call("sub", at, index(1)), index(0)))
        other = b.let(load(keys, before))
    with b.within(body):
        b.emit(Store(keys, at, other))
        b.emit(Store(order, at, b.let(load(order, before))))
        b.emit(Assign(place, before))
    b.emit(While(test, both(call("gt", at, index(0)), call("gt", other, key)), body))
    end = b.let(read(place))
    b.emit(Store(keys, end, key))
    b.emit(Store(order, end, own))
