"""Masks natively: next to plain Python, and their gradients next to plans."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native

INT = np.int64
RNG = np.random.default_rng(0)
X = RNG.normal(size=40)


def check(found, expected):
    if isinstance(expected, tuple):
        assert type(found) is tuple and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check(one, other)
    else:
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype


def copied(args):
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]


def run_of(function):
    return function.traces()[-1]._differentiable.run


def check_native(sample, *calls):
    """As plain Python, in one native function, for all calls; they share a trace."""
    function = ag.convert(sample)
    for args in calls:
        check(function(*copied(args)), sample(*copied(args)))
    run = run_of(function)
    assert isinstance(run, Native), run.reason
    assert run._plan is None
    assert function.trace_count == 1


# ---- elements ------------------------------------------------------------------------------------


def positive(x):
    return x[x > 0]


def of_what_is_computed(x):
    return (x * 2 + 1)[x > 0] * 3, (x * x)[np.abs(x) < 0.5].sum()


def rows(x):
    y = x.reshape(-1, 4)
    return y[y[:, 0] > 0], y[:, y[0] > 0].sum(), y[1:, 1:][y[1:, 1:] < 0]


def beside_positions(x):
    y = x.reshape(-1, 4)
    return y[y[:, 1] > 0, 2], y[2, y[2] < 0], y[y[:, 1] > 0][:, np.array([0, 3])]


def positions(x):
    y = x.reshape(-1, 4)
    return np.nonzero(y > 0), np.flatnonzero(x), np.where(x < 0)[0] * 2, np.argwhere(y < 0)


def in_rounds(x):
    """The mask of each round has the length that the last one left."""
    k = 0
    while len(x) > 3:
        x = x[x > x.mean()]
        k += 1
    return x, k


def sieve(n):
    left, primes = np.arange(2, 200), []
    while len(left) > n:
        primes.append(left[0])
        left = left[left % left[0] != 0]
    return primes[-1], left


def in_branches(x):
    y = x[x > 0] if x[0] > 0 else x
    return y * 2, len(y)


def of_small_arrays(x):
    total = 0.0
    for k in range(len(x) - 4):
        y = x[k : k + 4]
        z = np.array([x[k], x[k + 1], x[k + 2]])
        total = total + y[y > 0].sum() + 3 * z[z < x[k]].sum()
    return total


@pytest.mark.parametrize(
    "sample",
    [positive, of_what_is_computed, rows, beside_positions, positions, in_rounds, in_branches,
     of_small_arrays],
)  # fmt: skip
def test_elements_where_a_mask_holds(sample):
    check_native(sample, (X,), (-X,), (X + 9,))


def test_nothing_is_kept():
    check_native(positive, (-np.abs(X),), (X,))


def test_a_mask_of_integers():
    check_native(sieve, (INT(0),), (INT(30),))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f4"])
def test_elements_of_any_type(dtype):
    x = np.array([0, 1, 1, 0, 3, 0, 100, 5]).astype(dtype)
    check_native(lambda x: (x[x > x[0]], np.nonzero(x), x[x == x[4]]), (x,))


def test_arrays_of_a_size_that_is_not_known():
    f = ag.convert(
        lambda x, y: (x[x > y], x[y > 0].sum(), y[np.flatnonzero(x)]),
        input_signature=[ag.TensorSpec([None], "float64")] * 2,
    )
    for size in (2, 3, 40):
        x, y = RNG.normal(size=(2, size))
        check(f(x, y), (x[x > y], x[y > 0].sum(), y[np.flatnonzero(x)]))
    assert isinstance(run_of(f), Native)


def test_nan_and_signed_zeros_stay():
    x = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 1.0])
    f = ag.convert(lambda x: x[x != 1])
    assert f(x).tobytes() == x[x != 1].tobytes()
    assert isinstance(run_of(f), Native)


def test_a_mask_of_another_length_raises_what_numpy_raises():
    f = ag.convert(lambda x, n: x[1:][(x > 0)[n:]].sum())
    check(f(X, INT(1)), X[1:][X[1:] > 0].sum())
    with pytest.raises(IndexError, match="boolean index did not match"):
        f(X, INT(2))


# ---- writes --------------------------------------------------------------------------------------


def number_written(x):
    x[x < 0] = 0.25
    y = x * 2
    y[y > 1] = x[0]
    return x, y


def number_added(x):
    x[x < 0] += 0.5
    x[x > 1] -= x[3]
    return x


def elements_written(x):
    y = x.copy()
    y[x > 0] = x[x > 0] * 2
    y[x < 0] *= x[x < 0]
    y.reshape(-1, 4)[x[:10] > 0] = 1.5
    return y


def of_itself(x):
    m = x > 0
    m[m] = x[0] > 0
    n = m.copy()
    n[m[::-1]] = False
    return m, n


def in_each_round(x):
    for k in range(7):
        x[x > 0.1 * k] -= 0.3
        y = np.array([x[k], x[k + 1]])
        y[y < 0] = k
        x[k] = y[1]
    return x


@pytest.mark.parametrize(
    "sample", [number_written, number_added, elements_written, of_itself, in_each_round]
)
def test_elements_are_written_where_a_mask_holds(sample):
    check_native(sample, (X,), (-X,), (X + 9,))


def test_too_few_values_raise_what_numpy_raises():
    def assigned(x, y, n):
        x[x > 0] = y[:n]
        return x

    f = ag.convert(assigned)
    count = np.count_nonzero(X > 0)
    check(f(X.copy(), X, INT(count)), assigned(X.copy(), X, INT(count)))
    with pytest.raises(ValueError, match="cannot assign"):
        f(X.copy(), X, INT(count - 1))


# ---- gradients -----------------------------------------------------------------------------------


def energy(x):
    return (x[x > 0] ** 3).sum() + x[x.reshape(-1, 4)[:, 0].argmax()]


def written(x):
    y = x * x
    y[x < 0] = 0.5
    y[x > 0.5] *= x[x > 0.5]
    return (y * y).sum()


def narrowed(x):
    total = 0.0
    while len(x) > 3:
        x = np.sin(x[x > x.mean()] * 1.5)
        total = total + (x * x).sum()
    return total


def of_rows(x):
    y = x.reshape(-1, 4)
    for k in range(3):
        y = y[y[:, k] < 1.0] * y[0, 0]
    return (y * y).sum()


@pytest.mark.parametrize("sample", [energy, written, narrowed, of_rows])
def test_gradients_are_those_of_plans(sample):
    made = [ag.convert(ag.value_and_grad(sample), native=native) for native in (None, False)]
    for x in (X, X * 0.5 + 0.1):
        found, expected = (function(x) for function in made)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-14)
        steps = [1e-6 * e for e in np.eye(len(x))]
        slopes = [(sample(x + e) - sample(x - e)) / 2e-6 for e in steps]
        np.testing.assert_allclose(found[1], slopes, rtol=1e-4, atol=1e-6)
    assert isinstance(run_of(made[0]), Native), run_of(made[0]).reason


# ---- looking -------------------------------------------------------------------------------------


def test_what_is_kept_is_stored_without_a_branch():
    function = ag.convert(positive)
    function(X)
    text = function.traces()[-1].lower("kernels")
    assert "kept[" in text and "if " not in text


def test_saved_functions_have_masks(tmp_path):
    function = ag.convert(in_rounds)
    function(X)
    ag.save(function, tmp_path / "f.ag")
    check(ag.load(tmp_path / "f.ag")(X), in_rounds(X))
