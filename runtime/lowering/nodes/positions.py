"""Lowering of `argmax` and `argmin`: where extremes are, in vectors."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Computed, Form, as_expr, flat_offset
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Cell,
    Dim,
    For,
    If,
    PairwiseSum,
    Register,
    Store,
    load,
    product,
    read,
)
from runtime.lowering.kernels.narrow_floats import NARROW
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
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
from runtime.lowering.nodes.call_outs import at_least
from runtime.lowering.nodes.elementwise import mapped
from runtime.lowering.nodes.reductions import as_stored, by_groups_of_rows, in_shape, reduced_axes

__all__ = ["position"]

# The extreme of so many elements is found before it is known where among them it is: they stay in
# the nearest cache. A hundred vectors and more take longer than to join the last one's lanes.
_SEARCHED_AT_ONCE = 2048


def position(b: Builder, node: Node) -> list[Form]:
    """`argmax` and `argmin`: the first position of the extreme, of a nan if there is one."""
    form = b.forms[node.inputs[0]]
    if isinstance(form, Expr):
        return [index(0)]
    axes, shape = reduced_axes(node, form)
    if 0 in form.shape:
        raise Refusal(f"{node.op.name} of nothing")
    for a in axes:
        size = form.shape[a]
        if isinstance(size, Expr):
            at_least(b, size, 1, ValueError)
    if form.type in NARROW:  # no machine compares them
        form = mapped(b, [form], "f4", lambda args: cast(args[0], "f4"))
    x = b.stored(form) if isinstance(form, Computed) and not form.is_view else form
    comparison = "gt" if node.op.name == "argmax" else "lt"
    rank = len(x.shape)
    kept = [a for a in range(rank) if a not in axes]
    inner = [x.shape[a] for a in axes]
    if kept and max(axes) < min(kept):
        return [in_shape(b, _positions_by_rows(b, x, axes, kept, comparison), axes, shape, rank)]
    if axes == list(range(rank - len(axes), rank)):
        return [in_shape(b, _positions_in_rows(b, x, len(kept), comparison), axes, shape, rank)]

    def found(indices: Sequence[Expr]) -> Expr:
        full = [index(0)] * rank
        for a, i in zip(kept, indices, strict=True):
            full[a] = i
        best, at = b.cell("best", b.let(b.at(x, full))), b.cell("at", index(0))
        loops, registers = [], []
        for a in axes:
            registers.append(Register(b.fresh("i"), "i8"))
            full[a] = read(registers[-1])
            loops.append(For(registers[-1], x.shape[a], [], serial=True))
        outer, b.block = b.block, loops[-1].body
        here, old = b.let(b.at(x, full)), b.let(read(best))
        is_better = b.let(_comes_before(here, old, comparison))
        where = b.let(flat_offset([read(r) for r in registers], inner))
        old_at = b.let(read(at))
        b.emit(Assign(best, select(is_better, here, old)))
        b.emit(Assign(at, select(is_better, where, old_at)))
        b.block = outer
        for around, inside in itertools.pairwise(loops):
            around.body.append(inside)
        b.emit(loops[0])
        return b.let(read(at))

    if not kept:
        with b.loop_body(b.block):
            return [in_shape(b, found([]), axes, shape, rank)]
    target = b.buffer("position", "i8", [x.shape[a] for a in kept])
    place = as_stored(target)
    b.nest(target.shape, lambda i: b.emit(Store(target, place.at(i).args[0], found(i))))
    return [in_shape(b, place, axes, shape, rank)]


def _comes_before(x: Expr, old: Expr, comparison: str) -> Expr:
    """Whether a later element is the extreme, not an earlier one: a nan is, if it is the first."""
    if x.type == "b1":
        return both(x, invert(old)) if comparison == "gt" else both(invert(x), old)
    is_better = call(comparison, x, old)
    if is_float(x.type):
        return both(either(is_better, call("ne", x, x)), call("eq", old, old))
    return is_better


def _positions_by_rows(
    b: Builder, x: Array, axes: Sequence[int], kept: Sequence[int], comparison: str
) -> Form:
    """Positions along the first axes: each row beside the best elements before it."""
    shape = [x.shape[a] for a in kept]
    sizes = [x.shape[a] for a in axes]
    best, at = b.buffer("best", x.type, shape), b.buffer("position", "i8", shape)
    place = as_stored(at)

    def start(indices: list[Expr]) -> None:
        here = b.let(place.at(indices).args[0])
        b.emit(Store(best, here, b.at(x, [*(index(0) for _ in axes), *indices])))
        b.emit(Store(at, here, index(0)))

    b.nest(shape, start)

    def improve(rows: list[list[Expr]], column: list[Expr]) -> None:
        here = b.let(place.at(column).args[0])
        found, found_at = b.let(load(best, here)), b.let(load(at, here))
        for row in rows:
            new = b.let(b.at(x, [*row, *column]))
            is_better = b.let(_comes_before(new, found, comparison))
            found = b.let(select(is_better, new, found))
            found_at = b.let(select(is_better, flat_offset(row, sizes), found_at))
        b.emit(Store(best, here, found))
        b.emit(Store(at, here, found_at))

    by_groups_of_rows(b, sizes, shape, improve)
    return place


def _positions_in_rows(b: Builder, x: Array, kept: int, comparison: str) -> Form:
    """Positions along the last axes."""
    source = x if b.has_flat(x) else b.stored(x)
    shape, count = x.shape[:kept], product(x.shape[kept:])
    if not shape:
        with b.loop_body(b.block):
            return _position_from(b, source, index(0), count, comparison)
    target = b.buffer("position", "i8", shape)
    row = Register(b.fresh("row"), "i8")
    loop = For(row, product(shape), [])
    with b.loop_body(loop.body):
        begin = b.let(call("mul", read(row), as_expr(count)))
        b.emit(Store(target, read(row), _position_from(b, source, begin, count, comparison)))
    b.emit(loop)
    return as_stored(target)


def _position_from(b: Builder, x: Array, begin: Expr, count: Dim, comparison: str) -> Expr:
    """The position of the extreme of elements side by side.

    That of each block is found in vectors; the block that it is in is looked through once more.
    """
    if x.type == "b1":
        return _first_truth(b, x, begin, count, comparison == "gt")
    if isinstance(count, int) and count <= _SEARCHED_AT_ONCE:
        extreme = _extreme_of(b, x, begin, count, comparison)
        return cast(_found(b, x, begin, count, extreme), "i8")
    window, blocks = _window_and_blocks(b, count)
    best, first = b.cell("best", b.let(b.flat_at(x, begin))), b.cell("first", index(0))
    number = Register(b.fresh("block"), "i8")
    loop = For(number, blocks, [], serial=True)
    with b.within(loop.body):
        start = _start(b, number, count, window)
        new = _extreme_of(b, x, b.let(call("add", begin, start)), window, comparison)
        old, old_start = b.let(read(best)), b.let(read(first))
        is_better = b.let(_comes_before(new, old, comparison))
        b.emit(Assign(best, select(is_better, new, old)))
        b.emit(Assign(first, select(is_better, start, old_start)))
    b.emit(loop)
    start = b.let(read(first))
    at = _found(b, x, b.let(call("add", begin, start)), window, b.let(read(best)))
    return b.let(call("add", start, cast(at, "i8")))


def _first_truth(b: Builder, x: Array, begin: Expr, count: Dim, wanted: bool) -> Expr:
    """The first position of a truth value, block by block until it is found; 0 if there is none."""
    window, blocks = _window_and_blocks(b, count)
    end, wish = as_expr(window), const(wanted, "b1")
    first = b.cell("first", index(-1))
    number = Register(b.fresh("block"), "i8")
    loop = For(number, blocks, [], serial=True)
    search: Block = []
    with b.within(search):
        start = _start(b, number, count, window)
        found = cast(_found(b, x, b.let(call("add", begin, start)), window, wish), "i8")
        at = b.let(select(call("lt", found, end), call("add", start, found), index(-1)))
        b.emit(Assign(first, at))
    with b.within(loop.body):
        b.emit(If(call("lt", read(first), index(0)), search, []))
    b.emit(loop)
    at = b.let(read(first))
    return b.let(select(call("lt", at, index(0)), index(0), at))


def _window_and_blocks(b: Builder, count: Dim) -> tuple[Dim, Dim]:
    """How many elements are searched at once, and how often."""
    if isinstance(count, int):
        return min(count, _SEARCHED_AT_ONCE), -(-count // _SEARCHED_AT_ONCE)
    window = select(call("lt", count, index(_SEARCHED_AT_ONCE)), count, index(_SEARCHED_AT_ONCE))
    return window, b.divided(b.shifted(count, _SEARCHED_AT_ONCE - 1), _SEARCHED_AT_ONCE)


def _start(b: Builder, number: Register, count: Dim, window: Dim) -> Expr:
    """Where a block begins: the last one is as long as others, and may begin in the one before."""
    start = b.let(call("mul", read(number), index(_SEARCHED_AT_ONCE)))
    last = b.let(call("sub", as_expr(count), as_expr(window)))
    return b.let(select(call("lt", start, last), start, last))


def _extreme_of(b: Builder, x: Array, begin: Expr, count: Dim, comparison: str) -> Expr:
    """The extreme of elements side by side."""
    cell, i = Cell(b.fresh("extreme"), x.type), Register(b.fresh("i"), "i8")
    body: Block = []
    with b.within(body):
        value = b.let(b.flat_at(x, call("add", begin, read(i))))
    b.emit(PairwiseSum(cell, i, count, body, value, "ge" if comparison == "gt" else "le"))
    return b.let(read(cell))


def _same_truth(value: Expr, wanted: Expr) -> Expr:
    return value if wanted.value else invert(value)


def _found(b: Builder, x: Array, begin: Expr, size: Dim, wanted: Expr) -> Expr:
    """The first position of a number among few elements side by side, or of a nan."""
    end = cast(as_expr(size), "i4")
    at, i = b.cell("at", end), Register(b.fresh("i"), "i8")
    loop = For(i, size, [], serial=True)
    with b.within(loop.body):
        value = b.let(b.flat_at(x, call("add", begin, read(i))))
        is_it = call("eq", value, wanted) if x.type != "b1" else _same_truth(value, wanted)
        if is_float(x.type):
            is_it = either(is_it, call("ne", value, value))
        place, first = b.let(select(b.let(is_it), cast(read(i), "i4"), end)), b.let(read(at))
        b.emit(Assign(at, select(call("lt", place, first), place, first)))
    b.emit(loop)
    return b.let(read(at))
