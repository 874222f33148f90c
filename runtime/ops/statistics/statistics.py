"""Reductions that pass over nan, counts and covariances. All are composed of other ops."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.dtypes import kind_of, limits_of
from runtime.ops.arrays.axes import moveaxis, permute_dims
from runtime.ops.arrays.creation import full, zeros
from runtime.ops.arrays.diagonals import diagonal
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import expand_dims, reshape, squeeze
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import as_weak, checked
from runtime.ops.declaration.operands import (
    Axes,
    Operand,
    dtype_of,
    is_tensor,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.comparison import equal, greater_equal, isinf, isnan, signbit
from runtime.ops.elementwise.complex import imag, make_complex, real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import sqrt
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.elementwise.selection import clip, maximum, where_
from runtime.ops.indexing.indexing import getitem, index_add
from runtime.ops.indexing.positions import not_negative
from runtime.ops.matrices.products import matmul
from runtime.ops.numpy_compat.writing import copied_to
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.reductions import count_nonzero, mean, per_count
from runtime.ops.reductions.reductions import max as max_
from runtime.ops.reductions.reductions import min as min_
from runtime.ops.reductions.reductions import prod as prod_
from runtime.ops.reductions.reductions import sum as sum_
from runtime.ops.reductions.scans import diff

__all__ = [
    "bincount",
    "corrcoef",
    "cov",
    "nan_to_num",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nansum",
    "trapezoid",
]


# ---- over nan ----------------------------------------------------------------------------------

_HOLES = np.where(array((3, 4)) > 1, np.nan, array((3, 4)))
_NAN_CALLS = calls(
    lambda: (
        ((_HOLES,), {}),
        ((_HOLES, 0), {}),
        ((_HOLES.astype("f4"), 1), {"keepdims": True}),
        ((array((3,), "i8"),), {}),
    )
)


def _filled(x: Operand, value: float) -> Any:
    return where_(isnan(x), value, x) if kind_of(dtype_of(x)) in "fc" else x


@implements("nansum", samples=_NAN_CALLS)
def nansum(x: Operand, /, axis: Axes = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
    """Sum over `axis` (None: all) of the elements that are not nan.

    >>> ag.nansum(np.array([1.0, np.nan, 2.0])).item()
    3.0
    """
    return sum_(_filled(x, 0), axis=axis, dtype=dtype, keepdims=keepdims)


@implements("nanprod", samples=_NAN_CALLS)
def nanprod(x: Operand, /, axis: Axes = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
    """Product over `axis` (None: all) of the elements that are not nan.

    >>> ag.nanprod(np.array([3.0, np.nan, 2.0])).item()
    6.0
    """
    return prod_(_filled(x, 1), axis=axis, dtype=dtype, keepdims=keepdims)


@implements("nanmean", samples=_NAN_CALLS)
def nanmean(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Any:
    """Mean over `axis` (None: all) of the elements that are not nan.

    >>> ag.nanmean(np.array([1.0, np.nan, 2.0])).item()
    1.5
    """
    if not type_of(x).is_inexact:  # whose sums may not fit in an integer
        return mean(x, axis=axis, keepdims=keepdims)
    total = nansum(x, axis=axis, keepdims=keepdims)
    known = count_nonzero(isnan(x) == False, axis=axis, keepdims=keepdims)  # noqa: E712
    return per_count(total, known)


@implements("nanmax", samples=_NAN_CALLS)
def nanmax(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Any:
    """Largest element over `axis` (None: all) that is not nan; nan where all are.

    >>> ag.nanmax(np.array([1.0, np.nan, 2.0])).item()
    2.0
    """
    return _over_nan(max_, x, -np.inf, axis, keepdims)


@implements("nanmin", samples=_NAN_CALLS)
def nanmin(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Any:
    """Smallest element over `axis` (None: all) that is not nan; nan where all are.

    >>> ag.nanmin(np.array([1.0, np.nan, 2.0])).item()
    1.0
    """
    return _over_nan(min_, x, np.inf, axis, keepdims)


def _over_nan(extreme: Any, x: Operand, worst: float, axis: Axes, keepdims: bool) -> Any:
    result = extreme(_filled(x, worst), axis=axis, keepdims=keepdims)
    if kind_of(dtype_of(x)) not in "fc":
        return result
    is_known = any_(isnan(x) == False, axis=axis, keepdims=keepdims)  # noqa: E712
    return where_(is_known, result, np.nan)


@implements(
    samples=lambda: (
        ((np.array([1.0, np.nan, np.inf, -np.inf]),), {}),
        ((np.array([1.0, np.nan, np.inf], "f4"),), {"nan": -1.0, "posinf": 9.0}),
        ((array((3,), "i8"),), {}),
        ((np.array([complex(np.nan, 1), complex(2, -np.inf)], "c8"),), {"nan": 5.0}),
    ),
)
def nan_to_num(
    x: Operand,
    /,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Any:
    """`x` with numbers for nan and, by default the largest ones, for infinities.

    Of complex numbers, both parts are.

    With `copy=False` they are written into `x`, which is the result.

    >>> ag.nan_to_num(np.array([1.0, np.nan])).numpy()
    array([1., 0.])
    """
    if not copy and type_of(x).rank != 0:
        x[...] = nan_to_num(x, True, nan, posinf, neginf)
        return x
    own = type_of(x)
    if own.dtype.kind == "c":
        parts = (nan_to_num(part, True, nan, posinf, neginf) for part in (real(x), imag(x)))
        return make_complex(*parts)
    if kind_of(own.dtype) != "f":
        return where_(True, x, x)
    limits = limits_of(own.dtype)
    low = copied_to(x, limits.min if neginf is None else neginf)
    high = copied_to(x, limits.max if posinf is None else posinf)
    result = where_(isnan(x), copied_to(x, nan), x)
    return where_(isinf(x), where_(signbit(x), low, high), result)


# ---- counts and covariances --------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((np.array([1, 3, 1]),), {}),
        ((np.array([1, 3, 1]), array((3,))), {}),
        ((np.array([1, 0]),), {"minlength": 5}),
        ((np.zeros((0,), int),), {"minlength": 2}),
        ((np.array([1, 3, 1], "u1"),), {}),
        ((np.array([True, False]),), {"minlength": 3}),
    ),
)
def bincount(x: Operand, /, weights: Operand = None, minlength: int = 0) -> Any:
    """How often each number up to the largest occurs in `x`, or the sum of its `weights`.

    Raises ValueError for a negative number, for an `x` that is no vector, and for other than one
    weight for each of its elements.

    >>> ag.bincount(np.array([1, 3, 1])).numpy()
    array([0, 2, 0, 1])
    """
    if not np.can_cast(dtype_of(x), np.intp, "safe"):
        raise TypeError(
            f"Cannot cast array data from {dtype_of(x)!r} to {np.dtype(np.intp)!r} according to "
            "the rule 'safe'"
        )
    if rank_of(x) != 1:
        raise ValueError(
            "object of too small depth for desired array" if rank_of(x) < 1
            else "object too deep for desired array"
        )  # fmt: skip
    x = not_negative(astype(x, np.intp, copy=False), what="'list' argument")
    what = "'minlength' must not be negative"
    if is_tensor(minlength):
        minlength = checked(minlength, greater_equal(minlength, 0), what=what)
    elif operator.index(minlength) < 0:
        raise ValueError(what)
    if weights is not None:
        if dtype_of(weights).kind == "c":
            raise TypeError(
                f"Cannot cast array data from {dtype_of(weights)!r} to {np.dtype(float)!r} "
                "according to the rule 'safe'"
            )
        sizes = [shape_of(x)[0], *shape_of(weights)]
        if len(sizes) != 2 or (all(isinstance(n, int) for n in sizes) and sizes[0] != sizes[1]):
            raise ValueError("The weights and list don't have the same length.")
    last = max_(concat([x, full((1,), minlength - 1, np.intp)]))
    if weights is None:
        return index_add(zeros((last + 1,), np.intp), 1, (x,))
    return index_add(zeros((last + 1,), np.float64), astype(weights, np.float64), (x,))


def _rows(x: Operand, rowvar: bool, what: str) -> Any:
    """Observations as one row per variable."""
    if rank_of(x) > 2:
        raise ValueError(f"{what} has more than 2 dimensions")
    if rank_of(x) < 2:
        return reshape(x, (1, -1))
    return x if rowvar else permute_dims(x, (1, 0))


def _as_weights(weights: Operand, dtype: np.dtype[Any]) -> Any:
    if rank_of(weights) > 1:
        raise RuntimeError("cannot handle multidimensional weights")
    return astype(weights, dtype)


@implements(
    samples=lambda: (
        ((array((2, 5)),), {}),
        ((array((4,)),), {}),
        ((array((5, 2)),), {"rowvar": False}),
        ((array((4,)), array((2, 4))), {"bias": True}),
        ((array((2, 5), "f4"),), {"ddof": 2}),
        ((array((2, 5), "c16"),), {"aweights": array((5,), low=1)}),
        ((array((2, 3)),), {"fweights": np.array([1, 3, 2]), "aweights": array((3,), low=1)}),
        ((array((2, 3)),), {"fweights": np.array([1, 3, 2])}),
        ((array((2, 3)),), {"dtype": np.dtype("f4")}),
    ),
)
def cov(
    x: Operand,
    /,
    y: Operand = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Operand = None,
    aweights: Operand = None,
    *,
    dtype: Any = None,
) -> Any:
    """Covariances of the rows of `x` and `y` (columns, unless `rowvar`).

    The divisor is `n - ddof`; `ddof` is 1, with `bias` 0. `fweights` say how often an observation
    occurs, `aweights` how much it counts.

    >>> ag.cov(np.array([[1.0, 3.0], [2.0, 6.0]])).tolist()
    [[2.0, 4.0], [4.0, 8.0]]
    """
    return squeeze(_covariances(x, y, rowvar, bias, ddof, fweights, aweights, dtype))


def _covariances(
    x: Operand,
    y: Operand,
    rowvar: bool,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Operand = None,
    aweights: Operand = None,
    dtype: Any = None,
) -> Any:
    """As `cov`, always a matrix."""
    if dtype is None:
        dtypes = [dtype_of(part) for part in (x, y) if part is not None]
        dtype = np.result_type(*dtypes, np.float64)
    rows = astype(_rows(x, rowvar, "m"), dtype)
    if y is not None:
        rows = concat([rows, astype(_rows(y, rowvar, "y"), dtype)], axis=0)
    ddof = int(not bias) if ddof is None else ddof
    real_dtype = np.dtype(dtype).type(0).real.dtype
    given = [_as_weights(w, real_dtype) for w in (fweights, aweights) if w is not None]
    if not given:
        centred = rows - mean(rows, axis=1, keepdims=True)
        return _products(centred, centred, _not_below_zero(shape_of(rows)[1] - ddof))
    weights = given[0] * given[1] if len(given) == 2 else given[0]
    total = sum_(weights)
    centred = rows - expand_dims(sum_(rows * weights, axis=1) / total, 1)
    if ddof == 0:
        divisor = total
    elif aweights is None:
        divisor = total - ddof
    else:
        divisor = total - ddof * sum_(weights * given[-1]) / total
    return _products(centred, centred * weights, _not_below_zero(divisor))


def _not_below_zero(divisor: Any) -> Any:
    if not is_tensor(divisor):
        return max(divisor, 0)
    least = maximum(divisor, 0)
    return as_weak(least) if type_of(divisor).weak else least


def _products(left: Any, right: Any, divisor: Any) -> Any:
    return matmul(left, conjugated(permute_dims(right, (1, 0)))) / divisor


@implements(
    samples=lambda: (
        ((array((2, 5)),), {}),
        ((array((4,)), array((4,), salt=1)), {}),
        ((array((5, 2)),), {"rowvar": False}),
        ((array((4,)),), {}),
    ),
)
def corrcoef(x: Operand, /, y: Operand = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """Correlations of the rows of `x` and `y` (columns, unless `rowvar`); see `cov`.

    >>> ag.corrcoef(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 8.0])).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    covariances = _covariances(x, y, rowvar, dtype=dtype)
    count = shape_of(covariances)[0]
    if isinstance(count, int):
        return squeeze(_correlations(covariances) if count != 1 else covariances / covariances)
    of_one = covariances / covariances  # exactly 1, or nan
    return squeeze(where_(equal(count, 1), of_one, _correlations(covariances)))


def _correlations(covariances: Any) -> Any:
    deviations = sqrt(real(diagonal(covariances)))
    scaled = covariances / expand_dims(deviations, 1) / expand_dims(deviations, 0)
    if dtype_of(scaled).kind != "c":
        return clip(scaled, -1, 1)
    return make_complex(clip(real(scaled), -1, 1), clip(imag(scaled), -1, 1))


# ---- integrals ---------------------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((array((5,)),), {}),
        ((array((5,)), array((5,), salt=1)), {}),
        ((array((2, 5)),), {"dx": 0.5}),
        ((array((5, 2)), array((5,), salt=1)), {"axis": 0}),
    ),
)
def trapezoid(y: Operand, /, x: Operand = None, dx: Operand = 1.0, axis: int = -1) -> Any:
    """Integral of `y` over `axis` by the trapezoidal rule, at points `x` or `dx` apart.

    >>> ag.trapezoid(np.array([1.0, 2.0, 3.0])).item()
    4.0
    """
    y = moveaxis(y, axis, -1)
    if x is not None:
        dx = diff(x if rank_of(x) == 1 else moveaxis(x, axis, -1), axis=-1)
    after, before = getitem(y, (..., slice(1, None))), getitem(y, (..., slice(None, -1)))
    return sum_(dx * (after + before) / 2.0, axis=-1)
