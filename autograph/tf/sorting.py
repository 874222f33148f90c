"""TensorFlow's functions that order elements, and find them in an order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograph.tf.tensors import Tensor, as_tensor, cast, operands
from runtime import ops
from runtime.ops.reductions.sorting import TopK

__all__ = [
    "argsort",
    "in_top_k",
    "invert_permutation",
    "searchsorted",
    "sort",
    "top_k",
    "unique",
    "unique_with_counts",
]


def sort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """Sorted along an axis.

    >>> import autograph.tf as tf
    >>> tf.sort([2, 1, 3], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)
    """
    made = ops.sort(as_tensor(values), axis=axis)
    return ops.flip(made, axis=axis) if _is_descending(direction) else made


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The positions of the elements in sorted order, int32; equal elements keep their order.

    >>> import autograph.tf as tf
    >>> tf.argsort([2, 1, 3]).numpy()
    array([1, 0, 2], dtype=int32)
    """
    values = as_tensor(values)
    is_descending = _is_descending(direction)
    return cast(ops.argsort(values, axis=axis, descending=is_descending), np.int32)


def _is_descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction is 'ASCENDING' or 'DESCENDING', not {direction!r}")
    return direction == "DESCENDING"


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = np.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Where values would be put into a sorted sequence of one axis.

    >>> import autograph.tf as tf
    >>> tf.searchsorted([1, 2, 3], [2]).numpy()
    array([1], dtype=int32)
    """
    sequence, values = operands(sorted_sequence, values)
    return cast(ops.searchsorted(as_tensor(sequence), as_tensor(values), side=side), out_type)


def top_k(
    input: Any, k: int = 1, sorted: bool = True, index_type: Any = np.int32, name: Any = None
) -> TopK:
    """The `k` largest elements along the last axis, largest first, and their positions.

    >>> import autograph.tf as tf
    >>> values, indices = tf.math.top_k([1, 3, 2], k=2)
    >>> values.numpy(), indices.numpy()
    (array([3, 2], dtype=int32), array([1, 2], dtype=int32))
    """
    found = ops.top_k(as_tensor(input), int(k))
    return TopK(found.values, cast(found.indices, index_type))


def in_top_k(targets: Any, predictions: Any, k: int, name: Any = None) -> Tensor:
    """Whether each row of predictions has the target among its `k` largest.

    >>> import autograph.tf as tf
    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy()
    array([ True, False])
    """
    predictions, targets = as_tensor(predictions), as_tensor(targets)
    of_target = ops.take_along_axis(predictions, ops.expand_dims(targets, -1), -1)
    return ops.sum(predictions > of_target, axis=-1) < k


class Unique(NamedTuple):
    """Distinct elements, and which of them each element is."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """Distinct elements, which of them each element is, and how often each occurs."""

    y: Any
    idx: Any
    count: Any


def unique(x: Any, out_idx: Any = np.int32, name: str | None = None) -> Unique:
    """The distinct elements in the order in which they come, and which of them each element is.

    >>> import autograph.tf as tf
    >>> tf.unique([7, 5, 7]).y.numpy(), tf.unique([7, 5, 7]).idx.numpy()
    (array([7, 5], dtype=int32), array([0, 1, 0], dtype=int32))
    """
    return Unique(*unique_with_counts(x, out_idx)[:2])


def unique_with_counts(
    x: Any, out_idx: Any = np.int32, name: str | None = None
) -> UniqueWithCounts:
    """The same, and how often each occurs.

    >>> import autograph.tf as tf
    >>> tf.unique_with_counts([7, 5, 7]).count.numpy()
    array([2, 1], dtype=int32)
    """
    values, first, which, counts = ops.unique(
        as_tensor(x), return_index=True, return_inverse=True, return_counts=True
    )
    order = ops.argsort(first)
    back = ops.argsort(order)
    return UniqueWithCounts(
        ops.take(values, order, axis=0),
        cast(ops.take(back, which, axis=0), out_idx),
        cast(ops.take(counts, order, axis=0), out_idx),
    )


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """Where each of 0, 1, ... stands in a permutation of them.

    >>> import autograph.tf as tf
    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    x = as_tensor(x)
    return cast(ops.argsort(x), x.dtype)
