"""Products of numbers next to 0, which some processors compute a hundred times as slowly.

Gradients that vanish in a long loop get there: subnormal floats are for Intel's processors a case
that they call their own subroutine for, in each multiplication. They tell by a flag that they met
one. Then, in loops, products look at their operands first. Where one has such elements, and nothing
can overflow, a copy of it that is larger by a power of two is multiplied, and the result made
smaller again. That is exact, but for results that are subnormal: they are rounded once, at the end,
not in each step. The copy and the end are no such products themselves: what is subnormal is a whole
number of the least floats there are, and is converted from that, or rounded to it.

Which way is taken depends on the operands alone: a product that raises the flag is made once more,
and where none was raised, both ways give the same bits.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from runtime.lowering.kernels.kernel import Contract
from runtime.lowering.kernels.tiles import products
from runtime.lowering.rewrites.narrow import side_by_side

__all__ = ["DECLARED", "Careful", "careful"]

# Elements of an operand that is copied; so many products for each element that is looked at.
_MOST, _WORTH = 1 << 14, 16
# Bits of MXCSR: an operand was subnormal; a result was, and not exact.
_SUBNORMAL, _UNDERFLOW = 1 << 1, 1 << 4
# What the text declares.
DECLARED = (
    "void @llvm.x86.sse.stmxcsr(ptr)",
    "void @llvm.x86.sse.ldmxcsr(ptr)",
    "float @llvm.rint.f32(float)",
    "double @llvm.rint.f64(double)",
)


class _Kind(NamedTuple):
    """A float: its LLVM type and that of its bits, the power of two, and bits of limits."""

    name: str
    integer: str
    power: int
    mantissa: int
    bias: int

    @property
    def least(self) -> int:
        """The exponent of the least normal number."""
        return 1 - self.bias

    @property
    def unit(self) -> int:
        """The exponent of the least number of all, of which subnormal ones are multiples."""
        return self.least - self.mantissa

    def bits(self, exponent: int) -> int:
        """The bits of a power of two."""
        return exponent + self.bias << self.mantissa

    def literal(self, exponent: int) -> str:
        """The power of two, as LLVM writes it."""
        return f"0x{exponent + 1023 << 52:016X}"


_KINDS = {"f4": _Kind("float", "i32", 64, 23, 127), "f8": _Kind("double", "i64", 512, 52, 1023)}


class Careful(NamedTuple):
    """The function that looks first, its text, and how many elements operands and result have."""

    name: str
    text: str
    counts: tuple[int, int, int]


def careful(c: Contract) -> Careful | None:
    """How a contraction looks at its operands first; None where it does not."""
    work = products(c)
    axes = (*c.outer, c.row, c.column, *c.inner)
    counts = [side_by_side(axes, name) for name in ("x", "y", "out")]
    if c.target.type not in _KINDS or not isinstance(work, int) or None in counts:
        return None
    x, y, out = (n or 0 for n in counts)
    if min(x, y, out) < 1 or max(x, y, out) > _MOST or work < _WORTH * (x + y):
        return None
    return Careful(f"@careful.{c.target.type}", _text(c.target.type), (x, y, out))


@cache
def _text(type_: str) -> str:
    """The function `@careful.TYPE(looks, contraction, x, nx, y, ny, out, n, end, stop, last)`.

    `looks` is where it keeps whether it looks before it multiplies; then come how many elements
    there are of each, and the ends of the three ranges of a contraction. `@extent` finds the bits
    of the largest size, and whether an element is next to 0; `@larger` and `@smaller` multiply by
    the power of two and divide by it.
    """
    kind = _KINDS[type_]
    numbers = {
        "KIND": kind.name,
        "INT": kind.integer,
        "TYPE": type_,
        "SIZE": (1 << 8 * int(type_[1:]) - 1) - 1,  # all bits but the sign
        "TINY": kind.bits(-(kind.bias - 27)),
        "LIMIT": kind.bits(-20),
        "OTHER": kind.bits(kind.power - 4),
        "NORMAL": 1 << kind.mantissa,
        "LEAST": kind.bits(kind.least + kind.power),
        "UNIT_UP": kind.literal(kind.unit + kind.power),
        "UNIT_DOWN": kind.literal(-kind.unit - kind.power),
        "SUFFIX": f"f{8 * int(type_[1:])}",
        "UP": kind.literal(kind.power),
        "DOWN": kind.literal(-kind.power),
        "FLAGS": _SUBNORMAL | _UNDERFLOW,
        "RANGES": "i64 0, i64 %end, i64 0, i64 %stop, i64 0, i64 %last",
    }
    text = _TEXT
    for name, number in numbers.items():
        text = text.replace(f"${name}", str(number))
    return text


_TEXT = """define internal i1 @extent.$TYPE(ptr %p, i64 %n, ptr %most) noinline {
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %head]
  %largest = phi $INT [0, %entry], [%larger, %head]
  %found = phi $INT [0, %entry], [%more, %head]
  %at = getelementptr $INT, ptr %p, i64 %i
  %all = load $INT, ptr %at
  %size = and $INT %all, $SIZE
  %is.larger = icmp ugt $INT %size, %largest
  %larger = select i1 %is.larger, $INT %size, $INT %largest
  %less = sub $INT %size, 1
  %is.tiny = icmp ult $INT %less, $TINY
  %tiny = zext i1 %is.tiny to $INT
  %more = or $INT %found, %tiny
  %next = add nuw nsw i64 %i, 1
  %going = icmp slt i64 %next, %n
  br i1 %going, label %head, label %done
done:
  store $INT %larger, ptr %most
  %any = icmp ne $INT %more, 0
  ret i1 %any
}
define internal void @larger.$TYPE(ptr %to, ptr %p, i64 %n) noinline {
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %head]
  %at = getelementptr $INT, ptr %p, i64 %i
  %all = load $INT, ptr %at
  %size = and $INT %all, $SIZE
  %sign = xor $INT %all, %size
  %is.tiny = icmp ult $INT %size, $NORMAL
  %units = sitofp $INT %size to $KIND
  %scaled = fmul $KIND %units, $UNIT_UP
  %scaled.size = bitcast $KIND %scaled to $INT
  %from.tiny = or $INT %scaled.size, %sign
  %safe = select i1 %is.tiny, $INT 0, $INT %all
  %x = bitcast $INT %safe to $KIND
  %y = fmul $KIND %x, $UP
  %from.normal = bitcast $KIND %y to $INT
  %result = select i1 %is.tiny, $INT %from.tiny, $INT %from.normal
  %there = getelementptr $INT, ptr %to, i64 %i
  store $INT %result, ptr %there
  %next = add nuw nsw i64 %i, 1
  %going = icmp slt i64 %next, %n
  br i1 %going, label %head, label %done
done:
  ret void
}
define internal void @smaller.$TYPE(ptr %p, i64 %n) noinline {
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %head]
  %at = getelementptr $INT, ptr %p, i64 %i
  %all = load $INT, ptr %at
  %size = and $INT %all, $SIZE
  %sign = xor $INT %all, %size
  %is.tiny = icmp ult $INT %size, $LEAST
  %is.none = icmp ult $INT %size, $NORMAL
  %is.some = xor i1 %is.none, true
  %is.both = and i1 %is.tiny, %is.some
  %kept = select i1 %is.both, $INT %size, $INT 0
  %large = bitcast $INT %kept to $KIND
  %units = fmul $KIND %large, $UNIT_DOWN
  %rounded = call $KIND @llvm.rint.$SUFFIX($KIND %units)
  %bits = fptosi $KIND %rounded to $INT
  %to.tiny = or $INT %bits, %sign
  %safe = select i1 %is.tiny, $INT 0, $INT %all
  %x = bitcast $INT %safe to $KIND
  %y = fmul $KIND %x, $DOWN
  %to.normal = bitcast $KIND %y to $INT
  %result = select i1 %is.tiny, $INT %to.tiny, $INT %to.normal
  store $INT %result, ptr %at
  %next = add nuw nsw i64 %i, 1
  %going = icmp slt i64 %next, %n
  br i1 %going, label %head, label %done
done:
  ret void
}
define internal void @careful.$TYPE(ptr %looks, ptr %product, ptr %x, i64 %nx, ptr %y, i64 %ny,
                                    ptr %out, i64 %n, i64 %end, i64 %stop, i64 %last) noinline {
entry:
  %most.x = alloca $INT
  %most.y = alloca $INT
  %flags.at = alloca i32
  %is.known = load i1, ptr %looks
  br i1 %is.known, label %look, label %first
first:
  call void @llvm.x86.sse.stmxcsr(ptr %flags.at)
  %before = load i32, ptr %flags.at
  %old = and i32 %before, $FLAGS
  %is.clear = icmp eq i32 %old, 0
  br i1 %is.clear, label %try, label %clear
clear:
  %cleared = xor i32 %before, %old
  store i32 %cleared, ptr %flags.at
  call void @llvm.x86.sse.ldmxcsr(ptr %flags.at)
  br label %try
try:
  call void %product(ptr %x, ptr %y, ptr %out, $RANGES)
  call void @llvm.x86.sse.stmxcsr(ptr %flags.at)
  %after = load i32, ptr %flags.at
  %new = and i32 %after, $FLAGS
  %is.good = icmp eq i32 %new, 0
  br i1 %is.good, label %done, label %begin
begin:
  store i1 true, ptr %looks
  br label %look
look:
  %tiny.x = call i1 @extent.$TYPE(ptr %x, i64 %nx, ptr %most.x)
  %tiny.y = call i1 @extent.$TYPE(ptr %y, i64 %ny, ptr %most.y)
  %largest.x = load $INT, ptr %most.x
  %largest.y = load $INT, ptr %most.y
  %low.x = icmp ult $INT %largest.x, $LIMIT
  %low.y = icmp ult $INT %largest.y, $LIMIT
  %fits.x = icmp ult $INT %largest.x, $OTHER
  %fits.y = icmp ult $INT %largest.y, $OTHER
  %may.x = and i1 %low.x, %fits.y
  %may.y = and i1 %low.y, %fits.x
  %is.x = and i1 %tiny.x, %may.x
  %is.y = and i1 %tiny.y, %may.y
  %is.either = or i1 %is.x, %is.y
  br i1 %is.either, label %copy, label %plain
copy:
  %count = select i1 %is.x, i64 %nx, i64 %ny
  %from = select i1 %is.x, ptr %x, ptr %y
  %large = alloca $KIND, i64 %count, align 64
  call void @larger.$TYPE(ptr %large, ptr %from, i64 %count)
  %one = select i1 %is.x, ptr %large, ptr %x
  %two = select i1 %is.x, ptr %y, ptr %large
  call void %product(ptr %one, ptr %two, ptr %out, $RANGES)
  call void @smaller.$TYPE(ptr %out, i64 %n)
  br label %done
plain:
  store i1 false, ptr %looks
  br i1 %is.known, label %again, label %done
again:
  call void %product(ptr %x, ptr %y, ptr %out, $RANGES)
  br label %done
done:
  ret void
}"""
