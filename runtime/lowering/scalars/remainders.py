"""The remainder of floats, which is exact: what C's `fmod` gives, without its loop over bits.

Where the quotient has few bits, it is right or one too large, and what is left of it is found by
one multiplication and addition without rounding between, also in steps. `fmod` does the others.
"""

from __future__ import annotations

from runtime.lowering.kernels.scalar import Expr, call, cast, const, select

__all__ = ["FAR", "far_remainder", "float_remainder"]

# From such quotients on, which have more bits than one half of a float, and of divisors less than
# that, products in steps may be rounded.
FAR, _NEAR_ZERO = 2.0**26, 2.0**-900


def float_remainder(x: Expr, y: Expr) -> Expr:
    """What is left of `x` where `y` is taken away as often as it is in it; of the sign of `x`."""
    if x.type != "f8":
        return cast(float_remainder(cast(x, "f8"), cast(y, "f8")), x.type)
    a, b = call("abs", x), call("abs", y)
    infinite = const(float("inf"), "f8")
    ratio = select(call("lt", b, const(_NEAR_ZERO, "f8")), infinite, call("div", a, b))
    rest = call("fma", call("neg", call("trunc", ratio)), b, a)
    rest = select(call("lt", rest, const(0.0, "f8")), call("add", rest, b), rest)
    rest = select(call("lt", a, b), a, rest)
    far = far_remainder(ratio, x, y)
    far.composed = "far_remainder", (ratio, x, y)
    return select(call("ge", ratio, const(FAR, "f8")), far, call("copysign", rest, x))


def far_remainder(ratio: Expr, x: Expr, y: Expr) -> Expr:
    """The same where the quotient is far from 0."""
    return call("fmod", x, y)
