"""Blocks of the axes after the first, which become entries of the batch, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.arguments import dimension
from autograph.tf.tensors import Tensor, as_tensor
from runtime import ops

__all__ = ["batch_to_space", "space_to_batch", "space_to_batch_nd"]


def _pairs(given: Any, what: str) -> list[tuple[int, int]]:
    """Two known numbers for each axis."""
    rows = np.asarray(as_tensor(given).numpy())
    if rows.ndim != 2 or rows.shape[1] != 2 or (rows < 0).any():
        raise ValueError(f"{what} are two numbers from 0 on for each axis, not {rows.tolist()}")
    return [(int(a), int(b)) for a, b in rows]


def _sizes(block_shape: Any, count: int) -> list[int]:
    """The size of a block along each axis; one number stands for all."""
    sizes = np.asarray(as_tensor(block_shape).numpy())
    sizes = np.full(count, sizes) if sizes.ndim == 0 else sizes
    if sizes.ndim != 1 or len(sizes) != count or (sizes < 1).any():
        raise ValueError(f"block_shape is a size from 1 on for {count} axes, not {sizes.tolist()}")
    return [int(n) for n in sizes]


def _divided(size: Any, by: int, what: str) -> Any:
    """The quotient. Raises ValueError for a rest, where sizes are known."""
    if isinstance(size, int) and size % by:
        raise ValueError(f"{what} of {size} is not so many times {by}")
    return size // by


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Each place within the blocks of the axes after the first as entries of their own.

    The axes are padded with zeros before, by a pair of numbers each, and must then be so many times
    the size of a block: ValueError if not.

    >>> import autograph.tf as tf
    >>> tf.space_to_batch([[[1], [2], [3]]], [2], [[0, 1]]).numpy()[..., 0]
    array([[1, 3],
           [2, 0]], dtype=int32)
    """
    x, pairs = as_tensor(input), _pairs(paddings, "paddings")
    sizes, count = _sizes(block_shape, len(pairs)), len(pairs)
    x = ops.pad(x, [(0, 0), *pairs, *[(0, 0)] * (x.ndim - 1 - count)])
    rest, shape = x.shape[count + 1 :], [x.shape[0]]
    whole = []
    for i, n in enumerate(sizes):
        whole.append(_divided(x.shape[i + 1], n, f"axis {i + 1}"))
        shape += [whole[-1], n]
    order = [
        *range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2),
        *range(2 * count + 1, x.ndim + count),
    ]  # fmt: skip
    parted = ops.permute_dims(ops.reshape(x, (*shape, *rest)), tuple(order))
    return ops.reshape(parted, (x.shape[0] * int(np.prod(sizes)), *whole, *rest))


space_to_batch_nd = space_to_batch


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Entries laid out as the places within blocks, and the ends cut off: undoes `space_to_batch`.

    >>> import autograph.tf as tf
    >>> tf.batch_to_space([[[1], [3]], [[2], [0]]], [2], [[0, 1]]).numpy()[..., 0]
    array([[1, 2, 3]], dtype=int32)
    """
    x, pairs = as_tensor(input), _pairs(crops, "crops")
    sizes, count = _sizes(block_shape, len(pairs)), len(pairs)
    batch = _divided(x.shape[0], int(np.prod(sizes)), "a batch")
    inner, rest = x.shape[1 : count + 1], x.shape[count + 1 :]
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += range(2 * count + 1, x.ndim + count)
    laid = ops.permute_dims(ops.reshape(x, (*sizes, batch, *inner, *rest)), tuple(order))
    whole = [n * dimension(m) for n, m in zip(sizes, inner, strict=True)]
    laid = ops.reshape(laid, (batch, *whole, *rest))
    cut = tuple(slice(a, m - b) for (a, b), m in zip(pairs, whole, strict=True))
    return laid[(slice(None), *cut)]
