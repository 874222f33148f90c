"""Trigonometric functions and their inverses.

Arguments of any size are reduced exactly: M. Payne, R. Hanek, "Radian reduction for trigonometric
functions", SIGNUM Newsletter 18 (1983). The inverses are those of fdlibm (Sun Microsystems, 1993;
netlib.org/fdlibm), with polynomials fitted for this (Chebyshev nodes, 200 bits).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from runtime.lowering.kernels.kernel import Buffer, load
from runtime.lowering.kernels.scalar import Expr, both, call, cast, const, either, invert, select
from runtime.lowering.scalars.exponentials import in_double, is_itself
from runtime.lowering.scalars.mathematics import add, has_sign, mul, number, polynomial, sqrt, sub

__all__ = [
    "FAR", "acos", "asin", "atan", "atan2", "cos", "far_angle", "far_cos", "far_sin", "far_tan",
    "sin", "tan", "two_sum",
]  # fmt: skip

# 2 / pi times 2**1344.
_TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e0"
    "06492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f4"
    "9c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d"
    "7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361d"
    "a9e391615ee61b08",
    16,
)
_FRACTION = 1344
_PIO2 = (1.5707963267948966, 6.123233995736766e-17)
# The first 25 bits of it, and the rest: for floats that are not FAR.
_PIO2_OF_NEAR = (1.57079631090164184570, 1.58932547735281966916e-08)
FAR = 2.0**20
# Three parts of 33 bits, which are exact times n, and the rest: for doubles that are not FAR.
_PIO2_OF_DOUBLES = (
    1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)  # fmt: skip
# What is added to it has its units in the last bits.
_WHOLE = 1.5 * 2.0**52

# ---- reduction: x = n pi / 2 + r with |r| <= pi / 4 ----------------------------------------------

# A number of at least 1/2 is M 2**E with an integer M of 53 (or 24) bits. The table has, for each
# E, 2**E 2 / pi modulo 4 in pieces of so many bits: products with parts of M are exact.
_PIECE, _PIECES = {"f8": 26, "f4": 29}, {"f8": 7, "f4": 3}
_FIRST = {"f8": -53, "f4": -24}
_ROWS = {"f8": 1025, "f4": 129}


@cache
def _table(type_: str) -> Buffer:
    width, count = _PIECE[type_], _PIECES[type_]
    rows = []
    for exponent in range(_FIRST[type_], _FIRST[type_] + _ROWS[type_]):
        shift = _FRACTION - exponent
        rest = _TWO_OVER_PI & ((1 << (shift + 2)) - 1)
        for k in range(count):  # pieces with bits down to 2**(2 - width (k + 1))
            place = shift + 2 - width * (k + 1)
            piece = rest >> place
            rest -= piece << place
            rows.append(math.ldexp(piece, place - shift))
    array = np.array(rows)
    return Buffer(f"two_over_pi_{type_}", "f8", array.shape, "constant", array)


def _modulo(x: Expr, size: float) -> tuple[Expr, Expr]:
    """x less the nearest multiple of a power of two, and that multiple: both exact."""
    near = call("rint", call("mul", x, number(1 / size, x)))
    multiple = call("mul", near, number(size, x))
    return call("sub", x, multiple), multiple


def two_sum(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The sum rounded, and what the rounding took away."""
    total = call("add", a, b)
    part = call("sub", total, a)
    rest = call("add", call("sub", a, call("sub", total, part)), call("sub", b, part))
    return total, rest


def _pieces(size: Expr, type_: str) -> tuple[Expr, list[Expr]]:
    """M of a double that came from the type, and the pieces for its E."""
    pattern = Expr("bitcast", "i8", (size,))
    exponent = call("lshr", pattern, const(52, "i8"))
    bits = 52 if type_ == "f8" else 23
    mantissa = call("and", pattern, const((1 << 52) - 1, "i8"))
    whole = call("or", mantissa, const((1023 + bits) << 52, "i8"))
    row = call("sub", exponent, const(1023 + bits + _FIRST[type_], "i8"))
    row = select(call("gt", row, const(0, "i8")), row, const(0, "i8"))
    last = const(_ROWS[type_] - 1, "i8")
    row = select(call("lt", row, last), row, last)
    count, table = _PIECES[type_], _table(type_)
    start = call("mul", row, const(count, "i8"))
    found = [load(table, call("add", start, const(k, "i8"))) for k in range(count)]
    return Expr("bitcast", "f8", (whole,)), found


def _reduced_float(size: Expr) -> tuple[Expr, Expr, Expr]:
    whole, (p0, p1, p2) = _pieces(size, "f4")
    first, _ = _modulo(call("mul", whole, p0), 4.0)
    second = call("mul", whole, p1)
    n = call("rint", call("add", first, second))
    rest = call("add", call("sub", first, n), second)
    rest = call("add", rest, call("mul", whole, p2))
    return n, call("mul", rest, number(_PIO2[0], rest)), number(0.0, rest)


def _reduced_double(size: Expr) -> tuple[Expr, Expr, Expr]:
    whole, p = _pieces(size, "f8")
    high = call("mul", call("floor", call("mul", whole, number(2.0**-27, whole))),
                number(2.0**27, whole))  # fmt: skip
    low = call("sub", whole, high)
    # High parts of M times the first piece are multiples of 4.
    one, _ = _modulo(call("mul", high, p[1]), 4.0)
    other, _ = _modulo(call("mul", low, p[0]), 4.0)
    one_less, ones = _modulo(call("mul", high, p[2]), 1.0)
    other_less, others = _modulo(call("mul", low, p[1]), 1.0)
    coarse = call("add", call("add", one, other), call("add", ones, others))
    fine = call("add", one_less, other_less)
    n = call("rint", call("add", coarse, fine))
    total = call("add", call("sub", coarse, n), fine)
    lost = number(0.0, total)
    for k in (3, 4, 5, 6):
        for part, piece in ((high, p[k]), (low, p[k - 1])):
            total, rest = two_sum(total, call("mul", part, piece))
            lost = call("add", lost, rest)
    total, lost = two_sum(total, lost)
    first, second = (number(c, total) for c in _PIO2)
    r = call("mul", total, first)
    rest = call("fma", total, first, call("neg", r))
    return n, r, add(rest, add(mul(total, second), mul(lost, first)))


Angle = tuple[Expr, Expr, Expr]


def _reduced(size: Expr) -> Angle:
    """The quadrant n as an integer, and r in two parts, as doubles; of a double that is FAR."""
    n, r, rest = _reduced_double(size)
    is_plain = call("lt", size, number(math.inf, size))
    n = cast(select(is_plain, n, number(0.0, size)), "i8")
    return n, select(is_plain, r, number(math.nan, r)), rest


def _reduced_near(size: Expr) -> Angle:
    """The same of a double that is not."""
    turns = add(mul(size, number(2 / math.pi, size)), number(_WHOLE, size))
    n = call("sub", turns, number(_WHOLE, size))
    first, second, third, fourth = (number(-c, size) for c in _PIO2_OF_DOUBLES)
    total = call("add", size, call("mul", n, first))
    total, lost = two_sum(total, call("mul", n, second))
    total, more = two_sum(total, call("mul", n, third))
    lost = call("add", call("add", lost, more), call("mul", n, fourth))
    r = call("add", total, lost)
    return Expr("bitcast", "i8", (turns,)), r, call("add", call("sub", total, r), lost)


def _reduced_of_float(size: Expr) -> Angle:
    """By two parts of pi / 2, the first of which is exact times n; what is far is looked up."""
    n = call("rint", mul(size, number(2 / math.pi, size)))
    first, second = (number(c, size) for c in _PIO2_OF_NEAR)
    r = sub(sub(size, mul(n, first)), mul(n, second))
    is_far = call("ge", size, number(FAR, size))
    is_near = call("lt", size, number(FAR, size))
    far = far_angle(size)
    far.composed = "far_angle", (size,)
    pattern = Expr("bitcast", "i8", (far,))
    quadrant = call("and", pattern, const(3, "i8"))
    n = select(is_far, quadrant, cast(select(is_near, n, number(0.0, n)), "i8"))
    return n, select(is_far, far, r), number(0.0, r)


def far_angle(size: Expr) -> Expr:
    """r of a float that is far from 0, with the quadrant in the last two bits of it."""
    n, r, _ = _reduced_float(size)
    is_plain = call("lt", size, number(math.inf, size))
    r = Expr("bitcast", "i8", (select(is_plain, r, number(math.nan, r)),))
    quadrant = call("and", cast(select(is_plain, n, number(0.0, n)), "i8"), const(3, "i8"))
    whole = call("or", call("and", r, const(-4, "i8")), quadrant)
    return Expr("bitcast", "f8", (whole,))


Parts = tuple[Expr, Expr]
_SIN = [(-1.0) ** k / math.factorial(2 * k + 1) for k in range(8, 0, -1)]
_COS = [(-1.0) ** k / math.factorial(2 * k) for k in range(9, 1, -1)]


def _sin_of_small(r: Expr, rest: Expr) -> tuple[Expr, Expr]:
    """The sine rounded, and what the rounding took away."""
    square = mul(r, r)
    series = mul(mul(r, square), polynomial(square, _SIN))
    slope = sub(number(1.0, r), mul(number(0.5, r), square))
    more = add(series, mul(rest, slope))
    sine = call("add", r, more)
    return sine, call("add", call("sub", r, sine), more)


def _cos_of_small(r: Expr, rest: Expr) -> tuple[Expr, Expr]:
    square = mul(r, r)
    half = mul(number(0.5, r), square)
    near = call("sub", number(1.0, r), half)
    lost = call("sub", call("sub", number(1.0, r), near), half)
    more = add(lost, sub(mul(mul(square, square), polynomial(square, _COS)), mul(r, rest)))
    cosine = call("add", near, more)
    return cosine, call("add", call("sub", near, cosine), more)


# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4 in r**2, to 2**-35: for floats, in double.
_SIN_OF_FLOAT = (2.7249864655146984e-06, -0.0001984008626375552, 0.008333331873837089,
                 -0.16666666663853044)  # fmt: skip
_COS_OF_FLOAT = (-2.7300908168003107e-07, 2.4800599983531885e-05, -0.001388888767128811,
                 0.04166666666431933)  # fmt: skip


def _of_small(r: Expr, rest: Expr, type_: str) -> Parts:
    """Sine and cosine, of doubles or as exact as floats need it."""
    if type_ == "f8":
        return _sin_of_small(r, rest)[0], _cos_of_small(r, rest)[0]
    square = mul(r, r)
    sine = add(mul(mul(r, square), polynomial(square, _SIN_OF_FLOAT)), r)
    half = sub(mul(square, polynomial(square, _COS_OF_FLOAT)), number(0.5, r))
    return sine, add(mul(square, half), number(1.0, r))


def _is_odd(n: Expr, bit: int) -> Expr:
    return call("ne", call("and", n, const(bit, "i8")), const(0, "i8"))


def _sin(angle: Angle, type_: str = "f8") -> Expr:
    n, r, rest = angle
    sine, cosine = _of_small(r, rest, type_)
    result = select(_is_odd(n, 1), cosine, sine)
    return select(_is_odd(n, 2), call("neg", result), result)


def _cos(angle: Angle, type_: str = "f8") -> Expr:
    n, r, rest = angle
    sine, cosine = _of_small(r, rest, type_)
    result = select(_is_odd(n, 1), sine, cosine)
    return select(_is_odd(call("add", n, const(1, "i8")), 2), call("neg", result), result)


def _tan(angle: Angle, type_: str = "f8") -> Expr:
    n, r, rest = angle
    (sine, sine_rest), (cosine, cosine_rest) = _sin_of_small(r, rest), _cos_of_small(r, rest)
    is_odd = _is_odd(n, 1)
    above, above_rest = select(is_odd, cosine, sine), select(is_odd, cosine_rest, sine_rest)
    below, below_rest = select(is_odd, sine, cosine), select(is_odd, sine_rest, cosine_rest)
    ratio = call("div", above, below)
    lost = sub(add(call("fma", call("neg", ratio), below, above), above_rest),
               mul(ratio, below_rest))  # fmt: skip
    ratio = call("add", ratio, call("div", lost, below))
    return select(is_odd, call("neg", ratio), ratio)


def far_sin(size: Expr) -> Expr:
    """Sine of a double that is far from 0."""
    return _sin(_reduced(size))


def far_cos(size: Expr) -> Expr:
    """Cosine of such a double."""
    return _cos(_reduced(size))


def far_tan(size: Expr) -> Expr:
    """Tangent of such a double."""
    return _tan(_reduced(size))


_Far = Callable[[Expr], Expr]


def _of_size(x: Expr, function: Callable[[Angle, str], Expr], far: _Far) -> Expr:
    """A function of |x|: of a double, as `far` gives it where that is far from 0."""
    if x.type != "f8":
        return function(_reduced_of_float(call("abs", cast(x, "f8"))), x.type)
    size = call("abs", x)
    seldom = far(size)
    seldom.composed = far.__name__, (size,)
    is_far = call("ge", size, number(FAR, size))
    return select(is_far, seldom, function(_reduced_near(size), x.type))


def _odd(x: Expr, of_size: Expr) -> Expr:
    """A function that changes its sign with x."""
    return is_itself(x, cast(select(has_sign(x), call("neg", of_size), of_size), x.type))


def sin(x: Expr) -> Expr:
    """Sine."""
    return _odd(x, _of_size(x, _sin, far_sin))


def cos(x: Expr) -> Expr:
    """Cosine."""
    return cast(_of_size(x, _cos, far_cos), x.type)


def tan(x: Expr) -> Expr:
    """Tangent."""
    return _odd(x, _of_size(x, _tan, far_tan))


# ---- inverses ------------------------------------------------------------------------------------

# (atan(x) - x) / x**3 in x**2 up to tan(pi / 8)**2, and (asin(x) - x) / x**3 up to 1 / 4.
_ATAN = (
    -0.013905374533113236, 0.030622995553735516, -0.041038875468626876, 0.04719259188242093,
    -0.05258020272656758, 0.058819230561140225, -0.06666641869131183, 0.07692306729194896,
    -0.0909090906681608, 0.11111111110751482, -0.1428571428571149, 0.19999999999999993,
    -0.3333333333333333,
)  # fmt: skip
_ASIN = (
    0.02963502626354855, -0.019277545928584557, 0.019579201619744684, 0.0030350071727267623,
    0.009322101501082774, 0.00962140274734483, 0.011566511821890942, 0.013963775787848137,
    0.017352816768546473, 0.022372157435623815, 0.030381944475693704, 0.04464285714255019,
    0.07500000000000119, 0.16666666666666666,
)  # fmt: skip


def _atan_of_size(size: Expr) -> Expr:
    """atan of a number that is not negative: of (a - 1) / (a + 1) or -1 / a where it is large."""
    one, zero = number(1.0, size), number(0.0, size)
    is_far = call("gt", size, number(math.tan(3 * math.pi / 8), size))
    is_middle = call("gt", size, number(math.tan(math.pi / 8), size))
    above = select(is_far, number(-1.0, size), select(is_middle, call("sub", size, one), size))
    below = select(is_far, size, select(is_middle, call("add", size, one), one))
    t = call("div", above, below)
    lost = call("fma", call("neg", t), below, above)  # and what the sums with 1 took away
    above_rest = call("sub", size, call("add", above, one))
    below_rest = call("sub", size, call("sub", below, one))
    rests = call("sub", above_rest, call("mul", t, below_rest))
    is_sum = both(is_middle, invert(is_far))
    lost = add(lost, select(is_sum, rests, zero))
    lost = select(call("lt", size, number(math.inf, size)), call("div", lost, below), zero)
    first, second = (number(c, size) for c in _PIO2)
    quarter, quarter_rest = (number(c / 2, size) for c in _PIO2)
    base = select(is_far, first, select(is_middle, quarter, zero))
    rest = select(is_far, second, select(is_middle, quarter_rest, zero))
    square = mul(t, t)
    series = add(mul(mul(t, square), polynomial(square, _ATAN)), add(rest, lost))
    return call("add", base, call("add", t, series))


@in_double
def atan(x: Expr) -> Expr:
    """Inverse of tan."""
    return is_itself(x, call("copysign", _atan_of_size(call("abs", x)), x))


@in_double
def atan2(y: Expr, x: Expr) -> Expr:
    """The angle of the point (x, y)."""
    a, b = call("abs", y), call("abs", x)
    zero, infinite = number(0.0, x), number(math.inf, x)
    ratio = select(call("eq", a, zero), zero, call("div", a, b))
    are_infinite = both(call("eq", a, infinite), call("eq", b, infinite))
    ratio = select(are_infinite, number(1.0, x), ratio)
    angle = _atan_of_size(ratio)
    first, second = (number(2 * c, x) for c in _PIO2)
    behind = call("sub", first, call("sub", angle, second))
    result = call("copysign", select(has_sign(x), behind, angle), y)
    is_nan = either(call("ne", x, x), call("ne", y, y))
    return select(is_nan, number(math.nan, x), result)


def _root_and_series(size: Expr) -> tuple[Expr, Expr]:
    """s = sqrt((1 - size) / 2), and asin(s) - s, with what the rounding of s took away."""
    z = call("mul", call("sub", number(1.0, size), size), number(0.5, size))
    s = sqrt(z)
    lost = call("div", call("fma", call("neg", s), s, z), call("add", s, s))
    lost = select(call("gt", s, number(0.0, s)), lost, number(0.0, s))
    return s, add(lost, mul(mul(s, z), polynomial(z, _ASIN)))


@in_double
def asin(x: Expr) -> Expr:
    """Inverse of sin."""
    size = call("abs", x)
    square = mul(x, x)
    near = add(size, mul(mul(size, square), polynomial(square, _ASIN)))
    s, series = _root_and_series(size)
    first, second = (number(c, x) for c in _PIO2)
    twice = call("add", s, s)
    rest = sub(mul(number(2.0, x), series), second)
    far = call("sub", first, call("add", twice, rest))
    result = select(call("le", size, number(0.5, x)), near, far)
    return is_itself(x, call("copysign", result, x))


@in_double
def acos(x: Expr) -> Expr:
    """Inverse of cos."""
    size = call("abs", x)
    square = mul(x, x)
    first, second = (number(c, x) for c in _PIO2)
    small = mul(mul(x, square), polynomial(square, _ASIN))
    near = call("sub", first, call("add", x, sub(small, second)))
    s, series = _root_and_series(size)
    twice = call("mul", number(2.0, x), call("add", s, series))
    rest = sub(series, second)
    behind = call("sub", first, call("add", s, rest))
    far = select(has_sign(x), call("mul", number(2.0, x), behind), twice)
    return select(call("le", size, number(0.5, x)), near, far)
