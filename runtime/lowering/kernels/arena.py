"""Where the buffers of a call lie in its memory: those that are never needed together may overlap.

A buffer is needed from the first to the last statement of the program that has to do with it; what
stands in a loop or branch counts as all of that statement. The largest are placed first, each as
far in front as those leave room that are needed meanwhile (greedy by size: Y. Pisarchyk and J. Lee,
"Efficient Memory Management for Deep Neural Net Inference", 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from runtime.lowering.kernels.kernel import Buffer, Program, Swap, walk
from runtime.lowering.kernels.merging import Summary, mentioned
from runtime.lowering.kernels.scalar import Expr

__all__ = ["Life", "lives", "offsets"]

_LINE = 64


class Life(NamedTuple):
    """The first and the last statement of the program that have to do with a buffer."""

    first: int
    last: int


def lives(program: Program) -> dict[Buffer, Life]:
    """When each buffer of a program is needed."""
    found: dict[Buffer, Life] = {}

    def needed(buffer: Buffer, at: int) -> None:
        first, last = found.get(buffer, (at, at))
        found[buffer] = Life(min(first, at), max(last, at))

    for at, statement in enumerate(program.body):
        for buffer in mentioned(statement):
            needed(buffer, at)
    end, results = len(program.body), Summary()
    for result in program.results:
        if isinstance(result.value, Expr):
            results.expression(result.value)
        if result.buffer is not None:
            needed(result.buffer, end)
    for access in results.accesses:
        needed(access.buffer, end)
    for part, whole in program.shared.items():
        for at in found.get(part, ()):
            needed(whole, at)
    for swap in walk(program.body):
        if not isinstance(swap, Swap):
            continue
        # Which of the two places holds what is not known behind it.
        both = [found[b] for b in (swap.one, swap.other) if b in found]
        found[swap.one] = found[swap.other] = Life(min(x.first for x in both), end)
    return found


def offsets(sizes: Mapping[Buffer, int], needed: Mapping[Buffer, Life]) -> dict[Buffer, int]:
    """The offset of each buffer, in bytes: a multiple of 64."""
    placed: dict[Buffer, int] = {}
    for buffer in sorted(sizes, key=lambda b: -sizes[b]):
        life = needed.get(buffer, Life(0, 0))
        taken = sorted(
            (at, at + _rounded(sizes[other]))
            for other, at in placed.items()
            if _meet(needed.get(other, Life(0, 0)), life)
        )
        place = 0
        for start, stop in taken:
            if start - place >= _rounded(sizes[buffer]):
                break
            place = max(place, stop)
        placed[buffer] = place
    return placed


def _rounded(size: int) -> int:
    return -(-size // _LINE) * _LINE


def _meet(one: Life, other: Life) -> bool:
    return one.first <= other.last and other.first <= one.last
