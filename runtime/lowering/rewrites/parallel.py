"""Large work in parts, for the threads of `runtime.execute.native.pool`.

A part is a function of its own, `void part(ptr data, i64 k)`. What it needs of the function around
it, which is found while it is written, is stored in a row of words before the call; the first word
is the context. How work is cut depends on its size alone, never on how many threads there are, and
parts do not share results: so results do not depend on threads either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.execute.native.context import PART
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Block,
    Buffer,
    Cell,
    Contract,
    Copy,
    Dim,
    For,
    If,
    Let,
    PairwiseSum,
    Register,
    Statement,
    Store,
    product,
)
from runtime.lowering.kernels.merging import Summary
from runtime.lowering.kernels.scalar import Expr, size_in_bytes
from runtime.lowering.kernels.strides import plus, times
from runtime.lowering.kernels.tiles import products

__all__ = [
    "FAR",
    "LARGE",
    "ON_STACK",
    "PARTS",
    "Captured",
    "Part",
    "cells_assigned",
    "given_to",
    "is_divisible",
    "launch",
    "work",
]

# Work of about so many operations is done in parts: some tens of microseconds of one core.
LARGE = 1 << 21
# How many parts: some more than there are cores, so that none waits long for the last.
PARTS = 16
# Bytes of arrays that the cache of one core does not hold: to bring one from farther takes about as
# long as an operation. The mean of 300,000 squares of differences takes one core 54 us, two 22.
FAR = 1 << 21
# Bytes of a word of the data: what a register holds fits in.
_WORD = 16
# Bytes of an array that a round of a loop has for itself, if threads run the rounds.
ON_STACK = 1 << 14
# Operations that take longer than others.
_SLOW = {
    "muladd": 2, "div": 4, "sqrt": 4, "quotient": 8, "floor_quotient": 8, "floor_remainder": 8,
    "fmod": 16,
}  # fmt: skip


# ---- what is worth it ----------------------------------------------------------------------------


def work(s: For | PairwiseSum) -> Dim:
    """About how many operations all rounds take."""
    count = _rounds(s)
    return plus(times(count, plus(1, cost(s.body))), _streamed(s, count))


def _rounds(s: For | PairwiseSum) -> Dim:
    """How many rounds there are, or at most."""
    return s.most if isinstance(s, For) and s.most is not None else s.size


def _streamed(s: For | PairwiseSum, count: Dim) -> int:
    """The bytes that a loop over elements of arrays brings from far away."""
    if not isinstance(count, int) or any(isinstance(x, For | PairwiseSum) for x in s.body):
        return 0
    total = 0
    for buffer in {access.buffer for access in Summary().add([s]).accesses}:
        size = product(buffer.shape)
        total += min(size, count) * size_in_bytes(buffer.type) if isinstance(size, int) else 0
    return total if total >= FAR else 0


def cost(block: Block) -> Dim:
    """About how many operations a block takes."""
    total: Dim = 0
    seen: set[Expr] = set()

    def of(x: Expr) -> int:
        if x in seen or x.function in ("const", "read"):
            return 0
        seen.add(x)
        return _SLOW.get(x.function, 1) + sum(of(a) for a in x.args)

    for s in block:
        if isinstance(s, Let | Assign):
            total = plus(total, of(s.value))
        elif isinstance(s, Store):
            total = plus(total, of(s.value) + 1)
        elif isinstance(s, For | PairwiseSum):
            total = plus(total, times(_rounds(s), plus(1, cost(s.body))))
        elif isinstance(s, Contract):
            total = plus(total, products(s))
        elif isinstance(s, If):
            total = plus(total, plus(cost(s.yes), cost(s.no)))
    return total


def is_divisible(loop: For) -> bool:
    """Whether rounds of a loop can be run by several threads."""
    return not loop.serial and all(map(_is_simple, loop.body))


def _is_simple(s: Statement) -> bool:
    if isinstance(s, For | PairwiseSum):
        return all(map(_is_simple, s.body))
    if isinstance(s, If):
        return all(map(_is_simple, (*s.yes, *s.no)))
    if isinstance(s, Allocate):
        size = product([*s.buffer.shape, size_in_bytes(s.buffer.type)])
        return isinstance(size, int) and size <= ON_STACK
    return isinstance(s, Let | Assign | Store | Copy | Contract)


def cells_assigned(block: Block) -> set[Cell]:
    """The cells that a block gives values."""
    found: set[Cell] = set()
    for s in block:
        if isinstance(s, Assign | PairwiseSum):
            found.add(s.cell)
        if isinstance(s, For | PairwiseSum):
            found |= cells_assigned(s.body)
        if isinstance(s, If):
            found |= cells_assigned(s.yes) | cells_assigned(s.no)
    return found


# ---- parts ---------------------------------------------------------------------------------------


class Captured(dict[Any, str]):
    """Names of registers or buffers in a part: others are those of the function around it."""

    def __init__(self, part: Part, find: Callable[[Any], str], kind: Callable[[Any], str]) -> None:
        super().__init__()
        self._part, self._find, self._kind = part, find, kind

    def __missing__(self, key: Any) -> str:
        name = self._part.capture(self._find(key), self._kind(key))
        self[key] = name
        return name


class Part:
    """What a function of its own takes over from the function around it."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.entry: list[str] = ["%ctx = load ptr, ptr %data"]
        self._names: dict[str, str] = {}
        self.given: list[tuple[str, str]] = [("ptr", "%ctx")]

    def capture(self, outer: str, kind: str) -> str:
        """The name in the part of a value of the function around it."""
        if not outer.startswith("%"):
            return outer
        if outer not in self._names:
            k = len(self.given)
            self.given.append((kind, outer))
            self.entry.append(f"%own.at{k} = getelementptr i8, ptr %data, i64 {_WORD * k}")
            self.entry.append(f"%own{k} = load {kind}, ptr %own.at{k}")
            self._names[outer] = f"%own{k}"
        return self._names[outer]

    def registers(self, kind: Callable[[Register], str]) -> Captured:
        """Registers as names in the part."""
        places = self.writer.places
        return Captured(self, lambda register: places[register], kind)

    def buffers(self) -> Captured:
        """Buffers as names in the part."""
        pointer: Callable[[Buffer], str] = self.writer._pointer
        return Captured(self, pointer, lambda buffer: "ptr")


def given_to(writer: Any, part: Part) -> str:
    """Store what a part takes over in a row of words: its address."""
    w = writer
    data: str = w.name()
    w.first.append(f"{data} = alloca [{_WORD * len(part.given)} x i8], align 16")
    for k, (kind, value) in enumerate(part.given):
        at = w.name()
        w.add(f"{at} = getelementptr i8, ptr {data}, i64 {_WORD * k}")
        w.add(f"store {kind} {value}, ptr {at}")
    return data


def launch(
    writer: Any, part: Part, name: str, count: str, alone: str | None, others: Sequence[str] = ()
) -> None:
    """Write the call of all parts; where `alone` is true, of one part, by nobody else.

    Threads of Python run meanwhile.
    """
    w = writer
    data = given_to(w, part)
    done = None
    if alone is not None:
        single, many, done = w.labels("single", "many", "done")
        w.add(f"br i1 {alone}, label %{single}, label %{many}")
        w.begin(single)
        w.add(f"call void {name}(ptr {data}, i64 0)")
        w.add(f"br label %{done}")
        w.begin(many)
    save, restore, parallel, pool, state = (w.name() for _ in range(5))
    for target, key in (
        (save, "PyEval_SaveThread"),
        (restore, "PyEval_RestoreThread"),
        (parallel, "parallel"),
        (pool, "pool"),
    ):
        w.add(f"{target} = {w.context(key)}")
    w.add(f"{state} = call ptr {save}()")
    w.add(f"call void {parallel}(ptr {pool}, ptr {name}, ptr {data}, i64 {count})")
    w.add(f"call void {restore}(ptr {state})")
    if done is not None:
        w.add(f"br label %{done}")
        w.begin(done)


def name_of_part(number: int) -> str:
    """The name of a function that threads call."""
    return f"{PART}{number}"
