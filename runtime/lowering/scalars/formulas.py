"""Expressions with Python's operators, so that a formula for arrays is one for native code, too.

The ops that draw random numbers say in Python what an element is of its bits, and ask an array
module for the functions that they need (`runtime/ops/random/philox.py`). Given a `Scalar`, and
`Formulas` in the place of the module, they give the expression: operation by operation what NumPy
computes, none of them fused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from runtime.lowering.kernels.scalar import (
    Expr,
    both,
    call,
    cast,
    const,
    either,
    invert,
    is_float,
    select,
)
from runtime.lowering.scalars.mathematics import BITS, scaled

__all__ = ["Formulas", "Scalar", "next_after"]


def _of_two(function: str, reflected: bool = False) -> Callable[[Scalar, Any], Scalar]:
    def operate(self: Scalar, other: Any) -> Scalar:
        x, y = self.with_type_of(other)
        return Scalar(call(function, y, x) if reflected else call(function, x, y))

    return operate


class Scalar:
    """An expression in a formula: of bits ("u8"), of a float ("f8"), a count ("i8") or a truth."""

    __slots__ = ("expr",)
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    def with_type_of(self, other: Any) -> tuple[Expr, Expr]:
        """Both operands in the type that NumPy computes in: that of a float if there is one."""
        x = self.expr
        if not isinstance(other, Scalar):
            x = cast(x, "f8") if isinstance(other, float) else x
            return x, const(float(other) if is_float(x.type) else other, x.type)
        y = other.expr
        found = (
            "f8" if is_float(x.type) or is_float(y.type) else y.type if x.type == "b1" else x.type
        )
        return cast(x, found), cast(y, found)

    def astype(self, dtype: Any) -> Scalar:
        """The same in another type."""
        found: np.dtype[Any] = np.dtype(dtype)
        return Scalar(cast(self.expr, f"{found.kind}{found.itemsize}"))

    __add__ = __radd__ = _of_two("add")
    __mul__ = __rmul__ = _of_two("mul")
    __xor__ = __rxor__ = _of_two("xor")
    __sub__, __rsub__ = _of_two("sub"), _of_two("sub", reflected=True)
    __truediv__, __rtruediv__ = _of_two("div"), _of_two("div", reflected=True)
    __lshift__, __rshift__ = _of_two("shl"), _of_two("lshr")
    __lt__, __le__, __gt__, __ge__ = map(_of_two, ("lt", "le", "gt", "ge"))
    __eq__ = _of_two("eq")  # type: ignore[assignment]

    def __and__(self, other: Any) -> Scalar:
        x, y = self.with_type_of(other)
        return Scalar(both(x, y) if x.type == "b1" else call("and", x, y))

    def __or__(self, other: Any) -> Scalar:
        x, y = self.with_type_of(other)
        return Scalar(either(x, y) if x.type == "b1" else call("or", x, y))

    def __invert__(self) -> Scalar:
        return Scalar(invert(self.expr))

    def __neg__(self) -> Scalar:
        return Scalar(call("neg", self.expr))


class _Table:
    """Some numbers, of which one is found by its position."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self._numbers = numbers

    def __getitem__(self, position: Scalar) -> Scalar:
        found = Scalar(const(self._numbers[0], "f8"))
        for k, number in enumerate(self._numbers[1:], 1):
            found = Formulas.where(position < k, found, Scalar(const(number, "f8")))
        return found


class Formulas:
    """What formulas ask an array module for. It finds no positions: both branches are computed."""

    @staticmethod
    def asarray(numbers: Sequence[float]) -> _Table:
        """Numbers that are known."""
        return _Table(numbers)

    @staticmethod
    def where(condition: Scalar, yes: Any, no: Any) -> Scalar:
        """One of two."""
        x, y = yes.with_type_of(no) if isinstance(yes, Scalar) else no.with_type_of(yes)[::-1]
        return Scalar(select(condition.expr, x, y))

    @classmethod
    def maximum(cls, x: Any, y: Any) -> Scalar:
        """The larger one of two numbers."""
        return cls.where(x > y, x, y)

    @classmethod
    def minimum(cls, x: Any, y: Any) -> Scalar:
        """The lesser one of two numbers."""
        return cls.where(x < y, x, y)

    @classmethod
    def clip(cls, x: Scalar, low: float, high: float) -> Scalar:
        """The nearest number within bounds."""
        return cls.minimum(cls.maximum(x, low), high)

    @staticmethod
    def abs(x: Scalar) -> Scalar:
        """The number without its sign."""
        return Scalar(call("abs", x.expr))

    @staticmethod
    def sqrt(x: Scalar) -> Scalar:
        """The square root."""
        return Scalar(call("sqrt", x.expr))

    @staticmethod
    def rint(x: Scalar) -> Scalar:
        """The nearest whole number."""
        return Scalar(call("rint", x.expr))

    @staticmethod
    def floor(x: Scalar) -> Scalar:
        """The next whole number below."""
        return Scalar(call("floor", x.expr))

    @staticmethod
    def frexp(x: Scalar) -> tuple[Scalar, Scalar]:
        """(m, k) with x = m 2**k and m in [1/2, 1), for a number that is not negative; of 0, 0."""
        kind, bits, bias = BITS[x.expr.type]
        is_small = x < float(np.finfo(x.expr.type).smallest_normal)
        lifted = Formulas.where(is_small, x * 2.0**bits, x)
        pattern = Scalar(Expr("bitcast", kind, (lifted.expr,)))
        mantissa = (pattern & ((1 << bits) - 1)) | ((bias - 1) << bits)
        exponent = (pattern >> bits) - (bias - 1)
        exponent = exponent - Formulas.where(is_small, Scalar(const(bits, kind)), 0)
        is_zero = x == 0.0
        found = Scalar(Expr("bitcast", x.expr.type, (mantissa.expr,)))
        return Formulas.where(is_zero, x, found), Formulas.where(is_zero, 0 * exponent, exponent)

    @staticmethod
    def ldexp(x: Scalar, k: Scalar) -> Scalar:
        """`x * 2**k`, rounded once."""
        return Scalar(scaled(x.expr, cast(k.expr, BITS[x.expr.type][0])))


def next_after(x: Expr, y: Expr) -> Expr:
    """The float after x in the direction of y."""
    kind = BITS[x.type][0]
    zero, one = const(0.0, x.type), const(1, kind)
    bits = Expr("bitcast", kind, (x,))
    is_away = call("eq", call("lt", x, y), call("lt", zero, x))
    moved = select(is_away, call("add", bits, one), call("sub", bits, one))
    least = call("copysign", Expr("bitcast", x.type, (one,)), y)
    found = select(call("eq", x, zero), least, Expr("bitcast", x.type, (moved,)))
    found = select(call("eq", x, y), y, found)
    is_nan = either(call("ne", x, x), call("ne", y, y))
    return select(is_nan, call("add", x, y), found)
