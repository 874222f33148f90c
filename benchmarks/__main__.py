"""Run the benchmarks: `python -m benchmarks [NAME ...]`.

Each name is a workload of the table, `startup`, `first`, `compile`, `ops`, `calls`, `guards`,
`loops`, `training` or `widths`. The tables beside peers of another interpreter are `python -m
benchmarks.table` and `python -m benchmarks.training`; `loops` has Numba beside it where that can be
imported, and `training` needs Keras.

NumPy's matrix products are measured with the machine's own kernels: the variables that pin others
are taken out of the environment first.
"""

from __future__ import annotations

import os
import sys

from benchmarks import table, training, widths
from benchmarks.calls import call_times
from benchmarks.compile_time import PROGRAMS, compile_costs, conversion_cost
from benchmarks.guards import guard_count, guard_times
from benchmarks.loops import loop_times
from benchmarks.ops import eager_times, operation_times
from benchmarks.peers import frameworks
from benchmarks.rows import ROWS
from benchmarks.startup import (
    FIRST_CALLS,
    IMPORTS,
    conversion_times,
    first_call,
    import_time,
    row_first_call,
)


def _startup() -> None:
    for statement in IMPORTS:
        print(f"{statement:29} {1e3 * import_time(statement):8.1f} ms")
    cold, cached = conversion_times()
    print(f"{'convert 50 lines':29} {cold:8.2f} ms cold, {cached:.4f} ms cached")
    for name in FIRST_CALLS:
        times = ", ".join(f"{kind} {ms:.1f}" for kind, ms in first_call(name).items())
        print(f"first call of {name}, in ms: {times}")


def _first() -> None:
    print("first call of a row in a new process, over another one, in ms")
    for name in ROWS:
        times = "  ".join(f"{kind} {ms:7.1f}" for kind, ms in row_first_call(name).items())
        print(f"  {name:22} {times}", flush=True)


def _compile() -> None:
    print("convert: us per statement, of functions of 100, 400 and 1,600 statements")
    for name in PROGRAMS:
        times = (f"{conversion_cost(name, statements):.0f}" for statements in (100, 400, 1_600))
        print(f"  {name:10}", "  ".join(times))
    print("compile: us per node of the graph, of functions of 100, 1,000 and 10,000 statements")
    for name in PROGRAMS:
        for statements in (100, 1_000) if name == "successive" else (100, 1_000, 10_000):
            cost = compile_costs(name, statements)
            parts = f"trace {cost.trace:.1f}  passes {cost.passes:.1f}  plan {cost.plan:.1f}"
            print(f"  {name:10} {cost.nodes:6} nodes  {parts}  together {cost.total:.1f}")


def _operations(frameworks: dict[str, object]) -> None:
    print("ops: one operation on a few numbers, in us; in a graph, one of a hundred")
    for name, times in operation_times(frameworks).items():
        print(f"  {name:16}", "  ".join(f"{peer} {time:.2f}" for peer, time in times.items()))
    print("eager: one operation on a few numbers over NumPy's, in us")
    for name, (ours, numpys) in eager_times().items():
        print(f"  {name:20} {ours:6.2f} - {numpys:5.2f} = {ours - numpys:5.2f}")


def _calls() -> None:
    print("calls: one call of a converted function over the plain one, in us")
    for name, (ours, plain) in call_times().items():
        print(f"  {name:20} {ours:6.2f} - {plain:5.2f} = {ours - plain:5.2f}")


def _guards() -> None:
    print("guards: what a call takes longer for one place that it reads, and for ten, in us,")
    print("and in brackets for each guard of these")
    for kind, longer in guard_times().items():
        each = {places: time / guard_count(kind, places) for places, time in longer.items()}
        told = (f"{time:6.3f} ({each[places]:5.3f})" for places, time in longer.items())
        print(f"  {kind:34}", "  ".join(told))


def _loops() -> None:
    print("loops: programs over elements, in us; first calls in ms")
    for name, times in loop_times():
        told = (f"{who} {t.median:9.1f} (first {t.first:5.0f})" for who, t in times.items())
        print(f"  {name:10}", "  ".join(told), flush=True)


def _with_own_kernels() -> None:
    """Start again without the variables that pin NumPy's matrix kernels, read at import."""
    pinned = [name for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ]
    if pinned:
        for name in pinned:
            del os.environ[name]
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]])


def main(names: list[str]) -> None:
    """Print the tables."""
    known = ("startup", "first", "compile", "ops", "calls", "guards", "loops", "training",
             "widths", *ROWS)  # fmt: skip
    unknown = [n for n in names if n not in known]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    names = names or list(known)
    if "startup" in names:  # before the others are imported
        _startup()
    if "first" in names:
        _first()
    if "compile" in names:
        _compile()
    if "ops" in names:
        _operations(frameworks())
    if "calls" in names:
        _calls()
    if "guards" in names:
        _guards()
    if "loops" in names:
        _loops()
    if "training" in names:
        training.main([])
    if "widths" in names:
        widths.main()
    rows = [name for name in names if name in ROWS]
    if rows:
        table.main(rows)


if __name__ == "__main__":
    _with_own_kernels()
    main(sys.argv[1:])
