"""The gamma function and its kin, zeta, error functions, Bessel functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.math.elementwise import unary, zero_or
from autograph.tf.tensors import Tensor, as_tensor, cast, operands
from runtime import ops
from runtime.ops import special as of_scipy

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "betainc",
    "digamma",
    "erfc",
    "erfcinv",
    "erfinv",
    "igamma",
    "igammac",
    "lbeta",
    "lgamma",
    "ndtri",
    "polygamma",
    "xlog1py",
    "zeta",
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


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x * log1p(y)`, but 0 where `x` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.xlog1py(0.0, -1.0).numpy()
    np.float32(0.0)
    """
    return zero_or(lambda x, y: x * ops.log1p(y), x, y, usual=0)


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The derivative of order `a` of `digamma`; nan where that is no integer of 0 or more.

    >>> import autograph.tf as tf
    >>> tf.math.polygamma(1.0, 1.0).numpy()
    np.float32(1.644934)
    """
    a, x = (as_tensor(part) for part in operands(a, x))
    return cast(of_scipy.polygamma(a, x), x.dtype)


def _positive(a: Any, found: Any) -> Any:
    """`found`, but nan for a parameter that is not positive."""
    return ops.where(ops.greater(a, 0), found, np.nan)


def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The integral of `t**(a - 1) * exp(-t)` from 0 to `x`, over `gamma(a)`; nan unless `a > 0`.

    >>> import autograph.tf as tf
    >>> tf.math.igamma(1.0, [0.0, 1.0]).numpy()
    array([0.        , 0.63212055], dtype=float32)
    """
    a, x = (as_tensor(part) for part in operands(a, x))
    return ops.where(ops.equal(x, 0), 0.0 * x, _positive(a, of_scipy.gammainc(a, x)))


def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """`1 - igamma(a, x)`, precise where that is small.

    >>> import autograph.tf as tf
    >>> tf.math.igammac(1.0, [0.0, 1.0]).numpy()
    array([1.        , 0.36787945], dtype=float32)
    """
    a, x = (as_tensor(part) for part in operands(a, x))
    return _positive(a, of_scipy.gammaincc(a, x))


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The integral of `t**(a - 1) * (1 - t)**(b - 1)` from 0 to `x`, over `beta(a, b)`.

    It is nan unless `a > 0`, `b > 0` and `x` is in [0, 1].

    >>> import autograph.tf as tf
    >>> tf.math.betainc(1.0, 2.0, [0.0, 0.5]).numpy()
    array([0.  , 0.75], dtype=float32)
    """
    a, b = operands(a, b)
    a, x = operands(a, x)
    a, b, x = (as_tensor(part) for part in (a, operands(b, x)[0], x))
    return _positive(a, _positive(b, of_scipy.betainc(a, b, x)))


def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """The sum of `(q + k)**-x` over k = 0, 1, ...; nan for an `x` below 1.

    >>> import autograph.tf as tf
    >>> tf.math.zeta([4.0, 3.0], 1.0).numpy()
    array([1.0823232, 1.2020569], dtype=float32)
    """
    x, q = (as_tensor(part) for part in operands(x, q))
    return of_scipy.zeta(x, q)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """Logarithm of the beta function of the elements along the last axis.

    >>> import autograph.tf as tf
    >>> tf.math.lbeta([1.0, 1.0]).numpy()
    np.float32(0.0)
    """
    x = as_tensor(x)
    return ops.sum(of_scipy.gammaln(x), axis=-1) - of_scipy.gammaln(ops.sum(x, axis=-1))
