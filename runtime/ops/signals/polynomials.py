"""Polynomials by their coefficients, highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.ops.arrays.axes import flip
from runtime.ops.arrays.creation import arange, ones, zeros, zeros_like
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import atleast_1d, expand_dims, reshape
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.operands import Operand, dtype_of, rank_of, shape_of, type_of
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.comparison import equal, isclose, not_equal
from runtime.ops.elementwise.complex import conj, make_complex, real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import sqrt
from runtime.ops.elementwise.selection import where_
from runtime.ops.indexing.indexing import getitem, index_add
from runtime.ops.matrices.general_matrices import eigvals
from runtime.ops.matrices.least_squares import lstsq_
from runtime.ops.matrices.products import matmul, outer
from runtime.ops.matrices.systems import inv
from runtime.ops.reductions.reductions import all as all_
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.reductions import argmax
from runtime.ops.reductions.reductions import sum as sum_
from runtime.ops.reductions.scans import cumprod
from runtime.ops.reductions.sorting import sort
from runtime.ops.signals.sequences import convolve

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "roots",
    "vander",
]

_TWO = calls(
    lambda: (
        ((array((3,)), array((2,))), {}),
        ((array((2,)), array((4,))), {}),
        (([1, 2], [3, 4]), {}),
    )
)


def _coefficients(p: Operand) -> Any:
    return atleast_1d(asarray(p))


def _sized(p: Operand) -> Any:
    """Coefficients, of which NumPy asks how many they are. Raises TypeError for a number."""
    if rank_of(p) == 0:
        raise TypeError("len() of unsized object")
    return asarray(p)


def _led(p: Any, length: Any) -> Any:
    """`p` with zeros in front."""
    return concat([zeros((length - shape_of(p)[0],), type_of(p).dtype), p])


def _both(p: Operand, q: Operand) -> tuple[Any, Any]:
    p, q = _coefficients(p), _coefficients(q)
    m, n = shape_of(p)[0], shape_of(q)[0]
    if not (isinstance(m, int) and isinstance(n, int)):
        raise ValueError("polynomials need a known number of coefficients here")
    return (_led(p, n), q) if m < n else (p, _led(q, m) if n < m else q)


@implements("polyadd", samples=_TWO)
def polyadd(p: Operand, q: Operand, /) -> Any:
    """The sum of two polynomials.

    >>> ag.polyadd(np.array([1, 2]), np.array([1, 0, 5])).numpy()
    array([1, 1, 7])
    """
    p, q = _both(p, q)
    return p + q


@implements("polysub", samples=_TWO)
def polysub(p: Operand, q: Operand, /) -> Any:
    """The difference of two polynomials.

    >>> ag.polysub(np.array([1, 2]), np.array([1, 0, 5])).numpy()
    array([-1,  1, -3])
    """
    p, q = _both(p, q)
    return p - q


def _trimmed(p: Any, is_zero: Any) -> Any:
    """`p` from the first element on that counts; the last stays in any case."""
    first = where_(any_(~is_zero), argmax(~is_zero), shape_of(p)[0] - 1)
    return getitem(p, slice(first, None))


@implements("polymul", samples=_TWO)
def polymul(p: Operand, q: Operand, /) -> Any:
    """The product of two polynomials, of which leading zeros are left out.

    >>> ag.polymul(np.array([1, 2]), np.array([1, 0, 5])).numpy()
    array([ 1,  2,  5, 10])
    """
    p, q = _coefficients(p), _coefficients(q)
    return convolve(_trimmed(p, p == 0), _trimmed(q, q == 0))


@implements(
    samples=lambda: (((array((4,)), array((2,))), {}), ((array((2,)), array((3,))), {}), (
        (np.array([3.0, 5.0, 2.0]), np.array([2.0, 1.0])), {}),),
)  # fmt: skip
def polydiv(p: Operand, q: Operand, /) -> tuple[Any, Any]:
    """Quotient and remainder of two polynomials.

    >>> [r.tolist() for r in ag.polydiv(np.array([3.0, 5.0, 2.0]), np.array([2.0, 1.0]))]
    [[1.5, 1.75], [0.25]]
    """
    p, q = _coefficients(p) + 0.0, _coefficients(q) + 0.0
    m, n = shape_of(p)[0] - 1, shape_of(q)[0] - 1
    own = np.result_type(dtype_of(p), dtype_of(q))
    rest, found = astype(p, own, copy=False), []
    scale = 1.0 / getitem(q, 0)
    for k in range(m - n + 1):
        found.append(scale * getitem(rest, k))
        rest = index_add(rest, -found[-1] * q, slice(k, k + n + 1))
    quotient = concat([reshape(d, (1,)) for d in found]) if found else zeros((1,), own)
    return quotient, _trimmed(rest, isclose(rest, 0, rtol=1e-14))


@implements(
    samples=lambda: (
        ((array((4,)),), {}),
        ((array((4,)), 2), {}),
        ((array((1,)),), {}),
    ),
)
def polyder(p: Operand, /, m: int = 1) -> Any:
    """The derivative of order `m` of a polynomial.

    >>> ag.polyder(np.array([1, 1, 1, 1])).numpy()
    array([3, 2, 1])
    """
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = _sized(p)
    for _ in range(m):
        p = getitem(p, slice(None, -1)) * arange(shape_of(p)[0] - 1, 0, -1)
    return p


@implements(
    samples=lambda: (
        ((array((3,)),), {}),
        ((array((3,)), 2, [1.0, 2.0]), {}),
        ((array((3,)),), {"k": 3.0}),
    ),
)
def polyint(p: Operand, /, m: int = 1, k: Any = None) -> Any:
    """The integral of order `m` of a polynomial, with the constants `k`, highest order first.

    >>> ag.polyint(np.array([3.0, 2.0, 1.0])).numpy()
    array([1., 1., 1., 0.])
    """
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = zeros(m) if k is None else atleast_1d(asarray(k))
    if shape_of(constants)[0] == 1 and m > 1:
        constants = constants * ones(m)
    if shape_of(constants)[0] < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = _sized(p) if m > 0 else asarray(p)
    for i in range(m):
        scaled = p / arange(shape_of(p)[0], 0, -1)
        p = concat([scaled, reshape(getitem(constants, i), (1,))])
    return p


@implements(
    samples=lambda: (
        ((array((3,)),), {}),
        ((array((2,), "f4"),), {}),
        ((np.array([1, 2, 0]),), {}),
        ((np.array([True, False]),), {}),
    ),
)
def poly(roots: Operand, /) -> Any:
    """The polynomial with given zeros, and the leading coefficient 1.

    >>> ag.poly(np.array([1.0, 2.0])).numpy()
    array([ 1., -3.,  2.])
    """
    roots = _coefficients(roots)
    if rank_of(roots) == 2 and shape_of(roots)[0] == shape_of(roots)[1] != 0:
        found = poly(eigvals(roots))
        return real(found) if dtype_of(roots).kind != "c" else found
    if rank_of(roots) != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if dtype_of(roots).char not in "fdFD":
        roots = astype(roots, np.float64)
    if shape_of(roots)[0] == 0:
        return 1.0
    result: Any = ones((1,), dtype_of(roots))
    for i in range(shape_of(roots)[0]):
        zero = reshape(getitem(roots, i), (1,))
        result = convolve(result, concat([ones((1,), dtype_of(roots)), -zero]))
    if dtype_of(roots).kind != "c":
        return result
    paired = all_(equal(sort(roots), sort(conj(roots))))
    return where_(paired, make_complex(real(result), zeros_like(real(result))), result)


@implements(
    samples=lambda: (
        ((np.array([1.0, 0.0, 4.0]),), {}),
        (([0, 2, 0, 2, 0],), {}),
        ((array((4,), "c16"),), {}),
        ((np.array([2.0, 1.0, 3.0], "f4"),), {}),
    ),
)
def roots(p: Operand, /) -> Any:
    """The zeros of a polynomial, highest order first, in the order of NumPy: complex numbers.

    Their number depends on data: leading zeros of `p` do not count.

    >>> ag.roots(np.array([1.0, 0.0, 4.0])).numpy()
    array([-0.+2.j,  0.-2.j])
    """
    if rank_of(p) != 1:
        raise ValueError("Input must be a rank-1 array.")
    p = asarray(p)
    dtype = dtype_of(p) if kind_of(dtype_of(p)) in "fc" else np.dtype(float)
    size, counts = shape_of(p)[0], not_equal(p, 0)
    if isinstance(size, int) and size == 0:
        return zeros((0,), np.result_type(dtype, np.complex64))
    is_any = any_(counts)
    first = where_(is_any, argmax(counts), 0)
    last = where_(is_any, size - 1 - argmax(flip(counts)), 0)
    p = astype(getitem(p, slice(first, last + 1)), dtype)
    order = last - first
    row = expand_dims(arange(order), -1)
    companion = where_(
        equal(row, 0), -getitem(p, slice(1, None)) / getitem(p, 0),
        astype(equal(row, expand_dims(arange(order), 0) + 1), dtype),
    )  # fmt: skip
    found = eigvals(companion)
    return concat([found, zeros((where_(is_any, size - 1 - last, 0),), dtype_of(found))])


@implements(
    samples=lambda: (
        ((array((3,)),), {}),
        ((array((3,)), 2), {"increasing": True}),
        ((array((3,), "i8"), 4), {}),
        ((array((2,)), 0), {}),
    ),
)
def vander(x: Operand, /, N: int | None = None, increasing: bool = False) -> Any:
    """Powers of the vector `x`, a column for each; the highest first, unless `increasing`.

    >>> ag.vander(np.array([2, 3]), 3).tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    if rank_of(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    if isinstance(N, bool):
        raise TypeError("an integer is required")
    count = shape_of(x)[0] if N is None else N
    dtype = np.promote_types(dtype_of(x), int)
    factors = where_(arange(count) > 0, expand_dims(astype(x, dtype), 1), ones((1, count), dtype))
    column = cumprod(factors, 1)
    return column if increasing else flip(column, 1)


_X, _Y = np.array([0.0, 1.0, 2.0, 3.5, 5.0]), array((5,))


def _check_points(x: Operand, y: Operand, w: Operand) -> None:
    """Raise NumPy's errors for points that no polynomial can be fitted to."""
    if rank_of(x) != 1:
        raise TypeError("expected 1D vector for x")
    (count,) = shape_of(x)
    if isinstance(count, int) and count == 0:
        raise TypeError("expected non-empty vector for x")
    if rank_of(y) not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    rows = shape_of(y)[0]
    if isinstance(count, int) and isinstance(rows, int) and count != rows:
        raise TypeError("expected x and y to have same length")
    if w is None:
        return
    if rank_of(w) != 1:
        raise TypeError("expected a 1-d array for weights")
    (weights,) = shape_of(w)
    if isinstance(weights, int) and isinstance(rows, int) and weights != rows:
        raise TypeError("expected w and y to have the same length")


@implements(
    samples=lambda: (
        ((_X, _Y, 2), {}),
        ((_X, array((5, 2)), 1), {}),
        ((_X, _Y, 1), {"w": np.array([1.0, 2.0, 1.0, 0.5, 1.0])}),
        ((_X, _Y, 1), {"cov": True}),
        ((_X, _Y, 2), {"full": True}),
    ),
)
def polyfit(
    x: Operand,
    y: Operand,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Operand = None,
    cov: bool | str = False,
) -> Any:
    """The polynomial of degree `deg` that is closest to `y` at `x`, in weighted least squares.

    `w` multiplies the distances. With `full`, also residuals, rank, singular values and `rcond`;
    with `cov`, also the covariances of the coefficients, not scaled for "unscaled".

    >>> ag.polyfit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]), 1).round(6).tolist()
    [2.0, 1.0]
    """
    order = deg + 1
    if deg < 0:
        raise ValueError("expected deg >= 0")
    x, y, w = asarray(x), asarray(y), None if w is None else asarray(w)
    _check_points(x, y, w)
    x, y = x + 0.0, y + 0.0
    bound = shape_of(x)[0] * np.finfo(dtype_of(x)).eps if rcond is None else rcond
    left, right = vander(x, order), y
    if w is not None:
        w = w + 0.0
        left = left * expand_dims(w, 1)
        right = right * (expand_dims(w, 1) if rank_of(y) == 2 else w)
    scale = sqrt(sum_(left * left, axis=0))
    left = left / scale
    is_known = rcond is not None or isinstance(shape_of(x)[0], int)
    found, residuals, rank, values = lstsq_(left, right, rcond=float(bound) if is_known else "rows")
    found = found / (expand_dims(scale, 1) if rank_of(y) == 2 else scale)
    if full:
        return found, residuals, rank, values, bound
    if not cov:
        return found
    base = inv(matmul(left.T, left)) / outer(scale, scale)
    if cov == "unscaled":
        return found, base
    freedom = shape_of(x)[0] - order
    if isinstance(freedom, int) and freedom <= 0:
        raise ValueError(
            "the number of data points must exceed order to scale the covariance matrix"
        )
    factor = residuals / freedom
    return found, (base * factor if rank_of(y) == 1 else expand_dims(base, 2) * factor)
