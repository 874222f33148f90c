"""Changes of images by chance: by the global seed, or by one that is given (`stateless`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tf.arguments import dimensions, key_of
from autograph.tf.image.colours import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from autograph.tf.image.geometry import flip_left_right, flip_up_down
from autograph.tf.tensors import Tensor, as_tensor
from runtime import ops
from runtime import random as draws

__all__ = [
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_saturation",
]


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Mirrored along the width, or not.

    >>> import autograph.tf as tf
    >>> sorted(tf.image.random_flip_left_right([[[1], [2]]]).numpy().ravel().tolist())
    [1, 2]
    """
    return _at_random(flip_left_right, image, seed=seed)


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Mirrored along the width, or not, by `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.image.stateless_random_flip_left_right([[[1], [2]]], seed=[1, 2]).shape
    TensorShape([1, 2, 1])
    """
    return _at_random(flip_left_right, image, key=key_of(seed))


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Mirrored along the height, or not.

    >>> import autograph.tf as tf
    >>> sorted(tf.image.random_flip_up_down([[[1]], [[2]]]).numpy().ravel().tolist())
    [1, 2]
    """
    return _at_random(flip_up_down, image, seed=seed)


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """Mirrored along the height, or not, by `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.image.stateless_random_flip_up_down([[[1]], [[2]]], seed=[1, 2]).shape
    TensorShape([2, 1, 1])
    """
    return _at_random(flip_up_down, image, key=key_of(seed))


def _at_random(change: Any, image: Any, **source: Any) -> Any:
    """Each image changed, with the probability of one half."""
    image = as_tensor(image)
    shape = (*image.shape[:-3], 1, 1, 1)
    return ops.where(ops.less(draws.uniform(shape, **source), 0.5), change(image), image)


# ---- by how much ---------------------------------------------------------------------------------

_Change = Callable[[Any, Any], Any]


def _between(change: _Change, image: Any, lower: float, upper: float, **source: Any) -> Any:
    """`change` of the image by a number from [lower, upper)."""
    if not lower < upper and not lower == upper == 0:
        raise ValueError(f"lower < upper is wanted, not {lower} and {upper}")
    return change(image, draws.uniform((), lower, upper, np.dtype(np.float32), **source))


def _around(change: _Change, image: Any, max_delta: float, most: float, **source: Any) -> Any:
    """`change` of the image by a number from [-max_delta, max_delta)."""
    if not 0 <= max_delta <= most:
        raise ValueError(f"max_delta is at least 0 and at most {most}, not {max_delta}")
    return _between(change, image, -max_delta, max_delta, **source)


def _by_factor(change: _Change, image: Any, lower: float, upper: float, **source: Any) -> Any:
    if lower < 0:
        raise ValueError(f"0 <= lower < upper is wanted, not {lower} and {upper}")
    return _between(change, image, lower, upper, **source)


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by a number from [-max_delta, max_delta).

    >>> import autograph.tf as tf
    >>> tf.image.random_brightness(tf.ones([1, 1, 3]), 0.1).shape
    TensorShape([1, 1, 3])
    """
    return _around(adjust_brightness, image, max_delta, math.inf, seed=seed)


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """`adjust_brightness` by a number from [-max_delta, max_delta), by `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.image.stateless_random_brightness(tf.ones([1, 1, 3]), 0.1, seed=[1, 2]).shape
    TensorShape([1, 1, 3])
    """
    return _around(adjust_brightness, image, max_delta, math.inf, key=key_of(seed))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by a number from [-max_delta, max_delta).

    >>> import autograph.tf as tf
    >>> tf.image.random_hue(tf.ones([1, 1, 3]), 0.1).shape
    TensorShape([1, 1, 3])
    """
    return _around(adjust_hue, image, max_delta, 0.5, seed=seed)


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """`adjust_hue` by a number from [-max_delta, max_delta), by `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.image.stateless_random_hue(tf.ones([1, 1, 3]), 0.1, seed=[1, 2]).shape
    TensorShape([1, 1, 3])
    """
    return _around(adjust_hue, image, max_delta, 0.5, key=key_of(seed))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a number from [lower, upper).

    >>> import autograph.tf as tf
    >>> tf.image.random_contrast(tf.ones([1, 1, 3]), 0.5, 1.5).shape
    TensorShape([1, 1, 3])
    """
    return _by_factor(adjust_contrast, image, lower, upper, seed=seed)


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """`adjust_contrast` by a number from [lower, upper), by `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.image.stateless_random_contrast(tf.ones([1, 1, 3]), 0.5, 1.5, seed=[1, 2]).shape
    TensorShape([1, 1, 3])
    """
    return _by_factor(adjust_contrast, image, lower, upper, key=key_of(seed))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a number from [lower, upper).

    >>> import autograph.tf as tf
    >>> tf.image.random_saturation(tf.ones([1, 1, 3]), 0.5, 1.5).shape
    TensorShape([1, 1, 3])
    """
    return _by_factor(adjust_saturation, image, lower, upper, seed=seed)


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """`adjust_saturation` by a number from [lower, upper), by `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.image.stateless_random_saturation(tf.ones([1, 1, 3]), 0.5, 1.5, seed=[1, 2]).shape
    TensorShape([1, 1, 3])
    """
    return _by_factor(adjust_saturation, image, lower, upper, key=key_of(seed))


# ---- which part ----------------------------------------------------------------------------------


def random_crop(value: Any, size: Any, seed: int | None = None) -> Tensor:
    """A part of that shape, from a random place.

    >>> import autograph.tf as tf
    >>> tf.image.random_crop([[1, 2], [3, 4]], [1, 2]).shape
    TensorShape([1, 2])
    """
    return _cropped(value, size, lambda axis, count: draws.integers(0, count, seed=seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """A part of that shape, from a place chosen by `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.image.stateless_random_crop([[1, 2], [3, 4]], [1, 2], seed=[1, 2]).shape
    TensorShape([1, 2])
    """
    key = key_of(seed)
    return _cropped(
        value, size, lambda axis, count: draws.integers(0, count, key=draws.fold_in(key, axis))
    )


def _cropped(value: Any, size: Any, begin_of: Callable[[int, Any], Any]) -> Any:
    value, wanted = as_tensor(value), tuple(int(n) for n in dimensions(size))
    if len(wanted) != value.ndim or any(n > m for n, m in zip(wanted, value.shape, strict=True)):
        raise ValueError(f"there is no part of shape {wanted} in one of {tuple(value.shape)}")
    for axis, count in enumerate(wanted):
        begin = begin_of(axis, value.shape[axis] - count + 1)
        value = ops.take(value, begin + ops.arange(count), axis=axis)
    return value
