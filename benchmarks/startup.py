"""What a first call costs: import, conversion, trace."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograph.frontend.conversion import convert_function

__all__ = [
    "FIRST_CALLS",
    "IMPORTS",
    "conversion_times",
    "first_call",
    "import_time",
    "row_first_call",
]

# The package alone, for eager use and saved programs; and with the compiler.
IMPORTS = ("import numpy", "import autograph", "from autograph import convert")
_TIMED = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"


def import_time(statement: str, runs: int = 7) -> float:
    """Seconds of an import statement in a new process, median; bytecode is cached."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", _TIMED.format(statement)],
                capture_output=True,
                text=True,
                check=True,
                env=environment,
            ).stdout
        )
        for _ in range(runs + 1)
    ]
    return statistics.median(times[1:])


_BLOCK = """
    for i{k} in range(n):
        if x[i{k}] > {k}:
            total = total + x[i{k}] * {k}
        elif x[i{k}] < -{k}:
            total -= x[i{k}] / ({k} + 1)
        else:
            continue
    while total > {k}:
        total = total / 2
"""


def _fifty_lines(number: int) -> str:
    blocks = "".join(_BLOCK.format(k=k).removeprefix("\n") for k in range(5))
    return f"def f{number}(x, n):\n    total = 0.0\n{blocks}    x = x + 1\n    return total\n"


def conversion_times(functions: int = 25) -> tuple[float, float]:
    """Milliseconds to convert a 50-line function: cold and cached, medians."""
    cold, cached = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(functions):
            path = Path(folder) / f"module{number}.py"
            path.write_text(_fifty_lines(number))
            space: dict[str, object] = {"__name__": f"module{number}"}
            exec(compile(path.read_text(), str(path), "exec"), space)
            function = space[f"f{number}"]
            for times in (cold, cached):
                began = time.perf_counter()
                convert_function(function)  # type: ignore[arg-type]
                times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(cold), statistics.median(cached)


# Functions, and an argument for each.
FIRST_CALLS = {
    "x*x + 2": ("def f(x):\n    return x * x + 2\n", "np.float32(3)"),
    "collatz": (
        "def f(n):\n    steps = 0\n    while n != 1:\n"
        "        n = n // 2 if n % 2 == 0 else 3 * n + 1\n        steps += 1\n    return steps\n",
        "np.int64(27)",
    ),
    "smooth": (
        "def f(x):\n    y = (x[1:] + x[:-1]) / 2\n    return np.mean(y * y)\n",
        "np.ones(1000, np.float32)",
    ),
    "gelu": (
        "def f(x):\n    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))\n",
        "np.ones(1000, np.float32)",
    ),
}
_FIRST = """
import time, numpy as np, autograph as ag
{}
f, x = ag.convert(f), {}
began = time.perf_counter()
f(x)
print(time.perf_counter() - began)
"""


def first_call(name: str, runs: int = 7) -> dict[str, float]:
    """Milliseconds of the first call of a converted function in a new process, the least of runs.

    As native code with an empty folder of compiled code (cold), with one that has that of another
    function (new) and with one that has its own (warm); and as a plan.
    """
    times: dict[str, list[float]] = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            path, other = Path(folder) / "first.py", Path(folder) / "other.py"
            path.write_text(_FIRST.format(*FIRST_CALLS[name]))
            other.write_text(_FIRST.format("def f(x):\n    return -x\n", "np.float64(1)"))
            _time_of(other, f"{folder}/new")
            for kind, objects in (
                ("cold", "own"),
                ("new", "new"),
                ("warm", "own"),
                ("plan", "own"),
            ):
                took = _time_of(path, f"{folder}/{objects}", native=kind != "plan")
                times.setdefault(kind, []).append(took)
    return {kind: min(found) for kind, found in times.items()}


_ROW = """
import sys, time
from benchmarks.rows import ROWS
from runtime import warm_up
function, inputs = ROWS[{!r}].converted()
if "ready" in sys.argv:
    warm_up.finish()
times = [time.perf_counter()]
for _ in range(3):
    function(*inputs)
    times.append(time.perf_counter())
first, *others = (b - a for a, b in zip(times, times[1:]))
print(first - min(others))
"""


def row_first_call(name: str, runs: int = 3) -> dict[str, float]:
    """Milliseconds that the first call of a row takes beyond another one.

    In a new process, the least of runs: with an empty folder of compiled code, at once (cold) and
    when LLVM is there, which is brought in from the conversion on (ready); and with a folder that
    has its own (warm). All imports but that of the packages themselves are in the cold one.
    """
    times: dict[str, list[float]] = {"cold": [], "ready": [], "warm": []}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "row.py"
            path.write_text(_ROW.format(name))
            for kind, found in times.items():
                objects = f"{folder}/ready" if kind == "ready" else f"{folder}/objects"
                found.append(_time_of(path, objects, kind))
    return {kind: min(found) for kind, found in times.items()}


def _time_of(path: Path, objects: str, *arguments: str, native: bool = True) -> float:
    """Milliseconds that a program prints as seconds; bytecode is cached."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"AUTOGRAPH_CACHE_DIR": objects, "AUTOGRAPH_NATIVE": str(int(native))}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    command = [sys.executable, str(path), *arguments]
    child = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return 1e3 * float(child.stdout)
