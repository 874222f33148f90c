"""The power of two floats, by a logarithm of twice the precision.

log(m) = 2 (s + s**3 / 3 + s**5 / 5 + ...) with s = (m - 1) / (m + 1), its first terms as sums of
two doubles (T. Dekker, "A floating-point technique for extending the available precision",
Numerische Mathematik 18, 1971); then exp of the product, likewise.
"""

from __future__ import annotations

import math

from runtime.lowering.kernels.scalar import Expr, both, call, cast, either, invert, select
from runtime.lowering.scalars.mathematics import (
    add,
    apart,
    clamped,
    exp,
    exp_minus_one_of_small,
    has_sign,
    log,
    mul,
    number,
    polynomial,
    reduced_exp,
    scaled,
)

__all__ = ["power"]

# ln 2 and 1 / 3 as sums of two doubles; the first part of ln 2 has 40 bits.
_LN2 = (0.6931471805592082, 7.371002565167799e-13)
_THIRD = (0.3333333333333333, 1.850371707708594e-17)
_SERIES = [1 / k for k in range(29, 3, -2)]


def _product(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The product rounded, and what the rounding took away."""
    high = call("mul", a, b)
    return high, call("fma", a, b, call("neg", high))


def _sum(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The same of a sum, where a is the larger one."""
    total = call("add", a, b)
    return total, call("sub", b, call("sub", total, a))


def _logarithm(x: Expr) -> tuple[Expr, Expr]:
    """log(x), for x > 0 that is finite, as a sum of two doubles."""
    n, r = apart(x)
    below, below_rest = _sum(number(2.0, x), r)
    s = call("div", r, below)
    rest = call("fma", call("neg", s), below, r)
    rest = call("div", call("sub", rest, call("mul", s, below_rest)), below)
    square, square_rest = _product(s, s)
    square_rest = add(square_rest, mul(call("add", s, s), rest))
    third, third_rest = (number(c, x) for c in _THIRD)
    factor, factor_rest = _sum(third, mul(square, polynomial(square, _SERIES)))
    factor_rest = add(factor_rest, third_rest)
    w, w_rest = _product(square, factor)
    w_rest = add(w_rest, add(mul(square, factor_rest), mul(square_rest, factor)))
    v, v_rest = _product(s, w)
    v_rest = add(v_rest, add(mul(s, w_rest), mul(rest, w)))
    half, half_rest = _sum(s, v)
    half_rest = add(half_rest, add(rest, v_rest))
    high, low = call("add", half, half), call("add", half_rest, half_rest)
    first, second = (number(c, x) for c in _LN2)
    multiple = call("mul", n, first)
    is_nothing = call("eq", n, number(0.0, x))
    total, lost = _sum(multiple, high)
    total, lost = select(is_nothing, high, total), select(is_nothing, number(0.0, x), lost)
    return _sum(total, add(lost, add(low, mul(n, second))))


def _of_size(size: Expr, y: Expr) -> Expr:
    """size ** y, for size > 0 that is finite, and a finite y."""
    high, low = _logarithm(size)
    limited = clamped(y, -(2.0**80), 2.0**80)  # beyond, nothing changes
    p, rest = _product(limited, high)
    rest = add(rest, mul(limited, low))
    inside = clamped(p, -746.0, 710.0)
    rest = select(call("eq", inside, p), rest, number(0.0, p))
    n, r = reduced_exp(inside)
    return scaled(add(number(1.0, p), exp_minus_one_of_small(call("add", r, rest))), n)


def _of_float(x: Expr, y: Expr) -> Expr:
    """The same for float32, whose logarithm as a double is exact enough."""
    product = call("mul", cast(y, "f8"), log(cast(x, "f8")))
    return cast(exp(product), "f4")


def power(x: Expr, y: Expr) -> Expr:
    """x ** y, with the special values of IEEE 754."""
    zero, one, infinite = number(0.0, x), number(1.0, x), number(math.inf, x)
    size = call("abs", x)
    is_plain = both(call("gt", size, zero), call("lt", size, infinite))
    base = select(is_plain, size, one)
    exponent = select(call("lt", call("abs", y), infinite), y, one)
    result = _of_size(base, exponent) if x.type == "f8" else _of_float(base, exponent)
    is_negative = call("lt", y, zero)
    # 0 and infinity; then an infinite exponent.
    vanishes = call("ne", call("eq", size, zero), is_negative)
    result = select(is_plain, result, select(vanishes, zero, infinite))
    shrinks = call("ne", call("lt", size, one), is_negative)
    boundless = select(call("eq", size, one), one, select(shrinks, zero, infinite))
    result = select(call("eq", call("abs", y), infinite), boundless, result)
    whole = call("eq", call("floor", y), y)
    half = call("mul", y, number(0.5, y))
    is_odd = both(whole, call("ne", call("floor", half), half))
    is_odd = both(is_odd, call("lt", call("abs", y), infinite))
    result = select(both(is_odd, has_sign(x)), call("neg", result), result)
    is_below = both(call("lt", x, zero), call("lt", size, infinite))
    is_undefined = both(is_below, invert(either(whole, call("eq", call("abs", y), infinite))))
    is_nan = either(is_undefined, either(call("ne", x, x), call("ne", y, y)))
    result = select(is_nan, number(math.nan, x), result)
    return select(either(call("eq", y, zero), call("eq", x, one)), one, result)
