"""The gamma function and its kin, error functions, Bessel functions."""

from __future__ import annotations

from typing import Any

from autograph.tf.math.elementwise import unary, zero_or
from autograph.tf.tensors import as_tensor, cast
from runtime import ops
from runtime.ops import special as of_scipy

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "digamma",
    "erfc",
    "erfcinv",
    "erfinv",
    "lbeta",
    "lgamma",
    "ndtri",
    "polygamma",
    "xlog1py",
]

digamma = unary(of_scipy.digamma)
lgamma = unary(of_scipy.gammaln)
erfc = unary(of_scipy.erfc)
erfinv = unary(of_scipy.erfinv)
erfcinv = unary(of_scipy.erfcinv)
ndtri = unary(of_scipy.ndtri)
bessel_i0 = unary(of_scipy.i0)
bessel_i0e = unary(of_scipy.i0e)
bessel_i1 = unary(of_scipy.i1)
bessel_i1e = unary(of_scipy.i1e)


def xlog1py(x: Any, y: Any, name: str | None = None) -> Any:
    """`x * log1p(y)`, but 0 where `x` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.xlog1py(0.0, -1.0).numpy()
    np.float32(0.0)
    """
    return zero_or(lambda x, y: x * ops.log1p(y), x, y, usual=0)


def polygamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The derivative of order `a` of `digamma`; `a` is known outside of a graph.

    >>> import autograph.tf as tf
    >>> tf.math.polygamma(1.0, 1.0).numpy()
    np.float32(1.644934)
    """
    x = as_tensor(x)
    return cast(of_scipy.polygamma(int(as_tensor(a)), x), x.dtype)


def lbeta(x: Any, name: str | None = None) -> Any:
    """Logarithm of the beta function of the elements along the last axis.

    >>> import autograph.tf as tf
    >>> tf.math.lbeta([1.0, 1.0]).numpy()
    np.float32(0.0)
    """
    x = as_tensor(x)
    return ops.sum(of_scipy.gammaln(x), axis=-1) - of_scipy.gammaln(ops.sum(x, axis=-1))
