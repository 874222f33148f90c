"""Rows of a table by their numbers."""

from __future__ import annotations

from typing import Any

from autograph.tf.joining import concat
from autograph.tf.tensors import Tensor, as_tensor
from runtime import nn

__all__ = [
    "embedding_lookup",
]


def embedding_lookup(
    params: Any, ids: Any, max_norm: float | None = None, name: str | None = None
) -> Tensor:
    """The rows of a table at `ids`; several tables are parts of one, one after the other.

    >>> import autograph.tf as tf
    >>> tf.nn.embedding_lookup([[1.0], [2.0]], [1, 0]).numpy().ravel()
    array([2., 1.], dtype=float32)
    """
    if max_norm is not None:
        raise NotImplementedError("max_norm: clip the rows that come back with tf.clip_by_norm")
    parts = params if isinstance(params, (list, tuple)) else [params]
    table = parts[0] if len(parts) == 1 else concat(parts, 0)
    return nn.embedding_lookup(as_tensor(table), as_tensor(ids))
