"""`tf.image`: resizing, and what is often done to the colours and edges of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.arguments import dimensions
from autograph.tf.names import serve
from autograph.tf.tensors import as_tensor, cast
from runtime import image as images_
from runtime import ops

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "convert_image_dtype",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "per_image_standardization",
    "resize",
    "rgb_to_grayscale",
    "rot90",
]


def resize(
    images: Any, size: Any, method: Any = "bilinear", preserve_aspect_ratio: bool = False,
    antialias: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Images of another size, float32 except for "nearest".

    >>> import autograph.tf as tf
    >>> tf.image.resize(tf.reshape(tf.range(4), [2, 2, 1]), [1, 1]).numpy().ravel()
    array([1.5], dtype=float32)
    """
    images = as_tensor(images)
    new = dimensions(size)
    if preserve_aspect_ratio:
        new = _fitted(images.shape[-3:-1], new)
    return images_.resize(images, new, str(method), antialias)


def _fitted(old: Any, new: Any) -> tuple[int, int]:
    """The largest size of the same proportions."""
    height, width = (int(n) for n in old)
    scale = min(int(new[0]) / height, int(new[1]) / width)
    return (int(np.rint(scale * height)), int(np.rint(scale * width)))


def flip_left_right(image: Any) -> Any:
    """Mirrored along the width.

    >>> import autograph.tf as tf
    >>> tf.image.flip_left_right([[[1], [2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return ops.flip(as_tensor(image), axis=-2)


def flip_up_down(image: Any) -> Any:
    """Mirrored along the height.

    >>> import autograph.tf as tf
    >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return ops.flip(as_tensor(image), axis=-3)


def rot90(image: Any, k: int = 1, name: str | None = None) -> Any:
    """Turned counter-clockwise by `k` right angles.

    >>> import autograph.tf as tf
    >>> tf.image.rot90([[[1], [2]]]).shape
    TensorShape([2, 1, 1])
    """
    return ops.rot90(as_tensor(image), k=k, axes=(-3, -2))


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Another dtype, scaled: integers span their range, floating numbers [0, 1].

    Raises NotImplementedError from floating numbers to integers.

    >>> import autograph.tf as tf
    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)
    """
    image, wanted = as_tensor(image), np.dtype(dtype)
    if image.dtype == wanted or (image.dtype.kind == wanted.kind == "f"):
        return cast(image, wanted)
    if wanted.kind != "f":
        raise NotImplementedError("convert_image_dtype to integers: scale, round and tf.cast")
    return cast(image, wanted) * wanted.type(1.0 / np.iinfo(image.dtype).max)


def adjust_brightness(image: Any, delta: Any) -> Any:
    """`image + delta`, floating images.

    >>> import autograph.tf as tf
    >>> tf.image.adjust_brightness([[[0.5]]], 0.25).numpy().ravel()
    array([0.75], dtype=float32)
    """
    return _floating(image) + delta


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Distances from the mean of each channel times a factor, floating images.

    >>> import autograph.tf as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)
    """
    x = _floating(images)
    mean = ops.mean(x, axis=(-3, -2), keepdims=True)
    return (x - mean) * contrast_factor + mean


def _floating(image: Any) -> Any:
    image = as_tensor(image)
    if image.dtype.kind != "f":
        raise TypeError("floating images are wanted: tf.image.convert_image_dtype(x, tf.float32)")
    return image


def per_image_standardization(image: Any) -> Any:
    """Mean 0 and deviation 1 (at least `1 / sqrt(elements)`) for each image.

    >>> import autograph.tf as tf
    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    x = cast(image, np.float32)
    along = (-3, -2, -1)
    count = x.shape[-1] * x.shape[-2] * x.shape[-3]
    deviation = ops.std(x, axis=along, keepdims=True)
    least = 1.0 / ops.sqrt(cast(count, np.float32))
    return (x - ops.mean(x, axis=along, keepdims=True)) / ops.maximum(deviation, least)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """One channel: 0.2989 red, 0.587 green, 0.114 blue, floating images.

    >>> import autograph.tf as tf
    >>> tf.image.rgb_to_grayscale([[[1.0, 0.0, 0.0]]]).numpy().ravel()
    array([0.2989], dtype=float32)
    """
    weights = np.array([0.2989, 0.587, 0.114], np.float32)
    return ops.expand_dims(ops.tensordot(_floating(images), as_tensor(weights), 1), -1)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Three equal channels.

    >>> import autograph.tf as tf
    >>> tf.image.grayscale_to_rgb([[[7]]]).numpy().ravel()
    array([7, 7, 7], dtype=int32)
    """
    return ops.repeat(as_tensor(images), 3, axis=-1)


serve(globals())
