"""What images are compared by, and where their edges are."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.tf.image.colours import convert_image_dtype
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import ops

__all__ = [
    "image_gradients",
    "psnr",
    "sobel_edges",
    "ssim",
    "total_variation",
]


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
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


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Sum of the absolute differences of neighbours, for each image.

    >>> import autograph.tf as tf
    >>> tf.image.total_variation([[[1.0], [3.0]]]).numpy()
    np.float32(2.0)
    """
    x = as_tensor(images)
    along = (-3, -2, -1)
    down = ops.sum(ops.abs(x[..., 1:, :, :] - x[..., :-1, :, :]), axis=along)
    return down + ops.sum(ops.abs(x[..., 1:, :] - x[..., :-1, :]), axis=along)


def image_gradients(image: Any) -> tuple[Any, Any]:
    """Differences to the next row and to the next column, 0 behind the last; batches of images.

    >>> import autograph.tf as tf
    >>> down, across = tf.image.image_gradients([[[[1.0], [3.0]]]])
    >>> across.numpy().ravel()
    array([2., 0.], dtype=float32)
    """
    x = as_tensor(image)
    if x.ndim != 4:
        raise ValueError(f"image_gradients takes a batch of images, of four axes, not {x.ndim}")
    down = ops.pad(x[:, 1:] - x[:, :-1], [(0, 0), (0, 1), (0, 0), (0, 0)])
    across = ops.pad(x[:, :, 1:] - x[:, :, :-1], [(0, 0), (0, 0), (0, 1), (0, 0)])
    return down, across


def sobel_edges(image: Any) -> Tensor:
    """Sobel's slopes, along the height and the width, in a new last axis; batches of images.

    >>> import autograph.tf as tf
    >>> tf.image.sobel_edges(tf.ones([1, 3, 3, 1])).shape
    TensorShape([1, 3, 3, 1, 2])
    """
    x = as_tensor(image)
    around = ops.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], mode="reflect")
    rows, columns = around[:, 2:] - around[:, :-2], around[:, :, 2:] - around[:, :, :-2]
    down = rows[:, :, :-2] + 2 * rows[:, :, 1:-1] + rows[:, :, 2:]
    across = columns[:, :-2] + 2 * columns[:, 1:-1] + columns[:, 2:]
    return ops.stack([down, across], -1)


def ssim(
    img1: Any, img2: Any, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5,
    k1: float = 0.01, k2: float = 0.03, return_index_map: bool = False,
) -> Tensor:  # fmt: skip
    """How alike images are in structure, 1 at most, for each image (Wang et al., 2004).

    With `return_index_map`, for each place. Raises ValueError for images below the filter's size.

    >>> import autograph.tf as tf
    >>> tf.image.ssim(tf.ones([16, 16, 1]), tf.ones([16, 16, 1]), 1.0).numpy()
    np.float32(1.0)
    """
    one, other = (as_tensor(x) for x in (img1, img2))
    most = convert_image_dtype(cast(max_val, one.dtype), np.float32)
    x, y = (convert_image_dtype(part, np.float32) for part in (one, other))
    if min(int(n) for n in x.shape[-3:-1]) < filter_size:
        raise ValueError(
            f"images have {filter_size} rows and columns at least, or less filter_size"
        )
    places = np.arange(filter_size, dtype=np.float32) - np.float32((filter_size - 1) / 2)
    weights = np.exp(-0.5 * places**2 / np.float32(filter_sigma) ** 2)
    weights = (weights / weights.sum()).astype(np.float32).tolist()

    def smooth(x: Any) -> Any:
        rows = x.shape[-3] - filter_size + 1
        x = _sum(w * x[..., i : i + rows, :, :] for i, w in enumerate(weights))
        columns = x.shape[-2] - filter_size + 1
        return _sum(w * x[..., i : i + columns, :] for i, w in enumerate(weights))

    c1, c2 = (k1 * most) ** 2, (k2 * most) ** 2
    mean, other_mean = smooth(x), smooth(y)
    product, squares = 2 * mean * other_mean, ops.square(mean) + ops.square(other_mean)
    luminance = (product + c1) / (squares + c1)
    shared, own = 2 * smooth(x * y), smooth(ops.square(x) + ops.square(y))
    found = luminance * ((shared - product + c2) / (own - squares + c2))
    return ops.mean(found, axis=-1 if return_index_map else (-3, -2, -1))


def _sum(parts: Iterable[Any]) -> Any:
    return functools.reduce(ops.add, parts)
