"""Operations of ONNX on images: other sizes, samples between pixels, boxes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from autograph.programs.importing.layers import known_sizes
from autograph.programs.importing.table import Unknown, ints, known, operation
from runtime.ops.declaration.operands import dtype_of, rank_of, shape_of

__all__: list[str] = []

Array = np.ndarray[Any, Any]

# ---- resizing ----------------------------------------------------------------------------------

_ROUNDED: dict[str, Callable[[Array], Any]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _coordinates(
    mode: str, size: int, wanted: int, scale: float, part: tuple[float, float]
) -> Array:
    """Where in an axis of `size` elements the `wanted` ones of the result lie."""
    k, last = np.arange(wanted, dtype=np.float64), size * scale - 1
    if mode == "asymmetric":
        return k / scale
    if mode == "align_corners":
        return k * (size - 1) / last if wanted > 1 else k
    if mode == "tf_crop_and_resize":
        start, end = part
        if wanted == 1:
            return np.array([0.5 * (start + end) * (size - 1)])
        return start * (size - 1) + k * (end - start) * (size - 1) / last
    if mode == "pytorch_half_pixel" and wanted == 1:
        return np.zeros(1)
    if mode == "tf_half_pixel_for_nn":
        return (k + 0.5) / scale
    if mode not in ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel"):
        raise Unknown(f"resizing with places {mode!r}")
    found = (k + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        found += size / 2 * (1 - wanted / (scale * size))
    return found


def _triangle(t: Array, a: float) -> Array:
    found: Array = np.maximum(1 - np.abs(t), 0)
    return found


def _cubic(t: Array, a: float) -> Array:
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0))


_KERNELS = {"linear": (_triangle, 1), "cubic": (_cubic, 2)}


def _weights(at: Array, size: int, mode: str, a: float, shrink: float, excludes: bool) -> Array:
    """The matrix that gives elements at places out of those of an axis."""
    kernel, radius = _KERNELS[mode]
    reach = math.ceil(radius / shrink)
    places = np.floor(at)[:, None] + np.arange(1 - reach, reach + 1)
    found = kernel((places - at[:, None]) * shrink, a)
    if excludes:
        found = np.where((places >= 0) & (places < size), found, 0)
    if excludes or shrink < 1:
        found = found / found.sum(1, keepdims=True)
    matrix = np.zeros((len(at), size))
    rows = np.broadcast_to(np.arange(len(at))[:, None], places.shape)
    np.add.at(matrix, (rows, np.clip(places, 0, size - 1).astype(int)), found)
    return matrix


def _new_sizes(sizes: list[int], wanted: list[int], policy: str) -> tuple[list[int], list[float]]:
    """Sizes and scales where sizes are asked for."""
    scales = [m / n for m, n in zip(wanted, sizes, strict=True)]
    if policy == "stretch":
        return wanted, scales
    scale = (min if policy == "not_larger" else max)(scales)
    return [math.floor(scale * n + 0.5) for n in sizes], [scale] * len(sizes)


@operation("Resize")
def _resize(
    x: Any, roi: Any = None, scales: Any = None, sizes: Any = None, *, antialias: int = 0,
    axes: Any = None, coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75, exclude_outside: int = 0, extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch", mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor", version: int,
) -> Any:  # fmt: skip
    if version < 11:
        return _upsample(x, roi, mode)
    places = [axis % rank_of(x) for axis in (range(rank_of(x)) if axes is None else axes)]
    given = [] if scales is None else [float(s) for s in known(scales, "scales").reshape(-1)]
    asked = [] if given else ints(sizes, "the sizes of a result")
    kept = [k for k in range(len(places)) if given[k : k + 1] == [1.0]]
    changed = [k for k in range(len(places)) if k not in kept]
    own = known_sizes([shape_of(x)[places[k]] for k in changed])
    if given:
        factors = [given[k] for k in changed]
        wanted = [math.floor(n * s) for n, s in zip(own, factors, strict=True)]
    else:
        wanted, factors = _new_sizes(own, asked, keep_aspect_ratio_policy)
    part = known(roi, "a part").reshape(-1) if roi is not None else np.zeros(0)
    dtype, inside = dtype_of(x), None
    for k, n, m, s in zip(changed, own, wanted, factors, strict=True):
        bounds = (part[k], part[k + len(places)]) if len(part) else (0.0, 1.0)
        at = _coordinates(coordinate_transformation_mode, n, m, s, bounds)
        if coordinate_transformation_mode == "tf_crop_and_resize":
            shape = [1] * rank_of(x)
            shape[places[k]] = m
            there = ((at >= 0) & (at <= n - 1)).reshape(shape)
            inside = there if inside is None else inside & there
        if mode == "nearest":
            near = np.clip(_ROUNDED[nearest_mode](at), 0, n - 1).astype(int)
            x = ag.take(x, near, axis=places[k])
        elif n != m or s != 1:
            shrink = min(s, 1.0) if antialias else 1.0
            matrix = _weights(at, n, mode, cubic_coeff_a, shrink, bool(exclude_outside))
            turned = ag.moveaxis(ag.astype(x, _wide(dtype)), places[k], -1)
            x = ag.moveaxis(turned @ matrix.T.astype(_wide(dtype)), -1, places[k])
    if dtype.kind in "iu" and mode != "nearest":
        x = ag.rint(x)
    found = ag.astype(x, dtype)
    return found if inside is None else ag.where(inside, found, dtype.type(extrapolation_value))


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind == "f" and dtype.itemsize > 2 else np.dtype(np.float32)


@operation("Upsample")
def _upsample(x: Any, scales: Any, mode: str = "nearest") -> Any:
    mode = "linear" if mode == "bilinear" else mode
    how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return _resize(x, scales=scales, mode=mode, version=11, **how)


# ---- samples between pixels --------------------------------------------------------------------


def _reflected(at: Any, low: float, high: float) -> Any:
    """Places as in a mirror at both ends."""
    span = high - low
    if not span:
        return ag.zeros_like(at)
    back = ag.remainder(ag.abs(at - low), 2 * span)
    return low + ag.where(back > span, 2 * span - back, back)


@operation("GridSample")
def _grid_sample(
    x: Any, grid: Any, align_corners: int = 0, mode: str = "linear", padding_mode: str = "zeros"
) -> Any:
    sizes = known_sizes(shape_of(x)[2:])
    axes = len(sizes)
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    each = []
    for k, n in enumerate(sizes):
        at = grid[..., axes - 1 - k]
        at = (at + 1) / 2 * (n - 1) if align_corners else ((at + 1) * n - 1) / 2
        ends = (0.0, n - 1.0) if align_corners else (-0.5, n - 0.5)
        at = ag.rint(at) if mode == "nearest" else at
        if padding_mode == "border":
            at = ag.clip(at, 0, n - 1)
        elif padding_mode == "reflection":
            at = _reflected(at, *ends)
        each.append(_near(at, n, mode, padding_mode, ends))
    batch = ag.reshape(ag.arange(shape_of(x)[0]), (-1, *[1] * axes))
    last = ag.moveaxis(x, 1, -1)
    found: Any = 0
    for corner in itertools.product(*each):
        weight = math.prod([w for _, w in corner])
        found = found + last[(batch, *(place for place, _ in corner))] * weight[..., None]
    return ag.astype(ag.moveaxis(found, -1, 1), dtype_of(x))


def _near(
    at: Any, size: int, mode: str, padding_mode: str, ends: tuple[float, float]
) -> list[tuple[Any, Any]]:
    """The elements near to places, each with how much of it is taken."""
    low = ag.floor(at)
    t = at - low
    if mode == "nearest":
        parts = [(at, ag.ones_like(at))]
    elif mode == "linear":
        parts = [(low, 1 - t), (low + 1, t)]
    else:
        parts = [(low + k, _cubic_of(t - k)) for k in (-1, 0, 1, 2)]
    found = []
    for place, weight in parts:
        if padding_mode == "reflection":
            place = _reflected(place, *ends)
        elif padding_mode == "zeros":
            weight = ag.where(ag.logical_and(place >= 0, place < size), weight, 0)
        found.append((ag.astype(ag.clip(ag.rint(place), 0, size - 1), np.int64), weight))
    return found


def _cubic_of(t: Any, a: float = -0.75) -> Any:
    t = ag.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    return ag.where(t <= 1, near, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a)


_OF_ROI = ("output_half_pixel", "half_pixel")


@operation("RoiAlign")
def _roi_align(
    x: Any, rois: Any, batch: Any, coordinate_transformation_mode: str = "", mode: str = "avg",
    output_height: int = 1, output_width: int = 1, sampling_ratio: int = 0,
    spatial_scale: float = 1.0, *, version: int,
) -> Any:  # fmt: skip
    if sampling_ratio < 1:
        raise Unknown("a region of which only the run tells how many samples are taken")
    is_half = (coordinate_transformation_mode or _OF_ROI[version >= 16]) == "half_pixel"
    scaled = rois * spatial_scale - (0.5 if is_half else 0.0)
    each = []
    for axis, (count, n) in enumerate(
        zip((output_height, output_width), known_sizes(shape_of(x)[2:]), strict=True)
    ):
        start, end = scaled[:, 1 - axis], scaled[:, 3 - axis]
        length = end - start if is_half else ag.maximum(end - start, 1.0)
        steps = (np.arange(count * sampling_ratio) + 0.5) / (count * sampling_ratio)
        at = start[:, None] + length[:, None] * steps.astype(dtype_of(x))
        outside = ag.logical_or(at < -1, at > n)
        at = ag.clip(at, 0, n - 1)
        low = ag.floor(at)
        places = [ag.astype(p, np.int64) for p in (low, ag.minimum(low + 1, n - 1))]
        weights = [ag.where(outside, 0, w) for w in (1 - (at - low), at - low)]
        each.append([*zip(places, weights, strict=True)])
    last, first = ag.moveaxis(x, 1, -1), ag.astype(batch, np.int64)[:, None, None]
    parts = [
        last[first, py[:, :, None], px[:, None, :]] * (wy[:, :, None] * wx[:, None, :])[..., None]
        for (py, wy), (px, wx) in itertools.product(*each)
    ]
    whole = ag.stack(parts)
    samples = ag.max(whole, axis=0) if mode == "max" else ag.sum(whole, axis=0)
    split = (output_height, sampling_ratio, output_width, sampling_ratio)
    samples = ag.reshape(samples, (shape_of(rois)[0], *split, shape_of(x)[1]))
    found = (ag.max if mode == "max" else ag.mean)(samples, axis=(2, 4))
    return ag.astype(ag.moveaxis(found, -1, 1), dtype_of(x))


# ---- boxes -------------------------------------------------------------------------------------


def _overlaps(boxes: Any, by_center: int) -> Any:
    """The shares of their union that pairs of boxes have in common."""
    one, other = boxes[..., :2], boxes[..., 2:]
    if by_center:
        one, other = one - other / 2, one + other / 2
    low, high = ag.minimum(one, other), ag.maximum(one, other)
    sides = ag.minimum(high[..., :, None, :], high[..., None, :, :]) - ag.maximum(
        low[..., :, None, :], low[..., None, :, :]
    )
    common = ag.prod(ag.maximum(sides, 0), axis=-1)
    areas = ag.prod(high - low, axis=-1)
    union = areas[..., :, None] + areas[..., None, :] - common
    return ag.where(union > 0, common / ag.where(union > 0, union, 1), 0)


@operation("NonMaxSuppression")
def _non_max_suppression(
    boxes: Any, scores: Any, most: Any = None, overlap: Any = None, least: Any = None,
    center_point_box: int = 0,
) -> Any:  # fmt: skip
    """Boxes in the order of their scores, without those that overlap with one before."""
    batch, classes, count = shape_of(scores)
    limit = 0 if most is None else ag.reshape(most, ())
    share = 0.0 if overlap is None else ag.reshape(overlap, ())
    order = ag.argsort(-scores, axis=-1, stable=True)
    ranked = ag.take_along_axis(scores, order, axis=-1)
    good = ag.ones_like(ranked, dtype=np.bool_) if least is None else ranked > ag.reshape(least, ())
    each = ag.take_along_axis(boxes[:, None], order[..., None], axis=2)
    shares = _overlaps(each, center_point_box)

    def body(k: Any, kept: Any) -> Any:
        hidden = ag.any(ag.logical_and(kept, shares[..., k] > share), axis=-1)
        is_room = ag.count_nonzero(kept, axis=-1) < limit
        alive = ag.logical_and(ag.logical_and(good[..., k], ~hidden), is_room)
        return k + 1, ag.index_update(kept, alive, (Ellipsis, k))

    start = ag.zeros((batch, classes, count), np.bool_)
    _, kept = ag.while_loop(lambda k, kept: k < count, body, (0, start))
    first, second, place = ag.nonzero(kept)
    return ag.stack([first, second, order[first, second, place]], axis=-1)
