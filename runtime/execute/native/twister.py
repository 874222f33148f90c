"""Draws that no library has functions for: those of Python's `random`, and of `np.random` itself.

Python's generator is a Mersenne twister in the memory of its object: how many words of it are used,
and 624 of 32 bits. Its `gauss` leaves every second number in the dict of the object, under a name
that is the third word of what stands for it. `RandomState` has such a number behind a flag, where
the third word points. All draw what the library in Python or C draws, by the same functions of
`libm`; they are called with the lock of the interpreter held: `(bits, context, third word,
operands)`.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from runtime.execute.native import layout
from runtime.execute.native.cache import compiled
from runtime.execute.native.context import Context
from runtime.execute.native.engine import Loaded, load
from runtime.execute.native.generator_bits import bits_of
from runtime.execute.native.objects import Linked
from runtime.execute.native.samplers import OWN
from runtime.execute.native.template import expanded

__all__ = ["addresses", "are_at_hand", "is_at_hand", "twister_text"]

_Word = ctypes.c_void_p
# What the library draws, of Python's and of NumPy's.
_DRAWN: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "python_random": (ctypes.c_double, lambda own: own.random()),
    "python_below": (ctypes.c_int64, lambda own: own.randrange(_MANY)),
    "python_gauss": (ctypes.c_double, lambda own: own.gauss(0.0, 1.0)),
    "python_normal": (ctypes.c_double, lambda own: own.normalvariate(0.0, 1.0)),
    "python_exponential": (ctypes.c_double, lambda own: own.expovariate(1.0)),
    "state_normal": (ctypes.c_double, lambda own: own.standard_normal()),
    "state_exponential": (ctypes.c_double, lambda own: own.standard_exponential()),
}
_MANY = 2**40 + 1


def addresses() -> dict[str, int]:
    """Where the functions are, if they draw what the library draws, which was imported."""
    return {name: _code().address(name) for name in OWN if is_at_hand(name)}


def are_at_hand() -> bool:
    """Whether native code can call all functions that draw what a library draws, if it is there."""
    return all(is_at_hand(name) for name in OWN if _library(name)[0] in sys.modules)


def _library(name: str) -> tuple[str, str]:
    """The module and class that draw what a function draws."""
    return ("random", "Random") if name.startswith("python") else _OLD


@cache
def _draws_as_known(name: str, make: Any) -> bool:
    """Whether the function of a name draws what generators that a class makes draw."""
    address, context = _code().address(name), Context.of_the_process({})
    kind, draw = _DRAWN[name]
    one, other = make(5), make(5)
    bits = bits_of(one)
    if not bits.all():
        return False
    operands = (_MANY,) if name == "python_below" else ()
    types = (_Word, _Word, _Word, *[ctypes.c_int64] * len(operands))
    function = ctypes.PYFUNCTYPE(kind, *types)(address)
    words = int(bits[0]), ctypes.addressof(context), int(bits[2])
    return all(function(*words, *operands) == draw(other) for _ in range(5))


def is_at_hand(name: str) -> bool:
    """Whether native code can call the function of that name."""
    if name not in OWN:
        return False
    library, own = _library(name)
    make = getattr(sys.modules.get(library), own, None)
    return make is not None and _draws_as_known(name, make)


_OLD = "numpy.random", "RandomState"


@cache
def _code() -> Loaded | Linked:
    return load(compiled(twister_text()))


def twister_text() -> str:
    """The module of the functions."""
    return expanded(_TEXT, {"HEADER": object.__basicsize__, "FLOAT": layout.VALUE})


_TEXT = """\
declare double @log(double)
declare double @sin(double)
declare double @cos(double)
declare double @llvm.sqrt.f64(double)
declare i64 @llvm.ctlz.i64(i64, i1)

; The word at `k` anew, of itself, the next one and a third.
define internal void @mix(ptr %words, i64 %k, i64 %next, i64 %beyond) alwaysinline {
  %first.at = getelementptr i32, ptr %words, i64 %k
  %second.at = getelementptr i32, ptr %words, i64 %next
  %third.at = getelementptr i32, ptr %words, i64 %beyond
  %a = load i32, ptr %first.at
  %b = load i32, ptr %second.at
  %c = load i32, ptr %third.at
  %upper = and i32 %a, -2147483648
  %lower = and i32 %b, 2147483647
  %both = or i32 %upper, %lower
  %half = lshr i32 %both, 1
  %bit = and i32 %both, 1
  %all = sub i32 0, %bit
  %mask = and i32 %all, -1727483681
  %mixed = xor i32 %c, %half
  %new = xor i32 %mixed, %mask
  store i32 %new, ptr %first.at
  ret void
}

; Two loops, neither of which reads what it wrote a few words before: LLVM makes vectors of them.
define internal void @renew(ptr %words) noinline {
entry:
  br label %low
low:
  %k = phi i64 [ 0, %entry ], [ %k.next, %low ]
  %k.next = add nuw nsw i64 %k, 1
  %k.third = add nuw nsw i64 %k, 397
  call void @mix(ptr %words, i64 %k, i64 %k.next, i64 %k.third)
  %is.low = icmp ult i64 %k.next, 227
  br i1 %is.low, label %low, label %high
high:
  %j = phi i64 [ 227, %low ], [ %j.next, %high ]
  %j.next = add nuw nsw i64 %j, 1
  %j.third = sub nuw nsw i64 %j, 227
  call void @mix(ptr %words, i64 %j, i64 %j.next, i64 %j.third)
  %is.high = icmp ult i64 %j.next, 623
  br i1 %is.high, label %high, label %last
last:
  call void @mix(ptr %words, i64 623, i64 0, i64 396)
  ret void
}

define internal i32 @drawn(ptr %used) {
entry:
  %words = getelementptr i32, ptr %used, i64 1
  %count = load i32, ptr %used
  %is.spent = icmp uge i32 %count, 624
  br i1 %is.spent, label %renew, label %take
renew:
  call void @renew(ptr %words)
  br label %take
take:
  %at = phi i32 [ %count, %entry ], [ 0, %renew ]
  %after = add i32 %at, 1
  store i32 %after, ptr %used
  %at.wide = zext i32 %at to i64
  %y0 = item i32 %words, %at.wide
  %s1 = lshr i32 %y0, 11
  %y1 = xor i32 %y0, %s1
  %s2 = shl i32 %y1, 7
  %m2 = and i32 %s2, -1658038656
  %y2 = xor i32 %y1, %m2
  %s3 = shl i32 %y2, 15
  %m3 = and i32 %s3, -272236544
  %y3 = xor i32 %y2, %m3
  %s4 = lshr i32 %y3, 18
  %y4 = xor i32 %y3, %s4
  ret i32 %y4
}

define internal double @unit(ptr %bits) {
  %one = call i32 @drawn(ptr %bits)
  %other = call i32 @drawn(ptr %bits)
  %a = lshr i32 %one, 5
  %b = lshr i32 %other, 6
  %x = uitofp i32 %a to double
  %y = uitofp i32 %b to double
  %scaled = fmul double %x, 67108864.0
  %sum = fadd double %scaled, %y
  %unit = fmul double %sum, 0x3CA0000000000000
  ret double %unit
}

define double @python_random(ptr %bits, ptr %ctx, ptr %third) {
  %x = call double @unit(ptr %bits)
  ret double %x
}

; A number less than `n`, which is above 0: as many bits as `n` has, until they are less.
define i64 @python_below(ptr %bits, ptr %ctx, ptr %third, i64 %n) {
entry:
  %zeros = call i64 @llvm.ctlz.i64(i64 %n, i1 false)
  %length = sub i64 64, %zeros
  %is.short = icmp ule i64 %length, 32 ? short : long
short:
  %word = call i32 @drawn(ptr %bits)
  %wide = zext i32 %word to i64
  %rest = sub i64 32, %length
  %found = lshr i64 %wide, %rest
  %is.less = icmp ult i64 %found, %n ? done : short
long:
  %low = call i32 @drawn(ptr %bits)
  %high = call i32 @drawn(ptr %bits)
  %low.wide = zext i32 %low to i64
  %high.wide = zext i32 %high to i64
  %more = sub i64 64, %length
  %high.bits = lshr i64 %high.wide, %more
  %high.part = shl i64 %high.bits, 32
  %whole = or i64 %low.wide, %high.part
  %is.less.too = icmp ult i64 %whole, %n ? done : long
done:
  %result = phi i64 [ %found, %short ], [ %whole, %long ]
  ret i64 %result
}

define double @python_gauss(ptr %bits, ptr %ctx, ptr %third) {
  %dict.of = word _PyObject_GetDictPtr
  %get = word PyDict_GetItemWithError
  %set = word PyDict_SetItem
  %make = word PyFloat_FromDouble
  %release = word Py_DecRef
  %none = word None
  %owner = getelementptr i8, ptr %bits, i64 -$HEADER
  %dict.at = call ptr %dict.of(ptr %owner)
  %dict = load ptr, ptr %dict.at
  %left = call ptr %get(ptr %dict, ptr %third)
  %is.none = icmp eq ptr %left, %none ? draw : take
take:
  %value = field double %left, $FLOAT
  %set.none = call i32 %set(ptr %dict, ptr %third, ptr %none)
  ret double %value
draw:
  %u = call double @unit(ptr %bits)
  %angle = fmul double %u, 0x401921FB54442D18
  %v = call double @unit(ptr %bits)
  %w = fsub double 1.0, %v
  %logarithm = call double @log(double %w)
  %square = fmul double %logarithm, -2.0
  %radius = call double @llvm.sqrt.f64(double %square)
  %cosine = call double @cos(double %angle)
  %z = fmul double %cosine, %radius
  %sine = call double @sin(double %angle)
  %other = fmul double %sine, %radius
  %kept = call ptr %make(double %other)
  %set.other = call i32 %set(ptr %dict, ptr %third, ptr %kept)
  call void %release(ptr %kept)
  ret double %z
}

; Kinderman and Monahan: a ratio of two numbers, refused where it is too far out.
define double @python_normal(ptr %bits, ptr %ctx, ptr %third) {
entry:
  br label %try
try:
  %u = call double @unit(ptr %bits)
  %v = call double @unit(ptr %bits)
  %w = fsub double 1.0, %v
  %centred = fsub double %u, 0.5
  %scaled = fmul double %centred, 0x3FFB72CD3F331398
  %z = fdiv double %scaled, %w
  %square = fmul double %z, %z
  %quarter = fdiv double %square, 4.0
  %logarithm = call double @log(double %w)
  %most = fneg double %logarithm
  %is.good = fcmp ole double %quarter, %most ? done : try
done:
  ret double %z
}

define double @python_exponential(ptr %bits, ptr %ctx, ptr %third) {
  %u = call double @unit(ptr %bits)
  %v = fsub double 1.0, %u
  %logarithm = call double @log(double %v)
  %x = fneg double %logarithm
  ret double %x
}

; ---- RandomState ---------------------------------------------------------------------------

define internal double @next(ptr %bits) {
  %function = item ptr %bits, 3
  %state = load ptr, ptr %bits
  %x = call double %function(ptr %state)
  ret double %x
}

define double @state_normal(ptr %bits, ptr %ctx, ptr %third) {
entry:
  %flag.at = getelementptr i8, ptr %third, i64 8
  %left.at = getelementptr i8, ptr %third, i64 16
  %flag = load i32, ptr %flag.at
  %is.left = icmp ne i32 %flag, 0 ? take : try
take:
  %left = load double, ptr %left.at
  store i32 0, ptr %flag.at
  store double 0.0, ptr %left.at
  ret double %left
try:
  %u = call double @next(ptr %bits)
  %u.twice = fmul double %u, 2.0
  %x = fsub double %u.twice, 1.0
  %v = call double @next(ptr %bits)
  %v.twice = fmul double %v, 2.0
  %y = fsub double %v.twice, 1.0
  %x.square = fmul double %x, %x
  %y.square = fmul double %y, %y
  %r = fadd double %x.square, %y.square
  %is.out = fcmp oge double %r, 1.0
  %is.zero = fcmp oeq double %r, 0.0
  %is.bad = or i1 %is.out, %is.zero ? try : good
good:
  %logarithm = call double @log(double %r)
  %twice = fmul double %logarithm, -2.0
  %ratio = fdiv double %twice, %r
  %f = call double @llvm.sqrt.f64(double %ratio)
  %kept = fmul double %f, %x
  store double %kept, ptr %left.at
  store i32 1, ptr %flag.at
  %z = fmul double %f, %y
  ret double %z
}

define double @state_exponential(ptr %bits, ptr %ctx, ptr %third) {
  %u = call double @next(ptr %bits)
  %v = fsub double 1.0, %u
  %logarithm = call double @log(double %v)
  %x = fneg double %logarithm
  ret double %x
}
"""
