"""How convolution computes: as products of matrices, whose rows are patches of the array.

Each window is a row of such a matrix, made block by block so that a block stays in the cache; with
one channel in each group, products are element by element instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.dtypes import is_half_or_less
from runtime.ops.declaration.operands import Array, Module
from runtime.ops.signals.windows import Windows

__all__ = ["convolve", "convolve_input", "convolve_kernel"]

# Bytes of a block of patches: larger ones leave the cache, smaller ones cost calls.
_BLOCK = 1 << 22
# Rows of patches shorter than this are gathered channel by channel: copies of a few elements are
# dear. (28x28x1 by 3x3: 0.2 ms against 8 ms; 53x53x32 by 4x4: 15 ms against 9 ms.)
_SHORT = 32


# ---- patches -----------------------------------------------------------------------------------


def _padded(xp: Module, x: Array, before: tuple[int, ...], sizes: tuple[int, ...]) -> Array:
    """`x` moved by `before` into zeros of the spatial `sizes`; what sticks out is cut off."""
    if not any(before):
        x = x[(slice(None), *map(slice, sizes))]
        if x.shape[1:-1] == sizes:
            return x
    result = xp.zeros((x.shape[0], *sizes, x.shape[-1]), x.dtype)
    pairs = list(zip(before, x.shape[1:-1], sizes, strict=True))
    source = tuple(slice(max(-b, 0), max(min(n, size - b), 0)) for b, n, size in pairs)
    target = tuple(
        slice(max(b, 0), max(b, 0) + len(range(n)[part]))
        for (b, n, _), part in zip(pairs, source, strict=True)
    )
    result[(slice(None), *target)] = x[(slice(None), *source)]
    return result


def _patches(xp: Module, x: Array, windows: Windows) -> Iterator[tuple[tuple[slice, slice], Array]]:
    """Blocks of windows (images and first spatial axis), each with the matrix of its patches.

    A row of the matrix is one window, its elements in the order of the kernel.
    """
    batch, channels = x.shape[0], x.shape[-1]
    if all(k == 1 for k in windows.size) and x.shape[1:-1] == windows.counts:
        yield (slice(None), slice(None)), _as_matrix(x)
        return
    rank, length = len(windows.size), math.prod(windows.size) * channels
    in_rows = windows.size[-1] * channels >= _SHORT
    view = _all_windows(xp, x, windows, in_rows)
    buffer: Any = None
    for where, count in _blocks(batch, windows.counts, length * x.itemsize):
        part = view[where] if in_rows else view[(slice(None),) * (rank + 1) + where]
        buffer = xp.empty(count * length, x.dtype) if buffer is None else buffer
        block = buffer[: math.prod(part.shape)].reshape(part.shape)
        block[...] = part
        if in_rows:
            yield where, block.reshape(math.prod(part.shape[: rank + 1]), length)
        else:
            yield where, block.reshape(length, math.prod(part.shape[rank + 1 :])).T


def _all_windows(xp: Module, x: Array, windows: Windows, in_rows: bool) -> Array:
    """All windows of the padded `x`, overlapping in memory.

    With `in_rows`: (batch, *counts, *size, channels), else (*size, channels, batch, *counts).
    """
    x = xp.ascontiguousarray(x) if in_rows else _with_channels_first(xp, x)
    batch, *steps, channel = x.strides
    moves = tuple(n * s for n, s in zip(steps, windows.strides, strict=True))
    within = tuple(n * d for n, d in zip(steps, windows.dilations, strict=True))
    outer = (x.shape[0], *windows.counts), (batch, *moves)
    inner = (*windows.size, x.shape[-1]), (*within, channel)
    (shape, strides), rest = (outer, inner) if in_rows else (inner, outer)
    return xp.lib.stride_tricks.as_strided(x, shape + rest[0], strides + rest[1])


def _with_channels_first(xp: Module, x: Array) -> Array:
    """`x` in memory channel by channel, its axes in the usual order."""
    return xp.moveaxis(xp.ascontiguousarray(xp.moveaxis(x, -1, 0)), 0, -1)


def _blocks(
    batch: int, counts: tuple[int, ...], bytes_each: int
) -> Iterator[tuple[tuple[slice, slice], int]]:
    """Blocks of whole images, or of windows of one image, with the most windows in a block."""
    whole = math.prod(counts)
    each = max(_BLOCK // max(bytes_each, 1), 1)
    if whole <= each:
        images = min(max(each // max(whole, 1), 1), batch)
        for i in range(0, batch, max(images, 1)):
            yield (slice(i, i + images), slice(0, counts[0])), images * whole
        return
    line = whole // counts[0]
    lines = max(each // line, 1)
    for i in range(batch):
        for j in range(0, counts[0], lines):
            yield (slice(i, i + 1), slice(j, j + lines)), lines * line


# ---- kernels of one group ----------------------------------------------------------------------


def _as_matrix(x: Array) -> Array:
    """All axes but the last as one."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def _one(xp: Module, x: Array, kernel: Array, windows: Windows) -> Array:
    """The matrix of patches times the matrix of the kernel."""
    out = xp.empty((x.shape[0], *windows.counts, kernel.shape[-1]), x.dtype)
    matrix = _as_matrix(kernel)
    x = _padded(xp, x, windows.before, windows.needed)
    for where, patches in _patches(xp, x, windows):
        xp.matmul(patches, matrix, out=_as_matrix(out[where]))
    return out


def _one_kernel(xp: Module, x: Array, g: Array, windows: Windows) -> Array:
    """The matrix of patches, transposed, times that of the cotangent."""
    out = xp.zeros((math.prod(windows.size) * x.shape[-1], g.shape[-1]), x.dtype)
    x = _padded(xp, x, windows.before, windows.needed)
    g = xp.ascontiguousarray(g)
    for where, patches in _patches(xp, x, windows):
        out += patches.T @ _as_matrix(g[where])
    return out.reshape(*windows.size, x.shape[-1], g.shape[-1])


def _one_input(xp: Module, g: Array, kernel: Array, windows: Windows) -> Array:
    if windows.size[-1] * kernel.shape[-2] < _SHORT:
        return _add_by_channel(xp, g, kernel, windows)
    if set(windows.strides) == {1}:
        return _correlate_full(xp, g, kernel, windows)
    return _add_patches(xp, g, kernel, windows)


def _correlate_full(xp: Module, g: Array, kernel: Array, windows: Windows) -> Array:
    """With stride 1 the adjoint is a convolution with the reversed kernel, channels exchanged."""
    reach = [(k - 1) * d for k, d in zip(windows.size, windows.dilations, strict=True)]
    before = tuple(r - b for r, b in zip(reach, windows.before, strict=True))
    sizes = tuple(n + r for n, r in zip(windows.shape, reach, strict=True))
    reversed_ = xp.swapaxes(kernel[(slice(None, None, -1),) * len(reach)], -1, -2)
    ones = (1,) * len(reach)
    full = Windows(sizes, windows.size, ones, windows.dilations, windows.shape, (0,) * len(reach))
    return _one(xp, _padded(xp, g, before, sizes), reversed_, full)


def _add_patches(xp: Module, g: Array, kernel: Array, windows: Windows) -> Array:
    """Each window's share, added where the window lies."""
    channels, taps = kernel.shape[-2], math.prod(windows.size)
    out = xp.zeros((g.shape[0], *windows.shape, channels), g.dtype)
    matrix = _as_matrix(kernel).T
    for images in _image_blocks(g, windows, channels):
        part = xp.ascontiguousarray(g[images])
        shares = xp.matmul(_as_matrix(part), matrix).reshape(*part.shape[:-1], taps, channels)
        target = out[images]
        for t, (outer, inner) in enumerate(windows.taps()):
            target[inner] += shares[(*outer, t)]
    return out


def _add_by_channel(xp: Module, g: Array, kernel: Array, windows: Windows) -> Array:
    """As `_add_patches`, the channels of shares and result in front: that makes rows long."""
    channels, taps = kernel.shape[-2], math.prod(windows.size)
    out = xp.zeros((channels, g.shape[0], *windows.shape), g.dtype)
    matrix = _as_matrix(kernel)
    for images in _image_blocks(g, windows, channels):
        part = xp.ascontiguousarray(g[images])
        shares = xp.matmul(matrix, _as_matrix(part).T).reshape(taps, channels, *part.shape[:-1])
        target = out[:, images]
        for share, (outer, inner) in zip(shares, windows.taps(), strict=True):
            target[(slice(None), *inner)] += share[(slice(None), *outer)]
    return xp.ascontiguousarray(xp.moveaxis(out, 0, -1))


def _image_blocks(g: Array, windows: Windows, channels: int) -> Iterator[slice]:
    each = math.prod(windows.counts) * math.prod(windows.size) * channels * g.itemsize
    images = max(_BLOCK // max(each, 1), 1)
    return (slice(i, i + images) for i in range(0, g.shape[0], images))


# ---- kernels of groups -------------------------------------------------------------------------


def _in_groups(
    xp: Module, compute: Callable[..., Array], groups: int, x: Array, y: Array, windows: Windows
) -> Array:
    """`compute` group by group: in all operands and results they part the last axis."""
    if groups == 1:
        return compute(xp, x, y, windows)
    parts = zip(xp.split(x, groups, -1), xp.split(y, groups, -1), strict=True)
    return xp.concatenate([compute(xp, a, b, windows) for a, b in parts], -1)


def _is_depthwise(kernel: Any, groups: int) -> bool:
    """Whether each channel is a group: then products are element by element."""
    return groups > 1 and kernel.shape[-2] == 1


def _for_features(xp: Module, x: Array, features: int) -> Array:
    """`x` with each channel repeated for each feature that is made of it."""
    return x if x.shape[-1] == features else xp.repeat(x, features // x.shape[-1], -1)


def _rows_of_taps(xp: Module, kernel: Array, windows: Windows) -> Array:
    """The elements of the kernel, repeated along a row of windows: that makes inner loops long."""
    return xp.repeat(_as_matrix(kernel)[:, None], windows.counts[-1], 1)


def _depthwise(xp: Module, x: Array, kernel: Array, windows: Windows) -> Array:
    x = _for_features(xp, x, kernel.shape[-1])
    rows = _rows_of_taps(xp, kernel, windows)
    out = xp.zeros((x.shape[0], *windows.counts, kernel.shape[-1]), x.dtype)
    for image, target in zip(x, out, strict=True):  # one image at a time stays in the cache
        for row, ((_, *outer), (_, *inner)) in zip(rows, windows.taps(), strict=True):
            target[tuple(outer)] += image[tuple(inner)] * row[outer[-1]]
    return out


def _depthwise_input(xp: Module, g: Array, kernel: Array, windows: Windows, groups: int) -> Array:
    rows = _rows_of_taps(xp, kernel, windows)
    out = xp.zeros((g.shape[0], *windows.shape, g.shape[-1]), g.dtype)
    for part, target in zip(g, out, strict=True):
        for row, ((_, *outer), (_, *inner)) in zip(rows, windows.taps(), strict=True):
            target[tuple(inner)] += part[tuple(outer)] * row[outer[-1]]
    if groups == g.shape[-1]:
        return out
    return out.reshape(*out.shape[:-1], groups, g.shape[-1] // groups).sum(-1, dtype=g.dtype)


def _depthwise_kernel(xp: Module, x: Array, g: Array, windows: Windows) -> Array:
    x = _for_features(xp, x, g.shape[-1])
    out = xp.zeros((math.prod(windows.size), g.shape[-1]), g.dtype)
    for image, part in zip(x, g, strict=True):
        for total, ((_, *outer), (_, *inner)) in zip(out, windows.taps(), strict=True):
            product = image[tuple(inner)] * part[tuple(outer)]
            while product.ndim > 1:  # axis by axis, along long rows
                product = product.sum(0, dtype=g.dtype)
            total += product
    return out.reshape(*windows.size, 1, g.shape[-1])


# ---- all groups -------------------------------------------------------------------------------


def _rounded(compute: Callable[..., Array]) -> Callable[..., Array]:
    """A kernel on operands of one dtype; half precision is computed in single."""

    def kernel(xp: Module, x: Array, y: Array, *rest: Any) -> Array:
        dtype = xp.result_type(x, y)
        wide = np.dtype(np.float32) if is_half_or_less(dtype) else dtype
        x, y = x.astype(wide, copy=False), y.astype(wide, copy=False)
        return compute(xp, x, y, *rest).astype(dtype, copy=False)

    return kernel


@_rounded
def convolve(xp: Module, x: Array, kernel: Array, windows: Windows, groups: int) -> Array:
    if _is_depthwise(kernel, groups):
        return _depthwise(xp, x, kernel, windows)
    return _in_groups(xp, _one, groups, x, kernel, windows)


@_rounded
def convolve_input(xp: Module, g: Array, kernel: Array, windows: Windows, groups: int) -> Array:
    if _is_depthwise(kernel, groups):
        return _depthwise_input(xp, g, kernel, windows, groups)
    return _in_groups(xp, _one_input, groups, g, kernel, windows)


@_rounded
def convolve_kernel(xp: Module, x: Array, g: Array, windows: Windows, groups: int) -> Array:
    if groups > 1 and x.shape[-1] == groups:
        return _depthwise_kernel(xp, x, g, windows)
    return _in_groups(xp, _one_kernel, groups, x, g, windows)
