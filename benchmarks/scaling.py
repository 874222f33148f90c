"""How times grow: `python -m benchmarks.scaling [FOLDER]` draws two pictures for the guide.

`scaling_compile.svg` is the first call against the number of statements, `scaling_run.svg` a later
call against the size of the data, for each kind of loop. Both axes are logarithmic, so that a slope
of 1 is time in proportion; that of the upper half of the sizes stands beside each name. Times are
of the clock of the process, which others on the machine do not turn: the least of some turns.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import autograph as ag
from benchmarks.compile_time import ON_ARRAYS, PROGRAMS
from runtime import config

__all__ = [
    "LOOPS",
    "SIZES",
    "STATEMENTS",
    "compile_seconds",
    "draw",
    "main",
    "run_seconds",
    "slope",
]

STATEMENTS = (30, 100, 300, 1_000, 3_000)
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)

Times = dict[int, float]


def _over_range(n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total = total * 0.5 + i
    return total


def _while(n: Any) -> Any:
    total = 0.0
    while n > 0:
        total = total * 0.5 + n
        n = n - 1
    return total


def _nested(n: Any) -> Any:
    total = 0.0
    for i in range(n // 100):
        for j in range(100):
            total = total * 0.5 + (i ^ j)
    return total


def _over_an_array(x: Any) -> Any:
    total = 0.0
    for v in x:
        total = total * 0.5 + v
    return total


def _growing_list(x: Any) -> Any:
    kept = []
    for v in x:
        if v % 3 != 0:
            kept.append(v * 2)
    return len(kept), kept[-1]


def _dict_by_data(x: Any) -> Any:
    counts = {}
    for v in x:
        key = int(v)
        counts[key] = counts.get(key, 0) + 1
    return len(counts)


# Each kind of loop, and what it is given for a size.
LOOPS: dict[str, tuple[Callable[[Any], Any], Callable[[int], Any]]] = {
    "for over range": (_over_range, np.int64),
    "while": (_while, np.int64),
    "nested": (_nested, np.int64),
    "for over an array": (_over_an_array, lambda n: np.arange(n) * 0.5),
    "growing list": (_growing_list, np.arange),
    "dict by data": (_dict_by_data, lambda n: np.random.default_rng(0).integers(0, n, n)),
}


def _seconds(call: Callable[[], Any]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def compile_seconds(name: str, statements: int, turns: int = 3) -> float:
    """The least time of a first call, of programs of which none is kept from one before."""
    x = np.ones(4) if name in ON_ARRAYS else np.float64(1)
    with config.cache_dir.using("off"):
        programs = [PROGRAMS[name](statements + turn) for turn in range(turns)]
        return min(_seconds(lambda f=f: ag.convert(f)(x, x)) for f in programs)


def run_seconds(name: str, size: int, turns: int = 7) -> float:
    """The least time of a later call."""
    function, given = LOOPS[name]
    converted, x = ag.convert(function), given(size)
    for _ in range(2):
        converted(x)
    return min(_seconds(lambda: converted(x)) for _ in range(turns))


def slope(times: Times) -> float:
    """By which power of the size the time grows, over the upper half of the sizes."""
    upper = sorted(times)[-max(2, (len(times) + 1) // 2) :]
    logs = [(math.log(size), math.log(times[size])) for size in upper]
    return float(np.polyfit(*zip(*logs, strict=True), 1)[0])


def draw(title: str, along: str, curves: Mapping[str, Times]) -> Figure:
    """A picture of times against sizes, with the slope beside each name."""
    figure = Figure(figsize=(5.6, 3.6), layout="constrained")
    axes = figure.subplots()
    for (name, times), marker in zip(curves.items(), "osD^vx", strict=False):
        axes.loglog([*times], [*times.values()], marker=marker, label=f"{name}: {slope(times):.2f}")
    axes.set(title=title, xlabel=along, ylabel="seconds of the processor")
    axes.grid(alpha=0.25)
    axes.legend(title="slope", frameon=False, fontsize="small")
    return figure


def main(arguments: Sequence[str] = ()) -> None:
    """Measure, print the slopes, and write the pictures."""
    folder = Path(arguments[0] if arguments else "docs/guide")
    drawings = {
        "compile": ("First call", "statements", PROGRAMS, compile_seconds, STATEMENTS),
        "run": ("Later call", "size", LOOPS, run_seconds, SIZES),
    }
    style = {"svg.fonttype": "none", "svg.hashsalt": "autograph", "savefig.facecolor": "white"}
    for name, (title, along, programs, seconds, sizes) in drawings.items():
        curves = {p: {size: seconds(p, size) for size in sizes} for p in programs}
        print(f"{title}: slopes", {p: round(slope(times), 2) for p, times in curves.items()})
        with mpl.rc_context(style):
            file = folder / f"scaling_{name}.svg"
            metadata: Any = {"Date": None, "Creator": None}
            draw(title, along, curves).savefig(file, metadata=metadata)


if __name__ == "__main__":
    main(sys.argv[1:])
