"""Loops that follow each other become one, and arrays that only one round of it needs shrink.

Two loops of the same length are one loop where what a round of the second reads of the first is
what the same round has written: an element, or a whole row. The order of all operations on an
element stays what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Block,
    Buffer,
    Cell,
    Check,
    For,
    If,
    Let,
    PairwiseSum,
    Program,
    Register,
    Reserve,
    Statement,
    Store,
    While,
    read,
    walk,
)
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.scalar import Expr, call, index, parts_of

__all__ = [
    "Access",
    "Renaming",
    "Summary",
    "changed",
    "linear",
    "mentioned",
    "merge",
    "renamed",
    "row",
]

# A body of more statements is not made longer.
_LONGEST = 256
# Rounds in order are no vectors: they are joined by such of no order that have so few operations.
_LITTLE = 12


def merge(program: Program) -> None:
    """Merge the loops of a program, in place."""
    _block(program.body)
    _shrink(program.body)
    _drop(program)


# ---- offsets -------------------------------------------------------------------------------------


class _Linear(NamedTuple):
    """A sum of registers times numbers, and a number."""

    terms: Mapping[Register, int]
    rest: int

    def key(self) -> tuple[object, ...]:
        return (frozenset((r, n) for r, n in self.terms.items() if n), self.rest)


def linear(x: Expr, known: Mapping[Register, Expr]) -> _Linear | None:
    """An offset as a linear function; None if it is none."""
    if x.function == "const":
        return _Linear({}, int(x.value))
    if x.function == "read" and isinstance(x.value, Register):
        if x.value in known:
            return linear(known[x.value], known)
        return _Linear({x.value: 1}, 0)
    if x.function not in ("add", "sub", "mul"):
        return None
    one, other = (linear(a, known) for a in x.args)
    if one is None or other is None:
        return None
    if x.function == "mul":
        if one.terms and other.terms:
            return None
        many, by = (other, one.rest) if not one.terms else (one, other.rest)
        return _Linear({r: n * by for r, n in many.terms.items()}, many.rest * by)
    sign = -1 if x.function == "sub" else 1
    terms = dict(one.terms)
    for register, n in other.terms.items():
        terms[register] = terms.get(register, 0) + sign * n
    return _Linear(terms, one.rest + sign * other.rest)


# ---- what a loop does ----------------------------------------------------------------------------


class Access(Record):
    """A load or store of an element."""

    buffer: Buffer
    offset: Expr
    is_write: bool


class Summary(Record):
    """What statements read and write; `is_plain` if they are of the kinds that are known here."""

    accesses: list[Access] = field(default_factory=list)
    read_cells: set[Cell] = field(default_factory=set)
    assigned: set[Cell] = field(default_factory=set)
    # Inner indices, by size, and registers that stand for offsets.
    ranges: dict[Register, int] = field(default_factory=dict)
    known: dict[Register, Expr] = field(default_factory=dict)
    is_plain: bool = True
    count: int = 0

    def expression(self, x: Expr) -> None:
        """Add what an expression reads."""
        for part in x.sources:
            if part.function == "load":
                self.accesses.append(Access(part.value, part.args[0], False))
            elif isinstance(part.value, Cell):
                self.read_cells.add(part.value)

    def add(self, block: Block) -> Summary:
        """Add what statements do."""
        for s in block:
            self.count += 1
            if isinstance(s, Let):
                self.expression(s.value)
                if s.register.type == "i8":
                    self.known[s.register] = s.value
            elif isinstance(s, Assign):
                self.expression(s.value)
                self.assigned.add(s.cell)
            elif isinstance(s, Store):
                self.expression(s.value)
                self.expression(s.offset)
                self.accesses.append(Access(s.buffer, s.offset, True))
            elif isinstance(s, For | PairwiseSum):
                if isinstance(s.size, int):
                    self.ranges[s.index] = s.size
                if isinstance(s, PairwiseSum):
                    self.assigned.add(s.cell)
                self.add(s.body)
                if isinstance(s, PairwiseSum):
                    self.expression(s.element)
            elif isinstance(s, If):
                self.expression(s.condition)
                self.add(s.yes)
                self.add(s.no)
            elif not isinstance(s, Allocate):
                self.is_plain = False
        return self


def row(access: Access, loop: Register, what: Summary) -> tuple[int, object] | None:
    """How far apart the parts are that rounds of a loop access, and where they begin; or None.

    Each round keeps to its own part. Where that of the first is not the first, `None` is told with
    the number of those before it.
    """
    found = linear(access.offset, what.known)
    if found is None:
        return None
    step = found.terms.get(loop, 0)
    least = most = found.rest
    base: dict[Register | None, int] = {}
    for register, n in found.terms.items():
        if register is loop or not n:
            continue
        size = what.ranges.get(register)
        if size is None:
            base[register] = n
        elif n > 0:
            most += n * (size - 1)
        else:
            least += n * (size - 1)
    if step <= 0 or least // step != most // step:
        return None
    if least // step:
        base[None] = least // step
    return step, frozenset(base.items())


def _operations(loop: For) -> int:
    """How many operations a round of a loop is."""
    found = (parts_of(*s.computed()) for s in walk(loop.body))
    return sum(1 for parts in found for part in parts if part.args)


def _can_join(one: For, first: Summary, other: For) -> bool:
    """Whether a loop may become part of one, of which the summary is at hand."""
    if one.size is not other.size and not (isinstance(one.size, int) and one.size == other.size):
        return False
    second = Summary().add(other.body)
    if not (first.is_plain and second.is_plain) or first.count + second.count > _LONGEST:
        return False
    if one.serial != other.serial and _operations(other if one.serial else one) > _LITTLE:
        return False
    if first.assigned & second.read_cells - second.assigned:
        return False
    if (first.assigned | first.read_cells) & second.assigned:
        return False
    written = {a.buffer for what in (first, second) for a in what.accesses if a.is_write}
    common = {a.buffer for a in first.accesses} & {a.buffer for a in second.accesses} & written
    rows: dict[Buffer, set[object]] = {}
    for loop, what in ((one, first), (other, second)):
        for access in what.accesses:
            if access.buffer in common:
                rows.setdefault(access.buffer, set()).add(row(access, loop.index, what))
    return all(len(found) == 1 and None not in found for found in rows.values())


def _can_pass(s: Statement, around: Summary) -> bool:
    """Whether a statement behind a loop may as well stand before it."""
    if isinstance(s, Allocate):
        return True
    if not isinstance(s, Let | Assign | Check | Reserve):
        return False
    what = Summary()
    if isinstance(s, Reserve):
        if any(a.buffer is s.buffer for a in around.accesses):
            return False
        what.expression(s.size)
    elif isinstance(s, Check):
        for x in (s.failed, *s.operands):
            what.expression(x)
    else:
        what.add([s])
    written = {a.buffer for a in around.accesses if a.is_write}
    if any(a.buffer in written for a in what.accesses) or what.read_cells & around.assigned:
        return False
    return not what.assigned & (around.read_cells | around.assigned)


# ---- joining -------------------------------------------------------------------------------------


def _block(block: Block) -> None:
    """Join the loops of a block, inner ones when outer ones are joined."""
    made: Block = []
    # The last loop, what it does, and what stands behind it that may stand before it.
    loop: For | None = None
    what = Summary()
    passing: Block = []
    for s in block:
        if isinstance(s, For) and loop is not None and _can_join(loop, what, s):
            body = [*loop.body, *renamed(s.body, {s.index: read(loop.index)})]
            loop = For(loop.index, loop.size, body, bool(loop.serial or s.serial), loop.most)
            what = Summary().add(body)
            made += passing
            passing = []
        elif isinstance(s, For):
            made += [*([] if loop is None else [loop]), *passing]
            loop, what, passing = s, Summary().add(s.body), []
        elif loop is None:
            made.append(s)
        elif _can_pass(s, what):
            passing.append(s)
        else:
            made += [loop, *passing, s]
            loop, passing = None, []
    block[:] = [*made, *([] if loop is None else [loop]), *passing]
    for s in block:
        for inner in s.blocks():
            _block(inner)
    _forward(block)


class Renaming:
    """Expressions with others in the place of registers and loads; what is shared stays so."""

    def __init__(self, registers: Mapping[Register, Expr]) -> None:
        self.registers = dict(registers)
        self.made: dict[Expr, Expr] = {}

    def __call__(self, x: Expr) -> Expr:
        if x not in self.made:
            self.made[x] = made = self._new(x) if self._may_change(x) else x
            if x.composed is not None and made is not x:
                self._keep_composed(x, made)
        return self.made[x]

    def _keep_composed(self, old: Expr, new: Expr) -> None:
        """Note that a new expression is the same function of new operands, where that is seen."""
        assert old.composed is not None
        name, operands = old.composed
        if new.function == old.function and new.args == tuple(map(self, old.args)):
            new.composed = name, tuple(map(self, operands))

    def _may_change(self, x: Expr) -> bool:
        """Whether an expression has anything that changes: long ones take long to go through."""
        return True

    def _new(self, x: Expr) -> Expr:
        if x.function == "read" and x.value in self.registers:
            return self.registers[x.value]
        if not x.args:
            return x
        args = tuple(map(self, x.args))
        if args == x.args:  # the same objects
            return x
        return Expr(x.function, x.type, args, x.value)


def renamed(block: Block, registers: Mapping[Register, Expr]) -> Block:
    """Statements with expressions in the place of registers."""
    return [changed(s, Renaming(registers)) for s in block]


def changed(s: Statement, change: Renaming) -> Statement:
    """A statement with its expressions changed."""
    if isinstance(s, Let):
        return Let(s.register, change(s.value))
    if isinstance(s, Assign):
        return Assign(s.cell, change(s.value))
    if isinstance(s, Store):
        return Store(s.buffer, change(s.offset), change(s.value))
    if isinstance(s, For):
        return For(s.index, s.size, [changed(x, change) for x in s.body], s.serial, s.most)
    if isinstance(s, PairwiseSum):
        body = [changed(x, change) for x in s.body]
        element = change(s.element)
        return PairwiseSum(s.cell, s.index, s.size, body, element, s.how, s.lanes)
    if isinstance(s, If):
        blocks = ([changed(x, change) for x in part] for part in (s.yes, s.no))
        return If(change(s.condition), *blocks)
    return s


def _forward(block: Block) -> None:
    """Take what was just stored at an offset from its register, rather than from memory."""
    held: dict[Buffer, dict[tuple[object, ...], Expr]] = {}
    known: dict[Register, Expr] = {}
    for at, s in enumerate(block):
        if held and isinstance(s, Let | Assign | Store):
            s = block[at] = changed(s, _Forwarding(held, known))
        if isinstance(s, Let) and s.register.type == "i8":
            known[s.register] = s.value
        elif isinstance(s, Store):
            place = linear(s.offset, known)
            held.pop(s.buffer, None)
            if place is not None and _is_fixed(s.value):
                held[s.buffer] = {place.key(): s.value}
        elif not isinstance(s, Let | Assign | Allocate):
            held.clear()


def _is_fixed(x: Expr) -> bool:
    """Whether it is a constant or a register."""
    return x.function == "const" or (x.function == "read" and isinstance(x.value, Register))


class _Forwarding(Renaming):
    def __init__(
        self, held: dict[Buffer, dict[tuple[object, ...], Expr]], known: Mapping[Register, Expr]
    ) -> None:
        super().__init__({})
        self.held = held
        self.known = known

    def _may_change(self, x: Expr) -> bool:
        return any(s.function == "load" and s.value in self.held for s in x.sources)

    def _new(self, x: Expr) -> Expr:
        if x.function == "load" and x.value in self.held:
            place = linear(x.args[0], self.known)
            if place is not None and place.key() in self.held[x.value]:
                return self.held[x.value][place.key()]
        return super()._new(x)


# ---- memory --------------------------------------------------------------------------------------


def mentioned(s: Statement) -> set[Buffer]:
    """The buffers that a statement, and those in it, have to do with; allocations do not count."""
    found = [_named(inner, Allocate) for inner in walk([s])]
    return set().union(*found)


def _named(s: Statement, *but: type[Statement]) -> set[Buffer]:
    """The buffers that a statement itself names, unless it is of some kinds, or loads from."""
    found = {x.value for part in s.computed() for x in part.sources if x.function == "load"}
    return found if isinstance(s, but) else found.union(s.contents(), s.sources())


def _shrink(block: Block) -> None:
    """Give arrays that one round of a loop fills and reads the room of one round."""
    own = [
        (at, s) for at, s in enumerate(block) if isinstance(s, Allocate) and s.buffer.role == "own"
    ]
    users_of = [mentioned(s) for s in block] if own else []
    for at, made in own:
        users = [k for k, found in enumerate(users_of) if made.buffer in found]
        if len(users) == 1 and isinstance(block[users[0]], For):
            _shrink_in(block, at, users[0])
    for s in block:
        if isinstance(s, While | If):
            for inner in s.blocks():
                _shrink(inner)


def _shrink_in(block: Block, allocation: int, user: int) -> None:
    loop, s = block[user], block[allocation]
    assert isinstance(loop, For) and isinstance(s, Allocate)
    what = Summary().add(loop.body)
    own = [access for access in what.accesses if access.buffer is s.buffer]
    rows = {row(access, loop.index, what) for access in own}
    if not what.is_plain or len(rows) != 1 or None in rows:
        return
    ((step, base),) = rows  # type: ignore[misc]
    if base or (isinstance(loop.size, int) and loop.size <= 1):
        return
    small = Buffer(s.buffer.name, s.buffer.type, (step,))
    change = _Moving(s.buffer, small, loop.index, what.known)
    body = [change.statement(x) for x in loop.body]
    block[user] = For(loop.index, loop.size, [Allocate(small), *body], loop.serial, loop.most)
    block[allocation] = Let(Register(f"{s.buffer.name}.gone", "i8"), index(0))


class _Moving(Renaming):
    """Accesses of one buffer become accesses of another, at offsets within a round."""

    def __init__(
        self, old: Buffer, new: Buffer, loop: Register, known: Mapping[Register, Expr]
    ) -> None:
        super().__init__({})
        self.old, self.new, self.loop, self.known = old, new, loop, known

    def _may_change(self, x: Expr) -> bool:
        return any(s.function == "load" and s.value is self.old for s in x.sources)

    def _new(self, x: Expr) -> Expr:
        if x.function == "load" and x.value is self.old:
            return Expr("load", x.type, (self.within(x.args[0]),), self.new)
        return super()._new(x)

    def within(self, offset: Expr) -> Expr:
        found = linear(offset, self.known)
        assert found is not None
        result: Expr = index(found.rest)
        for register, n in found.terms.items():
            if register is self.loop or not n:
                continue
            term = read(register) if n == 1 else call("mul", read(register), index(n))
            is_zero = result.function == "const" and result.value == 0
            result = term if is_zero else call("add", result, term)
        return result

    def statement(self, s: Statement) -> Statement:
        if isinstance(s, Store) and s.buffer is self.old:
            return Store(self.new, self.within(s.offset), self(s.value))
        if isinstance(s, For):
            return For(s.index, s.size, [self.statement(x) for x in s.body], s.serial, s.most)
        if isinstance(s, PairwiseSum):
            body = [self.statement(x) for x in s.body]
            element = self(s.element)
            return PairwiseSum(s.cell, s.index, s.size, body, element, s.how, s.lanes)
        if isinstance(s, If):
            return If(self(s.condition), *([self.statement(x) for x in p] for p in (s.yes, s.no)))
        return changed(s, self)


def _drop(program: Program) -> None:
    """Leave out stores into memory that nothing reads."""
    kept = {r.buffer for r in program.results if r.buffer is not None}
    for s in walk(program.body):
        kept |= _named(s, Allocate, Store)
    _without(program.body, kept)


def _without(block: Block, kept: set[Buffer]) -> None:
    def is_kept(s: Statement) -> bool:
        if isinstance(s, Allocate | Store) and s.buffer.role == "own":
            return s.buffer in kept
        return not (isinstance(s, Let) and s.register.name.endswith(".gone"))

    block[:] = [s for s in block if is_kept(s)]
    for s in block:
        for inner in s.blocks():
            _without(inner, kept)
    block[:] = [s for s in block if not (isinstance(s, For) and not s.body)]
