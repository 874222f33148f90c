"""Operations of ONNX that look at windows: pooling, and what is put back where it was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from autograph.programs.importing.layers import by_axes, known_sizes, padding_of, reach_of
from autograph.programs.importing.table import (
    channels_first,
    channels_last,
    ints,
    operation,
)
from runtime.ops.declaration.operands import dtype_of, rank_of, shape_of

__all__: list[str] = []

_MAX_POOL = by_axes([ag.nn.max_pool1d, ag.nn.max_pool2d, ag.nn.max_pool3d])
_AVG_POOL = by_axes([ag.nn.avg_pool1d, ag.nn.avg_pool2d, ag.nn.avg_pool3d])


class _Windows(NamedTuple):
    """Along each axis, the places that windows look at: arrays `(windows, width)`."""

    sizes: list[int]
    places: list[np.ndarray[Any, Any]]
    # Padding that was asked for, which a mean may count; what is beyond that only rounds up.
    before: list[int]
    after: list[int]

    @property
    def inside(self) -> np.ndarray[Any, Any]:
        """Whether places are in the array, `(windows of each axis..., widths of each axis...)`."""
        return self._all([(p >= 0) & (p < n) for p, n in zip(self.places, self.sizes, strict=True)])

    @property
    def counted(self) -> np.ndarray[Any, Any]:
        """Whether places are in the array or its padding."""
        limits = zip(self.places, self.sizes, self.after, strict=True)
        return self._all([p < n + after for p, n, after in limits])

    def _all(self, axes: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        found = np.ones((), bool)
        for part in axes:
            found = found[..., None, None] & part
        count = len(axes)
        return np.moveaxis(found, range(0, 2 * count, 2), range(count))

    def of(self, x: Any) -> Any:
        """The elements, those outside being any: `(batch, channels, windows..., widths...)`."""
        count = len(self.sizes)
        for k, (places, size) in enumerate(zip(self.places, self.sizes, strict=True)):
            x = ag.take(x, np.clip(places, 0, size - 1), axis=2 + 2 * k)
        windows = tuple(2 + 2 * k for k in range(count))
        return ag.moveaxis(x, windows, tuple(range(2, 2 + count)))


def _windows(
    x: Any, kernel: Sequence[int], auto_pad: str, ceil_mode: int, dilations: Any, pads: Any,
    strides: Any,
) -> _Windows:  # fmt: skip
    axes = len(kernel)
    sizes, by = known_sizes(shape_of(x)[2:]), dilations or [1] * axes
    steps, reach = strides or [1] * axes, reach_of(kernel, by)
    padding = padding_of(pads, auto_pad, sizes, reach, steps)
    if padding == "same":
        odd = [
            max((-(-n // step) - 1) * step + width - n, 0)
            for n, step, width in zip(sizes, steps, reach, strict=True)
        ]
        padding = tuple((n // 2, n - n // 2) for n in odd)
    sides = [(0, 0)] * axes if padding == "valid" else padding
    places = []
    for n, step, width, wide, apart, (before, after) in zip(
        sizes, steps, kernel, reach, by, sides, strict=True
    ):
        room = n + before + after - wide
        count = (-(-room // step) if ceil_mode else room // step) + 1
        count -= (count - 1) * step >= n + before  # a window of padding alone
        places.append(np.arange(count)[:, None] * step - before + np.arange(width) * apart)
    return _Windows(sizes, places, [s[0] for s in sides], [s[1] for s in sides])


@operation("MaxPool", "AveragePool")
def _pool(
    x: Any, kernel_shape: Any, auto_pad: str = "NOTSET", ceil_mode: int = 0,
    count_include_pad: int = 0, dilations: Any = None, pads: Any = None, storage_order: int = 0,
    strides: Any = None, *, kind: str, outputs: int,
) -> Any:  # fmt: skip
    axes = rank_of(x) - 2
    steps = tuple(strides or (1,) * axes)
    is_plain = not ceil_mode and outputs == 1 and set(dilations or (1,)) == {1}
    if is_plain and not (count_include_pad and (pads or auto_pad != "NOTSET")):
        padding = padding_of(pads, auto_pad, shape_of(x)[2:], kernel_shape, steps)
        function = (_MAX_POOL if kind == "MaxPool" else _AVG_POOL)(axes)
        given, size = channels_last(x), tuple(kernel_shape)
        found = channels_first(function(given, size, strides=steps, padding=padding))
        return ag.astype(found, dtype_of(x))
    windows = _windows(x, kernel_shape, auto_pad, ceil_mode, dilations, pads, strides)
    widths = tuple(range(2 + axes, 2 + 2 * axes))
    elements = windows.of(x)
    if kind == "MaxPool":
        least = np.iinfo(dtype_of(x)).min if dtype_of(x).kind in "iu" else -np.inf
        elements = ag.where(windows.inside, elements, np.array(least, dtype_of(x)))
        found = ag.max(elements, axis=widths)
        return found if outputs == 1 else (found, _places(x, elements, windows, storage_order))
    total = ag.sum(ag.where(windows.inside, elements, 0), axis=widths)
    counted = windows.counted if count_include_pad else windows.inside
    count = counted.sum(tuple(range(axes, 2 * axes)))
    return ag.astype(total / count, dtype_of(x))


def _places(x: Any, elements: Any, windows: _Windows, by_columns: int) -> Any:
    """Where the largest elements are, in the row of all elements."""
    axes = len(windows.sizes)
    shape = tuple(shape_of(elements))
    best = ag.argmax(ag.reshape(elements, (*shape[: 2 + axes], -1)), axis=-1)
    order = windows.sizes[::-1] if by_columns else windows.sizes
    steps = [math.prod(order[k + 1 :]) for k in range(axes)]
    steps = steps[::-1] if by_columns else steps
    flat: np.ndarray[Any, Any] = np.zeros((), np.int64)
    for places, step in zip(windows.places, steps, strict=True):
        flat = flat[..., None, None] + places * step
    flat = np.moveaxis(flat, range(0, 2 * axes, 2), range(axes))
    flat = flat.reshape(*flat.shape[:axes], -1)
    within = ag.take_along_axis(ag.asarray(np.broadcast_to(flat, (*shape[:2], *flat.shape))),
                                ag.expand_dims(best, -1), axis=-1)[..., 0]  # fmt: skip
    whole = math.prod(windows.sizes)
    batch, channels = shape[:2]
    rows = ag.reshape(ag.arange(batch * channels) * whole, (batch, channels, *[1] * axes))
    return ag.astype(within + rows, np.int64)


@operation("LpPool")
def _lp_pool(
    x: Any, kernel_shape: Any, auto_pad: str = "NOTSET", ceil_mode: int = 0, dilations: Any = None,
    p: int = 2, pads: Any = None, strides: Any = None,
) -> Any:  # fmt: skip
    windows = _windows(x, kernel_shape, auto_pad, ceil_mode, dilations, pads, strides)
    axes = len(kernel_shape)
    elements = ag.where(windows.inside, ag.abs(windows.of(x)), 0)
    total = ag.sum(elements**p, axis=tuple(range(2 + axes, 2 + 2 * axes)))
    return ag.astype(total ** (1.0 / p), dtype_of(x))


@operation("GlobalLpPool")
def _global_lp_pool(x: Any, p: int = 2) -> Any:
    axes = tuple(range(2, rank_of(x)))
    return ag.astype(ag.sum(ag.abs(x) ** p, axis=axes, keepdims=True) ** (1.0 / p), dtype_of(x))


@operation("MaxUnpool")
def _max_unpool(
    x: Any, places: Any, shape: Any = None, *, kernel_shape: Any, pads: Any = None,
    strides: Any = None,
) -> Any:  # fmt: skip
    axes = len(kernel_shape)
    steps, sides = strides or [1] * axes, pads or [0] * (2 * axes)
    own = known_sizes(shape_of(x))
    natural = [
        (n - 1) * step + width - sides[k] - sides[axes + k]
        for k, (n, step, width) in enumerate(zip(own[2:], steps, kernel_shape, strict=True))
    ]
    inner = [*own[:2], *natural]
    found = ag.index_update(
        ag.zeros((math.prod(inner),), dtype_of(x)), ag.reshape(x, (-1,)), ag.reshape(places, (-1,))
    )
    found = ag.reshape(found, tuple(inner))
    wanted = inner if shape is None else ints(shape, "a shape")
    return ag.pad(found, [(0, n - m) for n, m in zip(wanted, inner, strict=True)])


@operation("Col2Im")
def _col2im(
    x: Any, image: Any, block: Any, dilations: Any = None, pads: Any = None, strides: Any = None
) -> Any:
    sizes, kernel = ints(image, "a shape"), ints(block, "a shape")
    axes = len(sizes)
    batch, columns = shape_of(x)[:2]
    channels = columns // math.prod(kernel)
    like = ag.zeros((1, 1, *sizes))
    windows = _windows(like, kernel, "NOTSET", 0, dilations, pads, strides)
    flat: np.ndarray[Any, Any] = np.zeros((), np.int64)
    for k, places in enumerate(windows.places):
        flat = flat[..., None, None] + places * math.prod(sizes[k + 1 :])
    flat = np.moveaxis(flat, range(1, 2 * axes, 2), range(axes))  # widths, then windows
    inside = np.moveaxis(windows.inside, range(axes, 2 * axes), range(axes))
    outside = math.prod(sizes)
    flat = np.where(inside, flat, outside).reshape(-1)
    values = ag.reshape(x, (batch, channels, -1))
    room = ag.zeros((batch, channels, outside + 1), dtype_of(x))
    found = ag.index_add(room, values, (slice(None), slice(None), flat))[..., :outside]
    return ag.reshape(found, (batch, channels, *sizes))
