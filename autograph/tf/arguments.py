"""Shapes, axes, indices and seeds in the ways in which TensorFlow's functions take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.tensors import as_tensor, is_tensor
from runtime import ops
from runtime import random as draws
from runtime.tensor import Tensor as AnyTensor

__all__ = ["axes_of", "dimension", "dimensions", "index_tuples", "key_of"]


def dimensions(shape: Any) -> tuple[Any, ...]:
    """A shape, in whatever way TensorFlow takes one, as a tuple of ints and scalar tensors."""
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    if isinstance(shape, AnyTensor) or hasattr(shape, "variable_type"):
        shape = as_tensor(shape)
        if shape.is_known:
            return tuple(np.atleast_1d(shape.numpy()).tolist())
        if shape.type.rank == 0:
            return (ops.as_weak(shape),)
        return tuple(ops.as_weak(shape[i]) for i in range(len(shape)))
    return tuple(map(dimension, shape))


def dimension(n: Any) -> Any:
    """The size of an axis, an int or a scalar tensor."""
    if isinstance(n, AnyTensor):
        return int(n) if n.is_known else n if n.type.weak else ops.as_weak(n)
    return int(n)


def axes_of(axis: Any) -> Any:
    """An axis, several in a tuple, or None."""
    if axis is None or isinstance(axis, int):
        return axis
    if is_tensor(axis) or isinstance(axis, np.ndarray):
        axis = as_tensor(axis).tolist()
    return tuple(int(a) for a in axis) if isinstance(axis, (list, tuple, range)) else int(axis)


def index_tuples(indices: Any) -> tuple[Any, ...]:
    """The key that the index tuples along the last axis make."""
    indices = as_tensor(indices)
    return tuple(indices[..., i] for i in range(int(indices.shape[-1])))


def key_of(seed: Any) -> Any:
    """A key of `ag.random` out of TensorFlow's pair of integers."""
    first, second = (as_tensor(seed)[i] for i in (0, 1))
    return draws.fold_in(draws.key(first), second)
