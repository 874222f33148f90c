"""Short rows side by side: each step of a row is done for some rows before the next step is.

A row of the softmax over 30 columns is five short loops that wait for each other: for what was
just stored, for the largest of all, for their sum. Other rows need not wait for this one, but a
processor does not look as far ahead as the next row.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.lowering.kernels.kernel import (
    Allocate,
    Block,
    Buffer,
    Cell,
    For,
    Let,
    PairwiseSum,
    Program,
    Register,
    Statement,
    Store,
    read,
    walk,
)
from runtime.lowering.kernels.merging import Renaming, Summary, linear
from runtime.lowering.kernels.scalar import Expr, call, index, size_in_bytes

__all__ = ["abreast"]

# Rows side by side, the best number first: with few, they wait again.
_ROWS = (16, 15, 14, 12, 10, 8, 7, 6, 5, 4)
# Longer loops have enough to do.
_LONGEST = 64
_LOOPS = (For, PairwiseSum)
# Bytes that all rows may need at once, so that they stay in the nearest cache.
_BYTES = 1 << 14


def abreast(program: Program) -> None:
    """Change the loops of a program, in place."""
    kept = {*program.shared, *program.shared.values()}
    _block(program.body, kept)


def _block(block: Block, kept: set[Buffer]) -> None:
    for at, s in enumerate(block):
        made = _abreast(s, kept) if isinstance(s, For) else None
        if made is not None:
            block[at] = made
            continue
        for inner in s.blocks():
            _block(inner, kept)


def _abreast(rows: For, kept: set[Buffer]) -> For | None:
    """A loop over rows as one over groups of rows, each step a loop over the rows of a group."""
    if rows.serial or not isinstance(rows.size, int):
        return None
    size = rows.size
    count = next((n for n in _ROWS if size % n == 0 and size >= 2 * n), None)
    if not any(isinstance(s, PairwiseSum) for s in rows.body) or not all(map(_is_short, rows.body)):
        return None
    if not Summary().add(rows.body).is_plain:
        return None
    own = [s.buffer for s in rows.body if isinstance(s, Allocate)]
    offsets = _offsets(rows)
    steps = _steps([s for s in rows.body if not _is_known(s, offsets)])
    if count is None or len(steps) < 2 or not kept.isdisjoint(own):
        return None
    if any(isinstance(s, Allocate) for s in walk([x for x in rows.body if x.blocks()])):
        return None
    sizes = {buffer: _elements(buffer) for buffer in own}
    if count * sum(n * size_in_bytes(b.type) for b, n in sizes.items()) > _BYTES:
        return None
    group = Register(f"{rows.index.name}.group", "i8")
    rooms = {b: Buffer(b.name, b.type, (count * n,)) for b, n in sizes.items()}
    body: Block = [Allocate(room) for room in rooms.values()]
    for k, step in enumerate(steps):
        one = Register(f"{rows.index.name}.{k}", "i8")
        place = call("add", call("mul", read(group), index(count)), read(one))
        change = _Side({rows.index: place}, offsets, rooms, one)
        body.append(For(one, count, [change.statement(s) for s in step]))
    return For(group, size // count, body)


def _elements(buffer: Buffer) -> int:
    count = 1
    for n in buffer.shape:
        assert isinstance(n, int)
        count *= n
    return count


def _is_short(s: Statement) -> bool:
    if not isinstance(s, For | PairwiseSum):
        return isinstance(s, Let | Store) or (
            isinstance(s, Allocate) and all(isinstance(n, int) for n in s.buffer.shape)
        )
    inner = [x for x in walk([s]) if isinstance(x, _LOOPS)]
    return len(inner) == 1 and isinstance(s.size, int) and s.size <= _LONGEST


# ---- steps ---------------------------------------------------------------------------------------


def _offsets(rows: For) -> dict[Register, Expr]:
    """Registers whose values come of the number of the row alone, each step computes anew."""
    own = _given(rows.body)
    found: dict[Register, Expr] = {}
    for s in rows.body:
        if isinstance(s, Let) and s.register.type == "i8" and linear(s.value, {}) is not None:
            needed = {x.value for x in s.value.sources if x.function == "read"}
            if not needed & (own - found.keys()):
                found[s.register] = s.value
    return found


def _is_known(s: Statement, offsets: dict[Register, Expr]) -> bool:
    return isinstance(s, Allocate) or (isinstance(s, Let) and s.register in offsets)


def _steps(body: Sequence[Statement]) -> list[Block]:
    """The statements of a row in steps, of one loop each where nothing but memory is handed on."""
    steps: list[Block] = []
    for s in body:
        has_loop = bool(steps) and any(isinstance(x, _LOOPS) for x in steps[-1])
        if not steps or (has_loop and isinstance(s, _LOOPS)):
            steps.append([])
        steps[-1].append(s)
    at = 0
    while at < len(steps):
        needed = _read(steps[at])
        first = next((k for k in range(at) if _given(steps[k]) & needed), at)
        if first < at:  # and so is all between
            steps[first : at + 1] = [[s for step in steps[first : at + 1] for s in step]]
        at = first + 1
    return steps


def _given(step: Block) -> set[Register | Cell]:
    """The registers and cells that a step gives values."""
    found: set[Register | Cell] = set()
    for s in walk(step):
        if isinstance(s, Let):
            found.add(s.register)
        found |= Summary().add([s]).assigned
    return found


def _read(step: Block) -> set[Register | Cell]:
    given = (x for s in walk(step) for x in s.computed())
    return {part.value for x in given for part in x.sources if part.function == "read"}


# ---- a row of a group ----------------------------------------------------------------------------


class _Side(Renaming):
    """The row at some place, in a room of its own in each buffer."""

    def __init__(
        self,
        place: dict[Register, Expr],
        offsets: dict[Register, Expr],
        rooms: dict[Buffer, Buffer],
        one: Register,
    ) -> None:
        super().__init__(place)
        self.rooms = rooms
        self.starts = {
            room: call("mul", read(one), index(_elements(buffer))) for buffer, room in rooms.items()
        }
        for register, value in offsets.items():  # each may be made of those before it
            self.registers[register] = self(value)

    def _new(self, x: Expr) -> Expr:
        if x.function == "load" and x.value in self.rooms:
            room = self.rooms[x.value]
            return Expr("load", x.type, (self._at(room, x.args[0]),), room)
        return super()._new(x)

    def _at(self, room: Buffer, offset: Expr) -> Expr:
        return call("add", self.starts[room], self(offset))

    def statement(self, s: Statement) -> Statement:
        """The same of the row."""
        if isinstance(s, Store) and s.buffer in self.rooms:
            room = self.rooms[s.buffer]
            return Store(room, self._at(room, s.offset), self(s.value))
        if isinstance(s, Let):
            return Let(s.register, self(s.value))
        if isinstance(s, For):
            return For(s.index, s.size, [self.statement(x) for x in s.body], s.serial, s.most)
        if isinstance(s, PairwiseSum):
            body = [self.statement(x) for x in s.body]
            element = self(s.element)
            return PairwiseSum(s.cell, s.index, s.size, body, element, s.how, s.lanes)
        assert isinstance(s, Store)
        return Store(s.buffer, self(s.offset), self(s.value))
