"""Tests of `runtime.process.recursion_limit`."""

import os
import subprocess
import sys
import threading

import pytest

from runtime.process.recursion_limit import SLOTS, of_any_depth, roomy

resource = pytest.importorskip("resource", reason="page faults are counted by POSIX")


def test_a_function_with_room_gives_and_raises_what_it_would():
    @roomy
    def divide(a, *, by=1):
        """Doc."""
        return a / by

    assert divide(6, by=3) == 2
    assert divide.__name__ == "divide" and divide.__doc__ == "Doc."
    with pytest.raises(ZeroDivisionError):
        divide(1, by=0)


@of_any_depth
def down(n):
    return 0 if n == 0 else 1 + down.__wrapped__(n - 1)


def test_calls_are_as_deep_as_they_need():
    depth, stack = sys.getrecursionlimit(), threading.stack_size()
    assert down(20_000) == 20_000
    assert (sys.getrecursionlimit(), threading.stack_size()) == (depth, stack)


def test_what_a_deep_call_raises_is_raised():
    @of_any_depth
    def fail(n):
        if n == 0:
            raise ValueError("at the bottom")
        fail.__wrapped__(n - 1)

    with pytest.raises(ValueError, match="at the bottom"):
        fail(5_000)
    with pytest.raises(RecursionError):
        down(10**9)


def test_calls_may_lie_in_each_other():
    @roomy
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    assert down(200) == 200


# Leaf calls at 200 depths, one of which at least is the end of a block.
DEPTHS = """
import resource, sys
from runtime.process.recursion_limit import roomy

def leaf(a, b, c, d, e, f, g, h):
    return a

def work():
    for _ in range(2000):
        leaf(1, 2, 3, 4, 5, 6, 7, 8)

def faults_at(depth):
    if depth:
        return faults_at(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    work()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def worst():
    return max(faults_at(depth) for depth in range(200))

faults_at(10)
print((roomy(worst) if sys.argv[1] == "room" else worst)())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts page faults as Linux does")
def test_no_call_within_asks_the_system_for_memory():
    def worst(kind):
        done = subprocess.run(
            [sys.executable, "-c", DEPTHS, kind],
            capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        return int(done.stdout)

    assert worst("none") >= 2000  # one at least for each call, where a block ends
    assert worst("room") < 200


def test_the_room_costs_no_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    roomy(lambda: None)()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < SLOTS * 8 / 4096 / 4
