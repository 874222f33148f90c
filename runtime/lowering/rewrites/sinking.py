"""Large products of short sums are made where they are read, some rows at a time.

The gradient of the weights of a dense layer is one: its sums are as long as the batch, it is as
large as the weights, and the step of an optimizer reads each element once. As a whole it goes to
memory and comes back, and the memory has to be touched for the first time. So the product is made
within the loop that reads it, in blocks of rows that the nearest cache holds. Each element is the
same sum in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.lowering.kernels.kernel import (
    Allocate,
    Axis,
    Buffer,
    CallOut,
    Contract,
    For,
    Let,
    Program,
    Register,
    Store,
    load,
    product,
    read,
    walk,
    written,
)
from runtime.lowering.kernels.merging import Renaming, Summary, changed, linear, mentioned
from runtime.lowering.kernels.scalar import Expr
from runtime.lowering.kernels.strides import plus, times
from runtime.lowering.kernels.tiles import runs_along_sum
from runtime.lowering.rewrites.overwriting import gives, is_allocation
from runtime.lowering.rewrites.parallel import FAR, ON_STACK

__all__ = ["sink"]

# Each block of rows reads all of `y` again: few terms, from a cache that is near.
_MOST_TERMS, _NEAR = 64, 1 << 18
# Blocks of fewer rows would read more of `y` than they write.
_FEWEST_ROWS = 4


def sink(program: Program) -> None:
    """Move products of a program into the loops that read them, in place."""
    for contract in [s for s in program.body if isinstance(s, Contract)]:
        rows = _rows_of_blocks(contract)
        reader = None if rows is None else _reader(program, contract)
        if rows is None or reader is None:
            continue
        block = program.body
        block[block.index(reader)] = _in_blocks(contract, reader, rows)
        block.remove(contract)
        block[:] = [s for s in block if not is_allocation(s, contract.target)]


def _rows_of_blocks(c: Contract) -> int | None:
    """How many rows a block has; None where the product is not to be made in blocks."""
    rows, columns, starts = c.row.size, c.column.size, c.starts
    terms = product([axis.size for axis in c.inner])
    if not (isinstance(rows, int) and isinstance(columns, int) and isinstance(terms, int)):
        return None
    size = int(c.target.type[1:])
    is_whole = not c.outer and c.row.out == columns and c.column.out == 1 and starts[2] == 0
    is_apt = c.target.type[0] == "f" and c.column.y == 1
    if not is_whole or not is_apt or rows * columns * size < FAR:
        return None
    if terms > _MOST_TERMS or terms * columns * size > _NEAR:
        return None
    most = ON_STACK // (columns * size)
    found = next((n for n in range(most, _FEWEST_ROWS - 1, -1) if rows % n == 0), None)
    if found is None or runs_along_sum(c) or runs_along_sum(_some_rows(c, found)):
        return None
    return found


def _some_rows(c: Contract, rows: int) -> Contract:
    return Contract(
        c.target, c.x, c.y, [], Axis(rows, c.row.x, 0, c.row.out), c.column, c.inner, c.starts
    )


def _reader(program: Program, c: Contract) -> For | None:
    """The one loop that reads a product, element by element, if the product can be made there."""
    if c.target.role != "own" or c.target in {*program.shared, *program.shared.values()}:
        return None
    if gives(program, c.target):
        return None
    users = [s for s in program.body if c.target in mentioned(s)]
    if len(users) != 2 or users[0] is not c or not isinstance(users[1], For):
        return None
    loop = users[1]
    between = program.body[program.body.index(c) + 1 : program.body.index(loop) + 1]
    operands = {_memory(program, c.x), _memory(program, c.y)}
    statements = [*walk(between)]
    handed = {h.buffer for s in statements if isinstance(s, CallOut) for h in s.operands}
    touched = {*written(statements), *(buffer for buffer in handed if buffer is not None)}
    if any(_memory(program, buffer) in operands for buffer in touched):
        return None
    return loop if _goes_over(loop, c.target) else None


def _memory(program: Program, buffer: Buffer) -> Buffer:
    """The buffer in whose memory another one is."""
    while buffer in program.shared:
        buffer = program.shared[buffer]
    return buffer


def _goes_over(loop: For, buffer: Buffer) -> bool:
    """Whether each round reads one element, all of them in the order of memory."""
    what = Summary().add(loop.body)
    is_plain = all(isinstance(s, Let | Store) for s in loop.body)
    if loop.serial or not is_plain or loop.size != product(buffer.shape):
        return False
    wanted = linear(read(loop.index), {})
    assert wanted is not None
    offsets = [linear(a.offset, what.known) for a in what.accesses if a.buffer is buffer]
    return all(found is not None and found.key() == wanted.key() for found in offsets)


class _Within(Renaming):
    """Loads of a buffer become loads of another, at one place."""

    def __init__(self, old: Buffer, element: Expr) -> None:
        no_registers: Mapping[Register, Expr] = {}
        super().__init__(no_registers)
        self.old, self.element = old, element

    def _new(self, x: Expr) -> Expr:
        is_old = x.function == "load" and x.value is self.old
        return self.element if is_old else super()._new(x)


def _in_blocks(c: Contract, loop: For, rows: int) -> For:
    """A loop over blocks of rows: their product, and what the loop does with its elements."""
    columns = c.column.size
    assert isinstance(c.row.size, int) and isinstance(columns, int)
    block = Register(f"{loop.index.name}.block", "i8")
    last = Register(f"{loop.index.name}.inside", "i8")
    small = Buffer(c.target.name, c.target.type, (rows, columns))
    start = plus(c.starts[0], times(read(block), times(rows, c.row.x)))
    some = _some_rows(c, rows)
    part = Contract(small, c.x, c.y, [], some.row, c.column, c.inner, (start, c.starts[1], 0))
    position = plus(times(read(block), rows * columns), read(last))
    assert isinstance(position, Expr)
    change = _Within(c.target, load(small, read(last)))
    body = [Let(loop.index, position), *(changed(s, change) for s in loop.body)]
    inside = For(last, rows * columns, body)
    return For(block, c.row.size // rows, [Allocate(small), part, inside])
