"""`tf.linalg`: products, norms, decompositions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph.tf.arrays import eye
from autograph.tf.math import axes, l2_normalize, unary
from autograph.tf.names import missing
from autograph.tf.tensors import as_tensor, cast_, operands
from runtime import ops

__all__ = [
    "adjoint",
    "band_part",
    "cholesky",
    "clip_by_global_norm",
    "clip_by_norm",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "einsum",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "lstsq",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "svd",
    "tensor_diag",
    "tensordot",
    "trace",
    "triangular_solve",
]

inv = unary(ops.linalg.inv)
det = unary(ops.linalg.det)
cholesky = unary(ops.linalg.cholesky)
eigvalsh = unary(ops.linalg.eigvalsh)
matrix_transpose = unary(ops.matrix_transpose)


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """The transpose of the last two axes, conjugated.

    >>> import autograph.tf as tf
    >>> tf.linalg.adjoint([[1.0, 2.0]]).shape
    TensorShape([2, 1])
    """
    return ops.conj(ops.matrix_transpose(as_tensor(matrix)))


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
    output_type: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The product of matrices (the last two axes), int32 wraps around.

    Raises ValueError for vectors: `tf.linalg.matvec` and `tf.tensordot` take those.

    >>> import autograph.tf as tf
    >>> tf.matmul([[1, 2]], [[3, 4]], transpose_b=True).numpy()
    array([[11]], dtype=int32)
    """
    a, b = (as_tensor(x) for x in operands(a, b))
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(
            f"matmul needs matrices, but has shapes {a.shape} and {b.shape}: use tf.linalg.matvec "
            "or tf.tensordot(a, b, 1)"
        )
    if output_type is not None:
        a, b = cast_(a, output_type), cast_(b, output_type)
    return ops.matmul(_turned(a, transpose_a, adjoint_a), _turned(b, transpose_b, adjoint_b))


def _turned(x: Any, transpose: bool, adjoined: bool) -> Any:
    if transpose and adjoined:
        raise ValueError("transpose and adjoint are given for one matrix: choose one")
    return adjoint(x) if adjoined else ops.matrix_transpose(x) if transpose else x


def matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """A matrix times a vector, the last axis of `b`.

    >>> import autograph.tf as tf
    >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)
    """
    a, b = (as_tensor(x) for x in operands(a, b))
    product = ops.matmul(_turned(a, transpose_a, adjoint_a), ops.expand_dims(b, -1))
    return ops.squeeze(product, axis=-1)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Sum of products over pairs of axes.

    >>> import autograph.tf as tf
    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], 1).numpy()
    np.float32(11.0)
    """
    a, b = (as_tensor(x) for x in operands(a, b))
    if not isinstance(axes, (int, list, tuple)):
        axes = as_tensor(axes).tolist()
    return ops.tensordot(a, b, axes)


def einsum(equation: str, *inputs: Any, **options: Any) -> Any:
    """A sum of products, in Einstein's notation.

    >>> import autograph.tf as tf
    >>> tf.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)
    """
    return ops.einsum(equation, *map(as_tensor, inputs))


def cross(a: Any, b: Any, name: str | None = None) -> Any:
    """The vector product along the last axis.

    >>> import autograph.tf as tf
    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1], dtype=int32)
    """
    a, b = operands(a, b)
    return ops.cross(as_tensor(a), as_tensor(b))


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Norm of all elements, or along an axis: "euclidean", 1, 2, inf, any number; "fro" of a pair.

    >>> import autograph.tf as tf
    >>> tf.norm([[3.0, 4.0]]).numpy()
    np.float32(5.0)
    """
    x, along = as_tensor(tensor), axes(axis)
    is_matrix = isinstance(along, tuple) and len(along) == 2
    keep = bool(keepdims)
    if ord in ("euclidean", "fro"):
        total = ops.sum(ops.square(ops.abs(x)), axis=along, keepdims=keep)
        return ops.sqrt(total)
    if is_matrix:
        return ops.linalg.norm(x, ord=ord, axis=along, keepdims=keep)
    return ops.linalg.vector_norm(x, axis=along, keepdims=keep, ord=ord)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Any:
    """The Euclidean norm of several tensors together; None among them counts nothing.

    >>> import autograph.tf as tf
    >>> tf.linalg.global_norm([[3.0], [4.0]]).numpy()
    np.float32(5.0)
    """
    total = sum(ops.sum(ops.square(as_tensor(t))) for t in t_list if t is not None)
    return ops.sqrt(as_tensor(total))


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Made shorter where it is longer than `clip_norm`.

    >>> import autograph.tf as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    t = as_tensor(t)
    along = None if axes is None else _axes(axes)
    total = ops.sum(ops.square(t), axis=along, keepdims=True)
    is_positive = ops.greater(total, 0)
    length = ops.where(is_positive, ops.sqrt(ops.where(is_positive, total, 1)), total)
    return ops.divide(t * clip_norm, ops.maximum(length, clip_norm))


_axes = axes


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Several tensors, made shorter together where their norm is larger; and the norm.

    >>> import autograph.tf as tf
    >>> clipped, length = tf.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> clipped[0].numpy(), length.numpy()
    (array([0.6], dtype=float32), np.float32(5.0))
    """
    length = as_tensor(global_norm(t_list) if use_norm is None else use_norm)
    scale = clip_norm * ops.minimum(ops.divide(1.0, length), 1.0 / as_tensor(clip_norm))
    # An infinite norm makes everything nan, as in TensorFlow.
    scale = scale + (length - length)
    return [None if t is None else as_tensor(t) * scale for t in t_list], length


# ---- diagonals ---------------------------------------------------------------------------------


def diag(
    diagonal: Any, name: str = "diag", k: int = 0, num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0, align: str = "RIGHT_LEFT",
) -> Any:  # fmt: skip
    """Matrices with the last axis on diagonal number `k`.

    >>> import autograph.tf as tf
    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    if (num_rows, num_cols, padding_value) != (-1, -1, 0) or not isinstance(k, int):
        raise NotImplementedError("diag takes one diagonal of a square matrix, filled with zeros")
    x = as_tensor(diagonal)
    count = x.shape[-1] + abs(k)
    made = ops.zeros((*x.shape[:-1], count, count), dtype=x.dtype)
    return as_tensor(ops.index_update(made, x, (..., *_along(x.shape[-1], k))))


def _along(count: Any, k: int) -> tuple[Any, Any]:
    """Rows and columns of a diagonal."""
    steps = ops.arange(count)
    return (steps - min(k, 0), steps + max(k, 0))


def diag_part(
    input: Any, name: str = "diag_part", k: int = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:  # fmt: skip
    """Diagonal number `k` of the last two axes.

    >>> import autograph.tf as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    return ops.diagonal(as_tensor(input), offset=int(k), axis1=-2, axis2=-1)


def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: int = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """With another diagonal number `k` in the last two axes.

    >>> import autograph.tf as tf
    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 0]).numpy().tolist()
    [[0, 2], [3, 0]]
    """
    input, diagonal = (as_tensor(x) for x in operands(input, diagonal))
    return ops.index_update(input, diagonal, (..., *_along(diagonal.shape[-1], int(k))))


tensor_diag = diag


def band_part(input: Any, num_lower: int, num_upper: int, name: str | None = None) -> Any:
    """Zeros outside of so many diagonals below and above the main one; -1 keeps all.

    >>> import autograph.tf as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    x = as_tensor(input)
    x = x if num_lower < 0 else ops.triu(x, -int(num_lower))
    return x if num_upper < 0 else ops.tril(x, int(num_upper))


def trace(x: Any, name: str | None = None) -> Any:
    """Sum of the diagonal of the last two axes, in the dtype of the elements.

    >>> import autograph.tf as tf
    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)
    """
    x = as_tensor(x)
    return ops.sum(ops.diagonal(x, axis1=-2, axis2=-1), axis=-1, dtype=x.dtype)


# ---- decompositions ----------------------------------------------------------------------------


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The solution `x` of `matrix @ x = rhs`; `rhs` has two axes or more.

    >>> import autograph.tf as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [4.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    matrix, rhs = (as_tensor(x) for x in operands(matrix, rhs))
    return ops.linalg.solve(_turned(matrix, False, adjoint), rhs)


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Any:
    """The solution for the lower (or upper) triangle of `matrix`.

    >>> import autograph.tf as tf
    >>> tf.linalg.triangular_solve([[2.0, 9.0], [0.0, 4.0]], [[2.0], [4.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    matrix = as_tensor(matrix)
    return solve(ops.tril(matrix) if lower else ops.triu(matrix), rhs, adjoint)


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Any:
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


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
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


def logdet(matrix: Any, name: str | None = None) -> Any:
    """Logarithm of the determinant of positive definite matrices, by Cholesky's decomposition.

    >>> import autograph.tf as tf
    >>> tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]).numpy()
    np.float32(0.0)
    """
    chol = ops.linalg.cholesky(as_tensor(matrix))
    return 2.0 * ops.sum(ops.log(ops.real(diag_part(chol))), axis=-1)


__getattr__ = missing("tf.linalg", globals())
