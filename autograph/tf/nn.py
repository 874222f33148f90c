"""`tf.nn`: functional operations of neural networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.tf.math import (
    axes,
    in_top_k,
    l2_normalize,
    log_sigmoid,
    sigmoid,
    softplus,
    softsign,
    tanh,
    top_k,
    unary,
    zero_fraction,
)
from autograph.tf.names import missing
from autograph.tf.tensors import as_tensor, operands
from runtime import nn, ops

__all__ = [
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_normalization",
    "bias_add",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "convolution",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_poisson_loss",
    "log_sigmoid",
    "log_softmax",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "moments",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "zero_fraction",
]

relu = unary(nn.relu)
relu6 = unary(nn.relu6)
selu = unary(nn.selu)
elu = unary(nn.elu)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """`x` where it is positive, else `alpha * x`.

    >>> import autograph.tf as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    return nn.leaky_relu(as_tensor(features), alpha)


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """`x * P(X <= x)` of a standard normal X; `approximate` by tanh.

    >>> import autograph.tf as tf
    >>> tf.nn.gelu(0.0).numpy()
    np.float32(0.0)
    """
    return nn.gelu(as_tensor(features), approximate)


def silu(features: Any, beta: Any = 1.0) -> Any:
    """`x * sigmoid(beta * x)`.

    >>> import autograph.tf as tf
    >>> tf.nn.silu(0.0).numpy()
    np.float32(0.0)
    """
    x = as_tensor(features)
    return nn.silu(x) if beta == 1.0 else x * nn.sigmoid(beta * x)


swish = silu


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """`exp(x) / sum(exp(x))` along an axis, the last unless given.

    >>> import autograph.tf as tf
    >>> tf.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    return nn.softmax(as_tensor(logits), -1 if axis is None else axes(axis))


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Logarithm of softmax.

    >>> import autograph.tf as tf
    >>> tf.nn.log_softmax([0.0, 0.0]).numpy()
    array([-0.6931472, -0.6931472], dtype=float32)
    """
    return nn.log_softmax(as_tensor(logits), -1 if axis is None else axes(axis))


def l2_loss(t: Any, name: str | None = None) -> Any:
    """`sum(t**2) / 2`.

    >>> import autograph.tf as tf
    >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)
    """
    return ops.sum(ops.square(as_tensor(t))) / 2


# ---- losses ------------------------------------------------------------------------------------


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Any:
    """`-sum(labels * log_softmax(logits))` along an axis.

    >>> import autograph.tf as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0]).numpy()
    np.float32(0.6931472)
    """
    labels, logits = (as_tensor(x) for x in operands(labels, logits))
    return nn.softmax_cross_entropy_with_logits(labels, logits, axis)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    """`-log_softmax(logits)` at the index that each label is.

    >>> import autograph.tf as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    labels, logits = as_tensor(labels), as_tensor(logits)
    return nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Cross entropy of labels between 0 and 1 with `sigmoid(logits)`.

    >>> import autograph.tf as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy()
    array([0.6931472], dtype=float32)
    """
    labels, logits = (as_tensor(x) for x in operands(labels, logits))
    return nn.sigmoid_cross_entropy_with_logits(labels, logits)


def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """The same, positive labels weighted.

    >>> import autograph.tf as tf
    >>> tf.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0).numpy()
    array([1.3862944], dtype=float32)
    """
    labels, logits = (as_tensor(x) for x in operands(labels, logits))
    weight = 1 + (pos_weight - 1) * labels
    return (1 - labels) * logits + weight * nn.softplus(-logits)


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """`exp(log_input) - log_input * targets`.

    >>> import autograph.tf as tf
    >>> tf.nn.log_poisson_loss([1.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    if compute_full_loss:
        raise NotImplementedError("compute_full_loss: only the part that depends on log_input")
    targets, log_input = (as_tensor(x) for x in operands(targets, log_input))
    return ops.exp(log_input) - log_input * targets


# ---- convolutions and pools --------------------------------------------------------------------

_LAST = {"NWC", "NHWC", "NDHWC", None}
_FIRST = {"NCW", "NCHW", "NCDHW"}


def _layout(data_format: str | None) -> str:
    if data_format not in _LAST | _FIRST:
        raise ValueError(f"data_format is NHWC, NCHW or the like, not {data_format!r}")
    return "channels_first" if data_format in _FIRST else "channels_last"


def _spatial(sizes: Any, axes_: int, layout: str, what: str) -> Any:
    """Strides, dilations or sizes of windows for the spatial axes alone."""
    if sizes is None or isinstance(sizes, (int, np.integer)):
        return sizes
    sizes = tuple(int(n) for n in sizes)
    if len(sizes) == 1:
        return sizes[0]
    if len(sizes) == axes_ + 2:
        batch, channel = sizes[0], sizes[1] if layout == "channels_first" else sizes[-1]
        if (batch, channel) != (1, 1):
            raise ValueError(f"{what} of the batch and the channels must be 1, not {sizes}")
        return sizes[2:] if layout == "channels_first" else sizes[1:-1]
    if len(sizes) != axes_:
        raise ValueError(f"{what} has {len(sizes)} numbers for {axes_} spatial axes")
    return sizes


def _padding(padding: Any, axes_: int, layout: str) -> Any:
    """ "VALID", "SAME", or pairs for each axis, of which the spatial ones count."""
    if isinstance(padding, str):
        return padding.lower()
    pairs = tuple(tuple(int(n) for n in pair) for pair in padding)
    if len(pairs) == axes_ + 2:
        return pairs[2:] if layout == "channels_first" else pairs[1:-1]
    return pairs


def _groups(x: Any, kernel: Any, layout: str) -> int:
    """Fewer channels in the kernel than in the input: groups of channels side by side."""
    channels = x.shape[1 if layout == "channels_first" else -1]
    return int(channels) // int(kernel.shape[-2])


def _convolve(
    axes_: int, input: Any, filters: Any, strides: Any, padding: Any, data_format: Any,
    dilations: Any,
) -> Any:  # fmt: skip
    x, kernel = (as_tensor(part) for part in operands(input, filters))
    layout = _layout(data_format)
    function = {1: nn.conv1d, 2: nn.conv2d, 3: nn.conv3d}[axes_]
    return function(
        x,
        kernel,
        _spatial(strides, axes_, layout, "strides") or 1,
        _padding(padding, axes_, layout),
        _spatial(dilations, axes_, layout, "dilations") or 1,
        _groups(x, kernel, layout),
        layout,
    )


def conv1d(
    input: Any, filters: Any, stride: Any, padding: Any, data_format: str = "NWC",
    dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Convolution of `(batch, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.conv1d(tf.ones([1, 4, 1]), tf.ones([2, 1, 1]), 1, "VALID").numpy().ravel()
    array([2., 2., 2.], dtype=float32)
    """
    return _convolve(1, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
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
) -> Any:  # fmt: skip
    """Convolution of `(batch, depth, height, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    return _convolve(3, input, filters, strides, padding, data_format, dilations)


def convolution(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
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
) -> Any:  # fmt: skip
    """The transpose of `conv2d`; filters are `(height, width, output channels, input channels)`.

    >>> import autograph.tf as tf
    >>> x, kernel = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d_transpose(x, kernel, [1, 4, 4, 1], strides=2).shape
    TensorShape([1, 4, 4, 1])
    """
    x, kernel = (as_tensor(part) for part in operands(input, filters))
    layout = _layout(data_format)
    shape = tuple(int(n) for n in as_tensor(output_shape).tolist())
    return nn.conv2d_transpose(
        x,
        kernel,
        _spatial(strides, 2, layout, "strides"),
        _padding(padding, 2, layout),
        shape[2:] if layout == "channels_first" else shape[1:-1],
        _spatial(dilations, 2, layout, "dilations") or 1,
        data_format=layout,
    )


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Convolution of each channel by itself.

    >>> import autograph.tf as tf
    >>> x, kernel = tf.ones([1, 2, 2, 3]), tf.ones([2, 2, 3, 1])
    >>> tf.nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([4., 4., 4.], dtype=float32)
    """
    x, kernel = (as_tensor(part) for part in operands(input, filter))
    layout = _layout(data_format)
    return nn.depthwise_conv2d(
        x,
        kernel,
        _spatial(strides, 2, layout, "strides"),
        _padding(padding, 2, layout),
        _spatial(dilations, 2, layout, "dilations") or 1,
        layout,
    )


_POOLS = {
    ("max", 1): nn.max_pool1d,
    ("max", 2): nn.max_pool2d,
    ("max", 3): nn.max_pool3d,
    ("avg", 1): nn.avg_pool1d,
    ("avg", 2): nn.avg_pool2d,
    ("avg", 3): nn.avg_pool3d,
}


def _pool(
    kind: str, axes_: int | None, input: Any, ksize: Any, strides: Any, padding: Any,
    data_format: str | None,
) -> Any:  # fmt: skip
    x = as_tensor(input)
    count = x.ndim - 2 if axes_ is None else axes_
    layout = _layout(data_format)
    size = _spatial(ksize, count, layout, "ksize")
    steps = _spatial(strides, count, layout, "strides")
    return _POOLS[kind, count](x, size, steps, _padding(padding, count, layout), layout)


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    name: str | None = None,
) -> Any:  # fmt: skip
    """The largest element of each window.

    >>> import autograph.tf as tf
    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.nn.max_pool2d(x, 2, 2, "VALID").numpy().ravel()
    array([3.], dtype=float32)
    """
    return _pool("max", 2, input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    name: str | None = None,
) -> Any:  # fmt: skip
    """The mean of each window; what lies outside does not count.

    >>> import autograph.tf as tf
    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.nn.avg_pool2d(x, 2, 2, "VALID").numpy().ravel()
    array([1.5], dtype=float32)
    """
    return _pool("avg", 2, input, ksize, strides, padding, data_format)


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC",
    name: str | None = None,
) -> Any:  # fmt: skip
    """The largest element of each window of `(batch, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.max_pool1d(tf.reshape(tf.range(4.0), [1, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([1., 3.], dtype=float32)
    """
    return _pool("max", 1, input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC",
    name: str | None = None,
) -> Any:  # fmt: skip
    """The mean of each window of `(batch, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.avg_pool1d(tf.reshape(tf.range(4.0), [1, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([0.5, 2.5], dtype=float32)
    """
    return _pool("avg", 1, input, ksize, strides, padding, data_format)


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:  # fmt: skip
    """The largest element of each window of `(batch, depth, height, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    return _pool("max", 3, input, ksize, strides, padding, data_format)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:  # fmt: skip
    """The mean of each window of `(batch, depth, height, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.avg_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    return _pool("avg", 3, input, ksize, strides, padding, data_format)


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The largest element of each window, along as many axes as there are.

    >>> import autograph.tf as tf
    >>> tf.nn.max_pool(tf.ones([1, 4, 4, 1]), 2, 2, "SAME").shape
    TensorShape([1, 2, 2, 1])
    """
    return _pool("max", None, input, ksize, strides, padding, data_format)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The mean of each window, along as many axes as there are.

    >>> import autograph.tf as tf
    >>> tf.nn.avg_pool(tf.ones([1, 4, 4, 1]), 2, 2, "SAME").shape
    TensorShape([1, 2, 2, 1])
    """
    return _pool("avg", None, input, ksize, strides, padding, data_format)


# ---- others ------------------------------------------------------------------------------------


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """`value` with a number for each channel added.

    >>> import autograph.tf as tf
    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    value, bias = (as_tensor(x) for x in operands(value, bias))
    if data_format is not None and _layout(data_format) == "channels_first":
        bias = ops.reshape(bias, (-1,) + (1,) * (value.ndim - 2))
    return value + bias


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Elements set to 0 with probability `rate`, the others made larger by `1 / (1 - rate)`.

    >>> import autograph.tf as tf
    >>> sorted(set(tf.nn.dropout(tf.ones([100]), 0.5).numpy().tolist()))
    [0.0, 2.0]
    """
    shape = None if noise_shape is None else tuple(noise_shape)
    return nn.dropout(as_tensor(x), rate, True, shape, seed)


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance along axes.

    >>> import autograph.tf as tf
    >>> [m.numpy().item() for m in tf.nn.moments([1.0, 3.0], axes=[0])]
    [2.0, 1.0]
    """
    mean, variance = nn.moments(as_tensor(x), _axes(axes), keepdims)
    return mean, variance


_axes = axes


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`.

    >>> import autograph.tf as tf
    >>> tf.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x, mean, variance, offset, scale = (
        None if part is None else as_tensor(part) for part in (x, mean, variance, offset, scale)
    )
    return nn.batch_normalization(x, mean, variance, offset, scale, variance_epsilon)


def embedding_lookup(
    params: Any, ids: Any, max_norm: float | None = None, name: str | None = None
) -> Any:
    """The rows of a table at `ids`.

    >>> import autograph.tf as tf
    >>> tf.nn.embedding_lookup([[1.0], [2.0]], [1, 0]).numpy().ravel()
    array([2., 1.], dtype=float32)
    """
    if max_norm is not None:
        raise NotImplementedError("max_norm: clip the rows that come back with tf.clip_by_norm")
    table: Sequence[Any] = params
    if isinstance(params, (list, tuple)) and len(params) == 1:
        table = params[0]
    return nn.embedding_lookup(as_tensor(table), as_tensor(ids))


__getattr__ = missing("tf.nn", globals())
