"""Order statistics: medians, quantiles and percentiles, also of the elements that are not nan.

Methods are those of R. Hyndman and Y. Fan, Sample quantiles in statistical packages, 1996, under
NumPy's names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.ops.arrays.axes import permute_dims
from runtime.ops.arrays.creation import full
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import copy, expand_dims, reshape
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import (
    Axes,
    Operand,
    dtype_of,
    is_empty,
    is_tensor,
    normal_axes,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import (
    equal,
    greater_equal,
    isnan,
    less_equal,
    logical_and,
    logical_not,
    not_equal,
)
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rounding import ceil, floor, rint
from runtime.ops.elementwise.selection import clip, maximum, where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.indexing.positions import take, take_along_axis
from runtime.ops.reductions.reductions import all as all_
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.reductions import count_nonzero, mean
from runtime.ops.reductions.sorting import sort_

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]


def _together(x: Operand, axis: Axes) -> tuple[Any, tuple[int, ...]]:
    """`x` with the axes to be reduced as one axis in front, and which these are."""
    axes = normal_axes(axis, rank_of(x))
    rest = tuple(i for i in range(rank_of(x)) if i not in axes)
    shape = shape_of(x)
    moved = permute_dims(x, (*axes, *rest))
    if len(axes) == 1:
        return moved, axes
    length = math.prod(shape[i] for i in axes) if rest else -1  # -1 is no size beside one of 0
    return reshape(moved, (length, *(shape[i] for i in rest))), axes


def _kept(result: Any, axes: tuple[int, ...]) -> Any:
    """The result with the axes again that it was taken over: an array, even without any axis."""
    if axes:
        return expand_dims(result, axes)
    return copy(result).as_array() if is_tensor(result) else np.asarray(result)


def _is_filled(size: Any) -> bool:
    """Whether an axis certainly has an element."""
    return isinstance(size, int) and size > 0


def _with_one(ordered: Any) -> Any:
    """Sorted elements, with a nan or a 0 behind where there may be none, so that all has a place.

    It is never counted, as nan is not.
    """
    size, *rest = shape_of(ordered)
    if _is_filled(size):
        return ordered
    own = dtype_of(ordered)
    return concat([ordered, full((1, *rest), own.type(np.nan if kind_of(own) in "fc" else 0))])


# ---- methods -------------------------------------------------------------------------------------


def _between(alpha: float, beta: float) -> Callable[[Any, Any], Any]:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _next_unless(place: Any, stays: Any) -> Any:
    """The integer place above, or that below where `stays`, and at least 0."""
    below = floor(place)
    return astype(maximum(where_(stays, below, below + 1), 0), np.intp)


def _inverted(n: Any, q: Any) -> Any:
    place = n * q - 1
    return _next_unless(place, equal(place, floor(place)))


def _closest(n: Any, q: Any) -> Any:
    place = n * q - 1 - 0.5
    return _next_unless(place, equal(place, floor(place)) & equal(floor(place) % 2, 1))


# The place of a quantile among n sorted elements: an integer, or a number between two.
_PLACES: dict[str, Callable[[Any, Any], Any]] = {
    "inverted_cdf": _inverted,
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": _closest,
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _between(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _between(3 / 8.0, 3 / 8.0),
    "lower": lambda n, q: astype(floor((n - 1) * q), np.intp),
    "higher": lambda n, q: astype(ceil((n - 1) * q), np.intp),
    "midpoint": lambda n, q: 0.5 * (floor((n - 1) * q) + ceil((n - 1) * q)),
    "nearest": lambda n, q: astype(rint((n - 1) * q), np.intp),
}


def _weight(place: Any, below: Any, method: str) -> Any:
    """How much of the way to the element above to go."""
    weight = place - below
    if method == "averaged_inverted_cdf":
        return astype(where_(equal(weight, 0), 0.5, 1.0), dtype_of(place))
    if method == "midpoint":
        return astype(where_(equal(weight, 0), 0.0, 0.5), dtype_of(place))
    return weight


def _chosen(x: Any, places: Any) -> Any:
    """Elements of `x` along its first axis, at the same places everywhere or at own ones."""
    return take(x, places, 0) if rank_of(places) == 1 else take_along_axis(x, places, 0)


def _at(x: Any, n: Any, q: Any, method: str, is_weak: bool) -> Any:
    """The quantiles `q`, a vector, of `x`, sorted along its first axis, of which n elements count.

    n is one number, or one for each column. If `q` is weak, places are computed in double precision
    all the same, and the result has the dtype of `x`.
    """
    if rank_of(n) > 0:
        q = reshape(q, (-1,) + (1,) * rank_of(n))
    # Counts are Python's in NumPy: they take the dtype of `q`.
    is_own = not (type_of(n).weak or is_weak) and kind_of(dtype_of(q)) == "f"
    place = _PLACES[method](astype(n, dtype_of(q)) if is_own else n, q)
    if dtype_of(place).kind in "iu":
        return _chosen(x, clip(place, 0, n - 1))
    below = clip(floor(place), 0, n - 1)
    above = clip(floor(place) + 1, 0, n - 1)
    low, high = (_chosen(x, astype(i, np.intp)) for i in (below, above))
    weight = _weight(place, floor(place), method)
    if rank_of(weight) != rank_of(low):
        weight = reshape(weight, (-1,) + (1,) * (rank_of(low) - 1))
    away, rest, is_near = high - low, 1 - weight, weight >= 0.5
    if is_weak and kind_of(dtype_of(x)) == "f":
        weight, rest = (astype(w, dtype_of(x), copy=False) for w in (weight, rest))
    return where_(is_near, high - away * rest, low + away * weight)


# ---- quantiles -----------------------------------------------------------------------------------


def _is_weak(q: Operand) -> bool:
    """Whether `q` is an integer or float of Python, also a traced one."""
    given = type_of(q)
    return given.weak and given.dtype.kind != "b"


def _as_fraction(q: Operand, hundred: bool) -> Any:
    """`q` as an array of fractions."""
    what, limit = ("Percentiles", 100) if hundred else ("Quantiles", 1)
    what += f" must be in the range [0, {limit}]"
    if not is_tensor(q):
        q = np.true_divide(q, 100) if hundred else np.asarray(q)
        if not np.all((q >= 0) & (q <= 1)):
            raise ValueError(what)
        return q
    if hundred:
        q = q / 100
    is_there = logical_and(greater_equal(q, 0), less_equal(q, 1))
    return checked(q, all_(is_there), what=what)


def _quantile(
    x: Operand,
    given: Operand,
    axis: Axes,
    method: str,
    keepdims: bool,
    over_nan: bool,
    hundred: bool = False,
) -> Any:
    """The quantiles at the fractions, or hundredths, that are given."""
    q = _as_fraction(given, hundred)
    if method not in _PLACES:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {', '.join(_PLACES)}")
    if dtype_of(x).kind == "c":
        raise TypeError("a must be an array of real numbers")
    if method != "linear" and dtype_of(q).kind in "biu":
        q = astype(q, np.float64)
    if over_nan and is_empty(x):
        return mean(x, axis=axis, keepdims=keepdims)  # nan, and as in NumPy no axes of `q`
    together, axes = _together(x, axis)
    ordered, is_float = sort_(together, axis=0), kind_of(dtype_of(x)) == "f"
    holes = isnan(together) if is_float else None
    size = shape_of(together)[0]
    n = count_nonzero(logical_not(holes), axis=0) if over_nan and is_float else size
    lead = shape_of(q)
    result = _at(
        _with_one(ordered) if over_nan else ordered, n, reshape(q, (-1,)), method, _is_weak(given)
    )
    if is_float:
        spoiled = equal(n, 0) if over_nan else any_(holes, axis=0)
        result = where_(spoiled, dtype_of(result).type(np.nan), result)
    elif over_nan and not _is_filled(size) and kind_of(dtype_of(result)) == "f":
        result = where_(equal(n, 0), np.nan, result)
    result = reshape(result, (*lead, *shape_of(together)[1:]))
    if over_nan and (lead or kind_of(dtype_of(result)) != "f"):
        result = _of_some(result, x)
    return _kept(result, tuple(a + len(lead) for a in axes)) if keepdims else result


def _of_some(result: Any, x: Operand) -> Any:
    """The result. Raises ValueError if `x` turns out empty, for which NumPy's is another one."""
    count = math.prod(shape_of(x))
    if isinstance(count, int):
        return result
    what = "of no elements NumPy gives nan here, with no axis for `q`: ask for one quantile, linear"
    return checked(result, not_equal(count, 0), what=what)


_METHODS = [
    ((x, np.array([0.03, 0.13, 0.47, 0.65, 0.97])), {"method": method})
    for method in _PLACES
    for x in (array((7,)), array((5,), "i8"))
]


@implements(
    samples=lambda: (
        ((array((7,)), 0.3), {}),
        ((array((4, 3)), 0.5, 0), {}),
        ((array((4, 3)), np.array([0.1, 0.9]), 1), {"keepdims": True}),
        ((array((2, 2, 3)), np.array([[0.1], [0.9]]), (0, 2)), {}),
        ((array((4, 3)), 1.0), {}),
        ((array((5,), "i8"), 1), {}),
        ((array((5,), "?"), np.array([0, 1])), {}),
        ((array((5,), "i8"), 1), {"method": "weibull"}),
        ((array((5,), "i8"), 0), {"method": "nearest"}),
        ((array((6,), "f4"), 0.35), {}),
        *_METHODS,
    ),
)
def quantile(
    x: Operand,
    q: Operand,
    /,
    axis: Axes = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Any:
    """The quantiles `q` (in [0, 1]) of `x` over `axis` (None: all).

    Axes of `q` come first. Where `x` has a nan, so has the result. `method` is NumPy's. Raises
    ValueError for a `q` outside of [0, 1].

    >>> ag.quantile(np.array([1.0, 2.0, 4.0]), 0.75).item()
    3.0
    """
    return _quantile(x, q, axis, method, keepdims, False)


@implements(
    samples=lambda: (
        ((array((7,)), 30.0), {}), ((array((4, 3)), 75, 0), {}), ((array((6,), "f4"), 35), {}),
        ((array((7,)), [10, 50]), {"method": "weibull"}),),
)  # fmt: skip
def percentile(
    x: Operand,
    q: Operand,
    /,
    axis: Axes = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Any:
    """The percentiles `q` (in [0, 100]) of `x` over `axis`; see `quantile`.

    >>> ag.percentile(np.array([1.0, 2.0, 4.0]), 75.0).item()
    3.0
    """
    return _quantile(x, q, axis, method, keepdims, False, hundred=True)


_HOLES = np.where(array((5, 3)) > 1, np.nan, array((5, 3)))


@implements(
    samples=lambda: (
        ((_HOLES, 0.3), {}),
        ((_HOLES, 0.5, 0), {}),
        ((_HOLES, np.array([0.1, 0.9]), 0), {"keepdims": True, "method": "hazen"}),
        ((array((4, 3)), 0.6, 1), {"method": "lower"}),
        ((array((3,), "i8"), 0.4), {}),
    ),
)
def nanquantile(
    x: Operand,
    q: Operand,
    /,
    axis: Axes = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Any:
    """As `quantile`, of the elements that are not nan; nan where there is none.

    >>> ag.nanquantile(np.array([1.0, np.nan, 2.0, 4.0]), 0.75).item()
    3.0
    """
    return _quantile(x, q, axis, method, keepdims, True)


@implements(
    samples=lambda: (
        ((_HOLES, 30.0), {}),
        ((_HOLES, [10, 50], 0), {}),
    ),
)
def nanpercentile(
    x: Operand,
    q: Operand,
    /,
    axis: Axes = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Any:
    """As `percentile`, of the elements that are not nan; nan where there is none.

    >>> ag.nanpercentile(np.array([1.0, np.nan, 2.0, 4.0]), 75.0).item()
    3.0
    """
    return _quantile(x, q, axis, method, keepdims, True, hundred=True)


# ---- medians -------------------------------------------------------------------------------------

_MEDIANS: Any = (((array((7,)),), {}), ((array((4, 3)), 0), {}), ((array((4,), "i8"),), {}))


@implements(
    samples=lambda: (
        *_MEDIANS,
        ((array((4, 3)), (0, 1)), {"keepdims": True}),
    ),
)
def median(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Any:
    """The middle element over `axis` (None: all), or the mean of the two middle ones.

    >>> ag.median(np.array([4.0, 1.0, 3.0, 2.0])).item()
    2.5
    """
    if dtype_of(x).kind in "biu":
        x = astype(x, np.float64)
    together, axes = _together(x, axis)
    ordered, size = sort_(together, axis=0), shape_of(together)[0]
    middle = mean(getitem(ordered, slice((size - 1) // 2, size // 2 + 1)), axis=0)  # of none: nan
    result = where_(any_(isnan(together), axis=0), np.nan, middle)
    return _kept(result, axes) if keepdims else result


@implements(
    samples=lambda: (
        *_MEDIANS,
        ((_HOLES,), {}),
        ((_HOLES, 0), {"keepdims": True}),
        ((_HOLES.astype("f4"), 1), {}),
    ),
)
def nanmedian(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Any:
    """As `median`, of the elements that are not nan; nan where there is none.

    >>> ag.nanmedian(np.array([4.0, np.nan, 3.0])).item()
    3.5
    """
    if not type_of(x).is_inexact:
        return median(x, axis, keepdims=keepdims)
    together, axes = _together(x, axis)
    ordered = _with_one(sort_(together, axis=0))
    n = expand_dims(count_nonzero(logical_not(isnan(together)), axis=0), 0)
    places = [maximum(i, 0) for i in ((n - 1) // 2, n // 2)]
    low, high = (getitem(take_along_axis(ordered, i, 0), 0) for i in places)
    result = (low + high) / 2
    return _kept(result, axes) if keepdims else result
