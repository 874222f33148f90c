"""Convolutions over one, two and three axes, and their transposes.

Kernels are not reversed (what is computed is a cross-correlation, as in all neural network
libraries). In each data format a kernel has the shape `(*sizes, channels / groups, features)`.
Products of integers stay integers and wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime import ops
from runtime.nn.layout import to_channels_last, to_format
from runtime.ops.declaration.operands import Operand, encode_shape, rank_of, shape_of, type_of
from runtime.ops.signals.convolution import convolution, convolution_input
from runtime.ops.signals.windows import normal_padding, per_axis

__all__ = [
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "depthwise_conv2d",
]

PerAxis = int | Sequence[int]
PaddingLike = str | int | Sequence[int | tuple[int, int]]


def _how(axes: int, strides: Any, padding: Any, dilations: Any, groups: int) -> dict[str, Any]:
    return {
        "strides": per_axis("strides", strides, axes),
        "padding": normal_padding(padding, axes),
        "dilations": per_axis("dilations", dilations, axes),
        "groups": per_axis("groups", groups, 1)[0],
    }


def _check_kernel(name: str, kernel: Operand, axes: int, order: str) -> None:
    if rank_of(kernel) != axes + 2:
        raise ValueError(
            f"{name} needs a kernel (*sizes, {order}) of {axes + 2} axes, not of {rank_of(kernel)}"
        )


def _convolve(axes: int, x: Operand, kernel: Operand, data_format: str, how: dict[str, Any]) -> Any:
    name = f"conv{axes}d"
    _check_kernel(name, kernel, axes, "channels / groups, features")
    x = to_channels_last(name, x, axes, data_format)
    return to_format(convolution(x, kernel, **how), data_format)


def conv1d(
    x: Operand,
    kernel: Operand,
    strides: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilations: PerAxis = 1,
    groups: int = 1,
    data_format: str = "channels_last",
) -> Any:
    """Convolution of `x`, `(batch, width, channels)`; see `conv2d`.

    >>> x = np.array([1.0, 2.0, 4.0, 8.0]).reshape(1, 4, 1)
    >>> ag.nn.conv1d(x, np.array([-1.0, 1.0]).reshape(2, 1, 1)).numpy().ravel()
    array([1., 2., 4.])
    """
    return _convolve(1, x, kernel, data_format, _how(1, strides, padding, dilations, groups))


def conv2d(
    x: Operand,
    kernel: Operand,
    strides: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilations: PerAxis = 1,
    groups: int = 1,
    data_format: str = "channels_last",
) -> Any:
    """Convolution of `x`, `(batch, height, width, channels)`, in the promoted dtype.

    `kernel` has shape `(height, width, channels / groups, features)` in every `data_format`:
    "channels_last" (or "NHWC"), or "channels_first" ("NCHW"). `padding` is "valid" (none), "same"
    (`ceil(size / stride)` windows; what is odd goes to the end), or for each axis a number or a
    pair (before, after). With `groups`, channels and features are parted into that many
    convolutions side by side. Raises ValueError when sizes do not fit.

    >>> x = np.arange(9.0).reshape(1, 3, 3, 1)
    >>> ag.nn.conv2d(x, np.ones((2, 2, 1, 1))).numpy()[0, :, :, 0]
    array([[ 8., 12.],
           [20., 24.]])
    """
    return _convolve(2, x, kernel, data_format, _how(2, strides, padding, dilations, groups))


def conv3d(
    x: Operand,
    kernel: Operand,
    strides: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilations: PerAxis = 1,
    groups: int = 1,
    data_format: str = "channels_last",
) -> Any:
    """Convolution of `x`, `(batch, depth, height, width, channels)`; see `conv2d`.

    >>> ag.nn.conv3d(np.ones((1, 3, 3, 3, 1)), np.ones((2, 2, 2, 1, 5))).shape
    (1, 2, 2, 2, 5)
    """
    return _convolve(3, x, kernel, data_format, _how(3, strides, padding, dilations, groups))


def depthwise_conv2d(
    x: Operand,
    kernel: Operand,
    strides: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilations: PerAxis = 1,
    data_format: str = "channels_last",
) -> Any:
    """Convolution of each channel of `x` by itself: `kernel` is `(height, width, channels, m)`.

    The m features of a channel lie side by side in the result. Otherwise as `conv2d`.

    >>> x = np.stack([np.ones((2, 2)), np.full((2, 2), 3.0)], axis=-1)[None]
    >>> ag.nn.depthwise_conv2d(x, np.ones((2, 2, 2, 1))).numpy().ravel()
    array([ 4., 12.])
    """
    _check_kernel("depthwise_conv2d", kernel, 2, "channels, multiplier")
    *sizes, channels, multiplier = shape_of(kernel)
    if type_of(kernel).shape[2] is None:  # type: ignore[index]
        raise ValueError("depthwise_conv2d needs a kernel with a known number of channels")
    merged = ops.reshape(kernel, (*sizes, 1, channels * multiplier))
    how = _how(2, strides, padding, dilations, channels)
    x = to_channels_last("depthwise_conv2d", x, 2, data_format)
    return to_format(convolution(x, merged, **how), data_format)


# ---- transposes --------------------------------------------------------------------------------


def _transpose(
    axes: int, x: Operand, kernel: Operand, output_size: Any, data_format: str, how: dict[str, Any]
) -> Any:
    name = f"conv{axes}d_transpose"
    _check_kernel(name, kernel, axes, "features / groups, channels")
    x = to_channels_last(name, x, axes, data_format)
    given, expected = type_of(x).shape[-1], type_of(kernel).shape[-1]  # type: ignore[index]
    if None not in (given, expected) and given != expected:
        raise ValueError(
            f"{name}: the input has {given} channels, the kernel expects {expected}: its last "
            "axes are (features, channels)"
        )
    if output_size is None:
        output_size = _output_size(name, shape_of(x)[1:-1], type_of(kernel).shape, how)
    elif not isinstance(output_size, (tuple, list)):
        output_size = (output_size,) * axes
    size, dims = encode_shape(output_size)
    if len(size) != axes:
        raise ValueError(f"{name}: output_size must have {axes} numbers, not {len(size)}")
    return to_format(convolution_input(x, kernel, *dims, size=size, **how), data_format)


def _output_size(
    name: str, shape: Sequence[Any], kernel: Any, how: dict[str, Any]
) -> tuple[Any, ...]:
    """The size from which a convolution makes the given `shape`, all strides filled."""
    size, padding = kernel[:-2], how["padding"]
    if None in size:
        raise ValueError(f"{name} needs `output_size` for a kernel whose size is not known")
    sides = (padding,) * len(shape) if isinstance(padding, str) else padding
    rows = zip(shape, size, how["strides"], how["dilations"], sides, strict=True)
    return tuple(_output_length(*row) for row in rows)


def _output_length(n: Any, size: int, stride: int, dilation: int, padding: Any) -> Any:
    extent = (size - 1) * dilation + 1
    if padding == "same":
        return n * stride
    if padding == "valid":
        return n * stride + max(extent - stride, 0)
    return (n - 1) * stride + extent - sum(padding)


def conv1d_transpose(
    x: Operand,
    kernel: Operand,
    strides: PerAxis = 1,
    padding: PaddingLike = "valid",
    output_size: Any = None,
    dilations: PerAxis = 1,
    groups: int = 1,
    data_format: str = "channels_last",
) -> Any:
    """The transpose of `conv1d`; see `conv2d_transpose`.

    >>> x = np.array([1.0, 2.0]).reshape(1, 2, 1)
    >>> kernel = np.array([1.0, 10.0]).reshape(2, 1, 1)
    >>> ag.nn.conv1d_transpose(x, kernel, strides=2).numpy().ravel()
    array([ 1., 10.,  2., 20.])
    """
    how = _how(1, strides, padding, dilations, groups)
    return _transpose(1, x, kernel, output_size, data_format, how)


def conv2d_transpose(
    x: Operand,
    kernel: Operand,
    strides: PerAxis = 1,
    padding: PaddingLike = "valid",
    output_size: Any = None,
    dilations: PerAxis = 1,
    groups: int = 1,
    data_format: str = "channels_last",
) -> Any:
    """The transpose (adjoint) of `conv2d`: each element of `x` spreads a kernel of its own.

    `kernel` has shape `(height, width, features / groups, channels)`: that of the `conv2d` which
    takes the result back to the shape of `x`. Several sizes may go back to one; `output_size`
    (height, width) chooses, by default `size * stride` for "same", and for "valid" the smallest
    that is at least `size * stride`. Raises ValueError for one that does not go back.

    >>> x = np.array([[1.0, 2.0]]).reshape(1, 1, 2, 1)
    >>> ag.nn.conv2d_transpose(x, np.ones((2, 2, 1, 1))).numpy()[0, :, :, 0]
    array([[1., 3., 2.],
           [1., 3., 2.]])
    """
    how = _how(2, strides, padding, dilations, groups)
    return _transpose(2, x, kernel, output_size, data_format, how)


def conv3d_transpose(
    x: Operand,
    kernel: Operand,
    strides: PerAxis = 1,
    padding: PaddingLike = "valid",
    output_size: Any = None,
    dilations: PerAxis = 1,
    groups: int = 1,
    data_format: str = "channels_last",
) -> Any:
    """The transpose of `conv3d`; see `conv2d_transpose`.

    >>> ag.nn.conv3d_transpose(np.ones((1, 2, 2, 2, 3)), np.ones((2, 2, 2, 1, 3)), 2).shape
    (1, 4, 4, 4, 1)
    """
    how = _how(3, strides, padding, dilations, groups)
    return _transpose(3, x, kernel, output_size, data_format, how)
