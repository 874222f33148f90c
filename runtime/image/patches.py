"""Patches of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import ops
from runtime.ops.declaration.operands import Operand, rank_of, shape_of
from runtime.ops.signals.windows import per_axis

__all__ = ["extract_patches"]


def extract_patches(
    images: Operand,
    size: int | tuple[int, int],
    strides: int | tuple[int, int] | None = None,
    dilation: int | tuple[int, int] = 1,
    padding: str = "valid",
) -> Any:
    """Patches of `size` (rows, columns) of an image or a batch, flat in the channels of its place.

    Strides are by default the size, so that patches lie side by side; `dilation` is how far apart
    the pixels of a patch are; "same" has zeros around, "valid" none. The result has the shape
    `(..., rows, columns, size[0] * size[1] * channels)`. Raises ValueError for another padding and
    for arrays that are no images.

    >>> image = np.arange(16).reshape(4, 4, 1)
    >>> ag.image.extract_patches(image, 2).numpy()[0]
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """
    rank = rank_of(images)
    if rank not in (3, 4):
        raise ValueError(
            "extract_patches needs an image (height, width, channels) or a batch of them, not an "
            f"array of {rank} axes"
        )
    if padding not in ("same", "valid"):
        raise ValueError(f"padding is 'same' or 'valid', not {padding!r}")
    sizes = per_axis("size", size, 2)
    steps = sizes if strides is None else per_axis("strides", strides, 2)
    x, places = images, []
    for axis, n, stride, rate in zip(
        (rank - 3, rank - 2), sizes, steps, per_axis("dilation", dilation, 2), strict=True
    ):
        x, along = _places(x, axis, n, stride, rate, padding == "same")
        places.append(along)
    rows, columns = places
    lead = (slice(None),) * (rank - 3)
    at = (ops.expand_dims(rows, (1, 3)), ops.expand_dims(columns, (0, 2)))
    found = ops.getitem(x, (*lead, *at))
    return ops.reshape(found, (*shape_of(found)[: rank - 1], sizes[0] * sizes[1] * shape_of(x)[-1]))


def _places(
    x: Any, axis: int, size: int, stride: int, rate: int, is_padded: bool
) -> tuple[Any, Any]:
    """The images, padded along an axis, and the places of the pixels of each patch there."""
    extent, length = (size - 1) * rate + 1, shape_of(x)[axis]
    if is_padded:
        count = -(-length // stride)
        lack = ops.maximum((count - 1) * stride + extent - length, 0)
        lack = int(lack) if isinstance(length, int) else ops.as_weak(lack)
        widths: list[Any] = [(0, 0)] * rank_of(x)
        widths[axis] = (lack // 2, lack - lack // 2)
        x = ops.pad(x, widths)
    else:
        count = (length - extent) // stride + 1
        count = max(count, 0) if isinstance(count, int) else ops.maximum(count, 0)
    if isinstance(count, int):
        return x, np.arange(count)[:, None] * stride + np.arange(size) * rate
    first = ops.expand_dims(ops.arange(ops.as_weak(count)), 1) * stride
    return x, first + np.arange(size) * rate
