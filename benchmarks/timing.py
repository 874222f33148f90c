"""Timing of several candidates in one run, interleaved, so that drift of the machine hits all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["Timing", "interleaved", "once"]


@dataclass(frozen=True)
class Timing:
    """Microseconds per call: median and least of the blocks; the first call in milliseconds."""

    median: float
    least: float
    spread: float
    first: float


def once(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    began = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - began)


def interleaved(
    calls: Mapping[str, Callable[[], object]],
    rounds: int = 15,
    seconds: float = 0.02,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Time all candidates in rounds A B C A B C; each block lasts about `seconds`."""
    first = {name: once(call) for name, call in calls.items()}
    repeats = {name: _repeats(call, seconds) for name, call in calls.items()}
    blocks: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            blocks[name].append(_block(call, repeats[name], clock))
    return {name: _timing(blocks[name], first[name]) for name in calls}


def _repeats(call: Callable[[], object], seconds: float) -> int:
    call()
    cost = max(once(call) / 1e3, 1e-8)
    return max(1, int(seconds / cost))


def _block(call: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    began = clock()
    for _ in range(repeats):
        call()
    return 1e6 * (clock() - began) / repeats


def _timing(blocks: list[float], first: float) -> Timing:
    quarter = max(len(blocks) // 4, 1)
    ordered = sorted(blocks)
    median = statistics.median(blocks)
    return Timing(median, ordered[0], ordered[-quarter] - ordered[quarter - 1], first)
