"""Complex numbers become two floats each, before a program is written for LLVM.

A register is two, a cell is two, and an array has one more axis: of real and imaginary parts, which
lie side by side as in NumPy's memory. Loops, branches and sizes stay as they are. So nothing behind
this needs to know of complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Block,
    Buffer,
    Call,
    CallOut,
    Cell,
    Check,
    Contract,
    Copy,
    Dim,
    For,
    Function,
    If,
    Let,
    MakeArray,
    Move,
    PairwiseSum,
    Poll,
    Program,
    Register,
    Reserve,
    Statement,
    Store,
    Swap,
    While,
    product,
    read,
)
from runtime.lowering.kernels.scalar import (
    Expr,
    call,
    cast,
    const,
    imaginary,
    index,
    is_complex,
    part_type,
    real,
    select,
)

__all__ = ["split_complex"]

Parts = tuple[Expr, Expr]
_WHICH = {"real": 0, "imag": 1}
_BY_PART = frozenset(("add", "sub", "neg"))


def split_complex(program: Program) -> None:
    """Replace the complex numbers of a program, in place."""
    splitting = _Splitting()
    program.body[:] = splitting.block(program.body)
    for parameter in program.parameters:
        parameter.buffer = splitting.buffer_or_none(parameter.buffer)
    for result in program.results:
        result.buffer = splitting.buffer_or_none(result.buffer)
    shared = program.shared
    program.shared = {splitting.buffer(x): splitting.buffer(y) for x, y in shared.items()}


class _Splitting:
    def __init__(self) -> None:
        self._buffers: dict[Buffer, Buffer] = {}
        self._places: dict[Register | Cell, Parts] = {}
        self._parts: dict[Expr, Parts] = {}
        self._known: dict[Expr, Expr] = {}
        self._functions: set[Function] = set()
        self._count = 0

    # ---- what holds numbers ------------------------------------------------------------------

    def buffer(self, old: Buffer) -> Buffer:
        """The buffer of the parts."""
        if not is_complex(old.type):
            return old
        if old not in self._buffers:
            kind, value = part_type(old.type), old.value
            if value is not None:
                whole = np.ascontiguousarray(value, old.type)
                value = whole.reshape(-1).view(kind).reshape(*whole.shape, 2)
            room = None if old.room is None else product([old.room, 2])
            self._buffers[old] = Buffer(old.name, kind, (*old.shape, 2), old.role, value, room)
        return self._buffers[old]

    def buffer_or_none(self, old: Buffer | None) -> Buffer | None:
        """That of the parts, where there is one."""
        return None if old is None else self.buffer(old)

    def _place(self, old: Register | Cell) -> Parts:
        """Both parts of a register or cell."""
        if old not in self._places:
            kind, made = part_type(old.type), type(old)
            re, im = (made(f"{old.name}.{part}", kind) for part in _WHICH)
            self._places[old] = read(re), read(im)
        return self._places[old]

    # ---- expressions -------------------------------------------------------------------------

    def value(self, x: Expr) -> Expr:
        """What is no complex number, of the parts of those that are in it."""
        if x not in self._known:
            self._known[x] = self._new(x)
        return self._known[x]

    def _new(self, x: Expr) -> Expr:
        if x.function in _WHICH:
            return self.parts(x.args[0])[_WHICH[x.function]]
        args = tuple(map(self.value, x.args))
        same = all(one is other for one, other in zip(args, x.args, strict=True))
        return x if same else Expr(x.function, x.type, args, x.value)

    def parts(self, x: Expr) -> Parts:
        """Real and imaginary part of a complex number."""
        if x not in self._parts:
            self._parts[x] = self._both(x)
        return self._parts[x]

    def _both(self, x: Expr) -> Parts:
        if x.function == "const":
            return real(x), imaginary(x)
        if x.function == "pair":
            return self.value(x.args[0]), self.value(x.args[1])
        if x.function == "read":
            return self._place(x.value)
        if x.function == "load":
            found = self.buffer(x.value)
            first, second = self._offsets(x.args[0])
            return Expr("load", found.type, (first,), found), Expr(
                "load", found.type, (second,), found
            )
        if x.function == "select":
            condition = self.value(x.args[0])
            (a, b), (c, d) = map(self.parts, x.args[1:])
            return select(condition, a, c), select(condition, b, d)
        kind = part_type(x.type)
        if x.function == "cast" and not is_complex(x.args[0].type):
            return cast(self.value(x.args[0]), kind), const(0.0, kind)
        args = list(map(self.parts, x.args))
        if x.function == "cast":
            return cast(args[0][0], kind), cast(args[0][1], kind)
        assert x.function in _BY_PART, x.function
        return call(x.function, *(a for a, _ in args)), call(x.function, *(b for _, b in args))

    def _offsets(self, offset: Expr) -> Parts:
        first = self._twice(self.value(offset))
        if first.function == "const":
            return first, index(first.value + 1)
        return first, call("add", first, index(1))

    @staticmethod
    def _twice(offset: Expr) -> Expr:
        is_known = offset.function == "const"
        return index(2 * offset.value) if is_known else call("mul", offset, index(2))

    def _size(self, size: Dim) -> Dim:
        return size if isinstance(size, int) else self.value(size)

    # ---- statements --------------------------------------------------------------------------

    def block(self, block: Block) -> Block:
        """The statements of a block on parts."""
        made: Block = []
        for s in block:
            made += _RULES.get(type(s), _Splitting._same)(self, s)
            for inner in s.blocks():
                inner[:] = self.block(inner)
        return made

    def _same(self, s: Any) -> Iterator[Statement]:
        yield s

    def _held(self, x: Expr, name: str) -> Iterator[Statement]:
        """Both parts in registers: what takes one does not change the other."""
        self._count += 1
        held = []
        for part, which in zip(self.parts(x), _WHICH, strict=True):
            if part.function == "const":
                held.append(part)
                continue
            register = Register(f"{name}.{which}_{self._count}", part.type)
            yield Let(register, part)
            held.append(read(register))
        self._parts[x] = held[0], held[1]

    def _let(self, s: Let) -> Iterator[Statement]:
        if not is_complex(s.register.type):
            s.value = self.value(s.value)
            yield s
            return
        for place, part in zip(self._place(s.register), self.parts(s.value), strict=True):
            yield Let(place.value, part)

    def _assign(self, s: Assign) -> Iterator[Statement]:
        if not is_complex(s.cell.type):
            s.value = self.value(s.value)
            yield s
            return
        before = dict(self._parts)
        yield from self._held(s.value, s.cell.name)
        for place, part in zip(self._place(s.cell), self.parts(s.value), strict=True):
            yield Assign(place.value, part)
        self._parts = before

    def _store(self, s: Store) -> Iterator[Statement]:
        if not is_complex(s.buffer.type):
            s.offset, s.value = self.value(s.offset), self.value(s.value)
            yield s
            return
        before = dict(self._parts)
        yield from self._held(s.value, s.buffer.name)
        found = self.buffer(s.buffer)
        for offset, part in zip(self._offsets(s.offset), self.parts(s.value), strict=True):
            yield Store(found, offset, part)
        self._parts = before

    def _buffers_of(self, s: Any) -> Iterator[Statement]:
        for name in ("buffer", "target", "source", "one", "other"):
            if hasattr(s, name):
                setattr(s, name, self.buffer(getattr(s, name)))
        yield s

    def _reserve(self, s: Reserve) -> Iterator[Statement]:
        s.size = self.value(s.size)
        if is_complex(s.buffer.type):
            s.size = self._twice(s.size)
        yield from self._buffers_of(s)

    def _move(self, s: Move) -> Iterator[Statement]:
        s.to, s.begin, s.size = self.value(s.to), self.value(s.begin), self._size(s.size)
        if is_complex(s.source.type):
            s.to, s.begin = self._twice(s.to), self._twice(s.begin)
            s.size = product([s.size, 2])
        yield from self._buffers_of(s)

    def _makearray(self, s: MakeArray) -> Iterator[Statement]:
        s.begin = self.value(s.begin)
        if is_complex(s.buffer.type):
            s.begin = self._twice(s.begin)
        yield from self._buffers_of(s)

    def _condition(self, s: Any) -> Iterator[Statement]:
        for name in ("condition", "cost", "failed", "element"):
            if hasattr(s, name):
                setattr(s, name, self.value(getattr(s, name)))
        if isinstance(s, Check):
            s.operands = [self.value(x) for x in s.operands]
        yield s

    def _loop(self, s: For) -> Iterator[Statement]:
        s.size = self._size(s.size)
        yield s

    def _contract(self, s: Contract) -> Iterator[Statement]:
        assert not is_complex(s.target.type)
        s.x, s.y = self.buffer(s.x), self.buffer(s.y)  # its steps are those of parts
        yield s

    def _callout(self, s: CallOut) -> Iterator[Statement]:
        for handed in (*s.operands, *s.results):
            handed.buffer = self.buffer_or_none(handed.buffer)
            if handed.value is not None:
                handed.value = self.value(handed.value)
        yield s

    def _call(self, s: Call) -> Iterator[Statement]:
        if s.function not in self._functions:
            self._functions.add(s.function)
            parameters = self._flat(map(read, s.function.parameters))
            s.function.parameters = [x.value for x in parameters]
            s.function.values = self._flat(s.function.values)
        s.operands = self._flat(s.operands)
        s.results = [x.value for x in self._flat(map(read, s.results))]
        yield s

    def _flat(self, xs: Any) -> list[Expr]:
        """Numbers, of complex ones both parts."""
        found: list[Expr] = []
        for x in xs:
            found += self.parts(x) if is_complex(x.type) else [self.value(x)]
        return found


_RULES: dict[type, Callable[[_Splitting, Any], Iterator[Statement]]] = {
    Let: _Splitting._let,
    Assign: _Splitting._assign,
    Store: _Splitting._store,
    **dict.fromkeys((Allocate, Copy, Swap), _Splitting._buffers_of),
    Reserve: _Splitting._reserve,
    Move: _Splitting._move,
    MakeArray: _Splitting._makearray,
    **dict.fromkeys((If, While, Poll, Check, PairwiseSum), _Splitting._condition),
    For: _Splitting._loop,
    Contract: _Splitting._contract,
    CallOut: _Splitting._callout,
    Call: _Splitting._call,
}
