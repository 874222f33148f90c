"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

from runtime.ops.arrays.axes import moveaxis
from runtime.ops.arrays.creation import arange, diagonal_numbers, zeros
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    normal_axes,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.selection import where_
from runtime.ops.indexing.indexing import index_add, index_update
from runtime.ops.reductions.reductions import sum
from runtime.spec import TensorType

__all__ = ["diag", "diagonal", "trace", "tril", "triu"]


def _diagonal_type(x: TensorType, offset: int, axis1: int, axis2: int) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, None)
    if len(x.shape) < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i, j = normal_axes((axis1, axis2), len(x.shape))
    rest = tuple(n for k, n in enumerate(x.shape) if k not in (i, j))
    rows, columns = x.shape[i], x.shape[j]
    if rows is None or columns is None:
        return TensorType(x.dtype, (*rest, None))
    length = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    return TensorType(x.dtype, (*rest, length))


def _on_diagonal(size: Any, offset: int) -> tuple[Any, ...]:
    """The key of the last two axes' diagonal, of `size` elements."""
    i = arange(size)
    return (Ellipsis, i + max(-offset, 0), i + max(offset, 0))


def _diagonal_vjp(g: Any, out: Any, x: Any, offset: int, axis1: int, axis2: int) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    shape = list(shape_of(x))
    axes = normal_axes((axis1, axis2), len(shape))
    rest = [n for k, n in enumerate(shape) if k not in axes]
    empty = zeros((*rest, shape[axes[0]], shape[axes[1]]), type_of(g).dtype)
    filled = index_add(empty, g, _on_diagonal(shape_of(g)[-1], offset))
    return (moveaxis(filled, (-2, -1), axes),)


@op(
    inputs=1,
    infer=_diagonal_type,
    vjp=_diagonal_vjp,
    view=True,
    numpy=("diagonal",),
    samples=lambda: (
        ((array((3, 3)),), {}),
        ((array((2, 4)),), {"offset": 1}),
        ((array((4, 2)),), {"offset": -1}),
        ((array((2, 3, 4)),), {"axis1": 0, "axis2": 2}),
        ((array((2, 3, 4), "c16"),), {"axis1": -1, "axis2": 0, "offset": 1}),
        ((array((0, 3), "f4"),), {}),
        ((array((2, 2), "i8"),), {"offset": 5}),
    ),
)
def diagonal(xp: Module, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Diagonal of the matrices in two axes of `x`, as a new last axis; a read-only view.

    >>> ag.diagonal(np.array([[1, 2], [3, 4]])).numpy()
    array([1, 4])
    """
    return xp.diagonal(x, offset, axis1, axis2)


@implements(
    samples=lambda: (
        ((array((3,)),), {}),
        ((array((2,)), -1), {}),
        ((array((3, 4)), 1), {}),
    ),
)
def diag(x: Operand, /, k: int = 0) -> Any:
    """Matrix with the vector `x` on its diagonal `k`, or the diagonal `k` of the matrix `x`.

    >>> ag.diag(np.array([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    if rank_of(x) == 2:
        return diagonal(x, offset=k)
    if rank_of(x) != 1:
        raise ValueError("Input must be 1- or 2-d.")
    size = shape_of(x)[0]
    empty = zeros((size + abs(k), size + abs(k)), type_of(x).dtype)
    return index_update(empty, x, _on_diagonal(size, k))


@implements(
    samples=lambda: (
        ((array((3, 3)),), {}),
        ((array((2, 3, 4)), 1, 1, 2), {}),
    ),
)
def trace(x: Operand, /, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Sum over the diagonal of the matrices in two axes of `x`.

    >>> ag.trace(np.array([[1, 2], [3, 4]])).item()
    5
    """
    return sum(diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)


_MATRICES = calls(
    lambda: (
        ((array((3, 3)),), {}),
        ((array((2, 3, 4)), 1), {}),
        ((array((3, 2), "i8"), -1), {}),
        ((array((2, 2), "?"),), {}),
        ((array((3,)), -1), {}),
    )
)


def _numbers(x: Operand) -> Any:
    """The diagonals of the elements in the last two axes; a vector is each row of a matrix."""
    rows, columns = (shape_of(x) * 2)[-2:]
    return diagonal_numbers(rows, columns)


@implements("tril", samples=_MATRICES)
def tril(x: Operand, /, k: Operand = 0) -> Any:
    """The last two axes' lower triangle of `x`, up to the diagonal `k`; zeros elsewhere.

    >>> ag.tril(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 0], [3, 4]]
    """
    return where_(_numbers(x) <= k, x, type_of(x).dtype.type(0))


@implements("triu", samples=_MATRICES)
def triu(x: Operand, /, k: Operand = 0) -> Any:
    """The last two axes' upper triangle of `x`, from the diagonal `k`; zeros elsewhere.

    >>> ag.triu(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 2], [0, 4]]
    """
    return where_(_numbers(x) < k, type_of(x).dtype.type(0), x)
