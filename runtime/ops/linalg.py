"""Linear algebra: `autograph.linalg`. Matrices lie in the last two axes.

>>> import autograph as ag
>>> ag.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 8.0])).numpy()
array([1., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arithmetic import abs
from runtime.ops.complex import conj, imag, make_complex, real
from runtime.ops.creation import eye
from runtime.ops.declare import always, implements, op
from runtime.ops.diagonals import tril
from runtime.ops.exponential import sqrt
from runtime.ops.operands import Array, Module, Operand, normal_axes, rank_of, shape_of, type_of
from runtime.ops.products import matmul
from runtime.ops.reductions import max as max_
from runtime.ops.reductions import min as min_
from runtime.ops.reductions import sum as sum_
from runtime.ops.rules import conjugated
from runtime.ops.samples import array, calls
from runtime.ops.shapes import expand_dims, matrix_transpose, reshape, sum_to
from runtime.spec import Dim, TensorType, broadcast_shapes, promote

__all__ = [
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "matrix_norm",
    "matrix_power",
    "norm",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "vector_norm",
]


def _float(*types: TensorType) -> np.dtype[Any]:
    """Dtype of a result of LAPACK: single only for single precision."""
    dtype = promote(*(t.strong() for t in types)).dtype
    if dtype.kind not in "fc":
        return np.dtype(np.float64)
    if dtype == np.float16:
        raise TypeError("array type float16 is unsupported in linalg")
    return dtype


def _square(x: TensorType) -> tuple[Dim, ...] | None:
    if x.shape is None:
        return None
    if len(x.shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(x.shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    rows, columns = x.shape[-2:]
    if None not in (rows, columns) and rows != columns:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return x.shape


def _adjoint(x: Any) -> Any:
    return conjugated(matrix_transpose(x))


def _matrix(size: int, dtype: str = "f8", lead: tuple[int, ...] = (), salt: int = 0) -> Any:
    """A well-conditioned sample matrix."""
    return array((*lead, size, size), dtype, salt=salt) + 4 * np.eye(size, dtype=dtype)


def _positive(size: int, dtype: str = "f8") -> Any:
    x = _matrix(size, dtype)
    return x @ x.T.conj()


_SQUARES = calls(
    ((_matrix(3),), {}),
    ((_matrix(2, "f4"),), {}),
    ((_matrix(2, lead=(3,)),), {}),
    ((_matrix(2, "c16"),), {}),
    ((np.array([[2, 1], [1, 3]]),), {}),
    ((np.zeros((0, 2, 2)),), {}),
)


@op(
    inputs=1,
    infer=lambda x: TensorType(_float(x), _square(x)),
    vjp=lambda g, out, x: (-matmul(matmul(_adjoint(out), g), _adjoint(out)),),
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
    dtype = _float(a, b)
    left = _square(a)
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
    gb = solve(_adjoint(a), expand_dims(g, -1) if is_vector else g)
    x = expand_dims(out, -1) if is_vector else out
    ga = sum_to(-matmul(gb, _adjoint(x)), shape_of(a))
    gb = sum_to(gb, (*shape_of(b), 1) if is_vector else shape_of(b))
    return ga, reshape(gb, shape_of(b))


@op(
    inputs=2,
    infer=_solve_type,
    vjp=_solve_vjp,
    reads=(0, "out"),
    raises=always,
    numpy=("linalg.solve",),
    samples=calls(
        ((_matrix(3), array((3,))), {}),
        ((_matrix(3), array((3, 2))), {}),
        ((_matrix(2, lead=(3,)), array((2, 1))), {}),
        ((_matrix(2, "c16"), array((2,), "c16")), {}),
        ((_matrix(2, "f4"), array((2,), "f4")), {}),
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
    shape = _square(x)
    return TensorType(_float(x), None if shape is None else shape[:-2])


def _scaled(g: Any, matrix: Any) -> Any:
    return expand_dims(g, (-2, -1)) * matrix


@op(
    inputs=1,
    infer=_det_type,
    vjp=lambda g, out, x: (_scaled(g * conjugated(out), _adjoint(inv(x))),),
    reads=(0, "out"),
    numpy=("linalg.det",),
    raises=lambda types, attrs: not types[0].is_static,
    samples=_SQUARES,
)
def det(xp: Module, x: Array) -> Array:
    """Determinant of each matrix of `x`, `(..., n, n)`.

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
    return (_scaled(scale, _adjoint(inv(x))),)


@op(
    inputs=1,
    infer=_slogdet_type,
    vjp=_slogdet_vjp,
    reads=(0, "out"),
    numpy=("linalg.slogdet",),
    raises=lambda types, attrs: not types[0].is_static,
    samples=_SQUARES,
)
def slogdet(xp: Module, x: Array) -> tuple[Array, Array]:
    """Sign and logarithm of the absolute value of the determinant of each matrix.

    >>> [r.item() for r in ag.linalg.slogdet(np.array([[1.0, 0.0], [0.0, -1.0]]))]
    [-1.0, 0.0]
    """
    return tuple(xp.linalg.slogdet(x))


def _cholesky_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    # I. Murray, Differentiation of the Cholesky decomposition, 2016, https://arxiv.org/abs/1602.07527
    size = shape_of(out)[-1]
    half = tril(matmul(_adjoint(out), g)) * (1 - 0.5 * eye(size))
    middle = solve(_adjoint(out), half)
    whole = _adjoint(solve(_adjoint(out), _adjoint(middle)))
    return (0.5 * (whole + _adjoint(whole)),)


@op(
    inputs=1,
    infer=lambda x: TensorType(_float(x), _square(x)),
    vjp=_cholesky_vjp,
    reads=("out",),
    raises=always,
    numpy=("linalg.cholesky",),
    samples=calls(((_positive(3),), {}), ((_positive(2, "f4"),), {}), ((_positive(2, "c16"),), {})),
)
def cholesky(xp: Module, x: Array) -> Array:
    """Lower triangle l with `l l^H = x`, for each symmetric positive definite matrix of `x`.

    The gradient is that of the symmetric part. Raises numpy.linalg.LinAlgError otherwise.

    >>> ag.linalg.cholesky(np.array([[4.0, 0.0], [0.0, 9.0]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return xp.linalg.cholesky(x)


# ---- composed ----------------------------------------------------------------------------------


def _square_of_size(x: Operand) -> Any:
    """|x|^2, differentiable at 0."""
    return real(x * conjugated(x)) if type_of(x).dtype.kind == "c" else x * x


def vector_norm(x: Operand, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Any:
    """Norm of the vectors along `axis` (None: of all elements): (sum |x|^ord)^(1/ord).

    >>> ag.linalg.vector_norm(np.array([3.0, 4.0])).item()
    5.0
    """
    if ord == np.inf:
        return max_(abs(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return min_(abs(x), axis=axis, keepdims=keepdims)
    if ord == 2:
        return sqrt(sum_(_square_of_size(x), axis=axis, keepdims=keepdims))
    if ord == 0:
        return sum_(x != 0, axis=axis, keepdims=keepdims, dtype=np.float64)
    if ord == 1:
        return sum_(abs(x), axis=axis, keepdims=keepdims)
    return sum_(abs(x) ** float(ord), axis=axis, keepdims=keepdims) ** (1 / ord)


def matrix_norm(x: Operand, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of each matrix of `x`: "fro", or 1, -1, inf, -inf (sums of columns or rows).

    >>> ag.linalg.matrix_norm(np.array([[3.0, 0.0], [0.0, 4.0]])).item()
    5.0
    """
    if ord in ("fro", None):
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord not in (1, -1, np.inf, -np.inf):
        raise NotImplementedError(f"matrix norm of order {ord!r} needs singular values")
    summed = -2 if ord in (1, -1) else -1
    sums = sum_(abs(x), axis=summed, keepdims=True)
    result = (max_ if ord > 0 else min_)(sums, axis=(-2, -1), keepdims=True)
    return result if keepdims else reshape(result, shape_of(result)[:-2])


@implements(
    "linalg.norm",
    samples=calls(
        ((array((3,)),), {}),
        ((array((2, 3)),), {}),
        ((array((2, 3)), 1), {}),
        ((array((2, 3)), np.inf, 1), {}),
        ((array((2, 3)), 3, 0), {"keepdims": True}),
        ((array((2, 3), "c16"), "fro"), {}),
    ),
)
def norm(x: Operand, /, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of a vector or matrix; of order `ord`, over one or two axes.

    >>> ag.linalg.norm(np.array([3.0, 4.0])).item()
    5.0
    """
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    axes = normal_axes(axis, rank_of(x))
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if axes != (rank_of(x) - 2, rank_of(x) - 1):
        raise NotImplementedError("matrix norms are taken over the last two axes")
    return matrix_norm(x, keepdims=keepdims, ord=ord)


@implements(
    "linalg.matrix_power",
    samples=calls(*(((_matrix(2), n), {}) for n in (0, 1, 2, 5, -2))),
)
def matrix_power(x: Operand, n: int, /) -> Any:
    """Each matrix of `x` to the power of the int `n`; negative ones use the inverse.

    >>> ag.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 5).tolist()
    [[8, 5], [5, 3]]
    """
    if n == 0:
        return x * 0 + eye(shape_of(x)[-1], dtype=type_of(x).dtype)
    base, rest, result = (inv(x), -n, None) if n < 0 else (x, n, None)
    while rest:
        if rest & 1:
            result = base if result is None else matmul(result, base)
        rest >>= 1
        base = matmul(base, base) if rest else base
    return result


# ---- decompositions ----------------------------------------------------------------------------


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32 if dtype.char in "fF" else np.float64)


def _eigh_type(x: TensorType, lower: bool) -> tuple[TensorType, TensorType]:
    dtype, shape = _float(x), _square(x)
    return TensorType(_real(dtype), None if shape is None else shape[:-1]), TensorType(dtype, shape)


def _eigh_vjp(g: Any, out: Any, x: Any, lower: bool) -> tuple[Any, ...]:
    # M. Giles, Collected matrix derivative results for forward and reverse mode AD, 2008, 3.1
    values, vectors = out
    gaps = expand_dims(values, -2) - expand_dims(values, -1)
    one = eye(shape_of(values)[-1])
    weights = (1 - one) / (gaps + one)
    inner = weights * matmul(_adjoint(vectors), g[1]) + one * expand_dims(g[0], -2)
    whole = matmul(matmul(vectors, inner), _adjoint(vectors))
    return (0.5 * (whole + _adjoint(whole)),)


@op(
    inputs=1,
    infer=_eigh_type,
    vjp=_eigh_vjp,
    reads=("out",),
    raises=always,
    samples=calls(((_positive(3),), {}), ((_positive(2, "f4"),), {}), ((np.zeros((0, 2, 2)),), {})),
    name="eigh",
)
def eigh_(xp: Module, x: Array, lower: bool = True) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of each Hermitian matrix of `x`."""
    values, vectors = xp.linalg.eigh(x, "L" if lower else "U")
    return values, vectors


@implements("linalg.eigh")
def eigh(x: Operand, /, UPLO: str = "L") -> tuple[Any, Any]:
    """Eigenvalues, increasing, and eigenvectors, as columns, of each Hermitian matrix of `x`.

    Only the lower triangle is read ("L"), or the upper ("U"). Gradients need distinct values.

    >>> [r.shape for r in ag.linalg.eigh(np.eye(3))]
    [(3,), (3, 3)]
    """
    values, vectors = eigh_(x, lower=UPLO.upper() == "L")
    return values, vectors


@implements("linalg.eigvalsh", samples=calls(((_positive(3),), {})))
def eigvalsh(x: Operand, /, UPLO: str = "L") -> Any:
    """Eigenvalues, increasing, of each Hermitian matrix of `x`.

    >>> ag.linalg.eigvalsh(np.array([[2.0, 0.0], [0.0, 1.0]])).numpy()
    array([1., 2.])
    """
    return eigh(x, UPLO)[0]


def _svd_type(x: TensorType, full_matrices: bool) -> tuple[TensorType, ...]:
    dtype = _float(x)
    if x.shape is None:
        return TensorType(dtype, None), TensorType(_real(dtype), None), TensorType(dtype, None)
    *lead, m, n = x.shape
    k = None if m is None or n is None else min(m, n)
    u, v = (m, n) if full_matrices else (k, k)
    return (
        TensorType(dtype, (*lead, m, u)),
        TensorType(_real(dtype), (*lead, k)),
        TensorType(dtype, (*lead, v, n)),
    )


@op(
    inputs=1,
    infer=_svd_type,
    raises=always,
    numpy=("linalg.svd",),
    samples=calls(
        ((array((3, 2)),), {}),
        ((array((2, 3), "f4"),), {"full_matrices": False}),
        ((array((2, 2, 2), "c16"),), {}),
    ),
)
def svd(xp: Module, x: Array, full_matrices: bool = True) -> tuple[Array, ...]:
    """Singular value decomposition u, s, vh of each matrix of `x`. It has no gradient yet.

    >>> [r.shape for r in ag.linalg.svd(np.zeros((3, 2)), full_matrices=False)]
    [(3, 2), (2,), (2, 2)]
    """
    return tuple(xp.linalg.svd(x, full_matrices))


def _qr_type(x: TensorType) -> tuple[TensorType, TensorType]:
    dtype = _float(x)
    if x.shape is None:
        return TensorType(dtype, None), TensorType(dtype, None)
    *lead, m, n = x.shape
    k = None if m is None or n is None else min(m, n)
    return TensorType(dtype, (*lead, m, k)), TensorType(dtype, (*lead, k, n))


@op(
    inputs=1,
    infer=_qr_type,
    raises=always,
    numpy=("linalg.qr",),
    samples=calls(((array((3, 2)),), {}), ((array((2, 3), "f4"),), {})),
)
def qr(xp: Module, x: Array) -> tuple[Array, ...]:
    """Orthogonal and upper triangular factors of each matrix of `x`. It has no gradient yet.

    >>> [r.shape for r in ag.linalg.qr(np.zeros((3, 2)))]
    [(3, 2), (2, 2)]
    """
    return tuple(xp.linalg.qr(x))
