"""Convolutions along one, two and three axes, and the bias that follows them."""

from __future__ import annotations

from typing import Any

from autograph.tf.nn.layout import layout_of, padding_of, spatial
from autograph.tf.tensors import Tensor, as_tensor, operands
from runtime import nn, ops

__all__ = [
    "bias_add",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "depth_to_space",
    "depthwise_conv2d",
    "separable_conv2d",
    "space_to_depth",
]


def _groups(x: Any, kernel: Any, layout: str) -> int:
    """Fewer channels in the kernel than in the input: groups of channels side by side."""
    channels = x.shape[1 if layout == "channels_first" else -1]
    return int(channels) // int(kernel.shape[-2])


def _convolve(
    axes_: int, input: Any, filters: Any, strides: Any, padding: Any, data_format: Any,
    dilations: Any,
) -> Any:  # fmt: skip
    x, kernel = (as_tensor(part) for part in operands(input, filters))
    layout = layout_of(data_format)
    function = {1: nn.conv1d, 2: nn.conv2d, 3: nn.conv3d}[axes_]
    return function(
        x,
        kernel,
        spatial(strides, axes_, layout, "strides") or 1,
        padding_of(padding, axes_, layout),
        spatial(dilations, axes_, layout, "dilations") or 1,
        _groups(x, kernel, layout),
        layout,
    )


def conv1d(
    input: Any, filters: Any, stride: Any, padding: Any, data_format: str = "NWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Convolution of `(batch, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.conv1d(tf.ones([1, 4, 1]), tf.ones([2, 1, 1]), 1, "VALID").numpy().ravel()
    array([2., 2., 2.], dtype=float32)
    """
    return _convolve(1, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Convolution of `(batch, height, width, channels)`; strides of 1, 2 or 4 numbers.

    >>> import autograph.tf as tf
    >>> x, kernel = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME").numpy()[0, :, :, 0]
    array([[4., 4., 2.],
           [4., 4., 2.],
           [2., 2., 1.]], dtype=float32)
    """
    return _convolve(2, input, filters, strides, padding, data_format, dilations)


def conv3d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Convolution of `(batch, depth, height, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    return _convolve(3, input, filters, strides, padding, data_format, dilations)


def convolution(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Convolution along as many axes as the filters have.

    >>> import autograph.tf as tf
    >>> tf.nn.convolution(tf.ones([1, 4, 1]), tf.ones([2, 1, 1])).shape
    TensorShape([1, 3, 1])
    """
    count = as_tensor(filters).ndim - 2
    return _convolve(count, input, filters, strides, padding, data_format, dilations)


def conv2d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of `conv2d`; filters are `(height, width, output channels, input channels)`.

    >>> import autograph.tf as tf
    >>> x, kernel = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d_transpose(x, kernel, [1, 4, 4, 1], strides=2).shape
    TensorShape([1, 4, 4, 1])
    """
    given = (input, filters, output_shape, strides, padding, data_format, dilations)
    return _transposed(nn.conv2d_transpose, 2, *given)


def _transposed(
    function: Any, axes_: int, input: Any, filters: Any, output_shape: Any, strides: Any,
    padding: Any, data_format: Any, dilations: Any,
) -> Any:  # fmt: skip
    x, kernel = (as_tensor(part) for part in operands(input, filters))
    layout = layout_of(data_format)
    shape = tuple(int(n) for n in as_tensor(output_shape).tolist())
    return function(
        x,
        kernel,
        spatial(strides, axes_, layout, "strides"),
        padding_of(padding, axes_, layout),
        shape[2:] if layout == "channels_first" else shape[1:-1],
        spatial(dilations, axes_, layout, "dilations") or 1,
        data_format=layout,
    )


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Convolution of each channel by itself.

    >>> import autograph.tf as tf
    >>> x, kernel = tf.ones([1, 2, 2, 3]), tf.ones([2, 2, 3, 1])
    >>> tf.nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([4., 4., 4.], dtype=float32)
    """
    x, kernel = (as_tensor(part) for part in operands(input, filter))
    layout = layout_of(data_format)
    return nn.depthwise_conv2d(
        x,
        kernel,
        spatial(strides, 2, layout, "strides"),
        padding_of(padding, 2, layout),
        spatial(dilations, 2, layout, "dilations") or 1,
        layout,
    )


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """`value` with a number for each channel added.

    >>> import autograph.tf as tf
    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    value, bias = (as_tensor(x) for x in operands(value, bias))
    if data_format is not None and layout_of(data_format) == "channels_first":
        bias = ops.reshape(bias, (-1,) + (1,) * (value.ndim - 2))
    return value + bias


def conv1d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of `conv1d`; filters are `(width, output channels, input channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2).shape
    TensorShape([1, 4, 1])
    """
    given = (input, filters, output_shape, strides, padding, data_format, dilations)
    return _transposed(nn.conv1d_transpose, 1, *given)


def conv3d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NDHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of `conv3d`; filters end in `(..., output channels, input channels)`.

    >>> import autograph.tf as tf
    >>> x, kernel = tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1])
    >>> tf.nn.conv3d_transpose(x, kernel, [1, 4, 4, 4, 1], strides=2).shape
    TensorShape([1, 4, 4, 4, 1])
    """
    given = (input, filters, output_shape, strides, padding, data_format, dilations)
    return _transposed(nn.conv3d_transpose, 3, *given)


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any,
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`depthwise_conv2d`, and a `conv2d` of one pixel that mixes the channels.

    >>> import autograph.tf as tf
    >>> x, mixing = tf.ones([1, 2, 2, 3]), tf.ones([1, 1, 3, 1])
    >>> tf.nn.separable_conv2d(x, tf.ones([2, 2, 3, 1]), mixing, [1] * 4, "VALID").numpy().ravel()
    array([12.], dtype=float32)
    """
    each = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(each, pointwise_filter, 1, "VALID", data_format)


def depth_to_space(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Channels laid out as blocks of `block_size` x `block_size` pixels.

    >>> import autograph.tf as tf
    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy().reshape(2, 2).tolist()
    [[1, 2], [3, 4]]
    """
    x, n = _channels_last(input, data_format), int(block_size)
    batch, height, width, channels = x.shape
    if isinstance(channels, int) and channels % (n * n):
        raise ValueError(f"{channels} channels are not so many times {n} x {n}")
    x = ops.reshape(x, (batch, height, width, n, n, channels // (n * n)))
    x = ops.permute_dims(x, (0, 1, 3, 2, 4, 5))
    return _as_given(ops.reshape(x, (batch, height * n, width * n, -1)), data_format)


def space_to_depth(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Blocks of `block_size` x `block_size` pixels as channels.

    >>> import autograph.tf as tf
    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]
    """
    x, n = _channels_last(input, data_format), int(block_size)
    batch, height, width, channels = x.shape
    if any(isinstance(m, int) and m % n for m in (height, width)):
        raise ValueError(f"{height} x {width} pixels are not so many blocks of {n} x {n}")
    x = ops.reshape(x, (batch, height // n, n, width // n, n, channels))
    x = ops.permute_dims(x, (0, 1, 3, 2, 4, 5))
    return _as_given(ops.reshape(x, (batch, height // n, width // n, -1)), data_format)


def _channels_last(x: Any, data_format: str) -> Any:
    x = as_tensor(x)
    return ops.moveaxis(x, 1, -1) if layout_of(data_format) == "channels_first" else x


def _as_given(x: Any, data_format: str) -> Any:
    return ops.moveaxis(x, -1, 1) if layout_of(data_format) == "channels_first" else x
