"""Class numbers and words: `one_hot` and `embedding_lookup`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import ops
from runtime.ops.declaration.declare import with_operands
from runtime.ops.declaration.operands import Operand, normal_axis, rank_of

__all__ = ["embedding_lookup", "one_hot"]


@with_operands
def one_hot(
    indices: Operand,
    depth: int,
    on_value: Operand = 1,
    off_value: Operand = 0,
    axis: int = -1,
    dtype: Any = None,
) -> Any:
    """`on_value` at the positions `indices` along a new axis of size `depth`, else `off_value`.

    `dtype` is by default that of the two values, float64 when both are Python ints. An index
    that is negative or at least `depth` gives `off_value` only.

    >>> ag.nn.one_hot(np.array([2, 0, -1]), 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    rank = rank_of(indices) + 1
    at = normal_axis(axis, rank)
    classes = ops.reshape(ops.arange(depth), (1,) * at + (-1,) + (1,) * (rank - 1 - at))
    result = ops.where(ops.equal(ops.expand_dims(indices, at), classes), on_value, off_value)
    if dtype is None and all(isinstance(v, int) for v in (on_value, off_value)):
        dtype = np.float64
    return result if dtype is None else ops.astype(result, np.dtype(dtype))


def embedding_lookup(params: Operand, ids: Operand) -> Any:
    """The rows of `params` that `ids` name: shape `(*ids.shape, *params.shape[1:])`.

    The gradient is added to the rows that were named, one by one. Raises IndexError for an id
    that is out of range.

    >>> table = np.array([[0.0, 1.0], [2.0, 3.0]])
    >>> ag.nn.embedding_lookup(table, np.array([1, 1, 0])).tolist()
    [[2.0, 3.0], [2.0, 3.0], [0.0, 1.0]]
    """
    return ops.take(params, ids, 0)
