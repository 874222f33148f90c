"""What operators mean on scalars: NumPy's arithmetic of one dtype, and Python's of numbers.

NumPy's never fails: integers wrap, a division by zero gives 0. Python's fails where the result
leaves 64 bits or a divisor is 0: it tells `fail` of the truth of that, and goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from runtime.errors import LimitOverflowError
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    COMPARISONS,
    Expr,
    both,
    call,
    cast,
    const,
    either,
    imaginary,
    invert,
    is_complex,
    is_float,
    is_int,
    is_signed,
    limits,
    real,
    select,
)
from runtime.lowering.scalars.division import may_be_small, whole
from runtime.lowering.scalars.functions import FUNCTIONS, composed
from runtime.lowering.scalars.remainders import float_remainder

__all__ = ["Fail", "Meaning", "NumPyMeaning", "PythonMeaning", "truth"]


class Meaning(Protocol):
    """The meaning of the operators and functions of the notation of scalars."""

    def binary(self, operator: str, x: Expr, y: Expr) -> Expr:
        """`x + y` and the like; the operator is the name of its syntax node."""

    def unary(self, operator: str, x: Expr) -> Expr:
        """`-x` and the like."""

    def compare(self, operator: str, x: Expr, y: Expr) -> Expr:
        """`x < y` and the like."""

    def function(self, name: str, *args: Expr) -> Expr:
        """`exp(x)` and the like."""

    def number(self, value: float, like: Expr) -> Expr:
        """A number in the text."""


def truth(x: Expr) -> Expr:
    """Whether `x` is not zero."""
    if is_complex(x.type):
        return either(truth(real(x)), truth(imaginary(x)))
    return x if x.type == "b1" else call("ne", x, const(0, x.type))


# ---- arithmetic of machine types -----------------------------------------------------------------


def floor_divide(x: Expr, y: Expr) -> Expr:
    """Division rounded down, of integers 0 by zero; the least number by -1 wraps."""
    if is_float(x.type):
        return _floor_and_remainder(x, y)[0]
    return call("floor_quotient", x, y) if may_be_small(x, y) else whole(x, y)[0]


def remainder(x: Expr, y: Expr) -> Expr:
    """The remainder of `floor_divide`: of the sign of `y`."""
    if is_float(x.type):
        return _floor_and_remainder(x, y)[1]
    return call("floor_remainder", x, y) if may_be_small(x, y) else whole(x, y)[1]


def _floor_and_remainder(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    """As NumPy's `npy_divmod`, which follows Python's `float.__divmod__`."""
    zero, one = const(0.0, x.type), const(1.0, x.type)
    rest = float_remainder(x, y)
    quotient = call("div", call("sub", x, rest), y)
    has_rest = truth(rest)
    differ = call("ne", call("lt", y, zero), call("lt", rest, zero))
    lower = both(has_rest, differ)
    quotient = select(lower, call("sub", quotient, one), quotient)
    fixed = select(has_rest, rest, call("copysign", zero, y))
    fixed = select(lower, call("add", rest, y), fixed)
    down = call("floor", quotient)
    is_off = call("gt", call("sub", quotient, down), const(0.5, x.type))
    down = select(is_off, call("add", down, one), down)
    ratio = call("div", x, y)
    floor = select(truth(quotient), down, call("copysign", zero, ratio))
    by_zero = call("eq", y, zero)
    return select(by_zero, ratio, floor), select(by_zero, rest, fixed)


def _left_shift(x: Expr, y: Expr) -> Expr:
    inside = _is_within_width(y)
    return select(inside, call("shl", x, select(inside, y, const(0, y.type))), const(0, x.type))


def _right_shift(x: Expr, y: Expr) -> Expr:
    inside = _is_within_width(y)
    width = const(int(x.type[1:]) * 8 - 1, y.type)
    function = "ashr" if is_signed(x.type) else "lshr"
    shifted = call(function, x, select(inside, y, width))
    return shifted if is_signed(x.type) else select(inside, shifted, const(0, x.type))


def _is_within_width(y: Expr) -> Expr:
    width = const(int(y.type[1:]) * 8, y.type)
    inside = call("lt", y, width)
    return both(call("ge", y, const(0, y.type)), inside) if is_signed(y.type) else inside


def _absolute(x: Expr) -> Expr:
    if is_float(x.type):
        return call("abs", x)
    if not is_signed(x.type):
        return x
    return select(call("lt", x, const(0, x.type)), call("neg", x), x)


def _integer_power(x: Expr, y: Expr) -> Expr:
    exponent = y.value if y.function == "const" else -1
    if not 0 <= exponent <= 64:
        raise Refusal("an integer power whose exponent is not a small constant")
    result, base = const(1, x.type), x
    while exponent:
        if exponent & 1:
            result = base if result.function == "const" else call("mul", result, base)
        exponent >>= 1
        base = call("mul", base, base) if exponent else base
    return result


def _compared_with_unsigned(name: str, x: Expr, y: Expr) -> Expr:
    """A comparison by value of integers of which one is unsigned, and the other may be negative."""
    signed = x if is_signed(x.type) else y
    is_negative = call("lt", signed, const(0, signed.type))
    wide = call(name, cast(x, "u8"), cast(y, "u8"))
    less = signed is x
    return select(is_negative, const(COMPARISONS[name](not less, less), "b1"), wide)


_COMPARE = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
_BITS = {"BitAnd": "and", "BitOr": "or", "BitXor": "xor"}
_PLAIN = {"Add": "add", "Sub": "sub", "Mult": "mul"}
_INTEGERS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "LShift": _left_shift,
    "RShift": _right_shift,
}


class NumPyMeaning:
    """Operators on operands that are of one type already.

    Of some operands, NumPy takes the root for the power of 0.5: -0.0 for -0.0, and nan for -inf.
    """

    def __init__(self, takes_roots: bool = False) -> None:
        self.takes_roots = takes_roots

    def binary(self, operator: str, x: Expr, y: Expr) -> Expr:
        """The loop of a NumPy ufunc for that type."""
        if operator in _BITS and not is_float(x.type):
            return call(_BITS[operator], x, y)
        if x.type == "b1":
            return self._of_bools(operator, x, y)
        if operator in _PLAIN:
            return call(_PLAIN[operator], x, y)
        if operator == "Div" and is_float(x.type):
            return call("div", x, y)
        if operator == "FloorDiv":
            return floor_divide(x, y)
        if operator == "Mod":
            return remainder(x, y)
        if operator in _INTEGERS and is_int(x.type):
            return _INTEGERS[operator](x, y)
        if operator == "Pow":
            if is_int(x.type):
                return _integer_power(x, y)
            return _float_power(x, y, self.takes_roots)
        raise Refusal(f"operator {operator} on {x.type}")

    @staticmethod
    def _of_bools(operator: str, x: Expr, y: Expr) -> Expr:
        if operator == "Add":
            return either(x, y)
        if operator == "Mult":
            return both(x, y)
        raise Refusal(f"operator {operator} on bools")

    def unary(self, operator: str, x: Expr) -> Expr:
        """`-x`, `+x`, `~x`, `not x`."""
        if operator == "Not":
            return invert(truth(x))
        if operator == "UAdd" and x.type != "b1":
            return x
        if operator == "Invert" and not is_float(x.type):
            return call("not", x)
        if operator == "USub" and x.type != "b1":
            return call("neg", x)
        raise Refusal(f"operator {operator} on {x.type}")

    def compare(self, operator: str, x: Expr, y: Expr) -> Expr:
        """Comparisons; with nan all but `!=` are false."""
        if x.type != y.type:
            return _compared_with_unsigned(_COMPARE[operator], x, y)
        return call(_COMPARE[operator], x, y)

    def function(self, name: str, *args: Expr) -> Expr:
        """Functions by name."""
        if name == "bool":
            return truth(args[0])
        if name == "abs":
            return _absolute(args[0])
        if name not in FUNCTIONS or not is_float(args[0].type):
            raise Refusal(f"function {name} of {args[0].type}")
        return composed(name, *args)

    def number(self, value: float, like: Expr) -> Expr:
        """A number, in the type of what it is combined with."""
        return const(value, "b1" if isinstance(value, bool) else like.type)


def _float_power(x: Expr, y: Expr, takes_roots: bool) -> Expr:
    """Powers that few roundings give: at most 1.5 units in the last place from the exact value."""
    exponent = y.value if y.function == "const" else None
    one = const(1.0, x.type)
    if exponent == 0.5 and takes_roots:
        return call("sqrt", x)
    if exponent in (-1, -2):
        inverse = call("div", one, x)
        return inverse if exponent == -1 else call("mul", inverse, inverse)
    if exponent in (1, 2, 3, 4):
        square = call("mul", x, x)
        return {1: x, 2: square, 3: call("mul", square, x), 4: call("mul", square, square)}[
            exponent
        ]
    if takes_roots and exponent is None:
        is_half = call("eq", y, const(0.5, y.type))
        return select(is_half, call("sqrt", x), composed("pow", x, y))
    return composed("pow", x, y)


class Fail(Protocol):
    """Gives up where a truth holds, with an error of a class, if that is known."""

    def __call__(self, failed: Expr, kind: type[BaseException] | None = None) -> None: ...


class PythonMeaning(NumPyMeaning):
    """Operators on Python's bools, ints within 64 bits, and floats."""

    def __init__(self, fail: Fail) -> None:
        super().__init__()
        self.fail = fail

    def binary(self, operator: str, x: Expr, y: Expr) -> Expr:
        """As Python computes, failing as it raises."""
        if operator in _BITS and x.type == y.type:
            return call(_BITS[operator], x, y)
        if is_float(x.type) or is_float(y.type):
            return self._of_floats(operator, self._as_float(x), self._as_float(y))
        return self._of_ints(operator, cast(x, "i8"), cast(y, "i8"))

    def _as_float(self, x: Expr) -> Expr:
        return cast(x, "f8")

    def _of_floats(self, operator: str, x: Expr, y: Expr) -> Expr:
        if operator in ("Div", "FloorDiv", "Mod"):
            self.fail(call("eq", y, const(0.0, "f8")), ZeroDivisionError)
        result = super().binary(operator, x, y)
        if operator == "Pow":  # what leaves the range raises OverflowError
            infinite, zero = const(math.inf, "f8"), const(0.0, "f8")
            self.fail(both(call("eq", call("abs", result), infinite), call("ne", x, infinite)))
            # 0 to a negative power raises; negative numbers to fractions are complex.
            if y.function != "const":
                self.fail(both(call("eq", x, zero), call("lt", y, zero)))
            if y.function != "const" or not y.value.is_integer():
                self.fail(call("lt", x, zero))
        return result

    def _of_ints(self, operator: str, x: Expr, y: Expr) -> Expr:
        zero = const(0, "i8")
        if operator in _PLAIN:
            pair = Expr(f"checked_{_PLAIN[operator]}", "pair", (x, y))
            self.fail(Expr("second", "b1", (pair,)), LimitOverflowError)
            return Expr("first", "i8", (pair,))
        if operator == "Div":
            self.fail(call("eq", y, zero), ZeroDivisionError)
            self.fail(either(_is_wide(x), _is_wide(y)))
            return call("div", cast(x, "f8"), cast(y, "f8"))
        if operator in ("FloorDiv", "Mod"):
            least = call("eq", x, const(limits("i8")[0], "i8"))
            overflows = both(least, call("eq", y, const(-1, "i8")))
            self.fail(call("eq", y, zero), ZeroDivisionError)
            self.fail(overflows, LimitOverflowError)
            return super().binary(operator, x, y)
        if operator == "LShift":
            shifted = super().binary(operator, x, y)
            lost = call("ne", super().binary("RShift", shifted, y), x)
            self.fail(either(lost, invert(_is_within_width(y))))
            return shifted
        if operator == "RShift":
            self.fail(call("lt", y, zero))
            return super().binary(operator, x, y)
        if operator == "Pow" and y.function == "const" and y.value in (1, 2, 3):
            result = x
            for _ in range(y.value - 1):
                result = self._of_ints("Mult", result, x)
            return result
        return super().binary(operator, x, y) if operator in _BITS else self._refuse(operator)

    @staticmethod
    def _refuse(operator: str) -> Expr:
        raise Refusal(f"operator {operator} on Python ints")

    def unary(self, operator: str, x: Expr) -> Expr:
        """`-x` fails for the least int."""
        if operator != "Not" and x.type == "b1":
            x = cast(x, "i8")
        if operator == "USub" and x.type == "i8":
            self.fail(call("eq", x, const(limits("i8")[0], "i8")))
        return super().unary(operator, x)

    def compare(self, operator: str, x: Expr, y: Expr) -> Expr:
        """Exactly, as Python compares ints and floats."""
        if x.type != y.type and "f8" in (x.type, y.type):
            for side in (x, y):
                if side.type == "i8":
                    self.fail(_is_wide(side))
            x, y = cast(x, "f8"), cast(y, "f8")
        elif x.type != y.type:
            x, y = cast(x, "i8"), cast(y, "i8")
        return super().compare(operator, x, y)

    def function(self, name: str, *args: Expr) -> Expr:
        """`abs` and `bool`, which Python has."""
        if name == "abs" and not is_float(args[0].type):
            x = cast(args[0], "i8")
            self.fail(call("eq", x, const(limits("i8")[0], "i8")))
            return super().function(name, x)
        if name not in ("abs", "bool"):
            raise Refusal(f"function {name} of Python numbers")
        return super().function(name, *args)


def _is_wide(x: Expr) -> Expr:
    """Whether an int may not be a float exactly."""
    bound = 1 << 53
    return either(call("gt", x, const(bound, "i8")), call("lt", x, const(-bound, "i8")))
