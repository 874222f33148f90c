"""Evenly spaced numbers, as many as data tell, and what is made of them."""

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0, 3.0, 7.0, 8.0, 9.5])
A = np.array([1.0, 3.0])
CALLS = {
    "linspace": lambda n: np.linspace(0.5, 3.0, n),
    "linspace without its end": lambda n: np.linspace(0.5, 3.0, n, endpoint=False),
    "linspace of integers": lambda n: np.linspace(1, 9, n, dtype=int),
    "linspace along the last axis": lambda n: np.linspace(A, 4.0, n, axis=-1),
    "linspace and its step": lambda n: np.linspace(A, 4.0, n, retstep=True),
    "logspace": lambda n: np.logspace(0.0, A, n),
    "geomspace": lambda n: np.geomspace(1.0, 8.0, n),
    "geomspace without its end": lambda n: np.geomspace(A, 8.0, n, endpoint=False, axis=1),
    "histogram": lambda n: np.histogram(X, n),
    "density": lambda n: np.histogram(X, n, range=(0.0, 5.0), density=True),
    "edges": lambda n: np.histogram_bin_edges(X, n),
    "histogram2d": lambda n: np.histogram2d(X, X * 2, n),
    "histogramdd": lambda n: np.histogramdd(X.reshape(3, 2), (n, 3))[0],
    "of a loop": lambda n: sum(np.linspace(0.0, 1.0, n + i).sum() for i in range(3)),
}


def done(function, *args):
    try:
        return function(*args)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def assert_same(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, (type, str)):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("native", [True, False], ids=["native", "plan"])
@pytest.mark.parametrize("name", CALLS)
def test_the_number_may_depend_on_data(name, native, tmp_path):
    call = CALLS[name]
    spec = ag.TensorSpec([], np.int64)
    staged = ag.convert(lambda n: call(n), native=native, input_signature=[spec])
    staged(np.int64(4))
    ag.save(staged, tmp_path / "program.ag")
    loaded = ag.load(tmp_path / "program.ag")
    for n in map(np.int64, (4, 7, 2, 1, 0, -1)):
        expected = done(call, n)
        assert_same(done(staged, n), expected)
        assert_same(done(loaded, n), expected)
    assert staged.trace_count == 1


@pytest.mark.parametrize("function", [np.linspace, np.histogram_bin_edges])
def test_a_number_that_is_no_integer_raises_as_in_numpy(function):
    args = (0.0, 1.0) if function is np.linspace else (X,)
    with pytest.raises(TypeError, match="integer"):
        ag.convert(lambda n: function(*args, n))(np.float64(3))
    with pytest.raises(TypeError):
        function(*args, np.float64(3))


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace", "no end"])
@pytest.mark.parametrize("n", [5, 2, 1])
def test_the_ends_have_their_gradients(name, n):
    function = getattr(np, name, lambda *args: np.linspace(*args, endpoint=False))

    def total(start, stop, n):
        return (function(start, stop, n) * (np.arange(n) + 1.0)).sum()

    known = ag.convert(ag.grad(lambda a, b: total(a, b, n), argnums=(0, 1)))
    found = ag.convert(ag.grad(total, argnums=(0, 1)))(1.5, 2.5, np.int64(n))
    np.testing.assert_allclose(found, known(1.5, 2.5), rtol=1e-12)


def test_the_elements_have_the_gradient_of_a_histogram_with_weights():
    def total(weights, n):
        return (np.histogram(X, n, weights=weights)[0] ** 2).sum()

    weights = X + 1
    place = np.minimum((X - 1) * 3 / 8.5, 2).astype(int)
    expected = 2 * np.histogram(X, 3, weights=weights)[0][place]
    np.testing.assert_allclose(ag.convert(ag.grad(total))(weights, np.int64(3)), expected)


def test_steps_of_a_number_of_samples_known_at_run_time():
    call = lambda a, b, n: np.linspace(a, b, n, retstep=True)
    staged = ag.convert(call)
    for ends in ((np.uint8(5), np.uint8(1)), (np.float32(1), np.float32(3)), (0.0, 1.0)):
        for found, wanted in zip(staged(*ends, np.int64(3)), call(*ends, 3), strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)
