"""The largest element, or the mean, of each window."""

from __future__ import annotations

from typing import Any

from autograph.tf.nn.layout import layout_of, padding_of, spatial
from autograph.tf.tensors import Tensor, as_tensor
from runtime import nn

__all__ = [
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]

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
    layout = layout_of(data_format)
    size = spatial(ksize, count, layout, "ksize")
    steps = spatial(strides, count, layout, "strides")
    return _POOLS[kind, count](x, size, steps, padding_of(padding, count, layout), layout)


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The largest element of each window, along as many axes as there are.

    >>> import autograph.tf as tf
    >>> tf.nn.max_pool(tf.ones([1, 4, 4, 1]), 2, 2, "SAME").shape
    TensorShape([1, 2, 2, 1])
    """
    return _pool("max", None, input, ksize, strides, padding, data_format)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window, along as many axes as there are.

    >>> import autograph.tf as tf
    >>> tf.nn.avg_pool(tf.ones([1, 4, 4, 1]), 2, 2, "SAME").shape
    TensorShape([1, 2, 2, 1])
    """
    return _pool("avg", None, input, ksize, strides, padding, data_format)


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The largest element of each window of `(batch, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.max_pool1d(tf.reshape(tf.range(4.0), [1, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([1., 3.], dtype=float32)
    """
    return _pool("max", 1, input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of `(batch, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.avg_pool1d(tf.reshape(tf.range(4.0), [1, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([0.5, 2.5], dtype=float32)
    """
    return _pool("avg", 1, input, ksize, strides, padding, data_format)


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:  # fmt: skip
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
) -> Tensor:  # fmt: skip
    """The mean of each window; what lies outside does not count.

    >>> import autograph.tf as tf
    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.nn.avg_pool2d(x, 2, 2, "VALID").numpy().ravel()
    array([1.5], dtype=float32)
    """
    return _pool("avg", 2, input, ksize, strides, padding, data_format)


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The largest element of each window of `(batch, depth, height, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    return _pool("max", 3, input, ksize, strides, padding, data_format)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of `(batch, depth, height, width, channels)`.

    >>> import autograph.tf as tf
    >>> tf.nn.avg_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    return _pool("avg", 3, input, ksize, strides, padding, data_format)
