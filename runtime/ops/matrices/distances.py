"""Distances between the rows of two matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from runtime.ops.arrays.axes import matrix_transpose
from runtime.ops.arrays.shapes import expand_dims
from runtime.ops.declaration.operands import Operand, dtype_of, rank_of, type_of
from runtime.ops.elementwise.arithmetic import abs as abs_
from runtime.ops.elementwise.comparison import equal
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import sqrt
from runtime.ops.elementwise.selection import where_
from runtime.ops.matrices.products import matmul
from runtime.ops.matrices.systems import float_dtype
from runtime.ops.reductions.reductions import max as max_
from runtime.ops.reductions.reductions import mean
from runtime.ops.reductions.reductions import sum as sum_

__all__ = ["cdist"]


def _norms(x: Any) -> Any:
    return sqrt(sum_(x * x, axis=-1))


def _cosine(x: Any, y: Any) -> Any:
    products = matmul(x, matrix_transpose(y))
    return 1 - products / (expand_dims(_norms(x), -1) * expand_dims(_norms(y), -2))


def _correlation(x: Any, y: Any) -> Any:
    return _cosine(*(z - mean(z, axis=-1, keepdims=True) for z in (x, y)))


def _canberra(x: Any, y: Any) -> Any:
    size = abs_(x) + abs_(y)
    return sum_(abs_(x - y) / where_(equal(size, 0), 1, size), axis=-1)


# Of rows that are broadcast against each other, and of their differences.
_OF_ROWS: dict[str, Callable[[Any, Any], Any]] = {
    "canberra": _canberra,
    "braycurtis": lambda x, y: sum_(abs_(x - y), axis=-1) / sum_(abs_(x + y), axis=-1),
}
_OF_DIFFERENCES: dict[str, Callable[[Any], Any]] = {
    "chebyshev": lambda d: max_(abs_(d), axis=-1),
    "cityblock": lambda d: sum_(abs_(d), axis=-1),
    "euclidean": _norms,
    "sqeuclidean": lambda d: sum_(d * d, axis=-1),
}
_OF_MATRICES: dict[str, Callable[[Any, Any], Any]] = {
    "correlation": _correlation,
    "cosine": _cosine,
}


def cdist(x: Operand, y: Operand, /, metric: str = "euclidean", *, p: float = 2.0) -> Any:
    """Distances between each row of `x` and each of `y`: `scipy.spatial.distance.cdist`.

    `x` is `(..., m, n)`, `y` is `(..., k, n)`, the result `(..., m, k)`. `metric` is "braycurtis",
    "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "sqeuclidean" or
    "minkowski", of exponent `p` greater than 0. Single precision stays it. The gradient of the
    distance of equal rows is 0. Raises ValueError for another metric and for arrays that are no
    matrices, TypeError for complex numbers.

    >>> ag.cdist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [1.0, 0.0]])).numpy()
    array([[5., 1.]])
    """
    if min(rank_of(x), rank_of(y)) < 2:
        raise ValueError(f"cdist takes matrices, not arrays of {rank_of(x)} and {rank_of(y)} axes")
    dtype = float_dtype(type_of(x), type_of(y))
    if dtype.kind == "c":
        raise TypeError(f"cdist takes real numbers, not {dtype_of(x)} and {dtype_of(y)}")
    x, y = (astype(z, dtype, copy=False) for z in (x, y))
    if metric in _OF_MATRICES:
        return _OF_MATRICES[metric](x, y)
    rows, others = expand_dims(x, -2), expand_dims(y, -3)
    if metric in _OF_ROWS:
        return _OF_ROWS[metric](rows, others)
    if metric == "minkowski":
        if not p > 0:
            raise ValueError(f"cdist: p must be greater than 0, not {p}")
        if p != math.inf:
            return sum_(abs_(rows - others) ** p, axis=-1) ** (1 / p)
        metric = "chebyshev"
    if metric not in _OF_DIFFERENCES:
        known = ", ".join(sorted({*_OF_ROWS, *_OF_DIFFERENCES, *_OF_MATRICES, "minkowski"}))
        raise ValueError(f"cdist: metric must be one of {known}, not {metric!r}")
    return _OF_DIFFERENCES[metric](rows - others)
