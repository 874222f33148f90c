"""How often each integer occurs, and sums of the rows that an integer marks."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import ops

__all__ = [
    "bincount",
    "confusion_matrix",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
]


def bincount(
    arr: Any, weights: Any = None, minlength: int | None = None, maxlength: int | None = None,
    dtype: Any = np.int32, name: Any = None,
) -> Tensor:  # fmt: skip
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
) -> Tensor:  # fmt: skip
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


def segment_sum(data: Any, segment_ids: Any, name: Any = None) -> Tensor:
    """Sums of the rows of each segment; `segment_ids` are sorted, and known outside of a graph.

    >>> import autograph.tf as tf
    >>> tf.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy()
    array([3, 3], dtype=int32)
    """
    ids = as_tensor(segment_ids)
    return as_tensor(ops.segment_sum(as_tensor(data), ids, ops.as_weak(ids[-1] + 1)))


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Tensor:
    """Sums of the rows of each of `num_segments` segments; rows of negative ones are left out.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 3).numpy()
    array([2., 4., 0.], dtype=float32)
    """
    return _of_kept(ops.segment_sum, data, segment_ids, num_segments)


def _of_kept(function: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """As a function of the rows, in one more segment of which are those with negative numbers."""
    ids = as_tensor(segment_ids)
    ids = ops.where(ops.less(ids, 0), num_segments, ids)
    return as_tensor(function(as_tensor(data), ids, num_segments + 1)[:num_segments])


def segment_mean(data: Any, segment_ids: Any, name: Any = None) -> Tensor:
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


def _filled(result: Any, ids: Any, count: Any, data: Any) -> Any:
    """`result` with 0 for segments without elements."""
    found = ops.index_add(ops.zeros((count,), np.int64), 1, ids)
    found = ops.reshape(found, (-1,) + (1,) * (data.ndim - 1))
    return ops.where(ops.equal(found, 0), 0, result)


def _of_sorted(function: Any, data: Any, segment_ids: Any) -> Any:
    data, ids = as_tensor(data), as_tensor(segment_ids)
    count = ops.as_weak(ids[-1] + 1)
    return as_tensor(function(data, ids, count)), ids, count, data


def segment_max(data: Any, segment_ids: Any, name: Any = None) -> Tensor:
    """The largest of the rows of each segment, 0 for one without rows; `segment_ids` are sorted.

    >>> import autograph.tf as tf
    >>> tf.math.segment_max([1.0, 3.0, 5.0], [0, 0, 2]).numpy()
    array([3., 0., 5.], dtype=float32)
    """
    return _filled(*_of_sorted(ops.segment_max, data, segment_ids))


def segment_min(data: Any, segment_ids: Any, name: Any = None) -> Tensor:
    """The smallest of the rows of each segment, 0 for one without rows; `segment_ids` are sorted.

    >>> import autograph.tf as tf
    >>> tf.math.segment_min([1.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([1., 5.], dtype=float32)
    """
    return _filled(*_of_sorted(ops.segment_min, data, segment_ids))


def segment_prod(data: Any, segment_ids: Any, name: Any = None) -> Tensor:
    """Products of the rows of each segment; `segment_ids` are sorted.

    >>> import autograph.tf as tf
    >>> tf.math.segment_prod([2.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([6., 5.], dtype=float32)
    """
    return _of_sorted(ops.segment_prod, data, segment_ids)[0]


def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Tensor:
    """The largest of the rows of each segment; the least number there is for one without rows.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_max([1, 3, 2], [1, 0, 1], 2).numpy()
    array([3, 2], dtype=int32)
    """
    return _of_kept(partial(_extreme, ops.segment_max, True), data, segment_ids, num_segments)


def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Tensor:
    """The smallest of the rows of each segment; the greatest number there is for one without rows.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_min([1, 3, 2], [1, 0, 1], 2).numpy()
    array([3, 1], dtype=int32)
    """
    return _of_kept(partial(_extreme, ops.segment_min, False), data, segment_ids, num_segments)


def _extreme(function: Any, is_largest: bool, data: Any, ids: Any, count: Any) -> Any:
    limits = np.finfo(data.dtype) if data.dtype.kind == "f" else np.iinfo(data.dtype)
    found = ops.index_add(ops.zeros((count,), np.int64), 1, ids)
    found = ops.reshape(found, (-1,) + (1,) * (data.ndim - 1))
    least = ops.full((), limits.min if is_largest else limits.max, data.dtype)
    return ops.where(ops.equal(found, 0), least, function(data, ids, count))


def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Tensor:
    """Products of the rows of each segment, 1 for one without rows.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_prod([2, 3, 5], [1, 0, 1], 2).numpy()
    array([ 3, 10], dtype=int32)
    """
    return _of_kept(ops.segment_prod, data, segment_ids, num_segments)


def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Tensor:
    """Means of the rows of each segment, 0 for one without rows.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_mean([1.0, 3.0, 5.0], [1, 0, 1], 2).numpy()
    array([3., 3.], dtype=float32)
    """
    return _of_kept(_mean, data, segment_ids, num_segments)


def _mean(data: Any, ids: Any, count: Any) -> Any:
    return ops.divide(ops.segment_sum(data, ids, count), _rows_of(data, ids, count))


def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Tensor:
    """Sums of the rows of each segment over the square root of how many there are.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_sqrt_n([1.0, 3.0, 5.0, 7.0], [0, 0, 0, 0], 1).numpy()
    array([8.], dtype=float32)
    """
    return _of_kept(_sqrt_n, data, segment_ids, num_segments)


def _sqrt_n(data: Any, ids: Any, count: Any) -> Any:
    return ops.divide(ops.segment_sum(data, ids, count), ops.sqrt(_rows_of(data, ids, count)))


def _rows_of(data: Any, ids: Any, count: Any) -> Any:
    """How many rows each segment has, at least 1, of the dtype and rank of `data`."""
    found = ops.index_add(ops.zeros((count,), np.int64), 1, ids)
    found = ops.reshape(found, (-1,) + (1,) * (data.ndim - 1))
    return cast(ops.maximum(found, 1), data.dtype)


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: int = 100, dtype: Any = np.int32, name: str | None = None
) -> Tensor:
    """In which of `nbins` equal parts of a range each number lies; what is outside, in the nearest.

    >>> import autograph.tf as tf
    >>> tf.histogram_fixed_width_bins([-1.0, 0.5, 9.0], [0.0, 2.0], nbins=4).numpy()
    array([0, 1, 3], dtype=int32)
    """
    x, ends = as_tensor(values), as_tensor(value_range)
    parts = (x - cast(ends[0], x.dtype)) / cast(ends[1] - ends[0], x.dtype)
    places = ops.clip(ops.floor(cast(nbins, parts.dtype) * parts), 0, nbins - 1)
    return cast(places, dtype)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: int = 100, dtype: Any = np.int32, name: str | None = None
) -> Tensor:
    """How many numbers lie in each of `nbins` equal parts of a range.

    >>> import autograph.tf as tf
    >>> tf.histogram_fixed_width([-1.0, 0.5, 9.0, 0.6], [0.0, 2.0], nbins=4).numpy()
    array([1, 2, 0, 1], dtype=int32)
    """
    places = histogram_fixed_width_bins(values, value_range, nbins)
    return cast(ops.bincount(ops.ravel(places), minlength=int(nbins)), dtype)
