"""Lowering of convolution and pooling: loops over windows, without copies of patches.

A convolution is a contraction whose first operand is read in steps that overlap. Its adjoint in the
kernel is another, which sums over the windows. The adjoint in the input is one for each remainder
of positions by the strides: the elements of the kernel that meet such a position.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from runtime.graph.ir import Node
from runtime.lowering.arrays import Array, Computed, Form, Stored
from runtime.lowering.builder import Builder
from runtime.lowering.elements import machine_type, tensor_type
from runtime.lowering.elementwise import converted, mapped
from runtime.lowering.kernel import Axis, Buffer, Store
from runtime.lowering.products import contract, placed
from runtime.lowering.reductions import monoid
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import (
    TRUE,
    Expr,
    both,
    call,
    const,
    either,
    index,
    is_float,
    is_int,
    limits,
    select,
)
from runtime.lowering.strides import Strided, plus, times
from runtime.ops.windows import Windows

__all__ = [
    "convolution",
    "convolution_input",
    "convolution_kernel",
    "window_argmax",
    "window_max",
    "window_pick",
    "window_place",
    "window_spread",
    "window_sum",
]


# Windows of more elements are no loops here.
_MOST_TAPS = 64


def _known(form: Form) -> tuple[Array, tuple[int, ...]]:
    """An array all of whose sizes are known."""
    if isinstance(form, Expr):
        raise Refusal("windows over a number")
    shape = tuple(n for n in form.shape if isinstance(n, int))
    if len(shape) < len(form.shape):
        raise Refusal("windows over sizes that are not known")
    return form, shape


def _windows(node: Node, sizes: Sequence[int], size: Sequence[int]) -> Windows:
    attrs = node.attrs
    return Windows.over(sizes, size, attrs["strides"], attrs["padding"], attrs["dilations"])


# ---- convolution ---------------------------------------------------------------------------------


def convolution(b: Builder, node: Node) -> list[Form]:
    """Sums of the products of a kernel with the windows of an array."""
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    (x, x_shape), (kernel, k_shape) = (_known(b.forms[v]) for v in node.inputs)
    windows = _windows(node, x_shape[1:-1], k_shape[:-2])
    shape = (x_shape[0], *windows.counts, k_shape[-1])
    _check_groups(node, k_shape)
    target = b.buffer("convolved", kind, shape)
    source = _padded(b, x, windows.before, windows.needed, kind)
    _correlate(b, target, source, placed(b, kernel, kind), k_shape, windows, node.attrs["groups"])
    return [Stored(target, shape, kind)]


def _check_groups(node: Node, k_shape: tuple[int, ...]) -> None:
    if node.attrs["groups"] > 1 and k_shape[-2] == 1:
        raise Refusal("a convolution of each channel by itself")


def _correlate(
    b: Builder,
    target: Buffer,
    x: Strided,
    kernel: Strided,
    k_shape: tuple[int, ...],
    windows: Windows,
    groups: int,
) -> None:
    """Write a convolution of a padded array."""
    *size, channels, features = k_shape
    each = features // groups
    out = _steps((int(target.shape[0]), *windows.counts, features))  # type: ignore[arg-type]
    batch, *spatial, channel = x.steps
    rows = [Axis(target.shape[0], batch, 0, out[0])]
    rows += [
        Axis(n, times(stride, step), 0, to)
        for n, stride, step, to in zip(
            windows.counts, windows.strides, spatial, out[1:-1], strict=True
        )
    ]
    *k_spatial, k_channel, k_feature = kernel.steps
    inner = [
        Axis(n, times(dilation, step), k_step, 0)
        for n, dilation, step, k_step in zip(
            size, windows.dilations, spatial, k_spatial, strict=True
        )
    ]
    inner.append(Axis(channels, channel, k_channel, 0))
    groups_axis = Axis(groups, times(channels, channel), times(each, k_feature), each)
    *around, row = rows
    column = Axis(each, 0, k_feature, 1)
    contract(b, target, x, kernel, ([groups_axis, *around], row, column, inner))


def convolution_kernel(b: Builder, node: Node) -> list[Form]:
    """The adjoint of a convolution in its kernel."""
    kind, k_shape = _static_result(node)
    (x, x_shape), (g, g_shape) = (_known(b.forms[v]) for v in node.inputs[:2])
    groups = node.attrs["groups"]
    windows = _windows(node, x_shape[1:-1], k_shape[:-2])
    _check(g_shape, (x_shape[0], *windows.counts, k_shape[-1]))
    _check_groups(node, k_shape)
    source = _padded(b, x, windows.before, windows.needed, kind)
    given = _in_order(b, g, kind)
    target = b.buffer("slopes", kind, k_shape)
    *size, channels, features = k_shape
    each = features // groups
    out = _steps(k_shape)
    batch, *spatial, channel = source.steps
    g_batch, *g_spatial, g_feature = given.steps
    rows = [
        Axis(n, times(dilation, step), 0, to)
        for n, dilation, step, to in zip(size, windows.dilations, spatial, out, strict=False)
    ]
    rows.append(Axis(channels, channel, 0, features))
    inner = [Axis(x_shape[0], batch, g_batch, 0)]
    inner += [
        Axis(n, times(stride, step), g_step, 0)
        for n, stride, step, g_step in zip(
            windows.counts, windows.strides, spatial, g_spatial, strict=True
        )
    ]
    groups_axis = Axis(groups, times(channels, channel), times(each, g_feature), each)
    *around, row = rows
    column = Axis(each, 0, g_feature, 1)
    contract(b, target, source, given, ([groups_axis, *around], row, column, inner))
    return [Stored(target, k_shape, kind)]


def convolution_input(b: Builder, node: Node) -> list[Form]:
    """The adjoint of a convolution in its input."""
    kind, shape = _static_result(node)
    (g, g_shape), (kernel, k_shape) = (_known(b.forms[v]) for v in node.inputs[:2])
    windows = _windows(node, shape[1:-1], k_shape[:-2])
    _check(g_shape, (shape[0], *windows.counts, k_shape[-1]))
    _check_groups(node, k_shape)
    target = b.buffer("slopes", kind, shape)
    weights = placed(b, kernel, kind)
    plans = _remainders(windows)
    # Zeros around, so that windows that do not exist give nothing.
    before = tuple(max(p[axis].reach for p in plans) for axis in range(len(shape) - 2))
    sizes = tuple(
        pad + max(max(p[axis].end for p in plans), count)
        for axis, (pad, count) in enumerate(zip(before, windows.counts, strict=True))
    )
    given = _padded(b, g, before, sizes, kind)
    groups = node.attrs["groups"]
    for plan in plans:
        _scatter(b, target, given, weights, shape, (k_shape[-1] // groups, groups), plan, before)
    return [Stored(target, shape, kind)]


class _Remainder(NamedTuple):
    """On one axis: positions `start + i * stride` for `i < number`, and what meets them.

    Element `first + j * step` of window number `i + shift - j * back` does, for each `j < taps`.
    """

    start: int
    stride: int
    number: int
    first: int
    step: int
    taps: int
    shift: int
    back: int

    @property
    def reach(self) -> int:
        """How many windows before the first one are asked for."""
        return max((self.taps - 1) * self.back - self.shift, 0)

    @property
    def end(self) -> int:
        """One more than the number of the last window that is asked for."""
        return self.number + max(self.shift, 0)


def _remainders(windows: Windows) -> list[tuple[_Remainder, ...]]:
    """All positions, parted so that the same elements of windows meet those of a part."""
    axes = [
        [_remainder(windows, axis, start) for start in range(max(min(stride, n), 1))]
        for axis, (stride, n) in enumerate(zip(windows.strides, windows.shape, strict=True))
    ]
    return list(itertools.product(*axes))


def _remainder(windows: Windows, axis: int, start: int) -> _Remainder:
    stride, dilation = windows.strides[axis], windows.dilations[axis]
    count = max(-(-(windows.shape[axis] - start) // stride), 0)
    position = start + windows.before[axis]
    meet = [t for t in range(windows.size[axis]) if (position - t * dilation) % stride == 0]
    step = meet[1] - meet[0] if len(meet) > 1 else 1
    first = meet[0] if meet else 0
    shift = (position - first * dilation) // stride
    return _Remainder(
        start, stride, count, first, step, len(meet), shift, step * dilation // stride
    )


def _scatter(
    b: Builder,
    target: Buffer,
    g: Strided,
    kernel: Strided,
    shape: tuple[int, ...],
    features: tuple[int, int],
    plan: Sequence[_Remainder],
    before: tuple[int, ...],
) -> None:
    """Write the shares of all windows in positions of one remainder by the strides."""
    each, groups = features
    channels = shape[-1] // groups
    out = _steps(shape)
    g_batch, *g_spatial, g_feature = g.steps
    *k_spatial, k_channel, k_feature = kernel.steps
    g_start, k_start, start = g.start, kernel.start, 0
    rows, inner = [Axis(shape[0], g_batch, 0, out[0])], []
    for part, pad, g_step, k_step, to in zip(
        plan, before, g_spatial, k_spatial, out[1:-1], strict=True
    ):
        rows.append(Axis(part.number, g_step, 0, part.stride * to))
        inner.append(Axis(part.taps, times(-part.back, g_step), times(part.step, k_step), 0))
        g_start = plus(g_start, times(pad + part.shift, g_step))
        k_start = plus(k_start, times(part.first, k_step))
        start += part.start * to
    inner.append(Axis(each, g_feature, k_feature, 0))
    group = Axis(groups, times(each, g_feature), times(each, k_feature), channels)
    *around, row = rows
    x, y = Strided(g.buffer, g_start, g.steps), Strided(kernel.buffer, k_start, kernel.steps)
    column = Axis(channels, 0, k_channel, 1)
    contract(b, target, x, y, ([group, *around], row, column, inner), start)


def _static_result(node: Node) -> tuple[str, tuple[int, ...]]:
    """Type and shape of the result."""
    type_ = tensor_type(node.outputs[0].type)
    shape = tuple(n for n in type_.shape or () if n is not None)
    if len(shape) != len(type_.shape or (0,)):
        raise Refusal("windows over sizes that are not known")
    return machine_type(type_.dtype), shape


def _steps(shape: Sequence[int]) -> list[int]:
    """The steps of an array in the order of memory."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _check(found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if found != expected:
        raise Refusal("an array of another shape than its windows have")


def _padded(
    b: Builder, x: Array, before: tuple[int, ...], sizes: tuple[int, ...], kind: str
) -> Strided:
    """An array moved by `before` into zeros of the spatial `sizes`; what sticks out is cut off.

    Where nothing is added, it is the array itself.
    """
    shape = [n for n in x.shape if isinstance(n, int)]
    if not any(before) and all(n >= size for n, size in zip(shape[1:-1], sizes, strict=True)):
        return _in_order(b, x, kind)
    x = x if x.type == kind else mapped(b, [x], kind, lambda args: converted(args[0], kind))
    target = b.buffer("padded", kind, (shape[0], *sizes, shape[-1]))
    place = Stored(target, target.shape, kind)
    zero = const(0, kind)
    b.nest([math.prod(map(int, target.shape))], lambda i: b.emit(Store(target, i[0], zero)))  # type: ignore[arg-type]
    inside = [
        max(min(n, size - pad), 0) for n, pad, size in zip(shape[1:-1], before, sizes, strict=True)
    ]

    def write(indices: list[Expr]) -> None:
        image, *spatial, channel = indices
        moved = [
            i if pad == 0 else call("add", i, index(pad))
            for i, pad in zip(spatial, before, strict=True)
        ]
        offset = place.at([image, *moved, channel]).args[0]
        b.emit(Store(target, offset, b.at(x, indices)))

    b.nest([shape[0], *inside, shape[-1]], write)
    return placed(b, place, kind)


def _in_order(b: Builder, x: Array, kind: str) -> Strided:
    """An operand in memory, its last axis side by side."""
    found = placed(b, x, kind)
    if found.steps[-1] == 1 or x.shape[-1] == 1:
        return found
    return placed(b, b.stored(x), kind)


# ---- pooling -------------------------------------------------------------------------------------


class _Axis(NamedTuple):
    """How windows lie along one axis."""

    length: int
    number: int
    stride: int
    dilation: int
    before: int


class _Pool:
    """The windows of a node over an array, and its elements."""

    def __init__(self, b: Builder, node: Node, sizes: Sequence[int]) -> None:
        self.b = b
        self.size: tuple[int, ...] = node.attrs["size"]
        if math.prod(self.size) > _MOST_TAPS:
            raise Refusal("windows of many elements")
        self.windows = _windows(node, sizes, self.size)
        w = self.windows
        self.axes = [
            _Axis(*row)
            for row in zip(w.shape, w.counts, w.strides, w.dilations, w.before, strict=True)
        ]

    def taps(self) -> list[tuple[int, ...]]:
        """The positions in a window, in C order."""
        return list(itertools.product(*map(range, self.size)))

    def position(self, axis: int, window: Expr, tap: int) -> tuple[Expr, Expr]:
        """Where an element of a window is on one axis, and whether it is one of the array."""
        a = self.axes[axis]
        shift = tap * a.dilation - a.before
        place = call("mul", window, index(a.stride)) if a.stride != 1 else window
        if shift:
            place = call("add", place, const(shift, "i8"))
        return _within(place, shift, shift + (a.number - 1) * a.stride, a.length)

    def element(self, x: Array, indices: Sequence[Expr], tap: Sequence[int]) -> tuple[Expr, Expr]:
        """An element of a window, and whether there is one."""
        image, *spatial, channel = indices
        places, truth = [], TRUE
        for axis, (window, t) in enumerate(zip(spatial, tap, strict=True)):
            place, inside = self.position(axis, window, t)
            places.append(place)
            truth = both(truth, inside)
        return self.b.at(x, [image, *places, channel]), truth


def _within(place: Expr, least: int, most: int, length: int) -> tuple[Expr, Expr]:
    """A position moved into an axis if it is not in it, and whether it is."""
    truth = TRUE
    if least < 0:
        truth = both(truth, call("ge", place, index(0)))
    if most >= length:
        truth = both(truth, call("lt", place, const(length, "i8")))
    return select(truth, place, index(0)), truth


def _pooled(b: Builder, node: Node) -> tuple[Array, _Pool, tuple[int, ...]]:
    x, shape = _known(b.forms[node.inputs[0]])
    if any(n == 0 for n in shape):
        raise Refusal("windows over nothing")
    pool = _Pool(b, node, shape[1:-1])
    return _ready(b, x), pool, (shape[0], *pool.windows.counts, shape[-1])


def _ready(b: Builder, x: Array) -> Array:
    """An array whose elements are not computed anew for each window."""
    return b.stored(x) if isinstance(x, Computed) and not x.is_view else x


def window_max(b: Builder, node: Node) -> list[Form]:
    """The largest element of each window."""
    x, pool, shape = _pooled(b, node)
    larger, _ = monoid("max", x.type)
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
        axis = len(pool.size) - len(tap) - 1
        total = const(0, kind)
        for t in range(pool.size[axis]):
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
    largest = _ready(b, _known(b.forms[node.inputs[1]])[0])
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    _check(tuple(largest.shape), shape)  # type: ignore[arg-type]

    def at(indices: Sequence[Expr]) -> Expr:
        most = b.at(largest, indices)
        found = const(math.prod(pool.size), kind)
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
    winners = _ready(b, _known(b.forms[node.inputs[1]])[0])
    _check(tuple(winners.shape), shape)  # type: ignore[arg-type]

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
    (g, shape), (winners, _) = (_known(b.forms[v]) for v in node.inputs[:2])
    g, winners = _ready(b, g), _ready(b, winners)

    def share(indices: Sequence[Expr], tap: tuple[int, ...], pool: _Pool, total: Expr) -> Expr:
        number = sum(t * math.prod(pool.size[k + 1 :]) for k, t in enumerate(tap))
        is_it = call("eq", b.at(winners, indices), const(number, winners.type))
        return select(is_it, call("add", total, b.at(g, indices)), total)

    _check(tuple(winners.shape), shape)  # type: ignore[arg-type]
    return _given_back(b, node, shape, share, is_nested=False)


def window_spread(b: Builder, node: Node) -> list[Form]:
    """Each element of `g` added to all elements of its window."""
    g, shape = _known(b.forms[node.inputs[0]])
    g = _ready(b, g)

    def share(indices: Sequence[Expr], tap: tuple[int, ...], pool: _Pool, total: Expr) -> Expr:
        return call("add", total, b.at(g, indices))

    return _given_back(b, node, shape, share, is_nested=True)


Share = Callable[[Sequence[Expr], "tuple[int, ...]", _Pool, Expr], Expr]


def _given_back(
    b: Builder, node: Node, g_shape: tuple[int, ...], share: Share, is_nested: bool
) -> list[Form]:
    """The sum of what windows give to each position: `is_nested`, over the last axis first."""
    kind, shape = _static_result(node)
    if any(n == 0 for n in g_shape):
        raise Refusal("windows over nothing")
    pool = _Pool(b, node, shape[1:-1])
    _check(g_shape, (shape[0], *pool.windows.counts, shape[-1]))
    target = b.buffer("slopes", kind, shape)
    place = Stored(target, shape, kind)
    for plan in _remainders(pool.windows):
        _give_back(b, place, plan, pool, share, is_nested)
    return [place]


def _give_back(
    b: Builder,
    place: Stored,
    plan: tuple[_Remainder, ...],
    pool: _Pool,
    share: Share,
    is_nested: bool,
) -> None:
    """Write the positions of one remainder."""
    kind = place.type

    def window(axis: int, i: Expr, j: int) -> tuple[Expr, Expr]:
        part = plan[axis]
        move = part.shift - j * part.back
        moved = call("add", i, const(move, "i8")) if move else i
        return _within(moved, move, move + part.number - 1, pool.axes[axis].number)

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
            moved = call("mul", i, index(part.stride)) if part.stride != 1 else i
            places.append(call("add", moved, index(part.start)) if part.start else moved)
        offset = place.at([image, *places, channel]).args[0]
        b.emit(Store(place.buffer, offset, total(image, spatial, channel)))

    batch, *_, channels = place.shape
    b.nest([batch, *(part.number for part in plan), channels], write)
