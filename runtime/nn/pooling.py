"""Largest elements and means of windows over one, two and three axes.

`size` and `strides` are an int or one per axis; windows lie side by side unless `strides` says
otherwise. Padding takes no part: it is never the largest element, and no mean counts it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import ops
from runtime.dtypes import is_half_or_less, kind_of
from runtime.nn.layout import is_channels_first, to_channels_last, to_format
from runtime.ops.declaration.declare import with_operands
from runtime.ops.declaration.operands import Operand, dtype_of, rank_of, shape_of
from runtime.ops.signals.pooling import window_max, window_sum
from runtime.ops.signals.windows import normal_padding, per_axis

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "global_avg_pool",
    "global_max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]

PerAxis = int | Sequence[int]
PaddingLike = str | int | Sequence[int | tuple[int, int]]


def _how(axes: int, size: Any, strides: Any, padding: Any) -> dict[str, Any]:
    size = per_axis("size", size, axes)
    sides = normal_padding(padding, axes)
    if not isinstance(sides, str) and any(
        max(pair) >= n for pair, n in zip(sides, size, strict=True)
    ):
        raise ValueError(f"padding {padding!r} leaves windows of size {size} without an element")
    return {
        "size": size,
        "strides": size if strides is None else per_axis("strides", strides, axes),
        "padding": sides,
        "dilations": (1,) * axes,
    }


# ---- largest elements --------------------------------------------------------------------------


def _max_pool(
    axes: int, x: Operand, size: Any, strides: Any, padding: Any, data_format: str
) -> Any:
    how = _how(axes, size, strides, padding)
    x = to_channels_last(f"max_pool{axes}d", x, axes, data_format)
    return to_format(window_max(x, **how), data_format)


def max_pool1d(
    x: Operand,
    size: PerAxis,
    strides: PerAxis | None = None,
    padding: PaddingLike = "valid",
    data_format: str = "channels_last",
) -> Any:
    """The largest elements of windows over `(batch, width, channels)`; see `max_pool2d`.

    >>> x = np.array([1.0, 5.0, 3.0, 4.0]).reshape(1, 4, 1)
    >>> ag.nn.max_pool1d(x, 2).numpy().ravel()
    array([5., 4.])
    """
    return _max_pool(1, x, size, strides, padding, data_format)


def max_pool2d(
    x: Operand,
    size: PerAxis,
    strides: PerAxis | None = None,
    padding: PaddingLike = "valid",
    data_format: str = "channels_last",
) -> Any:
    """The largest elements of windows over `(batch, height, width, channels)`.

    The dtype stays. The first of equal elements has all of the gradient. `padding` and
    `data_format` are as in `conv2d`. Raises ValueError when a window does not fit.

    >>> x = np.arange(16.0).reshape(1, 4, 4, 1)
    >>> ag.nn.max_pool2d(x, 2).numpy()[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """
    return _max_pool(2, x, size, strides, padding, data_format)


def max_pool3d(
    x: Operand,
    size: PerAxis,
    strides: PerAxis | None = None,
    padding: PaddingLike = "valid",
    data_format: str = "channels_last",
) -> Any:
    """The largest elements of windows over `(batch, depth, height, width, channels)`.

    >>> ag.nn.max_pool3d(np.ones((1, 4, 4, 4, 2)), 2).shape
    (1, 2, 2, 2, 2)
    """
    return _max_pool(3, x, size, strides, padding, data_format)


# ---- means -------------------------------------------------------------------------------------


@with_operands
def _avg_pool(
    axes: int, x: Operand, size: Any, strides: Any, padding: Any, data_format: str
) -> Any:
    how = _how(axes, size, strides, padding)
    x = to_channels_last(f"avg_pool{axes}d", x, axes, data_format)
    dtype = dtype_of(x)
    half = is_half_or_less(dtype)  # whose sums overflow
    total = window_sum(ops.astype(x, np.dtype(np.float32)) if half else x, **how)
    mean = total / _element_counts(total, x, how)
    return to_format(ops.astype(mean, dtype) if half else mean, data_format)


def _element_counts(total: Any, x: Operand, how: dict[str, Any]) -> Any:
    """How many elements each window has, padding not counted."""
    if how["padding"] == "valid":
        return math.prod(how["size"])
    dtype = dtype_of(total) if kind_of(dtype_of(total)) in "fc" else np.dtype(np.float64)
    return window_sum(ops.ones((1, *shape_of(x)[1:-1], 1), dtype=dtype), **how)


def avg_pool1d(
    x: Operand,
    size: PerAxis,
    strides: PerAxis | None = None,
    padding: PaddingLike = "valid",
    data_format: str = "channels_last",
) -> Any:
    """The means of windows over `(batch, width, channels)`; see `avg_pool2d`.

    >>> x = np.array([1.0, 5.0, 3.0]).reshape(1, 3, 1)
    >>> ag.nn.avg_pool1d(x, 2, padding="same").numpy().ravel()
    array([3., 3.])
    """
    return _avg_pool(1, x, size, strides, padding, data_format)


def avg_pool2d(
    x: Operand,
    size: PerAxis,
    strides: PerAxis | None = None,
    padding: PaddingLike = "valid",
    data_format: str = "channels_last",
) -> Any:
    """The means of windows over `(batch, height, width, channels)`; float64 for integers.

    Only elements count, no padding. `padding` and `data_format` are as in `conv2d`. Raises
    ValueError when a window does not fit.

    >>> x = np.arange(16.0).reshape(1, 4, 4, 1)
    >>> ag.nn.avg_pool2d(x, 2).numpy()[0, :, :, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]])
    """
    return _avg_pool(2, x, size, strides, padding, data_format)


def avg_pool3d(
    x: Operand,
    size: PerAxis,
    strides: PerAxis | None = None,
    padding: PaddingLike = "valid",
    data_format: str = "channels_last",
) -> Any:
    """The means of windows over `(batch, depth, height, width, channels)`; see `avg_pool2d`.

    >>> ag.nn.avg_pool3d(np.ones((1, 4, 4, 4, 2)), 2).shape
    (1, 2, 2, 2, 2)
    """
    return _avg_pool(3, x, size, strides, padding, data_format)


# ---- whole arrays ------------------------------------------------------------------------------


def _spatial_axes(name: str, x: Operand, data_format: str) -> tuple[int, ...]:
    rank = rank_of(x)
    if rank < 3:
        raise ValueError(
            f"{name} needs an array with batch, sizes and channels, not of {rank} axes"
        )
    return tuple(range(2, rank)) if is_channels_first(data_format) else tuple(range(1, rank - 1))


def global_max_pool(x: Operand, keepdims: bool = False, data_format: str = "channels_last") -> Any:
    """The largest element of each channel: `(batch, channels)`. Ties share the gradient.

    >>> ag.nn.global_max_pool(np.arange(8.0).reshape(1, 2, 2, 2)).numpy()
    array([[6., 7.]])
    """
    return ops.max(x, axis=_spatial_axes("global_max_pool", x, data_format), keepdims=keepdims)


def global_avg_pool(x: Operand, keepdims: bool = False, data_format: str = "channels_last") -> Any:
    """The mean of each channel: `(batch, channels)`; float64 for integers.

    >>> ag.nn.global_avg_pool(np.arange(8.0).reshape(1, 2, 2, 2)).numpy()
    array([[3., 4.]])
    """
    return ops.mean(x, axis=_spatial_axes("global_avg_pool", x, data_format), keepdims=keepdims)
