"""Windows that slide over arrays, as loops see them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Computed, Form
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Dim
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import TRUE, Expr, both, call, const, index, select
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.ops.windows import Windows

__all__ = [
    "Remainder",
    "Taps",
    "check_shape",
    "known",
    "numbers",
    "ready",
    "remainders",
    "result",
    "windows_of",
    "within",
]


def known(form: Form) -> tuple[Array, tuple[Dim, ...]]:
    """An array and its sizes, all of which are known but for how many there are in the batch."""
    if isinstance(form, Expr):
        raise Refusal("windows over a number")
    if not all(isinstance(n, int) for n in form.shape[1:]):
        raise Refusal("windows over sizes that are not known")
    return form, tuple(form.shape)


def numbers(sizes: Sequence[Dim]) -> tuple[int, ...]:
    """Sizes that are known."""
    found = tuple(n for n in sizes if isinstance(n, int))
    if len(found) < len(sizes):
        raise Refusal("windows over sizes that are not known")
    return found


def windows_of(node: Node, sizes: Sequence[Dim], size: Sequence[Dim]) -> Windows:
    attrs = node.attrs
    return Windows.over(
        numbers(sizes), numbers(size), attrs["strides"], attrs["padding"], attrs["dilations"]
    )


def result(node: Node, batch: Dim | None = None) -> tuple[str, tuple[Dim, ...]]:
    """Type and shape of the result; along its first axis it may have the sizes of a batch."""
    type_ = tensor_type(node.outputs[0].type)
    if type_.shape is None:
        raise Refusal("windows over sizes that are not known")
    first, *sizes = (-1 if n is None else n for n in type_.shape)
    shape = (first if batch is None else batch, *sizes)
    if -1 in shape:
        raise Refusal("windows over sizes that are not known")
    return machine_type(type_.dtype), shape


def check_shape(b: Builder, found: Sequence[Dim], expected: Sequence[Dim]) -> None:
    """Refusal where an array has not the shape that its windows have; batches are as long."""
    if tuple(found[1:]) != tuple(expected[1:]):
        raise Refusal("an array of another shape than its windows have")
    b.equal(found[0], expected[0])


# Windows of more elements are no loops here.
_MOST_TAPS = 64


class _Axis(NamedTuple):
    """How windows lie along one axis."""

    length: int
    number: int
    stride: int
    dilation: int
    before: int


class Taps:
    """The elements of windows over an array, each written out."""

    def __init__(self, b: Builder, windows: Windows) -> None:
        if math.prod(windows.size) > _MOST_TAPS:
            raise Refusal("windows of many elements")
        self.b = b
        self.windows = w = windows
        self.axes = [
            _Axis(*row)
            for row in zip(w.shape, w.counts, w.strides, w.dilations, w.before, strict=True)
        ]

    def taps(self) -> list[tuple[int, ...]]:
        """The positions in a window, in C order."""
        return list(itertools.product(*map(range, self.windows.size)))

    def position(self, axis: int, window: Expr, tap: int) -> tuple[Expr, Expr]:
        """Where an element of a window is on one axis, and whether it is one of the array."""
        a = self.axes[axis]
        shift = tap * a.dilation - a.before
        place = call("mul", window, index(a.stride)) if a.stride != 1 else window
        if shift:
            place = call("add", place, const(shift, "i8"))
        return within(place, shift, shift + (a.number - 1) * a.stride, a.length)

    def element(self, x: Array, indices: Sequence[Expr], tap: Sequence[int]) -> tuple[Expr, Expr]:
        """An element of a window, and whether there is one."""
        image, *spatial, channel = indices
        places, truth = [], TRUE
        for axis, (window, t) in enumerate(zip(spatial, tap, strict=True)):
            place, inside = self.position(axis, window, t)
            places.append(place)
            truth = both(truth, inside)
        return self.b.at(x, [image, *places, channel]), truth


def within(place: Expr, least: int, most: int, length: int) -> tuple[Expr, Expr]:
    """A position moved into an axis if it is not in it, and whether it is."""
    truth = TRUE
    if least < 0:
        truth = both(truth, call("ge", place, index(0)))
    if most >= length:
        truth = both(truth, call("lt", place, const(length, "i8")))
    return select(truth, place, index(0)), truth


def ready(b: Builder, x: Array) -> Array:
    """An array whose elements are not computed anew for each window."""
    return b.stored(x) if isinstance(x, Computed) and not x.is_view else x


class Remainder(NamedTuple):
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


def remainders(windows: Windows) -> list[tuple[Remainder, ...]]:
    """All positions, parted so that the same elements of windows meet those of a part."""
    axes = [
        [_remainder(windows, axis, start) for start in range(max(min(stride, n), 1))]
        for axis, (stride, n) in enumerate(zip(windows.strides, windows.shape, strict=True))
    ]
    return list(itertools.product(*axes))


def _remainder(windows: Windows, axis: int, start: int) -> Remainder:
    stride, dilation = windows.strides[axis], windows.dilations[axis]
    count = max(-(-(windows.shape[axis] - start) // stride), 0)
    position = start + windows.before[axis]
    meet = [t for t in range(windows.size[axis]) if (position - t * dilation) % stride == 0]
    step = meet[1] - meet[0] if len(meet) > 1 else 1
    first = meet[0] if meet else 0
    shift = (position - first * dilation) // stride
    return Remainder(start, stride, count, first, step, len(meet), shift, step * dilation // stride)
