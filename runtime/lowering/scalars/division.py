"""Division of whole numbers, rounded down, as NumPy's: by zero it gives 0, and never fails.

Processors round towards zero, and take an exception for a divisor of 0 and for a quotient that
leaves the type. What that takes to mend is on the way from one round to the next in loops such as
Euclid's, and half of their time. Where both numbers are not negative and small, as they mostly are,
there is nothing to mend, and a division of 32 bits does: `floor_quotient` and `floor_remainder` are
functions of machines, which ask for that first where they stand by themselves. In loops over
elements a question for each is no gain: there they are written out, without a branch.
"""

from __future__ import annotations

from runtime.lowering.kernels.scalar import (
    Expr,
    both,
    call,
    const,
    either,
    is_signed,
    limits,
    select,
)

__all__ = ["RESULTS", "SMALL_BITS", "may_be_small", "whole"]

# The functions of machines, in the order of what `whole` gives.
RESULTS = ("floor_quotient", "floor_remainder")

# By type, the bits of numbers that have a quick division, those of numbers that are not negative.
SMALL_BITS = {"i4": 31, "i8": 32}


def may_be_small(x: Expr, y: Expr) -> bool:
    """Whether to look for small numbers: a division by a number in the text is quick anyway."""
    return x.type in SMALL_BITS and y.function != "const"


def whole(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    """Quotient and remainder of any two numbers, written out."""
    if y.function == "const" and y.value > 0 and y.value & (y.value - 1) == 0:
        # Powers of two: what is shifted out is the remainder, also of what is negative.
        shift = "ashr" if is_signed(x.type) else "lshr"
        places = const(y.value.bit_length() - 1, x.type)
        return call(shift, x, places), call("and", x, const(y.value - 1, x.type))
    zero, one = const(0, x.type), const(1, x.type)
    is_zero = call("eq", y, zero)
    is_wrong = is_zero
    if is_signed(x.type):
        least = call("eq", x, const(limits(x.type)[0], x.type))
        is_wrong = either(is_zero, both(least, call("eq", y, const(-1, y.type))))
    divisor = select(is_wrong, one, y)
    quotient = call("quotient", x, divisor)
    rest = call("sub", x, call("mul", quotient, divisor))
    if is_signed(x.type):
        differ = call("ne", call("lt", rest, zero), call("lt", divisor, zero))
        lower = both(call("ne", rest, zero), differ)
        quotient = select(lower, call("sub", quotient, one), quotient)
        rest = select(lower, call("add", rest, divisor), rest)
    return select(is_zero, zero, quotient), select(is_zero, zero, rest)
