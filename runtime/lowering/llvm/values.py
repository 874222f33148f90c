"""Expressions as LLVM IR; those of eight elements at once, as vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.execute.native.processor import has_fma, vector_bytes
from runtime.lowering.kernels.kernel import Cell, Dim, Program, Register, read
from runtime.lowering.kernels.llvm_types import literal, llvm_type, memory_type
from runtime.lowering.kernels.scalar import (
    COMPARISONS,
    Expr,
    call,
    cast,
    is_float,
    is_signed,
    size_in_bytes,
)
from runtime.lowering.llvm import shared
from runtime.lowering.llvm.lines import is_number
from runtime.lowering.llvm.places import Places
from runtime.lowering.scalars.division import RESULTS, SMALL_BITS, whole
from runtime.lowering.scalars.mathematics import fma_in_steps, scaled_in_two_steps

__all__ = ["LANES", "Values"]

# How many elements sums take at once.
LANES = 8
_WIDTHS = {"f2": 16, "f4": 32, "f8": 64}
_FLOATING = {
    "add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "fmod": "frem",
    "product": "fmul",
}  # fmt: skip
_INTEGER = {
    "add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor",
    "shl": "shl", "ashr": "ashr", "lshr": "lshr",
}  # fmt: skip
_INTRINSICS = {
    "abs": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "rint": "rint", "copysign": "copysign", "fma": "fma", "muladd": "fma",
}  # fmt: skip
_CHECKED = {"checked_add": "sadd", "checked_sub": "ssub", "checked_mul": "smul"}
# What stands for them on machines that have no such instruction.
_WITHOUT_FMA: dict[str, Callable[[Expr, Expr, Expr], Expr]] = {
    "fma": fma_in_steps,
    "muladd": lambda a, b, c: call("add", call("mul", a, b), c),
}
_ORDERED = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


class Values(Places):
    """What computes expressions."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        # Names that are vectors, while the body of a sum is written in lanes.
        self.wide: set[str] = set()
        self.lane: Register | None = None
        self.lanes = LANES
        # Which lanes there are, if not all.
        self.mask: str | None = None
        # While a test is written that LLVM is to know nothing of: the cells that it gives values.
        self.given_in_test: set[Cell] | None = None
        # The names of functions that are called, those that are written already, and their text.
        self.called: frozenset[str] = frozenset()
        self.functions: dict[str, Any] = {}
        self.called_texts: list[str] = []
        # The type of what a loop calls functions of, of which LLVM makes vectors.
        self.vectors: str | None = None

    def alone(self) -> Values:
        """What writes a function by itself that is among the globals of the same text."""
        inner = Values(self.program)
        inner.globals, inner.intrinsics = self.globals, self.intrinsics
        return inner

    def value(self, x: Expr) -> str:
        """The name of the value, or a literal; what a statement shares is written once."""
        if x.function == "const":
            return literal(x.value, x.type)
        if x.function == "read" and isinstance(x.value, Register):
            return self.places[x.value]
        if x not in self.known:
            self.known[x] = shared.called(self, x) or self._computed(x)
        return self.known[x]

    def _size(self, size: Dim) -> str:
        return str(size) if isinstance(size, int) else self.value(size)

    def _computed(self, x: Expr) -> str:
        if x.function == "read":
            name = self.name()
            self.add(f"{name} = load {llvm_type(x.type)}, ptr {self._cell(x.value)}")
            is_state = self.given_in_test is not None and x.value not in self.given_in_test
            return self._hidden_truth(name) if is_state and x.type == "b1" else name
        if x.function == "load":
            return self._load(x)
        if x.function == "scaled":
            if vector_bytes() < 64:  # no AVX-512, which has an instruction for it
                return self.value(scaled_in_two_steps(*x.args))
            x = Expr("scaled", x.type, (x.args[0], cast(x.args[1], "i4")))
        if x.function in _WITHOUT_FMA and not has_fma():
            return self.value(_WITHOUT_FMA[x.function](*x.args))
        if x.function in RESULTS:
            # Loops over elements become vectors, in which there is no branch.
            if self.groups or self.lane is not None:
                return self.value(whole(*x.args)[RESULTS.index(x.function)])
            return self._divided(x)
        args = [self.value(a) for a in x.args]
        is_wide = not self.wide.isdisjoint(args)
        if is_wide:
            args = [self._widened(a, e.type) for a, e in zip(args, x.args, strict=True)]
        if self.given_in_test is not None and x.function in COMPARISONS:
            return self._compared_unseen(x, args)
        name = self.once(self._operation(x, args, is_wide))
        if is_wide:
            self.wide.add(name)
        return name

    def _compared_unseen(self, x: Expr, args: list[str]) -> str:
        given = x.args[0].type
        kind = llvm_type(given)
        if is_float(given):
            return self.once(self._operation(x, args, False))
        if kind not in ("i32", "i64"):
            return self._hidden_truth(self.once(self._operation(x, args, False)))
        args = [a if is_number(a) else self._hidden(a, kind) for a in args]
        return self.once(self._operation(x, args, False))

    def _hidden_truth(self, name: str) -> str:
        return self.do(f"trunc i32 {self._hidden(self.do(f'zext i1 {name} to i32'), 'i32')} to i1")

    def _hidden(self, name: str, kind: str) -> str:
        """A number of which LLVM knows nothing, in the register where it was."""
        return self.do(f'call {kind} asm "", "=r,0"({kind} {name}) memory(none)')

    def _load(self, x: Expr) -> str:
        (offset,) = x.args
        if self.value(offset) in self.wide:
            return self._gathered(x)
        is_lanes = self.lane is not None and _depends(offset, self.lane)
        pairs = _of_pairs(offset) if is_lanes else None
        if pairs is not None:
            return self._load_of_pairs(x, *pairs)
        at = self._address(x.value, self.value(offset))
        kind = memory_type(x.type)
        of = f"<{self.lanes} x {kind}>" if is_lanes else kind
        align = f", align {size_in_bytes(x.type)}" if is_lanes else ""
        if is_lanes and self.mask is not None:
            name = self.do(self._masked_load(of, at, x.type))
        else:
            load = self.once if x.value.role == "constant" else self.do
            name = load(f"load {of}, ptr {at}{align}{self._group()}")
        if x.type == "b1":
            truth = self.name()
            zero = "zeroinitializer" if is_lanes else "0"
            self.add(f"{truth} = icmp ne {of} {name}, {zero}")
            name = truth
        if is_lanes:
            self.wide.add(name)
        return name

    def _load_of_pairs(self, x: Expr, start: Expr, part: int) -> str:
        """The real or imaginary parts of complex numbers that follow each other in memory."""
        kind, count = memory_type(x.type), 2 * self.lanes
        of, at = f"<{count} x {kind}>", self._address(x.value, self.value(start))
        mask = self.mask
        if mask is None:
            pairs = self.do(f"load {of}, ptr {at}, align {size_in_bytes(x.type)}{self._group()}")
        else:
            twice = ", ".join(f"i32 {k // 2}" for k in range(count))
            bits = f"<{self.lanes} x i1>"
            both = self.do(f"shufflevector {bits} {mask}, {bits} poison, <{count} x i32> <{twice}>")
            call = f"{of} @llvm.masked.load.v{count}{_suffix(x.type)}.p0"
            self.intrinsic(f"{call}(ptr, i32, <{count} x i1>, {of})")
            given = f"ptr {at}, i32 {size_in_bytes(x.type)}, <{count} x i1> {both}"
            pairs = self.do(f"call {call}({given}, {of} zeroinitializer)")
        chosen = ", ".join(f"i32 {k}" for k in range(part, count, 2))
        name = self.do(f"shufflevector {of} {pairs}, {of} poison, <{self.lanes} x i32> <{chosen}>")
        self.wide.add(name)
        return name

    def _masked_load(self, of: str, at: str, type_: str) -> str:
        bits, align = f"<{self.lanes} x i1>", size_in_bytes(type_)
        call = f"{of} @llvm.masked.load.v{self.lanes}{_suffix(type_)}.p0"
        self.intrinsic(f"{call}(ptr, i32, {bits}, {of})")
        return f"call {call}(ptr {at}, i32 {align}, {bits} {self.mask}, {of} zeroinitializer)"

    def _store_lanes(self, at: str, value: str, type_: str) -> None:
        """Write a vector to memory, but for lanes that are not there."""
        of, bits = f"<{self.lanes} x {memory_type(type_)}>", f"<{self.lanes} x i1>"
        align = size_in_bytes(type_)
        if self.mask is None:
            self.add(f"store {of} {value}, ptr {at}, align {align}")
            return
        call = f"@llvm.masked.store.v{self.lanes}{_suffix(type_)}.p0"
        self.intrinsic(f"void {call}({of}, ptr, i32, {bits})")
        self.add(f"call void {call}({of} {value}, ptr {at}, i32 {align}, {bits} {self.mask})")

    def _divided(self, x: Expr) -> str:
        """Quotient or remainder of what may be small numbers."""
        name = f"@divided.{x.type}"
        if not any(name in text for text in self.globals):
            self.globals.append(self._division(name, x.type))
        kind = llvm_type(x.type)
        args = ", ".join(f"{kind} {self.value(a)}" for a in x.args)
        pair = self.once(f"call {{{kind}, {kind}}} {name}({args})")
        return self.once(f"extractvalue {{{kind}, {kind}}} {pair}, {RESULTS.index(x.function)}")

    def _division(self, name: str, type_: str) -> str:
        """A function that gives quotient and remainder: two of them are merged, as is its text."""
        kind, bits = llvm_type(type_), SMALL_BITS[type_]
        pair = f"{{{kind}, {kind}}}"
        x, y = Register("x", type_), Register("y", type_)
        inner = self.alone()
        inner.places = {x: "%x", y: "%y"}
        high = inner.do(f"lshr {kind} {inner.do(f'or {kind} %x, %y')}, {bits}")
        is_small = inner.do(f"icmp eq {kind} {high}, 0")
        by_some = inner.do(f"icmp ne {kind} %y, 0")
        inner.add(f"br i1 {inner.do(f'and i1 {is_small}, {by_some}')}, label %small, label %any")
        inner.begin("small")
        one, other = (
            inner.do(f"trunc {kind} %{v} to i32") if kind != "i32" else f"%{v}" for v in "xy"
        )
        found = [inner.do(f"{op} i32 {one}, {other}") for op in ("udiv", "urem")]
        if kind != "i32":
            found = [inner.do(f"zext i32 {value} to {kind}") for value in found]
        inner._give(pair, kind, found)
        inner.begin("any")
        inner._give(pair, kind, [inner.value(part) for part in whole(read(x), read(y))])
        head = f"define internal {pair} {name}({kind} %x, {kind} %y) alwaysinline memory(none) {{"
        return "\n".join([head, *inner.lines, "}"])

    def _give(self, pair: str, kind: str, values: Sequence[str]) -> None:
        """Return two values."""
        one = self.do(f"insertvalue {pair} poison, {kind} {values[0]}, 0")
        self.add(f"ret {pair} {self.do(f'insertvalue {pair} {one}, {kind} {values[1]}, 1')}")

    def _gathered(self, x: Expr) -> str:
        """Elements at eight places, which need not follow each other."""
        offsets, kind = self.value(x.args[0]), memory_type(x.type)
        result = "poison"
        for k in range(self.lanes):
            offset, one, more = self.name(), self.name(), self.name()
            self.add(f"{offset} = extractelement <{self.lanes} x i64> {offsets}, i64 {k}")
            at = self._address(x.value, offset)
            self.add(f"{one} = load {kind}, ptr {at}{self._group()}")
            of = f"<{self.lanes} x {kind}>"
            self.add(f"{more} = insertelement {of} {result}, {kind} {one}, i64 {k}")
            result = more
        if x.type == "b1":
            truth = self.name()
            self.add(f"{truth} = icmp ne <{self.lanes} x i8> {result}, zeroinitializer")
            result = truth
        self.wide.add(result)
        return result

    def _widened(self, value: str, type_: str) -> str:
        """A vector of eight; all of them are `value` if that is none."""
        if value in self.wide:
            return value
        kind = llvm_type(type_)
        if is_number(value):
            return f"splat ({kind} {value})"
        one, all_ = self.name(), self.name()
        of = f"<{self.lanes} x {kind}>"
        self.add(f"{one} = insertelement {of} poison, {kind} {value}, i64 0")
        self.add(
            f"{all_} = shufflevector {of} {one}, {of} poison, <{self.lanes} x i32> zeroinitializer"
        )
        self.wide.add(all_)
        return all_

    def _operation(self, x: Expr, args: list[str], is_wide: bool) -> str:
        def of(type_: str) -> str:
            kind = llvm_type(type_)
            return f"<{self.lanes} x {kind}>" if is_wide else kind

        given = x.args[0].type
        function = x.function
        if function in _ORDERED:
            if is_float(given):
                return f"fcmp {_ORDERED[function]} {of(given)} {args[0]}, {args[1]}"
            sign = "" if function in ("eq", "ne") else "s" if is_signed(given) else "u"
            return f"icmp {sign}{function} {of(given)} {args[0]}, {args[1]}"
        if function == "select":
            return f"select {of('b1')} {args[0]}, {of(x.type)} {args[1]}, {of(x.type)} {args[2]}"
        if function == "cast":
            return f"{_conversion(given, x.type)} {of(given)} {args[0]} to {of(x.type)}"
        if function == "bitcast":
            return f"bitcast {of(given)} {args[0]} to {of(x.type)}"
        if function in _CHECKED:
            call = f"@llvm.{_CHECKED[function]}.with.overflow.i64"
            self.intrinsic(f"{{i64, i1}} {call}(i64, i64)")
            return f"call {{i64, i1}} {call}(i64 {args[0]}, i64 {args[1]})"
        if function in ("first", "second"):
            return f"extractvalue {{i64, i1}} {args[0]}, {int(function == 'second')}"
        if is_float(given):
            return self._of_floats(function, given, of(given), args, is_wide)
        return self._of_integers(function, given, of(given), args)

    def _of_floats(
        self, function: str, type_: str, kind: str, args: list[str], is_wide: bool
    ) -> str:
        if function in _FLOATING:
            return f"{_FLOATING[function]} {kind} {args[0]}, {args[1]}"
        if function == "neg":
            return f"fneg {kind} {args[0]}"
        suffix = f"f{_WIDTHS[type_]}"
        if function == "scaled":
            return self._scaled(suffix, kind, args, is_wide)
        call = f"@llvm.{_INTRINSICS[function]}.{f'v{self.lanes}{suffix}' if is_wide else suffix}"
        self.intrinsic(f"{kind} {call}({', '.join([kind] * len(args))})")
        return f"call {kind} {call}({', '.join(f'{kind} {a}' for a in args)})"

    def _scaled(self, suffix: str, kind: str, args: list[str], is_wide: bool) -> str:
        integer = f"<{self.lanes} x i32>" if is_wide else "i32"
        lanes = f"v{self.lanes}" if is_wide else ""
        call = f"@llvm.ldexp.{lanes}{suffix}.{lanes}i32"
        self.intrinsic(f"{kind} {call}({kind}, {integer})")
        return f"call {kind} {call}({kind} {args[0]}, {integer} {args[1]})"

    @staticmethod
    def _of_integers(function: str, type_: str, kind: str, args: list[str]) -> str:
        if function in _INTEGER:
            return f"{_INTEGER[function]} {kind} {args[0]}, {args[1]}"
        if function == "quotient":
            return f"{'sdiv' if is_signed(type_) else 'udiv'} {kind} {args[0]}, {args[1]}"
        if function == "neg":
            zero = "zeroinitializer" if kind.startswith("<") else "0"
            return f"sub {kind} {zero}, {args[0]}"
        assert function == "not", function
        ones = f"splat (i{kind.split(' i')[-1].rstrip('>')} -1)" if kind.startswith("<") else "-1"
        ones = "true" if kind == "i1" else ones
        return f"xor {kind} {args[0]}, {ones}"


def _suffix(type_: str) -> str:
    """How intrinsics name a type."""
    return f"{'f' if type_ in _WIDTHS else 'i'}{8 * size_in_bytes(type_)}"


def _depends(x: Expr, register: Register) -> bool:
    """Whether an offset moves with the register: by 1, as all offsets of sums do."""
    if x.function == "read":
        return x.value is register
    return any(_depends(a, register) for a in x.args)


def _of_pairs(offset: Expr) -> tuple[Expr, int] | None:
    """Where pairs begin and which of both it is, of the offset of a part of a complex number."""
    start, part = offset, 0
    if offset.function == "add" and offset.args[1].function == "const":
        start, part = offset.args[0], offset.args[1].value
    is_twice = start.function == "mul" and start.args[1].function == "const"
    return (start, part) if is_twice and start.args[1].value == 2 and part in (0, 1) else None


def _conversion(given: str, target: str) -> str:
    if is_float(given):
        if is_float(target):
            return "fpext" if int(target[1:]) > int(given[1:]) else "fptrunc"
        return "fptosi" if is_signed(target) else "fptoui"
    if is_float(target):
        return "sitofp" if is_signed(given) else "uitofp"
    if given == "b1":
        return "zext"
    if int(target[1:]) < int(given[1:]):
        return "trunc"
    if int(target[1:]) == int(given[1:]):
        return "bitcast"
    return "sext" if is_signed(given) else "zext"
