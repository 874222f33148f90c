"""Lowering of sorts that keep equal elements in their order: longer and longer runs are merged."""

from __future__ import annotations

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Form, Stored, as_expr
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Dim,
    Move,
    Store,
    While,
    load,
    read,
)
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    Expr,
    both,
    call,
    cast,
    either,
    index,
    invert,
    is_complex,
    is_float,
    select,
)

__all__ = ["argsort"]

# NumPy sorts more elements faster; of so many that is worth a call of it.
_MANY = 4096
_ZERO, _ONE = index(0), index(1)


def argsort(b: Builder, node: Node) -> list[Form]:
    """The positions of the elements of a vector in order."""
    x = b.forms[node.inputs[0]]
    if isinstance(x, Expr) or len(x.shape) != 1 or not node.attrs["stable"]:
        raise Refusal("a sort in which equal elements may come in any order, or of several axes")
    if is_complex(x.type) or (isinstance(x.shape[0], int) and x.shape[0] > _MANY):
        raise Refusal("a sort that NumPy does faster")
    count = b.size(x.shape[0])
    keys, order = b.buffer("keys", x.type, (count,)), b.buffer("order", "i8", (count,))
    b.fill(keys, x)
    b.nest((count,), lambda i: b.emit(Store(order, i[0], i[0])))
    others = b.buffer("keys", x.type, (count,)), b.buffer("order", "i8", (count,))
    with b.loop_body(b.block):
        _merge_all(b, (keys, order), others, count)
    b.owned.add(node.outputs[0])
    return [Stored(order, (count,), "i8")]


def _merge_all(
    b: Builder, own: tuple[Buffer, Buffer], others: tuple[Buffer, Buffer], count: Dim
) -> None:
    """Merge runs of 1, 2, 4, ... elements, by way of other memory, until there is one run."""
    size, width = b.let(as_expr(count)), b.cell("width", _ONE)
    body: Block = []
    with b.within(body):
        length = b.let(read(width))
        begin = b.cell("begin", _ZERO)
        pair: Block = []
        with b.within(pair):
            first = b.let(read(begin))
            middle = b.let(_least(call("add", first, length), size))
            end = b.let(_least(call("add", middle, length), size))
            _merge(b, own, others, (first, middle, end))
            b.emit(Assign(begin, end))
        b.emit(While([], call("lt", read(begin), size), pair))
        for mine, other in zip(own, others, strict=True):
            b.emit(Move(mine, _ZERO, other, _ZERO, size))
        b.emit(Assign(width, call("add", length, length)))
    b.emit(While([], call("lt", read(width), size), body))


def _merge(
    b: Builder,
    own: tuple[Buffer, Buffer],
    others: tuple[Buffer, Buffer],
    bounds: tuple[Expr, Expr, Expr],
) -> None:
    """Merge two runs that follow each other: of equal elements, those of the first come first."""
    first, middle, end = bounds
    left, right, place = b.cell("left", first), b.cell("right", middle), b.cell("place", first)
    body: Block = []
    with b.within(body):
        i, j, at = (b.let(read(cell)) for cell in (left, right, place))
        there = call("lt", i, middle)
        # Past the end of a run, its last element is looked at, and not taken.
        last = b.let(_least(j, call("sub", end, _ONE)))
        mine = b.let(load(own[0], b.let(_least(i, call("sub", end, _ONE)))))
        is_less = both(call("lt", j, end), _less(load(own[0], last), mine))
        is_right = b.let(either(invert(there), is_less))
        source = b.let(select(is_right, last, i))
        for memory, other in zip(own, others, strict=True):
            b.emit(Store(other, at, load(memory, source)))
        taken = b.let(cast(is_right, "i8"))
        b.emit(Assign(right, call("add", j, taken)))
        b.emit(Assign(left, call("add", i, call("sub", _ONE, taken))))
        b.emit(Assign(place, call("add", at, _ONE)))
    b.emit(While([], call("lt", read(place), end), body))


def _least(x: Expr, y: Expr) -> Expr:
    return select(call("lt", x, y), x, y)


def _less(x: Expr, y: Expr) -> Expr:
    """Whether one element comes before another: nan is behind all others."""
    less = call("lt", x, y)
    return either(less, both(call("ne", y, y), call("eq", x, x))) if is_float(x.type) else less
