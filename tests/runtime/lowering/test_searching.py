"""Searches in sorted arrays."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare
from runtime.passes import optimize

SORTED = [
    np.array([1.0, 2.0, 2.0, 5.0, 7.5]),
    np.array([-np.inf, -0.0, 0.0, np.inf, np.nan, np.nan]),
    np.array([3.0]),
    np.array([1, 2, 2, 5], np.int32),
    np.array([0, 200, 255], np.uint8),
    np.array([0.5, 0.25, 8.0, -1.0, 3.0, 2.0, 2.0]),  # not sorted
]
VALUES = [np.float64(2.0), np.float64(np.nan), np.float64(-0.0), np.float64(9.0), np.int64(2),
          np.float32(0.3), np.int8(-1)]  # fmt: skip


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("x", SORTED, ids=str)
def test_a_number_is_put_where_numpy_puts_it(x, side):
    for v in VALUES:
        f = ag.convert(lambda x, v: np.searchsorted(x, v, side=side) * 1)
        run = prepare(optimize(f.get_concrete_function(x, v).graph))
        assert isinstance(run, Native) and not run.outside
        found, wanted = run(x, v)[0], np.searchsorted(x, v, side=side) * 1
        assert (found, found.dtype) == (wanted, wanted.dtype)


def test_parts_of_computed_sizes_are_searched():
    def inserted(a):
        a = a.copy()
        for i in range(1, len(a)):
            v = a[i]
            j = np.searchsorted(a[:i], v)
            a[j + 1 : i + 1] = a[j:i]
            a[j] = v
        return a

    x = np.sin(np.arange(40.0) ** 2)
    run = prepare(optimize(ag.convert(inserted).get_concrete_function(x).graph))
    assert isinstance(run, Native) and not run.outside
    np.testing.assert_array_equal(run(x)[0], np.sort(x))


def test_many_values_are_numpys():
    f = ag.convert(lambda x, v: np.searchsorted(x, v) * 1)
    x, v = np.arange(5.0), np.array([0.5, 3.0, 9.0])
    np.testing.assert_array_equal(f(x, v), np.searchsorted(x, v))
