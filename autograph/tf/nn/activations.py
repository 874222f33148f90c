"""Activations: element by element, and softmax along an axis."""

from __future__ import annotations

from typing import Any

from autograph.tf.arguments import axes_of
from autograph.tf.math.elementwise import unary
from autograph.tf.tensors import Tensor, as_tensor
from runtime import nn, ops

__all__ = [
    "crelu",
    "elu",
    "gelu",
    "leaky_relu",
    "log_softmax",
    "relu",
    "relu6",
    "selu",
    "silu",
    "softmax",
    "swish",
]

relu = unary(nn.relu)
relu6 = unary(nn.relu6)
selu = unary(nn.selu)
elu = unary(nn.elu)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """`x` where it is positive, else `alpha * x`.

    >>> import autograph.tf as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    return nn.leaky_relu(as_tensor(features), alpha)


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """`x * P(X <= x)` of a standard normal X; `approximate` by tanh.

    >>> import autograph.tf as tf
    >>> tf.nn.gelu(0.0).numpy()
    np.float32(0.0)
    """
    return nn.gelu(as_tensor(features), approximate)


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """`x * sigmoid(beta * x)`.

    >>> import autograph.tf as tf
    >>> tf.nn.silu(0.0).numpy()
    np.float32(0.0)
    """
    x = as_tensor(features)
    return nn.silu(x) if beta == 1.0 else x * nn.sigmoid(beta * x)


swish = silu


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along an axis, the last unless given.

    >>> import autograph.tf as tf
    >>> tf.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    return nn.softmax(as_tensor(logits), -1 if axis is None else axes_of(axis))


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Logarithm of softmax.

    >>> import autograph.tf as tf
    >>> tf.nn.log_softmax([0.0, 0.0]).numpy()
    array([-0.6931472, -0.6931472], dtype=float32)
    """
    return nn.log_softmax(as_tensor(logits), -1 if axis is None else axes_of(axis))


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """`relu` of the features and of their negatives, side by side.

    >>> import autograph.tf as tf
    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    x = as_tensor(features)
    return nn.relu(ops.concat([x, -x], axis=axis))
