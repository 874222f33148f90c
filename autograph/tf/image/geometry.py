"""Sizes of images, and which part of them is shown which way round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph.tf.arguments import dimensions
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import image as images_
from runtime import ops

__all__ = [
    "ResizeMethod",
    "central_crop",
    "crop_and_resize",
    "crop_to_bounding_box",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "pad_to_bounding_box",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rot90",
    "transpose",
]


def resize(
    images: Any, size: Any, method: Any = "bilinear", preserve_aspect_ratio: bool = False,
    antialias: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
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


def flip_left_right(image: Any) -> Tensor:
    """Mirrored along the width.

    >>> import autograph.tf as tf
    >>> tf.image.flip_left_right([[[1], [2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return ops.flip(as_tensor(image), axis=-2)


def flip_up_down(image: Any) -> Tensor:
    """Mirrored along the height.

    >>> import autograph.tf as tf
    >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return ops.flip(as_tensor(image), axis=-3)


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """Turned counter-clockwise by `k` right angles.

    >>> import autograph.tf as tf
    >>> tf.image.rot90([[[1], [2]]]).shape
    TensorShape([2, 1, 1])
    """
    return ops.rot90(as_tensor(image), k=k, axes=(-3, -2))


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Height and width exchanged.

    >>> import autograph.tf as tf
    >>> tf.image.transpose([[[1], [2]]]).shape
    TensorShape([2, 1, 1])
    """
    return ops.swapaxes(as_tensor(image), -3, -2)


def crop_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Tensor:
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
) -> Tensor:
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


def central_crop(image: Any, central_fraction: float) -> Tensor:
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


def resize_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Tensor:
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


def resize_with_pad(
    image: Any, target_height: int, target_width: int, method: Any = "bilinear",
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """The largest size of the same proportions, with zeros around up to that height and width.

    >>> import autograph.tf as tf
    >>> tf.image.resize_with_pad(tf.ones([2, 2, 1]), 2, 4).numpy()[0, :, 0]
    array([0., 1., 1., 0.], dtype=float32)
    """
    image = as_tensor(image)
    height, width = (int(n) for n in image.shape[-3:-1])
    ratio = max(width / target_width, height / target_height)
    inner = (height / ratio, width / ratio)
    top, left = (
        max(0, math.floor((n - m) / 2))
        for n, m in zip((target_height, target_width), inner, strict=True)
    )
    sizes = [math.floor(n) for n in inner]
    made = resize(image, sizes, method=method, antialias=antialias)
    return pad_to_bounding_box(made, top, left, target_height, target_width)


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Patches of batches of images, each laid out flat in the channels of its place.

    `sizes`, `strides` and `rates` (how far apart the pixels of a patch are) are `[1, rows, columns,
    1]`; "SAME" has zeros around, "VALID" none. Raises ValueError for others.

    >>> import autograph.tf as tf
    >>> x = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> one = [1, 1, 1, 1]
    >>> tf.image.extract_patches(x, [1, 2, 2, 1], one, one, "VALID").numpy()[0, 0, 0]
    array([0, 1, 3, 4], dtype=int32)
    """
    given = [tuple(int(n) for n in dimensions(part)) for part in (sizes, strides, rates)]
    if any(len(part) != 4 or part[0] != 1 or part[3] != 1 for part in given):
        raise ValueError("sizes, strides and rates are [1, rows, columns, 1]")
    size, stride, rate = ((part[1], part[2]) for part in given)
    return images_.extract_patches(as_tensor(images), size, stride, rate, padding.lower())


def crop_and_resize(
    image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: str = "bilinear",
    extrapolation_value: float = 0.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The part of each box, resized: `(boxes, *crop_size, channels)`, float32.

    Box i is of image `box_indices[i]` of the batch: its upper, left, lower and right end, as parts
    of the distance between the first and the last pixel. What is outside has a value of its own.
    Raises ValueError for another method than "bilinear" and "nearest".

    >>> import autograph.tf as tf
    >>> x = tf.reshape([0.0, 1.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 0.5]], [0], [2, 2]).numpy().ravel()
    array([0. , 0.5, 2. , 2.5], dtype=float32)
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method is 'bilinear' or 'nearest', not {method!r}")
    x, ends = cast(image, np.float32), cast(boxes, np.float32)
    rows, is_row = _box_places(ends[:, 0], ends[:, 2], x.shape[1], dimensions(crop_size)[0])
    columns, is_column = _box_places(ends[:, 1], ends[:, 3], x.shape[2], dimensions(crop_size)[1])
    which = ops.reshape(as_tensor(box_indices), (-1, 1, 1))
    rows, columns = ops.expand_dims(rows, 2), ops.expand_dims(columns, 1)

    def at(row: Any, column: Any) -> Any:
        return x[which, cast(row, np.int32), cast(column, np.int32)]

    if method == "nearest":  # halves go away from zero, as those of C
        found = at(ops.floor(rows + 0.5), ops.floor(columns + 0.5))
    else:
        top, left = ops.floor(rows), ops.floor(columns)
        below, right = ops.ceil(rows), ops.ceil(columns)
        down, across = (ops.expand_dims(part, -1) for part in (rows - top, columns - left))
        upper = at(top, left) + (at(top, right) - at(top, left)) * across
        lower = at(below, left) + (at(below, right) - at(below, left)) * across
        found = upper + (lower - upper) * down
    is_inside = ops.logical_and(ops.expand_dims(is_row, 2), ops.expand_dims(is_column, 1))
    return ops.where(ops.expand_dims(is_inside, -1), found, cast(extrapolation_value, np.float32))


def _box_places(first: Any, last: Any, size: Any, count: Any) -> tuple[Any, Any]:
    """Where along an axis the pixels of each box lie, moved inside; and whether they are there."""
    reach = cast(size - 1, np.float32)
    if isinstance(count, int) and count == 1:
        places = ops.expand_dims(0.5 * (first + last) * reach, 1)
    else:
        step = (last - first) * reach / cast(count - 1, np.float32)
        steps = cast(ops.arange(count), np.float32) * ops.expand_dims(step, 1)
        places = ops.expand_dims(first * reach, 1) + steps
    is_inside = ops.logical_and(places >= 0, places <= reach)
    return ops.clip(places, 0, reach), is_inside
