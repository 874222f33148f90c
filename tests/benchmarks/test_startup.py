"""The benchmark of first calls runs, in processes of its own."""

import pytest

from benchmarks.startup import FIRST_CALLS, first_call, row_first_call


@pytest.mark.broad(20)
@pytest.mark.parametrize("name", FIRST_CALLS)
def test_first_calls_are_timed(name):
    times = first_call(name, runs=1)
    assert set(times) == {"cold", "new", "warm", "plan"} and all(ms > 0 for ms in times.values())


def test_first_calls_of_rows_are_timed():
    times = row_first_call("gelu_chain", runs=1)
    assert set(times) >= {"cold", "warm"} and all(ms > 0 for ms in times.values())
