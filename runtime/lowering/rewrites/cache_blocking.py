"""Arrays that are read along rows while others go along columns, as where a transpose is added.

Of the loops over all elements, the innermost is one along which most of what is read and written
lies side by side. What does not, is far apart: of each line of memory that comes for one element,
the others are needed in later rounds of another loop, when it has left the cache. So large arrays
are gone through in tiles, of which all lines stay in the nearest cache.
"""

from __future__ import annotations

from runtime.lowering.kernels.arrays import as_expr
from runtime.lowering.kernels.kernel import (
    Block,
    Dim,
    For,
    Let,
    Program,
    Register,
    Statement,
    Store,
    product,
    read,
)
from runtime.lowering.kernels.merging import Access, Summary, renamed
from runtime.lowering.kernels.scalar import call, index, select, size_in_bytes
from runtime.lowering.kernels.strides import steps_along
from runtime.lowering.rewrites.collapsing import flattened

__all__ = ["crosswise"]

# Rounds of both loops of a tile. With 32, 400 x 400 float32 take 15 % less time than without
# tiles, 1000 x 1000 40 %, and 256 x 256, whose columns have few places in the cache, 80 %. Tiles of
# 16 x 64 or 64 x 64 are a little slower, and 16 x 128 no better than none there.
_SIDE = 32
# Bytes of arrays that are near enough without tiles.
_NEAR = 1 << 15


def crosswise(program: Program) -> None:
    """Change the loops of a program, in place."""
    _block(program.body)


def _block(block: Block) -> None:
    for at, s in enumerate(block):
        nest = _nest(flattened(s)) if isinstance(s, For) else None
        changed = None if nest is None else _in_order(*nest)
        if changed is not None:
            block[at] = changed
            continue
        for inner in s.blocks():
            _block(inner)


def _nest(s: Statement) -> tuple[list[For], Block] | None:
    """Several loops with nothing between them, whose rounds may come in any order, and the body."""
    loops: list[For] = []
    block: Block = [s]
    while len(block) == 1 and isinstance(block[0], For) and not block[0].serial:
        loops.append(block[0])
        block = block[0].body
    if len(loops) < 2 or not all(isinstance(x, Let | Store) for x in block):
        return None
    return loops, block


def _in_order(loops: list[For], body: Block) -> Statement | None:
    """The loops in a better order, or in tiles; None where they are well as they are."""
    indices = [loop.index for loop in loops]
    what = Summary().add(body)
    steps: dict[Access, dict[Register, Dim]] = {}
    for access in what.accesses:
        found = steps_along(access.offset, set(indices), what.known)
        if found is None:
            return None
        steps[access] = found
    apart = [[a for a, by in steps.items() if _step(by, i) not in (0, 1)] for i in indices]
    last = min(range(len(loops)), key=lambda k: (len(apart[k]), -k))
    order = [*(loop for k, loop in enumerate(loops) if k != last), loops[last]]
    beside = [k for k, i in enumerate(indices) if any(_step(steps[a], i) == 1 for a in apart[last])]
    is_same = order == loops
    if not beside or _is_near([x.size for x in loops], apart[last]):
        return None if is_same else _around(order, body)
    other = loops[beside[-1]]
    rest = [loop for loop in order if loop not in (other, loops[last])]
    return _around(rest, [_in_tiles(other, loops[last], body)])


def _step(steps: dict[Register, Dim], index: Register) -> int | None:
    """How far an access moves with an index; None where only the run tells."""
    found = steps.get(index, 0)
    return found if isinstance(found, int) else None


def _is_near(sizes: list[Dim], apart: list[Access]) -> bool:
    """Whether what does not lie side by side stays in a cache."""
    count = product(sizes)
    largest = max(size_in_bytes(a.buffer.type) for a in apart)
    return isinstance(count, int) and count * largest <= _NEAR


def _around(loops: list[For], body: Block) -> Statement:
    for loop in reversed(loops):
        body = [For(loop.index, loop.size, body, loop.serial, loop.most)]
    return body[0]


def _in_tiles(across: For, along: For, body: Block) -> For:
    """Two loops, of which the second is the inner one, in tiles."""
    rows, columns = _Part(across), _Part(along)
    body = renamed(body, {part.loop.index: part.place for part in (rows, columns)})
    inner = For(columns.index, columns.count, body, most=_SIDE)
    each = For(rows.index, rows.count, [inner], most=_SIDE)
    columns.around.body = [*columns.first, each]
    rows.around.body = [*rows.first, columns.around]
    return rows.around


class _Part:
    """Some rounds of a loop at a time."""

    def __init__(self, loop: For) -> None:
        name, size = loop.index.name, loop.size
        number, begin = Register(f"{name}.tile", "i8"), Register(f"{name}.begin", "i8")
        self.loop, self.index = loop, Register(f"{name}.inside", "i8")
        self.place = call("add", read(begin), read(self.index))
        self.first: Block = [Let(begin, call("mul", read(number), index(_SIDE)))]
        self.count: Dim = _SIDE
        if not isinstance(size, int) or size % _SIDE:
            left, count = call("sub", as_expr(size), read(begin)), Register(f"{name}.count", "i8")
            is_last = call("lt", left, index(_SIDE))
            self.first.append(Let(count, select(is_last, left, index(_SIDE))))
            self.count = read(count)
        tiles = (
            -(-size // _SIDE)
            if isinstance(size, int)
            else call("quotient", call("add", size, index(_SIDE - 1)), index(_SIDE))
        )
        self.around = For(number, tiles, [])
