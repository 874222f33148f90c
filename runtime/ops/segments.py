"""Sums, products, means and extremes of segments: elements that share a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.devices import host_array
from runtime.ops.comparison import equal
from runtime.ops.conversion import astype
from runtime.ops.creation import zeros
from runtime.ops.declare import always, op
from runtime.ops.indexing import getitem, index_add
from runtime.ops.operands import (
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
from runtime.ops.reductions import max as max_
from runtime.ops.rules import conjugated
from runtime.ops.samples import array, calls
from runtime.ops.selection import maximum, where_
from runtime.ops.shapes import reshape
from runtime.spec import Dim, TensorType

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"]


def _count(ids: Operand, num_segments: Any) -> Any:
    """How many segments there are: one more than the largest number, unless that is told."""
    if num_segments is not None:
        return num_segments
    size = shape_of(ids)[0]
    if size == 0:
        return 0
    return max_(ids) + 1


def _counts(data: Operand, ids: Operand, count: Any) -> Any:
    """How many elements each segment has, in a shape that fits the result."""
    found = index_add(zeros((count,), np.intp), 1, (ids,))
    return reshape(found, (-1,) + (1,) * (rank_of(data) - 1))


def segment_sum(data: Operand, ids: Operand, num_segments: Any = None) -> Any:
    """Sums of the parts of `data` along its first axis that have the same number in `ids`.

    `ids` is a vector of integers from 0 on, in any order; a segment without elements has the sum 0.
    `num_segments` is one more than the largest by default. Raises IndexError for a number beyond.

    >>> ag.segment_sum(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 3).numpy()
    array([5., 0., 2.])
    """
    count = _count(ids, num_segments)
    return index_add(zeros((count, *shape_of(data)[1:]), dtype_of(data)), data, (ids,))


def segment_mean(data: Operand, ids: Operand, num_segments: Any = None) -> Any:
    """Means of the parts of `data` with the same number in `ids`, 0 where there is none.

    See `segment_sum`. Integers have means in float64.

    >>> ag.segment_mean(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 3).numpy()
    array([2.5, 0. , 2. ])
    """
    if not type_of(data).is_inexact:
        data = astype(data, np.float64)
    count = _count(ids, num_segments)
    total = segment_sum(data, ids, count)
    sizes = maximum(_counts(data, ids, count), 1)
    return total / astype(sizes, np.finfo(dtype_of(data)).dtype)


# ---- extremes and products -----------------------------------------------------------------------


def _segments_type(
    x: TensorType, ids: TensorType, *dims: TensorType, count: tuple[Dim, ...], kind: str
) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, None)
    if not x.shape:
        raise ValueError("segments are along the first axis, and a scalar has none")
    if ids.rank not in (1, None):
        raise ValueError("the numbers of segments are a vector, one for each part of the data")
    sizes = (x.shape[0], (ids.shape or (None,))[0])
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(f"there are {sizes[0]} parts of data, but {sizes[1]} numbers of segments")
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
        return own * conjugated(_others(x, ids, shape_of(out)[0])), *rest
    chosen = astype(equal(x, mine), dtype_of(g))
    ties = getitem(segment_sum(chosen, ids, shape_of(out)[0]), (ids,))
    return where_(equal(chosen, 0), 0, own * chosen / maximum(ties, 1)), *rest


def _others(x: Any, ids: Any, count: Any) -> Any:
    """The product of the other elements of each element's segment; zeros do no harm."""
    is_zero = equal(x, 0)
    filled = where_(is_zero, 1, x)
    zeros_there = getitem(segment_sum(astype(is_zero, np.intp), ids, count), (ids,))
    whole = getitem(segment_prod(filled, ids, count), (ids,))
    alone = where_(is_zero, equal(zeros_there, 1), equal(zeros_there, 0))
    return where_(alone, whole / filled, 0)


_DATA = array((5, 2))
_IDS = np.array([1, 0, 1, 2, 0])
_SAMPLES = [((_DATA, _IDS), {"count": (3,), "kind": kind}) for kind in ("max", "min", "prod")]


@op(
    inputs=None,
    infer=_segments_type,
    vjp=_segments_vjp,
    reads=(0, 1, "out"),
    raises=always,
    samples=calls(
        *_SAMPLES,
        ((array((4,), "i4"), np.array([0, 0, 2, 1])), {"count": (3,), "kind": "max"}),
        ((array((4,), "f4"), np.array([0, 0, 2, 1]), 5), {"count": (None,), "kind": "min"}),
        ((array((0, 2)), np.zeros((0,), int)), {"count": (2,), "kind": "prod"}),
    ),
)
def segments(
    xp: Module, x: Array, ids: Array, *dims: Array, count: tuple[Dim, ...], kind: str
) -> Array:
    """Maxima, minima or products of the parts of `x` with the same number in `ids`."""
    (size,) = decode_shape(count, dims)
    # On the host for every device: CuPy has no `multiply.at`, and others for some dtypes only.
    result = np.full((size, *x.shape[1:]), _neutral(x.dtype, kind), x.dtype)
    getattr(np, _UFUNCS[kind]).at(result, host_array(ids), host_array(x))
    return xp.asarray(result)


def _reduced(data: Operand, ids: Operand, num_segments: Any, kind: str) -> Any:
    count, dims = encode_shape(_count(ids, num_segments))
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
