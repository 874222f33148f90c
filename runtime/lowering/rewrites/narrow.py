"""Products of integers of 64 bits that have few: a product of the lower halves is one instruction.

Of whole ones it is three on Intel's processors, where there is one at all, but most numbers in
memory are small. So contractions that read their operands often enough look at them first, and have
two forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runtime.execute.native.processor import has_whole_products
from runtime.lowering.kernels.kernel import Axis, Contract
from runtime.lowering.kernels.tiles import products

__all__ = ["DECLARED", "Narrow", "halved", "narrow", "side_by_side"]

_LANES = 8
_VECTOR = f"<{_LANES} x i64>"


def _splat(number: int, lanes: int) -> str:
    return f"<{', '.join([f'i64 {number}'] * lanes)}>"


# What to take the bits of a number's sign with, how many a small one has, how it is shifted back.
_FORMS = {
    "i8": (f"ashr {_VECTOR} %x, {_splat(63, _LANES)}", 31, "ashr"),
    "u8": (f"and {_VECTOR} %x, zeroinitializer", 32, "lshr"),
}
DECLARED = f"i64 @llvm.vector.reduce.or.v{_LANES}i64({_VECTOR})"
# With so many products for each element, it is worth looking; so many where whole ones are fast.
_WORTH, _WORTH_OF_FAST = 4, 14


class Narrow(NamedTuple):
    """The function that looks at an operand, its text, and how many elements the operands have."""

    name: str
    text: str
    counts: tuple[int, int]


def narrow(c: Contract) -> Narrow | None:
    """How a contraction looks at its operands first; None where it does not."""
    work, axes = products(c), (*c.outer, c.row, c.column, *c.inner)
    x, y = (side_by_side(axes, name) for name in ("x", "y"))
    if c.target.type not in _FORMS or not isinstance(work, int) or x is None or y is None:
        return None
    worth = _WORTH_OF_FAST if has_whole_products() else _WORTH
    if min(x, y) < _LANES or work < worth * (x + y):
        return None
    return Narrow(f"@narrow.{c.target.type}", _text(c.target.type), (x, y))


def side_by_side(axes: Sequence[Axis], name: str) -> int | None:
    """How many elements an operand has, if they fill the memory from the first to the last."""
    found = [(getattr(axis, name), axis.size) for axis in axes]
    count = 1
    known = [(step, n) for step, n in found if isinstance(step, int) and isinstance(n, int)]
    if len(known) < len(found):
        return None
    for step, n in sorted((step, n) for step, n in known if step and n != 1):
        if step != count:
            return None
        count *= n
    return count


def halved(type_: str, lanes: int, value: str) -> tuple[str, str]:
    """How a vector of numbers that are small is told to be: shifted up, and `%up` back down."""
    shift, vector = _splat(32, lanes), f"<{lanes} x i64>"
    return f"shl {vector} {value}, {shift}", f"{_FORMS[type_][2]} {vector} %up, {shift}"


def _text(type_: str) -> str:
    """The function `@narrow.TYPE(x, n)`: whether the lower halves of at least 8 numbers tell all.

    Some numbers are looked at twice: the last vector is taken as it lies.
    """
    sign, bits, _ = _FORMS[type_]
    return f"""define internal i1 @narrow.{type_}(ptr %p, i64 %n) noinline {{
entry:
  %end = sub i64 %n, {_LANES}
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %head]
  %found = phi {_VECTOR} [zeroinitializer, %entry], [%more, %head]
  %at = getelementptr i64, ptr %p, i64 %i
  %x = load {_VECTOR}, ptr %at, align 8
  %sign = {sign}
  %size = xor {_VECTOR} %x, %sign
  %more = or {_VECTOR} %found, %size
  %after = add nuw nsw i64 %i, {_LANES}
  %is.beyond = icmp sgt i64 %after, %end
  %next = select i1 %is.beyond, i64 %end, i64 %after
  %going = icmp slt i64 %i, %end
  br i1 %going, label %head, label %done
done:
  %all = call i64 @llvm.vector.reduce.or.v{_LANES}i64({_VECTOR} %more)
  %is.small = icmp ult i64 %all, {1 << bits}
  ret i1 %is.small
}}"""
