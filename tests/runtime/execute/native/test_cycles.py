"""The processor's clock."""

import pytest

from runtime.execute.native.cycles import KernelTimes, seconds_per_cycle
from runtime.execute.native.prepared import problem


@pytest.mark.skipif(problem() is not None, reason="there is no native code here")
def test_a_cycle_takes_what_processors_take():
    assert 1e-11 < seconds_per_cycle() < 1e-7


def test_there_are_no_times_at_first():
    times = KernelTimes()
    assert times.kernels == [] and times.counters.shape == (0, 2)
