"""Scalar expressions of kernels as C, with the bits that native code of ours gives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from runtime.lowering.kernels.kernel import Dim, Register
from runtime.lowering.kernels.scalar import Expr, is_float, is_signed
from runtime.lowering.scalars.division import RESULTS, whole

__all__ = ["HELPERS", "Expressions", "c_type", "literal"]

_TYPES = {"b1": "bool", "f4": "float", "f8": "double"}
_SIGNS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "div": "/",
    "and": "&", "or": "|", "xor": "^", "quotient": "/",
}  # fmt: skip
# What comparing a whole number with itself gives.
_OF_ITSELF = dict.fromkeys(("eq", "le", "ge"), "true") | dict.fromkeys(("ne", "lt", "gt"), "false")
_WRAPPING = {"add": "+", "sub": "-", "mul": "*", "product": "*"}
_FUNCTIONS = {
    "abs": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "rint": "rint", "copysign": "copysign", "fma": "fma", "muladd": "fma", "fmod": "fmod",
}  # fmt: skip
_CHECKED = {"checked_add": "add", "checked_sub": "sub", "checked_mul": "mul"}

# What C has no operator for: helpers that stand in a file where they are used.
HELPERS = {
    "checked": """\
typedef struct { int64_t value; bool overflows; } checked_t;

#define CHECKED(how) \\
    static inline checked_t checked_##how(int64_t x, int64_t y) { \\
        checked_t found; \\
        found.overflows = __builtin_##how##_overflow(x, y, &found.value); \\
        return found; \\
    }
CHECKED(add)
CHECKED(sub)
CHECKED(mul)
""",
    "bits": """\
#define BITS(to, from) \\
    static inline to##_t bits_##from##_as_##to(from##_t x) { \\
        to##_t found; \\
        memcpy(&found, &x, sizeof found); \\
        return found; \\
    }
typedef float float32_t;
typedef double float64_t;
BITS(int64, float64)
BITS(uint64, float64)
BITS(float64, int64)
BITS(float64, uint64)
BITS(int32, float32)
BITS(uint32, float32)
BITS(float32, int32)
BITS(float32, uint32)
""",
}


def c_type(type_: str) -> str:
    """The type of a value."""
    if type_ in _TYPES:
        return _TYPES[type_]
    return f"{'' if is_signed(type_) else 'u'}int{8 * int(type_[1:])}_t"


def literal(value: object, type_: str) -> str:
    """A constant."""
    if type_ == "b1":
        return "true" if value else "false"
    if is_float(type_):
        number = np.dtype(type_).type(value)
        suffix = "f" if type_ == "f4" else ""
        if not np.isfinite(number):
            word = "NAN" if np.isnan(number) else "INFINITY"
            return f"-{word}" if math.copysign(1.0, float(number)) < 0 else word
        text = repr(float(number)) if type_ == "f8" else str(number)
        return f"{text}{'' if any(c in text for c in '.e') else '.0'}{suffix}"
    number_ = int(np.array(value).astype(type_))
    if type_ == "i8" and number_ == -(2**63):
        return "INT64_MIN"
    if abs(number_) < 2**31:
        return f"({number_})" if number_ < 0 else str(number_)
    return f"{'' if is_signed(type_) else 'U'}INT64_C({number_})"


class Expressions:
    """Writes expressions; parts that a statement shares are computed once, before it."""

    def __init__(self) -> None:
        self.names: dict[object, str] = {}
        self.helpers: set[str] = set()
        # Registers that hold indices and sizes, with which nothing leaves 64 bits.
        self.indices: set[Register] = set()
        self._shared: dict[Expr, str] = {}
        self._divisions: dict[tuple[Expr, Expr], tuple[Expr, Expr]] = {}
        self._number = 0

    def add(self, text: str) -> None:
        """A line of the program."""
        raise NotImplementedError

    def name(self, stem: str) -> str:
        """A name that nothing in the function has."""
        raise NotImplementedError

    def values(self, xs: Iterable[Expr | Dim]) -> list[str]:
        """The texts of several expressions of one statement."""
        given = list(xs)
        parts = [self._plain(x) for x in given if isinstance(x, Expr)]
        self._shared = {}
        counts: Counter[Expr] = Counter()
        order: list[Expr] = []
        for x in parts:
            self._count(x, counts, order)
        for part in order:
            if counts[part] > 1 and part.args:
                name = self.name("t")
                kind = "checked_t" if part.type == "pair" else c_type(part.type)
                self.add(f"const {kind} {name} = {self._text(part)};")
                self._shared[part] = name
        rest = iter(parts)
        return [str(x) if isinstance(x, int) else self._text(next(rest)) for x in given]

    def value(self, x: Expr | Dim) -> str:
        """The text of one expression."""
        return self.values([x])[0]

    def _plain(self, x: Expr) -> Expr:
        """With floor division written out."""
        done: dict[Expr, Expr] = {}
        todo = [x]
        while todo:
            part = todo[-1]
            waiting = [a for a in part.args if a not in done]
            if waiting:
                todo += waiting
                continue
            todo.pop()
            if part in done:
                continue
            args = tuple(done[a] for a in part.args)
            if part.function in RESULTS:
                pair = (args[0], args[1])
                if pair not in self._divisions:
                    self._divisions[pair] = whole(*pair)
                done[part] = self._plain(self._divisions[pair][RESULTS.index(part.function)])
            elif args == part.args:
                done[part] = part
            else:
                done[part] = Expr(part.function, part.type, args, part.value)
        return done[x]

    def _count(self, x: Expr, counts: Counter[Expr], order: list[Expr]) -> None:
        """How often each part stands in an expression; inner ones first."""
        todo: list[tuple[Expr, bool]] = [(x, False)]
        while todo:
            part, is_done = todo.pop()
            if is_done:
                order.append(part)
                continue
            counts[part] += 1
            if counts[part] == 1:
                todo.append((part, True))
                todo += [(a, False) for a in part.args]

    # ---- one expression ----------------------------------------------------------------------

    def _text(self, x: Expr) -> str:
        if x in self._shared:
            return self._shared[x]
        if x.function == "const":
            return literal(x.value, x.type)
        if x.function == "read":
            return self.names[x.value]
        args = [self._text(a) for a in x.args]
        if x.function == "load":
            return f"{self.pointer(x.value)}[{args[0]}]"
        write = _WRITTEN.get(x.function)
        if write is not None:
            return write(self, x, args)
        if x.function in _WRAPPING:
            return self._arithmetic(x, args)
        if x.function in _OF_ITSELF and args[0] == args[1] and not is_float(x.args[0].type):
            return _OF_ITSELF[x.function]  # compilers warn of it
        if x.function in _SIGNS:
            return f"({args[0]} {_SIGNS[x.function]} {args[1]})"
        return f"{_FUNCTIONS[x.function]}{'f' if x.type == 'f4' else ''}({', '.join(args)})"

    def pointer(self, buffer: object) -> str:
        """The name of the memory of a buffer."""
        return self.names[buffer]

    def _arithmetic(self, x: Expr, args: list[str]) -> str:
        """Integers wrap: in C those without a sign do."""
        sign = _WRAPPING[x.function]
        if is_float(x.type) or self._is_index(x):
            return f"({args[0]} {sign} {args[1]})"
        work = "uint64_t" if x.type[1:] == "8" else "uint32_t"
        return f"({c_type(x.type)})(({work}){args[0]} {sign} ({work}){args[1]})"

    def _is_index(self, x: Expr) -> bool:
        return x.type == "i8" and all(
            part.function == "read" and part.value in self.indices for part in x.sources
        )

    def _select(self, x: Expr, args: list[str]) -> str:
        return f"({args[0]} ? {args[1]} : {args[2]})"

    def _cast(self, x: Expr, args: list[str]) -> str:
        return f"({c_type(x.type)}){args[0]}"

    def _bits(self, x: Expr, args: list[str]) -> str:
        self.helpers.add("bits")
        kinds = [np.dtype(t).name for t in (x.args[0].type, x.type)]
        if kinds[0] == kinds[1] or {kinds[0][0], kinds[1][0]} <= {"i", "u"}:
            return f"({c_type(x.type)}){args[0]}"
        return f"bits_{kinds[0]}_as_{kinds[1]}({args[0]})"

    def _checked(self, x: Expr, args: list[str]) -> str:
        self.helpers.add("checked")
        return f"checked_{_CHECKED[x.function]}({', '.join(args)})"

    def _first(self, x: Expr, args: list[str]) -> str:
        return f"{args[0]}.value"

    def _second(self, x: Expr, args: list[str]) -> str:
        return f"{args[0]}.overflows"

    def _neg(self, x: Expr, args: list[str]) -> str:
        if is_float(x.type):
            return f"(-{args[0]})"
        work = "uint64_t" if x.type[1:] == "8" else "uint32_t"
        return f"({c_type(x.type)})(0 - ({work}){args[0]})"

    def _not(self, x: Expr, args: list[str]) -> str:
        return f"(!{args[0]})" if x.type == "b1" else f"({c_type(x.type)})(~{args[0]})"

    def _shift(self, x: Expr, args: list[str]) -> str:
        kind, bits = c_type(x.type), 8 * int(x.type[1:])
        if x.function == "ashr":
            return f"({kind})({args[0]} >> {args[1]})"
        sign = "<<" if x.function == "shl" else ">>"
        return f"({kind})((uint{bits}_t){args[0]} {sign} {args[1]})"

    def _scaled(self, x: Expr, args: list[str]) -> str:
        return f"ldexp{'f' if x.type == 'f4' else ''}({args[0]}, (int){args[1]})"


_WRITTEN: dict[str, Callable[[Expressions, Expr, list[str]], str]] = {
    "select": Expressions._select,
    "cast": Expressions._cast,
    "bitcast": Expressions._bits,
    **dict.fromkeys(_CHECKED, Expressions._checked),
    "first": Expressions._first,
    "second": Expressions._second,
    "neg": Expressions._neg,
    "not": Expressions._not,
    "shl": Expressions._shift,
    "lshr": Expressions._shift,
    "ashr": Expressions._shift,
    "scaled": Expressions._scaled,
}
