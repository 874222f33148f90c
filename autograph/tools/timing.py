"""What a function costs traced and untraced: from which call on its graph has paid."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Stats", "timed"]

# Calls are repeated for so long.
_SECONDS = 0.02


class Stats(NamedTuple):
    """Milliseconds; those of calls are None where no arguments were given."""

    # The graphs that were made, and what tracing for them cost.
    traces: int
    trace: float
    # A first call, which converts, traces and compiles; a later one; one without a graph.
    first_call: float | None = None
    call: float | None = None
    plain_call: float | None = None

    @property
    def break_even(self) -> int | None:
        """The call with which the graph has cost less than plain Python; None if it never does.

        >>> Stats(1, 5.0, 9.0, 1.0, 3.0).break_even
        4
        """
        if self.first_call is None or self.call is None or self.plain_call is None:
            return None
        if self.plain_call <= self.call:
            return None
        ahead = (self.first_call - self.call) / (self.plain_call - self.call)
        return max(math.ceil(ahead), 1)

    def __str__(self) -> str:
        made = f"{self.traces} trace{'' if self.traces == 1 else 's'}, {self.trace:.3g} ms"
        if self.call is None:
            return made
        pays = "never pays"
        if self.break_even is not None:
            pays = f"has paid with call {self.break_even}"
        return (
            f"{made}; first call {self.first_call:.3g} ms, later {self.call:.3g} ms, "
            f"plain Python {self.plain_call:.3g} ms: the graph {pays}"
        )


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    """Milliseconds of a first call, and of the fastest of later ones."""
    first = _milliseconds(call)
    later, end = math.inf, time.perf_counter() + _SECONDS
    while later is math.inf or time.perf_counter() < end:
        later = min(later, _milliseconds(call))
    return first, later


def _milliseconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - began)
