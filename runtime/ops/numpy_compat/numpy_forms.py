"""What NumPy's functions have beyond ours: `where` and `initial` of reductions, other results.

They are met when NumPy's own function is called on a tensor; ours have the arguments of the array
API standard. `out` and such are the business of `numpy_calls`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.ops.arrays import creation
from runtime.ops.arrays.axes import moveaxis
from runtime.ops.arrays.broadcasting import broadcast_to
from runtime.ops.arrays.creation import full
from runtime.ops.arrays.joining import concat, stack
from runtime.ops.arrays.shapes import ravel
from runtime.ops.declaration.declare import Samples, implements
from runtime.ops.declaration.operands import (
    Axes,
    Operand,
    dtype_of,
    is_tensor,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise import complex as complex_
from runtime.ops.elementwise.comparison import isnan, logical_and, logical_not
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import sqrt
from runtime.ops.elementwise.selection import fmax, fmin, maximum, minimum, where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.matrices import products
from runtime.ops.reductions import reductions
from runtime.ops.statistics import statistics
from runtime.origins import warn_caller
from runtime.spec import promote

__all__: list[str] = []

_X, _MASK = array((2, 3)), array((2, 3), "?")
_HOLES = np.where(_X > 1, np.nan, _X)


# ---- reductions with `where` and `initial` -------------------------------------------------------


def _chosen(x: Operand, where: Operand, neutral: Operand) -> Any:
    """`x` with a neutral element where it is not to be counted."""
    if where is True:
        return x
    if rank_of(where) > rank_of(x):
        what = "input operand has more dimensions than allowed by the axis remapping"
        raise ValueError(what)
    return where_(where, x, neutral)


def _with_initial(x: Operand, axis: int | None, initial: Operand) -> Any:
    """`x` with one element (or slice) more along its axis: an empty axis has an extreme then."""
    if axis is None:
        x, axis = ravel(x), 0
    shape = list(shape_of(x))
    shape[normal_axis(axis, rank_of(x))] = 1
    return concat([x, full(tuple(shape), initial, dtype_of(x))], axis)


def _may_be_empty(x: Operand, axis: Axes) -> list[int]:
    """The axes among those reduced that may have no elements."""
    shape = shape_of(x)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    numbers = [normal_axis(number, len(shape)) for number in axes]
    return [n for n in numbers if not (isinstance(shape[n], int) and shape[n])]


def _reduction(
    reduce: Callable[..., Any],
    join: Callable[..., Any] | None,
    neutral: float | None,
    *names: str,
    samples: Samples,
) -> None:
    """Declare the meaning of the NumPy functions `names`: `reduce`, which may leave elements out.

    `neutral` takes the place of an element that is left out, and `join` takes in the initial
    value. An extreme has no neutral element: there `initial` is one.
    """

    def reduction(
        x: Operand,
        /,
        axis: Axes = None,
        dtype: Any = None,
        keepdims: bool = False,
        initial: Operand = None,
        where: Operand = True,
    ) -> Any:
        further = {} if dtype is None else {"dtype": dtype}
        if neutral is None and where is not True and initial is None:
            raise ValueError(
                f"reduction operation '{_UFUNCS[names[0]]}' does not have an identity, so to use "
                "a where mask one has to specify 'initial'"
            )
        x = _chosen(x, where, initial if neutral is None else neutral)
        if initial is None or join is None:
            return reduce(x, axis=axis, keepdims=keepdims, **further)
        if neutral is None and not keepdims and not isinstance(axis, tuple):
            return reduce(_with_initial(x, axis, initial), axis=axis or 0, keepdims=False)
        if neutral is None:
            for number in _may_be_empty(x, axis):
                x = _with_initial(x, number, initial)
        return join(reduce(x, axis=axis, keepdims=keepdims, **further), initial)

    reduction.__name__ = f"numpy_{names[0]}"
    reduction.__doc__ = f"`numpy.{names[0]}`."
    implements(*names, samples=samples, simpler=reduce)(reduction)


_UFUNCS = {"max": "maximum", "min": "minimum", "nanmax": "fmax", "nanmin": "fmin"}
_MASKED: Any = (((_X,), {"where": _MASK}), ((_X, 1), {"keepdims": True}))
_SUMS = calls(
    lambda: (
        *_MASKED,
        ((_X, 0), {"initial": 2.5}),
    )
)
_NAN_SUMS = calls(
    lambda: (
        ((_HOLES,), {"where": _MASK}),
        ((_HOLES, 0), {"initial": 2.5}),
    )
)
_TRUTHS = calls(
    lambda: (
        ((_X > 0,), {"where": _MASK}),
        ((_X > 0, 0), {}),
    )
)
_EXTREMES = calls(
    lambda: (
        ((_X,), {}),
        ((_X, 1), {"keepdims": True}),
        ((_X, 0), {"initial": 0.5}),
        ((_X,), {"initial": -9.0, "where": _MASK}),
        ((array((0, 3)), 0), {"initial": 1.5}),
        ((_X, (0, 1)), {"initial": 0.5}),
        ((array((0, 3)), (0,)), {"initial": 1.5, "keepdims": True}),
        ((array((0, 3)), 0), {"initial": 1.5, "keepdims": True}),
        ((array((2, 0)), (0, 1)), {"initial": 1.5}),
        ((array((2, 0)),), {"initial": 1.5, "keepdims": True}),
    )
)
_NAN_EXTREMES = calls(
    lambda: (
        ((_HOLES,), {}),
        ((_HOLES, 0), {"initial": 0.5}),
        ((_HOLES,), {"initial": 9.0, "where": _MASK}),
    )
)

_reduction(reductions.sum, lambda r, a: r + a, 0, "sum", samples=_SUMS)
_reduction(reductions.prod, lambda r, a: r * a, 1, "prod", samples=_SUMS)
_reduction(reductions.any, None, 0, "any", samples=_TRUTHS)
_reduction(reductions.all, None, 1, "all", samples=_TRUTHS)
_reduction(reductions.max, maximum, None, "max", "amax", samples=_EXTREMES)
_reduction(reductions.min, minimum, None, "min", "amin", samples=_EXTREMES)
_reduction(statistics.nansum, lambda r, a: r + a, 0, "nansum", samples=_NAN_SUMS)
_reduction(statistics.nanprod, lambda r, a: r * a, 1, "nanprod", samples=_NAN_SUMS)
_reduction(statistics.nanmax, fmax, None, "nanmax", samples=_NAN_EXTREMES)
_reduction(statistics.nanmin, fmin, None, "nanmin", samples=_NAN_EXTREMES)


# ---- means and deviations of chosen elements -----------------------------------------------------


def _sum_and_count(x: Operand, where: Operand, **how: Any) -> tuple[Any, Any]:
    """Sum of the elements that count, and how many they are."""
    total = reductions.sum(_chosen(x, where, 0), **how)
    return total, reductions.sum(
        broadcast_to(where, shape_of(x)), axis=how["axis"], keepdims=how["keepdims"]
    )


@implements("mean", samples=lambda: (*_MASKED,), simpler=reductions.mean)
def numpy_mean(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> Any:
    """`numpy.mean`."""
    if where is True:
        return reductions.mean(x, axis=axis, dtype=dtype, keepdims=keepdims)
    total, count = _sum_and_count(x, where, axis=axis, dtype=dtype, keepdims=keepdims)
    own = dtype_of(total) if kind_of(dtype_of(total)) in "fc" else np.float64
    return astype(total / count, own, copy=False)


@implements(
    "nanmean",
    samples=lambda: (
        ((_HOLES,), {"where": _MASK}),
        ((_HOLES,), {}),
    ),
)
def numpy_nanmean(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> Any:
    """`numpy.nanmean`."""
    if where is True and dtype is None:
        return statistics.nanmean(x, axis, keepdims=keepdims)
    x = x if dtype is None else astype(x, dtype)
    known = logical_and(logical_not(isnan(x)), where)
    return numpy_mean(where_(known, x, 0), axis, None, keepdims, where=known)


def _mean_square(
    x: Operand,
    axis: Axes,
    dtype: Any,
    ddof: float,
    keepdims: bool,
    where: Operand,
    mean: Operand,
) -> Any:
    """Mean square of the deviations from the mean (or from `mean`) of the elements that count."""
    if dtype is not None or dtype_of(x).kind in "biu":
        x = astype(x, np.float64 if dtype is None else dtype)
    centre = numpy_mean(x, axis, None, True, where=where) if mean is None else mean
    away = x - centre
    square = complex_.real(away * complex_.conj(away)) if dtype_of(x).kind == "c" else away * away
    mask = broadcast_to(where, shape_of(x))
    total, count = _sum_and_count(square, mask, axis=axis, keepdims=keepdims)
    return astype(total / maximum(count - ddof, 0), dtype_of(total), copy=False)


def _ddof(ddof: float, correction: float | None) -> float:
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


_SPREAD = calls(
    lambda: (
        *_MASKED,
        ((_X, 0), {"mean": np.mean(_X, axis=0, keepdims=True), "ddof": 1}),
        ((array((2, 3), "c16"),), {"where": _MASK}),
    )
)


@implements("var", samples=_SPREAD)
def numpy_var(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand = None,
    correction: float | None = None,
) -> Any:
    """`numpy.var`."""
    ddof = _ddof(ddof, correction)
    if where is True and mean is None:
        return reductions.var(x, axis, dtype, ddof, keepdims)
    return _mean_square(x, axis, dtype, ddof, keepdims, where, mean)


@implements("std", samples=_SPREAD)
def numpy_std(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand = None,
    correction: float | None = None,
) -> Any:
    """`numpy.std`."""
    ddof = _ddof(ddof, correction)
    if where is True and mean is None:
        return reductions.std(x, axis, dtype, ddof, keepdims)
    return sqrt(_mean_square(x, axis, dtype, ddof, keepdims, where, mean))


# ---- other forms of one result -------------------------------------------------------------------


@implements(
    "angle",
    samples=lambda: (
        ((array((3,), "c16"),), {"deg": True}),
        ((_X,), {}),
    ),
)
def numpy_angle(x: Operand, /, deg: bool = False) -> Any:
    """`numpy.angle`."""
    result = complex_.angle(x)
    return result * (180 / math.pi) if deg else result


@implements(
    "linspace",
    samples=lambda: (
        ((0.0, array((3,))), {"num": 4, "axis": -1}),
        ((0.0, 2.0, 5), {"retstep": True}),
        ((0.0, array((2,)), 5, False), {"retstep": True}),
    ),
)
def numpy_linspace(
    start: Operand,
    stop: Operand,
    /,
    num: Operand = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`numpy.linspace`."""
    result = creation.linspace(start, stop, num=num, endpoint=endpoint, dtype=dtype)
    if axis != 0:
        result = moveaxis(result, 0, axis)
    if not retstep:
        return result
    parts = num - 1 if endpoint else num
    if not is_tensor(parts) and parts <= 0:
        return result, np.nan
    own = promote(type_of(start), type_of(stop), type_of(1.0)).dtype
    whole = astype(stop, own) - astype(start, own)
    if not is_tensor(parts):
        return result, whole / parts
    step = whole / astype(maximum(parts, 1), own)
    return result, where_(parts > 0, step, own.type(np.nan))


@implements(
    "cross",
    samples=lambda: (
        ((array((3,)), array((3,), salt=1)), {}),
        ((array((3, 2)), array((3, 2), salt=1)), {"axis": 0}),
        ((array((3, 2)), array((2, 3))), {"axisa": 0, "axisc": 0}),
    ),
)
def numpy_cross(
    x: Operand,
    y: Operand,
    /,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Any:
    """`numpy.cross`, of vectors of two elements too where this version of NumPy takes them."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    sizes = (shape_of(a)[-1], shape_of(b)[-1])
    if all(n == 3 if isinstance(n, int) else True for n in sizes):
        return moveaxis(products.cross_of_last(a, b), -1, axisc)
    if not all(isinstance(n, int) for n in sizes):
        # Vectors of two and of two give numbers, of two and of three vectors.
        known = next(n for n in sizes if isinstance(n, int))
        raise StagingError(
            f"`np.cross` of vectors of {known} elements and of others of a size only the run tells",
            "give that size, as in `x[:, :3]`, or as one of the argument's specification",
        )
    _ask_numpy_to_cross(*sizes)
    a0, a1, *a2 = (getitem(a, (..., i)) for i in range(sizes[0]))
    b0, b1, *b2 = (getitem(b, (..., i)) for i in range(sizes[1]))
    last = a0 * b1 - a1 * b0
    if not a2 and not b2:  # NumPy gives an array, of rank 0, too
        return last.as_array() if is_tensor(last) else last
    first, second = (a1 * b2[0], -(a0 * b2[0])) if b2 else (-(a2[0] * b1), a2[0] * b0)
    return moveaxis(stack([first, second, last], -1), -1, axisc)


def _ask_numpy_to_cross(size: int, other: int) -> None:
    """Raise, or warn at the user's line, as NumPy does for vectors of such sizes."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        np.cross(np.zeros(size), np.zeros(other))
    for warning in said:
        warn_caller(str(warning.message), warning.category)
