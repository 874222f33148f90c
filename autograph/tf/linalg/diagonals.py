"""Diagonals of matrices."""

from __future__ import annotations

from typing import Any

from autograph.tf.tensors import Tensor, as_tensor, operands
from runtime import ops

__all__ = [
    "band_part",
    "diag",
    "diag_part",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "trace",
]


def diag(
    diagonal: Any, name: str = "diag", k: int = 0, num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0, align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """Matrices with the last axis on diagonal number `k`.

    >>> import autograph.tf as tf
    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    if (num_rows, num_cols, padding_value) != (-1, -1, 0) or not isinstance(k, int):
        raise NotImplementedError("diag takes one diagonal of a square matrix, filled with zeros")
    x = as_tensor(diagonal)
    count = x.shape[-1] + abs(k)
    made = ops.zeros((*x.shape[:-1], count, count), dtype=x.dtype)
    return as_tensor(ops.index_update(made, x, (..., *_along(x.shape[-1], k))))


def _along(count: Any, k: int) -> tuple[Any, Any]:
    """Rows and columns of a diagonal."""
    steps = ops.arange(count)
    return (steps - min(k, 0), steps + max(k, 0))


def diag_part(
    input: Any, name: str = "diag_part", k: int = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """Diagonal number `k` of the last two axes.

    >>> import autograph.tf as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    return ops.diagonal(as_tensor(input), offset=int(k), axis1=-2, axis2=-1)


def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: int = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """With another diagonal number `k` in the last two axes.

    >>> import autograph.tf as tf
    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 0]).numpy().tolist()
    [[0, 2], [3, 0]]
    """
    input, diagonal = (as_tensor(x) for x in operands(input, diagonal))
    return ops.index_update(input, diagonal, (..., *_along(diagonal.shape[-1], int(k))))


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Of twice the rank: zeros but for `[i..., i...]`, which is `diagonal[i...]`.

    >>> import autograph.tf as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x = as_tensor(diagonal)
    shape = tuple(x.shape)
    return ops.reshape(ops.diag(ops.ravel(x)), (*shape, *shape))


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Of half the rank: the elements `[i..., i...]`.

    >>> import autograph.tf as tf
    >>> tf.linalg.tensor_diag_part([[1, 0], [0, 2]]).numpy()
    array([1, 2], dtype=int32)
    """
    x = as_tensor(input)
    half = x.ndim // 2
    if x.ndim % 2 or not half:
        raise ValueError(f"tensor_diag_part takes an even rank of at least 2, not {x.ndim}")
    shape = tuple(x.shape[:half])
    count = 1
    for n in shape:
        count = count * n
    return ops.reshape(ops.diagonal(ops.reshape(x, (count, count))), shape)


def band_part(input: Any, num_lower: int, num_upper: int, name: str | None = None) -> Tensor:
    """Zeros outside of so many diagonals below and above the main one; -1 keeps all.

    >>> import autograph.tf as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    x = as_tensor(input)
    x = x if num_lower < 0 else ops.triu(x, -int(num_lower))
    return x if num_upper < 0 else ops.tril(x, int(num_upper))


def trace(x: Any, name: str | None = None) -> Tensor:
    """Sum of the diagonal of the last two axes, in the dtype of the elements.

    >>> import autograph.tf as tf
    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)
    """
    x = as_tensor(x)
    return ops.sum(ops.diagonal(x, axis1=-2, axis2=-1), axis=-1, dtype=x.dtype)
