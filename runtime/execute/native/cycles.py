"""What kernels of native code take, in cycles of the processor's clock."""

from __future__ import annotations

import ctypes
import platform
import time
from functools import cache
from typing import NamedTuple

import numpy as np

from runtime.execute.native import engine, library
from runtime.origins import Origin

__all__ = ["Kernel", "KernelTimes", "seconds_per_cycle"]

_CLOCK = """
declare i64 @llvm.readcyclecounter()

define i64 @clock() {
  %clock = call i64 @llvm.readcyclecounter()
  ret i64 %clock
}
"""
# Seconds for which the clock is compared with that of the system.
_COMPARED = 0.01


class Kernel(NamedTuple):
    """What a kernel does, the user's positions it comes from, and the row of the loop around it."""

    what: str
    origins: tuple[Origin, ...]
    around: int | None


class KernelTimes:
    """The kernels of a program, and a row of `counters` for each: its cycles and its calls."""

    def __init__(self) -> None:
        self.kernels: list[Kernel] = []
        self.counters = np.zeros((0, 2), np.int64)


@cache
def seconds_per_cycle() -> float:
    """How long a cycle of the clock takes, which need not be one of the processor's.

    Raises Unavailable where programs may not read the clock.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        raise library.Unavailable(f"there is no clock to read on {platform.machine()}")
    code = engine.load(engine.compile_text(_CLOCK, engine.QUICK))
    clock = ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("clock"))
    began, first = time.perf_counter(), clock()
    while time.perf_counter() < began + _COMPARED:
        pass
    return (time.perf_counter() - began) / int(clock() - first)
