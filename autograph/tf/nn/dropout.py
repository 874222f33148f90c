"""Dropout."""

from __future__ import annotations

from typing import Any

from autograph.tf.tensors import Tensor, as_tensor
from runtime import nn

__all__ = [
    "dropout",
]


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Tensor:
    """Elements set to 0 with probability `rate`, the others made larger by `1 / (1 - rate)`.

    >>> import autograph.tf as tf
    >>> sorted(set(tf.nn.dropout(tf.ones([100]), 0.5).numpy().tolist()))
    [0.0, 2.0]
    """
    shape = None if noise_shape is None else tuple(noise_shape)
    return nn.dropout(as_tensor(x), rate, True, shape, seed)
