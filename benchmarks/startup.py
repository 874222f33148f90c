"""What a first call costs: import, conversion, trace."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograph.conversion import convert_function

__all__ = ["conversion_times", "import_time"]

_IMPORT = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def import_time(module: str, runs: int = 7) -> float:
    """Seconds of `import module` in a new process, median; bytecode is cached."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", _IMPORT.format(module)],
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
