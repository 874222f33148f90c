"""The error function, by rational approximations that NumPy can compute for whole arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import as_ufunc
from runtime.ops.declaration.operands import Array, Module, ufunc_dtype
from runtime.ops.declaration.samples import unary
from runtime.ops.elementwise.exponential import exp
from runtime.ops.elementwise.rules import derivative
from runtime.ops.elementwise.selection import clip

__all__ = ["FAR", "erf"]

# W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of
# Computation 23 (1969), 631-637: for |x| <= 0.46875 erf(x) = x P(x**2) / Q(x**2), beyond
# erf(|x|) = 1 - exp(-x**2) R(|x|) / S(|x|). Highest power first.
_P = (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
      3.77485237685302021e2, 3.20937758913846947e3)  # fmt: skip
# P - Q: x + x (P - Q) / Q has fewer roundings.
_EXCESS = (-0.814222293815396847, -20.44016720847355530,
           -130.160483783394017, -905.131288392070259,
           365.14075569929885)  # fmt: skip
_Q = (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
      2.84423683343917062e3)  # fmt: skip
_R = (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
      6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
      1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3)  # fmt: skip
_S = (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
      1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
      3.43936767414372164e3, 1.23033935480374942e3)  # fmt: skip
# Numerator and denominator of what exp(-x**2) is multiplied with for erfc(x).
FAR = (_R, _S)
_BORDER = 0.46875
# From here on erf is 1 in double precision; R and S stay in range.
_FAR = 6.0
_SLOPE = 2 / math.sqrt(math.pi)


def _polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    """Horner's rule, the coefficients in the dtype of `x`."""
    first, *rest = coefficients
    result = x * first
    for c in rest[:-1]:
        result += c
        result *= x
    result += rest[-1]
    return result


def _slope(out: Any, x: Any) -> Any:
    """The derivative; 0 in every precision where x**2 could overflow."""
    near = clip(x, -30, 30)
    return _SLOPE * exp(-near * near)


@as_ufunc(
    np.exp, derivative(_slope), reads=(0,), samples=unary(-2.0, 2.0, dtypes="f8 f4 f2 i8"), numpy=()
)
def erf(xp: Module, x: Array) -> Array:
    """The error function of the real `x`, `2 / sqrt(pi)` times the integral of `exp(-t**2)`.

    >>> ag.erf(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.84270079])
    """
    x = xp.asarray(x)
    dtype = ufunc_dtype(np.exp, (x.dtype,))
    x = x.astype(np.promote_types(dtype, np.float32), copy=False)
    size = xp.abs(x)
    inner, outer = xp.minimum(size, _BORDER), xp.clip(size, _BORDER, _FAR)
    square = inner * inner
    near = inner + inner * (_polynomial(square, _EXCESS) / _polynomial(square, _Q))
    far = 1 - xp.exp(-outer * outer) * (_polynomial(outer, _R) / _polynomial(outer, _S))
    return xp.copysign(xp.where(size <= _BORDER, near, far), x).astype(dtype, copy=False)
