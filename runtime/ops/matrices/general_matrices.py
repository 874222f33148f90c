"""Decompositions of square matrices that need not be Hermitian, and their gradients.

Eigenvalues are complex numbers whatever the matrix is: NumPy's are real or complex by data, which
no graph can say beforehand, and complex numbers hold both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.axes import matrix_transpose
from runtime.ops.arrays.creation import arange, eye, zeros_like
from runtime.ops.arrays.diagonals import diagonal, tril, triu
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
from runtime.ops.elementwise.selection import where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.indexing.positions import take_along_axis
from runtime.ops.matrices.products import matmul
from runtime.ops.matrices.systems import adjoint, float_dtype, sample_matrix, solve, square_shape
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


def _lu_type(x: TensorType) -> tuple[TensorType, TensorType]:
    shape = square_shape(x)
    rows = None if shape is None else shape[:-1]
    return TensorType(float_dtype(x), shape), TensorType(np.dtype(np.int32), rows)


def _lu_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    # C.-H. Tsai et al.: L and U turn by what is below and above the diagonal.
    packed, rows = out
    lower = tril(packed, -1) + eye(shape_of(packed)[-1], dtype=dtype_of(packed))
    upper = triu(packed)
    below = tril(matmul(adjoint(lower), tril(g[0], -1)), -1)
    inner = below + triu(matmul(triu(g[0]), adjoint(upper)))
    lifted = adjoint(solve(upper, adjoint(solve(adjoint(lower), inner))))
    return (take_along_axis(lifted, expand_dims(argsort(rows), -1), -2),)


@op(
    inputs=1,
    infer=_lu_type,
    vjp=_lu_vjp,
    reads=("out",),
    raises=always,
    samples=lambda: (
        ((sample_matrix(3),), {}),
        ((sample_matrix(4)[::-1].copy(),), {}),
        ((sample_matrix(2, lead=(3,))[..., ::-1, :].copy(),), {}),
        ((sample_matrix(2, "c16"),), {}),
        ((sample_matrix(3, "f4"),), {}),
        ((np.array([[1, 2], [3, 1]]),), {}),
        ((np.zeros((0, 2, 2)),), {}),
    ),
)
def lu_(xp: Module, x: Array) -> tuple[Array, Array]:
    """Triangles L and U in one matrix, and the order of rows such that `x[rows] = L @ U`.

    The diagonal of L, which is 1, is left out. Of equally large pivots the first is taken. Raises
    numpy.linalg.LinAlgError for a singular matrix.
    """
    made = xp.array(x, dtype=_lu_type(type_of(x))[0].dtype)
    size = made.shape[-1]
    packed = made.reshape(-1, size, size)
    count = xp.arange(len(packed))
    rows = xp.zeros((len(packed), size), np.int32) + xp.arange(size, dtype=np.int32)
    for k in range(size):
        pivot = xp.argmax(xp.abs(packed[:, k:, k]), axis=1) + k
        for table in (packed, rows):
            table[count, pivot], table[:, k] = table[:, k].copy(), table[count, pivot]
        if (packed[:, k, k] == 0).any():
            raise np.linalg.LinAlgError("Singular matrix")
        packed[:, k + 1 :, k] /= packed[:, k, k, None]
        packed[:, k + 1 :, k + 1 :] -= packed[:, k + 1 :, k, None] * packed[:, k, None, k + 1 :]
    return made, rows.reshape(x.shape[:-1])


def lu(x: Operand, /, permute_l: bool = False, *, p_indices: bool = False) -> Any:
    """The matrices P, L and U of `x = P @ L @ U`, or P @ L and U: `scipy.linalg.lu`.

    P permutes rows, L has ones on its diagonal; for each square matrix of `x`. With `p_indices`, P
    is an array of integers such that `x = L[P] @ U`. Of equally large pivots the first is taken.
    Raises numpy.linalg.LinAlgError for a singular matrix.

    >>> p, l, u = ag.linalg.lu(np.array([[1.0, 2.0], [2.0, 8.0]]))
    >>> u.tolist()
    [[2.0, 8.0], [0.0, -2.0]]
    """
    packed, rows = lu_(x)
    one = eye(shape_of(packed)[-1], dtype=dtype_of(packed))
    lower, upper, back = tril(packed, -1) + one, triu(packed), argsort(rows)
    if permute_l:
        return take_along_axis(lower, expand_dims(back, -1), -2), upper
    if p_indices:
        return back, lower, upper
    own = real(packed) if dtype_of(packed).kind == "c" else packed
    return getitem(eye(shape_of(packed)[-1], dtype=dtype_of(own)), back), lower, upper


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
    wanted = xp.array(rows).reshape(-1, size)
    swaps, found = xp.empty_like(wanted), xp.zeros_like(wanted) + xp.arange(size, dtype=rows.dtype)
    count = xp.arange(len(wanted))
    for k in range(size):
        at = xp.argmax(found == wanted[:, k, None], axis=1)
        swaps[:, k] = at
        found[count, at], found[:, k] = found[:, k].copy(), found[count, at]
    return swaps.reshape(rows.shape)


def lu_factor(x: Operand, /) -> tuple[Any, Any]:
    """L, without its diagonal, and U in one matrix, and which rows were exchanged in turn.

    As `scipy.linalg.lu_factor`: row i with row `pivots[i]`. Raises numpy.linalg.LinAlgError for a
    singular matrix.

    >>> packed, pivots = ag.linalg.lu_factor(np.array([[1.0, 2.0], [2.0, 8.0]]))
    >>> packed.tolist(), pivots.tolist()
    ([[2.0, 8.0], [0.5, -2.0]], [1, 1])
    """
    packed, rows = lu_(x)
    return packed, row_swaps(rows)


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
