"""Norms of vectors and matrices, and what is told by singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.axes import moveaxis
from runtime.ops.arrays.shapes import expand_dims, reshape
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import as_weak
from runtime.ops.declaration.operands import (
    Operand,
    dtype_of,
    normal_axes,
    rank_of,
    refuse_bool_axis,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.arithmetic import abs
from runtime.ops.elementwise.comparison import isnan, logical_and, logical_not
from runtime.ops.elementwise.complex import real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import sqrt
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.elementwise.selection import maximum, where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.matrices.decompositions import svdvals
from runtime.ops.matrices.systems import inv
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.reductions import count_nonzero
from runtime.ops.reductions.reductions import max as max_
from runtime.ops.reductions.reductions import min as min_
from runtime.ops.reductions.reductions import sum as sum_

__all__ = ["cond", "matrix_norm", "matrix_rank", "norm", "vector_norm"]


def _square_of_size(x: Operand) -> Any:
    """|x|^2, differentiable at 0."""
    return real(x * conjugated(x)) if type_of(x).dtype.kind == "c" else x * x


def _inexact(x: Operand) -> Any:
    return x if type_of(x).is_inexact else astype(x, np.float64)


@implements(
    "linalg.vector_norm",
    samples=lambda: (
        ((array((3,)),), {}),
        *(((array((2, 3)),), {"axis": 1, "ord": n}) for n in (0, 3)),
    ),
)
def vector_norm(x: Operand, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Any:
    """Norm of the vectors along `axis` (None: of all elements): (sum |x|^ord)^(1/ord).

    >>> ag.linalg.vector_norm(np.array([3.0, 4.0])).item()
    5.0
    """
    x = _inexact(x)
    if ord == np.inf:
        return max_(abs(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return min_(abs(x), axis=axis, keepdims=keepdims)
    if ord == 2:
        return sqrt(sum_(_square_of_size(x), axis=axis, keepdims=keepdims))
    if ord == 0:
        is_single = dtype_of(x).char in "fF"
        dtype = np.float32 if is_single else np.float64
        return sum_(x != 0, axis=axis, keepdims=keepdims, dtype=dtype)
    if ord == 1:
        return sum_(abs(x), axis=axis, keepdims=keepdims)
    return sum_(abs(x) ** float(ord), axis=axis, keepdims=keepdims) ** (1 / ord)


@implements(
    "linalg.matrix_norm",
    samples=lambda: (
        ((array((2, 3, 2)),), {}),
        ((array((2, 3)),), {"ord": 1}),
        ((array((2, 3), "i8"),), {"ord": np.inf}),
    ),
)
def matrix_norm(x: Operand, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of each matrix of `x`: "fro"; 1, -1, inf, -inf (the largest or smallest sum of a column
    or row); 2, -2, "nuc" (the largest, the smallest, the sum of the singular values).

    >>> ag.linalg.matrix_norm(np.array([[3.0, 0.0], [0.0, 4.0]])).item()
    5.0
    """
    if ord in ("fro", None):
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in (2, -2, "nuc"):
        reduce = {2: max_, -2: min_, "nuc": sum_}[ord]
        result = reduce(svdvals(x), axis=-1)
        return expand_dims(result, (-2, -1)) if keepdims else result
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    x = _inexact(x)
    summed = -2 if ord in (1, -1) else -1
    sums = sum_(abs(x), axis=summed, keepdims=True)
    result = (max_ if ord > 0 else min_)(sums, axis=(-2, -1), keepdims=True)
    return result if keepdims else reshape(result, shape_of(result)[:-2])


@implements(
    "linalg.norm",
    samples=lambda: (
        ((array((3,)),), {}),
        ((array((2, 3)),), {}),
        ((array((2, 3)), 1), {}),
        ((array((2, 3)), np.inf, 1), {}),
        ((array((2, 3)), 3, 0), {"keepdims": True}),
        ((array((2, 3), "c16"), "fro"), {}),
        *(((array((2, 3)), ord), {}) for ord in (2, -2, "nuc", -1)),
        ((array((2, 3, 4)), 2, (2, 0)), {"keepdims": True}),
        ((array((2, 3, 4)), 1, (1, 0)), {}),
    ),
)
def norm(x: Operand, /, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of a vector or matrix; of order `ord`, over one or two axes.

    >>> ag.linalg.norm(np.array([3.0, 4.0])).item()
    5.0
    """
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    if isinstance(axis, list):
        raise TypeError("'axis' must be None, an integer or a tuple of integers")
    if isinstance(axis, tuple):
        refuse_bool_axis(axis)
    axes = normal_axes(axis, rank_of(x))
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    result = matrix_norm(moveaxis(x, axes, (-2, -1)), keepdims=keepdims, ord=ord)
    return moveaxis(result, (-2, -1), axes) if keepdims else result


# ---- what singular values tell -------------------------------------------------------------------


@implements(
    "linalg.cond",
    samples=lambda: (
        ((array((2, 2)),), {}),
        ((array((2, 3, 2)), -2), {}),
        *(((array((2, 2, 2)), p), {}) for p in (1, -1, np.inf, -np.inf, "fro", "nuc")),
        ((np.array([[2, 1], [1, 5]]), 1), {}),
    ),
)
def cond(x: Operand, /, p: Any = None) -> Any:
    """Largest over smallest singular value of each matrix of `x`; with `p` -2, the inverse of it.

    Other `p` are orders of `matrix_norm`: the norm of the matrix times that of its inverse. Raises
    LinAlgError for these where a matrix is singular.

    >>> ag.linalg.cond(np.array([[4.0, 0.0], [0.0, 2.0]])).item()
    2.0
    """
    if 0 in (n for n in shape_of(x)[-2:] if isinstance(n, int)):
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p not in (None, 2, -2):
        return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)
    values = svdvals(x)
    first, last = (0, -1) if p != -2 else (-1, 0)
    above, below = getitem(values, (..., first)), getitem(values, (..., last))
    result = where_(below == 0, np.inf, above / where_(below == 0, 1, below))
    spoiled = any_(isnan(x), axis=(-2, -1))
    return where_(logical_and(isnan(result), logical_not(spoiled)), np.inf, result)


@implements(
    "linalg.matrix_rank",
    samples=lambda: (
        ((array((2, 3)),), {}), ((np.ones((3, 3)),), {}), ((array((2, 2, 2)), 10.0), {}),
        ((np.zeros(3),), {}),),
)  # fmt: skip
def matrix_rank(x: Operand, /, tol: Operand = None, *, rtol: Operand = None) -> Any:
    """Number of singular values of each matrix of `x` above `tol`, or `rtol` times the largest.

    By default `rtol` is the larger size times the precision of the dtype.

    >>> ag.linalg.matrix_rank(np.ones((3, 3))).item()
    1
    """
    if rank_of(x) < 2:
        return as_weak(any_(x != 0), kind="int")
    values = svdvals(x)
    if tol is None:
        rows, columns = shape_of(x)[-2:]
        is_known = isinstance(rows, int) and isinstance(columns, int)
        size = max(rows, columns) if is_known else maximum(rows, columns)
        bound = size * np.finfo(dtype_of(values)).eps if rtol is None else rtol
        tol = max_(values, axis=-1) * bound
    return count_nonzero(values > _column(tol), axis=-1)


def _column(x: Operand) -> Any:
    return x if rank_of(x) == 0 else expand_dims(x, -1)
