"""Colours of images: dtypes, brightness, contrast, and spaces of colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tf.tensors import Tensor, as_tensor, cast, saturate_cast
from runtime import ops

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "convert_image_dtype",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "per_image_standardization",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "yiq_to_rgb",
    "yuv_to_rgb",
]


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """`image + delta`, where integers span [0, 1].

    >>> import autograph.tf as tf
    >>> tf.image.adjust_brightness([[[0.5]]], 0.25).numpy().ravel()
    array([0.75], dtype=float32)
    """
    return _as_floats(lambda x: x + cast(delta, x.dtype), image)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Distances from the mean of each channel times a factor, where integers span [0, 1].

    >>> import autograph.tf as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)
    """

    def change(x: Any) -> Any:
        mean = ops.mean(x, axis=(-3, -2), keepdims=True)
        return (x - mean) * cast(contrast_factor, x.dtype) + mean

    return _as_floats(change, images)


def per_image_standardization(image: Any) -> Tensor:
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


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """One channel: 0.2989 red, 0.587 green, 0.114 blue.

    >>> import autograph.tf as tf
    >>> tf.image.rgb_to_grayscale([[[1.0, 0.0, 0.0]]]).numpy().ravel()
    array([0.2989], dtype=float32)
    """
    images = as_tensor(images)
    x = convert_image_dtype(images, np.float32)
    grey = ops.expand_dims(_mixed(x, [[0.2989], [0.587], [0.114]])[..., 0], -1)
    return convert_image_dtype(grey, images.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Three equal channels.

    >>> import autograph.tf as tf
    >>> tf.image.grayscale_to_rgb([[[7]]]).numpy().ravel()
    array([7, 7, 7], dtype=int32)
    """
    return ops.repeat(as_tensor(images), 3, axis=-1)


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Another dtype, scaled: integers span their range, floating numbers [0, 1].

    With `saturate`, what is beyond the range of an integer becomes its nearest limit; else it has
    no meaning.

    >>> import autograph.tf as tf
    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)
    >>> tf.image.convert_image_dtype([0.0, 0.5, 2.0], tf.uint8, saturate=True).numpy()
    array([  0, 127, 255], dtype=uint8)
    """
    image, wanted = as_tensor(image), np.dtype(dtype)
    own = image.dtype
    if own == wanted or (own.kind == wanted.kind == "f"):
        return cast(image, wanted)
    to_dtype = saturate_cast if saturate else cast
    if wanted.kind == "f":
        return cast(image, wanted) * wanted.type(1.0 / np.iinfo(own).max)
    most = int(np.iinfo(wanted).max)
    if own.kind == "f":
        return to_dtype(image * own.type(most + 0.5), wanted)
    own_most = int(np.iinfo(own).max)
    if own_most > most:
        return to_dtype(ops.floor_divide(image, own.type((own_most + 1) // (most + 1))), wanted)
    return to_dtype(image, wanted) * wanted.type((most + 1) // (own_most + 1))


def _as_floats(change: Callable[[Any], Any], image: Any) -> Any:
    """`change` of an image in single precision (or half), given back in the dtype of the image."""
    image = as_tensor(image)
    is_kept = image.dtype in (np.float16, np.float32)
    x = image if is_kept else convert_image_dtype(image, np.float32)
    return convert_image_dtype(change(x), image.dtype, saturate=True)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain * image**gamma`, where integers span [0, 1]. Raises ValueError for a negative `gamma`.

    >>> import autograph.tf as tf
    >>> tf.image.adjust_gamma([[[0.5]]], 2.0).numpy().ravel()
    array([0.25], dtype=float32)
    """
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError(f"gamma is 0 at least, not {gamma}")
    return _as_floats(lambda x: cast(gain, x.dtype) * x ** cast(gamma, x.dtype), image)


# ---- hue, saturation, value ----------------------------------------------------------------------


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value, in [0, 1], of red, green and blue; floating images.

    >>> import autograph.tf as tf
    >>> tf.image.rgb_to_hsv([[[0.0, 0.5, 0.0]]]).numpy().ravel()
    array([0.33333334, 1.        , 0.5       ], dtype=float32)
    """
    x = _floating(images)
    red, green, blue = (x[..., i] for i in range(3))
    value = ops.max(x, axis=-1)
    spread = value - ops.min(x, axis=-1)
    saturation = ops.where(value > 0, spread / ops.where(value > 0, value, 1), 0)
    unit = 1 / (6 * ops.where(spread > 0, spread, 1))
    hue = ops.where(
        ops.equal(red, value),
        unit * (green - blue),
        ops.where(
            ops.equal(green, value), unit * (blue - red) + 2 / 6, unit * (red - green) + 4 / 6
        ),
    )
    hue = ops.where(spread > 0, hue, 0)
    return ops.stack([ops.where(hue < 0, hue + 1, hue), saturation, value], -1)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Red, green and blue of hue, saturation and value; floating images.

    >>> import autograph.tf as tf
    >>> tf.image.hsv_to_rgb([[[0.0, 1.0, 0.5]]]).numpy().ravel()
    array([0.5, 0. , 0. ], dtype=float32)
    """
    x = _floating(images)
    hue, saturation, value = x[..., 0] * 6, x[..., 1], x[..., 2]
    red = ops.clip(ops.abs(hue - 3) - 1, 0, 1)
    green = ops.clip(2 - ops.abs(hue - 2), 0, 1)
    blue = ops.clip(2 - ops.abs(hue - 4), 0, 1)
    parts = [(1 - saturation + saturation * part) * value for part in (red, green, blue)]
    return ops.stack(parts, -1)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Hues of red, green and blue turned by `delta`, a part of the circle in [-1, 1].

    >>> import autograph.tf as tf
    >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy().ravel()
    array([0., 1., 1.], dtype=float32)
    """

    def change(x: Any) -> Any:
        hsv = rgb_to_hsv(x)
        hue = ops.remainder(hsv[..., 0] + cast(delta, x.dtype), x.dtype.type(1))
        return hsv_to_rgb(ops.stack([hue, hsv[..., 1], hsv[..., 2]], -1))

    return _as_floats(change, image)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Saturations of red, green and blue times a factor, at most 1.

    >>> import autograph.tf as tf
    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 0.0).numpy().ravel()
    array([1., 1., 1.], dtype=float32)
    """

    def change(x: Any) -> Any:
        hsv = rgb_to_hsv(x)
        saturation = ops.clip(hsv[..., 1] * cast(saturation_factor, x.dtype), 0, 1)
        return hsv_to_rgb(ops.stack([hsv[..., 0], saturation, hsv[..., 2]], -1))

    return _as_floats(change, image)


# ---- mixed channels ------------------------------------------------------------------------------


def _floating(image: Any) -> Any:
    image = as_tensor(image)
    if image.dtype.kind != "f":
        raise TypeError("floating images are wanted: tf.image.convert_image_dtype(x, tf.float32)")
    return image


def _mixed(images: Any, weights: Any) -> Any:
    """Channels out of channels, of which each is a row of `weights`."""
    x = _floating(images)
    return ops.tensordot(x, as_tensor(np.array(weights, x.dtype)), 1)


_TO_YIQ = [
    [0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]  # fmt: skip
_FROM_YIQ = [
    [1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049],
]  # fmt: skip
_TO_YUV = [
    [0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]  # fmt: skip
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def rgb_to_yiq(images: Any) -> Tensor:
    """Luma and the two chromas of NTSC, of red, green and blue; floating images.

    >>> import autograph.tf as tf
    >>> tf.image.rgb_to_yiq([[[1.0, 1.0, 1.0]]]).numpy()[0, 0, 0]
    np.float32(1.0)
    """
    return _mixed(images, _TO_YIQ)


def yiq_to_rgb(images: Any) -> Tensor:
    """Red, green and blue of luma and the two chromas of NTSC; floating images.

    >>> import autograph.tf as tf
    >>> tf.image.yiq_to_rgb([[[1.0, 0.0, 0.0]]]).numpy().ravel()
    array([1., 1., 1.], dtype=float32)
    """
    return _mixed(images, _FROM_YIQ)


def rgb_to_yuv(images: Any) -> Tensor:
    """Luma and the two chromas of PAL, of red, green and blue; floating images.

    >>> import autograph.tf as tf
    >>> tf.image.rgb_to_yuv([[[1.0, 1.0, 1.0]]]).numpy()[0, 0, 0]
    np.float32(1.0)
    """
    return _mixed(images, _TO_YUV)


def yuv_to_rgb(images: Any) -> Tensor:
    """Red, green and blue of luma and the two chromas of PAL; floating images.

    >>> import autograph.tf as tf
    >>> tf.image.yuv_to_rgb([[[1.0, 0.0, 0.0]]]).numpy().ravel()
    array([1., 1., 1.], dtype=float32)
    """
    return _mixed(images, _FROM_YUV)
