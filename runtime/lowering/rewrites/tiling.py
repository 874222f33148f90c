"""Loops over whole arrays, as in `for _ in range(n): x = f(x)`, piece by piece and in place.

Where a round computes each element of its state from that element alone, the new state needs no
memory of its own; and all rounds may be done for some elements, which stay in the cache, before
any is done for the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Block,
    Buffer,
    Check,
    For,
    Let,
    Poll,
    Program,
    Register,
    Statement,
    Store,
    Swap,
    While,
    read,
)
from runtime.lowering.kernels.merging import Summary, mentioned, renamed, row
from runtime.lowering.kernels.scalar import call, const, index, select, size_in_bytes

__all__ = ["tile"]

# Elements of a piece: at most so many, and so many that what a round reads and writes of them stays
# in the nearest cache. A hundred rounds over five arrays of 65,536 numbers, four of them in double
# precision, take 1.9 ms in pieces of 1,024, and 3.1 ms in pieces of 2,048, which are 72 KB.
_MOST, _FEWEST, _CACHE = 2048, 256, 40 << 10


def tile(program: Program) -> None:
    """Change the loops of a program, in place."""
    _in_place(program.body)
    _in_pieces(program.body)


# ---- in place ------------------------------------------------------------------------------------


def _in_place(block: Block) -> None:
    for s in block:
        for inner in s.blocks():
            _in_place(inner)
    for s in [s for s in block if isinstance(s, Swap)]:
        _without_swap(block, s)


def _without_swap(block: Block, swap: Swap) -> None:
    """Write the new content into the old one's memory, if only one loop knows of both."""
    old, new = swap.one, swap.other
    users = {k: mentioned(s) & {old, new} for k, s in enumerate(block) if s is not swap}
    users = {k: found for k, found in users.items() if found}
    allocated = any(isinstance(s, Allocate) and s.buffer is new for s in block)
    if len(users) != 1 or not allocated or new.role != "own":
        return
    ((at, both),) = users.items()
    loop = block[at]
    if len(both) != 2 or not isinstance(loop, For) or loop.serial:
        return
    what = Summary().add(loop.body)
    own = [a for a in what.accesses if a.buffer in both]
    is_elementwise = all(row(a, loop.index, what) == (1, frozenset()) for a in own)
    if not is_elementwise or any(a.buffer is new and not a.is_write for a in own):
        return
    body = _stores_last(loop.body)
    if body is None:
        return
    body = [
        Store(old, s.offset, s.value) if isinstance(s, Store) and s.buffer is new else s
        for s in body
    ]
    block[at] = For(loop.index, loop.size, body, loop.serial, loop.most)
    gone = [swap, *(s for s in block if isinstance(s, Allocate) and s.buffer is new)]
    block[:] = [s for s in block if all(s is not x for x in gone)]


def _stores_last(body: Block) -> Block | None:
    """The same with all that is stored in registers before any is; None where that is not so."""
    lets: Block = []
    stores: Block = []
    stored: set[Buffer] = set()
    for s in body:
        if not isinstance(s, Let | Store):
            return None
        what = Summary().add([s])
        if any(a.buffer in stored and not a.is_write for a in what.accesses):
            return None
        if isinstance(s, Let):
            lets.append(s)
            continue
        value = s.value
        if value.function not in ("const", "read"):
            register = Register(f"{s.buffer.name}.new", value.type)
            lets.append(Let(register, value))
            value = read(register)
        stores.append(Store(s.buffer, s.offset, value))
        stored.add(s.buffer)
    return [*lets, *stores]


# ---- in pieces -----------------------------------------------------------------------------------


def _in_pieces(block: Block) -> None:
    for s in list(block):
        for inner in s.blocks():
            _in_pieces(inner)
        if isinstance(s, While):
            found = _pieces(s)
            if found is not None:
                start = next(k for k, x in enumerate(block) if x is s)
                block[start : start + 1] = found


def _pieces(loop: While) -> Sequence[Statement] | None:
    """A loop whose rounds each go over the elements of arrays once, piece by piece."""
    inner = [s for s in loop.body if isinstance(s, For)]
    if len(inner) != 1 or not isinstance(inner[0].size, int) or inner[0].serial:
        return None
    (each,) = inner
    size = each.size
    assert isinstance(size, int)
    rest = [*loop.test, *(s for s in loop.body if s is not each)]
    if size < 2 * _MOST or not all(isinstance(s, Let | Store | Assign) for s in each.body):
        return None
    if not all(isinstance(s, Let | Assign | Check | Poll) for s in rest):
        return None
    around, what = Summary(), Summary().add(each.body)
    around.add([s for s in rest if isinstance(s, Let | Assign)])
    around.expression(loop.condition)
    if around.accesses or what.assigned or not what.is_plain:
        return None
    written = {a.buffer for a in what.accesses if a.is_write}
    places = {row(a, each.index, what) for a in what.accesses if a.buffer in written}
    if places != {(1, frozenset())}:
        return None
    length = _length({a.buffer for a in what.accesses})
    state = list(dict.fromkeys(s.cell for s in rest if isinstance(s, Assign)))
    first = [Let(Register(f"{cell.name}.first", cell.type), read(cell)) for cell in state]
    cells = [Assign(c, read(s.register)) for c, s in zip(state, first, strict=True)]
    piece, begin = Register("piece", "i8"), Register("begin", "i8")
    count, left = Register("count", "i8"), call("sub", const(size, "i8"), read(begin))
    is_last = call("lt", left, const(length, "i8"))
    start = [
        Let(begin, call("mul", read(piece), const(length, "i8"))),
        Let(count, select(is_last, left, const(length, "i8"))),
    ]
    moved = {each.index: call("add", read(begin), read(each.index))}
    part = For(each.index, read(count), renamed(each.body, moved), each.serial, length)
    body = [part if s is each else _polled(s, length, size) for s in loop.body]
    pieces = -(-size // length)
    return [
        *first,
        For(piece, pieces, [*cells, *start, While(loop.test, loop.condition, body)], serial=True),
    ]


def _length(buffers: set[Buffer]) -> int:
    """How many elements a piece of these arrays has."""
    most = _CACHE // sum(size_in_bytes(buffer.type) for buffer in buffers)
    return min(_MOST, max(_FEWEST, most // _FEWEST * _FEWEST))


def _polled(s: Statement, length: int, size: int) -> Statement:
    """A look for signals after the work of a piece."""
    if not isinstance(s, Poll) or s.cost.function != "const":
        return s
    return Poll(s.site, index(max(1, int(s.cost.value) * length // size)))
