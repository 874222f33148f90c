"""Windows that slide over arrays, as loops see them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Form
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Dim
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.ops.windows import Windows

__all__ = [
    "Remainder",
    "check_shape",
    "images",
    "known",
    "remainders",
    "result_type",
    "windows_of",
]


def known(form: Form) -> tuple[Array, tuple[int, ...]]:
    """An array all of whose sizes are known."""
    if isinstance(form, Expr):
        raise Refusal("windows over a number")
    return form, _numbers(form.shape)


def images(form: Form) -> tuple[Array, Dim, tuple[int, ...]]:
    """An array, how many images it holds, which may be open, and its other sizes."""
    if isinstance(form, Expr):
        raise Refusal("windows over a number")
    return form, form.shape[0], _numbers(form.shape[1:])


def _numbers(shape: Sequence[Dim | None]) -> tuple[int, ...]:
    found = tuple(n for n in shape if isinstance(n, int))
    if len(found) < len(shape):
        raise Refusal("windows over sizes that are not known")
    return found


def windows_of(node: Node, sizes: Sequence[int], size: Sequence[int]) -> Windows:
    attrs = node.attrs
    return Windows.over(sizes, size, attrs["strides"], attrs["padding"], attrs["dilations"])


def result_type(node: Node) -> tuple[str, tuple[int, ...]]:
    """Type of the result, and its sizes but for the first."""
    type_ = tensor_type(node.outputs[0].type)
    if not type_.shape:
        raise Refusal("windows over sizes that are not known")
    return machine_type(type_.dtype), _numbers(type_.shape[1:])


def check_shape(
    b: Builder, found: tuple[Dim, tuple[int, ...]], wanted: tuple[Dim, tuple[int, ...]]
) -> None:
    """Refuse an array of other sizes; the number of images may be found out as it runs."""
    if found[1] != wanted[1]:
        raise Refusal("an array of another shape than its windows have")
    b.equal(found[0], wanted[0])


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
