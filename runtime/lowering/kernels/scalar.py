"""Scalar expressions: what a kernel computes for one element, in machine types.

A type is NumPy's character and size: "b1" "i1" ... "i8" "u1" ... "u8" "f2" "f4" "f8" "c8" "c16"; or
the name of a float of `ml_dtypes`. Narrow floats are computed with in single precision and rounded
after each function. A complex number is a `pair` of floats, which two registers hold in the end.
An expression is a tree of functions that machines have; what NumPy or Python mean by an operator is
composed of them in `meaning`, and what exp or tanh is, in `mathematics`. One notation for every
kind of machine: each renders the same few functions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from runtime.dtypes import dtype_from
from runtime.lowering.kernels.narrow_floats import LAYOUTS, NARROW

__all__ = [
    "COMPARISONS",
    "FALSE",
    "TRUE",
    "Expr",
    "both",
    "call",
    "cast",
    "const",
    "either",
    "imaginary",
    "index",
    "invert",
    "is_complex",
    "is_float",
    "is_int",
    "is_signed",
    "limits",
    "pair",
    "part_type",
    "parts_of",
    "real",
    "select",
    "size_in_bytes",
]


class Expr:
    """A function of expressions; compared by identity, so that what is shared is computed once.

    `value` is the number of a constant, the register of a "read", the buffer of a "load". What was
    composed as a function of some operands may say so in `composed`: the function's name and those.
    """

    __slots__ = ("_sources", "args", "composed", "function", "type", "value")

    def __init__(
        self, function: str, type_: str, args: tuple[Expr, ...] = (), value: Any = None
    ) -> None:
        self.function = function
        self.type = type_
        self.args = args
        self.value = value
        self.composed: tuple[str, tuple[Expr, ...]] | None = None
        self._sources: tuple[Expr, ...] | None = None
        if not args:
            self._sources = (self,) if function == "read" else ()

    @property
    def sources(self) -> tuple[Expr, ...]:
        """The loads and reads that are in it, each once: found when they are first asked for.

        In the order of `parts_of`. They are those of its operands, which are asked for, too.
        """
        todo = [self] if self._sources is None else []
        while todo:
            part = todo[-1]
            waiting = [x for x in part.args if x._sources is None]
            todo += waiting
            if not waiting:
                todo.pop()._sources = part._joined_sources()
        assert self._sources is not None
        return self._sources

    def _joined_sources(self) -> tuple[Expr, ...]:
        own = (self,) if self.function == "load" else ()
        given = [x._sources for x in self.args[::-1] if x._sources]
        if len(given) == 1 and not own:
            return given[0]
        return tuple(dict.fromkeys(chain(own, *given)))

    def __repr__(self) -> str:
        return f"Expr({self.function}: {self.type})"


def parts_of(*xs: Expr, whole: Callable[[Expr], bool] | None = None) -> list[Expr]:
    """Expressions and all that is in them, each once; not what is in those that are `whole`."""
    todo, seen = list(xs), dict[Expr, None]()
    while todo:
        part = todo.pop()
        if part in seen:
            continue
        seen[part] = None
        if part.args and (whole is None or not whole(part)):
            todo += part.args
    return list(seen)


# With the functions that compare constants.
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


def call(function: str, *args: Expr, type_: str | None = None) -> Expr:
    """`function` of operands of one type; of that type, or bool for a comparison."""
    if args[0].type in NARROW:
        made = call(function, *(cast(x, "f4") for x in args))
        return made if made.type == "b1" else cast(made, args[0].type)
    if function in COMPARISONS:
        if all(x.function == "const" for x in args):
            return TRUE if COMPARISONS[function](*(x.value for x in args)) else FALSE
        return Expr(function, "b1", args)
    return Expr(function, args[0].type if type_ is None else type_, args)


TRUE, FALSE = Expr("const", "b1", (), True), Expr("const", "b1", (), False)


def const(value: Any, type_: str) -> Expr:
    """A constant."""
    if type_ == "b1":
        return TRUE if value else FALSE
    return Expr("const", type_, (), value)


_INDICES = [const(k, "i8") for k in range(64)]


def index(k: int) -> Expr:
    """A constant index: the same object for the same small number, so that uses can be shared."""
    return _INDICES[k] if 0 <= k < len(_INDICES) else const(k, "i8")


def select(condition: Expr, yes: Expr, no: Expr) -> Expr:
    """One of two values: both are computed."""
    if condition.function == "const":
        return yes if condition.value else no
    return Expr("select", yes.type, (condition, yes, no))


def both(a: Expr, b: Expr) -> Expr:
    """Whether two truths hold."""
    if a is FALSE or b is FALSE:
        return FALSE
    return b if a is TRUE else a if b is TRUE else call("and", a, b)


def either(a: Expr, b: Expr) -> Expr:
    """Whether one of two truths holds."""
    if a is TRUE or b is TRUE:
        return TRUE
    return b if a is FALSE else a if b is FALSE else call("or", a, b)


def invert(a: Expr) -> Expr:
    """The other truth."""
    if a.function == "const":
        return FALSE if a.value else TRUE
    return call("not", a)


def is_complex(type_: str) -> bool:
    """Whether it is a type of complex numbers."""
    return type_[0] == "c"


def part_type(type_: str) -> str:
    """The type of the parts of complex numbers.

    >>> part_type("c16")
    'f8'
    """
    return f"f{size_in_bytes(type_) // 2}"


def pair(re: Expr, im: Expr) -> Expr:
    """The complex number of two floats."""
    return Expr("pair", f"c{2 * size_in_bytes(re.type)}", (re, im))


def real(x: Expr) -> Expr:
    """The real part of a complex number."""
    return _part("real", x, 0)


def imaginary(x: Expr) -> Expr:
    """The imaginary part of a complex number."""
    return _part("imag", x, 1)


def _part(function: str, x: Expr, which: int) -> Expr:
    if x.function == "pair":
        return x.args[which]
    if x.function == "const":
        return const(getattr(complex(x.value), function), part_type(x.type))
    return Expr(function, part_type(x.type), (x,))


def is_float(type_: str) -> bool:
    """Whether it is a floating type."""
    return type_[0] == "f" or type_ in LAYOUTS


def is_int(type_: str) -> bool:
    """Whether it is an integer type, bool not being one."""
    return type_[0] in "iu"


def is_signed(type_: str) -> bool:
    """Whether it is a signed integer type."""
    return type_[0] == "i"


def size_in_bytes(type_: str) -> int:
    """The bytes of one element.

    >>> size_in_bytes("c16"), size_in_bytes("bfloat16")
    (16, 2)
    """
    if type_ in LAYOUTS:
        return LAYOUTS[type_].bytes
    return int(type_[1:])


@cache
def limits(type_: str) -> tuple[int, int]:
    """The least and the greatest number of an integer type.

    >>> limits("u1")
    (0, 255)
    """
    found = np.iinfo(type_)
    return int(found.min), int(found.max)


def cast(x: Expr, type_: str) -> Expr:
    """`x` in another type as C converts it; a float beyond an integer type has no meaning here."""
    if x.type == type_:
        return x
    if type_ == "b1" and x.function != "const":
        return call("ne", x, const(0, x.type))
    if x.function == "const" and not (is_float(x.type) and is_int(type_)):
        with np.errstate(over="ignore"):
            number = np.array(x.value, dtype_from(x.type)).astype(dtype_from(type_))
        return const(float(number) if is_float(type_) else number.item(), type_)
    if x.type in NARROW:
        return cast(_in_single(x), type_)
    if type_ in NARROW:  # NumPy rounds doubles to float16 once, `ml_dtypes` by way of a float
        is_once = type_ == "f2" and x.type == "f8"
        return _rounded(_to_odd(x) if is_once else cast(x, "f4"), type_)
    return Expr("cast", type_, (x,))


# ---- narrow floats -------------------------------------------------------------------------------


# Of single precision.
_BIAS, _INFINITY = 127, 0x7F800000


def _bits(k: int) -> Expr:
    return const(k, "u4")


def _as_float(bits: Expr) -> Expr:
    return Expr("bitcast", "f4", (bits,))


def _in_single(x: Expr) -> Expr:
    """A narrow float in single precision, which has all of them."""
    if x.type == "f2":
        return Expr("cast", "f4", (x,))
    layout = LAYOUTS[x.type]
    bits = Expr("cast", "u4", (Expr("bitcast", f"u{layout.bytes}", (x,)),))
    up, sign = _bits(23 - layout.fraction), _bits(layout.sign)
    if layout.bias == _BIAS:  # the first half of a float
        return _as_float(call("shl", bits, up))
    size = call("and", bits, _bits(layout.sign - 1))
    moved = call("shl", size, up)
    scaled = call("mul", _as_float(moved), const(2.0 ** (_BIAS - layout.bias), "f4"))
    made = Expr("bitcast", "u4", (scaled,))
    if layout.special is None:
        made = select(call("eq", bits, sign), _bits(_INFINITY + 1), made)
    else:
        is_special = call("ge", size, _bits(layout.special))
        made = select(is_special, call("or", moved, _bits(_INFINITY)), made)
    high = call("shl", call("and", bits, sign), _bits(32 - 8 * layout.bytes))
    return _as_float(call("or", made, high))


def _rounded(x: Expr, type_: str) -> Expr:
    """A float in single precision as the nearest narrow one; of two, the one that is even."""
    if type_ == "f2":
        return Expr("cast", type_, (x if x.function in _SINGLE else _hidden(x),))
    layout = LAYOUTS[type_]
    bits = Expr("bitcast", "u4", (x,))
    size = call("and", bits, _bits((1 << 31) - 1))
    down, half = _bits(23 - layout.fraction), _bits((1 << 22 - layout.fraction) - 1)
    first = (_BIAS - layout.bias) << 23
    moved = call("sub", size, _bits(first)) if first else size
    last = call("and", call("lshr", moved, down), _bits(1))
    made = call("lshr", call("add", call("add", moved, half), last), down)
    if first:  # the sum with a number whose last bit is that of the least ones is rounded to it
        unit = np.float32(2.0 ** (24 - layout.bias - layout.fraction))
        total = call("add", _as_float(size), const(float(unit), "f4"))
        small = call("sub", Expr("bitcast", "u4", (total,)), _bits(int(unit.view(np.uint32))))
        made = select(call("lt", size, _bits(first + (1 << 23))), small, made)
    high = call("lshr", bits, _bits(32 - 8 * layout.bytes))
    high = call("and", high, _bits(layout.sign))
    is_nan = call("gt", size, _bits(_INFINITY))
    if layout.special is None:
        is_nan = either(is_nan, call("ge", made, _bits(layout.sign)))
        high = select(either(is_nan, call("eq", made, _bits(0))), _bits(0), high)
    else:
        most = _bits(layout.special)
        made = select(call("gt", made, most), most, made)
    made = call("or", select(is_nan, _bits(layout.nan), made), high)
    return Expr("bitcast", type_, (Expr("cast", f"u{layout.bytes}", (made,)),))


# What gives a float that LLVM does not take for a rounded double.
_SINGLE = frozenset(("add", "sub", "mul", "div", "sqrt", "load"))


def _hidden(x: Expr) -> Expr:
    """The same float, of which LLVM does not know that it was a double.

    It would round that once instead, by a function that there is not where code is loaded.
    """
    bits = Expr("bitcast", "u4", (x,))
    quiet = call("or", bits, const(1 << 22, "u4"))
    return Expr("bitcast", "f4", (select(call("ne", x, x), quiet, bits),))


def _to_odd(x: Expr) -> Expr:
    """A double in single precision, its last bit 1 where that is not exact.

    Rounded once more, that gives what one rounding gives.
    """
    near = Expr("cast", "f4", (x,))
    back, one = Expr("cast", "f8", (near,)), const(1, "u4")
    bits = Expr("bitcast", "u4", (near,))
    is_larger = call("gt", call("abs", back), call("abs", x))
    odd = call("or", select(is_larger, call("sub", bits, one), bits), one)
    bits = select(call("ne", back, x), odd, bits)
    return Expr("bitcast", "f4", (bits,))
