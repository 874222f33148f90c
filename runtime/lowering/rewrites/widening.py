"""Long inner loops: over several axes at once, or over several short rows side by side.

`x + b` of a matrix with 10 columns would use two vectors of 4 and two single elements for each
row. With 8 copies of `b` behind each other, 8 rows are 80 elements in a line.
"""

from __future__ import annotations

import math

from runtime.lowering.kernels.kernel import (
    Allocate,
    Block,
    Buffer,
    For,
    Let,
    Program,
    Register,
    Store,
    load,
    read,
)
from runtime.lowering.kernels.merging import Renaming, changed
from runtime.lowering.kernels.scalar import Expr, call, index, parts_of
from runtime.lowering.rewrites.collapsing import flattened, is_read

__all__ = ["widen"]

# Elements of the widest vector, of the narrowest type that is common.
_LANES = 16
# Rows that are longer lose little at their ends.
_LONGEST = 64
# Copies of what all rows share are worth their making if they are used so many times.
_USES = 4


def widen(program: Program) -> None:
    """Change the loops of a program, in place."""
    _block(program.body)


def _block(block: Block, *, in_loop: bool = False) -> None:
    made: Block = []
    for s in block:
        flat = flattened(s) if isinstance(s, For) else s
        # In a loop, copies would be made in each round.
        wide = _widened(flat) if isinstance(flat, For) and not in_loop else None
        made += [flat] if wide is None else wide
    for s in made:
        for inner in s.blocks():
            _block(inner, in_loop=in_loop or isinstance(s, For))
    block[:] = made


def _widened(outer: For) -> Block | None:
    inner = outer.body[0] if len(outer.body) == 1 else None
    if not isinstance(inner, For) or outer.serial or inner.serial:
        return None
    rows, size = outer.size, inner.size
    if not (isinstance(rows, int) and isinstance(size, int)) or not 2 < size < _LONGEST:
        return None
    at_once = _LANES // math.gcd(size, _LANES)
    if at_once == 1 or rows < at_once * _USES:
        return None
    if not all(isinstance(s, Let | Store) for s in inner.body):
        return None
    shared = _Shared(outer.index, inner.index, size)
    written = {s.buffer for s in inner.body if isinstance(s, Store)}
    if not shared.holds_of(inner.body) or shared.buffers & written:
        return None
    made: Block = []
    copies: dict[Buffer, Buffer] = {}
    for buffer in sorted(shared.buffers, key=lambda b: b.name):
        copy = copies[buffer] = Buffer(f"{buffer.name}.rows", buffer.type, (at_once * size,))
        made += [Allocate(copy), _repeated(buffer, copy, at_once, size)]
    line = at_once * size
    k, p = Register(outer.index.name, "i8"), Register(inner.index.name, "i8")
    place = call("add", call("mul", read(k), index(line)), read(p))
    body = [changed(s, _Side(shared, copies, place, read(p))) for s in inner.body]
    made.append(For(k, rows // at_once, [For(p, line, body)]))
    rest = rows % at_once
    if rest:
        p = Register(f"{inner.index.name}.rest", "i8")
        place = call("add", index((rows - rest) * size), read(p))
        body = [changed(s, _Side(shared, copies, place, read(p))) for s in inner.body]
        made.append(For(p, rest * size, body))
    return made


def _repeated(row: Buffer, copy: Buffer, times: int, size: int) -> For:
    k, j = Register(f"{copy.name}.k", "i8"), Register(f"{copy.name}.j", "i8")
    place = call("add", call("mul", read(k), index(size)), read(j))
    return For(k, times, [For(j, size, [Store(copy, place, load(row, read(j)))])])


class _Shared:
    """What all rows of a nest of two loops share."""

    def __init__(self, outer: Register, inner: Register, size: int) -> None:
        self.outer, self.inner, self.size = outer, inner, size
        self.buffers: set[Buffer] = set()

    def holds_of(self, block: Block) -> bool:
        """Whether the indices serve only to read and write the elements, and to read such rows."""
        given = (x for s in block for x in s.computed())
        for x in parts_of(*given, whole=lambda x: self.is_place(x) or self.is_shared(x)):
            if is_read(x, self.outer) or is_read(x, self.inner):
                return False
            if self.is_shared(x):
                self.buffers.add(x.value)
        return bool(self.buffers)

    def is_place(self, x: Expr) -> bool:
        """Whether it is a position among rows of that size."""
        if x.function != "add" or x.args[0].function != "mul":
            return False
        (row, count), column = x.args[0].args, x.args[1]
        is_whole = count.function == "const" and count.value == self.size
        return is_whole and is_read(row, self.outer) and is_read(column, self.inner)

    def is_shared(self, x: Expr) -> bool:
        return x.function == "load" and is_read(x.args[0], self.inner)


class _Side(Renaming):
    """Elements at a position in memory, and elements of rows at a position in their copies."""

    def __init__(
        self, shared: _Shared, copies: dict[Buffer, Buffer], place: Expr, column: Expr
    ) -> None:
        super().__init__({})
        self.shared, self.copies, self.place, self.column = shared, copies, place, column

    def _new(self, x: Expr) -> Expr:
        if self.shared.is_place(x):
            return self.place
        if self.shared.is_shared(x):
            return load(self.copies[x.value], self.column)
        return super()._new(x)
