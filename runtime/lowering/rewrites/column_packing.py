"""Columns that lie apart and are read in each round of a loop are copied side by side before it.

As the transposed weights of a recurrent network are, in the gradient. A product packs them itself,
or has its sums run in vectors, but anew in each round: 32 x 64 x 64 take 4.1 us in a loop, and 1.7
with columns side by side.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.lowering.kernels.arrays import as_expr, flat_offset
from runtime.lowering.kernels.kernel import (
    Allocate,
    Axis,
    Block,
    Buffer,
    Cell,
    Contract,
    Dim,
    For,
    Let,
    Program,
    Register,
    Store,
    While,
    load,
    product,
    read,
    walk,
    written,
)
from runtime.lowering.kernels.scalar import parts_of
from runtime.lowering.kernels.strides import plus, steps_of, times

__all__ = ["lay_out"]

# With fewer rows, a product reads its columns about as fast where they are.
_FEW_ROWS = 4
# Fewer columns do not fill a vector.
_FEW_COLUMNS = 8
# Elements of what is copied: if a loop has few rounds, it costs about as much as one of them.
_MOST = 1 << 18


class _Place(NamedTuple):
    """What is copied: a buffer, where in it the columns begin, and their axes."""

    buffer: Buffer
    start: Dim
    # Sizes and steps, that of the columns last.
    axes: tuple[tuple[int, Dim], ...]


def lay_out(program: Program) -> None:
    """Change the loops of a program, in place."""
    shared = {b for pair in program.shared.items() for b in pair}
    _block(program.body, shared)


def _block(block: Block, shared: set[Buffer]) -> None:
    made: Block = []
    for s in block:
        if isinstance(s, While):
            made += _before(s, shared)
        if not isinstance(s, For) or s.serial:  # threads have no room for copies of their own
            for inner in s.blocks():
                _block(inner, shared)
        made.append(s)
    block[:] = made


def _before(loop: While, shared: set[Buffer]) -> Block:
    """What stands before a loop; its products, those in other loops included, read that."""
    inside = [s for block in loop.blocks() for s in walk(block)]
    contracts = [s for s in inside if isinstance(s, Contract) and _is_apart(s)]
    if not contracts:
        return []
    changing = written(inside) | shared
    own = {s.register for s in inside if isinstance(s, Let)}
    own |= {s.index for s in inside if isinstance(s, For)}
    made: Block = []
    copies: dict[_Place, Buffer] = {}
    for c in contracts:
        start = c.starts[1]
        if c.y in changing or c.y.role == "stack" or not _is_fixed(start, own):
            continue
        axes = [*c.inner, c.column]
        place = _Place(c.y, start, tuple((_known(axis.size), axis.y) for axis in axes))
        if place not in copies:
            copies[place] = _copied(place, made)
        c.y = copies[place]
        c.starts = (c.starts[0], 0, c.starts[2])
        *c.inner, c.column = [
            Axis(axis.size, axis.x, step, axis.out)
            for axis, step in zip(axes, steps_of(copies[place].shape), strict=True)
        ]
    return made


def _is_apart(c: Contract) -> bool:
    """Whether columns lie apart that all rows read, and are better side by side."""
    columns = c.column.size
    if c.column.y == 1 or any(axis.y != 0 for axis in c.outer):
        return False
    terms, rows = product([a.size for a in c.inner]), product([a.size for a in (*c.outer, c.row)])
    if not (isinstance(columns, int) and isinstance(terms, int) and isinstance(rows, int)):
        return False
    return columns >= _FEW_COLUMNS and rows >= _FEW_ROWS and 0 < terms * columns <= _MOST


def _known(size: Dim) -> int:
    assert isinstance(size, int)
    return size


def _is_fixed(start: Dim, own: set[Register]) -> bool:
    """Whether a position is the same in all rounds, and known before the first."""
    if isinstance(start, int):
        return True
    for part in parts_of(start):
        if part.function == "load":
            return False
        if part.function == "read" and (isinstance(part.value, Cell) or part.value in own):
            return False
    return True


def _copied(place: _Place, made: Block) -> Buffer:
    """The copy; `made` gets the statements that fill it."""
    sizes = tuple(size for size, _ in place.axes)
    target = Buffer(f"{place.buffer.name}.columns", place.buffer.type, sizes)
    indices = [Register(f"i.{k}", "i8") for k in range(len(sizes))]
    to = flat_offset([read(register) for register in indices], sizes)
    at = place.start
    for register, (_, step) in zip(indices, place.axes, strict=True):
        at = plus(at, times(read(register), step))
    body: Block = [Store(target, to, load(place.buffer, as_expr(at)))]
    for register, size in zip(reversed(indices), reversed(sizes), strict=True):
        body = [For(register, size, body)]
    made += [Allocate(target), *body]
    return target
