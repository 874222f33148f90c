"""Functions near exp and log: each of few roundings beyond theirs.

The compositions are those of fdlibm (Sun Microsystems, 1993; netlib.org/fdlibm) and Cephes. What
float32 needs is computed in double precision where that is no slower than to be careful.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from runtime.lowering.kernels.scalar import Expr, both, call, cast, const, either, select
from runtime.lowering.scalars.mathematics import (
    BITS,
    add,
    apart,
    clamped,
    exp,
    exp_minus_one_of_small,
    exp_series,
    log_of_parts,
    log_series,
    mul,
    number,
    of_logarithm,
    polynomial,
    power_of_two,
    reduced_exp,
    scaled,
    sqrt,
    sub,
)
from runtime.ops.special_functions.error_function import FAR

__all__ = [
    "acosh", "asinh", "atanh", "cbrt", "cosh", "erf", "exp2", "expm1", "hypot", "in_double",
    "log1p", "log2", "log10", "sigmoid", "sinh",
]  # fmt: skip


def in_double(function: Callable[..., Expr]) -> Callable[..., Expr]:
    """A function of doubles, of floats too: rounded once more."""

    def converted(*args: Expr) -> Expr:
        if args[0].type == "f8":
            return function(*args)
        return cast(function(*(cast(x, "f8") for x in args)), args[0].type)

    converted.__doc__ = function.__doc__
    return converted


def is_itself(x: Expr, result: Expr) -> Expr:
    """x where it is 0 or nan, else the result."""
    return select(either(call("ne", x, x), call("eq", x, number(0.0, x))), x, result)


@in_double
def expm1(x: Expr) -> Expr:
    """exp(x) - 1: 2**n (exp(r) - 1) + (2**n - 1), halved until the end, for 2**n may overflow."""
    n, r = reduced_exp(clamped(x, -50.0, 710.0))
    half = power_of_two(call("sub", n, const(1, n.type)), x.type)
    near = add(sub(half, number(0.5, x)), mul(half, r))  # exact, or nearly
    result = call("mul", add(near, mul(half, exp_series(r))), number(2.0, x))
    is_tiny = call("lt", call("abs", x), number(2.0**-54, x))  # half of it could be 0
    return select(either(call("ne", x, x), is_tiny), x, result)


def half_exp(x: Expr) -> Expr:
    """exp(x) / 2, which overflows later than exp(x)."""
    n, r = reduced_exp(clamped(x, -746.0, 711.0))
    power = add(number(1.0, x), exp_minus_one_of_small(r))
    return select(call("ne", x, x), x, scaled(power, call("sub", n, const(1, n.type))))


@in_double
def exp2(x: Expr) -> Expr:
    """2 to the power of x: exact for integers."""
    inside = clamped(x, -1100.0, 1025.0)
    n = call("rint", inside)
    r = mul(call("sub", inside, n), number(math.log(2), x))
    power = add(number(1.0, x), exp_minus_one_of_small(r))
    return select(call("ne", x, x), x, scaled(power, cast(n, BITS[x.type][0])))


@in_double
def log1p(x: Expr) -> Expr:
    """log(1 + x): of u = 1 + x rounded, and what the rounding took away, over u."""
    one = number(1.0, x)
    u = call("add", x, one)
    n, r = apart(u)
    lost = select(
        call("lt", x, one),
        call("sub", x, call("sub", u, one)),
        call("sub", one, call("sub", u, x)),
    )
    rest = select(call("lt", u, number(2.0**60, x)), call("div", lost, u), number(0.0, x))
    low, high = math.sqrt(0.5) - 1, math.sqrt(2) - 1
    is_near = both(call("gt", x, number(low, x)), call("lt", x, number(high, x)))
    zero = number(0.0, x)
    n, r, rest = select(is_near, zero, n), select(is_near, x, r), select(is_near, zero, rest)
    return is_itself(x, of_logarithm(u, log_of_parts(n, r, rest)))


@in_double
def log2(x: Expr) -> Expr:
    """Logarithm to base 2: exact for powers of 2."""
    n, r = apart(x)
    y = sub(log_series(r), mul(number(0.5, x), mul(r, r)))
    more = number(1 / math.log(2) - 1, x)
    result = add(mul(r, more), mul(y, more))
    return of_logarithm(x, add(add(add(result, y), r), n))


def sigmoid(x: Expr) -> Expr:
    """1 / (1 + exp(-x)): of e = exp(-|x|), with what was lost in rounding e and 1 + e."""
    one, low = number(1.0, x), {"f4": 104.0, "f8": 746.0}[x.type]
    n, r = reduced_exp(call("neg", clamped(call("abs", x), 0.0, low)))
    p = exp_minus_one_of_small(r)
    power = call("add", one, p)
    e, rest = scaled(power, n), scaled(call("sub", p, call("sub", power, one)), n)
    divisor = call("add", one, e)
    lost = call("add", call("sub", e, call("sub", divisor, one)), rest)
    is_left = call("lt", x, number(0.0, x))
    result = call("div", select(is_left, e, one), divisor)
    # The derivatives by numerator and divisor: 1 / (1 + e) is 1 - result to the left of 0.
    inverse = select(is_left, call("sub", one, result), result)
    above = select(is_left, rest, number(0.0, x))
    result = call(
        "add", result, call("mul", inverse, call("sub", above, call("mul", result, lost)))
    )
    return select(call("ne", x, x), x, result)


# log10(e) and log10(2), each in two parts, of which the first has few bits.
_E_PARTS = (4.3359375e-1, 7.00731903251827651129e-4)
_TWO_PARTS = (3.0078125e-1, 2.48745663981195213739e-4)


@in_double
def log10(x: Expr) -> Expr:
    """Logarithm to base 10."""
    n, r = apart(x)
    y = sub(log_series(r), mul(number(0.5, x), mul(r, r)))
    (e_high, e_low), (two_high, two_low) = _E_PARTS, _TWO_PARTS
    result = add(mul(y, number(e_low, x)), mul(r, number(e_low, x)))
    result = add(result, mul(n, number(two_low, x)))
    result = add(add(result, mul(y, number(e_high, x))), mul(r, number(e_high, x)))
    return of_logarithm(x, add(result, mul(n, number(two_high, x))))


_SINH = [1 / math.factorial(k) for k in range(19, 1, -2)]


@in_double
def sinh(x: Expr) -> Expr:
    """Hyperbolic sine: Taylor's series, or of e = exp(|x|) - 1."""
    size = call("abs", x)
    square = mul(size, size)
    small = add(size, mul(mul(size, square), polynomial(square, _SINH)))
    e = expm1(clamped(size, 0.0, 25.0))
    middle = add(e, call("div", e, add(e, number(1.0, x))))
    middle = call("mul", middle, number(0.5, x))
    middle = select(call("lt", size, number(1.0, x)), small, middle)
    result = select(call("lt", size, number(22.0, x)), middle, half_exp(size))
    return is_itself(x, call("copysign", result, x))


@in_double
def cosh(x: Expr) -> Expr:
    """Hyperbolic cosine, of e = exp(|x|) / 2."""
    e = half_exp(call("abs", x))
    return add(e, call("div", number(0.25, x), e))


_LARGE = 2.0**60
_LN2 = math.log(2)


def _inverse(argument: Expr, size: Expr) -> Expr:
    """log1p of the argument; where `size` is large, log(2 size)."""
    is_large = call("gt", size, number(_LARGE, size))
    logarithm = log1p(select(is_large, size, argument))
    return add(logarithm, select(is_large, number(_LN2, size), number(0.0, size)))


@in_double
def asinh(x: Expr) -> Expr:
    """Inverse of sinh."""
    size = call("abs", x)
    near = clamped(size, 0.0, _LARGE)
    square = mul(near, near)
    root = sqrt(add(number(1.0, x), square))
    argument = add(near, call("div", square, add(number(1.0, x), root)))
    return is_itself(x, call("copysign", _inverse(argument, size), x))


@in_double
def acosh(x: Expr) -> Expr:
    """Inverse of cosh."""
    t = call("sub", clamped(x, 1.0, _LARGE), number(1.0, x))
    inner = call("fma", t, t, call("add", t, t))
    root = sqrt(inner)
    argument = call("add", t, root)
    lost = call("sub", root, call("sub", argument, t))
    more = call("div", call("fma", call("neg", root), root, inner), call("add", root, root))
    more = add(lost, select(call("gt", root, number(0.0, x)), more, number(0.0, x)))
    correction = call("div", more, call("add", argument, number(1.0, x)))
    is_large = call("gt", x, number(_LARGE, x))
    result = add(_inverse(argument, x), select(is_large, number(0.0, x), correction))
    return select(call("ge", x, number(1.0, x)), result, number(math.nan, x))


@in_double
def atanh(x: Expr) -> Expr:
    """Inverse of tanh."""
    size, one = call("abs", x), number(1.0, x)
    twice, rest = call("add", size, size), call("sub", one, size)
    near = add(twice, call("div", mul(twice, size), rest))
    is_near = call("lt", size, number(0.5, x))
    result = mul(number(0.5, x), log1p(select(is_near, near, call("div", twice, rest))))
    return is_itself(x, call("copysign", result, x))


@in_double
def cbrt(x: Expr) -> Expr:
    """Cube root: a third of the exponent, then Halley's iteration, and one exact correction."""
    size, one = call("abs", x), number(1.0, x)
    is_tiny = call("lt", size, number(2.0**-900, x))
    is_huge = call("gt", size, number(2.0**900, x))
    scale = select(is_tiny, number(2.0**162, x), select(is_huge, number(2.0**-162, x), one))
    back = select(is_tiny, number(2.0**-54, x), select(is_huge, number(2.0**54, x), one))
    value = call("mul", size, scale)
    high = call("lshr", Expr("bitcast", "i8", (value,)), const(32, "i8"))
    third = call("lshr", call("mul", high, const(0x55555556, "i8")), const(32, "i8"))
    start = call("shl", call("add", third, const(715094163, "i8")), const(32, "i8"))
    t = Expr("bitcast", "f8", (start,))
    for _ in range(3):
        cube = mul(mul(t, t), t)
        above = add(cube, mul(number(2.0, x), value))
        t = call("mul", t, call("div", above, add(mul(number(2.0, x), cube), value)))
    square = call("mul", t, t)
    lost = call("fma", t, t, call("neg", square))
    rest = sub(call("fma", call("neg", square), t, value), mul(lost, t))
    t = call("add", t, call("div", rest, mul(number(3.0, x), square)))
    t = call("mul", t, back)
    is_plain = both(call("gt", size, number(0.0, x)), call("lt", size, number(math.inf, x)))
    return select(is_plain, call("copysign", t, x), x)


# (erf(x) - x) / x in x**2 for |x| < 0.9, by Taylor's series.
_ERF_TERMS = {"f4": 10, "f8": 17}
_ERF = [0.128379167095512573896] + [  # 2 / sqrt(pi) - 1
    2 / math.sqrt(math.pi) * (-1) ** k / (math.factorial(k) * (2 * k + 1)) for k in range(1, 18)
]
# From here on the error function is 1.
_ERF_ENDS = {"f4": 4.0, "f8": 6.0}


def erf(x: Expr) -> Expr:
    """The error function: x and a small part of it near 0, else 1 - exp(-x**2) R(x) / S(x)."""
    size = call("abs", x)
    square = call("mul", size, size)
    part = polynomial(square, _ERF[_ERF_TERMS[x.type] :: -1])
    near = add(size, mul(size, part))
    far = clamped(size, 0.8, _ERF_ENDS[x.type])
    ratio = call("div", polynomial(far, FAR[0]), polynomial(far, FAR[1]))
    beyond = sub(number(1.0, x), mul(exp(call("neg", mul(far, far))), ratio))
    is_near = call("lt", size, number(0.9, x))
    return is_itself(x, call("copysign", select(is_near, near, beyond), x))


@in_double
def hypot(x: Expr, y: Expr) -> Expr:
    """sqrt(x**2 + y**2), scaled by a power of 2 so that no square overflows."""
    a, b = call("abs", x), call("abs", y)
    larger, smaller = select(call("gt", a, b), a, b), select(call("gt", a, b), b, a)
    exponent = call("lshr", Expr("bitcast", "i8", (larger,)), const(52, "i8"))
    one, most = const(1, "i8"), const(2045, "i8")
    exponent = select(call("gt", exponent, one), exponent, one)
    exponent = select(call("lt", exponent, most), exponent, most)
    down = call("shl", call("sub", const(2046, "i8"), exponent), const(52, "i8"))
    scale = Expr("bitcast", "f8", (down,))
    back = Expr("bitcast", "f8", (call("shl", exponent, const(52, "i8")),))
    one_, other = call("mul", larger, scale), call("mul", smaller, scale)
    root = sqrt(add(mul(one_, one_), mul(other, other)))
    infinite = number(math.inf, x)
    is_infinite = either(call("eq", a, infinite), call("eq", b, infinite))
    is_nan = either(call("ne", x, x), call("ne", y, y))
    result = select(is_nan, number(math.nan, x), call("mul", root, back))
    return select(is_infinite, infinite, result)
