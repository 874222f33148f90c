"""Cross entropies of predictions given as logits, with the names and arguments of TensorFlow.

Labels come first. They take part element by element: reduce the result with `mean` or `sum`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import ops
from runtime.nn.activations import log_softmax
from runtime.nn.precision import floating
from runtime.ops.declaration.operands import Operand, dtype_of, rank_of, shape_of

__all__ = [
    "sigmoid_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
]


def sparse_softmax_cross_entropy_with_logits(labels: Operand, logits: Operand) -> Any:
    """Cross entropy of class numbers and `softmax(logits)`.

    `labels` are integers of shape `batch`, `logits` have shape `(*batch, classes)`; the result
    has shape `batch`. Raises ValueError when their ranks do not fit, IndexError for a label that
    is no class.

    >>> logits = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    >>> ag.nn.sparse_softmax_cross_entropy_with_logits(np.array([2, 0]), logits).numpy()
    array([0.40760596, 1.09861229])
    """
    rank, found = rank_of(logits), rank_of(labels)
    if found != rank - 1:
        raise ValueError(
            f"sparse_softmax_cross_entropy_with_logits: labels have {found} axes, logits {rank}; "
            "labels are class numbers, with one axis less than the logits"
        )
    numbers = ops.expand_dims(_class_numbers(labels, shape_of(logits)[-1]), -1)
    return -ops.squeeze(ops.take_along_axis(log_softmax(logits), numbers, -1), -1)


def _class_numbers(labels: Operand, classes: Any) -> Any:
    """`labels` as positions; a negative one, which would count from the end, is out of range."""
    dtype = dtype_of(labels)
    if dtype.kind not in "iu":
        raise TypeError(
            "sparse_softmax_cross_entropy_with_logits: labels are class numbers, which are "
            f"integers, not {dtype}"
        )
    if dtype.kind == "u":
        return labels
    numbers = ops.astype(labels, np.dtype(np.intp))
    return ops.where(ops.less(numbers, 0), classes, numbers)


def softmax_cross_entropy_with_logits(labels: Operand, logits: Operand, axis: int = -1) -> Any:
    """Cross entropy of distributions and `softmax(logits)` over `axis`.

    `labels` and `logits` have one shape; the result lacks `axis`. A logit of -inf costs nothing
    where its label is 0.

    >>> logits = np.array([[1.0, 2.0, 3.0]])
    >>> ag.nn.softmax_cross_entropy_with_logits(np.array([[0.0, 0.0, 1.0]]), logits).numpy()
    array([0.40760596])
    """
    logs = log_softmax(logits, axis)
    ignored = ops.logical_and(ops.equal(labels, 0), ops.isinf(logs))
    return -ops.sum(labels * ops.where(ignored, 0, logs), axis=axis)


def sigmoid_cross_entropy_with_logits(labels: Operand, logits: Operand) -> Any:
    """Cross entropy of probabilities and `sigmoid(logits)`, element by element.

    It is `max(x, 0) - x * z + log(1 + exp(-abs(x)))` for logits x and labels z.

    >>> ag.nn.sigmoid_cross_entropy_with_logits(np.array([1.0, 0.0]), np.array([0.0, 40.0])).numpy()
    array([ 0.69314718, 40.        ])
    """
    x = floating(logits)
    # Both choices are one smooth function on either side of 0, its derivatives included.
    positive = ops.greater_equal(x, 0)
    rest = ops.log1p(ops.exp(ops.where(positive, -x, x)))
    return ops.where(positive, x, 0) - x * labels + rest
