"""What each kernel of native code costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from runtime import config
from runtime.execute.native.cycles import KernelTimes, seconds_per_cycle
from runtime.execute.native.library import Unavailable
from runtime.execute.observers import timing_kernels
from runtime.markup import code, table, words
from runtime.origins import Origin
from runtime.places import short_place

__all__ = ["KernelCost", "KernelProfile", "NoKernels", "profiled_kernels"]


class NoKernels(ValueError):
    """Nothing of a function is native code, or its kernels cannot be timed."""


class KernelCost(NamedTuple):
    """What a kernel does and where it comes from; what it cost in a call.

    `around` is the number of the loop that it stands in, whose cost has its own in it. `calls` may
    be a fraction where not all calls of the function were alike.
    """

    what: str
    place: str
    around: int | None
    calls: float
    microseconds: float


@dataclass(frozen=True, repr=False)
class KernelProfile:
    """The result of the last call, the microseconds of a call, and what its kernels cost."""

    result: Any
    microseconds: float
    kernels: tuple[KernelCost, ...]

    @property
    def rest(self) -> float:
        """The microseconds of a call that are not a kernel's: the entry, single numbers."""
        return self.microseconds - sum(k.microseconds for k in self.kernels if k.around is None)

    def __repr__(self) -> str:
        rows = [
            f"{cost:>10} {calls:>8} {share:>6}  {'  ' * depth}{what}"
            + (f"   # {place}" if place else "")
            for cost, calls, share, depth, what, place in self._rows()
        ]
        return "\n".join([f"{'us':>10} {'calls':>8} {'share':>6}  kernel", *rows])

    def _repr_html_(self) -> str:
        rows = [
            (cost, calls, share, code("  " * depth + what), words(place))
            for cost, calls, share, depth, what, place in self._rows()
        ]
        return table(("us", "calls", "share", "kernel", "place"), rows)

    def _rows(self) -> Iterator[tuple[str, str, str, int, str, str]]:
        """Microseconds, calls, share, depth, kernel and place."""
        for kernel in self.kernels:
            is_whole = kernel.calls == round(kernel.calls)
            calls = f"{kernel.calls:.{0 if is_whole else 1}f}"
            cost = self._cost(kernel.microseconds)
            yield cost[0], calls, cost[1], self._depth(kernel), kernel.what, kernel.place
        cost = self._cost(self.rest)
        yield cost[0], "", cost[1], 0, "the rest: the entry, single numbers", ""

    def _cost(self, microseconds: float) -> tuple[str, str]:
        return f"{microseconds:.3f}", f"{microseconds / self.microseconds:.1%}"

    def _depth(self, kernel: KernelCost) -> int:
        depth = 0
        while kernel.around is not None:
            kernel = self.kernels[kernel.around]
            depth += 1
        return depth


def profiled_kernels(call: Callable[[], Any], seconds: float = 0.0) -> KernelProfile:
    """What the kernels cost that a call runs: it must run its graph for the first time.

    It is called once to be compiled, and then for about `seconds`, at least once. Raises NoKernels
    where nothing of it is native code, and where there is no clock that it may read.
    """
    try:
        cycle = seconds_per_cycle()
    except Unavailable as error:
        raise NoKernels(f"kernels cannot be timed: {error}") from None
    found: list[KernelTimes] = []
    with timing_kernels(found), config.leave_to_python.using(False):
        call()
    if not found:
        raise NoKernels("nothing of this function runs as native code; `explain()` says why")
    for times in found:
        times.counters[:] = 0
    count, began = 0, time.perf_counter()
    while not count or time.perf_counter() < began + seconds:
        result = call()
        count += 1
    took = time.perf_counter() - began
    kernels: list[KernelCost] = []
    for times in found:
        first = len(kernels)
        for kernel, (cycles, calls) in zip(times.kernels, times.counters.tolist(), strict=False):
            around = None if kernel.around is None else first + kernel.around
            cost = 1e6 * cycle * cycles / count
            kernels.append(
                KernelCost(kernel.what, _place(kernel.origins), around, calls / count, cost)
            )
    return KernelProfile(result, 1e6 * took / count, tuple(kernels))


def _place(origins: tuple[Origin, ...]) -> str:
    """The lines, with the name of each file once."""
    lines: dict[str, list[int]] = {}
    for origin in origins:
        lines.setdefault(origin.filename, []).append(origin.lineno)
    return ", ".join(short_place(name, *dict.fromkeys(numbers)) for name, numbers in lines.items())
