"""Losses, from logits."""

from __future__ import annotations

from typing import Any

from autograph.tf.tensors import Tensor, as_tensor, operands
from runtime import nn, ops

__all__ = [
    "l2_loss",
    "log_poisson_loss",
    "sigmoid_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
    "weighted_cross_entropy_with_logits",
]


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """`sum(t**2) / 2`.

    >>> import autograph.tf as tf
    >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)
    """
    return ops.sum(ops.square(as_tensor(t))) / 2


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """`-sum(labels * log_softmax(logits))` along an axis.

    >>> import autograph.tf as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0]).numpy()
    np.float32(0.6931472)
    """
    labels, logits = (as_tensor(x) for x in operands(labels, logits))
    return nn.softmax_cross_entropy_with_logits(labels, logits, axis)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """`-log_softmax(logits)` at the index that each label is.

    >>> import autograph.tf as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    labels, logits = as_tensor(labels), as_tensor(logits)
    return nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """Cross entropy of labels between 0 and 1 with `sigmoid(logits)`.

    >>> import autograph.tf as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy()
    array([0.6931472], dtype=float32)
    """
    labels, logits = (as_tensor(x) for x in operands(labels, logits))
    return nn.sigmoid_cross_entropy_with_logits(labels, logits)


def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
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
) -> Tensor:
    """`exp(log_input) - log_input * targets`.

    >>> import autograph.tf as tf
    >>> tf.nn.log_poisson_loss([1.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    if compute_full_loss:
        raise NotImplementedError("compute_full_loss: only the part that depends on log_input")
    targets, log_input = (as_tensor(x) for x in operands(targets, log_input))
    return ops.exp(log_input) - log_input * targets
