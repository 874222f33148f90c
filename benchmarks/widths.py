"""How far a graph is ahead of eager steps, by the width of layers: `python -m benchmarks.widths`.

The smaller the computation, the more of an eager step is Python, which a graph leaves behind. Three
dense layers are trained on a batch of 256 rows, with a tape; each row of the table is a width, with
microseconds of a step by the clock of the process, the least of interleaved turns, and the curve as
bars. Threads that wait for others are counted: it is to be run on one core, as by `taskset -c 0`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.timing import Timing, interleaved

__all__ = ["WIDTHS", "ahead", "main", "times"]

WIDTHS = (8, 32, 128, 512)
_BATCH, _LAYERS = 256, 3


def _calls(width: int) -> dict[str, Callable[[], Any]]:
    """A step of layers of a width, eagerly and as a graph."""
    rng = np.random.default_rng(0)
    kernels = [
        ag.Variable(rng.standard_normal((width, width)).astype(np.float32) / width)
        for _ in range(_LAYERS)
    ]
    biases = [ag.Variable(np.zeros(width, np.float32)) for _ in range(_LAYERS)]
    x, y = (ag.constant(rng.standard_normal((_BATCH, width)).astype(np.float32)) for _ in "xy")

    def step() -> Any:
        with ag.GradientTape() as tape:
            out = x
            for kernel, bias in zip(kernels, biases, strict=True):
                out = ag.nn.relu(out @ kernel + bias)
            loss = ag.mean((out - y) ** 2)
        weights = [*kernels, *biases]
        for weight, slope in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * slope)
        return loss

    return {"eager": step, "graph": ag.convert(step)}


def times(width: int, rounds: int = 15, seconds: float = 0.02) -> dict[str, Timing]:
    """What a step takes, eagerly and as a graph."""
    return interleaved(_calls(width), rounds, seconds, time.process_time)


def ahead(found: dict[str, Timing]) -> float:
    """How many graphs run in the time of an eager step."""
    return found["eager"].least / found["graph"].least


def main(widths: Sequence[int] = WIDTHS) -> None:
    """Print the table."""
    print(f"{'width':>6} {'eager, us':>10} {'graph, us':>10} {'ahead':>7}")
    for width in widths:
        found = times(width)
        ratio = ahead(found)
        eager, graph = found["eager"].least, found["graph"].least
        print(f"{width:6} {eager:10.1f} {graph:10.1f} {ratio:6.2f}x {'-' * round(ratio)}")


if __name__ == "__main__":
    main()
