"""Images read between their pixels: `scipy.ndimage`'s functions of splines of order 0 and 1."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime import ops
from runtime.dtypes import kind_of
from runtime.ops.declaration.operands import (
    Operand,
    dtype_of,
    is_number,
    rank_of,
    shape_of,
    type_of,
)

__all__ = ["affine_transform", "map_coordinates"]


def map_coordinates(
    input: Operand,
    coordinates: Operand,
    order: int,
    mode: str = "constant",
    cval: Operand = 0.0,
) -> Any:
    """The values of an array at coordinates between its elements: `scipy.ndimage.map_coordinates`.

    `coordinates` has a row for each axis of `input`; the result has the shape of a row, and the
    dtype of `input`. Order 0 takes the nearest element, order 1 is linear in each axis, and its
    gradient reaches `input` and `coordinates`. Beyond the border, `mode` "constant" gives `cval`,
    "grid-constant" goes over to it, "nearest" keeps the last element, "mirror" reflects in the
    centre of the last element, "reflect" (or "grid-mirror") in its edge, "grid-wrap" begins anew,
    "wrap" does so with the first and the last element as one. Raises ValueError for another order
    or mode, and for coordinates of another number of axes.

    >>> ag.image.map_coordinates(np.array([[0.0, 1.0], [2.0, 3.0]]), [[0.5], [0.25]], 1).numpy()
    array([1.25])
    """
    if order not in (0, 1):
        raise ValueError(f"order is 0 or 1, not {order!r}")
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {', '.join(sorted(_MODES))}, not {mode!r}")
    coordinates = ops.asarray(coordinates)
    sizes, rank = shape_of(input), rank_of(input)
    if shape_of(coordinates)[0] != rank:
        raise ValueError(f"coordinates need {rank} rows, one for each axis of the array")
    dtype = _computed_in(input, coordinates)
    rows = [ops.astype(ops.getitem(coordinates, axis), dtype) for axis in range(rank)]
    inside, along = ops.asarray(True), []
    for row, size in zip(rows, sizes, strict=True):
        if mode == "constant":
            inside = ops.logical_and(inside, (row >= 0) & (row <= size - 1))
        along.append(_neighbours(_MODES[mode](row, size), size, order, mode))
    total: Any = 0
    for choice in itertools.product(*along):
        places, weights, known = zip(*choice, strict=True)
        value = ops.astype(ops.getitem(input, places), dtype, copy=False)
        for is_there in known:
            value = value if is_there is None else ops.where(is_there, value, cval)
        for weight in weights:
            value = value if weight is None else value * weight
        total = total + value
    if mode == "constant":
        total = ops.where(inside, total, cval)
    return _rounded(total, dtype_of(input))


def _computed_in(input: Operand, coordinates: Operand) -> np.dtype[Any]:
    """The dtype of the computation: that of the floats that are given, at least single."""
    dtypes = [t for t in (dtype_of(input), dtype_of(coordinates)) if kind_of(t) in "fc"]
    if any(t.kind == "c" for t in dtypes):
        raise TypeError("map_coordinates takes real numbers")
    return np.result_type(*dtypes, np.float32) if dtypes else np.dtype(np.float64)


def _rounded(x: Any, dtype: np.dtype[Any]) -> Any:
    """`x` in the dtype of the array; whole numbers are rounded, halves away from 0."""
    if dtype.kind in "iu":
        x = ops.trunc(x + ops.copysign(0.5, x))
    return ops.astype(x, dtype, copy=False)


def _neighbours(at: Any, size: Any, order: int, mode: str) -> list[tuple[Any, Any, Any]]:
    """Elements around places along one axis, their weights, and whether they are there."""
    first = ops.floor(at + 0.5) if order == 0 else ops.floor(at)
    found: list[tuple[Any, Any, Any]] = []
    for step in range(order + 1):
        place = first + step
        weight = None if order == 0 else (at - first if step else 1 - (at - first))
        known = (place >= 0) & (place <= size - 1) if mode == "grid-constant" else None
        if mode == "grid-wrap":
            place = ops.remainder(place, size)
        elif mode == "mirror":
            place = ops.minimum(place, 2 * (size - 1) - place)
        place = ops.clip(place, 0, size - 1)
        found.append((ops.astype(place, np.int64), weight, known))
    return found


# ---- beyond the border -------------------------------------------------------------------------


def _mirrored(at: Any, size: Any) -> Any:
    period = ops.maximum(2 * (size - 1), 1)
    rest = ops.remainder(at, period)
    # SciPy leaves what is less than one element beyond the last one to its neighbours.
    is_near = (at >= 0) & (rest < size)
    folded = ops.where(is_near, rest, ops.minimum(rest, period - rest))
    return ops.where(size > 1, folded, 0.0)


def _reflected(at: Any, size: Any) -> Any:
    rest = ops.remainder(at, 2 * size)
    return ops.where(rest >= size, 2 * size - 1 - rest, rest)


def _wrapped(at: Any, size: Any) -> Any:
    period = ops.maximum(size - 1, 1)
    is_inside = (at >= 0) & (at <= size - 1)
    # Below the border the last element counts as the last one, above it as the first.
    below = period - ops.remainder(-at, period)
    moved = ops.where(at < 0, below, ops.remainder(at, period))
    return ops.where(size > 1, ops.where(is_inside, at, moved), 0.0)


_MODES: dict[str, Callable[[Any, Any], Any]] = {
    "constant": lambda at, size: at,
    "grid-constant": lambda at, size: at,
    "grid-mirror": _reflected,
    "grid-wrap": lambda at, size: ops.remainder(at, size),
    "mirror": _mirrored,
    "nearest": lambda at, size: ops.clip(at, 0, size - 1),
    "reflect": _reflected,
    "wrap": _wrapped,
}


def affine_transform(
    input: Operand,
    matrix: Operand,
    offset: Operand = 0.0,
    output_shape: tuple[int, ...] | None = None,
    *,
    order: int = 1,
    mode: str = "constant",
    cval: Operand = 0.0,
) -> Any:
    """An array read at `matrix @ o + offset` for each place `o`: `scipy.ndimage.affine_transform`.

    `matrix` is square, of as many rows as `input` has axes; or a vector, its diagonal; or has one
    column more, the offset, and may have one row more. The result has the shape `output_shape`, by
    default that of `input`. For `order`, `mode` and `cval` see `map_coordinates`; gradients reach
    all three arrays. Raises ValueError for a matrix of another shape.

    >>> ag.image.affine_transform(np.array([[1.0, 2.0], [3.0, 4.0]]), [0.5, 1.0]).numpy()
    array([[1., 2.],
           [2., 3.]])
    """
    rank, matrix = rank_of(input), ops.asarray(matrix)
    matrix, offset = _parts(matrix, offset, rank)
    shape = shape_of(input) if output_shape is None else output_shape
    dtype = _computed_in(matrix, input)
    sizes = [ops.astype(ops.arange(n), dtype) for n in shape]
    grid = ops.stack(ops.meshgrid(*sizes, indexing="ij"), 0)
    if rank_of(matrix) == 1:
        turned = ops.reshape(matrix, (-1,) + (1,) * rank) * grid
    else:
        turned = ops.tensordot(ops.astype(matrix, dtype, copy=False), grid, ((1,), (0,)))
    moved = offset if is_number(offset) else ops.reshape(offset, (-1,) + (1,) * rank)
    return map_coordinates(input, turned + moved, order, mode, cval)


def _parts(matrix: Any, offset: Any, rank: int) -> tuple[Any, Any]:
    """The square matrix, or its diagonal, and the offset, a number or one for each axis."""
    shape = type_of(matrix).shape
    if shape in ((rank, rank + 1), (rank + 1, rank + 1)):
        upper = ops.getitem(matrix, slice(None, rank))
        return ops.getitem(upper, (..., slice(None, rank))), ops.getitem(upper, (..., rank))
    if shape not in ((rank,), (rank, rank)):
        raise ValueError(f"a matrix of the shape {shape} does not fit an array of {rank} axes")
    if is_number(offset):
        return matrix, offset
    offset = ops.asarray(offset)
    return matrix, ops.broadcast_to(offset, (rank,))
