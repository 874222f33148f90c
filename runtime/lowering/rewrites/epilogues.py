"""What is done to each element of a product is done where the product is made.

The loops behind a contraction that read each element of its result once, and write an element of
another array in the same place, write it into the same memory. Where the contraction has loops
around it, as over images and lines of a convolution, both stand within these: the second reads what
the first has just put into the cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from runtime.lowering.kernels.kernel import (
    Allocate,
    Block,
    Buffer,
    CallOut,
    Contract,
    Copy,
    Dim,
    For,
    Let,
    Move,
    Program,
    Register,
    Store,
    Swap,
    read,
    walk,
)
from runtime.lowering.kernels.scalar import Expr
from runtime.lowering.kernels.strides import plus, times
from runtime.lowering.rewrites.parallel import LARGE, PARTS

__all__ = ["join_epilogues"]


def join_epilogues(program: Program) -> None:
    """Join contractions of a program with the loops that read them."""
    if not any(isinstance(s, Contract) for s in walk(program.body)):
        return
    uses = Counter(_used(program.body))
    uses.update(r.buffer for r in program.results if r.buffer is not None)
    for result in program.results:
        if result.value is not None:
            uses.update(part.value for part in _loads_of(result.value))
    _join(program, program.body, uses)


def _join(program: Program, block: Block, uses: Counter[Buffer]) -> None:
    for statement in block:
        for inner in statement.blocks():
            _join(program, inner, uses)
    k = 0
    while k < len(block):
        found = block[k]
        if isinstance(found, Contract):
            at = _reader(block, k)
            if at is not None:
                _join_two(program, block, k, at, uses)
        k += 1


def _used(block: Block) -> Iterator[Buffer]:
    """The buffers that statements name, once for each time."""
    for s in block:
        for x in s.computed():
            yield from (part.value for part in _loads_of(x))
        if isinstance(s, Store):
            yield s.buffer
        elif isinstance(s, Copy | Move):
            yield from (s.target, s.source)
        elif isinstance(s, Swap):
            yield from (s.one, s.other)
        elif isinstance(s, Contract):
            yield from (s.target, s.x, s.y)
        elif isinstance(s, CallOut):
            yield from (h.buffer for h in (*s.operands, *s.results) if h.buffer is not None)
        for inner in s.blocks():
            yield from _used(inner)


def _loads_of(x: Expr) -> Iterator[Expr]:
    """The loads in an expression, each once."""
    return (part for part in x.sources if part.function == "load")


def _reader(block: Block, k: int) -> int | None:
    """Where the loops are that read what a contraction gives, if nothing much stands between."""
    contract = block[k]
    assert isinstance(contract, Contract)
    for at in range(k + 1, len(block)):
        s = block[at]
        is_reader = contract.target in set(_used([s]))
        if isinstance(s, For) and is_reader:
            return at
        if is_reader or not isinstance(s, Let | Allocate):
            return None
    return None


def _join_two(program: Program, block: Block, k: int, at: int, uses: Counter[Buffer]) -> None:
    contract, loop = block[k], block[at]
    assert isinstance(contract, Contract) and isinstance(loop, For)
    loops, body = _nest(loop)
    stores = [s for s in body if isinstance(s, Store)]
    if len(stores) != 1 or not all(isinstance(s, Let | Store) for s in body):
        return
    (store,) = stores
    loads = list(_loads(body, contract.target))
    # The contraction writes it, these loops read it, and nobody else does either.
    if uses[contract.target] != 1 + len(loads):
        return
    still = {loop.index for loop in loops if loop.size == 1}
    if not all(_is_same(offset, store.offset, still) for offset in loads):
        return
    is_new = _is_new(block[:at], store.buffer, uses)
    is_here = any(isinstance(s, Allocate) and s.buffer is contract.target for s in block[:k])
    if is_new and is_here and _may_share(contract.target, store.buffer):
        _share(program, block, contract.target, store.buffer)
        k, at = block.index(contract), block.index(loop)
    _nest_both(block, k, at, loops)


def _nest(loop: For) -> tuple[list[For], Block]:
    """Loops that hold nothing but each other, and what the last one does."""
    loops = [loop]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], For):
        loops.append(loops[-1].body[0])
    return loops, loops[-1].body


def _loads(body: Block, buffer: Buffer) -> Iterator[Expr]:
    """The offsets at which a buffer is read."""
    for s in body:
        for x in s.computed():
            yield from (part.args[0] for part in _loads_of(x) if part.value is buffer)


def _is_same(one: Expr, other: Expr, still: set[Register]) -> bool:
    """Whether two offsets are the same; registers that are always 0 do not matter."""
    found = _terms(one, still)
    return found is not None and found == _terms(other, still)


def _terms(x: Expr, still: set[Register]) -> dict[object, int] | None:
    """An offset as registers with their factors; None if it is no such sum."""
    if x.function == "const":
        return {None: x.value} if x.value else {}
    if x.function == "read":
        return {} if x.value in still else {x.value: 1}
    if x.function not in ("add", "mul"):
        return None
    one, other = (_terms(a, still) for a in x.args)
    if one is None or other is None:
        return None
    if x.function == "add":
        return {k: one.get(k, 0) + other.get(k, 0) for k in {**one, **other}}
    if set(one) <= {None}:
        one, other = other, one
    if not set(other) <= {None}:
        return None
    factor = other.get(None, 0)
    return {k: n * factor for k, n in one.items()} if factor else {}


def _may_share(one: Buffer, other: Buffer) -> bool:
    """Whether a buffer can be in the memory of another."""
    is_made = one.role == "own" and other.role in ("own", "result") and one is not other
    return is_made and one.type == other.type and _count(one) == _count(other) is not None


def _is_new(before: Block, buffer: Buffer, uses: Counter[Buffer]) -> bool:
    """Whether nothing is in the memory of a buffer yet."""
    if any(isinstance(s, Allocate) and s.buffer is buffer for s in before):
        return buffer not in set(_used(before))
    return buffer.role == "result" and uses[buffer] == 2  # what writes it, and the result


def _count(buffer: Buffer) -> int | None:
    count = 1
    for size in buffer.shape:
        if not isinstance(size, int):
            return None
        count *= size
    return count


def _share(program: Program, block: Block, one: Buffer, other: Buffer) -> None:
    """Let a buffer be in the memory of another."""
    program.shared[one] = other
    one.name = other.name
    allocations = {s.buffer: s for s in block if isinstance(s, Allocate)}
    block.remove(allocations[one])
    if other in allocations:
        block.remove(allocations[other])
    block.insert(0, Allocate(other))


def _nest_both(block: Block, k: int, at: int, loops: list[For]) -> None:
    """Put a contraction, and what reads it, into the loops around both."""
    contract = block[k]
    assert isinstance(contract, Contract)
    around = list(contract.outer)
    sizes = [axis.size for axis in around]
    known = [n for n in sizes if isinstance(n, int)]
    if not around or len(known) < len(sizes) or any(a.y != 0 for a in around):
        return
    if contract.column.y != 1 or known[0] < PARTS // 2 and _products(contract) >= LARGE:
        return
    steps = [axis.out for axis in around]
    if len(loops) == 1:
        new = _flat(contract, loops[0], steps, known)
    else:
        new = _deep(contract, loops, steps, known)
    if new is not None:
        block[at] = new
        del block[k]


def _products(contract: Contract) -> int:
    total = 1
    for axis in (*contract.outer, contract.row, contract.column, *contract.inner):
        total *= axis.size if isinstance(axis.size, int) else 1
    return total


def _moved(contract: Contract, indices: Sequence[Expr]) -> Contract:
    """The contraction at indices of the axes around it."""
    starts: list[Dim] = list(contract.starts)
    for axis, i in zip(contract.outer, indices, strict=True):
        for n, step in enumerate((axis.x, axis.y, axis.out)):
            starts[n] = plus(starts[n], times(i, step))
    return Contract(
        contract.target, contract.x, contract.y, [], contract.row, contract.column,
        contract.inner, (starts[0], starts[1], starts[2]),
    )  # fmt: skip


def _flat(contract: Contract, loop: For, steps: list[Dim], sizes: list[int]) -> For | None:
    """Loops for one that goes over all elements in the order of memory."""
    size = loop.size
    for n, step in zip(sizes, steps, strict=True):
        if not isinstance(size, int) or not isinstance(step, int) or n * step != size:
            return None
        size = step
    indices = [Register(f"{loop.index.name}.around{k}", "i8") for k in range(len(sizes))]
    last = Register(f"{loop.index.name}.inside", "i8")
    position: Dim = read(last)
    for register, step in zip(indices, steps, strict=True):
        position = plus(times(read(register), step), position)
    assert isinstance(position, Expr)
    inside: Block = [
        _moved(contract, [read(r) for r in indices]),
        For(last, size, [Let(loop.index, position), *loop.body]),
    ]
    return _around(indices, sizes, inside)


def _deep(contract: Contract, loops: list[For], steps: list[Dim], sizes: list[int]) -> For | None:
    """The outer loops of a nest around the contraction as well."""
    shape = contract.target.shape
    if len(loops) != len(shape) or [loop.size for loop in loops] != list(shape):
        return None
    step = _count(contract.target)
    if step is None:
        return None
    found: list[For] = []
    rest = list(zip(sizes, steps, strict=True))
    for loop in loops:
        if not rest:
            break
        assert isinstance(loop.size, int)
        step //= max(loop.size, 1)
        if loop.size != 1 and rest.pop(0) != (loop.size, step):
            return None
        found.append(loop)
    if rest or len(found) == len(loops):
        return None
    indices = [read(loop.index) for loop in found if loop.size != 1]
    inside: Block = [_moved(contract, indices), loops[len(found)]]
    return _around([loop.index for loop in found], [loop.size for loop in found], inside)


def _around(indices: Sequence[Register], sizes: Sequence[Dim], inside: Block) -> For:
    for index, size in zip(reversed(indices), reversed(sizes), strict=True):
        inside = [For(index, size, inside)]
    (loop,) = inside
    assert isinstance(loop, For)
    return loop
