"""Sorting, searching and sets."""

from __future__ import annotations

import operator
from typing import Any, Literal, NamedTuple

import numpy as np

from runtime.ops.arrays.agreement import in_shape_of
from runtime.ops.arrays.axes import flip
from runtime.ops.arrays.creation import zeros
from runtime.ops.arrays.shapes import ravel, reshape, size
from runtime.ops.declaration.declare import implements, no_gradient, op, takes_what_numpy_takes
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.comparison import less_equal, logical_or
from runtime.ops.elementwise.selection import where_
from runtime.ops.indexing.indexing import getitem, index_add
from runtime.ops.indexing.positions import take_along_axis
from runtime.ops.reductions.reductions import all as all_
from runtime.spec import Shape, TensorType

__all__ = ["argsort", "digitize", "searchsorted", "sort", "top_k", "unique"]


def _sorted(x: TensorType, axis: int, stable: bool) -> TensorType:
    if x.shape is not None:
        normal_axis(axis, len(x.shape))
    return x.strong()


def _sort_vjp(g: Any, out: Any, x: Any, axis: int, stable: bool) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    places = argsort_(argsort_(x, axis=axis, stable=True), axis=axis, stable=True)
    return (take_along_axis(g, places, axis),)


_SORTS = calls(
    lambda: (
        ((array((5,)),), {}),
        ((array((3, 4)),), {"axis": 0}),
        ((array((3, 4), "f4"),), {"axis": -1, "stable": True}),
        ((array((6,), "i8"),), {"stable": True}),
        ((array((0, 3), "i8"),), {"axis": 0}),
        ((array((3,), "?"),), {"stable": True}),
    )
)


@op(inputs=1, infer=_sorted, vjp=_sort_vjp, reads=(0,), samples=_SORTS)
def sort_(xp: Module, x: Array, axis: int = -1, stable: bool = False) -> Array:
    """`x` sorted along an axis."""
    return xp.sort(xp.asarray(x), axis=axis, kind="stable" if stable else None)


@op(
    inputs=1,
    infer=lambda x, axis, stable: TensorType(np.dtype(np.intp), _sorted(x, axis, stable).shape),
    vjp=no_gradient,
    samples=_SORTS,
)
def argsort_(xp: Module, x: Array, axis: int = -1, stable: bool = False) -> Array:
    """The positions that sort `x` along an axis."""
    return xp.argsort(xp.asarray(x), axis=axis, kind="stable" if stable else None)


def _is_stable(kind: str | None, stable: bool | None) -> bool:
    if kind not in (None, "quicksort", "heapsort", "mergesort", "stable"):
        raise ValueError("sort kind must be one of 'quick', 'heap', or 'stable'")
    return bool(stable) or kind in ("mergesort", "stable")


_CALLS = calls(
    lambda: (
        ((array((5,)),), {}),
        ((array((3, 4)),), {"axis": 0, "kind": "stable"}),
        ((array((3, 4)), None), {}),
        ((array((9,), "i8"),), {"stable": True}),
    )
)


def _check_order(order: Any) -> None:
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


def _flat(x: Operand, axis: int | None) -> tuple[Any, int]:
    return (ravel(x), 0) if axis is None else (x, axis)


def _flat_or_vector(x: Operand, axis: int | None) -> tuple[Any, int]:
    """As `_flat`; the positions of one number are those of a vector of one."""
    return _flat(ravel(x) if rank_of(x) == 0 else x, axis)


@takes_what_numpy_takes("sort")
def sort(
    x: Operand, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True
) -> Any:
    """`x` sorted along `axis` (None: flattened); nan comes last, or first when `descending`.

    >>> ag.sort(np.array([3, 1, 2]), descending=True).numpy()
    array([3, 2, 1])
    """
    x, axis = _flat(x, axis)
    result = sort_(x, axis=axis, stable=stable)
    return flip(result, axis) if descending else result


@implements("sort", samples=_CALLS)
def numpy_sort(
    x: Operand,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
) -> Any:
    """`numpy.sort`."""
    _check_order(order)
    return sort(x, axis, stable=_is_stable(kind, stable))


@takes_what_numpy_takes("argsort")
def argsort(
    x: Operand, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True
) -> Any:
    """Positions that sort `x` along `axis` (None: flattened).

    Equal elements stay in order, unless neither `stable` nor `descending`.

    >>> ag.argsort(np.array([30, 10, 20])).numpy()
    array([1, 2, 0])
    """
    x, axis = _flat_or_vector(x, axis)
    if not descending:
        return argsort_(x, axis=axis, stable=stable)
    # Sorting the reversed array and reversing keeps equal elements in their order.
    backwards = flip(argsort_(flip(x, axis), axis=axis, stable=True), axis)
    return shape_of(x)[axis] - 1 - backwards


@implements("argsort", samples=_CALLS)
def numpy_argsort(
    x: Operand,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
) -> Any:
    """`numpy.argsort`, which by default need not keep equal elements in order."""
    _check_order(order)
    x, axis = _flat_or_vector(x, axis)
    return argsort_(x, axis=axis, stable=_is_stable(kind, stable))


class TopK(NamedTuple):
    """The largest elements and where they were."""

    values: Any
    indices: Any


def top_k(x: Operand, k: int, /, axis: int = -1) -> TopK:
    """The `k` largest elements along `axis`, largest first, and their positions.

    Of equal elements the first come first; nan counts as the largest. Raises ValueError where there
    are fewer than `k`.

    >>> ag.top_k(np.array([1.0, 3.0, 2.0]), 2).indices.numpy()
    array([1, 2])
    """
    count, size = operator.index(k), shape_of(x)[axis]
    what = f"top_k: {count} elements are asked for, but the axis has {{0}}"
    if not isinstance(size, int):
        x = checked(x, size >= count, size, what=what)
    elif count < 0 or size < count:
        raise ValueError(what.format(size))
    whole = argsort(x, axis, descending=True)
    index = (slice(None),) * normal_axis(axis, rank_of(x)) + (slice(None, count),)
    order = getitem(whole, index)
    return TopK(take_along_axis(x, order, axis), order)


@op(
    inputs=2,
    infer=lambda x, v, side: TensorType(np.dtype(np.intp), v.shape),
    vjp=no_gradient,
    samples=lambda: (
        ((np.array([1.0, 2.0, 2.0, 5.0]), array((2, 3), low=0, high=6)), {}),
        ((np.array([1, 2, 2, 5]), 2), {"side": "right"}),
        ((np.array([1, 2, 2, 5]), np.zeros((0,))), {}),
    ),
)
def searchsorted_(xp: Module, x: Array, v: Array, side: Literal["left", "right"] = "left") -> Array:
    """Where each of `v` is to be put into the sorted vector `x`."""
    return xp.asarray(xp.searchsorted(x, v, side=side))


@implements(
    samples=lambda: (((np.array([1.0, 2.0, 5.0]), np.array([2.0, 9.0])), {"side": "right"}),),
)
def searchsorted(x: Operand, v: Operand, /, side: str = "left", sorter: Operand = None) -> Any:
    """Where each of `v` is to be put into the sorted vector `x` so that it stays sorted.

    `side` "left" is before equal elements, "right" after them; `sorter` sorts `x`, if given.

    >>> ag.searchsorted(np.array([1, 2, 5]), np.array([2, 9])).numpy()
    array([1, 3])
    """
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    _check_vector(x)
    if sorter is not None:
        x = take_along_axis(x, in_shape_of(x, sorter, "sorter.size must equal a.size"), 0)
    return searchsorted_(x, v, side=side)


def _check_vector(x: Operand) -> None:
    """Refuse sorted values that are no vector, as NumPy does."""
    if rank_of(x) != 1:
        how = "of too small depth" if rank_of(x) == 0 else "too deep"
        raise ValueError(f"object {how} for desired array")


@implements("digitize", samples=lambda: (((array((4,)), np.array([-1.0, 0.0, 1.0])), {}),))
def digitize(x: Operand, bins: Operand, /, right: bool = False) -> Any:
    """Number of the bin, between the edges `bins`, that each of `x` falls into.

    The edges increase or decrease. Raises ValueError where they do neither.

    >>> ag.digitize(np.array([0.5, 2.5]), np.array([0.0, 1.0, 2.0])).numpy()
    array([1, 3])
    """
    _check_vector(bins)
    before, after = getitem(bins, slice(None, -1)), getitem(bins, slice(1, None))
    rises, falls = all_(less_equal(before, after)), all_(less_equal(after, before))
    what = "bins must be monotonically increasing or decreasing"
    bins = checked(bins, logical_or(rises, falls), what=what)
    bins, count = where_(rises, bins, flip(bins, 0)), shape_of(bins)[0]
    # In increasing edges, the side on which equal numbers stand is the other one.
    found = searchsorted(bins, x, side="left" if right else "right")
    return where_(rises, found, count - found)


def _unique_axis(x: TensorType, axis: int | None) -> int | None:
    """The axis along which parts are compared; a vector is compared by its elements."""
    if axis is None or x.shape is None:
        return axis
    at = normal_axis(axis, len(x.shape))
    return None if len(x.shape) == 1 else at


def _unique_types(
    x: TensorType, index: bool, inverse: bool, counts: bool, equal_nan: bool, axis: int | None
) -> Any:
    at = _unique_axis(x, axis)
    places = TensorType(np.dtype(np.intp), (None,))
    if at is None or x.shape is None:
        values: Shape = (None,) if axis is None or x.shape is not None else None
        whole = x.shape if axis is None or x.shape is not None else (None,)
    else:
        values = (*x.shape[:at], None, *x.shape[at + 1 :])
        whole = (x.shape[at],)
    results = [TensorType(x.dtype, values)]
    results += [places] * index + [TensorType(np.dtype(np.intp), whole)] * inverse
    return tuple(results + [places] * counts)


def _unique_vjp(
    g: Any,
    out: Any,
    x: Any,
    index: bool,
    inverse: bool,
    counts: bool,
    equal_nan: bool,
    axis: int | None,
) -> tuple[Any, ...]:
    """The gradient of each value, or part, goes to the first one that is equal to it."""
    if not type_of(x).is_inexact:
        return (None,)
    places = unique_(x, index=True, equal_nan=equal_nan, axis=axis)[1]
    if axis is not None and rank_of(x) > 1:
        key = (*(slice(None),) * normal_axis(axis, rank_of(x)), places)
        return (index_add(zeros(shape_of(x), type_of(x).dtype), g[0], key),)
    flat = index_add(zeros(size(x), type_of(x).dtype), g[0], places)
    return (reshape(flat, shape_of(x)),)


_ROWS = np.array([[3, 1, 2], [0, 1, 4], [3, 1, 2], [0, 1, -4]])


@op(
    inputs=1,
    infer=_unique_types,
    vjp=_unique_vjp,
    reads=(0,),
    raises=lambda types, attrs: attrs["axis"] is not None and not all(t.shape for t in types),
    samples=lambda: (
        ((np.array([3, 1, 3, 2]),), {}),
        ((np.array([[3, 1], [3, 2]]),), {"index": True, "inverse": True, "counts": True}),
        ((np.zeros((0,)),), {"inverse": True}),
        ((array((4,)),), {"counts": True}),
        ((np.array([np.nan, 1.0, np.nan], "f4"),), {"equal_nan": False}),
        ((_ROWS,), {"axis": 0, "index": True, "inverse": True, "counts": True}),
        ((array((3, 4)),), {"axis": 0, "counts": True}),
        ((array((3, 4)),), {"axis": -1}),
        ((_ROWS.reshape(2, 2, 3).astype("f4"),), {"axis": 1, "inverse": True}),
        ((array((4,), "i8"),), {"axis": 0, "inverse": True}),
        ((np.zeros((2, 0), "i2"),), {"axis": 0, "counts": True}),
    ),
)
def unique_(
    xp: Module,
    x: Array,
    index: bool = False,
    inverse: bool = False,
    counts: bool = False,
    equal_nan: bool = True,
    axis: int | None = None,
) -> tuple[Array, ...]:
    """The sorted distinct elements, or parts along an axis, and what else is asked for."""
    result = xp.unique(xp.asarray(x), index, inverse, counts, axis=axis, equal_nan=equal_nan)
    return result if isinstance(result, tuple) else (result,)


@implements(
    samples=lambda: (
        ((np.array([3, 1, 3, 2]),), {}),
        ((np.array([3, 1, 3]),), {"return_counts": True}),
        ((_ROWS,), {"axis": 0}),
        ((_ROWS, True, True, True, 1), {}),
        ((np.array([[np.nan, 1.0], [np.nan, 1.0]]),), {"axis": 0}),
        ((np.array([[1j, 2], [1j, 2]], "c8"),), {"axis": 1}),
        ((array((3, 2)),), {"axis": 1}),
        ((np.array([[True, False], [True, True]]),), {"axis": 1}),
        ((np.array([2.0, 1.0, 3.0]),), {"axis": -1}),
    ),
)
def unique(
    x: Operand,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """The sorted distinct elements of `x`; with positions, inverse or counts if so wished.

    With `axis`, its distinct parts along that axis, sorted by their first elements, then their
    second ones, and so on. With `equal_nan`, there is one nan at most; parts with nan are all
    distinct. The gradient goes to the first of equal elements. Raises AxisError for an axis that
    is not there.

    >>> [r.tolist() for r in ag.unique(np.array([3, 1, 3]), return_counts=True)]
    [[1, 3], [1, 2]]
    >>> ag.unique(np.array([[3, 1], [0, 2], [3, 1]]), axis=0).tolist()
    [[0, 2], [3, 1]]
    """
    result = unique_(
        x,
        index=return_index,
        inverse=return_inverse,
        counts=return_counts,
        equal_nan=equal_nan,
        axis=None if axis is None else operator.index(axis),
    )
    return result[0] if len(result) == 1 else result
