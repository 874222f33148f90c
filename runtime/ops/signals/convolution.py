"""Convolution over any number of spatial axes, and its two adjoints.

`convolution(x, kernel)` is linear in both operands. `convolution_input` and `convolution_kernel`
are its adjoints in one and the other, so the gradient of each of the three is made of the others:
that closes them under differentiation. Arrays are `(batch, *sizes, channels)`, kernels
`(*sizes, channels / groups, features)`; the features of a group lie side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    decode_shape,
    encode_shape,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import Sample, array
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.signals.patches import convolve, convolve_input, convolve_kernel
from runtime.ops.signals.windows import Padding, Windows, window_counts
from runtime.spec import Dim, Shape, TensorType, promote

__all__ = ["convolution", "convolution_input", "convolution_kernel"]

# ---- shapes ------------------------------------------------------------------------------------


def _check_channels(channels: Dim, kernel: tuple[Dim, ...], groups: int) -> None:
    per_group, features = kernel[-2:]
    if None not in (channels, per_group) and channels != per_group * groups:  # type: ignore[operator]
        expected = f"{per_group} in each of {groups} groups" if groups > 1 else f"{per_group}"
        raise ValueError(
            f"convolution: the input has {channels} channels, the kernel of shape "
            f"{_shown(kernel)} expects {expected}: its last axes are (channels, features)"
        )
    if features is not None and features % groups:
        raise ValueError(f"convolution: {features} features cannot be parted into {groups} groups")


def _shown(shape: Shape) -> str:
    return str(shape).replace("None", "?")


def _convolved(x: Shape, kernel: Shape, groups: int, **windows: Any) -> Shape:
    """Shape of a convolution; raises ValueError where known sizes do not fit."""
    if x is None or kernel is None:
        return None
    if len(x) != len(kernel) or len(x) < 3:
        raise ValueError(
            "convolution: the input must be (batch, *sizes, channels) and the kernel "
            f"(*sizes, channels, features), not {_shown(x)} and {_shown(kernel)}"
        )
    _check_channels(x[-1], kernel, groups)
    return (x[0], *window_counts(x[1:-1], kernel[:-2], **windows), kernel[-1])


def _check_result(found: tuple[int, ...], expected: Any) -> None:
    if found != expected:
        raise ValueError(
            f"an adjoint of a convolution needs the shape {expected} of its result, not {found}"
        )


def _dtype(x: TensorType, y: TensorType) -> np.dtype[Any]:
    return promote(x.strong(), y.strong()).dtype


def _type(x: TensorType, kernel: TensorType, **how: Any) -> TensorType:
    return TensorType(_dtype(x, kernel), _convolved(x.shape, kernel.shape, **how))


def _input_type(
    g: TensorType,
    kernel: TensorType,
    *dims: TensorType,
    size: tuple[Dim, ...],
    groups: int,
    **windows: Any,
) -> TensorType:
    batch = None if g.shape is None else g.shape[0]
    per_group = None if kernel.shape is None else kernel.shape[-2]
    channels = None if per_group is None else per_group * groups
    return TensorType(_dtype(g, kernel), (batch, *size, channels))


def _kernel_type(
    x: TensorType,
    g: TensorType,
    *dims: TensorType,
    size: tuple[Dim, ...],
    groups: int,
    **windows: Any,
) -> TensorType:
    channels = None if x.shape is None else x.shape[-1]
    features = None if g.shape is None else g.shape[-1]
    per_group = None if channels is None else channels // groups
    return TensorType(_dtype(x, g), (*size, per_group, features))


def _raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return len(types) > 2 or not all(t.is_static for t in types)


# ---- gradients ---------------------------------------------------------------------------------


def _input_of(g: Operand, kernel: Operand, x: Any, **how: Any) -> Any:
    """The adjoint in the input, which is of the shape of `x`."""
    size, dims = encode_shape(shape_of(x)[1:-1])
    return convolution_input(g, conjugated(kernel), *dims, size=size, **how)


def _kernel_of(x: Operand, g: Operand, kernel: Any, **how: Any) -> Any:
    """The adjoint in the kernel, which is of the shape of `kernel`."""
    size, dims = encode_shape(shape_of(kernel)[:-2])
    return convolution_kernel(conjugated(x), g, *dims, size=size, **how)


def _vjp(g: Any, out: Any, x: Any, kernel: Any, **how: Any) -> tuple[Any, ...]:
    return (
        _input_of(g, kernel, x, **how) if type_of(x).is_inexact else None,
        _kernel_of(x, g, kernel, **how) if type_of(kernel).is_inexact else None,
    )


def _input_vjp(
    h: Any, out: Any, g: Any, kernel: Any, *dims: Any, size: Any, **how: Any
) -> tuple[Any, ...]:
    return (
        convolution(h, conjugated(kernel), **how) if type_of(g).is_inexact else None,
        conjugated(_kernel_of(h, g, kernel, **how)) if type_of(kernel).is_inexact else None,
        *(None for _ in dims),
    )


def _kernel_vjp(
    h: Any, out: Any, x: Any, g: Any, *dims: Any, size: Any, **how: Any
) -> tuple[Any, ...]:
    return (
        conjugated(_input_of(g, h, x, **how)) if type_of(x).is_inexact else None,
        convolution(conjugated(x), h, **how) if type_of(g).is_inexact else None,
        *(None for _ in dims),
    )


def _samples() -> Iterator[Sample]:
    """Each attribute by itself, then together, over one to three spatial axes."""
    for sizes, kernel, how in (
        ((5,), (3, 2, 3), {}),
        ((5, 4), (3, 2, 2, 3), {}),
        ((4, 4), (1, 1, 2, 3), {}),
        ((5, 6), (2, 3, 2, 2), {"strides": (2, 3)}),
        ((7, 5), (3, 2, 2, 2), {"padding": "same", "strides": (2, 1)}),
        ((4, 3), (2, 2, 2, 1), {"padding": ((1, 0), (2, 3))}),
        ((7, 6), (3, 2, 2, 1), {"dilations": (2, 3), "padding": "same"}),
        ((5, 4), (2, 2, 1, 4), {"groups": 2}),
        ((5, 5), (3, 2, 1, 2), {"groups": 2, "strides": (2, 2), "padding": "same"}),
        ((5,), (2, 2, 2), {"groups": 1, "strides": (3,), "dilations": (2,), "padding": ((3, 1),)}),
        ((3, 4, 3), (2, 2, 2, 2, 1), {"strides": (1, 2, 1)}),
    ):
        yield (array((2, *sizes, 2)), array(kernel, salt=1)), _complete(how, len(sizes))
    grouped = {"groups": 2, "strides": (2,)}
    yield (array((1, 6, 4)), array((2, 2, 4), salt=1)), _complete(grouped, 1)
    for a, b in (("f4", "f4"), ("f4", "f8"), ("f2", "f2"), ("i8", "i4"), ("c16", "c16")):
        yield (array((1, 4, 3, 2), a), array((2, 2, 2, 2), b, salt=1)), _complete({}, 2)
    yield (array((0, 4, 2), "f4"), array((2, 2, 3), "f4")), _complete({}, 1)
    yield (array((2, 4, 0), "f4"), array((2, 0, 3), "f4")), _complete({}, 1)


def _complete(how: dict[str, Any], rank: int) -> dict[str, Any]:
    ones = (1,) * rank
    return {"strides": ones, "padding": "valid", "dilations": ones, "groups": 1, **how}


def _result_samples() -> Iterator[tuple[Array, Array, Array, dict[str, Any]]]:
    """The samples with an array of the shape and dtype of the result."""
    for (x, kernel), how in _samples():
        shape: Any = _convolved(x.shape, kernel.shape, **how)
        yield x, kernel, array(shape, np.result_type(x, kernel).str[1:], salt=2), how


def _input_samples() -> Iterator[Sample]:
    for x, kernel, g, how in _result_samples():
        yield (g, kernel), {"size": x.shape[1:-1], **how}
    yield (
        (array((1, 3, 2)), array((2, 1, 2)), 6),
        {"size": (None,), **_complete({"strides": (2,)}, 1)},
    )


def _kernel_samples() -> Iterator[Sample]:
    for x, kernel, g, how in _result_samples():
        yield (x, g), {"size": kernel.shape[:-2], **how}
    yield (array((1, 5, 2)), array((1, 3, 2)), 3), {"size": (None,), **_complete({}, 1)}


@op(
    inputs=2,
    infer=_type,
    vjp=_vjp,
    reads=(0, 1),
    raises=_raises,
    samples=_samples,
)
def convolution(
    xp: Module,
    x: Array,
    kernel: Array,
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
    groups: int,
) -> Array:
    """Sums of the products of `kernel` with the windows of `x`; the kernel is not reversed."""
    how: dict[str, Any] = {"strides": strides, "padding": padding, "dilations": dilations}
    _convolved(x.shape, kernel.shape, groups, **how)
    windows = Windows.over(x.shape[1:-1], kernel.shape[:-2], **how)
    return convolve(xp, x, kernel, windows, groups)


@op(
    inputs=None,
    infer=_input_type,
    vjp=_input_vjp,
    reads=(0, 1),
    raises=_raises,
    samples=_input_samples,
)
def convolution_input(
    xp: Module,
    g: Array,
    kernel: Array,
    *dims: Array,
    size: tuple[Dim, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
    groups: int,
) -> Array:
    """The adjoint of `convolution` in its input, whose spatial axes have the sizes `size`."""
    how: dict[str, Any] = {"strides": strides, "padding": padding, "dilations": dilations}
    sizes = decode_shape(size, dims)
    windows = Windows.over(sizes, kernel.shape[:-2], **how)
    _check_result(g.shape, (g.shape[0], *windows.counts, kernel.shape[-1]))
    return convolve_input(xp, g, kernel, windows, groups)


@op(
    inputs=None,
    infer=_kernel_type,
    vjp=_kernel_vjp,
    reads=(0, 1),
    raises=_raises,
    samples=_kernel_samples,
)
def convolution_kernel(
    xp: Module,
    x: Array,
    g: Array,
    *dims: Array,
    size: tuple[Dim, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
    groups: int,
) -> Array:
    """The adjoint of `convolution` in its kernel, whose spatial axes have the sizes `size`."""
    how: dict[str, Any] = {"strides": strides, "padding": padding, "dilations": dilations}
    windows = Windows.over(x.shape[1:-1], decode_shape(size, dims), **how)
    _check_result(g.shape, (x.shape[0], *windows.counts, g.shape[-1]))
    return convolve_kernel(xp, x, g, windows, groups)
