"""`keras.ops.linalg` over ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


import autograph as ag
from autograph.keras.backend.core import convert_to_tensor
from autograph.keras.backend.numpy import floating, together

__all__ = [
    "cholesky", "cholesky_inverse", "det", "eig", "eigh", "inv", "jvp", "lstsq", "lu_factor",
    "matrix_rank", "norm", "pinv", "qr", "solve", "solve_triangular", "svd",
]  # fmt: skip


def cholesky(a: Any, upper: bool = False) -> Any:
    return ag.linalg.cholesky(floating(a), upper=upper)


def cholesky_inverse(a: Any, upper: bool = False) -> Any:
    factor = floating(a)
    identity = ag.eye(factor.shape[-1], dtype=factor.dtype)
    inverse = solve_triangular(factor, identity, lower=not upper)
    turned = ag.matrix_transpose(inverse)
    return ag.matmul(inverse, turned) if upper else ag.matmul(turned, inverse)


def det(a: Any) -> Any:
    return ag.linalg.det(floating(a))


def eig(a: Any) -> Any:
    return tuple(ag.linalg.eig(floating(a)))


def eigh(a: Any) -> Any:
    return tuple(ag.linalg.eigh(floating(a)))


def inv(a: Any) -> Any:
    return ag.linalg.inv(floating(a))


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    return ag.linalg.lstsq(*together(a, b, at_least=[float]), rcond=rcond)[0]


def matrix_rank(x: Any, tol: Any = None) -> Any:
    return ag.astype(ag.linalg.matrix_rank(floating(x), tol), "int32")


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    axis = tuple(axis) if isinstance(axis, list) else axis
    return ag.linalg.norm(floating(x), ord=ord, axis=axis, keepdims=keepdims)


def pinv(x: Any, rcond: Any = None) -> Any:
    return ag.linalg.pinv(floating(x), rtol=rcond)


def qr(x: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete"):
        raise ValueError(
            "`mode` argument value not supported. Expected one of {'reduced', 'complete'}. "
            f"Received: mode={mode}"
        )
    return tuple(ag.linalg.qr(floating(x), mode=mode))


def solve(a: Any, b: Any) -> Any:
    a, b = together(a, b, at_least=[float])
    is_vector = b.ndim == a.ndim - 1
    return ag.linalg.solve(a, b[..., None])[..., 0] if is_vector else ag.linalg.solve(a, b)


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    a, b = together(a, b, at_least=[float])
    return solve(ag.tril(a) if lower else ag.triu(a), b)


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    found = ag.linalg.svd(floating(x), full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


def lu_factor(a: Any) -> Any:
    """Both factors in one matrix, and for each row the one that it was exchanged with."""
    a = floating(a)
    rows, columns = a.shape[-2:]
    pivots = []
    for k in range(min(rows, columns)):
        largest = ag.argmax(ag.abs(a[..., k:, k]), axis=-1) + k
        pivots.append(largest)
        a = _exchanged(a, k, largest)
        below = (ag.arange(rows) > k)[:, None]
        right = ag.arange(columns) > k
        pivot = a[..., k : k + 1, k : k + 1]
        safe = ag.where(pivot == 0, ag.ones_like(pivot), pivot)
        scaled = a[..., :, k : k + 1] / safe
        reduced = a - scaled * a[..., k : k + 1, :]
        with_column = ag.where(ag.arange(columns) == k, scaled, ag.where(right, reduced, a))
        a = ag.where(below, with_column, a)
    return a, ag.astype(ag.stack(pivots, axis=-1), "int32")


def _exchanged(a: Any, k: int, other: Any) -> Any:
    """Matrices with row `k` and another one, which data tells, exchanged."""
    rows = ag.arange(a.shape[-2])
    other = other[..., None]
    order = ag.where(rows == k, other, ag.where(rows == other, k, rows))
    return ag.take_along_axis(a, ag.broadcast_to(order[..., None], a.shape), axis=-2)


def jvp(fun: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    primals = tuple(map(convert_to_tensor, primals))
    tangents = tuple(map(convert_to_tensor, tangents))
    if not has_aux:
        return ag.jvp(fun, primals, tangents)
    kept = []

    def without_aux(*args: Any) -> Any:
        result, aux = fun(*args)
        kept.append(aux)
        return result

    value, tangent = ag.jvp(without_aux, primals, tangents)
    return value, tangent, kept[-1]
