"""Sums, products, means and extremes of segments: elements that share a number."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from runtime.devices import host_array
from runtime.ops.arrays.axes import flip, moveaxis
from runtime.ops.arrays.broadcasting import broadcast_to
from runtime.ops.arrays.creation import full, zeros
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import reshape
from runtime.ops.declaration.declare import always, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    decode_shape,
    dtype_of,
    encode_shape,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import equal, not_equal
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated, scaled
from runtime.ops.elementwise.selection import maximum, minimum, where_
from runtime.ops.indexing.indexing import getitem, index_add
from runtime.ops.indexing.positions import not_negative, take
from runtime.ops.reductions.reductions import max as max_
from runtime.ops.reductions.reductions import per_count
from runtime.ops.reductions.scans import linear_recurrence
from runtime.ops.reductions.sorting import argsort_
from runtime.spec import Dim, TensorType

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"]


def _count(data: Operand, ids: Operand, num_segments: Any) -> Any:
    """How many segments there are: one more than the largest number, unless that is told."""
    if rank_of(ids) != 1 or rank_of(data) < 1:
        raise ValueError("segments are parts of an array with axes, and their numbers a vector")
    parts, numbers = shape_of(data)[0], shape_of(ids)[0]
    if isinstance(parts, int) and isinstance(numbers, int) and parts != numbers:
        raise ValueError(f"there are {parts} parts of data, but {numbers} numbers of segments")
    if num_segments is not None:
        return num_segments
    return max_(concat([ids, full((1,), -1, np.intp)])) + 1


def _checked(ids: Operand) -> Any:
    return not_negative(ids, what="the numbers of segments")


def _counts(data: Operand, ids: Operand, count: Any) -> Any:
    """How many elements each segment has, in a shape that fits the result."""
    found = index_add(zeros((count,), np.intp), 1, (ids,))
    return reshape(found, (-1,) + (1,) * (rank_of(data) - 1))


def segment_sum(data: Operand, ids: Operand, num_segments: Any = None) -> Any:
    """Sums of the parts of `data` along its first axis that have the same number in `ids`.

    `ids` is a vector of integers from 0 on, in any order; a segment without elements has the sum 0.
    `num_segments` is one more than the largest by default. Raises IndexError for a number beyond,
    ValueError for a negative one.

    >>> ag.segment_sum(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 3).numpy()
    array([5., 0., 2.])
    """
    ids = _checked(ids)
    count = _count(data, ids, num_segments)
    return index_add(zeros((count, *shape_of(data)[1:]), dtype_of(data)), data, (ids,))


def segment_mean(data: Operand, ids: Operand, num_segments: Any = None) -> Any:
    """Means of the parts of `data` with the same number in `ids`, 0 where there is none.

    See `segment_sum`. Integers have means in float64.

    >>> ag.segment_mean(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 3).numpy()
    array([2.5, 0. , 2. ])
    """
    if not type_of(data).is_inexact:
        data = astype(data, np.float64)
    count = _count(data, ids, num_segments)
    total = segment_sum(data, ids, count)
    sizes = maximum(_counts(data, ids, count), 1)
    return per_count(total, sizes)


# ---- extremes and products -----------------------------------------------------------------------


def _segments_type(
    x: TensorType, ids: TensorType, *dims: TensorType, count: tuple[Dim, ...], kind: str
) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, None)
    return TensorType(x.dtype, (count[0], *x.shape[1:]))


_UFUNCS = {"max": "maximum", "min": "minimum", "prod": "multiply"}


def _neutral(dtype: np.dtype[Any], kind: str) -> Any:
    """What a segment without elements has."""
    if kind == "prod":
        return dtype.type(1)
    if dtype.kind == "b":
        return np.bool_(kind == "min")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return dtype.type(limits.min if kind == "max" else limits.max)
    return dtype.type(-np.inf if kind == "max" else np.inf)


def _segments_vjp(
    g: Any, out: Any, x: Any, ids: Any, *dims: Any, count: Any, kind: str
) -> tuple[Any, ...]:
    rest = (None,) * (1 + len(dims))
    if not type_of(x).is_inexact:
        return None, *rest
    mine, own = getitem(out, (ids,)), getitem(g, (ids,))
    if kind == "prod":
        return scaled(own, conjugated(_others(x, ids))), *rest
    chosen = astype(equal(x, mine), dtype_of(g))
    ties = getitem(segment_sum(chosen, ids, shape_of(out)[0]), (ids,))
    return where_(equal(chosen, 0), 0, own * chosen / maximum(ties, 1)), *rest


def _before(x: Any, is_first: Any) -> Any:
    """The product of the elements before each one in its segment, along the last axis."""
    previous = concat([full((*shape_of(x)[:-1], 1), 1, dtype_of(x)), x], -1)
    factors = where_(is_first, 0, getitem(previous, (..., slice(None, -1))))
    start = broadcast_to(astype(is_first, dtype_of(x)), shape_of(x))
    return linear_recurrence(factors, start)


def _others(x: Any, ids: Any) -> Any:
    """The product of the other elements of each element's segment.

    Without division, so that zeros do no harm: the segments one after the other, the elements
    before each times those after it.
    """
    order = argsort_(ids, stable=True)
    ordered, numbers = moveaxis(take(x, order, 0), 0, -1), take(ids, order)
    changes = not_equal(getitem(numbers, slice(1, None)), getitem(numbers, slice(None, -1)))
    end = full((minimum(shape_of(ids)[0], 1),), True)
    is_first, is_last = concat([end, changes]), concat([changes, end])
    after = flip(_before(flip(ordered, -1), flip(is_last, -1)), -1)
    result = moveaxis(_before(ordered, is_first) * after, -1, 0)
    return take(result, argsort_(order, stable=True), 0)


_DATA = array((5, 2))
_IDS = np.array([1, 0, 1, 2, 0])
_SAMPLES = [((_DATA, _IDS), {"count": (3,), "kind": kind}) for kind in ("max", "min", "prod")]


@op(
    inputs=None,
    infer=_segments_type,
    vjp=_segments_vjp,
    reads=(0, 1, "out"),
    raises=always,
    samples=lambda: (
        *_SAMPLES,
        ((array((4,), "i4"), np.array([0, 0, 2, 1])), {"count": (3,), "kind": "max"}),
        ((array((4,), "f4"), np.array([0, 0, 2, 1]), 5), {"count": (None,), "kind": "min"}),
        ((array((0, 2)), np.zeros((0,), int)), {"count": (2,), "kind": "prod"}),
    ),
)
def segments(
    xp: Module,
    x: Array,
    ids: Array,
    *dims: Array,
    count: tuple[Dim, ...],
    kind: Literal["max", "min", "prod"],
) -> Array:
    """Maxima, minima or products of the parts of `x` with the same number in `ids`."""
    (size,) = decode_shape(count, dims)
    # On the host for every device: CuPy has no `multiply.at`, and others for some dtypes only.
    result = np.full((size, *x.shape[1:]), _neutral(x.dtype, kind), x.dtype)
    getattr(np, _UFUNCS[kind]).at(result, host_array(ids), host_array(x))
    return xp.asarray(result)


def _reduced(data: Operand, ids: Operand, num_segments: Any, kind: str) -> Any:
    ids = _checked(ids)
    count, dims = encode_shape(_count(data, ids, num_segments))
    return segments(data, ids, *dims, count=count, kind=kind)


def segment_max(data: Operand, ids: Operand, num_segments: Any = None) -> Any:
    """Largest of the parts of `data` with the same number in `ids`, element by element.

    See `segment_sum`. A segment without elements has minus infinity, or the least integer. Ties
    share the gradient.

    >>> ag.segment_max(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0])).numpy()
    array([4., 2.])
    """
    return _reduced(data, ids, num_segments, "max")


def segment_min(data: Operand, ids: Operand, num_segments: Any = None) -> Any:
    """Smallest of the parts of `data` with the same number in `ids`, element by element.

    See `segment_sum`. A segment without elements has infinity, or the largest integer. Ties share
    the gradient.

    >>> ag.segment_min(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0])).numpy()
    array([1., 2.])
    """
    return _reduced(data, ids, num_segments, "min")


def segment_prod(data: Operand, ids: Operand, num_segments: Any = None) -> Any:
    """Products of the parts of `data` with the same number in `ids`; 1 where there is none.

    See `segment_sum`.

    >>> ag.segment_prod(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0])).numpy()
    array([4., 2.])
    """
    return _reduced(data, ids, num_segments, "prod")
