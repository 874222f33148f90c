"""Tests of `benchmarks.calls`."""

import numpy as np
import pytest

from benchmarks.calls import CALLS, MADE_ANEW, call_times, calls


@pytest.mark.parametrize("name", [*CALLS, *MADE_ANEW])
def test_candidates_compute_the_same(name):
    both = calls(name)
    for one, other in zip(
        np.atleast_1d(both["ours"]()), np.atleast_1d(both["plain"]()), strict=True
    ):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_each_call_is_timed():
    assert call_times(1, 1e-6).keys() == CALLS.keys() | MADE_ANEW.keys()
