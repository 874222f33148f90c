"""What whole numbers can be: of each the least and the greatest, and of which register it is less.

Intervals, as in P. and R. Cousot, Abstract interpretation (1977). Where sizes are only known when
the program runs, a number has a register beside which it is so much more at most.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from runtime.lowering.kernels.kernel import Cell, Register, read
from runtime.lowering.kernels.scalar import Expr, is_int, is_signed, limits

__all__ = ["LESS", "Numbers", "Range", "all_of", "in_order", "is_same"]

# The comparisons that say what is less.
LESS = ("lt", "le", "gt", "ge")
# By way of so many registers, a number is known to be less than another.
_FAR = 4


class Range(NamedTuple):
    """The least and greatest that a number can be; if `base` is given, `base + most` at most.

    If `same` is given, it is the number in that register.
    """

    least: int
    greatest: int
    base: Register | None = None
    most: int = 0
    same: Register | None = None

    @property
    def plain(self) -> Range:
        """It without what is known by a register."""
        return Range(self.least, self.greatest)

    def joined(self, other: Range) -> Range:
        """What is either."""
        base = self.base if self.base is other.base else None
        most = max(self.most, other.most) if base is not None else 0
        same = self.same if self.same is other.same else None
        least, greatest = min(self.least, other.least), max(self.greatest, other.greatest)
        return Range(least, greatest, base, most, same)

    def holds(self, other: Range) -> bool:
        """Whether it has all numbers of another."""
        return self.least <= other.least and other.greatest <= self.greatest

    def widened(self, new: Range, whole: Range) -> Range:
        """It, and what exceeds it: up to 0, or to the ends of the integers."""
        least = self.least if new.least >= self.least else 0 if new.least >= 0 else whole.least
        greatest = self.greatest if new.greatest <= self.greatest else whole.greatest
        return Range(least, greatest)


@cache
def all_of(type_: str) -> Range:
    """All numbers of a type."""
    return Range(0, 1) if type_ == "b1" else Range(*limits(type_))


class Numbers:
    """What is known of registers, and of cells at a place of the program; of others, nothing."""

    def __init__(self) -> None:
        self.registers: dict[Register, Range] = {}
        self.cells: dict[Cell, Range] = {}
        # What registers were given, of those that are whole numbers or truths.
        self.given: dict[Register, Expr] = {}

    def range(self, x: Expr) -> Range:
        """What a whole number, or a truth, can be."""
        return self._range(x, {})

    def _range(self, x: Expr, found: dict[Expr, Range]) -> Range:
        if x not in found:
            found[x] = self._computed(x, found)
        return found[x]

    def _computed(self, x: Expr, found: dict[Expr, Range]) -> Range:
        name, whole = x.function, all_of(x.type)
        if name == "const":
            return Range(int(x.value), int(x.value))
        if name == "read":
            if isinstance(x.value, Register):
                return self.registers.get(x.value, whole)
            return self.cells.get(x.value, whole)
        if name == "first":  # of a sum that was checked to be no less and no more
            result = self._exactly(x.args[0], found)
            least, greatest = max(result.least, whole.least), min(result.greatest, whole.greatest)
            return Range(least, greatest, result.base, result.most)
        if name == "select":
            return self._range(x.args[1], found).joined(self._range(x.args[2], found))
        if name in ("add", "sub", "mul", "neg"):
            result = self._remainder(x, found) or self._exactly(x, found)
        elif name == "quotient" and x.args[1].function == "const" and x.args[1].value > 0:
            a, by = self._range(x.args[0], found), int(x.args[1].value)
            result = Range(_quotient(a.least, by), _quotient(a.greatest, by))
        elif name == "and" and is_int(x.type) and x.args[1].function == "const":
            a, by = self._range(x.args[0], found), int(x.args[1].value)
            most = min(a.greatest, by) if a.least >= 0 else by
            result = Range(0, most) if by >= 0 else whole
        elif name == _shift(x.type) and x.args[1].function == "const":
            a, by = self._range(x.args[0], found), int(x.args[1].value)
            result = Range(a.least >> by, a.greatest >> by)
        elif name == "cast" and (is_int(x.args[0].type) or x.args[0].type == "b1"):
            result = self._range(x.args[0], found)
        else:
            return whole
        return result if whole.holds(result) else whole

    def exactly(self, x: Expr) -> Range:
        """What a sum, difference or product would be if no number were too large."""
        return self._exactly(x, {})

    def _exactly(self, x: Expr, found: dict[Expr, Range]) -> Range:
        name = x.function.removeprefix("checked_")
        a, *others = (self._range(part, found) for part in x.args)
        if name == "neg":
            return Range(-a.greatest, -a.least)
        (b,) = others
        if name == "add":
            result = Range(a.least + b.least, a.greatest + b.greatest)
            ways = [(*_beside(a, x.args[0]), b), (*_beside(b, x.args[1]), a)]
            if a.base is None and b.base is not None:
                ways.reverse()
            base, most, by = ways[0] if ways[0][0] is not None else ways[1]
            return self._limited(result, base, most + by.greatest)
        if name == "sub":
            result = Range(a.least - b.greatest, a.greatest - b.least)
            base, most = _beside(a, x.args[0])
            return self._limited(result, base, most - b.least)
        ends = [m * n for m in (a.least, a.greatest) for n in (b.least, b.greatest)]
        return Range(min(ends), max(ends))

    def _limited(self, x: Range, base: Register | None, most: int) -> Range:
        """A range that is known by a register, too."""
        if base is None:
            return x
        greatest = self.registers.get(base, all_of(base.type)).greatest + most
        return Range(x.least, min(x.greatest, greatest), base, most)

    def _remainder(self, x: Expr, found: dict[Expr, Range]) -> Range | None:
        """What is left of a division, which is written so: `a - (a / n) * n`."""
        if x.function != "sub" or x.args[1].function != "mul":
            return None
        whole, by = x.args[1].args
        if by.function != "const" or by.value <= 0 or not _is_divided(whole, x.args[0], by):
            return None
        a, most = self._range(x.args[0], found), int(by.value) - 1
        return Range(max(min(a.least, 0), -most), min(max(a.greatest, 0), most))

    def sum_of(self, x: Expr, *, is_positive: bool = False) -> tuple[Register | None, int]:
        """A register and a number of which `x` is the sum; `is_positive`: it is known to be so."""
        found: tuple[Register | None, int] = (None, 0)
        more = 0
        if x.function == "read" and isinstance(x.value, Cell):  # as it is now, not at its reading
            known = self.cells.get(x.value)
            if known is None or known.same is None:
                return found
            x = read(known.same)
        while True:
            if x.function == "read" and isinstance(x.value, Register):
                known = self.registers.get(x.value)
                register = x.value if known is None or known.same is None else known.same
                found = register, more
                if register not in self.given:
                    return found
                x = self.given[register]
            elif x.function == "select" and is_positive and not more and _is_zero(x.args[2]):
                x = x.args[1]  # of `n if n > 0 else 0`
            else:
                part, by = self._less(x)
                if part is None:
                    return found
                x, more = part, more + by

    def _less(self, x: Expr) -> tuple[Expr | None, int]:
        """The register in a sum with a number, and that number."""
        inner = x.args[0] if x.function == "first" else x
        name = inner.function.removeprefix("checked_")
        if name not in ("add", "sub"):
            return None, 0
        one, other = inner.args
        if name == "add" and one.function == "const":
            one, other = other, one
        is_sum = one.function == "read" and isinstance(one.value, Register)
        if not is_sum or other.function != "const":
            return None, 0
        if x is inner and not all_of(x.type).holds(self.exactly(x)):
            return None, 0  # it may wrap
        return one, int(other.value) if name == "add" else -int(other.value)

    def decided(self, x: Expr) -> bool | None:
        """Whether a comparison of whole numbers holds, where that is known."""
        if x.function in ("eq", "ne") and is_int(x.args[0].type):
            one, other = map(self.range, x.args)
            is_apart = one.greatest < other.least or other.greatest < one.least
            return x.function == "ne" if is_apart else None
        if x.function not in LESS or not is_int(x.args[0].type):
            return None
        small, large, gap = in_order(x.function, x.args)
        one, other = self.range(small), self.range(large)
        if one.greatest + gap <= other.least:
            return True
        if other.greatest < one.least + gap:
            return False
        if self._is_more(large, _beside(one, small), gap):
            return True
        return False if self._is_more(small, _beside(other, large), 1 - gap) else None

    def _is_more(self, x: Expr, found: tuple[Register | None, int], gap: int) -> bool:
        """Whether `x` is at least `gap` more than a number that is known by a register."""
        base, more = self.sum_of(x)
        beside, most = found
        for _ in range(_FAR):
            if beside is None or base is None:
                return False
            if base is beside:
                return most + gap <= more
            other = self.registers.get(beside, all_of(beside.type))
            beside, most = other.base, most + other.most
        return False


def in_order(name: str, args: tuple[Expr, ...]) -> tuple[Expr, Expr, int]:
    """What is said to be less, what to be more, and by how much at least."""
    small, large = args if name in ("lt", "le") else (args[1], args[0])
    return small, large, 1 if name in ("lt", "gt") else 0


def _beside(found: Range, x: Expr) -> tuple[Register | None, int]:
    """A register beside which a number is known, or that it is in itself."""
    if found.base is None and x.function == "read" and isinstance(x.value, Register):
        return found.same or x.value, 0
    return found.base, found.most


def is_same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are the same constant, or the same register."""
    if a is b:
        return True
    if a.function != b.function or a.function not in ("const", "read"):
        return False
    return a.value == b.value if a.function == "const" else a.value is b.value


def _is_divided(x: Expr, a: Expr, by: Expr) -> bool:
    """Whether it is `a / by`."""
    return x.function == "quotient" and is_same(x.args[0], a) and is_same(x.args[1], by)


def _shift(type_: str) -> str:
    """What divides numbers of a type by a power of two, and rounds down."""
    return "ashr" if is_signed(type_) else "lshr"


def _is_zero(x: Expr) -> bool:
    return x.function == "const" and x.value == 0


def _quotient(a: int, by: int) -> int:
    return a // by if a >= 0 else -(-a // by)
