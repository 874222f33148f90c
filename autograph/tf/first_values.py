"""What new variables hold: objects that make a tensor of a shape and dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tf import random
from autograph.tf.creation import fill, ones, zeros
from autograph.tf.tensors import cast

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]

Initializer = Callable[..., Any]


def zeros_initializer() -> Initializer:
    """Zeros.

    >>> import autograph.tf as tf
    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """
    return lambda shape, dtype=np.float32, **kwargs: zeros(shape, dtype)


def ones_initializer() -> Initializer:
    """Ones.

    >>> import autograph.tf as tf
    >>> tf.ones_initializer()([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """
    return lambda shape, dtype=np.float32, **kwargs: ones(shape, dtype)


def constant_initializer(value: Any = 0) -> Initializer:
    """One value everywhere.

    >>> import autograph.tf as tf
    >>> tf.constant_initializer(2.5)([2]).numpy()
    array([2.5, 2.5], dtype=float32)
    """
    return lambda shape, dtype=np.float32, **kwargs: fill(shape, cast(value, dtype))


def random_uniform_initializer(
    minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None
) -> Initializer:
    """Numbers drawn from [minval, maxval); with a `seed` the same at each call.

    >>> import autograph.tf as tf
    >>> tf.random_uniform_initializer(0.0, 1.0)([2]).shape
    TensorShape([2])
    """
    if seed is None:
        return lambda shape, dtype=np.float32, **kwargs: random.uniform(
            shape, minval, maxval, dtype
        )
    return lambda shape, dtype=np.float32, **kwargs: random.stateless_uniform(
        shape, (seed, 0), minval, maxval, dtype
    )


def random_normal_initializer(
    mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None
) -> Initializer:
    """Numbers drawn from a normal distribution; with a `seed` the same at each call.

    >>> import autograph.tf as tf
    >>> initial = tf.random_normal_initializer(stddev=1.0, seed=3)
    >>> bool(tf.reduce_all(initial([4]) == initial([4])))
    True
    """
    if seed is None:
        return lambda shape, dtype=np.float32, **kwargs: random.normal(shape, mean, stddev, dtype)
    return lambda shape, dtype=np.float32, **kwargs: random.stateless_normal(
        shape, (seed, 0), mean, stddev, dtype
    )
