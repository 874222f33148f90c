"""Normalization: over the batch, over features, over groups of channels.

Half precision is computed in single precision. `scale` and `offset` may be None.
"""

from __future__ import annotations

from typing import Any

from runtime import ops
from runtime.nn.precision import widened
from runtime.ops.declaration.operands import (
    Axes,
    Operand,
    normal_axes,
    normal_axis,
    rank_of,
    shape_of,
)

__all__ = ["batch_normalization", "group_norm", "layer_norm", "moments", "rms_norm"]


@widened
def moments(x: Operand, axes: Axes, keepdims: bool = False) -> tuple[Any, Any]:
    """Mean and variance of `x` over `axes`.

    >>> mean, variance = ag.nn.moments(np.array([[1.0, 2.0], [3.0, 6.0]]), axes=0)
    >>> mean.numpy(), variance.numpy()
    (array([2., 4.]), array([1., 4.]))
    """
    mean, _, variance = _moments(x, axes)
    if keepdims:
        return mean, variance
    dropped = normal_axes(axes, rank_of(x))
    return ops.squeeze(mean, dropped), ops.squeeze(variance, dropped)


def _moments(x: Operand, axes: Axes) -> tuple[Any, Any, Any]:
    """Mean, deviations from it, and variance, with the axes kept."""
    mean = ops.mean(x, axis=axes, keepdims=True)
    deviations = ops.subtract(x, mean)
    return mean, deviations, ops.mean(deviations * deviations, axis=axes, keepdims=True)


def _scaled(x: Any, scale: Operand, offset: Operand) -> Any:
    if scale is not None:
        x = x * scale
    return x if offset is None else x + offset


@widened
def batch_normalization(
    x: Operand,
    mean: Operand,
    variance: Operand,
    offset: Operand = None,
    scale: Operand = None,
    variance_epsilon: float = 1e-3,
) -> Any:
    """`(x - mean) / sqrt(variance + variance_epsilon) * scale + offset`, all broadcast.

    The moments are those of the batch in training (see `moments`), running means otherwise.
    S. Ioffe and C. Szegedy, "Batch normalization", 2015, https://arxiv.org/abs/1502.03167.

    >>> x = np.array([[1.0, 2.0], [3.0, 6.0]])
    >>> mean, variance = ag.nn.moments(x, axes=0)
    >>> ag.nn.batch_normalization(x, mean, variance, variance_epsilon=0.0).numpy()
    array([[-1., -1.],
           [ 1.,  1.]])
    """
    factor = 1 / ops.sqrt(variance + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    return _scaled((x - mean) * factor, None, offset)


@widened
def layer_norm(
    x: Operand,
    scale: Operand = None,
    offset: Operand = None,
    axis: Axes = -1,
    epsilon: float = 1e-5,
) -> Any:
    """`x` with mean 0 and variance 1 over `axis`, times `scale`, plus `offset`.

    J. L. Ba et al., "Layer normalization", 2016, https://arxiv.org/abs/1607.06450.

    >>> ag.nn.layer_norm(np.array([[1.0, 3.0], [10.0, 30.0]]), epsilon=0.0).numpy()
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    _, deviations, variance = _moments(x, axis)
    return _scaled(deviations / ops.sqrt(variance + epsilon), scale, offset)


@widened
def group_norm(
    x: Operand,
    groups: int,
    scale: Operand = None,
    offset: Operand = None,
    axis: int = -1,
    epsilon: float = 1e-5,
) -> Any:
    """`x` with mean 0 and variance 1 over each of `groups` groups of channels of an example.

    `axis` holds the channels, axis 0 the examples; `scale` and `offset` have a number for each
    channel. Raises ValueError when the channels cannot be parted so. Y. Wu and K. He, "Group
    normalization", 2018, https://arxiv.org/abs/1803.08494.

    >>> x = np.array([[1.0, 3.0, 10.0, 30.0]])
    >>> ag.nn.group_norm(x, 2, epsilon=0.0).numpy()
    array([[-1.,  1., -1.,  1.]])
    """
    at = normal_axis(axis, rank_of(x))
    if at == 0:
        raise ValueError("group_norm: axis 0 holds the examples, it cannot hold the channels")
    shape = shape_of(x)
    channels = shape[at]
    if isinstance(channels, int) and channels % groups:
        raise ValueError(f"group_norm: {channels} channels cannot be parted into {groups} groups")
    parted = ops.reshape(x, (*shape[:at], groups, channels // groups, *shape[at + 1 :]))
    rest = tuple(i for i in range(1, len(shape) + 1) if i != at)
    _, deviations, variance = _moments(parted, rest)
    normal = ops.reshape(deviations / ops.sqrt(variance + epsilon), shape)
    along = (-1,) + (1,) * (len(shape) - 1 - at)
    scale = None if scale is None else ops.reshape(scale, along)
    return _scaled(normal, scale, None if offset is None else ops.reshape(offset, along))


@widened
def rms_norm(x: Operand, scale: Operand = None, axis: Axes = -1, epsilon: float = 1e-5) -> Any:
    """`x` divided by its root mean square over `axis`, times `scale`.

    B. Zhang and R. Sennrich, "Root mean square layer normalization", 2019,
    https://arxiv.org/abs/1910.07467.

    >>> ag.nn.rms_norm(np.array([3.0, 4.0]), epsilon=0.0).numpy()
    array([0.84852814, 1.13137085])
    """
    square = ops.mean(x * x, axis=axis, keepdims=True)
    return _scaled(x / ops.sqrt(square + epsilon), scale, None)
