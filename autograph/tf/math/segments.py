"""How often each integer occurs, and sums of the rows that an integer marks."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.tensors import as_tensor, cast
from runtime import ops

__all__ = ["bincount", "confusion_matrix", "segment_mean", "segment_sum", "unsorted_segment_sum"]


def bincount(
    arr: Any, weights: Any = None, minlength: int | None = None, maxlength: int | None = None,
    dtype: Any = np.int32, name: Any = None,
) -> Any:  # fmt: skip
    """How often each of 0, 1, ... occurs, or the sum of its weights, at most `maxlength` of them.

    >>> import autograph.tf as tf
    >>> tf.math.bincount([1, 1, 2]).numpy()
    array([0, 2, 1], dtype=int32)
    """
    x = cast(ops.ravel(as_tensor(arr)), np.int64)
    if maxlength is not None:
        # What lies beyond is counted in one more place, which is cut off.
        x = ops.minimum(x, maxlength)
    if weights is not None:
        weights = ops.ravel(as_tensor(weights))
        dtype = weights.dtype
    counts = ops.bincount(x, weights=weights, minlength=minlength or 0)
    return cast(counts if maxlength is None else counts[:maxlength], dtype)


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: int | None = None, weights: Any = None,
    dtype: Any = np.int32, name: Any = None,
) -> Any:  # fmt: skip
    """How often label i (row) was predicted as j (column).

    >>> import autograph.tf as tf
    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)
    """
    labels, predictions = as_tensor(labels), as_tensor(predictions)
    if num_classes is None:
        num_classes = int(max(int(ops.max(labels)), int(ops.max(predictions))) + 1)
    ones = ops.ones_like(labels) if weights is None else as_tensor(weights)
    pairs = ops.stack([labels, predictions], axis=-1)
    return cast(ops.scatter(pairs, cast(ones, dtype), (num_classes, num_classes)), dtype)


def _segment_sum(data: Any, ids: Any, count: Any) -> Any:
    shape = (count, *data.shape[1:])
    return ops.index_add(ops.zeros(shape, data.dtype), data, ids)


def segment_sum(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Sums of the rows of each segment; `segment_ids` are sorted, and known outside of a graph.

    >>> import autograph.tf as tf
    >>> tf.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy()
    array([3, 3], dtype=int32)
    """
    ids = as_tensor(segment_ids)
    return as_tensor(_segment_sum(as_tensor(data), ids, ops.as_weak(ids[-1] + 1)))


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    """Sums of the rows of each of `num_segments` segments.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 3).numpy()
    array([2., 4., 0.], dtype=float32)
    """
    return as_tensor(_segment_sum(as_tensor(data), as_tensor(segment_ids), num_segments))


def segment_mean(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Means of the rows of each segment; `segment_ids` are sorted.

    >>> import autograph.tf as tf
    >>> tf.math.segment_mean([1.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([2., 5.], dtype=float32)
    """
    data = as_tensor(data)
    totals = segment_sum(data, segment_ids)
    counts = segment_sum(ops.ones_like(as_tensor(segment_ids)), segment_ids)
    counts = ops.reshape(counts, (-1,) + (1,) * (data.ndim - 1))
    return ops.divide(totals, ops.maximum(cast(counts, data.dtype), 1))
