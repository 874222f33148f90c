"""TensorFlow's functions that join, part, repeat and shift tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.arguments import axes_of, dimensions
from autograph.tf.tensors import Tensor, as_tensor, cast, constant, is_tensor
from runtime import ops

__all__ = ["concat", "pad", "repeat", "reverse", "roll", "split", "stack", "tile", "unstack"]


def _alike(values: Any) -> list[Any]:
    """Several operands as tensors; numbers and lists take the dtype of a tensor among them."""
    if is_tensor(values):
        return list(as_tensor(values))
    first = next((as_tensor(v) for v in values if is_tensor(v)), None)
    if first is None:
        return [as_tensor(v) for v in values]
    return [v if is_tensor(v) else cast(v, first.dtype) for v in values]


def concat(values: Any, axis: Any, name: str | None = None) -> Tensor:
    """Tensors one after the other along an axis; one that is no list is given back.

    >>> import autograph.tf as tf
    >>> tf.concat([[1], [2, 3]], 0).numpy()
    array([1, 2, 3], dtype=int32)
    """
    parts = values if isinstance(values, (list, tuple)) else [values]
    return ops.concat([as_tensor(v) for v in _alike(parts)], axis=int(axis))


def stack(values: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """Tensors of one shape along a new axis.

    >>> import autograph.tf as tf
    >>> tf.stack([1, 2.5]).numpy()
    array([1. , 2.5], dtype=float32)
    """
    if isinstance(values, (list, tuple)) and all(type(v) in (int, float, bool) for v in values):
        return constant(list(values))
    return ops.stack([as_tensor(v) for v in _alike(values)], axis=axis)


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = None
) -> list[Any]:
    """The parts along an axis, in a list.

    >>> import autograph.tf as tf
    >>> [x.numpy().item() for x in tf.unstack([1, 2])]
    [1, 2]
    """
    parts = list(ops.unstack(as_tensor(value), axis=axis))
    if num is not None and num != len(parts):
        raise ValueError(f"unstack: num is {num}, but there are {len(parts)} parts")
    return parts


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str | None = None
) -> list[Any]:
    """Equal parts (an int), or parts of the sizes given, of which one may be -1.

    >>> import autograph.tf as tf
    >>> [x.numpy().tolist() for x in tf.split([1, 2, 3], [1, -1])]
    [[1], [2, 3]]
    """
    value, axis = as_tensor(value), int(axis)
    if isinstance(num_or_size_splits, int):
        return list(ops.split(value, num_or_size_splits, axis=axis))
    sizes = list(dimensions(num_or_size_splits))
    if -1 in sizes:
        sizes[sizes.index(-1)] = value.shape[axis] - sum(sizes) - 1
    total = value.shape[axis]
    if all(type(n) is int for n in (*sizes, total)) and sum(sizes) != total:
        raise ValueError(f"split: the sizes {sizes} do not add up to {total}, the size of the axis")
    ends = np.cumsum(sizes)[:-1].tolist()
    return list(ops.split(value, tuple(ends), axis=axis))


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeated as a whole along each axis.

    >>> import autograph.tf as tf
    >>> tf.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    return ops.tile(as_tensor(input), dimensions(multiples))


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element repeated.

    >>> import autograph.tf as tf
    >>> tf.repeat([1, 2], [2, 3]).numpy()
    array([1, 1, 2, 2, 2], dtype=int32)
    """
    times = repeats if isinstance(repeats, int) else as_tensor(repeats)
    return ops.repeat(as_tensor(input), times, axis=axis)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """With elements before and after along each axis; modes CONSTANT, REFLECT, SYMMETRIC.

    >>> import autograph.tf as tf
    >>> tf.pad([1, 2], [[1, 0]]).numpy(), tf.pad([1, 2, 3], [[1, 1]], "REFLECT").numpy()
    (array([0, 1, 2], dtype=int32), array([2, 1, 2, 3, 2], dtype=int32))
    """
    width = tuple(tuple(row) for row in as_tensor(paddings).tolist())
    options = {"constant_values": constant_values} if mode.upper() == "CONSTANT" else {}
    return ops.pad(as_tensor(tensor), width, mode.lower(), **options)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """In the opposite order along axes.

    >>> import autograph.tf as tf
    >>> tf.reverse([1, 2, 3], [0]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    along = axes_of(axis)
    return as_tensor(tensor) if along == () else ops.flip(as_tensor(tensor), axis=along)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Shifted around along axes.

    >>> import autograph.tf as tf
    >>> tf.roll([1, 2, 3], 1, 0).numpy()
    array([3, 1, 2], dtype=int32)
    """
    return ops.roll(as_tensor(input), axes_of(shift), axis=axes_of(axis))
