"""What each kernel of native code costs."""

import numpy as np
import pytest

import autograph as ag
from autograph.tools.kernel_profiling import KernelCost, KernelProfile, NoKernels, profiled_kernels
from runtime.execute.native import cycles
from runtime.execute.native.library import Unavailable
from runtime.execute.native.prepared import problem
from runtime.execute.observers import timed_kernels

native = pytest.mark.skipif(problem() is not None, reason="there is no native code here")
X = np.linspace(-0.1, 0.1, 64 * 64).reshape(64, 64)


def rounds(x, n):
    h = x[0]
    k = 0
    while k < n:
        h = np.tanh(x @ h)
        if k % 2 == 0:
            h = h - np.mean(h)
        k = k + 1
    return h


def lines_of(kernel):
    return {int(n) for n in kernel.place.partition(":")[2].split(",")}


@native
def test_kernels_are_told_with_their_lines_calls_and_the_loop_around():
    found = ag.convert(rounds).profile_kernels(X, np.int64(7))
    np.testing.assert_allclose(found.result, rounds(X, 7), rtol=1e-12)
    first = rounds.__code__.co_firstlineno
    (loop,) = [k for k in found.kernels if k.what == "loop of the user's"]
    number = found.kernels.index(loop)
    (products,) = [k for k in found.kernels if k.what.startswith("sums of products, 1 x 64 x 64")]
    (mean,) = [k for k in found.kernels if k.what == "sum over 64"]
    assert (products.calls, mean.calls, loop.calls) == (7, 4, 1)
    assert products.around == mean.around == number and loop.around is None
    assert lines_of(products) == {first + 4} and lines_of(mean) == {first + 6}
    assert all(k.place.startswith("test_kernel_profiling.py:") for k in found.kernels)
    inside = sum(k.microseconds for k in found.kernels if k.around == number)
    assert 0 < inside < loop.microseconds < found.microseconds
    assert 0 < found.rest < found.microseconds


@native
def test_timed_programs_say_so_and_others_are_as_they_were():
    f = ag.convert(rounds)
    wanted = f(X, np.int64(3))
    text = f.get_concrete_function(X, np.int64(3)).lower("llvm")
    found = f.profile_kernels(X, np.int64(3))
    np.testing.assert_array_equal(found.result, wanted)
    assert timed_kernels() is None
    assert "readcyclecounter" not in f.get_concrete_function(X, np.int64(3)).lower("llvm") == text


@native
def test_calls_are_means_where_they_differ():
    class Counter:
        n = ag.Variable(np.int64(0))

        @ag.convert
        def step(self, x):
            self.n.assign_add(np.int64(1))
            return x * x if self.n.read_value() % 2 == 0 else x

    counter = Counter()
    found = counter.step.profile_kernels(X)
    assert int(counter.n.numpy()) == 2
    assert all(k.calls in (0, 1) for k in found.kernels)


@native
def test_python_calls_of_native_code_are_kernels():
    @ag.convert
    def f(x, n):
        for _ in range(n):
            x = np.sort(x)[::-1] * 0.5
        return x

    found = f.profile_kernels(X[0], np.int64(5))
    (call,) = [k for k in found.kernels if k.what.startswith("Python: sort")]
    assert call.calls == 5 and found.kernels[call.around].what == "loop of the user's"


@native
def test_parts_of_a_plan_have_their_kernels():
    def f(x):
        a, s, b = np.linalg.svd(x @ x + 1.0)
        return (a * s) @ b + 1.0

    found = ag.convert(f).profile_kernels(X)
    assert sum("sums of products" in k.what for k in found.kernels) == 2


def test_where_nothing_is_native_that_is_told():
    with pytest.raises(ValueError, match="nothing of this function runs as native code"):
        ag.convert(rounds, native=False).profile_kernels(X, np.int64(3))


def test_a_processor_without_a_clock_is_told(monkeypatch):
    monkeypatch.setattr(cycles.platform, "machine", lambda: "aarch64")
    with pytest.raises(Unavailable, match="no clock to read on aarch64"):
        cycles.seconds_per_cycle.__wrapped__()
    cycles.seconds_per_cycle.cache_clear()
    with pytest.raises(NoKernels, match="kernels cannot be timed: there is no clock"):
        profiled_kernels(lambda: None)


def test_the_table():
    kernels = (
        KernelCost("loop of the user's", "f.py:3,4", None, 1.0, 60.0),
        KernelCost("sum over 8", "f.py:4", 0, 2.5, 20.0),
    )
    assert str(KernelProfile(None, 80.0, kernels)).splitlines() == [
        "        us    calls  share  kernel",
        "    60.000        1  75.0%  loop of the user's   # f.py:3,4",
        "    20.000      2.5  25.0%    sum over 8   # f.py:4",
        "    20.000           25.0%  the rest: the entry, single numbers",
    ]
