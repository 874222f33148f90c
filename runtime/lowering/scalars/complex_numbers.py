"""What ops are on complex numbers: NumPy's formulas in terms of both parts, and Python's.

A graph has `multiply` for arrays, of which NumPy rounds what it multiplies and adds once where the
processor can, and `complex_product` for NumPy's scalars, which are rounded in each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    Expr,
    both,
    call,
    cast,
    const,
    either,
    imaginary,
    pair,
    real,
    select,
)
from runtime.lowering.scalars.exponentials import hypot, log1p
from runtime.lowering.scalars.mathematics import exp as real_exp
from runtime.lowering.scalars.mathematics import log as real_log
from runtime.lowering.scalars.trigonometry import atan2, cos, sin, two_sum

__all__ = ["FORMS", "OF_PARTS", "PYTHON"]


def _fused_product(x: Expr, y: Expr) -> Expr:
    """As NumPy's loops have it: with FMA, half of the products are not rounded."""
    a, b, c, d = real(x), imaginary(x), real(y), imaginary(y)
    re = call("muladd", a, c, call("neg", call("mul", b, d)))
    return pair(re, call("muladd", a, d, call("mul", b, c)))


def _product(x: Expr, y: Expr) -> Expr:
    """Each step rounded."""
    a, b, c, d = real(x), imaginary(x), real(y), imaginary(y)
    re = call("sub", call("mul", a, c), call("mul", b, d))
    return pair(re, call("add", call("mul", a, d), call("mul", b, c)))


def _quotient(x: Expr, y: Expr) -> Expr:
    """Smith's algorithm with NumPy's reciprocal; by zero, the parts are divided by zero."""
    a, b, c, d = real(x), imaginary(x), real(y), imaginary(y)
    zero, one = const(0.0, a.type), const(1.0, a.type)
    size, other = call("abs", c), call("abs", d)
    is_first = call("ge", size, other)
    large, small = select(is_first, c, d), select(is_first, d, c)
    ratio = call("div", small, large)
    scale = call("div", one, call("add", large, call("mul", small, ratio)))
    ar, br = call("mul", a, ratio), call("mul", b, ratio)
    re = call("add", select(is_first, a, ar), select(is_first, br, b))
    im = call("sub", select(is_first, b, br), select(is_first, ar, a))
    by_zero = both(call("eq", size, zero), call("eq", other, zero))
    return pair(
        select(by_zero, call("div", a, size), call("mul", re, scale)),
        select(by_zero, call("div", b, size), call("mul", im, scale)),
    )


def _exp(x: Expr) -> Expr:
    """exp(a) (cos(b) + i sin(b)), in double precision; in two steps where exp(a) overflows."""
    a, b = cast(real(x), "f8"), cast(imaginary(x), "f8")
    zero, infinite, most = const(0.0, "f8"), const(math.inf, "f8"), const(709.0, "f8")
    is_large = call("gt", a, most)
    size = real_exp(call("sub", a, select(is_large, most, zero)))
    more = select(is_large, const(math.exp(709.0), "f8"), const(1.0, "f8"))

    def part(turned: Expr) -> Expr:
        return call("mul", call("mul", turned, more), size)

    is_real = call("eq", b, zero)
    re = select(is_real, call("mul", size, more), part(cos(b)))
    im = select(is_real, b, part(sin(b)))
    # Where the angle is none: inf and nan for inf, 0 for -inf.
    is_lost = both(call("eq", call("abs", a), infinite), call("ne", call("sub", b, b), zero))
    is_up = call("gt", a, zero)
    re = select(is_lost, select(is_up, infinite, zero), re)
    im = select(both(is_lost, call("lt", a, zero)), call("copysign", zero, b), im)
    kind = real(x).type
    return pair(cast(re, kind), cast(im, kind))


def _log(x: Expr) -> Expr:
    """log(|x|) + i angle(x), in double precision.

    Near 1, |x|**2 - 1 is known with twice the digits, so that no digit of its logarithm is lost.
    """
    a, b = cast(real(x), "f8"), cast(imaginary(x), "f8")
    one, half = const(1.0, "f8"), const(0.5, "f8")
    squares = [call("mul", part, part) for part in (a, b)]
    rests = [call("fma", p, p, call("neg", q)) for p, q in zip((a, b), squares, strict=True)]
    is_first = call("ge", *squares)
    large, small = select(is_first, *squares), select(is_first, *reversed(squares))
    near, first = two_sum(large, const(-1.0, "f8"))
    near, second = two_sum(near, small)
    lost, third = two_sum(*rests)
    lost, last = two_sum(call("add", first, second), lost)
    near, lost = two_sum(near, lost)
    lost = call("add", lost, call("add", last, third))
    over = call("div", lost, call("add", one, near))
    near = call("mul", half, call("add", log1p(near), over))
    size = call("add", *squares)
    is_near = both(call("gt", size, const(2.0**-20, "f8")), call("lt", size, const(2.0**20, "f8")))
    far = _log_of_far(a, b) if real(x).type == "f8" else real_log(hypot(a, b))
    kind = real(x).type
    return pair(cast(select(is_near, near, far), kind), cast(atan2(b, a), kind))


def _log_of_far(a: Expr, b: Expr) -> Expr:
    """The logarithm of a modulus that may be too large, or too small, for a number."""
    size = call("add", call("abs", a), call("abs", b))
    is_large = call("gt", size, const(2.0**1000, "f8"))
    is_small = call("lt", size, const(2.0**-960, "f8"))
    one, none = const(1.0, "f8"), const(0.0, "f8")
    scale = select(is_small, const(2.0**60, "f8"), select(is_large, const(0.25, "f8"), one))
    less = select(
        is_small,
        const(60 * math.log(2), "f8"),
        select(is_large, const(-2 * math.log(2), "f8"), none),
    )
    return call("sub", real_log(hypot(call("mul", a, scale), call("mul", b, scale))), less)


def _sum(x: Expr, y: Expr) -> Expr:
    return pair(call("add", real(x), real(y)), call("add", imaginary(x), imaginary(y)))


def _difference(x: Expr, y: Expr) -> Expr:
    return pair(call("sub", real(x), real(y)), call("sub", imaginary(x), imaginary(y)))


def _negative(x: Expr) -> Expr:
    return pair(call("neg", real(x)), call("neg", imaginary(x)))


def _conjugate(x: Expr) -> Expr:
    return pair(real(x), call("neg", imaginary(x)))


def _modulus(x: Expr) -> Expr:
    return hypot(real(x), imaginary(x))


def _equal(x: Expr, y: Expr) -> Expr:
    return both(call("eq", real(x), real(y)), call("eq", imaginary(x), imaginary(y)))


def _not_equal(x: Expr, y: Expr) -> Expr:
    return either(call("ne", real(x), real(y)), call("ne", imaginary(x), imaginary(y)))


def _is_nan(x: Expr) -> Expr:
    return _not_equal(x, x)


def _is_finite(x: Expr) -> Expr:
    a, b = real(x), imaginary(x)
    zero = const(0.0, a.type)
    return both(call("eq", call("sub", a, a), zero), call("eq", call("sub", b, b), zero))


def _is_infinite(x: Expr) -> Expr:
    infinite = const(math.inf, real(x).type)
    a, b = call("abs", real(x)), call("abs", imaginary(x))
    return either(call("eq", a, infinite), call("eq", b, infinite))


def _power(x: Expr, y: Expr) -> Expr:
    """Small whole powers as products, each step rounded; those of any zero have no signs."""
    made = x
    for _ in range(_exponent(y) - 1):
        made = _product(made, x)
    zero = const(0.0, real(x).type)
    is_zero = both(call("eq", real(x), zero), call("eq", imaginary(x), zero))
    return select(is_zero, pair(zero, zero), made)


def _exponent(y: Expr) -> int:
    found = complex(y.value) if y.function == "const" else None
    if found not in (1, 2, 3):
        raise Refusal("a power of complex numbers whose exponent is not 1, 2 or 3")
    return int(found.real)


# The forms of NumPy's ops by name; what is computed of elements of one complex type.
FORMS: dict[str, Callable[..., Expr]] = {
    "add": _sum,
    "subtract": _difference,
    "multiply": _fused_product,
    "complex_product": _product,
    "divide": _quotient,
    "negative": _negative,
    "positive": lambda x: x,
    "conj": _conjugate,
    "real": real,
    "imag": imaginary,
    "abs": _modulus,
    "complex_modulus": _modulus,
    "angle": lambda x: atan2(imaginary(x), real(x)),
    "square": lambda x: _fused_product(x, x),
    "pow": _power,
    "power": _power,
    "exp": _exp,
    "log": _log,
    "equal": _equal,
    "not_equal": _not_equal,
    "isnan": _is_nan,
    "isfinite": _is_finite,
    "isinf": _is_infinite,
}
# Of operands that are not of the result's type: floats, or a truth and two numbers.
OF_PARTS: dict[str, Callable[..., Expr]] = {
    "make_complex": pair,
    "where": select,
}


# ---- Python's numbers ----------------------------------------------------------------------------


def _python_quotient(x: Expr, y: Expr) -> tuple[Expr, Expr, type[BaseException]]:
    """Smith's algorithm; nan where neither part of `y` is the larger."""
    a, b, c, d = real(x), imaginary(x), real(y), imaginary(y)
    zero, nan = const(0.0, "f8"), const(math.nan, "f8")
    size, other = call("abs", c), call("abs", d)
    is_first = call("ge", size, other)
    large, small = select(is_first, c, d), select(is_first, d, c)
    ratio = call("div", small, large)
    under = call("add", large, call("mul", small, ratio))
    ar, br = call("mul", a, ratio), call("mul", b, ratio)
    re = call("add", select(is_first, a, ar), select(is_first, br, b))
    im = call("sub", select(is_first, b, br), select(is_first, ar, a))
    is_known = either(is_first, call("ge", other, size))
    made = pair(
        select(is_known, call("div", re, under), nan),
        select(is_known, call("div", im, under), nan),
    )
    is_zero = both(call("eq", c, zero), call("eq", d, zero))
    return made, is_zero, ZeroDivisionError


def _python_modulus(x: Expr) -> tuple[Expr, Expr, type[BaseException]]:
    """A number that is too large raises."""
    made = _modulus(x)
    is_large = both(call("eq", made, const(math.inf, "f8")), _is_finite(x))
    return made, is_large, OverflowError


def _python_power(x: Expr, y: Expr) -> tuple[Expr, Expr, type[BaseException]]:
    """Python multiplies one by the powers of `x` to powers of 2; what is infinite raises."""
    made = pair(const(1.0, "f8"), const(0.0, "f8"))
    rest, power = _exponent(y), x
    while rest:
        made = _product(made, power) if rest % 2 else made
        rest, power = rest // 2, _product(power, power)
    return made, _is_infinite(made), OverflowError


# What may fail: the result, where it fails, and with what.
PYTHON: dict[str, Callable[..., tuple[Expr, Expr, type[BaseException]]]] = {
    "divide": _python_quotient,
    "abs": _python_modulus,
    "pow": _python_power,
}
