"""Least squares, chains of products, and equations between arrays of many axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.ops.arrays.axes import moveaxis
from runtime.ops.arrays.creation import zeros
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import expand_dims, reshape, squeeze
from runtime.ops.declaration.declare import always, implements, op
from runtime.ops.declaration.operands import Array, Module, Operand, rank_of, shape_of, type_of
from runtime.ops.declaration.samples import array
from runtime.ops.indexing.indexing import getitem
from runtime.ops.matrices.decompositions import default_rtol, pinv_, pinv_vjp, svd_
from runtime.ops.matrices.products import dot, matmul
from runtime.ops.matrices.systems import adjoint, float_dtype, inv, sample_matrix, solve
from runtime.spec import TensorType

__all__ = ["lstsq", "multi_dot", "tensorinv", "tensorsolve"]


# ---- least squares -------------------------------------------------------------------------------


def _lstsq_type(a: TensorType, b: TensorType, rcond: float | str | None) -> tuple[TensorType, ...]:
    dtype = float_dtype(a, b)
    if a.rank not in (2, None):
        raise np.linalg.LinAlgError(
            f"{a.rank}-dimensional array given. Array must be two-dimensional"
        )
    if b.rank not in (1, 2, None):
        raise np.linalg.LinAlgError(
            f"{b.rank}-dimensional array given. Array must be two-dimensional"
        )
    rows, columns = a.shape or (None, None)
    if b.shape is not None and None not in (rows, b.shape[0]) and rows != b.shape[0]:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    real = np.dtype(np.float32 if dtype.char in "fF" else np.float64)
    least = None if rows is None or columns is None else min(rows, columns)
    return (
        TensorType(dtype, None if b.shape is None else (columns, *b.shape[1:])),
        TensorType(real, (None,)),
        TensorType(np.dtype(np.int32), ()),
        TensorType(real, (least,)),
    )


def _lstsq_vjp(g: Any, out: Any, a: Any, b: Any, rcond: float | str | None) -> tuple[Any, ...]:
    """The solution is the pseudo-inverse times b, the residual |b - a x|^2 where it is given."""
    is_vector = rank_of(b) == 1
    bound = default_rtol(a) if rcond is None or isinstance(rcond, str) else max(rcond, 0.0)
    inverse = pinv_(a, bound)
    column = expand_dims(b, 1) if is_vector else b
    gx = expand_dims(g[0], 1) if is_vector else g[0]
    ga = pinv_vjp(matmul(gx, adjoint(column)), inverse, a)[0]
    gb = matmul(adjoint(inverse), gx)
    count = shape_of(column)[1]
    # Without a residual, there is an empty cotangent: it is filled up with zeros.
    weights = getitem(concat([g[1], zeros(count, type_of(g[1]).dtype)]), slice(None, count))
    x = matmul(inverse, column)
    away = 2 * weights * (column - matmul(a, x))
    u, _, vh = svd_(a, full_matrices=False)
    of_values = matmul(u * expand_dims(g[3], -2), vh)
    return ga + of_values - matmul(away, adjoint(x)), reshape(gb + away, shape_of(b))


@op(
    inputs=2,
    infer=_lstsq_type,
    vjp=_lstsq_vjp,
    reads=(0, 1),
    raises=always,
    samples=lambda: (
        ((array((4, 2)), array((4,))), {}),
        ((array((4, 2)), array((4, 3))), {"rcond": 1e-9}),
        ((array((2, 4), "f4"), array((2,), "f4")), {}),
        ((np.ones((3, 2), "f4"), array((3,), "f4")), {}),
    ),
)
def lstsq_(xp: Module, a: Array, b: Array, rcond: float | str | None = None) -> tuple[Array, ...]:
    """Solution, residuals, rank and singular values of a least-squares problem.

    With `rcond` "rows", that is the number of rows times the precision.
    """
    bound = len(a) * float(np.finfo(a.dtype).eps) if rcond == "rows" else rcond
    x, residuals, rank, values = xp.linalg.lstsq(a, b, rcond=bound)
    return x, residuals, xp.asarray(rank, xp.int32)[()], values


@implements(
    "linalg.lstsq",
    samples=lambda: (
        ((array((4, 2)), array((4,))), {}),
        ((array((4, 2)), array((4, 3)), 1e-9), {}),
    ),
)
def lstsq(a: Operand, b: Operand, /, rcond: float | None = None) -> tuple[Any, ...]:
    """The least-squares solution x of `a x = b`, for a matrix `a`, and what is known about it.

    Gives x (the shortest, where there are several), the squared distances between both sides for
    each column of `b` (none unless `a` has full column rank and more rows), the rank, and the
    singular values of `a`. Those up to `rcond` times the largest count as 0; by default that is the
    larger size times the precision. Gradients are those at constant rank.

    >>> ag.linalg.lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))[0].numpy()
    array([2.])
    """
    return tuple(lstsq_(a, b, rcond=rcond))


# ---- chains --------------------------------------------------------------------------------------


def _order(sizes: Sequence[int]) -> list[list[int]]:
    """Where to part each chain of matrices of these sizes: T. Cormen et al., Introduction to
    Algorithms, 15.2."""
    count = len(sizes) - 1
    cost = [[0.0] * count for _ in range(count)]
    cut = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i][j] = math.inf
            for k in range(i, j):
                total = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if total < cost[i][j]:
                    cost[i][j], cut[i][j] = total, k
    return cut


def _multiplied(parts: Sequence[Any], cut: list[list[int]], i: int, j: int) -> Any:
    if i == j:
        return parts[i]
    k = cut[i][j]
    return dot(_multiplied(parts, cut, i, k), _multiplied(parts, cut, k + 1, j))


@implements(
    "linalg.multi_dot",
    samples=lambda: (
        (([array((3, 2)), array((2, 4)), array((4, 1))],), {}),
        (([array((3,)), array((3, 4)), array((4, 2)), array((2,))],), {}),
        (([array((2, 2)), array((2, 2))],), {}),
    ),
)
def multi_dot(arrays: Sequence[Operand], /) -> Any:
    """The product of matrices (of which the outer ones may be vectors), in the cheapest order.

    >>> ag.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 1)), np.ones((1, 2))]).tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    parts = list(arrays)
    if len(parts) < 2:
        raise ValueError("Expecting at least two arrays.")
    is_row, is_column = rank_of(parts[0]) == 1, rank_of(parts[-1]) == 1
    if len(parts) == 2:
        return dot(*parts)
    parts[0] = expand_dims(parts[0], 0) if is_row else parts[0]
    parts[-1] = expand_dims(parts[-1], 1) if is_column else parts[-1]
    sizes = [shape_of(parts[0])[0], *(shape_of(x)[1] for x in parts)]
    known = [n if isinstance(n, int) else 1 for n in sizes]
    result = _multiplied(parts, _order(known), 0, len(parts) - 1)
    dropped = tuple(axis for axis, is_one in ((0, is_row), (-1, is_column)) if is_one)
    return squeeze(result, dropped) if dropped else result


# ---- many axes -----------------------------------------------------------------------------------


@implements("linalg.tensorinv", samples=lambda: (((sample_matrix(4).reshape(2, 2, 4), 2), {}),))
def tensorinv(x: Operand, /, ind: int = 2) -> Any:
    """The inverse of `x` in products over as many axes as `ind` says, which come first in `x`.

    >>> ag.linalg.tensorinv(np.eye(4).reshape(2, 2, 4), 2).shape
    (4, 2, 2)
    """
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = shape_of(x)
    rest = math.prod(shape[ind:])
    return reshape(inv(reshape(x, (rest, -1))), (*shape[ind:], *shape[:ind]))


@implements(
    "linalg.tensorsolve",
    samples=lambda: (
        ((sample_matrix(4).reshape(2, 2, 4), array((2, 2))), {}),
        ((sample_matrix(4).reshape(2, 2, 4), array((4,))), {"axes": (1, 0)}),
    ),
)
def tensorsolve(a: Operand, b: Operand, /, axes: Sequence[int] | None = None) -> Any:
    """Solution x of `tensordot(a, x, x.ndim) = b`; `axes` of `a` are first moved to its end.

    >>> ag.linalg.tensorsolve(np.eye(4).reshape(2, 2, 4), np.ones((2, 2))).numpy()
    array([1., 1., 1., 1.])
    """
    if axes is not None:
        for axis in axes:
            a = moveaxis(a, axis, -1)
    shape = shape_of(a)[rank_of(b) :] if axes is None else shape_of(a)[-(rank_of(a) - rank_of(b)) :]
    flat = reshape(b, (-1,))
    return reshape(solve(reshape(a, (-1, math.prod(shape))), flat), shape)
