"""What trace, passes and plan cost per node of a graph, and how that grows with its size."""

from __future__ import annotations

import gc
import random
import time
from itertools import pairwise
from types import FunctionType
from typing import NamedTuple

import numpy as np

import autograph as ag
from autograph.frontend.conversion import convert_function
from runtime.execute import plan
from runtime.passes import PIPELINE
from runtime.process.collector import rarely

__all__ = [
    "ON_ARRAYS",
    "PROGRAMS",
    "Cost",
    "compile_costs",
    "conversion_cost",
    "nested",
    "straight",
    "transcendental",
]


class Cost(NamedTuple):
    """Microseconds per node of the traced graph."""

    nodes: int
    trace: float
    passes: float
    plan: float

    @property
    def total(self) -> float:
        """All three together."""
        return self.trace + self.passes + self.plan


def straight(statements: int) -> FunctionType:
    """A function of so many statements, one operation each, in no order that is repeated."""
    rng = random.Random(0)
    lines = ["def f(x, y):"]
    for i in range(statements):
        name, other = ("x", "y") if i % 2 else ("y", "x")
        other = rng.choice([other, f"{i % 7}.5"])
        lines.append(f"    {name} = {name} {rng.choice('+-*')} {other}")
    return _function([*lines, "    return x, y"])


def transcendental(statements: int) -> FunctionType:
    """A function of so many statements: sin, cos and tanh of some of the last eight values."""
    rng = random.Random(0)
    names = ["x", "y"]
    lines = ["import numpy as np", "def f(x, y):"]
    for i in range(statements):
        one, other = rng.choice(names[-8:]), rng.choice(names[-8:])
        lines.append(f"    v{i} = np.{('sin', 'cos', 'tanh')[i % 3]}({one}) + {other} * 0.5")
        names.append(f"v{i}")
    return _function([*lines, f"    return {' + '.join(names[-8:])}"])


def nested(statements: int, depth: int = 4) -> FunctionType:
    """A function of so many statements, in loops and branches that are `depth` deep."""
    lines = ["def f(x, y):"]
    for _ in range(max(statements // (3 * depth), 1)):
        for d in range(depth):
            pad = "    " * (d + 1)
            lines.append(pad + (f"if y > {d}:" if d % 2 == 0 else "while y < x:"))
            lines += [pad + "    x = x * 1.5", pad + "    y = y + x"]
    return _function([*lines, "    return x, y"])


def deep(statements: int) -> FunctionType:
    """As `nested`, 12 deep."""
    return nested(statements, 12)


def successive(statements: int) -> FunctionType:
    """A function of so many statements, each second of them an `if` that may bind one name anew."""
    lines = ["def f(x, y):"]
    for i in range(statements // 2):
        lines += [f"    if y[0] > {i}:", "        x = x * 1.5"]
    return _function([*lines, "    return x, y"])


def called(statements: int) -> FunctionType:
    """A function of so many statements, four in each of the functions that it calls."""
    count = max(statements // 4, 1)
    lines = []
    for i in range(count):
        lines += [f"def g{i}(x, y):", f"    x = x * {i}.5", "    y = y + x", "    return x - y, y"]
    lines += ["def f(x, y):", *(f"    x, y = g{i}(x, y)" for i in range(count))]
    return _function([*lines, "    return x, y"])


PROGRAMS = {
    "straight": straight,
    "called": called,
    "nested": nested,
    "deep": deep,
    "successive": successive,
}
ON_ARRAYS = ("straight", "called", "successive")


def _function(lines: list[str]) -> FunctionType:
    module = ag.convert_source("\n".join(lines), "benchmark")
    found: FunctionType = module.f
    return found


def conversion_cost(name: str, statements: int) -> float:
    """Microseconds per statement to convert one program."""
    plain = PROGRAMS[name](statements)
    began = time.perf_counter()
    convert_function(plain)
    return 1e6 * (time.perf_counter() - began) / statements


def compile_costs(name: str, statements: int) -> Cost:
    """The cost for one program, which is converted before, with what it calls."""
    plain = PROGRAMS[name](statements)
    x = np.ones(4) if name in ON_ARRAYS else np.float64(1)
    ag.convert(plain).get_concrete_function(x, x)
    gc.collect()  # so that the collector does not free that first graph within the second's time
    times = [time.perf_counter()]
    concrete = ag.convert(plain).get_concrete_function(x, x)
    times.append(time.perf_counter())
    with rarely:
        graph = concrete.graph
        better = graph
        for step in PIPELINE:
            better = step(better)
        times.append(time.perf_counter())
        plan.prepare(better)
        times.append(time.perf_counter())
    nodes = sum(1 for _ in graph.walk())
    return Cost(nodes, *(1e6 * (b - a) / nodes for a, b in pairwise(times)))
