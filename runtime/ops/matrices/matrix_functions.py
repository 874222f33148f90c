"""Functions of square matrices: the exponential function and the square root."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.arrays.creation import eye, zeros_like
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import expand_dims, reshape
from runtime.ops.declaration.declare import always, op
from runtime.ops.declaration.operands import Array, Module, dtype_of, shape_of, type_of
from runtime.ops.declaration.samples import calls
from runtime.ops.elementwise.complex import real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.indexing.indexing import getitem
from runtime.ops.matrices.systems import adjoint, float_dtype, sample_matrix, solve, square_shape
from runtime.spec import TensorType

__all__ = ["expm", "sqrtm"]

# The coefficients of the [13/13] approximant, and the largest norm that it serves in double
# precision: N. J. Higham, The scaling and squaring method for the matrix exponential revisited,
# SIAM J. Matrix Anal. Appl. 26(4), 2005, table 2.3 and (2.2).
_ORDER, _LARGEST = 13, 5.371920351148152
_PADE = [
    math.factorial(2 * _ORDER - k)
    * math.factorial(_ORDER)
    / (math.factorial(2 * _ORDER) * math.factorial(k) * math.factorial(_ORDER - k))
    for k in range(_ORDER + 1)
]


def _function_type(x: TensorType) -> TensorType:
    return TensorType(float_dtype(x), square_shape(x))


def _double(xp: Module, x: Array) -> Array:
    """A stack of square matrices in double precision."""
    made = xp.asarray(x)
    square_shape(type_of(made))  # sizes that the run tells
    kind = np.complex128 if made.dtype.kind == "c" else np.float64
    return made.astype(kind).reshape(math.prod(made.shape[:-2]), *made.shape[-2:])


def _as_operand(g: Any, x: Any) -> Any:
    own = dtype_of(x)
    return astype(g if own.kind == "c" else real(g) if dtype_of(g).kind == "c" else g, own)


_MATRICES = calls(
    lambda: (
        ((sample_matrix(3),), {}),
        ((sample_matrix(2, lead=(2,)),), {}),
        ((sample_matrix(3, "c16"),), {}),
        ((sample_matrix(2, "f4"),), {}),
        ((np.array([[2, 1], [1, 3]]),), {}),
        ((np.zeros((0, 2, 2)),), {}),
        ((np.zeros((0, 0)),), {}),
    )
)


def _expm_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    # The derivative stands in the corner of the exponential of twice the size (Higham, Functions of
    # Matrices, 2008, (3.16)).
    turned, size = adjoint(x), shape_of(x)[-1]
    upper = concat([turned, astype(g, dtype_of(out), copy=False)], axis=-1)
    lower = concat([zeros_like(turned), turned], axis=-1)
    whole = expm(concat([upper, lower], axis=-2))
    return (_as_operand(getitem(whole, (..., slice(None, size), slice(size, None))), x),)


@op(inputs=1, infer=_function_type, vjp=_expm_vjp, reads=(0,), raises=always, samples=_MATRICES)
def expm(xp: Module, x: Array) -> Array:
    """The exponential function of each square matrix of `x`, by scaling and squaring.

    >>> ag.linalg.expm(np.array([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    flat = _double(xp, x)
    count, size = flat.shape[:2]
    result = xp.zeros_like(flat)
    one = xp.eye(size, dtype=flat.dtype)
    for i in range(count if size else 0):
        norm = float(xp.abs(flat[i]).sum(axis=0).max())
        if not math.isfinite(norm):
            result[i] = math.nan
            continue
        times = max(math.frexp(norm / _LARGEST)[1], 0)
        a = flat[i] / 2.0**times
        even, odd, power, square = one * 0, one * 0, one, a @ a
        for k in range(0, _ORDER, 2):
            even = even + _PADE[k] * power
            odd = odd + _PADE[k + 1] * power
            power = power @ square
        odd = a @ odd
        found = xp.linalg.solve(even - odd, even + odd)
        for _ in range(times):
            found = found @ found
        result[i] = found
    return result.reshape(x.shape).astype(_own(x), copy=False)


def _own(x: Array) -> np.dtype[Any]:
    return float_dtype(TensorType(x.dtype, x.shape))


def _sqrtm_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    # Of Y Y = X: dY Y + Y dY = dX, so that Y^H Z + Z Y^H = G, an equation in all elements of Z.
    turned, size = adjoint(out), shape_of(out)[-1]
    one = eye(size, dtype=dtype_of(out))
    # Z[k, l] counts Y^H[i, k] for each j = l, and Y^H[l, j] for each i = k, in the row (i, j).
    above, beside = (expand_dims(m, (-3, -1)) for m in (turned, one))
    left = above * expand_dims(one, (-4, -2))
    right = beside * expand_dims(conjugated(out), (-4, -2))
    lead = shape_of(out)[:-2]
    both = reshape(left + right, (*lead, size * size, size * size))
    given = reshape(astype(g, dtype_of(out), copy=False), (*lead, size * size, 1))
    return (_as_operand(reshape(solve(both, given), shape_of(out)), x),)


@op(
    inputs=1,
    infer=_function_type,
    vjp=_sqrtm_vjp,
    reads=("out", 0),
    raises=always,
    samples=_MATRICES,
)
def sqrtm(xp: Module, x: Array) -> Array:
    """The principal square root of each square matrix of `x`.

    It is nan for a real matrix whose root is complex.

    >>> ag.linalg.sqrtm(np.array([[4.0, 0.0], [0.0, 9.0]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    flat = _double(xp, x)
    result = xp.zeros_like(flat)
    for i in range(len(flat)):
        found = _root(xp, flat[i])
        if flat.dtype.kind != "c":
            scale = float(xp.abs(found).max()) if found.size else 0.0
            is_real = float(xp.abs(found.imag).max()) <= 1e-6 * scale if found.size else True
            found = found.real if is_real else xp.full_like(flat[i], math.nan)
        result[i] = found
    return result.reshape(x.shape).astype(_own(x), copy=False)


def _root(xp: Module, a: Array) -> Array:
    # A. Bjorck, S. Hammarling: A Schur method for the square root of a matrix, 1983.
    triangle, basis = _schur(xp, a)
    size = len(a)
    root = xp.zeros_like(triangle)
    for j in range(size):
        root[j, j] = xp.sqrt(triangle[j, j])
        for i in range(j - 1, -1, -1):
            rest = triangle[i, j] - root[i, i + 1 : j] @ root[i + 1 : j, j]
            both = root[i, i] + root[j, j]
            root[i, j] = rest / both if both != 0 or rest != 0 else 0.0
    return basis @ root @ basis.conj().T


def _schur(xp: Module, a: Array) -> tuple[Array, Array]:
    """An upper triangle and a unitary matrix `q` such that `a = q @ triangle @ q^H`.

    By the QR algorithm with shifts: J. G. F. Francis, The QR transformation, 1961.
    """
    triangle = a.astype(np.complex128)
    size = len(a)
    basis = xp.eye(size, dtype=np.complex128)
    least = np.finfo(np.float64).eps * float(xp.abs(triangle).max()) if size else 0.0
    last, turns = size - 1, 0
    while last > 0 and np.isfinite(least):
        if float(xp.abs(triangle[last, :last]).max()) <= least or turns > 100:
            triangle[last, :last] = 0
            last, turns = last - 1, 0
            continue
        part = triangle[last - 1 : last + 1, last - 1 : last + 1]
        ends = xp.linalg.eigvals(part)
        shift = ends[int(xp.abs(ends - part[1, 1]).argmin())]
        if turns % 11 == 10:  # out of a cycle
            shift = shift + float(xp.abs(triangle[last, :last]).max())
        moved = triangle[: last + 1, : last + 1] - shift * xp.eye(last + 1)
        q, _ = xp.linalg.qr(moved)
        triangle[: last + 1] = q.conj().T @ triangle[: last + 1]
        triangle[:, : last + 1] = triangle[:, : last + 1] @ q
        basis[:, : last + 1] = basis[:, : last + 1] @ q
        turns += 1
    return triangle, basis
