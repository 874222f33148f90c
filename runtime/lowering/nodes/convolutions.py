"""Lowering of convolution: loops over windows, without copies of patches.

A convolution is a contraction whose first operand is read in steps that overlap. Its adjoint in the
kernel is another, which sums over the windows. The adjoint in the input is one for each remainder
of positions by the strides: the elements of the kernel that meet such a position.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Computed, Form, Stored, as_expr
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Axis,
    Block,
    Buffer,
    Dim,
    For,
    Register,
    Store,
    load,
    product,
    read,
)
from runtime.lowering.kernels.scalar import Expr, call, const, index, select
from runtime.lowering.kernels.strides import Strided, plus, steps_of, times
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted, mapped
from runtime.lowering.nodes.pooling import Share, give_back
from runtime.lowering.nodes.products import contract, placed
from runtime.lowering.nodes.reductions import over_axes
from runtime.lowering.nodes.windows import (
    MOST_TAPS,
    Remainder,
    Taps,
    Windows,
    check_shape,
    is_more,
    known,
    numbers,
    ready,
    remainders,
    result,
    windows_of,
)

__all__ = ["convolution", "convolution_input", "convolution_kernel"]


def convolution(b: Builder, node: Node) -> list[Form]:
    """Sums of the products of a kernel with the windows of an array."""
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    (x, x_shape), (kernel, k_shape) = (known(b.forms[v]) for v in node.inputs)
    k_shape = numbers(k_shape)
    windows = windows_of(b, node, x_shape[1:-1], k_shape[:-2])
    shape = (x_shape[0], *windows.counts, k_shape[-1])
    if each := _features_by_channels(node, k_shape):
        return [_by_channels(b, ready(b, x), ready(b, kernel), Taps(b, windows), shape, each, kind)]
    target = b.buffer("convolved", kind, shape)
    source = _padded(b, x, windows.before, windows.needed, kind)
    _correlate(b, target, source, placed(b, kernel, kind), k_shape, windows, node.attrs["groups"])
    return [Stored(target, shape, kind)]


def _features_by_channels(node: Node, k_shape: Sequence[int]) -> int:
    """How many features a channel has where each is convolved by itself; else 0.

    Loops over channels do that in vectors, the elements of a window written out; where those are
    many, a contraction for each channel takes less of LLVM's time.
    """
    *size, channels, features = k_shape
    groups = node.attrs["groups"]
    each = features // groups
    return each if groups > 1 and channels == 1 and math.prod(size) * each <= MOST_TAPS else 0


def _by_channels(
    b: Builder, x: Array, kernel: Array, taps: Taps, shape: tuple[Dim, ...], each: int, kind: str
) -> Form:
    """A convolution of each channel by itself, which has `each` features."""

    def at(indices: Sequence[Expr]) -> Expr:
        image, *spatial, feature = indices
        channel = feature if each == 1 else call("quotient", feature, index(each))
        total = const(0, kind)
        for tap in taps.taps():
            value, inside = taps.element(x, [image, *spatial, channel], tap)
            weight = b.at(kernel, [*map(index, tap), index(0), feature])
            factors = converted(value, kind), converted(weight, kind)
            total = select(inside, call("add", total, call("mul", *factors)), total)
        return total

    return Computed(at, shape, kind)


def _correlate(
    b: Builder,
    target: Buffer,
    x: Strided,
    kernel: Strided,
    k_shape: Sequence[int],
    windows: Windows,
    groups: int,
) -> None:
    """Write a convolution of a padded array."""
    channels, features = k_shape[-2:]
    each = features // groups
    out = steps_of(target.shape)
    batch, *spatial, channel = x.steps
    rows = [Axis(target.shape[0], batch, 0, out[0])]
    rows += [
        Axis(a.number, times(a.stride, step), 0, to)
        for a, step, to in zip(windows.axes, spatial, out[1:-1], strict=True)
    ]
    *k_spatial, k_channel, k_feature = kernel.steps
    inner = [
        Axis(a.size, times(a.dilation, step), k_step, 0)
        for a, step, k_step in zip(windows.axes, spatial, k_spatial, strict=True)
    ]
    inner.append(Axis(channels, channel, k_channel, 0))
    groups_axis = Axis(groups, times(channels, channel), times(each, k_feature), each)
    *around, row = rows
    column = Axis(each, 0, k_feature, 1)
    contract(b, target, x, kernel, ([groups_axis, *around], row, column, inner))


def convolution_kernel(b: Builder, node: Node) -> list[Form]:
    """The adjoint of a convolution in its kernel."""
    (x, x_shape), (g, g_shape) = (known(b.forms[v]) for v in node.inputs[:2])
    groups = node.attrs["groups"]
    kind, size = result(b, node, node.inputs[2:], node.attrs["size"])
    k_shape = (*numbers(size), numbers(x_shape[-1:])[0] // groups, *numbers(g_shape[-1:]))
    windows = windows_of(b, node, x_shape[1:-1], k_shape[:-2])
    check_shape(b, g_shape, (x_shape[0], *windows.counts, k_shape[-1]))
    source = _padded(b, x, windows.before, windows.needed, kind)
    if each := _features_by_channels(node, k_shape):
        slopes = _slopes_by_channels(b, source, ready(b, g), windows, k_shape[-1], each, kind)
        return [over_axes(b, "sum", slopes, [0], k_shape, kind)]
    given = _in_order(b, g, kind)
    target = b.buffer("slopes", kind, k_shape)
    channels, features = k_shape[-2:]
    each = features // groups
    out = steps_of(k_shape)
    batch, *spatial, channel = source.steps
    g_batch, *g_spatial, g_feature = given.steps
    rows = [
        Axis(a.size, times(a.dilation, step), 0, to)
        for a, step, to in zip(windows.axes, spatial, out, strict=False)
    ]
    rows.append(Axis(channels, channel, 0, features))
    inner = [Axis(x_shape[0], batch, g_batch, 0)]
    inner += [
        Axis(a.number, times(a.stride, step), g_step, 0)
        for a, step, g_step in zip(windows.axes, spatial, g_spatial, strict=True)
    ]
    groups_axis = Axis(groups, times(channels, channel), times(each, g_feature), each)
    *around, row = rows
    column = Axis(each, 0, g_feature, 1)
    contract(b, target, source, given, ([groups_axis, *around], row, column, inner))
    return [Stored(target, k_shape, kind)]


def _slopes_by_channels(
    b: Builder,
    x: Strided,
    g: Array,
    windows: Windows,
    features: int,
    each: int,
    kind: str,
) -> Stored:
    """The adjoint in a kernel of which each channel is convolved by itself, for each picture."""
    batch, *counts, _ = g.shape
    target = b.buffer("slopes", kind, (batch, *windows.size, features))
    place = Stored(target, target.shape, kind)
    b.nest([product(target.shape)], lambda i: b.emit(Store(target, i[0], const(0, kind))))
    picture, *spatial, feature = (Register(b.fresh("i"), "i8") for _ in g.shape)
    body: Block = []
    with b.loop_body(body):
        f = read(feature)
        given = b.let(converted(b.at(g, [read(picture), *map(read, spatial), f]), kind))
        start, *steps, step = x.steps
        here = plus(x.start, times(start, read(picture)))
        here = plus(here, times(step, f if each == 1 else call("quotient", f, index(each))))
        for a, number, along in zip(windows.axes, spatial, steps, strict=True):
            here = plus(here, times(times(a.stride, along), read(number)))
        for tap in Taps(b, windows).taps():
            there = here
            for a, t, along in zip(windows.axes, tap, steps, strict=True):
                there = plus(there, times(t * a.dilation, along))
            at = place.at([read(picture), *map(index, tap), f])
            more = call("mul", load(x.buffer, as_expr(there)), given)
            b.emit(Store(target, at.args[0], call("add", at, more)))
    body = [For(feature, features, body)]
    for number, count in reversed(list(zip(spatial, counts, strict=True))):
        body = [For(number, count, body, serial=True)]
    b.emit(For(picture, batch, body))
    return place


def _share(b: Builder, g: Array, kernel: Array, each: int) -> Share:
    """What a window gives to a position, where each channel is convolved by itself."""

    def share(indices: Sequence[Expr], tap: tuple[int, ...], pool: Taps, total: Expr) -> Expr:
        *window, channel = indices
        for k in range(each):
            feature = as_expr(plus(times(each, channel), k))
            weight = b.at(kernel, [*map(index, tap), index(0), feature])
            factors = (
                converted(b.at(g, [*window, feature]), total.type),
                converted(weight, total.type),
            )
            total = call("add", total, call("mul", *factors))
        return total

    return share


def convolution_input(b: Builder, node: Node) -> list[Form]:
    """The adjoint of a convolution in its input."""
    (g, g_shape), (kernel, k_shape) = (known(b.forms[v]) for v in node.inputs[:2])
    k_shape, groups = numbers(k_shape), node.attrs["groups"]
    kind, sizes = result(b, node, node.inputs[2:], node.attrs["size"])
    shape = (g_shape[0], *sizes, k_shape[-2] * groups)
    windows = windows_of(b, node, sizes, k_shape[:-2])
    check_shape(b, g_shape, (shape[0], *windows.counts, k_shape[-1]))
    target = b.buffer("slopes", kind, shape)
    plans = remainders(b, windows)
    if each := _features_by_channels(node, k_shape):
        place, share = Stored(target, shape, kind), _share(b, ready(b, g), ready(b, kernel), each)
        for plan in plans:
            give_back(b, place, plan, Taps(b, windows), share, is_nested=False)
        return [place]
    weights = placed(b, kernel, kind)
    # Zeros around, so that windows that do not exist give nothing.
    before = tuple(max(p[axis].reach for p in plans) for axis in range(len(sizes)))
    lengths = tuple(
        plus(pad, _longest([a.number, *(p[axis].end for p in plans)]))
        for axis, (pad, a) in enumerate(zip(before, windows.axes, strict=True))
    )
    given = _padded(b, g, before, lengths, kind)
    for plan in plans:
        _scatter(b, target, given, weights, shape, (k_shape[-1] // groups, groups), plan, before)
    return [Stored(target, shape, kind)]


def _longest(sizes: Sequence[Dim]) -> Dim:
    """The largest of some sizes."""
    found: Dim = max((n for n in sizes if isinstance(n, int)), default=0)
    for n in sizes:
        if isinstance(n, Expr):
            found = select(call("gt", n, as_expr(found)), n, as_expr(found))
    return found


def _scatter(
    b: Builder,
    target: Buffer,
    g: Strided,
    kernel: Strided,
    shape: Sequence[Dim],
    features: tuple[int, int],
    plan: Sequence[Remainder],
    before: tuple[int, ...],
) -> None:
    """Write the shares of all windows in positions of one remainder by the strides."""
    each, groups = features
    channels = numbers(shape[-1:])[0] // groups
    out = steps_of(target.shape)
    g_batch, *g_spatial, g_feature = g.steps
    *k_spatial, k_channel, k_feature = kernel.steps
    g_start, k_start = g.start, kernel.start
    start: Dim = 0
    rows, inner = [Axis(shape[0], g_batch, 0, out[0])], []
    for part, pad, g_step, k_step, to in zip(
        plan, before, g_spatial, k_spatial, out[1:-1], strict=True
    ):
        rows.append(Axis(part.number, g_step, 0, times(part.stride, to)))
        inner.append(Axis(part.taps, times(-part.back, g_step), times(part.step, k_step), 0))
        g_start = plus(g_start, times(plus(pad, part.shift), g_step))
        k_start = plus(k_start, times(part.first, k_step))
        start = plus(start, times(part.start, to))
    inner.append(Axis(each, g_feature, k_feature, 0))
    group = Axis(groups, times(each, g_feature), times(each, k_feature), channels)
    *around, row = rows
    x, y = Strided(g.buffer, g_start, g.steps), Strided(kernel.buffer, k_start, kernel.steps)
    column = Axis(channels, 0, k_channel, 1)
    axes = [group, *around], row, column, inner
    contract(b, target, x, y, axes, start, maybe_none=[part.number for part in plan])


def _padded(
    b: Builder, x: Array, before: tuple[Dim, ...], sizes: tuple[Dim, ...], kind: str
) -> Strided:
    """An array moved by `before` into zeros of the spatial `sizes`; what sticks out is cut off.

    Where nothing is added, it is the array itself. Nothing sticks out of sizes that are not known.
    """
    batch, *spatial, channels = x.shape
    if not any(n != 0 for n in before) and not any(map(_is_cut_short, sizes, spatial)):
        return _in_order(b, x, kind)
    x = x if x.type == kind else mapped(b, [x], kind, lambda args: converted(args[0], kind))
    target = b.buffer("padded", kind, (batch, *sizes, channels))
    place = Stored(target, target.shape, kind)
    zero = const(0, kind)
    b.nest([product(target.shape)], lambda i: b.emit(Store(target, i[0], zero)))
    inside = [
        max(min(n, size - pad), 0)
        if isinstance(n, int) and isinstance(size, int) and isinstance(pad, int)
        else n
        for n, pad, size in zip(spatial, before, sizes, strict=True)
    ]

    def write(indices: list[Expr]) -> None:
        image, *places, channel = indices
        moved = [as_expr(plus(i, pad)) for i, pad in zip(places, before, strict=True)]
        offset = place.at([image, *moved, channel]).args[0]
        b.emit(Store(target, offset, b.at(x, indices)))

    b.nest([batch, *inside, channels], write)
    return placed(b, place, kind)


def _is_cut_short(size: Dim, n: Dim) -> bool:
    """Whether a size may be more than that of an axis."""
    return size is not n and is_more(size, n)


def _in_order(b: Builder, x: Array, kind: str) -> Strided:
    """An operand in memory, its last axis side by side."""
    found = placed(b, x, kind)
    if found.steps[-1] == 1 or x.shape[-1] == 1:
        return found
    return placed(b, b.stored(x), kind)
