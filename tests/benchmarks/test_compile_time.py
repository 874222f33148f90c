"""Trace, passes and plan do work that grows with the number of nodes, and no faster."""

import sys

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.alternatives import Reference
from benchmarks.compile_time import ON_ARRAYS, PROGRAMS, compile_costs, transcendental
from runtime.devices import in_use
from runtime.execute import plan
from runtime.lowering.stages import native_text
from runtime.passes import PIPELINE, rerolling


@pytest.fixture(autouse=True)
def host_alone():
    """As in a process that has met no other device: other tests may have."""
    before, in_use[0] = in_use[0], 0
    yield
    in_use[0] = before


class _Calls:
    """Counts the calls of functions, Python's and C's."""

    def __init__(self):
        self.count = 0

    def __enter__(self):
        def note(frame, event, argument):
            self.count += event in ("call", "c_call")

        sys.setprofile(note)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)


def _work(name, statements):
    """Calls for the trace, for each pass and for the plan, and the number of nodes."""
    plain = PROGRAMS[name](statements)
    x = np.ones(4) if name in ON_ARRAYS else np.float64(1)
    ag.convert(plain).get_concrete_function(x, x)
    found = {}
    with _Calls() as calls:
        concrete = ag.convert(plain).get_concrete_function(x, x)
    found["trace"] = calls.count
    graph = better = concrete.graph
    for step in PIPELINE:
        with _Calls() as calls:
            better = step(better)
        found[step.__name__] = calls.count
    with _Calls() as calls:
        plan.prepare(better)
    found["plan"] = calls.count
    return found, sum(1 for _ in graph.walk())


@pytest.mark.parametrize("name", PROGRAMS)
def test_work_grows_with_the_number_of_nodes(name, monkeypatch):
    monkeypatch.setattr(rerolling, "SMALLEST", 1)  # for all sizes
    _work(name, 24)  # what is looked up once
    few, small = _work(name, 120)
    many, large = _work(name, 600)
    assert 4.5 < large / small < 5.5
    for part, calls in few.items():
        # Repetitions are looked for in windows of up to 64 nodes: small programs have fewer.
        rate = 10 if part == "roll_repetitions" else 5.75
        assert many[part] <= rate * calls + 50, part


@pytest.mark.parametrize(
    ("name", "trace"),
    [("straight", 80), ("called", 164), ("nested", 240), ("deep", 234), ("successive", 200)],
)
def test_a_node_is_little_work(name, trace):
    found, nodes = _work(name, 1000)
    assert found["trace"] / nodes < trace
    assert sum(found[step.__name__] for step in PIPELINE) / nodes < 95
    assert found["plan"] / nodes < 80


def test_arrays_that_a_name_may_be_are_not_copied_for_each_branch(monkeypatch):
    held = []
    make = Reference.__init__

    def counted(self, index, own, *more, **named):
        held.append(len(own))
        make(self, index, own, *more, **named)

    monkeypatch.setattr(Reference, "__init__", counted)
    totals = []
    for branches in (30, 300):
        held.clear()
        plain = PROGRAMS["successive"](2 * branches)
        ag.convert(plain).get_concrete_function(np.ones(4), np.ones(4))
        totals.append(sum(held))
    assert totals[0] > 30  # there are some
    assert totals[1] < 11 * totals[0]


@pytest.mark.parametrize("x", [np.float64(1), np.ones(1000)], ids=["scalar", "array"])
def test_the_text_for_llvm_and_its_lowering_grow_with_the_number_of_statements(x):
    found = []
    for statements in (96, 288):
        graph = ag.convert(transcendental(statements)).get_concrete_function(x, x).graph
        with _Calls() as calls:
            lines = native_text(graph, "llvm").count("\n")
        found.append((lines, calls.count))
    (few, little), (many, much) = found
    assert many < 3.3 * few
    assert much < 3.5 * little


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_benchmark_runs(name):
    cost = compile_costs(name, 24)
    assert cost.nodes >= 24
    assert cost.total == cost.trace + cost.passes + cost.plan > 0
