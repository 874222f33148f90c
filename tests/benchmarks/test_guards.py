"""Tests of `benchmarks.guards`."""

import numpy as np
import pytest

import autograph as ag
from benchmarks.guards import KINDS, TEN, guard_count, guard_times, guarded, without


@pytest.mark.parametrize("kind", KINDS)
def test_places_are_read_natively(kind):
    for places in (1, TEN):
        function, args = guarded(kind, places)
        converted = ag.convert(function)
        for _ in range(3):
            np.testing.assert_array_equal(converted(*args), function(*args))
        assert guard_count(kind, places) >= places
        (builtin,) = converted._builtins
        np.testing.assert_array_equal(builtin(*args), function(*args))
        plain, args = without(kind, places)
        assert plain(*args).shape == function(*args).shape


def test_each_kind_is_timed_once_and_ten_times():
    table = guard_times(1, 1e-6)
    assert table.keys() == KINDS.keys()
    assert all(times.keys() == {1, TEN} for times in table.values())
