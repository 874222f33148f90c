"""Large arrays that a loop computes element by element are made in the memory of what they are of.

Where each element of a new array is computed from the same element of one that nothing reads any
more, there is no need for other memory: less has to be touched for the first time, and less goes
through the caches.
"""

from __future__ import annotations

from collections import Counter

from runtime.lowering.kernels.arena import Life, lives
from runtime.lowering.kernels.kernel import Allocate, Buffer, For, Program, product, walk, written
from runtime.lowering.kernels.scalar import size_in_bytes
from runtime.lowering.rewrites.overwriting import is_by_element

__all__ = ["LARGE", "reuse"]

# Smaller arrays stay in a cache, wherever they are.
LARGE = 1 << 18


def reuse(program: Program) -> None:
    """Have arrays of a program be made in the memory of others, in place."""
    large = [s.buffer for s in program.body if isinstance(s, Allocate) and _size(s.buffer) >= LARGE]
    if len(large) < 2:
        return
    life, gone = lives(program), set()
    writers = Counter(
        b for s in walk(program.body) if not isinstance(s, Allocate) for b in written([s])
    )
    for new in large:
        if new not in life or writers[new] != 1 or new in program.shared.values():
            continue
        at = life[new].first
        if not isinstance(program.body[at], For):
            continue
        for old in large:
            if _may_reuse(program, life, old, new, at):
                whole = program.shared.get(old, old)
                program.shared[new] = whole
                new.name = whole.name
                life[whole] = Life(life[whole].first, life[new].last)
                gone.add(new)
                break
    if gone:
        program.body[:] = [
            s for s in program.body if not isinstance(s, Allocate) or s.buffer not in gone
        ]


def _size(buffer: Buffer) -> int:
    """The bytes of an array that is there for one call; 0 where the run tells."""
    count = product(buffer.shape)
    if buffer.role != "own" or buffer.room is not None or not isinstance(count, int):
        return 0
    return count * size_in_bytes(buffer.type)


def _may_reuse(
    program: Program, life: dict[Buffer, Life], old: Buffer, new: Buffer, at: int
) -> bool:
    """Whether a statement makes `new` of `old` element by element, and nothing reads that later."""
    whole = program.shared.get(old, old)
    if old is new or (old.type, _size(old)) != (new.type, _size(new)):
        return False
    if old not in life or life[old].last != at or life[whole].last != at:
        return False
    return is_by_element([program.body[at]], program.body[at], old, new)
