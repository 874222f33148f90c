"""Decompositions of matrices, which lie in the last two axes, and their gradients.

Signs and phases of singular and eigenvectors are a convention. Gradients are those of functions
that do not depend on it; likewise for the bases of a null space or of the space that belongs to one
value. Where eigenvalues or singular values coincide, their vectors have no derivative: a gradient
that asks for it is infinite or nan. That of the values alone is always finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.errors import StagingError
from runtime.ops.arrays.creation import eye
from runtime.ops.arrays.diagonals import diagonal, triu
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import expand_dims
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
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import equal, logical_and
from runtime.ops.elementwise.complex import real
from runtime.ops.elementwise.selection import maximum, minimum, where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.matrices.products import matmul
from runtime.ops.matrices.systems import (
    adjoint,
    float_dtype,
    matrix_shape,
    sample_positive,
    solve,
    square_shape,
)
from runtime.spec import TensorType

__all__ = ["eigh", "eigvalsh", "pinv", "qr", "svd", "svdvals"]

# NumPy's own classes of the results.
_EighResult = type(np.linalg.eigh(np.eye(1)))
_QRResult = type(np.linalg.qr(np.eye(1)))
_SVDResult = type(np.linalg.svd(np.eye(1)))


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32 if dtype.char in "fF" else np.float64)


def _quotient(a: Any, b: Any) -> Any:
    """a / b, but 0 for 0 / 0: a derivative that nothing asks for need not exist."""
    neither = logical_and(equal(a, 0), equal(b, 0))
    return a / where_(neither, 1, b)


def _apart(values: Any) -> tuple[Any, Any]:
    """For values `(..., n)`: value j less value i at `[i, j]`, 1 at `[i, i]`; the unit matrix."""
    one = eye(shape_of(values)[-1], dtype=dtype_of(values))
    return expand_dims(values, -2) - expand_dims(values, -1) + one, one


# ---- eigenvalues of Hermitian matrices -----------------------------------------------------------


def _hermitian(x: Any) -> Any:
    return 0.5 * (x + adjoint(x))


def _eigh_type(x: TensorType, lower: bool) -> tuple[TensorType, TensorType]:
    dtype, shape = float_dtype(x), square_shape(x)
    return TensorType(_real(dtype), None if shape is None else shape[:-1]), TensorType(dtype, shape)


def _eigh_vjp(g: Any, out: Any, x: Any, lower: bool) -> tuple[Any, ...]:
    # M. Giles, Collected matrix derivative results for forward and reverse mode AD, 2008, 3.1
    values, vectors = out
    gaps, one = _apart(values)
    turned = (1 - one) * matmul(adjoint(vectors), g[1])
    inner = _quotient(turned, gaps) + one * expand_dims(g[0], -2)
    return (_hermitian(matmul(matmul(vectors, inner), adjoint(vectors))),)


@op(
    inputs=1,
    infer=_eigh_type,
    vjp=_eigh_vjp,
    reads=("out",),
    raises=always,
    samples=lambda: (
        ((sample_positive(3),), {}),
        ((np.stack([sample_positive(2), 2 * sample_positive(2)]),), {"lower": False}),
        ((sample_positive(2, "f4"),), {}),
        ((sample_positive(2, "c16"),), {}),
        ((np.zeros((0, 2, 2)),), {}),
    ),
    has_phases=True,
)
def eigh_(xp: Module, x: Array, lower: bool = True) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of each Hermitian matrix of `x`."""
    values, vectors = xp.linalg.eigh(x, "L" if lower else "U")
    return values, vectors


@implements(
    "linalg.eigh",
    samples=lambda: (
        ((sample_positive(3),), {}),
        ((sample_positive(2), "U"), {}),
    ),
)
def eigh(x: Operand, /, UPLO: str = "L") -> Any:
    """Eigenvalues, increasing, and eigenvectors, as columns, of each Hermitian matrix of `x`.

    Only the lower triangle is read ("L"), or the upper ("U"); the gradient is that of the Hermitian
    part. The result has the fields `eigenvalues` and `eigenvectors`.

    >>> ag.linalg.eigh(np.eye(3)).eigenvalues.numpy()
    array([1., 1., 1.])
    """
    values, vectors = eigh_(x, lower=_is_lower(UPLO))
    return _EighResult(values, vectors)


def _is_lower(UPLO: str) -> bool:
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO.upper() == "L"


def _eigvalsh_vjp(g: Any, out: Any, x: Any, lower: bool) -> tuple[Any, ...]:
    vectors = eigh_(x, lower=lower)[1]
    return (matmul(vectors * expand_dims(g, -2), adjoint(vectors)),)


@op(
    inputs=1,
    infer=lambda x, lower: _eigh_type(x, lower)[0],
    vjp=_eigvalsh_vjp,
    reads=(0,),
    raises=always,
    samples=lambda: (
        ((sample_positive(3),), {}),
        ((sample_positive(2, "c16"),), {"lower": False}),
        ((sample_positive(2, "f4"),), {}),
    ),
)
def eigvalsh_(xp: Module, x: Array, lower: bool = True) -> Array:
    """Eigenvalues of each Hermitian matrix of `x`."""
    return xp.linalg.eigvalsh(x, "L" if lower else "U")


@implements("linalg.eigvalsh", samples=lambda: (((sample_positive(3),), {}),))
def eigvalsh(x: Operand, /, UPLO: str = "L") -> Any:
    """Eigenvalues, increasing, of each Hermitian matrix of `x`; see `eigh`.

    The gradient is finite where eigenvalues coincide, too.

    >>> ag.linalg.eigvalsh(np.array([[2.0, 0.0], [0.0, 1.0]])).numpy()
    array([1., 2.])
    """
    return eigvalsh_(x, lower=_is_lower(UPLO))


# ---- singular values -----------------------------------------------------------------------------


def _svd_type(x: TensorType, full_matrices: bool) -> tuple[TensorType, ...]:
    dtype = float_dtype(x)
    shape = matrix_shape(x)
    if shape is None:
        return TensorType(dtype, None), TensorType(_real(dtype), None), TensorType(dtype, None)
    *lead, m, n = shape
    k = None if m is None or n is None else min(m, n)
    u, v = (m, n) if full_matrices else (k, k)
    return (
        TensorType(dtype, (*lead, m, u)),
        TensorType(_real(dtype), (*lead, k)),
        TensorType(dtype, (*lead, v, n)),
    )


def _skew(x: Any) -> Any:
    return x - adjoint(x)


def _leading(q: Any, g: Any, count: Any) -> tuple[Any, Any]:
    """The first columns of an orthogonal matrix, and the cotangent of them alone.

    The others span what is orthogonal to the first ones, so that they move with them.
    """
    first, rest = (..., slice(None, count)), (..., slice(count, None))
    others = getitem(q, rest)
    moved = matmul(others, matmul(adjoint(getitem(g, rest)), getitem(q, first)))
    return getitem(q, first), getitem(g, first) - moved


def _outside(q: Any, g: Any, s: Any) -> Any:
    """What `g` has outside of the space of the columns of `q`, over the singular values."""
    scaled = _quotient(g, expand_dims(s, -2))
    return scaled - matmul(q, matmul(adjoint(q), scaled))


def _svd_vjp(g: Any, out: Any, x: Any, full_matrices: bool) -> tuple[Any, ...]:
    # J. Townsend, Differentiating the singular value decomposition, 2016; for complex matrices
    # Z. Wan, S. Zhang, Automatic differentiation for complex valued SVD, 2019, arXiv:1909.02659.
    (gu, gs, gvh), (u, s, vh) = g, out
    gv, v = adjoint(gvh), adjoint(vh)
    count = shape_of(s)[-1]
    if full_matrices:
        (u, gu), (v, gv) = _leading(u, gu, count), _leading(v, gv, count)
    gaps, one = _apart(s * s)
    left, right = _skew(matmul(adjoint(u), gu)), _skew(matmul(adjoint(v), gv))
    turned = (1 - one) * (left * expand_dims(s, -2) + expand_dims(s, -1) * right)
    stretched = gs
    if type_of(left).dtype.kind == "c":  # what a change of both phases leaves alone
        stretched = gs + _quotient(diagonal(left, axis1=-2, axis2=-1), 2 * s)
    inner = _quotient(turned, gaps) + one * expand_dims(stretched, -2)
    result = matmul(matmul(u, inner), adjoint(v))
    rows, columns = (type_of(x).shape or (None, None))[-2:]
    if rows is None or columns is None or rows > columns:
        result = result + matmul(_outside(u, gu, s), adjoint(v))
    if rows is None or columns is None or rows < columns:
        result = result + matmul(u, adjoint(_outside(v, gv, s)))
    return (result,)


@op(
    inputs=1,
    infer=_svd_type,
    vjp=_svd_vjp,
    reads=("out",),
    raises=always,
    samples=lambda: (
        ((array((3, 2)),), {}),
        ((array((2, 3)),), {"full_matrices": False}),
        ((array((2, 3), "f4"),), {"full_matrices": False}),
        ((array((2, 3, 2)),), {"full_matrices": False}),
        ((array((2, 2, 2), "c16"),), {}),
    ),
    has_phases=True,
)
def svd_(xp: Module, x: Array, full_matrices: bool = True) -> tuple[Array, ...]:
    """Singular value decomposition u, s, vh of each matrix of `x`."""
    return tuple(xp.linalg.svd(x, full_matrices))


@implements(
    "linalg.svd",
    samples=lambda: (
        ((array((3, 2)),), {}),
        ((array((2, 3)), False), {}),
        ((array((2, 3, 2)),), {"compute_uv": False}),
    ),
)
def svd(x: Operand, /, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular value decomposition of each matrix of `x`: `x = U @ diag(S) @ Vh`.

    With `full_matrices`, `U` and `Vh` are square. Without `compute_uv`, only `S` is given.
    Gradients through `U` and `Vh` need distinct singular values; see also `svdvals`.

    >>> [r.shape for r in ag.linalg.svd(np.zeros((3, 2)), full_matrices=False)]
    [(3, 2), (2,), (2, 2)]
    """
    if not compute_uv:
        return svdvals_(x)
    u, s, vh = svd_(x, full_matrices=full_matrices)
    return _SVDResult(u, s, vh)


def _svdvals_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    u, _, vh = svd_(x, full_matrices=False)
    g = where_(equal(out, 0), 0, g)  # as that of `abs`
    return (matmul(u * expand_dims(g, -2), vh),)


@op(
    inputs=1,
    infer=lambda x: _svd_type(x, full_matrices=False)[1],
    vjp=_svdvals_vjp,
    reads=(0, "out"),
    raises=always,
    samples=lambda: (
        ((array((3, 2)),), {}),
        ((array((2, 2, 3), "c16"),), {}),
        ((array((2, 3), "f4"),), {}),
    ),
)
def svdvals_(xp: Module, x: Array) -> Array:
    """Singular values of each matrix of `x`."""
    return xp.linalg.svd(x, compute_uv=False)


@implements("linalg.svdvals", samples=lambda: (((array((3, 2)),), {}),))
def svdvals(x: Operand, /) -> Any:
    """Singular values, decreasing, of each matrix of `x`.

    The gradient is finite where singular values coincide, too.

    >>> ag.linalg.svdvals(np.array([[3.0, 0.0], [0.0, -4.0]])).numpy()
    array([4., 3.])
    """
    return svdvals_(x)


# ---- orthogonal and triangular factors -----------------------------------------------------------


def _qr_type(x: TensorType, complete: bool) -> tuple[TensorType, TensorType]:
    dtype = float_dtype(x)
    shape = matrix_shape(x)
    if shape is None:
        return TensorType(dtype, None), TensorType(dtype, None)
    *lead, m, n = shape
    k = None if m is None or n is None else min(m, n)
    if complete:
        k = m
    return TensorType(dtype, (*lead, m, k)), TensorType(dtype, (*lead, k, n))


def _tall_qr_vjp(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    # S. Walter, L. Lehmann, Algorithmic differentiation of linear algebra functions with
    # application in optimum experimental design, 2010, arXiv:1001.1654
    upper = triu(matmul(gr, adjoint(r)) - matmul(adjoint(q), gq))
    halves = eye(shape_of(r)[-1], dtype=_real(dtype_of(r))) * real(upper)
    whole = gq + matmul(q, upper + adjoint(upper) - halves)
    return adjoint(solve(r, adjoint(whole)))


def _qr_vjp(g: Any, out: Any, x: Any, complete: bool) -> tuple[Any, ...]:
    (gq, gr), (q, r) = g, out
    if complete:  # what is beyond the reduced factors is zero in r, and follows the others in q
        rank = _least(shape_of(x))
        q, gq = _leading(q, gq, rank)
        first = (..., slice(None, rank), slice(None))
        r, gr = getitem(r, first), getitem(gr, first)
    rows, columns = (type_of(x).shape or (None, None))[-2:]
    if rows is not None and columns is not None and rows >= columns:
        return (_tall_qr_vjp(gq, gr, q, r),)
    # D. Roberts, L. Roberts, QR and LQ decomposition matrix backpropagation algorithms for square,
    # wide, and deep matrices, 2020, arXiv:2009.10071: the columns beyond the square are q^H x.
    count = shape_of(r)[-2]
    square, rest = (..., slice(None, count)), (..., slice(count, None))
    g_beyond = getitem(gr, rest)
    gq = gq + matmul(getitem(x, rest), adjoint(g_beyond))
    g_square = _tall_qr_vjp(gq, getitem(gr, square), q, getitem(r, square))
    return (concat([g_square, matmul(q, g_beyond)], axis=-1),)


@op(
    inputs=1,
    infer=_qr_type,
    vjp=_qr_vjp,
    reads=(0, "out"),
    raises=always,
    samples=lambda: (
        ((array((3, 2)),), {}),
        ((array((2, 3)),), {}),
        ((array((2, 2, 2)),), {}),
        ((array((3, 2), "c16"),), {}),
        ((array((2, 3), "f4"),), {}),
        ((array((2, 3)),), {"complete": True}),
        ((array((3, 2)),), {"complete": True}),
    ),
)
def qr_(xp: Module, x: Array, complete: bool = False) -> tuple[Array, ...]:
    """Orthogonal and upper triangular factors of each matrix of `x`."""
    return tuple(xp.linalg.qr(x, "complete" if complete else "reduced"))


def _least(shape: tuple[Any, ...]) -> Any:
    rows, columns = shape[-2:]
    is_known = isinstance(rows, int) and isinstance(columns, int)
    return min(rows, columns) if is_known else minimum(rows, columns)


@implements(
    "linalg.qr",
    samples=lambda: (
        ((array((3, 2)),), {}),
        ((array((3, 2)), "r"), {}),
        ((array((3, 2)), "complete"), {}),
    ),
)
def qr(x: Operand, /, mode: str = "reduced") -> Any:
    """Factors `Q`, with orthonormal columns, and `R`, upper triangular, of each matrix of `x`.

    `mode` is "reduced", "complete" for a square `Q`, or "r" for `R` alone. Gradients need linearly
    independent columns (the first ones, where there are more columns than rows); else
    numpy.linalg.LinAlgError is raised.

    >>> [r.shape for r in ag.linalg.qr(np.zeros((3, 2)))]
    [(3, 2), (2, 2)]
    """
    if mode not in ("reduced", "complete", "r"):
        raise StagingError(f"qr of mode {mode!r}: there are 'reduced', 'complete' and 'r'")
    q, r = qr_(x, complete=mode == "complete")
    return r if mode == "r" else _QRResult(q, r)


# ---- pseudo-inverse ------------------------------------------------------------------------------


def _pinv_type(x: TensorType, **_: Any) -> TensorType:
    u, _s, _vh = _svd_type(x, full_matrices=False)
    shape = None if x.shape is None else (*x.shape[:-2], x.shape[-1], x.shape[-2])
    return TensorType(u.dtype, shape)


def pinv_vjp(g: Any, out: Any, x: Any, **_: Any) -> tuple[Any, ...]:
    # G. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares
    # problems whose variables separate, 1973; for matrices near which the rank is the same.
    p, a, g = adjoint(out), x, adjoint(g)
    rows = g - matmul(a, matmul(out, g))
    columns = g - matmul(matmul(g, out), a)
    turned = -matmul(p, matmul(adjoint(g), p))
    return (turned + matmul(rows, matmul(out, p)) + matmul(matmul(p, out), columns),)


@op(
    inputs=2,
    infer=lambda x, rtol, hermitian: _pinv_type(x),
    vjp=lambda g, out, x, rtol, hermitian: (*pinv_vjp(g, out, x), None),
    reads=(0, "out"),
    raises=always,
    samples=lambda: (
        ((array((3, 2)), 1e-15), {}),
        ((array((2, 3)), 1e-15), {}),
        ((array((2, 2, 2)), np.array([1e-15, 1e-12])), {}),
        ((array((3, 2), "c16"), 1e-15), {}),
        ((array((2, 3), "f4"), 1e-3), {}),
    ),
)
def pinv_(xp: Module, x: Array, rtol: Array, hermitian: bool = False) -> Array:
    """Moore-Penrose inverse of each matrix: singular values up to `rtol` of the largest are 0."""
    return xp.linalg.pinv(x, rtol, hermitian)


def pinv(x: Operand, /, *, rtol: Operand = None, hermitian: bool = False) -> Any:
    """Moore-Penrose inverse of each matrix of `x`.

    Singular values up to `rtol` times the largest count as 0; by default that is the larger size
    times the precision of the dtype. Gradients are those at constant rank.

    >>> ag.linalg.pinv(np.array([[2.0], [0.0]])).tolist()
    [[0.5, 0.0]]
    """
    return pinv_(x, default_rtol(x) if rtol is None else rtol, hermitian=hermitian)


def default_rtol(x: Operand) -> Any:
    """The larger size of the matrices of `x` times the precision of the dtype."""
    if rank_of(x) < 2:
        raise np.linalg.LinAlgError(
            f"{rank_of(x)}-dimensional array given. Array must be at least two-dimensional"
        )
    rows, columns = shape_of(x)[-2:]
    is_known = isinstance(rows, int) and isinstance(columns, int)
    size = max(rows, columns) if is_known else maximum(rows, columns)
    return size * float(np.finfo(float_dtype(type_of(x))).eps)
