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
    f, runs = ag.convert(lambda x, v: np.searchsorted(x, v, side=side) * 1), {}
    for v in VALUES:
        if v.dtype not in runs:
            runs[v.dtype] = prepare(optimize(f.get_concrete_function(x, v).graph))
        run = runs[v.dtype]
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


# ---- many values ---------------------------------------------------------------------------------

KEYS = np.array([2.0, np.nan, -0.0, 9.0, 0.3, 2.0, 5.0, 5.0, -1.0, 7.5, np.inf, -np.inf, 0.0])


@pytest.mark.broad(2)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("x", SORTED[:-1], ids=str)
def test_many_values_are_put_where_numpy_puts_them(x, side):
    for v in (KEYS, KEYS[:12].reshape(3, 4), np.sort(KEYS), np.array([2, 0, 5], np.int8), KEYS[:0]):
        f = ag.convert(lambda x, v: np.searchsorted(x, v, side=side))
        found, wanted = f(x, v), np.searchsorted(x, v, side=side)
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype
        run = f.traces()[-1]._differentiable.run
        assert isinstance(run, Native) and not run.outside and run._plan is None


def test_many_values_in_what_is_not_sorted_are_left_to_the_plan():
    f = ag.convert(lambda x, v: np.searchsorted(x, v) * 2)
    for x in (np.arange(9.0), np.array([3.0, 1.0, 2.0, 9.0, 0.0, 4.0, 7.0, 8.0, 5.0])):
        np.testing.assert_array_equal(f(x, KEYS), np.searchsorted(x, KEYS) * 2)
    run = f.traces()[-1]._differentiable.run
    assert isinstance(run, Native) and run._plan is not None


@pytest.mark.broad(4)
@pytest.mark.parametrize("seed", range(20))
def test_random_searches(seed):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(-3, 5, size=rng.integers(1, 30))).astype("f8")
    x[len(x) - rng.integers(2) :] = np.nan
    v = rng.integers(-4, 7, size=rng.integers(1, 40)) * 0.5
    v[rng.integers(len(v))] = np.nan

    def searched(x, v):
        total = np.zeros(len(v))
        for k in range(3):
            total = total * 2 + np.searchsorted(x, v - k, side="right")
            total += np.digitize(v * 0.5, np.array([-1.0, 0.5, 1.0]))
        return total, np.searchsorted(x, v[0])

    f = ag.convert(searched)
    for one, other in zip(f(x, v), searched(x, v), strict=True):
        np.testing.assert_array_equal(one, other)
    assert isinstance(f.traces()[-1]._differentiable.run, Native)


# ---- broken lines --------------------------------------------------------------------------------


def interpolated(x, points, values):
    """In a loop, of a number and of many."""
    total, y = 0.0, x * 1.0
    for k in range(len(x)):
        total += np.interp(x[k], points, values)
        y = np.interp(y + 0.25, points, values)
    return total, y


def without_edges(x, points, values):
    return np.interp(x, points, values, left=-9.0, right=9.0)


def native_run(f):
    run = f.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    assert not run.outside and run._plan is None


@pytest.mark.parametrize("sample", [interpolated, without_edges])
def test_broken_lines_are_native_and_have_the_bits_of_numpy(sample):
    rng = np.random.default_rng(1)
    f = ag.convert(sample)
    for _ in range(20):
        points, values = np.sort(rng.integers(0, 40, size=12) / 8), rng.normal(size=12)
        x = np.concatenate([rng.uniform(-1, 6, size=8), points[:3], [np.nan]])
        if sample is without_edges:
            values[3] = rng.choice([np.inf, -np.inf, np.nan, 1.0])
        with np.errstate(all="ignore"):
            expected = sample(x, points, values)
            found = f(x, points, values)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    native_run(f)


def test_gradients_of_broken_lines_are_those_of_plans():
    def energy(x, points, values):
        total, y = interpolated(x, points, values)
        return total + (y * y).sum()

    rng = np.random.default_rng(2)
    args = rng.uniform(0, 4, size=7), np.arange(6.0), rng.normal(size=6)
    made = [ag.convert(ag.grad(energy, (0, 1, 2)), native=native) for native in (None, False)]
    for one, other in zip(*(function(*args) for function in made), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    native_run(made[0])


def test_points_that_fall_raise():
    f = ag.convert(interpolated)
    with pytest.raises(ValueError, match="do not increase"):
        f(np.ones(3), np.array([0.0, 2.0, 1.0]), np.ones(3))
