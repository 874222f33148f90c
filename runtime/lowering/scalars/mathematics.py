"""Elementary functions composed of what machines compute: polynomials after range reduction.

Each is at most 2 units in the last place from the exact value, over all numbers, subnormal results
and NumPy's special values included (nan, infinities, the sign of zero); `tests` compare them with
higher precision. Here, and here only, machines that can round a product and a sum once, as one, do.
Which product goes with which sum is said here: were it left to LLVM, a function would have other
bits in a vector than alone.

The method is that of S. Moshier, Cephes Mathematical Library, 1984-1992 (netlib.org/cephes): the
ranges and, for logarithm and tangent, its minimax coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from runtime.lowering.kernels.scalar import Expr, call, cast, const, either, select

__all__ = [
    "BITS",
    "add",
    "apart",
    "clamped",
    "exp",
    "exp_minus_one_of_small",
    "exp_series",
    "has_sign",
    "is_finite",
    "is_infinite",
    "is_nan",
    "log",
    "log_of_parts",
    "log_series",
    "mul",
    "number",
    "of_logarithm",
    "polynomial",
    "power_of_two",
    "reduced_exp",
    "scaled",
    "scaled_in_two_steps",
    "sqrt",
    "sub",
    "tanh",
]

BITS = {"f4": ("i4", 23, 127), "f8": ("i8", 52, 1023)}


def number(value: float, like: Expr) -> Expr:
    """A constant of the type of another expression."""
    return const(value, like.type)


def mul(a: Expr, b: Expr) -> Expr:
    """A product that `add` and `sub` need not round."""
    return call("product", a, b)


def add(a: Expr, b: Expr) -> Expr:
    """A sum; with a `mul`, the first of two, it is rounded once where machines can do that."""
    if a.function == "product":
        return call("muladd", *a.args, b)
    if b.function == "product":
        return call("muladd", *b.args, a)
    return call("add", a, b)


def sub(a: Expr, b: Expr) -> Expr:
    """A difference, likewise."""
    if a.function == "product":
        return call("muladd", *a.args, _negative(b))
    if b.function == "product":
        one, other = sorted(b.args, key=lambda x: x.function != "const")
        return call("muladd", _negative(one), other, a)
    return call("sub", a, b)


def _negative(x: Expr) -> Expr:
    return number(-x.value, x) if x.function == "const" else call("neg", x)


# From so many coefficients on, a loop in which each round needs the last one waits for them.
_LONG = 6


def polynomial(x: Expr, coefficients: Sequence[float]) -> Expr:
    """A polynomial, highest power first, by Horner's rule: a long one of doubles as two halves.

    Its even and its odd powers are computed beside each other.
    """
    if x.type == "f8" and len(coefficients) >= _LONG:
        square = call("mul", x, x)
        even, odd = (_by_rule(square, coefficients[-k::-2][::-1]) for k in (1, 2))
        return add(mul(odd, x), even)
    return _by_rule(x, coefficients)


def _by_rule(x: Expr, coefficients: Sequence[float]) -> Expr:
    result = number(coefficients[0], x)
    for c in coefficients[1:]:
        result = add(mul(result, x), number(c, x))
    return result


def power_of_two(n: Expr, type_: str) -> Expr:
    """2**n for an integer n (of the float's width) within the normal exponents."""
    integer, mantissa, bias = BITS[type_]
    shifted = call("shl", call("add", n, const(bias, integer)), const(mantissa, integer))
    return Expr("bitcast", type_, (shifted,))


def scaled(x: Expr, n: Expr) -> Expr:
    """x * 2**n for an integer n of the float's width, rounded once; 2**n itself may overflow."""
    return Expr("scaled", x.type, (x, n))


def scaled_in_two_steps(x: Expr, n: Expr) -> Expr:
    """`scaled`, for machines that have no instruction for it."""
    half = call("ashr", n, const(1, n.type))
    rest = call("sub", n, half)
    return call("mul", call("mul", x, power_of_two(half, x.type)), power_of_two(rest, x.type))


def fma_in_steps(a: Expr, b: Expr, c: Expr) -> Expr:
    """`fma` of doubles, for machines that have no instruction for it.

    The product is a sum of two doubles, made of halves of its factors (T. Dekker, "A floating-point
    technique for extending the available precision", Numerische Mathematik 18, 1971), which are cut
    out of the bits, so that none overflows. As good as exact where c takes most of it away, which
    it is called for; else it is a second rounding.
    """

    def halves(x: Expr) -> tuple[Expr, Expr]:
        bits = call("and", Expr("bitcast", "i8", (x,)), const(-(1 << 27), "i8"))
        high = Expr("bitcast", "f8", (bits,))
        return high, call("sub", x, high)

    product, (a_high, a_low), (b_high, b_low) = call("mul", a, b), halves(a), halves(b)
    rest = call("sub", call("mul", a_high, b_high), product)
    for one, other in ((a_high, b_low), (a_low, b_high), (a_low, b_low)):
        rest = call("add", rest, call("mul", one, other))
    return call("add", call("add", product, c), rest)


_LN2 = {"f4": (0.693359375, -2.12194440e-4), "f8": (6.93145751953125e-1, 1.42860682030941723212e-6)}
# Beyond these, exp is 0 or infinite.
_EXP_RANGE = {"f4": (-104.0, 89.0), "f8": (-746.0, 710.0)}
# (exp(r) - 1 - r) / r**2 for |r| <= ln(2)/2, by the algorithm of Remez: as exact as Taylor's series
# of one term more. With yet one less for doubles, expm1 would be off by half a unit more.
_EXP_SERIES = {
    "f4": (1.394114301660741e-3, 8.363189865065182e-3, 4.166637491012930e-2,
           1.666657691837351e-1, 5.000000026983693e-1),
    "f8": (2.0921616936884195e-9, 2.5105232686016599e-8, 2.7557252832141315e-7,
           2.7557255362459351e-6, 2.4801587347421213e-5, 1.9841269874850443e-4,
           1.3888888888874364e-3, 8.3333333333261266e-3, 4.1666666666666684e-2,
           1.6666666666666671e-1, 0.5),
}  # fmt: skip


def reduced_exp(x: Expr) -> tuple[Expr, Expr]:
    """(n, r) with x = n ln 2 + r and |r| <= ln(2)/2; if x is nan, r is, and n is any number.

    Added to 1.5 times the first float that has no bits behind the point, numbers are rounded to
    integers, which its last bits are then. Nothing is converted, which is slow on many machines.
    """
    high, low = _LN2[x.type]
    integer, mantissa, bias = BITS[x.type]
    rounding = 1.5 * 2.0**mantissa
    pattern = (mantissa + bias << mantissa) + (1 << mantissa - 1)
    moved = add(mul(x, number(1 / math.log(2), x)), number(rounding, x))
    n = call("sub", moved, number(rounding, x))
    r = sub(sub(x, mul(n, number(high, x))), mul(n, number(low, x)))
    return call("sub", Expr("bitcast", integer, (moved,)), const(pattern, integer)), r


def clamped(x: Expr, low: float, high: float) -> Expr:
    """x within limits; nan becomes the upper one, so that it can be made an integer."""
    x = select(call("lt", x, number(high, x)), x, number(high, x))
    x = select(call("gt", x, number(low, x)), x, number(low, x))
    return x


def exp_series(r: Expr) -> Expr:
    """exp(r) - 1 - r for |r| <= ln(2)/2."""
    return mul(mul(r, r), polynomial(r, _EXP_SERIES[r.type]))


def exp_minus_one_of_small(r: Expr) -> Expr:
    """exp(r) - 1 for |r| <= ln(2)/2."""
    return add(exp_series(r), r)


def exp(x: Expr) -> Expr:
    """e to the power of x."""
    low, high = (number(limit, x) for limit in _EXP_RANGE[x.type])
    inside = select(call("lt", high, x), high, x)  # nan stays nan
    inside = select(call("gt", low, inside), low, inside)
    n, r = reduced_exp(inside)
    return scaled(add(number(1.0, x), exp_minus_one_of_small(r)), n)


_TANH_SMALL = {
    "f4": (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
           -3.33332819422e-1),
}  # fmt: skip
_TANH_P = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_TANH_Q = (1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)


def tanh(x: Expr) -> Expr:
    """Hyperbolic tangent: a polynomial near 0, else 1 - 2 / (exp(2 |x|) + 1).

    What stands for the polynomial in double precision is a quotient, too: only the one that is
    wanted is divided.
    """
    size = call("abs", x)
    square, is_small = mul(x, x), call("lt", size, number(0.625, x))
    # From 10 (22) on the result is 1.
    double, most = mul(size, number(2.0, x)), number(20.0 if x.type == "f4" else 44.0, x)
    n, r = reduced_exp(select(call("lt", most, double), most, double))  # nan stays nan
    power = mul(add(number(1.0, x), exp_minus_one_of_small(r)), power_of_two(n, x.type))
    above, below = number(2.0, x), add(power, number(1.0, x))
    if x.type == "f4":
        quotient, ratio = call("div", above, below), polynomial(square, _TANH_SMALL["f4"])
    else:
        above = select(is_small, polynomial(square, _TANH_P), above)
        below = select(is_small, polynomial(square, _TANH_Q), below)
        quotient = ratio = call("div", above, below)
    small = add(mul(mul(ratio, square), size), size)
    return call("copysign", select(is_small, small, sub(number(1.0, x), quotient)), x)


_LOG_F4 = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LOG_P = (
    1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854e0,
    1.44989225341610930846e1, 1.79368678507819816313e1, 7.70838733755885391666e0,
)  # fmt: skip
_LOG_Q = (
    1.0, 1.12873587189167450590e1, 4.52279145837532221105e1, 8.29875266912776603211e1,
    7.11544750618563894466e1, 2.31251620126765340583e1,
)  # fmt: skip


def apart(x: Expr) -> tuple[Expr, Expr]:
    """(n, r), both of the type of x, with x = 2**n (1 + r) and 1 + r within sqrt(1/2), sqrt(2)."""
    integer, bits, bias = BITS[x.type]
    tiny = float(np.finfo(x.type).smallest_normal)
    is_subnormal = call("lt", x, number(tiny, x))
    lifted = select(is_subnormal, call("mul", x, number(2.0**bits, x)), x)
    pattern = Expr("bitcast", integer, (lifted,))
    exponent = call("sub", call("lshr", pattern, const(bits, integer)), const(bias - 1, integer))
    exponent = call("sub", exponent, select(is_subnormal, const(bits, integer), const(0, integer)))
    mask, half = (1 << bits) - 1, (bias - 1) << bits
    pattern = call("or", call("and", pattern, const(mask, integer)), const(half, integer))
    mantissa = Expr("bitcast", x.type, (pattern,))
    is_low = call("lt", mantissa, number(math.sqrt(0.5), x))
    exponent = call("sub", exponent, select(is_low, const(1, integer), const(0, integer)))
    r = call("sub", mantissa, number(1.0, x))
    r = call("add", r, select(is_low, mantissa, number(0.0, x)))
    return cast(exponent, x.type), r


def log_series(r: Expr) -> Expr:
    """log(1 + r) - r + r**2 / 2, for 1 + r within sqrt(1/2) and sqrt(2)."""
    square = mul(r, r)
    if r.type == "f4":
        return mul(mul(polynomial(r, _LOG_F4), r), square)
    ratio = call("div", polynomial(r, _LOG_P), polynomial(r, _LOG_Q))
    return mul(mul(ratio, r), square)


def log_of_parts(n: Expr, r: Expr, rest: Expr | None = None) -> Expr:
    """log(2**n (1 + r)), plus a small rest."""
    high, low = _LN2["f4"] if r.type == "f4" else (0.693359375, -2.121944400546905827679e-4)
    series = add(log_series(r), mul(n, number(low, r)))
    if rest is not None:
        series = add(series, rest)
    series = sub(series, mul(mul(r, r), number(0.5, r)))
    return add(add(r, series), mul(n, number(high, r)))


def of_logarithm(x: Expr, result: Expr) -> Expr:
    """What a logarithm of x is, special values included, where x has parts: else `result`."""
    infinite = number(math.inf, x)
    result = select(call("eq", x, infinite), infinite, result)
    result = select(call("eq", x, number(0.0, x)), number(-math.inf, x), result)
    is_wrong = either(call("lt", x, number(0.0, x)), call("ne", x, x))
    return select(is_wrong, number(math.nan, x), result)


def log(x: Expr) -> Expr:
    """Natural logarithm: of a mantissa within sqrt(1/2) and sqrt(2), plus exponent times ln 2."""
    return of_logarithm(x, log_of_parts(*apart(x)))


def sqrt(x: Expr) -> Expr:
    """Square root, rounded correctly."""
    return call("sqrt", x)


def is_nan(x: Expr) -> Expr:
    """Whether x is nan."""
    return call("ne", x, x)


def is_finite(x: Expr) -> Expr:
    """Whether x is neither infinite nor nan."""
    return call("lt", call("abs", x), number(math.inf, x))


def is_infinite(x: Expr) -> Expr:
    """Whether x is infinite."""
    return call("eq", call("abs", x), number(math.inf, x))


def has_sign(x: Expr) -> Expr:
    """Whether the sign bit is set, that of zero and nan too."""
    integer = BITS[x.type][0]
    return call("lt", Expr("bitcast", integer, (x,)), const(0, integer))
