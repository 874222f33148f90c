"""`keras.ops.image`: resizing and warping of pictures, colours, blurs, edges.

An image is `(height, width, channels)`, or `(channels, height, width)`; a batch has one axis more.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
from keras.src.backend.common import standardize_dtype
from keras.src.backend.config import standardize_data_format

import autograph as ag
from autograph.keras.backend.core import common_dtype, convert_to_tensor, is_tensor
from autograph.keras.backend.random import normal

__all__ = [
    "affine_transform", "compute_homography_matrix", "elastic_transform", "gaussian_blur",
    "hsv_to_rgb", "map_coordinates", "perspective_transform", "resize", "rgb_to_grayscale",
    "rgb_to_hsv", "scale_and_translate", "sobel_edges",
]  # fmt: skip

RESIZE_INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")
AFFINE_TRANSFORM_INTERPOLATIONS = {"nearest": 0, "bilinear": 1}
FILL_MODES = ("constant", "nearest", "wrap", "mirror", "reflect")


def _check_rank(images: Any) -> None:
    if len(images.shape) not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). "
            f"Received input with shape: images.shape={images.shape}"
        )


def _check_choice(name: str, value: Any, choices: Any) -> None:
    if value not in choices:
        raise ValueError(
            f"Invalid value for argument `{name}`. Expected of one {set(choices)}. "
            f"Received: {name}={value}"
        )


def _channels(data_format: str | None) -> int:
    return -1 if standardize_data_format(data_format) == "channels_last" else -3


def _batch_last(images: Any, data_format: str | None) -> tuple[Any, Callable[[Any], Any]]:
    """A batch with the channels last, and what brings a result of its shape back."""
    _check_rank(images)
    is_single, axis = len(images.shape) == 3, _channels(data_format)

    def back(x: Any) -> Any:
        x = ag.moveaxis(x, -1, axis)
        return x[0] if is_single else x

    return ag.moveaxis(images[None] if is_single else images, axis, -1), back


# ---- colours ---------------------------------------------------------------------------------


def rgb_to_grayscale(images: Any, data_format: str | None = None) -> Any:
    images, axis = convert_to_tensor(images), _channels(data_format)
    _check_rank(images)
    if images.shape[axis] not in (1, 3):
        raise ValueError(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). "
            f"Received input with shape: images.shape={images.shape}"
        )
    if images.shape[axis] == 1:
        return ag.copy(images)
    weights = convert_to_tensor([0.2989, 0.5870, 0.1140], common_dtype(images, float))
    grey = ag.sum(ag.moveaxis(ag.astype(images, weights.dtype), axis, -1) * weights, axis=-1)
    return ag.astype(ag.expand_dims(grey, axis), images.dtype)


def _check_floats(images: Any) -> None:
    _check_rank(images)
    if images.dtype.kind not in "fV":
        raise ValueError(
            "Invalid images dtype: expected float dtype. Received: images.dtype="
            f"{standardize_dtype(images.dtype)}"
        )


def rgb_to_hsv(images: Any, data_format: str | None = None) -> Any:
    images, axis = convert_to_tensor(images), _channels(data_format)
    _check_floats(images)
    small = float(ml_dtypes.finfo(images.dtype).eps)  # type: ignore[no-untyped-call]
    images = ag.where(ag.abs(images) < small, 0, images)
    red, green, blue = ag.unstack(images, axis=axis)
    value = ag.maximum(ag.maximum(red, green), blue)
    reach = value - ag.minimum(ag.minimum(red, green), blue)
    saturation = ag.where(value > 0, reach / ag.where(value > 0, value, 1), 0)
    sixth = 1 / (6 * ag.where(reach > 0, reach, 1))
    hue = ag.where(value == green, sixth * (blue - red) + 2 / 6, sixth * (red - green) + 4 / 6)
    hue = ag.where(value == red, sixth * (green - blue), hue)
    hue = ag.where(reach > 0, hue, 0) + ag.where(hue < 0, 1, 0)
    return ag.astype(ag.stack([hue, saturation, value], axis=axis), images.dtype)


def hsv_to_rgb(images: Any, data_format: str | None = None) -> Any:
    images, axis = convert_to_tensor(images), _channels(data_format)
    _check_floats(images)
    hue, saturation, value = ag.unstack(images, axis=axis)
    turn = ag.remainder(hue, 1) * 6
    shares = (
        ag.clip(ag.abs(turn - 3) - 1, 0, 1),
        ag.clip(2 - ag.abs(turn - 2), 0, 1),
        ag.clip(2 - ag.abs(turn - 4), 0, 1),
    )
    colours = [value * (1 - saturation + saturation * share) for share in shares]
    return ag.astype(ag.stack(colours, axis=axis), images.dtype)


# ---- resizing --------------------------------------------------------------------------------


def _triangle(x: Any) -> Any:
    return ag.maximum(1 - x, 0)


def _cubic(x: Any) -> Any:
    """R. Keys, "Cubic convolution interpolation for digital image processing", 1981, a = -1/2."""
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return ag.where(x >= 2, 0, ag.where(x >= 1, far, near))


def _lanczos(radius: int, x: Any) -> Any:
    return ag.where(x > radius, 0, ag.sinc(x) * ag.sinc(x / radius))


_KERNELS: dict[str, Callable[[Any], Any]] = {
    "linear": _triangle, "bilinear": _triangle, "trilinear": _triangle, "triangle": _triangle,
    "cubic": _cubic, "bicubic": _cubic, "tricubic": _cubic,
    "lanczos3": partial(_lanczos, 3), "lanczos5": partial(_lanczos, 5),
}  # fmt: skip


def _weights(
    old: int, new: int, scale: Any, shift: Any, kernel: Callable[[Any], Any], antialias: bool
) -> Any:
    """How much of each old pixel each new one has: `(old, new)`."""
    inverse = 1 / scale
    width = ag.maximum(inverse, 1) if antialias else 1
    dtype = scale.dtype
    places = (ag.astype(ag.arange(new), dtype) + 0.5) * inverse - shift * inverse - 0.5
    apart = ag.abs(places - ag.astype(ag.arange(old), dtype)[:, None]) / width
    weights = kernel(apart)
    total = ag.sum(weights, axis=0, keepdims=True)
    is_some = ag.abs(total) > 1000 * float(np.finfo(np.float32).eps)
    weights = ag.where(is_some, weights / ag.where(is_some, total, 1), 0)
    return ag.where((places >= -0.5) & (places <= old - 0.5), weights, 0)


def _resampled(
    images: Any, sizes: Sequence[int], axes: Sequence[int], scales: Any, shifts: Any,
    kernel: Callable[[Any], Any], antialias: bool,
) -> Any:  # fmt: skip
    is_exact = images.dtype.kind in "iub"
    x = ag.astype(images, common_dtype(images, "float32"))
    for k, axis in enumerate(axes):
        weights = _weights(x.shape[axis], sizes[axis], scales[k], shifts[k], kernel, antialias)
        product = ag.matmul(ag.moveaxis(x, axis, -1), ag.astype(weights, x.dtype))
        x = ag.moveaxis(product, -1, axis)
    if is_exact:
        x = ag.clip(
            ag.round(x), ag.astype(ag.min(images), x.dtype), ag.astype(ag.max(images), x.dtype)
        )
    return ag.astype(x, images.dtype)


def scale_and_translate(
    images: Any, output_shape: Sequence[int], scale: Any, translation: Any,
    spatial_dims: Sequence[int], method: str, antialias: bool = True,
) -> Any:  # fmt: skip
    _check_choice("method", method, _KERNELS)
    images = convert_to_tensor(images)
    dtype = common_dtype(convert_to_tensor(scale), convert_to_tensor(translation), float)
    scale, translation = convert_to_tensor(scale, dtype), convert_to_tensor(translation, dtype)
    axes = [axis % images.ndim for axis in spatial_dims]
    return _resampled(images, output_shape, axes, scale, translation, _KERNELS[method], antialias)


def resize(
    images: Any, size: Any, interpolation: str = "bilinear", antialias: bool = False,
    crop_to_aspect_ratio: bool = False, pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant", fill_value: float = 0.0, data_format: str | None = None,
) -> Any:  # fmt: skip
    _check_choice("interpolation", interpolation, RESIZE_INTERPOLATIONS)
    if fill_mode != "constant":
        raise ValueError(
            "Invalid value for argument `fill_mode`. Only `'constant'` is supported. "
            f"Received: fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        raise ValueError(
            "Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`."
        )
    if len(size) != 2:
        raise ValueError(
            "Argument `size` must be a tuple of two elements (height, width). Received: "
            f"size={size}"
        )
    images = convert_to_tensor(images)
    _check_rank(images)
    rows = images.ndim - (3 if _channels(data_format) == -1 else 2)
    axes = (rows, rows + 1)
    if crop_to_aspect_ratio:
        images = _cropped(images, axes, size)
    elif pad_to_aspect_ratio:
        images = _padded(images, axes, size, fill_value)
    if interpolation == "nearest":
        for axis, new in zip(axes, size, strict=True):
            places = (ag.astype(ag.arange(new), "float32") + 0.5) * images.shape[axis] / new
            images = ag.take(images, ag.astype(ag.floor(places), "int32"), axis=axis)
        return images
    wanted = list(images.shape)
    wanted[axes[0]], wanted[axes[1]] = size
    changed = [axis for axis in axes if not _is_surely(images.shape[axis], wanted[axis])]
    scales = [convert_to_tensor(wanted[axis] / images.shape[axis], "float32") for axis in changed]
    kernel = _KERNELS[interpolation]
    return _resampled(images, wanted, changed, scales, [0.0] * len(changed), kernel, antialias)


def _is_surely(size: Any, wanted: Any) -> bool:
    """Whether a size is one that is wanted, both known while tracing."""
    return not is_tensor(size) and not is_tensor(wanted) and bool(size == wanted)


def _larger(size: Any, other: Any) -> Any:
    """The larger one of two sizes, which may be known only at run time."""
    return (ag.maximum if is_tensor(size) or is_tensor(other) else max)(size, other)


def _smaller(size: Any, other: Any) -> Any:
    return (ag.minimum if is_tensor(size) or is_tensor(other) else min)(size, other)


def _fitting(images: Any, axes: tuple[int, int], size: Any) -> tuple[Any, Any]:
    """Height for the width, and width for the height, in the ratio of a size."""
    height, width = (images.shape[axis] for axis in axes)
    return width * size[0] // size[1], height * size[1] // size[0]


def _cropped(images: Any, axes: tuple[int, int], size: Any) -> Any:
    key = [slice(None)] * images.ndim
    for axis, fit in zip(axes, _fitting(images, axes, size), strict=True):
        n = _larger(_smaller(images.shape[axis], fit), 1)
        start = (images.shape[axis] - n) // 2
        key[axis] = slice(start, start + n)
    return images[tuple(key)]


def _padded(images: Any, axes: tuple[int, int], size: Any, fill_value: float) -> Any:
    widths = [(0, 0)] * images.ndim
    for axis, fit in zip(axes, _fitting(images, axes, size), strict=True):
        side = (_larger(images.shape[axis], fit) - images.shape[axis]) // 2
        widths[axis] = (side, side)
    return ag.pad(images, widths, constant_values=fill_value)


# ---- warping ---------------------------------------------------------------------------------


def _inside(index: Any, size: Any, mode: str) -> Any:
    """Where an index outside of an axis reads."""
    if mode == "wrap":
        return ag.remainder(index, size)
    if mode == "mirror":
        period = _larger(2 * (size - 1), 1)
        index = ag.remainder(index, period)
        return ag.minimum(index, period - index)
    if mode == "reflect":
        index = ag.remainder(index, 2 * size)
        return ag.minimum(index, 2 * size - 1 - index)
    return ag.clip(index, 0, size - 1)


def map_coordinates(
    inputs: Any, coordinates: Any, order: int, fill_mode: str = "constant", fill_value: float = 0.0
) -> Any:
    inputs, coordinates = convert_to_tensor(inputs), convert_to_tensor(coordinates)
    if coordinates.shape[0] != len(inputs.shape):
        raise ValueError(
            "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs "
            f"with shape: {inputs.shape} and coordinate leading dim of {coordinates.shape[0]}"
        )
    if len(coordinates.shape) < 2:
        raise ValueError(
            "Invalid coordinates rank: expected at least rank 2. Received input with shape: "
            f"{coordinates.shape}"
        )
    if fill_mode not in FILL_MODES:
        raise ValueError(
            f"Invalid value for argument `fill_mode`. Expected one of {set(FILL_MODES)}. "
            f"Received: fill_mode={fill_mode}"
        )
    if order not in (0, 1):
        raise ValueError(
            f"Invalid value for argument `order`. Expected one of [0, 1]. Received: order={order}"
        )
    dtype = common_dtype(inputs, coordinates, "float32")
    found = _between(
        ag.astype(inputs, dtype), ag.astype(coordinates, dtype), order, (), fill_mode, fill_value
    )
    return ag.astype(ag.round(found) if inputs.dtype.kind in "iub" else found, inputs.dtype)


def _between(
    values: Any, coordinates: Any, order: int, lead: tuple[Any, ...], mode: str, fill_value: float
) -> Any:
    """Elements between those at indices: `lead` along the first axes, then at coordinates.

    What axes there are behind them are read whole.
    """
    rest = values.ndim - len(lead) - len(coordinates)
    sizes = values.shape[len(lead) : values.ndim - rest]
    result: Any = 0
    for chosen in itertools.product(*(_corners(c, order) for c in coordinates)):
        indices = [index for index, _ in chosen]
        inside = [_inside(i, n, mode) for i, n in zip(indices, sizes, strict=True)]
        part = values[(*lead, *inside)]
        if mode == "constant":
            for index, n in zip(indices, sizes, strict=True):
                part = ag.where(_whole((index >= 0) & (index < n), rest), part, fill_value)
        for _, weight in chosen:
            part = part if weight is None else part * _whole(weight, rest)
        result = result + part
    return result


def _whole(x: Any, rest: int) -> Any:
    """What holds for all elements along `rest` more axes."""
    return x[(..., *(None,) * rest)]


def _corners(places: Any, order: int) -> list[tuple[Any, Any]]:
    """The indices beside places along an axis, each with its share."""
    if order == 0:
        return [(ag.astype(ag.round(places), "int32"), None)]
    below = ag.floor(places)
    share = places - below
    index = ag.astype(below, "int32")
    return [(index, 1 - share), (index + 1, share)]


def _warped(images: Any, places: Any, order: int, mode: str, fill_value: float) -> Any:
    """A batch, channels last, read at `places`: `(2, batch, height, width)`, rows and columns."""
    numbers = ag.arange(images.shape[0])[:, None, None]
    return _between(images, places, order, (numbers,), mode, fill_value)


def _grid(height: Any, width: Any, dtype: Any) -> tuple[Any, Any]:
    """Column and row of each pixel, each along its axis."""
    columns, rows = ag.arange(width)[None, :], ag.arange(height)[:, None]
    return ag.astype(columns, dtype), ag.astype(rows, dtype)


def affine_transform(
    images: Any, transform: Any, interpolation: str = "bilinear", fill_mode: str = "constant",
    fill_value: float = 0, data_format: str | None = None,
) -> Any:  # fmt: skip
    _check_choice("interpolation", interpolation, AFFINE_TRANSFORM_INTERPOLATIONS)
    _check_choice("fill_mode", fill_mode, FILL_MODES)
    images, transform = convert_to_tensor(images), convert_to_tensor(transform)
    _check_rank(images)
    if len(transform.shape) not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of "
            f"transforms). Received input with shape: transform.shape={transform.shape}"
        )
    batch, back = _batch_last(images, data_format)
    dtype = common_dtype(images, "float32")
    x, y = _grid(batch.shape[1], batch.shape[2], dtype)
    a = _per_image(transform, batch.shape[0], dtype)
    places = ag.stack([a[3] * x + a[4] * y + a[5], a[0] * x + a[1] * y + a[2]])
    order = AFFINE_TRANSFORM_INTERPOLATIONS[interpolation]
    made = _warped(ag.astype(batch, dtype), places, order, fill_mode, fill_value)
    return ag.astype(back(made), images.dtype)


def _per_image(transform: Any, count: int, dtype: Any) -> list[Any]:
    """The numbers of transforms, each `(count, 1, 1)`."""
    transform = ag.astype(transform, dtype)
    transform = transform[None] if transform.ndim == 1 else transform
    transform = ag.broadcast_to(transform, (count, transform.shape[-1]))
    return [a[:, None, None] for a in ag.unstack(transform, axis=1)]


def perspective_transform(
    images: Any, start_points: Any, end_points: Any, interpolation: str = "bilinear",
    fill_value: float = 0, data_format: str | None = None,
) -> Any:  # fmt: skip
    _check_choice("interpolation", interpolation, AFFINE_TRANSFORM_INTERPOLATIONS)
    images, start_points, end_points = map(convert_to_tensor, (images, start_points, end_points))
    _check_rank(images)
    for name, points in (("start_points", start_points), ("end_points", end_points)):
        if points.ndim not in (2, 3) or tuple(points.shape[-2:]) != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image or (N,4,2) for a batch. "
                f"Received shape: {points.shape}"
            )
    if start_points.type.shape != end_points.type.shape:
        raise ValueError(
            "start_points and end_points must have the same shape. Received "
            f"start_points.shape={start_points.shape}, end_points.shape={end_points.shape}"
        )
    batch, back = _batch_last(images, data_format)
    if start_points.ndim == 2:
        start_points, end_points = start_points[None], end_points[None]
    dtype = common_dtype(images, "float32")
    a = _per_image(compute_homography_matrix(start_points, end_points), batch.shape[0], dtype)
    x, y = _grid(batch.shape[1], batch.shape[2], dtype)
    depth = a[6] * x + a[7] * y + 1
    places = [(a[3] * x + a[4] * y + a[5]) / depth, (a[0] * x + a[1] * y + a[2]) / depth]
    order = AFFINE_TRANSFORM_INTERPOLATIONS[interpolation]
    made = _warped(ag.astype(batch, dtype), ag.stack(places), order, "constant", fill_value)
    return ag.astype(back(made), images.dtype)


def compute_homography_matrix(start_points: Any, end_points: Any) -> Any:
    """The eight numbers of the map that takes four end points to four start points."""
    start_points, end_points = convert_to_tensor(start_points), convert_to_tensor(end_points)
    dtype = common_dtype(start_points, end_points, float)
    exact = common_dtype(dtype, "float32")
    u, v = ag.unstack(ag.astype(start_points, exact), axis=-1)
    x, y = ag.unstack(ag.astype(end_points, exact), axis=-1)
    one, none = ag.ones_like(x), ag.zeros_like(x)
    of_u = ag.stack([x, y, one, none, none, none, -u * x, -u * y], axis=-1)
    of_v = ag.stack([none, none, none, x, y, one, -v * x, -v * y], axis=-1)
    matrix = ag.concat([of_u, of_v], axis=1)
    found = ag.linalg.solve(matrix, ag.concat([u, v], axis=1)[..., None])
    return ag.astype(found[..., 0], dtype)


def elastic_transform(
    images: Any, alpha: float = 20.0, sigma: float = 5.0, interpolation: str = "bilinear",
    fill_mode: str = "reflect", fill_value: float = 0.0, seed: Any = None,
    data_format: str | None = None,
) -> Any:  # fmt: skip
    _check_choice("interpolation", interpolation, AFFINE_TRANSFORM_INTERPOLATIONS)
    _check_choice("fill_mode", fill_mode, FILL_MODES)
    images = convert_to_tensor(images)
    batch, back = _batch_last(images, data_format)
    dtype = common_dtype(images, "float32")
    count, height, width = batch.shape[:3]
    size = _whole_number(6 * sigma) | 1
    drawn = normal((count, height, width, 2), dtype=dtype, seed=seed) * sigma
    moves = gaussian_blur(drawn, (size, size), (sigma, sigma), "channels_last") * alpha
    x, y = _grid(height, width, dtype)
    places = ag.stack([y + moves[..., 1], x + moves[..., 0]])
    order = AFFINE_TRANSFORM_INTERPOLATIONS[interpolation]
    made = _warped(ag.astype(batch, dtype), places, order, fill_mode, fill_value)
    return ag.astype(back(made), images.dtype)


# ---- filters ---------------------------------------------------------------------------------


def _whole_number(x: Any) -> Any:
    """A number without what is behind its point."""
    is_of_the_run = is_tensor(x) and not x.is_known
    return ag.astype(x, "int64") if is_of_the_run else int(x)


def _filtered(batch: Any, kernel: Any) -> Any:
    """Each channel of a batch, channels last, filtered by itself; the size stays."""
    channels = batch.shape[-1]
    kernel = ag.broadcast_to(kernel[:, :, None, None], (*kernel.shape, channels, 1))
    return ag.nn.depthwise_conv2d(batch, kernel, 1, "same")


def gaussian_blur(
    images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: str | None = None
) -> Any:
    images = convert_to_tensor(images)
    batch, back = _batch_last(images, data_format)
    dtype = common_dtype(images, "float32")
    sigma = convert_to_tensor(sigma, dtype)
    bells = []
    for n, width in zip(kernel_size, ag.unstack(sigma), strict=True):
        n = _whole_number(n)
        places = ag.astype(ag.arange(n), dtype) - (n - 1) / 2
        bell = ag.exp(-0.5 * ag.square(places / width))
        bells.append(bell / ag.sum(bell))
    kernel = ag.outer(bells[1], bells[0])
    return ag.astype(back(_filtered(ag.astype(batch, dtype), kernel)), images.dtype)


def sobel_edges(images: Any, data_format: str | None = None) -> Any:
    """The slopes down and across, along a new last axis."""
    images = convert_to_tensor(images)
    axis = _channels(data_format)
    batch = ag.moveaxis(images, axis, -1)
    batch = ag.pad(batch, [(0, 0), (1, 1), (1, 1), (0, 0)], mode="symmetric")
    smooth, slope = np.array([1.0, 2.0, 1.0]), np.array([-1.0, 0.0, 1.0])
    found = []
    for kernel in (np.outer(slope, smooth), np.outer(smooth, slope)):
        edges = _filtered(batch, convert_to_tensor(kernel, batch.dtype))
        found.append(ag.moveaxis(edges[:, 1:-1, 1:-1], -1, axis))
    return ag.stack(found, axis=-1)
