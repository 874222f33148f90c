"""`ag.profile` (A49)."""

import re

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from runtime.execute.observers import observer


def smooth(x, n):
    for _ in range(n):
        x = np.tanh(x @ x) * 0.5
        if x.sum() > 3:
            x = x + 1
    return x.mean()


X = np.eye(10)


def costs_of(found, operation):
    return [c for c in found.costs if c.operation == operation]


def test_a49_calls_milliseconds_and_bytes_of_each_operation_of_each_line():
    """A49: a table, the costliest first, with the lines of the user."""
    found = ag.profile(smooth, X, np.int64(5))
    assert found.result == pytest.approx(smooth(X, 5), rel=1e-14)
    line = smooth.__code__.co_firstlineno
    (product,), (tanh,) = costs_of(found, "matmul"), costs_of(found, "tanh")
    for cost in (product, tanh):
        assert (cost.calls, cost.bytes) == (5, 5 * X.nbytes)
        assert cost.place == f"test_profiling.py:{line + 2}"
    assert {c.place for c in costs_of(found, "add")} == {
        f"test_profiling.py:{line + 1}", f"test_profiling.py:{line + 4}",
    }  # fmt: skip
    times = [c.milliseconds for c in found.costs]
    assert times == sorted(times, reverse=True) and times[-1] >= 0 and sum(times) > 0
    head, *rows = str(found).splitlines()
    assert head.split() == ["ms", "calls", "bytes", "operation"] and len(rows) == len(found.costs)
    assert re.search(
        rf"^ +[\d.]+ +5 +4000  matmul   # test_profiling.py:{line + 2}$", str(found), re.M
    )


def test_a_converted_function_stays_as_it_is_and_the_call_has_its_effects(capsys):
    v, seen = ag.Variable(1.0), []

    @ag.convert
    def f(x):
        seen.append(1)
        print("x", x)
        return v.assign_add(x)

    found = ag.profile(f, 2.0)
    assert type(found.result) is ag.Tensor and v.numpy() == 3.0 and seen == [1]
    assert capsys.readouterr().out == "x 2.0\n" and f.trace_count == 0
    assert f(1.0).numpy() == 4.0 and observer() is None


def test_methods_and_functions_of_tensorflow():
    class Model:
        k = 3.0

        @ag.convert
        def scaled(self, x):
            return x * self.k

        def plain(self, x):
            return x * self.k

    for method in (Model().scaled, Model().plain):
        found = ag.profile(method, X)
        assert costs_of(found, "multiply")[0].calls == 1
        np.testing.assert_array_equal(found.result, X * 3)
    found = ag.profile(tf.function(lambda x: tf.reduce_sum(x * x)), tf.constant([1.0, 2.0]))
    assert type(found.result) is tf.Tensor and found.result.numpy() == 5.0


def test_what_the_function_raises_is_raised():
    with pytest.raises(IndexError):
        ag.profile(lambda x, i: x[i], X, np.int64(99))
    assert observer() is None
