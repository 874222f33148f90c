"""Decompositions, and what is computed by them: solutions, inverses, determinants."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograph.tf.linalg.diagonals import diag_part
from autograph.tf.linalg.products import adjoint, turned
from autograph.tf.math.elementwise import unary
from autograph.tf.tensors import Tensor, as_tensor, cast, operands
from runtime import ops
from runtime.ops.matrices import general_matrices, matrix_functions

__all__ = [
    "cholesky",
    "cholesky_solve",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "logdet",
    "lstsq",
    "lu",
    "lu_reconstruct",
    "lu_solve",
    "matrix_rank",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "triangular_solve",
]

inv = unary(ops.linalg.inv)
det = unary(ops.linalg.det)
cholesky = unary(ops.linalg.cholesky)
eigvalsh = unary(ops.linalg.eigvalsh)
eigvals = unary(general_matrices.eigvals_)
expm = unary(matrix_functions.expm)
sqrtm = unary(matrix_functions.sqrtm)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solution `x` of `matrix @ x = rhs`; `rhs` has two axes or more.

    >>> import autograph.tf as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [4.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    matrix, rhs = (as_tensor(x) for x in operands(matrix, rhs))
    return ops.linalg.solve(turned(matrix, False, adjoint), rhs)


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution for the lower (or upper) triangle of `matrix`.

    >>> import autograph.tf as tf
    >>> tf.linalg.triangular_solve([[2.0, 9.0], [0.0, 4.0]], [[2.0], [4.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    matrix, rhs = (as_tensor(x) for x in operands(matrix, rhs))
    return ops.linalg.solve_triangular(matrix, rhs, 2 if adjoint else 0, lower)


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The least-squares solution, by the normal equations.

    >>> import autograph.tf as tf
    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    matrix, rhs = (as_tensor(x) for x in operands(matrix, rhs))
    turned = adjoint(matrix)
    square = ops.matmul(turned, matrix)
    size = square.shape[-1]
    square = square + l2_regularizer * ops.eye(size, dtype=square.dtype)
    return ops.linalg.solve(square, ops.matmul(turned, rhs))


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose inverse.

    >>> import autograph.tf as tf
    >>> tf.linalg.pinv([[2.0], [0.0]]).numpy()
    array([[0.5, 0. ]], dtype=float32)
    """
    return ops.linalg.pinv(as_tensor(a), rtol=rcond)


def eigh(tensor: Any, name: str | None = None) -> tuple[Any, Any]:
    """Eigenvalues in rising order and eigenvectors, in columns, of Hermitian matrices.

    >>> import autograph.tf as tf
    >>> values, _ = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy()
    array([1., 2.], dtype=float32)
    """
    values, vectors = ops.linalg.eigh(as_tensor(tensor))
    return values, vectors


def eig(tensor: Any, name: str | None = None) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors, in columns, of square matrices: complex numbers.

    Their order and phases are LAPACK's.

    >>> import autograph.tf as tf
    >>> values, _ = tf.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> values.numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    values, vectors = general_matrices.eig_(as_tensor(tensor))
    return values, vectors


class Lu(NamedTuple):
    """Two triangles in one matrix, and the order of rows."""

    lu: Any
    p: Any


def lu(input: Any, output_idx_type: Any = np.int32, name: str | None = None) -> Lu:
    """Triangles L, whose diagonal is 1 and left out, and U such that `x[p] = L @ U`.

    Raises numpy.linalg.LinAlgError for a singular matrix.

    >>> import autograph.tf as tf
    >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> lu.numpy().tolist(), p.numpy().tolist()
    ([[4.0, 4.0], [0.25, 1.0]], [1, 0])
    """
    packed, rows = general_matrices.lu_(as_tensor(input))
    return Lu(packed, cast(rows, output_idx_type))


def _triangles(lower_upper: Any) -> tuple[Any, Any]:
    packed = as_tensor(lower_upper)
    one = ops.eye(packed.shape[-1], dtype=packed.dtype)
    return ops.tril(packed, -1) + one, ops.triu(packed)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix of which `lower_upper` and `perm` are the decomposition by `lu`.

    >>> import autograph.tf as tf
    >>> tf.linalg.lu_reconstruct([[4.0, 4.0], [0.25, 1.0]], [1, 0]).numpy().tolist()
    [[1.0, 2.0], [4.0, 4.0]]
    """
    lower, upper = _triangles(lower_upper)
    back = ops.expand_dims(ops.argsort(as_tensor(perm)), -1)
    return ops.take_along_axis(ops.matmul(lower, upper), back, -2)


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The solution `x` of `a @ x = rhs`, for the decomposition of `a` by `lu`.

    >>> import autograph.tf as tf
    >>> tf.linalg.lu_solve([[4.0, 4.0], [0.25, 1.0]], [1, 0], [[3.0], [8.0]]).numpy().ravel()
    array([1., 1.], dtype=float32)
    """
    lower, upper = _triangles(lower_upper)
    rhs = operands(rhs, lower)[0]
    order = ops.expand_dims(as_tensor(perm), -1)
    turned = ops.take_along_axis(as_tensor(rhs), order, -2)
    return ops.linalg.solve(upper, ops.linalg.solve(lower, turned))


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values, left and right vectors in columns: `a = u @ diag(s) @ adjoint(v)`.

    >>> import autograph.tf as tf
    >>> s, u, v = tf.linalg.svd([[2.0, 0.0], [0.0, 1.0]])
    >>> s.numpy()
    array([2., 1.], dtype=float32)
    """
    x = as_tensor(tensor)
    if not compute_uv:
        return ops.linalg.svdvals(x)
    u, s, vh = ops.linalg.svd(x, full_matrices=full_matrices)
    return s, u, adjoint(vh)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """An orthogonal and an upper triangular matrix, whose product is the matrix.

    >>> import autograph.tf as tf
    >>> q, r = tf.linalg.qr([[2.0, 1.0], [0.0, 1.0]])
    >>> tf.matmul(q, r).numpy().round(5).tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """
    q, r = ops.linalg.qr(as_tensor(input), mode="complete" if full_matrices else "reduced")
    return q, r


class LogMatrixDeterminant(NamedTuple):
    """Sign of a determinant and logarithm of its absolute value."""

    sign: Any
    log_abs_determinant: Any


def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """Sign of the determinant and logarithm of its absolute value.

    >>> import autograph.tf as tf
    >>> tf.linalg.slogdet([[2.0]]).sign.numpy()
    np.float32(1.0)
    """
    sign, logarithm = ops.linalg.slogdet(as_tensor(input))
    return LogMatrixDeterminant(sign, logarithm)


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Logarithm of the determinant of positive definite matrices, by Cholesky's decomposition.

    >>> import autograph.tf as tf
    >>> tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]).numpy()
    np.float32(0.0)
    """
    chol = ops.linalg.cholesky(as_tensor(matrix))
    return 2.0 * ops.sum(ops.log(ops.real(diag_part(chol))), axis=-1)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The solution `x` of `chol @ adjoint(chol) @ x = rhs`, for a lower triangle.

    >>> import autograph.tf as tf
    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [3.0]]).numpy().ravel()
    array([1., 3.], dtype=float32)
    """
    lower = as_tensor(chol)
    return triangular_solve(adjoint(lower), triangular_solve(lower, rhs), lower=False)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: Any = None) -> Tensor:
    """How many singular values are above `tol`, int32.

    >>> import autograph.tf as tf
    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
    np.int32(1)
    """
    a = as_tensor(a)
    found = ops.linalg.svdvals(a)
    if tol is None:
        size = max(int(n) for n in a.shape[-2:])
        tol = size * np.finfo(a.dtype).eps * ops.max(found, axis=-1, keepdims=True)
    return cast(ops.sum(ops.greater(found, tol), axis=-1), np.int32)
