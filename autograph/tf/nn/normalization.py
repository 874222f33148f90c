"""Moments, and values made to have given ones."""

from __future__ import annotations

import functools
from typing import Any

from autograph.tf.arguments import axes_of
from autograph.tf.tensors import Tensor, as_tensor
from runtime import nn, ops

__all__ = [
    "batch_normalization",
    "local_response_normalization",
    "lrn",
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
) -> Tensor:  # fmt: skip
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`.

    >>> import autograph.tf as tf
    >>> tf.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x, mean, variance, offset, scale = (
        None if part is None else as_tensor(part) for part in (x, mean, variance, offset, scale)
    )
    return nn.batch_normalization(x, mean, variance, offset, scale, variance_epsilon)


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`x / (bias + alpha * s)**beta`; s sums the squares of channels up to `depth_radius` away.

    Channels are last, and how many there are is known.

    >>> import autograph.tf as tf
    >>> tf.nn.local_response_normalization([[[[1.0, 1.0, 1.0]]]], depth_radius=1).numpy().ravel()
    array([0.57735026, 0.5       , 0.57735026], dtype=float32)
    """
    x = as_tensor(input)
    if x.ndim != 4 or x.dtype.kind != "f":
        raise ValueError(f"a batch of floating images is wanted, not {x.ndim} axes of {x.dtype}")
    channels = int(x.shape[-1])
    reach = min(int(depth_radius), max(channels - 1, 0))
    around = ops.pad(ops.square(x), [(0, 0)] * 3 + [(reach, reach)])
    parts = (around[..., i : i + channels] for i in range(2 * reach + 1))
    return x / (bias + alpha * functools.reduce(ops.add, parts)) ** beta


lrn = local_response_normalization
