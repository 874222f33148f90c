"""Scalar expressions: what a kernel computes for one element, in machine types.

A type is NumPy's character and size: "b1" "i1" ... "i8" "u1" ... "u8" "f2" "f4" "f8" "c8" "c16". A
complex number is a `pair` of floats, which two registers hold in the end. An expression is a tree
of functions that machines have; what NumPy or Python mean by an operator is composed of them in
`meaning`, and what exp or tanh is, in `mathematics`. One notation for every kind of machine: each
renders the same few functions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

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
        own = (self,) if self.function in ("load", "read") else ()
        given = [x._sources for x in reversed(self.args) if x._sources]
        if len(given) == 1 and not own:
            return given[0]
        return tuple(dict.fromkeys(chain(own, *given)))

    def __repr__(self) -> str:
        return f"Expr({self.function}: {self.type})"


def parts_of(*xs: Expr, whole: Callable[[Expr], bool] | None = None) -> Iterator[Expr]:
    """Expressions and all that is in them, each once; not what is in those that are `whole`."""
    todo, seen = list(xs), set[Expr]()
    while todo:
        part = todo.pop()
        if part in seen:
            continue
        seen.add(part)
        yield part
        if whole is None or not whole(part):
            todo += part.args


# With the functions that compare constants.
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


def call(function: str, *args: Expr, type_: str | None = None) -> Expr:
    """`function` of operands of one type; of that type, or bool for a comparison."""
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
    return f"f{int(type_[1:]) // 2}"


def pair(re: Expr, im: Expr) -> Expr:
    """The complex number of two floats."""
    return Expr("pair", f"c{2 * int(re.type[1:])}", (re, im))


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
    return type_[0] == "f"


def is_int(type_: str) -> bool:
    """Whether it is an integer type, bool not being one."""
    return type_[0] in "iu"


def is_signed(type_: str) -> bool:
    """Whether it is a signed integer type."""
    return type_[0] == "i"


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
        number = np.dtype(x.type).type(x.value)
        if type_ == "f2":
            with np.errstate(over="ignore"):
                return const(np.float16(number).item(), type_)
        return const(np.dtype(type_).type(np.dtype(x.type).type(x.value)).item(), type_)
    if "f2" in (x.type, type_) and "f4" not in (x.type, type_):
        return cast(_to_odd(x) if x.type == "f8" else cast(x, "f4"), type_)
    if type_ == "f2" and x.function not in _SINGLE:
        return Expr("cast", type_, (_hidden(x),))
    return Expr("cast", type_, (x,))


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
