"""Windows that slide over arrays, as loops see them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Array, Computed, Form, as_expr
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Dim
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import TRUE, Expr, both, call, index, select
from runtime.lowering.kernels.strides import plus, times
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.shaping import given_size
from runtime.ops.signals import windows as ops

__all__ = [
    "MOST_TAPS",
    "Along",
    "Remainder",
    "Taps",
    "Windows",
    "check_shape",
    "is_more",
    "known",
    "numbers",
    "ready",
    "remainders",
    "result",
    "windows_of",
    "within",
]


class Along(NamedTuple):
    """How windows lie along one axis; what only the call tells of it are expressions.

    `needed` is how long the axis is with zeros before and behind it, so that it has all windows;
    `is_over` tells whether a window may go beyond its end.
    """

    length: Dim
    size: int
    stride: int
    dilation: int
    number: Dim
    before: Dim
    needed: Dim
    is_over: bool

    @property
    def extent(self) -> int:
        """From the first element of a window to its last one."""
        return (self.size - 1) * self.dilation + 1


class Windows(NamedTuple):
    """The windows over an array, by its spatial axes."""

    axes: tuple[Along, ...]

    @property
    def size(self) -> tuple[int, ...]:
        """Elements of a window along each axis."""
        return tuple(a.size for a in self.axes)

    @property
    def counts(self) -> tuple[Dim, ...]:
        """Windows along each axis."""
        return tuple(a.number for a in self.axes)

    @property
    def before(self) -> tuple[Dim, ...]:
        """Zeros before each axis."""
        return tuple(a.before for a in self.axes)

    @property
    def needed(self) -> tuple[Dim, ...]:
        """The length of each axis with the zeros around it."""
        return tuple(a.needed for a in self.axes)


def known(form: Form) -> tuple[Array, tuple[Dim, ...]]:
    """An array and its sizes, of which that of the channels is known."""
    if isinstance(form, Expr):
        raise Refusal("windows over a number")
    numbers(form.shape[-1:])
    return form, tuple(form.shape)


def numbers(sizes: Sequence[Dim]) -> tuple[int, ...]:
    """Sizes that are known."""
    found = tuple(n for n in sizes if isinstance(n, int))
    if len(found) < len(sizes):
        raise Refusal("windows over channels, or of a size, that are not known")
    return found


def windows_of(b: Builder, node: Node, sizes: Sequence[Dim], size: Sequence[Dim]) -> Windows:
    """The windows of a node over spatial axes of these sizes."""
    attrs = node.attrs
    sides = attrs["padding"]
    sides = (sides,) * len(sizes) if isinstance(sides, str) else sides
    rows = zip(sizes, numbers(size), attrs["strides"], sides, attrs["dilations"], strict=True)
    return Windows(tuple(_along(b, *row) for row in rows))


def _along(b: Builder, n: Dim, size: int, stride: int, padding: Any, dilation: int) -> Along:
    extent = (size - 1) * dilation + 1
    if isinstance(n, int):
        sides: Any = padding if isinstance(padding, str) else (padding,)
        windows = ops.Windows.over((n,), (size,), (stride,), sides, (dilation,))
        (number,), (zeros,), (needed,) = windows.counts, windows.before, windows.needed
        return Along(n, size, stride, dilation, number, zeros, needed, needed - zeros > n)
    if padding == "same":
        b.require(n, 1)
        count = b.divided(b.shifted(n, stride - 1), stride)
        total: Dim = extent - 1
        if stride > 1 and total:
            missing = as_expr(plus(plus(times(count, stride), extent - stride), times(-1, n)))
            total = select(call("gt", missing, index(0)), missing, index(0))
        before = b.divided(total, 2)
        return Along(n, size, stride, dilation, count, before, plus(n, total), extent > 1)
    before, after = (0, 0) if padding == "valid" else padding
    b.require(n, extent - before - after)  # the plan raises
    count = b.shifted(b.divided(b.shifted(n, before + after - extent), stride), 1)
    return Along(n, size, stride, dilation, count, before, b.shifted(n, before + after), after > 0)


def result(
    b: Builder, node: Node, sizes: Sequence[Value], declared: Sequence[int | None]
) -> tuple[str, tuple[Dim, ...]]:
    """Type and spatial sizes of the result of an adjoint: None is the next that operands give."""
    found = iter(sizes)
    shape = tuple(given_size(b, next(found)) if n is None else n for n in declared)
    return machine_type(tensor_type(node.outputs[0].type).dtype), shape


def check_shape(b: Builder, found: Sequence[Dim], expected: Sequence[Dim]) -> None:
    """Refusal where an array has not the shape that its windows have; the call tells of sizes."""
    for one, other in zip(found, expected, strict=True):
        b.equal(one, other)


# Windows of more elements are not written out.
MOST_TAPS = 64


class Taps:
    """The elements of windows over an array, each written out."""

    def __init__(self, b: Builder, windows: Windows) -> None:
        if math.prod(windows.size) > MOST_TAPS:
            raise Refusal("windows of many elements")
        self.b = b
        self.windows = windows

    def taps(self) -> list[tuple[int, ...]]:
        """The positions in a window, in C order."""
        return list(itertools.product(*map(range, self.windows.size)))

    def position(self, axis: int, window: Expr, tap: int) -> tuple[Expr, Expr]:
        """Where an element of a window is on one axis, and whether it is one of the array."""
        a = self.windows.axes[axis]
        shift = plus(tap * a.dilation, times(-1, a.before))
        place = call("mul", window, index(a.stride)) if a.stride != 1 else window
        last = plus(shift, times(plus(a.number, -1), a.stride))
        is_over = is_more(last, plus(a.length, -1)) if isinstance(last, int) else a.is_over
        return within(as_expr(plus(place, shift)), is_more(0, shift), is_over, a.length)

    def element(self, x: Array, indices: Sequence[Expr], tap: Sequence[int]) -> tuple[Expr, Expr]:
        """An element of a window, and whether there is one."""
        image, *spatial, channel = indices
        places, truth = [], TRUE
        for axis, (window, t) in enumerate(zip(spatial, tap, strict=True)):
            place, inside = self.position(axis, window, t)
            places.append(place)
            truth = both(truth, inside)
        return self.b.at(x, [image, *places, channel]), truth


def is_more(one: Dim, other: Dim) -> bool:
    """Whether a size may be more than another."""
    return not (isinstance(one, int) and isinstance(other, int)) or one > other


def within(place: Expr, may_be_before: bool, may_be_behind: bool, length: Dim) -> tuple[Expr, Expr]:
    """A position moved into an axis if it is not in it, and whether it is."""
    truth = TRUE
    if may_be_before:
        truth = both(truth, call("ge", place, index(0)))
    if may_be_behind:
        truth = both(truth, call("lt", place, as_expr(length)))
    return select(truth, place, index(0)), truth


def ready(b: Builder, x: Array) -> Array:
    """An array whose elements are not computed anew for each window."""
    return b.stored(x) if isinstance(x, Computed) and not x.is_view else x


class Remainder(NamedTuple):
    """On one axis: positions `start + i * stride` for `i < number`, and what meets them.

    Element `first + j * step` of window number `i + shift - j * back` does, for each `j < taps`.
    No window is asked for that is more than `reach` before the first one, nor one from `end` on.
    """

    start: Dim
    stride: int
    number: Dim
    first: int
    step: int
    taps: int
    shift: Dim
    back: int
    reach: int
    end: Dim


def remainders(b: Builder, windows: Windows) -> list[tuple[Remainder, ...]]:
    """All positions, parted so that the same elements of windows meet those of a part."""
    axes = []
    for a in windows.axes:
        parts = max(min(a.stride, a.length), 1) if isinstance(a.length, int) else a.stride
        axes.append([_remainder(b, a, k) for k in range(parts)])
    return list(itertools.product(*axes))


def _remainder(b: Builder, a: Along, k: int) -> Remainder:
    """Positions `k`, `k + stride`, ...; behind zeros of an unknown number, those that are so."""
    meets = k + a.before if isinstance(a.before, int) else k
    meet = [t for t in range(a.size) if (meets - t * a.dilation) % a.stride == 0]
    step = meet[1] - meet[0] if len(meet) > 1 else 1
    first = meet[0] if meet else 0
    start: Dim = k
    if isinstance(a.before, Expr):
        ahead = k + a.extent * a.stride
        away = call("sub", index(ahead), as_expr(a.before))
        rounds = call("mul", call("quotient", away, index(a.stride)), index(a.stride))
        start = call("sub", away, rounds)
    number = b.divided(plus(plus(a.length, a.stride - 1), times(-1, start)), a.stride)
    move = plus(plus(start, a.before), -first * a.dilation)
    shift = move // a.stride if isinstance(move, int) else b.divided(move, a.stride)
    back = step * a.dilation // a.stride
    least, most = (shift, shift) if isinstance(shift, int) else _bounds(a, first)
    reach = max((len(meet) - 1) * back - least, 0)
    number = max(number, 0) if isinstance(number, int) else number
    at_most = b.divided(b.shifted(a.length, a.stride - 1), a.stride)
    end = plus(number if isinstance(start, int) else at_most, max(most, 0))
    return Remainder(start, a.stride, number, first, step, len(meet), shift, back, reach, end)


def _bounds(a: Along, first: int) -> tuple[int, int]:
    """Between which numbers the shift is, whatever the padding of "same" turns out to be."""
    least = -first * a.dilation
    return least // a.stride, (a.stride - 1 + a.extent // 2 + least) // a.stride
