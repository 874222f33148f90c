"""`tf.image`: resizing, and what is often done to the colours and edges of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.arguments import dimensions
from autograph.tf.names import serve
from autograph.tf.tensors import as_tensor, cast
from runtime import image as images_
from runtime import ops
from runtime import random as draws

__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "central_crop",
    "convert_image_dtype",
    "crop_to_bounding_box",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "resize",
    "resize_with_crop_or_pad",
    "rgb_to_grayscale",
    "rot90",
    "total_variation",
    "transpose",
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


class ResizeMethod:
    """Names of the ways to resize.

    >>> import autograph.tf as tf
    >>> tf.image.ResizeMethod.BILINEAR
    'bilinear'
    """

    AREA = "area"
    BICUBIC = "bicubic"
    BILINEAR = "bilinear"
    GAUSSIAN = "gaussian"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    MITCHELLCUBIC = "mitchellcubic"
    NEAREST_NEIGHBOR = "nearest"


def transpose(image: Any, name: str | None = None) -> Any:
    """Height and width exchanged.

    >>> import autograph.tf as tf
    >>> tf.image.transpose([[[1], [2]]]).shape
    TensorShape([2, 1, 1])
    """
    return ops.swapaxes(as_tensor(image), -3, -2)


def crop_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    """The part of that height and width that begins there. Raises ValueError where there is none.

    >>> import autograph.tf as tf
    >>> tf.image.crop_to_bounding_box([[[1], [2], [3]]], 0, 1, 1, 2).numpy().ravel()
    array([2, 3], dtype=int32)
    """
    image = as_tensor(image)
    height, width = image.shape[-3:-1]
    if min(offset_height, offset_width) < 0 or min(target_height, target_width) <= 0:
        raise ValueError("offsets are at least 0, and sizes at least 1")
    if offset_height + target_height > height or offset_width + target_width > width:
        raise ValueError(f"{target_height} x {target_width} there is beyond {height} x {width}")
    rows = slice(offset_height, offset_height + target_height)
    return image[..., rows, offset_width : offset_width + target_width, :]


def pad_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    """Zeros around, so that the image begins there in that height and width.

    >>> import autograph.tf as tf
    >>> tf.image.pad_to_bounding_box([[[1], [2]]], 0, 1, 1, 4).numpy().ravel()
    array([0, 1, 2, 0], dtype=int32)
    """
    image = as_tensor(image)
    height, width = image.shape[-3:-1]
    below, right = target_height - offset_height - height, target_width - offset_width - width
    if min(offset_height, offset_width, below, right) < 0:
        raise ValueError(f"{height} x {width} there is beyond {target_height} x {target_width}")
    around = [(0, 0)] * (image.ndim - 3)
    return ops.pad(image, [*around, (offset_height, below), (offset_width, right), (0, 0)])


def central_crop(image: Any, central_fraction: float) -> Any:
    """The middle of an image, so much of its height and width.

    >>> import autograph.tf as tf
    >>> tf.image.central_crop([[[1], [2], [3], [4]]] * 4, 0.5).shape
    TensorShape([2, 2, 1])
    """
    if not 0.0 < central_fraction <= 1.0:
        raise ValueError(f"central_fraction is in (0, 1], not {central_fraction}")
    image = as_tensor(image)
    if central_fraction == 1.0:
        return image
    height, width = (int(n) for n in image.shape[-3:-1])
    top = int((height - height * central_fraction) / 2)
    left = int((width - width * central_fraction) / 2)
    return crop_to_bounding_box(image, top, left, height - 2 * top, width - 2 * left)


def resize_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Any:
    """The middle, of that height and width, with zeros around where the image is smaller.

    >>> import autograph.tf as tf
    >>> tf.image.resize_with_crop_or_pad([[[1], [2], [3]]], 3, 1).numpy().ravel()
    array([0, 2, 0], dtype=int32)
    """
    image = as_tensor(image)
    height, width = (int(n) for n in image.shape[-3:-1])
    cut = crop_to_bounding_box(
        image, max((height - target_height) // 2, 0), max((width - target_width) // 2, 0),
        min(target_height, height), min(target_width, width),
    )  # fmt: skip
    return pad_to_bounding_box(
        cut, max((target_height - height) // 2, 0), max((target_width - width) // 2, 0),
        target_height, target_width,
    )  # fmt: skip


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Mirrored along the width, or not.

    >>> import autograph.tf as tf
    >>> sorted(tf.image.random_flip_left_right([[[1], [2]]]).numpy().ravel().tolist())
    [1, 2]
    """
    return _at_random(flip_left_right, image, seed)


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Mirrored along the height, or not.

    >>> import autograph.tf as tf
    >>> sorted(tf.image.random_flip_up_down([[[1]], [[2]]]).numpy().ravel().tolist())
    [1, 2]
    """
    return _at_random(flip_up_down, image, seed)


def _at_random(change: Any, image: Any, seed: int | None) -> Any:
    """Each image changed, with the probability of one half."""
    image = as_tensor(image)
    shape = (*image.shape[:-3], 1, 1, 1)
    return ops.where(ops.less(draws.uniform(shape, seed=seed), 0.5), change(image), image)


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """`adjust_brightness` by a number from [-max_delta, max_delta).

    >>> import autograph.tf as tf
    >>> tf.image.random_brightness([[[0.5]]], 0.1).shape
    TensorShape([1, 1, 1])
    """
    if max_delta < 0:
        raise ValueError(f"max_delta is at least 0, not {max_delta}")
    image = _floating(image)
    return adjust_brightness(image, draws.uniform((), -max_delta, max_delta, image.dtype, seed))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """`adjust_contrast` by a number from [lower, upper).

    >>> import autograph.tf as tf
    >>> tf.image.random_contrast([[[0.5]]], 0.5, 1.5).shape
    TensorShape([1, 1, 1])
    """
    if not 0 <= lower < upper:
        raise ValueError(f"0 <= lower < upper is wanted, not {lower} and {upper}")
    image = _floating(image)
    return adjust_contrast(image, draws.uniform((), lower, upper, image.dtype, seed))


def random_crop(value: Any, size: Any, seed: int | None = None) -> Any:
    """A part of that shape, from a random place.

    >>> import autograph.tf as tf
    >>> tf.image.random_crop([[1, 2], [3, 4]], [1, 2]).shape
    TensorShape([1, 2])
    """
    value, wanted = as_tensor(value), tuple(int(n) for n in dimensions(size))
    if len(wanted) != value.ndim or any(n > m for n, m in zip(wanted, value.shape, strict=True)):
        raise ValueError(f"there is no part of shape {wanted} in one of {tuple(value.shape)}")
    for axis, count in enumerate(wanted):
        begin = draws.integers(0, value.shape[axis] - count + 1, seed=seed)
        value = ops.take(value, begin + ops.arange(count), axis=axis)
    return value


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """Peak signal-to-noise ratio of images, in decibels.

    >>> import autograph.tf as tf
    >>> tf.image.psnr(tf.zeros([2, 2, 1]), tf.ones([2, 2, 1]), 10.0).numpy()
    np.float32(20.0)
    """
    a, b = convert_image_dtype(a, np.float32), convert_image_dtype(b, np.float32)
    error = ops.mean(ops.square(a - b), axis=(-3, -2, -1))
    peak = cast(max_val, np.float32)
    return 20 * ops.log(peak) / np.float32(np.log(10)) - 10 / np.float32(np.log(10)) * ops.log(
        error
    )


def total_variation(images: Any, name: str | None = None) -> Any:
    """Sum of the absolute differences of neighbours, for each image.

    >>> import autograph.tf as tf
    >>> tf.image.total_variation([[[1.0], [3.0]]]).numpy()
    np.float32(2.0)
    """
    x = as_tensor(images)
    along = (-3, -2, -1)
    down = ops.sum(ops.abs(x[..., 1:, :, :] - x[..., :-1, :, :]), axis=along)
    return down + ops.sum(ops.abs(x[..., 1:, :] - x[..., :-1, :]), axis=along)


serve(globals())
