"""Filters, interpolation, membership and the values of polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.errors import StagingError
from runtime.ops.arrays.agreement import in_shape_of
from runtime.ops.arrays.axes import flip
from runtime.ops.arrays.creation import zeros_like
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import atleast_1d, expand_dims, ravel
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
from runtime.ops.elementwise.arithmetic import abs as abs_
from runtime.ops.elementwise.comparison import (
    equal,
    greater,
    greater_equal,
    isnan,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.elementwise.selection import clip, maximum, minimum, where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.indexing.positions import take
from runtime.ops.reductions.reductions import all as all_
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.sorting import argsort, searchsorted
from runtime.spec import TensorType, promote

__all__ = ["convolve", "interp", "isin", "polyval"]


# ---- convolution -------------------------------------------------------------------------------


def _convolved(x: TensorType, y: TensorType) -> TensorType:
    dtype = promote(x.strong(), y.strong()).dtype
    sizes = []
    for t in (x, y):
        if t.rank != 1:
            raise ValueError("object too deep for desired array: `convolve` takes vectors")
        sizes.append(t.shape[0] if t.shape else None)
    if 0 in sizes:
        raise ValueError("`convolve` cannot take an empty vector")
    m, n = sizes
    return TensorType(dtype, (None if m is None or n is None else m + n - 1,))


def _convolve_vjp(g: Any, out: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return _correlated(g, x, y), _correlated(g, y, x)


def _correlated(g: Any, x: Any, y: Any) -> Any:
    """The cotangent of `x` in a convolution with `y`."""
    if not type_of(x).is_inexact:
        return None
    start = shape_of(y)[0] - 1
    whole = convolve_(g, flip(conjugated(y)))
    return getitem(whole, slice(start, start + shape_of(x)[0]))


@op(
    inputs=2,
    infer=_convolved,
    vjp=_convolve_vjp,
    reads=(0, 1),
    raises=lambda types, attrs: not all(t.is_static for t in types),
    samples=lambda: (
        ((array((4,)), array((3,))), {}),
        ((array((2,), "c16"), array((3,), "c16")), {}),
        ((array((2,), "f4"), array((5,), "f4")), {}),
        ((array((3,), "i8"), array((1,), "i8")), {}),
    ),
)
def convolve_(xp: Module, x: Array, y: Array) -> Array:
    """Full convolution of two vectors."""
    return xp.convolve(x, y)


@implements(
    samples=lambda: (
        *(((array((5,)), array((3,)), mode), {}) for mode in ("full", "same", "valid")),
        ((array((2,)), array((4,)), "same"), {}),
        ((array((3,)), 2.0), {}),
        ((array((3,)), array((2,)), 1), {}),
    ),
)
def convolve(x: Operand, y: Operand, /, mode: str | int = "full") -> Any:
    """Convolution of two vectors; "same" and "valid" are its middle parts (also 2, 1 and 0).

    >>> ag.convolve(np.array([1, 2, 3]), np.array([1, 1])).numpy()
    array([1, 3, 5, 3])
    """
    if is_tensor(mode):
        raise StagingError("`np.convolve` takes a word as `mode`, not a tensor", "write it out")
    x, y = atleast_1d(x), atleast_1d(y)
    whole = convolve_(x, y)
    if isinstance(mode, int) and 0 <= mode < 3:
        mode = ("valid", "same", "full")[mode]
    if mode == "full":
        return whole
    m, n = shape_of(x)[0], shape_of(y)[0]
    if isinstance(m, int) and isinstance(n, int):
        m, n = max(m, n), min(m, n)
    else:
        m, n = maximum(m, n), minimum(m, n)
    if mode == "same":
        start = (n - 1) // 2
        return getitem(whole, slice(start, start + m))
    if mode == "valid":
        return getitem(whole, slice(n - 1, m))
    raise ValueError(f"mode must be 'full', 'same' or 'valid', not {mode!r}")


# ---- interpolation -----------------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((array((6,), low=-1, high=4), np.arange(4.0), array((4,))), {}),
        ((1.5, np.arange(4.0), array((4,))), {"left": -9.0, "right": 9.0}),
        ((np.array([-1.0, 5.0, 2.5]), np.arange(4.0), array((4,)), -7.0, 7.0), {}),
        ((np.array([0.0, 3.0], "f4"), np.arange(4.0), array((4,)), -7.0, 7.0), {}),
        (
            (array((5,), low=-9, high=9), np.array([3.0, 0.5, 2.0]), array((3,))),
            {"period": 4.0},
        ),
    ),
)
def interp(
    x: Operand,
    points: Operand,
    values: Operand,
    /,
    left: Operand = None,
    right: Operand = None,
    period: Operand = None,
) -> Any:
    """The broken line through (`points`, `values`), both vectors, `points` increasing, at `x`.

    Outside it is the first or last value, or `left` or `right`. With a `period`, the line is
    repeated, and the points may be in any order.

    >>> ag.interp(np.array([0.5, 9.0]), np.array([0.0, 1.0]), np.array([0.0, 10.0])).numpy()
    array([ 5., 10.])
    """
    x, points, values = (_inexact(part) for part in (x, points, values))
    for part in (x, points):
        if dtype_of(part).kind == "c":
            raise TypeError(
                f"Cannot cast array data from {dtype_of(part)!r} to {np.dtype(float)!r} according "
                "to the rule 'safe'"
            )
    points, values = _line(points, values)
    if period is not None:
        left = right = None
        what = "period must be a non-zero value"
        if is_tensor(period):
            period = checked(period, not_equal(period, 0), what=what)
        elif period == 0:
            raise ValueError(what)
        period = abs_(period)
        x, points = x % period, points % period
        order = argsort(points)
        points, values = take(points, order), take(values, order)
        before, after = slice(-1, None), slice(None, 1)
        points = concat([getitem(points, before) - period, points, getitem(points, after) + period])
        values = concat([getitem(values, before), values, getitem(values, after)])
    rising = greater_equal(getitem(points, slice(1, None)), getitem(points, slice(None, -1)))
    points = checked(points, all_(rising), what=_NOT_RISING, error="LimitValueError")
    last = shape_of(points)[0] - 1
    i = clip(searchsorted(points, x, side="right") - 1, 0, last - 1)
    start, base = take(points, i), take(values, i)
    end, top = take(points, i + 1), take(values, i + 1)
    slope = (top - base) / (end - start)
    inside = slope * (x - start) + base
    # Beside what is not finite: as NumPy, the value at a point itself, and from the other point.
    other = slope * (x - end) + top
    level = where_(
        logical_or(equal(x, start), logical_and(isnan(other), equal(base, top))), base, other
    )
    inside = where_(logical_and(isnan(inside), logical_not(isnan(x))), level, inside)
    first, final = getitem(points, 0), getitem(points, -1)
    for beyond in (left, right):
        if beyond is not None and (
            rank_of(beyond) or (dtype_of(beyond).kind == "c" and dtype_of(values).kind != "c")
        ):
            raise TypeError(f"must be real number, not {type_of(beyond)}")
    low = getitem(values, 0) if left is None else left
    high = getitem(values, -1) if right is None else right
    result = where_(x < first, low, where_(x > final, high, inside))
    return where_(final == x, getitem(values, -1), result)


_NOT_RISING = (
    "the points of `interp` do not increase: what NumPy makes of such depends on the order of what "
    "is asked for; sort them first"
)


def _line(points: Any, values: Any) -> tuple[Any, Any]:
    """Points and values. Raises ValueError unless they are as many, and at least one."""
    size, what = shape_of(points)[0], "array of sample points is empty"
    if not isinstance(size, int):
        points = checked(points, greater(size, 0), what=what)
    elif not size:
        raise ValueError(what)
    return points, in_shape_of(points, values, "fp and xp are not of the same length.")


def _inexact(x: Operand) -> Any:
    """`x` in double precision, in which NumPy interpolates."""
    x = asarray(x) if isinstance(x, (list, tuple)) else x
    return astype(x, np.complex128 if dtype_of(x).kind == "c" else np.float64, copy=False)


# ---- sets and polynomials ----------------------------------------------------------------------


@implements("isin", samples=lambda: (((array((2, 3), "i8"), np.array([0, 1])), {}),))
def isin(x: Operand, tests: Operand, /, *, invert: bool = False) -> Any:
    """Whether each element of `x` is among those of `tests`.

    >>> ag.isin(np.array([1, 2, 3]), np.array([3, 1])).numpy()
    array([ True, False,  True])
    """
    result = any_(expand_dims(x, -1) == ravel(tests), axis=-1)
    return ~result if invert else result


@implements(
    samples=lambda: (
        ((array((3,)), array((2, 2))), {}),
        (([1.0, 2.0], np.array([3.0])), {}),
        ((array((3,), "?"), array((2,), "?")), {}),
    ),
)
def polyval(p: Operand | Sequence[Operand], x: Operand, /) -> Any:
    """Value at `x` of the polynomial with coefficients `p`, highest power first.

    >>> ag.polyval(np.array([1.0, 0.0, 2.0]), 3.0).item()
    11.0
    """
    coefficients = (
        list(p) if isinstance(p, (list, tuple)) else [getitem(p, i) for i in range(shape_of(p)[0])]
    )
    if isinstance(p, (list, tuple)) and p:  # NumPy makes an array of it, of one dtype
        dtype = promote(*(type_of(c).strong() for c in coefficients)).dtype
        coefficients = [astype(c, dtype) for c in coefficients]
    result: Any = zeros_like(x)
    for c in coefficients:
        result = result * x + c
    return result
