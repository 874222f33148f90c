"""Moments, and values made to have given ones."""

from __future__ import annotations

from typing import Any

from autograph.tf.arguments import axes_of
from autograph.tf.tensors import as_tensor
from runtime import nn

__all__ = [
    "batch_normalization",
    "moments",
]


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance along axes.

    >>> import autograph.tf as tf
    >>> [m.numpy().item() for m in tf.nn.moments([1.0, 3.0], axes=[0])]
    [2.0, 1.0]
    """
    mean, variance = nn.moments(as_tensor(x), axes_of(axes), keepdims)
    return mean, variance


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
