"""Programs that take the times of their kernels."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native, problem
from runtime.lowering.kernels.kernel import Tick, While, walk
from runtime.lowering.kernels.show import text
from runtime.lowering.lower import lower
from runtime.lowering.timed import Timed, prepare
from runtime.passes import optimize

pytestmark = pytest.mark.skipif(problem() is not None, reason="there is no native code here")
X = np.linspace(0.0, 1.0, 24).reshape(4, 6)


def graph_of(function, *inputs):
    return optimize(ag.convert(function).get_concrete_function(*inputs).graph)


def scaled(x, n):
    for _ in range(n):
        x = np.sqrt(x + 1.0)
    return x - x.sum(axis=0)


def test_a_clock_stands_around_each_kernel_and_nothing_else_changes():
    graph = graph_of(scaled, X, np.int64(3))
    found = []
    program = lower(graph, Timed(found))
    (times,) = found
    ticks = [s for s in walk(program.body) if isinstance(s, Tick)]
    assert sorted(t.row for t in ticks if t.begins) == list(range(len(times.kernels)))
    assert sorted(t.row for t in ticks if not t.begins) == list(range(len(times.kernels)))
    loops = [s for s in walk(program.body) if isinstance(s, While)]
    inside = [t.row for loop in loops for t in loop.body if isinstance(t, Tick)]
    assert {times.kernels[row].around for row in inside} == {
        next(k for k, kernel in enumerate(times.kernels) if kernel.what == "loop of the user's")
    }
    shown = text(program).splitlines()
    plain = [line for line in shown if "clock o" not in line]
    assert plain == text(lower(graph)).splitlines() and len(shown) == len(plain) + len(ticks)


def test_cycles_and_calls_add_up_over_calls():
    graph = graph_of(scaled, X, np.int64(3))
    found = []
    run = prepare(graph, found)
    assert isinstance(run, Native)
    (times,) = found
    for count in (1, 2):
        (result,) = run(X.copy(), np.int64(3))
        np.testing.assert_array_equal(result, scaled(X, 3))
        calls = dict(zip((k.what for k in times.kernels), times.counters[:, 1], strict=False))
        assert calls["loop of the user's"] == count
        assert max(times.counters[:, 1]) == 3 * count
        assert (times.counters[: len(times.kernels), 0] > 0).all()


def test_kinds_and_sizes_of_kernels_are_told():
    found = []
    x = np.ones((40, 60))
    prepare(graph_of(lambda x, y: (x @ y, np.sqrt(x), np.max(y)), x, x.T.copy()), found)
    kinds = [kernel.what.partition(" ->")[0] for kernel in found[0].kernels]
    assert kinds == ["sums of products, 40 x 40 x 60", "loop over 2400", "extreme over 2400"]


def test_sizes_that_only_the_call_knows_go_by_their_names():
    def f(x):
        return x * 2.0 + x[::-1]

    found = []
    graph = graph_of(f, ag.TensorSpec([None, 6], "float64"))
    (run,) = [prepare(graph, found)]
    (result,) = run(X)
    np.testing.assert_array_equal(result, f(X))
    assert "x.size0" in found[0].kernels[0].what
