"""Functions of the user's that NumPy calls with parts of an array: their code is converted."""

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples

X = np.array([-2.0, -0.5, 0.0, 1.5, 3.0])
ROWS = np.arange(12.0).reshape(3, 4) - 5
samples = Samples()


@samples("E1", (X,), (X - 9.0,))
def pieces_by_functions(x):
    return np.piecewise(x, [x < 0, x > 1], [lambda v: v - v.max(), lambda v, k=2.0: v**k, 7.0])


@samples("E1", (X, 2.0), (X, 9.0))
def pieces_with_arguments(x, k):
    def stretched(v, by, plus=1):
        return v * by + plus if k > 5 else v - plus

    return np.piecewise(x, x < 0, [stretched, lambda v, by, plus: v], k, plus=3)


@samples("E2", (X,), (-X,), (abs(X) + 1,))
def pieces_that_are_told(x):
    told = []

    def tell(v):
        print("piece of", len(v))
        told.append(v.sum())
        return v * 2

    found = np.piecewise(x, [x < 0, x >= 0], [tell, tell])
    return found, told


@samples("E1", (ROWS,), (ROWS[:, ::-1],))
def rows_by_a_function_with_branches(x):
    def first_drop(row):
        for i in range(1, len(row)):
            if row[i] < row[i - 1]:
                return row[i]
        return row[0]

    return np.apply_along_axis(first_drop, 1, x), np.apply_along_axis(first_drop, 0, x)


@samples("E1", (ROWS,))
def rows_with_arguments(x):
    return np.apply_along_axis(lambda v, k, plus: v[::2] * k + plus, -1, x, 3, plus=x[0, 0])


@samples("E1", (ROWS,))
def over_axes(x):
    return np.apply_over_axes(lambda a, axis: a.max(axis) - a.min(axis), x, [0, 1])


test_sample = samples.test()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.apply_along_axis(lambda v: v.max() * v, 1, x).sum(),
        lambda x: np.piecewise(x, [x < 0], [lambda v: v**3, lambda v: v**2]).sum(),
    ],
)
def test_gradients(function):
    x, wanted = ROWS + 0.25, np.zeros_like(ROWS)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = 1e-5
        wanted[i] = (function(x + step) - function(x - step)) / 2e-5
    np.testing.assert_allclose(ag.grad(ag.convert(function))(x), wanted, atol=1e-6)


def _calls(factor, log):
    def scaled(v, *axis):
        log.append(1)
        return v * factor[0]

    return {
        "piecewise": lambda x: np.piecewise(x, [x > 0], [scaled]),
        "apply_along_axis": lambda x: np.apply_along_axis(scaled, 0, x),
        "apply_over_axes": lambda x: np.apply_over_axes(scaled, x, [0]),
        "vectorize": lambda x: np.vectorize(scaled)(x),
        "fromfunction": lambda x: np.fromfunction(scaled, (2,)) * x[0],
    }


@pytest.mark.parametrize("name", _calls([], []))
def test_what_they_read_and_do_is_seen_in_each_call(name):
    factor, log, its = [2.0], [], []
    plain, function = _calls(factor, log)[name], ag.convert(_calls(factor, its)[name])
    for value in (2.0, 3.0, 3.0):
        factor[0] = value
        assert repr(function(np.ones(2))) == repr(plain(np.ones(2)))
        assert its == log


def test_an_axis_that_is_not_there():
    function = ag.convert(lambda x: np.apply_along_axis(lambda v: v, 2, x))
    with pytest.raises(np.exceptions.AxisError, match="^axis 2 is out of bounds"):
        function(ROWS)
