"""`keras.ops.linalg` over ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
    a, b = together(a, b, at_least=[float])
    return ag.linalg.lstsq(a, b, rcond=rcond)[0]


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


def _of_columns(solve: Callable[..., Any], a: Any, b: Any) -> Any:
    """A solution where `b` may be one vector for each matrix."""
    return solve(a, b[..., None])[..., 0] if b.ndim == a.ndim - 1 else solve(a, b)


def solve(a: Any, b: Any) -> Any:
    a, b = together(a, b, at_least=[float])
    return _of_columns(ag.linalg.solve, a, b)


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    a, b = together(a, b, at_least=[float])
    return _of_columns(partial(ag.linalg.solve_triangular, lower=lower), a, b)


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    found = ag.linalg.svd(floating(x), full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


def lu_factor(a: Any) -> Any:
    a = floating(a)
    factors, pivots = ag.linalg.lu_factor(a)
    return factors, ag.astype(pivots, "int32")


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
