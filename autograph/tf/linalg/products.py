"""Products of matrices, vectors and tensors."""

from __future__ import annotations

from typing import Any

from autograph.tf.math.elementwise import unary
from autograph.tf.tensors import Tensor, as_tensor, cast, operands
from runtime import ops

__all__ = [
    "adjoint",
    "cross",
    "einsum",
    "matmul",
    "matrix_transpose",
    "matvec",
    "tensordot",
    "turned",
]

matrix_transpose = unary(ops.matrix_transpose)


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
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
) -> Tensor:  # fmt: skip
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
        a, b = cast(a, output_type), cast(b, output_type)
    return ops.matmul(turned(a, transpose_a, adjoint_a), turned(b, transpose_b, adjoint_b))


def turned(x: Any, transpose: bool, adjoined: bool) -> Any:
    """A matrix as it is, transposed, or transposed and conjugated."""
    if transpose and adjoined:
        raise ValueError("transpose and adjoint are given for one matrix: choose one")
    return adjoint(x) if adjoined else ops.matrix_transpose(x) if transpose else x


def matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A matrix times a vector, the last axis of `b`.

    >>> import autograph.tf as tf
    >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)
    """
    a, b = (as_tensor(x) for x in operands(a, b))
    product = ops.matmul(turned(a, transpose_a, adjoint_a), ops.expand_dims(b, -1))
    return ops.squeeze(product, axis=-1)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sum of products over pairs of axes.

    >>> import autograph.tf as tf
    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], 1).numpy()
    np.float32(11.0)
    """
    a, b = (as_tensor(x) for x in operands(a, b))
    if not isinstance(axes, (int, list, tuple)):
        axes = as_tensor(axes).tolist()
    return ops.tensordot(a, b, axes)


def einsum(equation: str, *inputs: Any, **options: Any) -> Tensor:
    """A sum of products, in Einstein's notation.

    >>> import autograph.tf as tf
    >>> tf.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)
    """
    return ops.einsum(equation, *map(as_tensor, inputs))


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The vector product along the last axis.

    >>> import autograph.tf as tf
    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1], dtype=int32)
    """
    a, b = operands(a, b)
    return ops.cross(as_tensor(a), as_tensor(b))
