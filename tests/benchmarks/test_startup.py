"""The benchmark of first calls runs, and sees what is kept between processes."""

import pytest

from benchmarks.startup import FIRST_CALLS, first_call, row_first_call


@pytest.mark.parametrize("name", FIRST_CALLS)
def test_a_second_process_starts_faster(name):
    times = first_call(name, runs=1)
    assert set(times) == {"cold", "new", "warm", "plan"} and all(ms > 0 for ms in times.values())
    assert times["warm"] < times["cold"]


def test_a_row_starts_faster_in_a_second_process():
    times = row_first_call("gelu_chain", runs=1)
    assert times["warm"] < times["cold"]
