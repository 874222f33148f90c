"""Norms, and tensors made shorter where theirs is too large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.tf.arguments import axes_of
from autograph.tf.tensors import Tensor, as_tensor
from runtime import ops

__all__ = [
    "clip_by_global_norm",
    "clip_by_norm",
    "global_norm",
    "norm",
    "normalize",
]


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Norm of all elements, or along an axis: "euclidean", 1, 2, inf, any number; "fro" of a pair.

    >>> import autograph.tf as tf
    >>> tf.norm([[3.0, 4.0]]).numpy()
    np.float32(5.0)
    """
    x, along = as_tensor(tensor), axes_of(axis)
    is_matrix = isinstance(along, tuple) and len(along) == 2
    keep = bool(keepdims)
    if ord in ("euclidean", "fro"):
        total = ops.sum(ops.square(ops.abs(x)), axis=along, keepdims=keep)
        return ops.sqrt(total)
    if is_matrix:
        return ops.linalg.norm(x, ord=ord, axis=along, keepdims=keep)
    return ops.linalg.vector_norm(x, axis=along, keepdims=keep, ord=ord)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The Euclidean norm of several tensors together; None among them counts nothing.

    >>> import autograph.tf as tf
    >>> tf.linalg.global_norm([[3.0], [4.0]]).numpy()
    np.float32(5.0)
    """
    total = sum(ops.sum(ops.square(as_tensor(t))) for t in t_list if t is not None)
    return ops.sqrt(as_tensor(total))


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Made shorter where it is longer than `clip_norm`.

    >>> import autograph.tf as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    t = as_tensor(t)
    along = None if axes is None else axes_of(axes)
    total = ops.sum(ops.square(t), axis=along, keepdims=True)
    is_positive = ops.greater(total, 0)
    length = ops.where(is_positive, ops.sqrt(ops.where(is_positive, total, 1)), total)
    return ops.divide(t * clip_norm, ops.maximum(length, clip_norm))


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Several tensors, made shorter together where their norm is larger; and the norm.

    >>> import autograph.tf as tf
    >>> clipped, length = tf.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> clipped[0].numpy(), length.numpy()
    (array([0.6], dtype=float32), np.float32(5.0))
    """
    length = as_tensor(global_norm(t_list) if use_norm is None else use_norm)
    scale = clip_norm * ops.minimum(ops.divide(1.0, length), 1.0 / as_tensor(clip_norm))
    # An infinite norm makes everything nan, as in TensorFlow.
    scale = scale + (length - length)
    return [None if t is None else as_tensor(t) * scale for t in t_list], length


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The tensor over its norm, and that norm, of the same rank.

    >>> import autograph.tf as tf
    >>> tf.linalg.normalize([3.0, 4.0])[0].numpy()
    array([0.6, 0.8], dtype=float32)
    """
    tensor = as_tensor(tensor)
    length = norm(tensor, ord=ord, axis=axis, keepdims=True)
    return tensor / length, length
