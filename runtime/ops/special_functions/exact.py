"""Logarithm, exponential and normal quantile out of operations that are correctly rounded.

IEEE 754 fixes each bit of a sum, product, quotient or square root, not of `log` and `exp`, whose
last bits differ between libraries and devices. Random draws are made with these, so that they are
the same everywhere. All take and return float64 arrays; `log` and `normal_quantile` also Python
floats, which are faster for a single draw, and native code the expressions that it is made of.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.declaration.operands import Array, Module

__all__ = ["exp", "log", "log_factorial", "normal_quantile", "quantile_at"]

_LN2_HIGH = math.ldexp(math.floor(math.ldexp(math.log(2), 32)), -32)  # products with ints are exact
_LN2_LOW = 1.90821492927058770002e-10  # log(2) - _LN2_HIGH


def _polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    """The polynomial with the given coefficients, that of the highest power first, at `x`."""
    result = x * coefficients[0]
    result += coefficients[1]
    for c in coefficients[2:]:
        result *= x
        result += c
    return result


# log((1 + s) / (1 - s)) / s - 2 = 2 s**2 / 3 + 2 s**4 / 5 + ..., to float64 where s < 0.172.
_ROOT = math.sqrt(0.5)
_ATANH = (*(2 / (2 * n + 1) for n in range(11, 0, -1)), 0.0)


def log(xp: Module, x: Array) -> Array:
    """Natural logarithm of positive numbers, to 1 ULP.

    `x = 2**k (1 + f)` with `1 + f` in [sqrt(1/2), sqrt(2)), and with `s = f / (2 + f)`
    `log(1 + f) = f - (f**2 / 2 - s (f**2 / 2 + R(s**2)))`: K. C. Ng, fdlibm, `e_log.c`, 1993. R is
    the Taylor series.
    """
    if isinstance(x, float):
        mantissa, k = math.frexp(x)
        if mantissa < _ROOT:
            mantissa, k = mantissa * 2, k - 1
    else:
        mantissa, k = xp.frexp(x)
        small = mantissa < _ROOT
        mantissa, k = xp.where(small, mantissa * 2, mantissa), (k - small).astype(np.float64)
    f = mantissa - 1.0
    s = f / (f + 2.0)
    half = f * f * 0.5
    r = _polynomial(s * s, _ATANH)
    return k * _LN2_HIGH - ((half - (s * (half + r) + k * _LN2_LOW)) - f)


_TAYLOR = tuple(1 / math.factorial(n) for n in range(14, -1, -1))


def exp(xp: Module, x: Array) -> Array:
    """Exponential, to 1.1 ULP; `x` is at most 700, and where it is below -800 the result is 0."""
    x = xp.maximum(x, -800.0)
    k = xp.rint(x * (1 / math.log(2)))
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    return xp.ldexp(_polynomial(r, _TAYLOR), k.astype(np.int32))


_LOG_FACTORIALS = tuple(math.log(math.factorial(n)) for n in range(16))
_STIRLING = (-1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


def log_factorial(xp: Module, n: Array) -> Array:
    """`log(n!)` of whole numbers, to 1e-14: a table, then Stirling's series (DLMF 5.11.1)."""
    x = xp.maximum(n, 16.0) + 1.0
    series = _polynomial(1.0 / (x * x), _STIRLING) / x
    large = (x - 0.5) * log(xp, x) - x + (0.5 * math.log(2 * math.pi)) + series
    table = xp.asarray(_LOG_FACTORIALS)
    return xp.where(n < 16, table[xp.clip(n, 0, 15).astype(np.int64)], large)


# Coefficients of P. J. Wichura, numerators and denominators, that of the highest power first.
_CENTRE = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
     4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
     1.3314166789178437745e2, 3.3871328727963666080e0),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
     2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
     4.2313330701600911252e1, 1.0),
)  # fmt: skip
_NEAR = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
     4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
     2.05319162663775882187e0, 1.0),
)  # fmt: skip
_FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
     5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def _ratio(x: Array, parts: tuple[tuple[float, ...], tuple[float, ...]]) -> Array:
    return _polynomial(x, parts[0]) / _polynomial(x, parts[1])


def normal_quantile(xp: Module, p: Array, q: Array) -> Array:
    """The positive `z` above which the standard normal distribution has the probability `p`.

    `p` is in (0, 1/2] and `q = 1/2 - p`: given both, no digit is lost in the tail or at the centre.

    P. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
    Statistics 37 (1988), 477-484, PPND16: relative accuracy about 1e-16.
    """
    if isinstance(p, float):
        return _one_quantile(p, q)
    if not hasattr(xp, "nonzero"):
        return quantile_at(xp, q, xp.sqrt(-log(xp, p)))
    z = q * _ratio(0.180625 - q * q, _CENTRE)
    tail = xp.nonzero(q > 0.425)[0]
    r = xp.sqrt(-log(xp, p[tail]))
    far = r > 5.0
    at_tail = _ratio(r - 1.6, _NEAR)
    if far.any():
        at_tail = xp.where(far, _ratio(r - 5.0, _FAR), at_tail)
    z[tail] = at_tail
    return z


def quantile_at(xp: Module, q: Array, r: Array) -> Array:
    """The same where `r = sqrt(-log(p))` is known, all elements computed alike."""
    at_tail = xp.where(r > 5.0, _ratio(r - 5.0, _FAR), _ratio(r - 1.6, _NEAR))
    return xp.where(q > 0.425, at_tail, q * _ratio(0.180625 - q * q, _CENTRE))


def _one_quantile(p: float, q: float) -> Any:
    if q <= 0.425:
        return q * _ratio(0.180625 - q * q, _CENTRE)
    r = math.sqrt(-log(math, p))
    return _ratio(r - 5.0, _FAR) if r > 5.0 else _ratio(r - 1.6, _NEAR)
