"""Histograms: how many elements, or how much weight, lie between edges."""

from __future__ import annotations

import operator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from runtime.devices import moved
from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.layouts import lay_out
from runtime.ops.arrays.agreement import in_shape_of
from runtime.ops.arrays.creation import arange, linspace, zeros
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import as_operand, concat
from runtime.ops.arrays.shapes import copy, ravel, reshape
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    is_tensor,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import (
    equal,
    greater,
    isfinite,
    less,
    less_equal,
    logical_and,
    logical_not,
)
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import clip, where_
from runtime.ops.indexing.indexing import getitem, index_add
from runtime.ops.reductions.reductions import all as all_
from runtime.ops.reductions.reductions import max as max_
from runtime.ops.reductions.reductions import min as min_
from runtime.ops.reductions.reductions import sum as sum_
from runtime.ops.reductions.scans import diff
from runtime.ops.reductions.sorting import searchsorted
from runtime.spec import TensorType, promote

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def _ends(x: Any, limits: Any) -> tuple[Any, Any]:
    """First and last edge: the limits, or the extremes of the data, apart in any case."""
    if limits is not None:
        first, last = _apart(*limits)
    elif isinstance(shape_of(x)[0], int) and shape_of(x)[0] == 0:
        first, last = 0, 1
    else:
        what = "autodetected range of [{0}, {1}] is not finite"
        first, last = _extremes(x)
        if kind_of(dtype_of(x)) == "f":
            is_finite = logical_and(isfinite(first), isfinite(last))
            first = checked(first, is_finite, first, last, what=what)
    is_one = equal(first, last)
    return where_(is_one, first - 0.5, first), where_(is_one, last + 0.5, last)


def _apart(first: Any, last: Any) -> tuple[Any, Any]:
    """The limits. Raises ValueError, as NumPy does, where none can have bins between them."""
    what = "max must be larger than min in range parameter."
    if is_tensor(first) or is_tensor(last):
        first = checked(first, logical_not(greater(first, last)), what=what)
        is_finite = logical_and(isfinite(first), isfinite(last))
        what = "supplied range of [{0}, {1}] is not finite"
        return checked(first, is_finite, first, last, what=what), last
    if first > last:
        raise ValueError(what)
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    return first, last


def _extremes(x: Any) -> tuple[Any, Any]:
    """The least and the greatest element; 0 and 1 where an unknown size turns out to be 0."""
    size, own = shape_of(x)[0], dtype_of(x)
    if isinstance(size, int):
        return min_(x), max_(x)
    low, high = (np.iinfo(own).min, np.iinfo(own).max) if own.kind in "iu" else (-np.inf, np.inf)
    first = min_(concat([x, np.array([high], own)]))
    last = max_(concat([x, np.array([low], own)]))
    is_empty = equal(size, 0)
    return where_(is_empty, 0, first), where_(is_empty, 1, last)


def _as_edges(bins: Any) -> Any:
    given = bins if is_tensor(bins) else np.asarray(bins)
    if rank_of(given) != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if not is_tensor(given) and (given[:-1] > given[1:]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    edges = asarray(given)
    if is_tensor(given):
        rises = all_(less_equal(getitem(edges, slice(None, -1)), getitem(edges, slice(1, None))))
        edges = checked(edges, rises, what="`bins` must increase monotonically, when an array")
    return edges


def _is_array(bins: Any) -> bool:
    return isinstance(bins, (list, tuple)) or rank_of(bins) > 0


def _edges(x: Any, bins: Any, limits: Any, is_weighted: bool = False, name: str = "bins") -> Any:
    is_estimated = isinstance(bins, str)
    if not is_estimated and _is_array(bins):
        return _as_edges(bins)
    if is_estimated and bins not in get_args(Estimator):
        raise ValueError(f"{bins!r} is not a valid estimator for `bins`")
    if is_estimated and is_weighted:
        raise TypeError(
            "Automated estimation of the number of bins is not supported for weighted data"
        )
    count = 0 if is_estimated else _count(bins, name)
    first, last = _ends(x, limits)
    if is_estimated:
        edges = estimated_edges(x, first, last, by=bins)
    else:
        edges = linspace(first, last, num=count + 1)
    # A grid takes the limits as they are, and as floats where these are no arrays.
    kinds = [type_of(n) for n in limits or ()]
    is_of_grid = name != "bins" and limits is not None
    own = promote(*([] if is_of_grid else [type_of(x)]), *kinds).dtype
    return astype(edges, own if kind_of(own) == "f" else np.float64, copy=False)


def _count(bins: Any, name: str) -> Any:
    """A number of bins. Raises ValueError if there are none, TypeError if it is no integer."""
    what = f"`{name}` must be positive, when an integer"
    if is_tensor(bins):
        if dtype_of(bins).kind not in "biu":
            raise TypeError(f"`{name}` must be an integer, a string, or an array")
        return checked(bins, greater(bins, 0), what=what)
    count = operator.index(bins)
    if count < 1:
        raise ValueError(what)
    return count


def _distinct_edges(x: Any, bins: Any, limits: Any, is_weighted: bool) -> Any:
    """The edges, none of which may be equal where they are computed."""
    edges = _edges(x, bins, limits, is_weighted)
    if not isinstance(bins, str) and _is_array(bins):
        return edges
    rises = all_(less(getitem(edges, slice(None, -1)), getitem(edges, slice(1, None))))
    what = "Too many bins for data range. Cannot create {0} finite-sized bins."
    return checked(edges, rises, shape_of(edges)[0] - 1, what=what)


# The rules of NumPy by which data choose their own number of bins.
Estimator: TypeAlias = Literal["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


def _estimated_vjp(
    g: Any, out: Any, x: Any, first: Any, last: Any, by: str
) -> tuple[None, Any, Any]:
    """As that of `linspace`: how many bins there are has no slope."""
    steps = shape_of(out)[0] - 1
    weights = astype(arange(steps + 1), dtype_of(g)) / steps
    return None, sum_(g * (1 - weights)), sum_(g * weights)


@op(
    inputs=3,
    infer=lambda x, first, last, by: TensorType(promote(first, last, type_of(1.0)).dtype, (None,)),
    vjp=_estimated_vjp,
    reads=("out",),
    samples=lambda: (
        *(
            ((array((40,)), array((), high=-1.0), array((), low=1.0)), {"by": name})
            for name in get_args(Estimator)
        ),
        ((np.zeros((0,)), 0.0, 1.0), {"by": "auto"}),
        ((array((9,), "i8", 0, 40), 3, 30), {"by": "fd"}),
        ((array((30,), "f4"), np.float32(-1), np.float32(1)), {"by": "doane"}),
    ),
)
def estimated_edges(xp: Module, x: Array, first: Array, last: Array, by: Estimator) -> Array:
    """Evenly spaced edges from `first` to `last`, as many as a rule of NumPy wants for `x`."""
    ends = (moved(first, None), moved(last, None))
    count = np.histogram_bin_edges(moved(x, None), by, ends).size
    return xp.linspace(first, last, count)


def _as_data(x: Operand) -> Any:
    flat = ravel(x)
    return astype(flat, np.uint8) if dtype_of(flat).kind == "b" else flat


def _places(x: Any, edges: Any) -> tuple[Any, Any]:
    """The bin of each element, and whether there is one; the last edge belongs to the last bin."""
    bins = shape_of(edges)[0] - 1
    last = getitem(edges, -1)
    place = searchsorted(edges, x, side="right") - 1
    place = where_(equal(x, last), bins - 1, place)
    is_inside = logical_and(place >= 0, x <= last)
    return clip(place, 0, bins - 1), is_inside


def _are_machine_numbers(x: Any) -> bool:
    dtype = dtype_of(x)
    return kind_of(dtype) in "iu" or dtype in (np.float32, np.float64)


def _even_places(x: Any, edges: Any) -> tuple[Any, Any]:
    """As `_places`, of evenly spaced edges: computed, and put right by one, as NumPy does."""
    bins = shape_of(edges)[0] - 1
    x = astype(x, dtype_of(edges))
    first, last = getitem(edges, 0), getitem(edges, -1)
    is_inside = logical_and(x >= first, x <= last)
    x = where_(is_inside, x, first)
    place = astype((x - first) / (last - first) * bins, np.intp)
    place = clip(place, 0, bins - 1)
    is_below = less(x, getitem(edges, (place,)))
    is_above = logical_and(x >= getitem(edges, (place + 1,)), less(place, bins - 1))
    return place - astype(is_below, np.intp) + astype(is_above, np.intp), is_inside


def _counted(place: Any, is_inside: Any, weights: Any, bins: Any) -> Any:
    amount = astype(is_inside, np.intp) if weights is None else where_(is_inside, weights, 0)
    return index_add(zeros((bins,), dtype_of(amount)), amount, (place,))


# Far from evenly spaced, so that none lies on an edge.
_X = np.array([0.3, -1.2, 1.9, 0.8, -0.35, 1.05, -2.1])
_Y = np.array([1.3, 0.2, -1.9, -0.7, 0.35, 2.05, -0.1])
_POINTS = np.stack([_X, _Y], axis=1)
_CALLS: Any = (
    ((_X,), {}),
    ((_X, 4, (-1.0, 1.5)), {}),
    ((_X, np.array([-2.0, -0.5, 0.0, 1.5])), {}),
    ((array((3, 2), "i8"), 3), {}),
    ((np.zeros((0,)), 2), {}),
    ((np.ones(3, "f4"), 2), {}),
    ((_X.astype("f4"), 4), {}),
    ((_X, "auto"), {}),
    ((_X, "stone", (-1.0, 1.5)), {}),
    ((array((30,), "i8", 0, 40), "scott"), {}),
    ((_X.astype("f4"), "fd", (np.float64(-2), np.float64(2))), {}),
    ((_X.astype("f4"), "sqrt"), {}),
    ((np.zeros((0,)), "auto"), {}),
)


@implements("histogram_bin_edges", samples=lambda: (*_CALLS,))
def histogram_bin_edges(
    x: Operand, /, bins: Any = 10, range: Any = None, weights: Operand = None
) -> Any:
    """The edges of the bins that `histogram` counts in; as there, a word chooses their number.

    >>> ag.histogram_bin_edges(np.array([0.0, 1.0, 4.0]), 2).numpy()
    array([0., 2., 4.])
    """
    return _distinct_edges(_as_data(x), bins, range, weights is not None)


@implements(
    samples=lambda: (
        *_CALLS,
        ((_X, 4), {"weights": array((7,), salt=1)}),
        ((_X, 4), {"density": True}),
        ((_X, 3), {"weights": array((7,), "i8"), "range": (-1.0, 2.0)}),
    ),
)
def histogram(
    x: Operand,
    /,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand = None,
) -> tuple[Any, Any]:
    """How many elements of `x`, or how much weight, each bin has, and the edges of the bins.

    `bins` are their number, between the limits `range` (by default the extremes), or the word of a
    rule by which the data choose it ("auto", "fd", "sqrt", ...), or their edges, increasing. A bin
    is without its upper edge, but for the last one. With `density`, the counts are scaled so that
    their integral is 1. Raises ValueError for edges in no order and for no such rule.

    >>> [r.tolist() for r in ag.histogram(np.array([0.0, 1.0, 1.5, 4.0]), 2)]
    [[3, 1], [0.0, 2.0, 4.0]]
    """
    flat = _as_data(x)
    if weights is not None:
        weights = ravel(in_shape_of(x, weights, "weights should have the same shape as a."))
    edges = _distinct_edges(flat, bins, range, weights is not None)
    is_even = not isinstance(bins, str) and not _is_array(bins) and _are_machine_numbers(flat)
    place, is_inside = (_even_places if is_even else _places)(flat, edges)
    counts = _counted(place, is_inside, weights, shape_of(edges)[0] - 1)
    if density:
        counts = counts / astype(diff(edges), np.float64) / sum_(counts)
    return counts, edges


@implements(
    samples=lambda: (
        ((_POINTS, 3), {}),
        ((_POINTS, (2, 3), [(-1.0, 1.0), None]), {}),
        ((_POINTS, 2), {"density": True}),
        ((_POINTS, np.int64(2)), {}),
        (([_X, _Y], 2), {}),
        ((_X, 3), {}),
        ((_POINTS, (2, 1)), {"weights": array((7,))}),
    ),
)
def histogramdd(
    sample: Any,
    /,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand = None,
) -> tuple[Any, list[Any]]:
    """How many points each cell of a grid has, and the edges along each axis; see `histogram`.

    `sample` has a point in each row, or is a list of coordinates. `bins` and `range` are one for
    all axes (bins only) or one for each.

    >>> ag.histogramdd(np.array([[0.0, 0.0], [1.0, 3.0], [1.0, 2.0]]), 2)[0].tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    if isinstance(sample, (list, tuple)):
        rows = asarray(sample) if all(rank_of(c) == 0 for c in sample) else sample
        columns = [ravel(c) for c in rows] if rows is sample else [rows]
    elif rank_of(sample) < 2:
        columns = [ravel(sample)]
    else:
        columns = [getitem(sample, (slice(None), i)) for i in _range(shape_of(sample)[1])]
    count = len(columns)
    several = [as_operand(b) for b in bins] if _is_array(bins) else [bins] * count
    limits = [None] * count if range is None else list(range)
    if len(several) != count:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if any(isinstance(b, str) for b in several):
        raise TypeError("the numbers of bins along several axes are integers, not words")
    if len(limits) != count:
        raise ValueError("range argument must have one entry per dimension")
    edges = [
        _edges(_as_data(c), b, r, name=f"bins[{i}]")
        for i, (c, b, r) in enumerate(zip(columns, several, limits, strict=True))
    ]
    sizes = [shape_of(e)[0] - 1 for e in edges]
    cell: Any = 0
    is_inside: Any = True
    cells: Any = 1
    for column, edge, size in zip(columns, edges, sizes, strict=True):
        place, is_there = _places(column, edge)
        cell, is_inside = cell * size + place, logical_and(is_inside, is_there)
        cells = cells * size
    amount = None if weights is None else astype(weights, np.float64)
    counts = reshape(astype(_counted(cell, is_inside, amount, cells), np.float64), tuple(sizes))
    if density:
        total = sum_(counts)
        for i, edge in enumerate(edges):
            shape = (1,) * i + (-1,) + (1,) * (count - 1 - i)
            counts = counts / reshape(diff(edge), shape)
        return counts / total, edges
    return lay_out(copy(counts), "F"), edges  # NumPy's is a part of a larger array


_range = range


@implements(
    samples=lambda: (
        ((_X, _Y, 3), {}),
        ((_X, _Y, (2, np.array([-1.0, 0.0, 2.0]))), {}),
        ((_X, _Y, np.array([-2.0, 0.0, 2.0])), {}),
    ),
)
def histogram2d(
    x: Operand,
    y: Operand,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand = None,
) -> tuple[Any, Any, Any]:
    """How many of the points (`x`, `y`) each cell of a grid has, and the edges along both axes.

    >>> ag.histogram2d(np.array([0.0, 1.0]), np.array([0.0, 3.0]), 2)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    y = in_shape_of(x, y, "x and y must have the same length.")
    if _is_array(bins):
        given = len(bins) if isinstance(bins, (list, tuple)) else shape_of(bins)[0]
        if not isinstance(given, int):  # one or two would be numbers of cells
            raise StagingError(
                "how many edges `histogram2d` is given is known only when the graph runs",
                "give them for each axis (`[edges, edges]`)",
            )
        bins = bins if given in (1, 2) else [bins, bins]
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]
