"""Systems of equations, inverses and determinants. Matrices lie in the last two axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dtypes import is_narrow
from runtime.ops.arrays.axes import matrix_transpose
from runtime.ops.arrays.broadcasting import broadcast_to, sum_to
from runtime.ops.arrays.creation import eye
from runtime.ops.arrays.diagonals import tril
from runtime.ops.arrays.shapes import copy, expand_dims, reshape
from runtime.ops.declaration.declare import always, implements, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.complex import conj, imag, make_complex
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.matrices.products import matmul
from runtime.spec import Dim, TensorType, broadcast_shapes, promote

__all__ = [
    "adjoint",
    "cholesky",
    "det",
    "float_dtype",
    "inv",
    "matrix_power",
    "matrix_shape",
    "sample_matrix",
    "sample_positive",
    "slogdet",
    "solve",
    "square_shape",
]


def float_dtype(*types: TensorType) -> np.dtype[Any]:
    """Dtype of a result of LAPACK: single only for single precision."""
    dtype = promote(*(t.strong() for t in types)).dtype
    if is_narrow(dtype) or dtype.kind not in "fc":
        return np.dtype(np.float64)
    if dtype == np.float16:
        raise TypeError("array type float16 is unsupported in linalg")
    return dtype


def matrix_shape(x: TensorType) -> tuple[Dim, ...] | None:
    if x.shape is not None and len(x.shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(x.shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    return x.shape


def square_shape(x: TensorType) -> tuple[Dim, ...] | None:
    shape = matrix_shape(x)
    if shape is not None and None not in shape[-2:] and shape[-2] != shape[-1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return shape


def adjoint(x: Any) -> Any:
    return conjugated(matrix_transpose(x))


def sample_matrix(size: int, dtype: str = "f8", lead: tuple[int, ...] = (), salt: int = 0) -> Any:
    """A well-conditioned sample matrix."""
    return array((*lead, size, size), dtype, salt=salt) + 4 * np.eye(size, dtype=dtype)


def sample_positive(size: int, dtype: str = "f8") -> Any:
    x = sample_matrix(size, dtype)
    return x @ x.T.conj()


_SQUARES = calls(
    lambda: (
        ((sample_matrix(3),), {}),
        ((sample_matrix(2, "f4"),), {}),
        ((sample_matrix(2, lead=(3,)),), {}),
        ((sample_matrix(2, "c16"),), {}),
        ((np.array([[2, 1], [1, 3]]),), {}),
        ((np.zeros((0, 2, 2)),), {}),
    )
)


@op(
    inputs=1,
    infer=lambda x: TensorType(float_dtype(x), square_shape(x)),
    vjp=lambda g, out, x: (-matmul(matmul(adjoint(out), g), adjoint(out)),),
    reads=("out",),
    raises=always,
    numpy=("linalg.inv",),
    samples=_SQUARES,
)
def inv(xp: Module, x: Array) -> Array:
    """Inverse of each matrix of `x`, `(..., n, n)`.

    Raises numpy.linalg.LinAlgError for a singular matrix.

    >>> ag.linalg.inv(np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return xp.linalg.inv(x)


def _solve_type(a: TensorType, b: TensorType) -> TensorType:
    dtype = float_dtype(a, b)
    left = square_shape(a)
    if left is None or b.shape is None:
        return TensorType(dtype, None)
    if not b.shape:
        raise np.linalg.LinAlgError("0-dimensional array given: the right side needs an axis")
    rows = b.shape[-1] if len(b.shape) == 1 else b.shape[-2]
    if None not in (rows, left[-1]) and rows != left[-1]:
        raise ValueError(f"solve: {left[-1]} equations, but {rows} right sides")
    if len(b.shape) == 1:
        return TensorType(dtype, left[:-1])
    batch = broadcast_shapes(left[:-2], b.shape[:-2]) or ()
    return TensorType(dtype, (*batch, left[-1], b.shape[-1]))


def _solve_vjp(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    is_vector = rank_of(b) == 1
    gb = solve(adjoint(a), expand_dims(g, -1) if is_vector else g)
    x = expand_dims(out, -1) if is_vector else out
    ga = sum_to(-matmul(gb, adjoint(x)), shape_of(a))
    gb = sum_to(gb, (*shape_of(b), 1) if is_vector else shape_of(b))
    return ga, reshape(gb, shape_of(b))


@op(
    inputs=2,
    infer=_solve_type,
    vjp=_solve_vjp,
    reads=(0, "out"),
    raises=always,
    numpy=("linalg.solve",),
    samples=lambda: (
        ((sample_matrix(3), array((3,))), {}),
        ((sample_matrix(3), array((3, 2))), {}),
        ((sample_matrix(2, lead=(3,)), array((2, 1))), {}),
        ((sample_matrix(2, "c16"), array((2,), "c16")), {}),
        ((sample_matrix(2, "f4"), array((2,), "f4")), {}),
    ),
)
def solve(xp: Module, a: Array, b: Array) -> Array:
    """Solution x of `a x = b`: `a` is `(..., n, n)`, `b` is `(n,)` or `(..., n, k)`.

    Raises numpy.linalg.LinAlgError for a singular matrix.

    >>> ag.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0])).numpy()
    array([1. , 0.5])
    """
    return xp.linalg.solve(a, b)


def _det_type(x: TensorType) -> TensorType:
    shape = square_shape(x)
    return TensorType(float_dtype(x), None if shape is None else shape[:-2])


def _scaled(g: Any, matrix: Any) -> Any:
    return expand_dims(g, (-2, -1)) * matrix


@op(
    inputs=1,
    infer=_det_type,
    vjp=lambda g, out, x: (_scaled(g * conjugated(out), adjoint(inv(x))),),
    reads=(0, "out"),
    numpy=("linalg.det",),
    raises=lambda types, attrs: not types[0].is_static,
    samples=_SQUARES,
)
def det(xp: Module, x: Array) -> Array:
    """Determinant of each matrix of `x`, `(..., n, n)`.

    The gradient at a singular matrix raises numpy.linalg.LinAlgError.

    >>> ag.linalg.det(np.array([[2.0, 1.0], [0.0, 1.0]])).item()
    2.0
    """
    return xp.linalg.det(x)


def _slogdet_type(x: TensorType) -> tuple[TensorType, TensorType]:
    sign = _det_type(x)
    dtype = np.dtype({"F": "f4", "D": "f8"}.get(sign.dtype.char, sign.dtype.str))
    return sign, TensorType(dtype, sign.shape)


def _slogdet_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    # d log|det| = Re(t) and d sign = i sign Im(t), with t = trace(inv(x) dx).
    scale = g[1]
    if type_of(x).dtype.kind == "c":
        scale = make_complex(scale, imag(g[0] * conj(out[0])))
    return (_scaled(scale, adjoint(inv(x))),)


@op(
    inputs=1,
    infer=_slogdet_type,
    vjp=_slogdet_vjp,
    reads=(0, "out"),
    raises=lambda types, attrs: not types[0].is_static,
    samples=_SQUARES,
)
def slogdet_(xp: Module, x: Array) -> tuple[Array, Array]:
    """Sign and logarithm of the absolute value of the determinant of each matrix."""
    return tuple(xp.linalg.slogdet(x))


# NumPy's own class of the result.
_SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


@implements("linalg.slogdet", samples=lambda: (((sample_matrix(3),), {}),))
def slogdet(x: Operand, /) -> Any:
    """Sign and logarithm of the absolute value of the determinant of each matrix of `x`.

    The result has the fields `sign` and `logabsdet`. The gradient at a singular matrix raises
    numpy.linalg.LinAlgError.

    >>> ag.linalg.slogdet(np.array([[1.0, 0.0], [0.0, -1.0]])).sign.item()
    -1.0
    """
    sign, logarithm = slogdet_(x)
    return _SlogdetResult(sign, logarithm)


def _cholesky_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    # I. Murray, Differentiation of the Cholesky decomposition, 2016, https://arxiv.org/abs/1602.07527
    size = shape_of(out)[-1]
    half = tril(matmul(adjoint(out), g)) * (1 - 0.5 * eye(size, dtype=dtype_of(out)))
    middle = solve(adjoint(out), half)
    whole = adjoint(solve(adjoint(out), adjoint(middle)))
    return (0.5 * (whole + adjoint(whole)),)


@op(
    inputs=1,
    infer=lambda x: TensorType(float_dtype(x), square_shape(x)),
    vjp=_cholesky_vjp,
    reads=("out",),
    raises=always,
    samples=lambda: (
        ((sample_positive(3),), {}),
        ((np.stack([sample_positive(2), 2 * sample_positive(2)]),), {}),
        ((sample_positive(2, "f4"),), {}),
        ((sample_positive(2, "c16"),), {}),
    ),
)
def cholesky_(xp: Module, x: Array) -> Array:
    """Lower triangle l with `l l^H = x`, for each Hermitian positive definite matrix of `x`."""
    return xp.linalg.cholesky(x)


@implements(
    "linalg.cholesky",
    samples=lambda: (
        ((sample_positive(3),), {}),
        ((sample_positive(2, "c16"),), {"upper": True}),
    ),
)
def cholesky(x: Operand, /, *, upper: bool = False) -> Any:
    """Lower triangle l with `l l^H = x`, for each Hermitian positive definite matrix of `x`.

    With `upper`, the upper triangle u with `u^H u = x`, made of the upper triangle of `x`. The
    gradient is that of the Hermitian part. Raises numpy.linalg.LinAlgError for other matrices.

    >>> ag.linalg.cholesky(np.array([[4.0, 0.0], [0.0, 9.0]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return adjoint(cholesky_(adjoint(x))) if upper else cholesky_(x)


@implements(
    "linalg.matrix_power",
    samples=lambda: (*(((sample_matrix(2), n), {}) for n in (0, 1, 2, 5, -2)),),
)
def matrix_power(x: Operand, n: int, /) -> Any:
    """Each matrix of `x` to the power of the int `n`; negative ones use the inverse.

    >>> ag.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 5).tolist()
    [[8, 5], [5, 3]]
    """
    square_shape(type_of(x))
    if n == 0:
        return copy(broadcast_to(eye(shape_of(x)[-1], dtype=type_of(x).dtype), shape_of(x)))
    base, rest, result = (inv(x), -n, None) if n < 0 else (x, n, None)
    while rest:
        if rest & 1:
            result = base if result is None else matmul(result, base)
        rest >>= 1
        base = matmul(base, base) if rest else base
    return result
