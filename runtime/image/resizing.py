"""Images brought to size.

Pixels are squares: the centre of pixel i lies at i + 1/2. All results are those of
`tensorflow.image.resize`, whose single-precision coordinates are followed too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime import ops
from runtime.dtypes import kind_of
from runtime.ops.declaration.declare import with_operands
from runtime.ops.declaration.operands import (
    Operand,
    dtype_of,
    is_tensor,
    rank_of,
    shape_of,
    type_of,
)

__all__ = ["resize"]

# Steps in which bicubic weights are tabulated.
_STEPS = 1024


@with_operands
def resize(images: Operand, size: Any, method: str = "bilinear", antialias: bool = False) -> Any:
    """Images with `size` = (height, width) pixels; sizes may be integer tensors.

    `method` is "bilinear", "nearest" or "bicubic" (R. Keys, "Cubic convolution interpolation for
    digital image processing", 1981, with a = -1/2). "nearest" keeps the dtype; the others keep
    floating ones, integers and bools give float32. With `antialias`, kernels grow with the factor
    by which images shrink ("nearest" is not concerned). Raises ValueError for another method, for
    arrays that are no images, and for sizes that are no two positive numbers.

    >>> image = np.arange(16, dtype=np.uint8).reshape(4, 4, 1)
    >>> ag.image.resize(image, (2, 2)).numpy()[:, :, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)
    """
    if method not in _METHODS:
        raise ValueError(f"resize: method must be one of {', '.join(_METHODS)}, not {method!r}")
    rank = rank_of(images)
    if rank not in (3, 4):
        raise ValueError(
            "resize needs an image (height, width, channels) or a batch of them, not an array "
            f"of {rank} axes"
        )
    height, width = _size(size)
    compute, dtype = (np.dtype(t) for t in _dtypes(dtype_of(images), method))
    if antialias and method in _KERNELS:
        along = _antialiased(_KERNELS[method])
        result = along(along(images, rank - 3, height, compute), rank - 2, width, compute)
    else:  # along the rows first: the order in which TensorFlow rounds
        along = _METHODS[method]
        result = along(along(images, rank - 2, width, compute), rank - 3, height, compute)
    return result if dtype_of(result) == dtype else ops.astype(result, dtype)


def _dtypes(dtype: np.dtype[Any], method: str) -> tuple[Any, Any]:
    """Dtypes of the computation and of the result."""
    if dtype.kind == "c":
        raise TypeError(f"resize: pixels must be real numbers, not {dtype}")
    if method == "nearest":
        return np.float32, dtype
    if dtype == np.float16:
        return np.float32, dtype
    return (dtype, dtype) if kind_of(dtype) == "f" else (np.float32, np.float32)


def _size(size: Any) -> tuple[Any, Any]:
    """Height and width, each an int or an integer tensor."""
    if is_tensor(size) or isinstance(size, np.ndarray):
        if type_of(size).shape not in ((2,), (None,)):
            raise ValueError(f"resize: size must be (height, width), not of type {type_of(size)}")
        size = tuple(ops.as_weak(ops.getitem(size, i)) for i in range(2))
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise ValueError(f"resize: size must be (height, width), not {size!r}")
    if any(isinstance(n, (int, np.integer)) and n < 1 for n in size):
        raise ValueError(f"resize: an image cannot have the size {tuple(size)}")
    return size[0], size[1]


# ---- along one axis ----------------------------------------------------------------------------


def _places(old: Any, new: Any, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Where the centres of the new pixels lie among the old ones, and pixels old per new."""
    scale = ops.astype(ops.divide(old, new), dtype)
    centres = ops.astype(ops.arange(new), dtype) + 0.5
    return centres * scale, scale


def _gathered(x: Operand, axis: int, places: Any, old: Any, dtype: np.dtype[Any]) -> Any:
    """The elements of `x` at `places` along an axis; outside, those of the border."""
    inside = ops.astype(ops.clip(places, 0, old - 1), np.dtype(np.intp))
    found = ops.take(x, inside, axis)
    return found if dtype_of(found) == dtype else ops.astype(found, dtype)


def _column(weights: Any, axis: int, rank: int) -> Any:
    """`weights` of the elements along `axis`, to be broadcast."""
    return ops.reshape(weights, (-1,) + (1,) * (rank - 1 - axis))


def _nearest(x: Operand, axis: int, new: Any, dtype: np.dtype[Any]) -> Any:
    old = shape_of(x)[axis]
    places, _ = _places(old, new, dtype)
    return _gathered(x, axis, ops.floor(places), old, dtype_of(x))


def _bilinear(x: Operand, axis: int, new: Any, dtype: np.dtype[Any]) -> Any:
    old = shape_of(x)[axis]
    places = _places(old, new, dtype)[0] - 0.5
    below = ops.floor(places)
    first = _gathered(x, axis, below, old, dtype)
    second = _gathered(x, axis, ops.ceil(places), old, dtype)
    return first + (second - first) * _column(places - below, axis, rank_of(x))


def _bicubic(x: Operand, axis: int, new: Any, dtype: np.dtype[Any]) -> Any:
    old = shape_of(x)[axis]
    places = _places(old, new, dtype)[0] - 0.5
    below = ops.floor(places)
    rest = ops.rint((places - below) * _STEPS) / _STEPS
    taps = [below + k for k in (-1, 0, 1, 2)]
    weights = [
        ops.where((tap >= 0) & (tap <= old - 1), _cubic(ops.abs(rest - k)), 0)
        for tap, k in zip(taps, (-1, 0, 1, 2), strict=True)
    ]
    total = weights[0] + weights[1] + weights[2] + weights[3]
    parts = [
        _gathered(x, axis, tap, old, dtype) * _column(weight / total, axis, rank_of(x))
        for tap, weight in zip(taps, weights, strict=True)
    ]
    return parts[0] + parts[1] + parts[2] + parts[3]


def _antialiased(kernel: Callable[[Any], Any]) -> Callable[..., Any]:
    """Resizing with a kernel that covers at least one new pixel: a product with a matrix."""

    def along(x: Operand, axis: int, new: Any, dtype: np.dtype[Any]) -> Any:
        old = shape_of(x)[axis]
        places, scale = _places(old, new, dtype)
        centres = ops.astype(ops.arange(old), dtype) + 0.5
        width = ops.maximum(scale, 1.0)
        weights = kernel(ops.abs(centres - ops.expand_dims(places, 1)) * (1 / width))
        weights = weights / ops.sum(weights, axis=1, keepdims=True)
        x = x if dtype_of(x) == dtype else ops.astype(x, dtype)
        return ops.moveaxis(ops.tensordot(weights, x, ((1,), (axis,))), 0, axis)

    return along


# ---- kernels, as functions of a distance -------------------------------------------------------


def _triangle(distance: Any) -> Any:
    return ops.maximum(1 - distance, 0)


def _cubic(distance: Any) -> Any:
    near = (1.5 * distance - 2.5) * distance * distance + 1
    far = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
    return ops.where(distance <= 1, near, ops.where(distance < 2, far, 0))


_METHODS: dict[str, Callable[..., Any]] = {
    "bilinear": _bilinear,
    "nearest": _nearest,
    "bicubic": _bicubic,
}
_KERNELS: dict[str, Callable[[Any], Any]] = {"bilinear": _triangle, "bicubic": _cubic}
