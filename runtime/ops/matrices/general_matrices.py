"""Decompositions of matrices that need not be Hermitian, and their gradients.

Eigenvalues are complex numbers whatever the matrix is: NumPy's are real or complex by data, which
no graph can say beforehand, and complex numbers hold both.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.arrays.axes import matrix_transpose
from runtime.ops.arrays.creation import arange, eye, zeros_like
from runtime.ops.arrays.diagonals import diagonal, tril, triu
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import expand_dims
from runtime.ops.declaration.declare import always, implements, no_gradient, op
from runtime.ops.declaration.operands import Array, Module, Operand, dtype_of, shape_of, type_of
from runtime.ops.declaration.samples import calls
from runtime.ops.elementwise.arithmetic import abs as abs_
from runtime.ops.elementwise.arithmetic import reciprocal
from runtime.ops.elementwise.comparison import equal
from runtime.ops.elementwise.complex import imag, make_complex, real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated, scaled
from runtime.ops.elementwise.selection import minimum, where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.indexing.positions import take_along_axis
from runtime.ops.matrices.products import matmul
from runtime.ops.matrices.systems import (
    adjoint,
    float_dtype,
    matrix_shape,
    sample_matrix,
    solve,
    square_shape,
)
from runtime.ops.reductions.reductions import argmax
from runtime.ops.reductions.reductions import sum as sum_
from runtime.ops.reductions.sorting import argsort
from runtime.spec import TensorType

__all__ = ["eig", "eigvals", "lu", "lu_factor", "solve_triangular"]

# NumPy's own class of the result.
_EigResult = type(np.linalg.eig(np.eye(1)))


# ---- eigenvalues ---------------------------------------------------------------------------------


def _eig_type(x: TensorType) -> tuple[TensorType, TensorType]:
    dtype = np.result_type(float_dtype(x), np.complex64)
    shape = square_shape(x)
    return TensorType(dtype, None if shape is None else shape[:-1]), TensorType(dtype, shape)


def _as_operand(g: Any, x: Any) -> Any:
    own = type_of(x).dtype
    return astype(g if own.kind == "c" else real(g), own, copy=False)


def _eig_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    # C. Boeddeker et al., On the computation of complex-valued gradients, 2017, 4.60
    values, vectors = out
    one = eye(shape_of(values)[-1], dtype=dtype_of(values))
    gaps = expand_dims(values, -2) - expand_dims(values, -1)
    along = diagonal(matmul(adjoint(vectors), g[1]), 0, -2, -1)
    # LAPACK's vectors have length 1, and the largest part of each is real.
    kept = g[1] - vectors * expand_dims(real(along), -2)
    turned = matmul(adjoint(vectors), kept - _phases(vectors, along))
    inner = scaled(turned, conjugated(reciprocal(gaps + one) - one)) + one * expand_dims(g[0], -2)
    lifted = solve(adjoint(vectors), matmul(inner, adjoint(vectors)))
    return (_as_operand(lifted, x),)


def _phases(vectors: Any, along: Any) -> Any:
    """What cotangents lose as phases do not vary: `along` is what they have along each vector."""
    rows = argmax(abs_(vectors), axis=-2, keepdims=True)
    is_largest = equal(expand_dims(arange(shape_of(vectors)[-2]), -1), rows)
    largest = sum_(where_(is_largest, real(vectors), 0.0), axis=-2)
    lost = make_complex(zeros_like(largest), imag(along) / largest)
    return where_(is_largest, expand_dims(lost, -2), 0.0)


_MATRICES = calls(
    lambda: (
        ((sample_matrix(3),), {}),
        ((sample_matrix(2, lead=(2,)),), {}),
        ((sample_matrix(3, "c16"),), {}),
        ((sample_matrix(2, "f4"),), {}),
        ((np.array([[2, 1], [1, 3]]),), {}),
        ((np.zeros((0, 2, 2)),), {}),
    )
)


@op(
    inputs=1,
    infer=_eig_type,
    vjp=_eig_vjp,
    reads=("out", 0),
    raises=always,
    samples=_MATRICES,
    has_phases=True,
)
def eig_(xp: Module, x: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors, in columns, of each square matrix of `x`, complex numbers."""
    dtype = _eig_type(type_of(x))[0].dtype
    values, vectors = xp.linalg.eig(x)
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)


# NumPy's results have these dtypes.
_ALWAYS_COMPLEX = calls(
    lambda: (
        ((sample_matrix(3, "c16"),), {}),
        ((np.array([[0.0, 2.0], [-1.0, 0.5]]),), {}),
        ((np.array([[[0, 2], [-1, 0]]]),), {}),
        ((np.array([[0.0, 2.0], [-1.0, 0.5]], "f4"),), {}),
    )
)


@implements("linalg.eig", samples=_ALWAYS_COMPLEX)
def eig(x: Operand, /) -> Any:
    """Eigenvalues and eigenvectors, in columns, of each square matrix of `x`: complex numbers.

    The result has the fields `eigenvalues` and `eigenvectors`.

    >>> ag.linalg.eig(np.array([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues.numpy()
    array([0.+1.j, 0.-1.j])
    """
    return _EigResult(*eig_(x))


def _eigvals_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    vectors = eig_(x)[1]
    lifted = solve(adjoint(vectors), expand_dims(g, -1) * adjoint(vectors))
    return (_as_operand(lifted, x),)


@op(
    inputs=1,
    infer=lambda x: _eig_type(x)[0],
    vjp=_eigvals_vjp,
    reads=(0,),
    raises=always,
    samples=_MATRICES,
    has_phases=True,
)
def eigvals_(xp: Module, x: Array) -> Array:
    """Eigenvalues of each square matrix of `x`, complex numbers, in the order of LAPACK."""
    dtype = _eig_type(type_of(x))[0].dtype
    return xp.linalg.eigvals(x).astype(dtype, copy=False)


@implements("linalg.eigvals", samples=_ALWAYS_COMPLEX)
def eigvals(x: Operand, /) -> Any:
    """Eigenvalues of each square matrix of `x`, in the order of LAPACK: complex numbers.

    >>> ag.linalg.eigvals(np.array([[0.0, 1.0], [-1.0, 0.0]])).numpy()
    array([0.+1.j, 0.-1.j])
    """
    return eigvals_(x)


# ---- triangles -----------------------------------------------------------------------------------


def _lu_type(x: TensorType, as_lapack: bool = False) -> tuple[TensorType, TensorType]:
    shape = matrix_shape(x) if as_lapack else square_shape(x)
    rows = None if shape is None else shape[:-1]
    return TensorType(float_dtype(x), shape), TensorType(np.dtype(np.int32), rows)


def _least(packed: Any) -> Any:
    """The number of columns of L, and of rows of U."""
    rows, columns = shape_of(packed)[-2:]
    are_known = isinstance(rows, int) and isinstance(columns, int)
    return min(rows, columns) if are_known else minimum(rows, columns)


def _parts(packed: Any, least: Any) -> tuple[Any, Any]:
    """The triangles L and U, with the rows below and the columns beside them."""
    lower = tril(getitem(packed, (..., slice(None, least))), -1)
    one = eye(shape_of(packed)[-2], least, dtype=dtype_of(packed))
    return lower + one, triu(getitem(packed, (..., slice(None, least), slice(None))))


def _lu_vjp(g: Any, out: Any, x: Any, as_lapack: bool = False) -> tuple[Any, ...]:
    # C.-H. Tsai et al.: L and U turn by what is below and above the diagonal.
    packed, rows = out
    least = _least(packed)
    lower, upper = _parts(packed, least)
    first, rest = slice(None, least), slice(least, None)
    square, turned = getitem(lower, (..., first, first)), adjoint(getitem(upper, (..., first)))
    # What is below is multiplied by the inverse of U, what is beside by that of L.
    below = adjoint(solve(adjoint(turned), adjoint(getitem(g[0], (..., rest, first)))))
    beside = solve(adjoint(square), getitem(g[0], (..., first, rest)))
    own = getitem(g[0], (..., first, first))
    along = tril(own - matmul(beside, adjoint(getitem(upper, (..., rest)))), -1)
    above = triu(own - matmul(adjoint(getitem(lower, (..., rest, slice(None)))), below))
    inner = tril(matmul(adjoint(square), along), -1) + triu(matmul(above, turned))
    lifted = adjoint(solve(adjoint(turned), adjoint(solve(adjoint(square), inner))))
    if as_lapack:  # else there is nothing but a square
        corner = getitem(g[0], (..., rest, rest))  # which is empty: one of both has no rest
        lines = concat((lifted, beside), axis=-1), concat((below, corner), axis=-1)
        lifted = concat(lines, axis=-2)
    return (take_along_axis(lifted, expand_dims(argsort(rows), -1), -2),)


@op(
    inputs=1,
    infer=_lu_type,
    vjp=_lu_vjp,
    reads=("out",),
    raises=lambda types, attrs: not attrs.get("as_lapack"),
    samples=lambda: (
        ((sample_matrix(4)[:, 1:],), {"as_lapack": True}),
        ((sample_matrix(4, "c16")[1:],), {"as_lapack": True}),
        ((sample_matrix(3),), {}),
        ((sample_matrix(4)[::-1].copy(),), {}),
        ((sample_matrix(2, lead=(3,))[..., ::-1, :].copy(),), {}),
        ((sample_matrix(2, "c16"),), {}),
        ((sample_matrix(3, "f4"),), {}),
        ((np.array([[1, 2], [3, 1]]),), {}),
        ((np.zeros((0, 2, 2)),), {}),
    ),
)
def lu_(xp: Module, x: Array, as_lapack: bool = False) -> tuple[Array, Array]:
    """Triangles L and U in one matrix, and the order of rows such that `x[rows] = L @ U`.

    The diagonal of L, which is 1, is left out. Of equally large pivots the first is taken. What is
    singular, or not square, raises numpy.linalg.LinAlgError, but `as_lapack`: then the size of a
    complex pivot is the sum of those of its two parts, too.
    """
    made = xp.array(x, dtype=_lu_type(type_of(x), as_lapack)[0].dtype)
    size, columns = made.shape[-2:]
    packed = made.reshape(math.prod(made.shape[:-2]), size, columns)
    count = xp.arange(len(packed))
    rows = xp.zeros((len(packed), size), np.int32) + xp.arange(size, dtype=np.int32)
    for k in range(min(size, columns)):
        own = packed[:, k:, k]
        is_in_parts = as_lapack and own.dtype.kind == "c"
        sizes = xp.abs(own.real) + xp.abs(own.imag) if is_in_parts else xp.abs(own)
        pivot = xp.argmax(sizes, axis=1) + k
        for table in (packed, rows):
            table[count, pivot], table[:, k] = table[:, k].copy(), table[count, pivot]
        is_zero = packed[:, k, k] == 0
        if not as_lapack and is_zero.any():
            raise np.linalg.LinAlgError("Singular matrix")
        # What is below a pivot of 0 is 0 as well.
        packed[:, k + 1 :, k] /= xp.where(is_zero, 1, packed[:, k, k])[:, None]
        packed[:, k + 1 :, k + 1 :] -= packed[:, k + 1 :, k, None] * packed[:, k, None, k + 1 :]
    return made, rows.reshape(x.shape[:-1])


def lu(x: Operand, /, permute_l: bool = False, *, p_indices: bool = False) -> Any:
    """The matrices P, L and U of `x = P @ L @ U`, or P @ L and U: `scipy.linalg.lu`.

    P permutes rows, L has ones on its diagonal; for each matrix of `x`, which need not be square.
    With `p_indices`, P is an array of integers such that `x = L[P] @ U`. Of equally large pivots
    the first is taken. Where the square part of U is singular, there is no gradient: it raises
    numpy.linalg.LinAlgError.

    >>> p, l, u = ag.linalg.lu(np.array([[1.0, 2.0], [2.0, 8.0]]))
    >>> u.tolist()
    [[2.0, 8.0], [0.0, -2.0]]
    """
    packed, rows = lu_(x, as_lapack=True)
    lower, upper = _parts(packed, _least(packed))
    back = argsort(rows)
    if permute_l:
        return take_along_axis(lower, expand_dims(back, -1), -2), upper
    if p_indices:
        return astype(back, np.int32), lower, upper
    own = real(packed) if dtype_of(packed).kind == "c" else packed
    return getitem(eye(shape_of(packed)[-2], dtype=dtype_of(own)), back), lower, upper


@op(
    inputs=1,
    infer=lambda rows: rows,
    vjp=no_gradient,
    samples=lambda: (
        ((np.array([2, 0, 1], np.int32),), {}),
        ((np.array([[1, 0], [0, 1]], np.int32),), {}),
    ),
)
def row_swaps(xp: Module, rows: Array) -> Array:
    """For an order of rows, with which later row each one is exchanged in turn to come to it."""
    size = rows.shape[-1]
    wanted = xp.array(rows).reshape(math.prod(rows.shape[:-1]), size)
    swaps, found = xp.empty_like(wanted), xp.zeros_like(wanted) + xp.arange(size, dtype=rows.dtype)
    count = xp.arange(len(wanted))
    for k in range(size):
        at = xp.argmax(found == wanted[:, k, None], axis=1)
        swaps[:, k] = at
        found[count, at], found[:, k] = found[:, k].copy(), found[count, at]
    return swaps.reshape(rows.shape)


def lu_factor(x: Operand, /) -> tuple[Any, Any]:
    """L, without its diagonal, and U in one matrix, and which rows were exchanged in turn.

    As `scipy.linalg.lu_factor`: row i with row `pivots[i]`. There is no warning of a matrix that is
    singular.

    >>> packed, pivots = ag.linalg.lu_factor(np.array([[1.0, 2.0], [2.0, 8.0]]))
    >>> packed.tolist(), pivots.tolist()
    ([[2.0, 8.0], [0.5, -2.0]], [1, 1])
    """
    packed, rows = lu_(x, as_lapack=True)
    return packed, getitem(row_swaps(rows), (..., slice(None, _least(packed))))


_TRANSPOSED = {0: None, 1: "T", 2: "C", "N": None, "T": "T", "C": "C"}


def solve_triangular(
    a: Operand,
    b: Operand,
    /,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Any:
    """The solution of `a @ x = b` for the upper (or `lower`) triangle of `a`.

    As `scipy.linalg.solve_triangular`: `trans` 1 or "T" asks for the transposed triangle, 2 or "C"
    for its conjugate too; with `unit_diagonal`, ones stand for the diagonal. Raises ValueError for
    another `trans`, numpy.linalg.LinAlgError for a zero on the diagonal.

    >>> ag.linalg.solve_triangular(np.array([[2.0, 2.0], [9.0, 4.0]]), np.array([6.0, 8.0])).numpy()
    array([1., 2.])
    """
    if trans not in _TRANSPOSED:
        raise ValueError(f"trans is 0, 1 or 2 ('N', 'T' or 'C'), not {trans!r}")
    if unit_diagonal:
        part = tril(a, -1) if lower else triu(a, 1)
        part = part + eye(shape_of(a)[-1], dtype=dtype_of(a))
    else:
        part = tril(a) if lower else triu(a)
    how = _TRANSPOSED[trans]
    if how is not None:
        part = adjoint(part) if how == "C" else matrix_transpose(part)
    return solve(part, b)
