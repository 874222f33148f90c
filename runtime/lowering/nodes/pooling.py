"""Lowering of extremes and sums of windows, and of their adjoints: the elements of a window are
written out, in the order of the plan, so that sums have the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Array, Computed, Form, Stored, as_expr
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Dim, Store
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    TRUE,
    Expr,
    both,
    call,
    cast,
    const,
    either,
    is_float,
    is_int,
    limits,
    select,
)
from runtime.lowering.kernels.strides import plus, times
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted
from runtime.lowering.nodes.reductions import monoid
from runtime.lowering.nodes.windows import (
    Remainder,
    Taps,
    check_shape,
    is_more,
    known,
    ready,
    remainders,
    result,
    windows_of,
    within,
)

__all__ = [
    "Share",
    "give_back",
    "window_argmax",
    "window_max",
    "window_pick",
    "window_place",
    "window_spread",
    "window_sum",
]


def _pooled(b: Builder, node: Node) -> tuple[Array, Taps, tuple[Dim, ...]]:
    x, shape = known(b.forms[node.inputs[0]])
    if any(n == 0 for n in shape):
        raise Refusal("windows over nothing")
    pool = Taps(b, windows_of(b, node, shape[1:-1], node.attrs["size"]))
    return ready(b, x), pool, (shape[0], *pool.windows.counts, shape[-1])


def window_max(b: Builder, node: Node) -> list[Form]:
    """The largest element of each window."""
    x, pool, shape = _pooled(b, node)
    larger, _ = monoid("max", x.type)
    if is_float(x.type) and not math.isinf(cast(const(math.inf, "f4"), x.type).value):
        raise Refusal(f"the largest of numbers of {x.type}, none of which is infinite")
    lowest = -math.inf if is_float(x.type) else limits(x.type)[0] if is_int(x.type) else False

    def at(indices: Sequence[Expr]) -> Expr:
        total = const(lowest, x.type)
        # Along the first axis first, as the plan does: that decides between zeros of both signs.
        for tap in sorted(pool.taps(), key=lambda tap: tap[::-1]):
            value, inside = pool.element(x, indices, tap)
            total = select(inside, larger(total, value), total)
        return total

    return [Computed(at, shape, x.type)]


def window_sum(b: Builder, node: Node) -> list[Form]:
    """The sum of each window, along the first axis first."""
    x, pool, shape = _pooled(b, node)
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)

    def along(indices: Sequence[Expr], tap: tuple[int, ...]) -> Expr:
        """The sum over the axes before those of which `tap` tells the positions."""
        axis = len(pool.windows.size) - len(tap) - 1
        total = const(0, kind)
        for t in range(pool.windows.size[axis]):
            _, inside = pool.position(axis, indices[axis + 1], t)
            if axis:
                value = along(indices, (t, *tap))
            else:
                value = converted(pool.element(x, indices, (t, *tap))[0], kind)
            total = select(inside, call("add", total, value), total)
        return total

    return [Computed(lambda indices: along(indices, ()), shape, kind)]


def window_argmax(b: Builder, node: Node) -> list[Form]:
    """The number of the first element of each window that is as large as the result."""
    x, pool, shape = _pooled(b, node)
    largest = ready(b, known(b.forms[node.inputs[1]])[0])
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    check_shape(b, largest.shape, shape)

    def at(indices: Sequence[Expr]) -> Expr:
        most = b.at(largest, indices)
        found = const(math.prod(pool.windows.size), kind)
        for number, tap in reversed(list(enumerate(pool.taps()))):
            value, inside = pool.element(x, indices, tap)
            wins = call("eq", value, most)
            if is_float(x.type):
                no_numbers = both(call("ne", value, value), call("ne", most, most))
                wins = either(wins, no_numbers)
            found = select(both(inside, wins), const(number, kind), found)
        return found

    return [Computed(at, shape, kind)]


def window_pick(b: Builder, node: Node) -> list[Form]:
    """The element of each window whose number is given."""
    x, pool, shape = _pooled(b, node)
    winners = ready(b, known(b.forms[node.inputs[1]])[0])
    check_shape(b, winners.shape, shape)

    def at(indices: Sequence[Expr]) -> Expr:
        winner = b.at(winners, indices)
        found = const(0, x.type)
        for number, tap in enumerate(pool.taps()):
            value, inside = pool.element(x, indices, tap)
            is_it = call("eq", winner, const(number, winners.type))
            found = select(both(inside, is_it), value, found)
        return found

    return [Computed(at, shape, x.type)]


def window_place(b: Builder, node: Node) -> list[Form]:
    """Each element of `g` added to the element of its window whose number is given."""
    (g, shape), (winners, _) = (known(b.forms[v]) for v in node.inputs[:2])
    g, winners = ready(b, g), ready(b, winners)

    def share(indices: Sequence[Expr], tap: tuple[int, ...], pool: Taps, total: Expr) -> Expr:
        number = sum(t * math.prod(pool.windows.size[k + 1 :]) for k, t in enumerate(tap))
        is_it = call("eq", b.at(winners, indices), const(number, winners.type))
        return select(is_it, call("add", total, b.at(g, indices)), total)

    check_shape(b, winners.shape, shape)
    return _given_back(b, node, node.inputs[2:], shape, share, is_nested=False)


def window_spread(b: Builder, node: Node) -> list[Form]:
    """Each element of `g` added to all elements of its window."""
    g, shape = known(b.forms[node.inputs[0]])
    g = ready(b, g)

    def share(indices: Sequence[Expr], tap: tuple[int, ...], pool: Taps, total: Expr) -> Expr:
        return call("add", total, b.at(g, indices))

    return _given_back(b, node, node.inputs[1:], shape, share, is_nested=True)


Share = Callable[[Sequence[Expr], "tuple[int, ...]", Taps, Expr], Expr]


def _given_back(
    b: Builder,
    node: Node,
    dims: Sequence[Value],
    g_shape: Sequence[Dim],
    share: Share,
    is_nested: bool,
) -> list[Form]:
    """The sum of what windows give to each position: `is_nested`, over the last axis first."""
    kind, sizes = result(b, node, dims, node.attrs["shape"])
    shape = (g_shape[0], *sizes, g_shape[-1])
    if any(n == 0 for n in g_shape):
        raise Refusal("windows over nothing")
    pool = Taps(b, windows_of(b, node, sizes, node.attrs["size"]))
    check_shape(b, g_shape, (shape[0], *pool.windows.counts, shape[-1]))
    target = b.buffer("slopes", kind, shape)
    place = Stored(target, shape, kind)
    for plan in remainders(b, pool.windows):
        give_back(b, place, plan, pool, share, is_nested)
    return [place]


def give_back(
    b: Builder,
    place: Stored,
    plan: tuple[Remainder, ...],
    pool: Taps,
    share: Share,
    is_nested: bool,
) -> None:
    """Write the positions of one remainder: `share` adds to a sum what one window gives."""
    kind = place.type

    def window(axis: int, i: Expr, j: int) -> tuple[Expr, Expr]:
        part, count = plan[axis], pool.windows.axes[axis].number
        move = plus(part.shift, -j * part.back)
        may_be_behind = is_more(plus(move, part.number), count)
        return within(as_expr(plus(i, move)), is_more(0, move), may_be_behind, count)

    def total(image: Expr, spatial: Sequence[Expr], channel: Expr) -> Expr:
        def add(done: tuple[int, ...], windows: tuple[Expr, ...], truth: Expr, sum_: Expr) -> Expr:
            axis = len(done)
            if axis == len(plan):
                tap = tuple(p.first + j * p.step for p, j in zip(plan, done, strict=True))
                added = share([image, *windows, channel], tap, pool, sum_)
                return select(truth, added, sum_)
            is_part = is_nested and axis > 0
            found = const(0, kind) if is_part else sum_
            for j in range(plan[axis].taps):
                number, inside = window(axis, spatial[axis], j)
                known = inside if is_part else both(truth, inside)
                found = add((*done, j), (*windows, number), known, found)
            return select(truth, call("add", sum_, found), sum_) if is_part else found

        return add((), (), TRUE, const(0, kind))

    def write(indices: list[Expr]) -> None:
        image, *spatial, channel = indices
        places = []
        for i, part in zip(spatial, plan, strict=True):
            places.append(as_expr(plus(times(i, part.stride), part.start)))
        offset = place.at([image, *places, channel]).args[0]
        b.emit(Store(place.buffer, offset, total(image, spatial, channel)))

    batch, *_, channels = place.shape
    b.nest([batch, *(part.number for part in plan), channels], write)
