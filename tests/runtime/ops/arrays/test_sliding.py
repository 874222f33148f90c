"""Tests of `runtime.ops.arrays.sliding`; its values are compared with NumPy's by the generic tests."""

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples

X, M = np.arange(8.0), np.random.default_rng(0).random((6, 5))
windows = np.lib.stride_tricks.sliding_window_view
samples = Samples()


@samples("E1", (X,), (X * 0.5 - 1,))
def the_array_is_written_afterwards(x):
    x = x * 2
    view = windows(x, 3)
    before = view.sum(-1)
    x[2] = 9.0
    return before, view.sum(-1), view[1], (view * np.array([1.0, 2.0, 3.0])).max(0)


@samples("E1", (M,), (M * 2 - 1,))
def of_matrices(m):
    means = windows(m, (3, 3)).mean(axis=(2, 3))
    products = np.einsum("ijkl,kl->ij", windows(m, (2, 2)), np.arange(4.0).reshape(2, 2))
    return means, windows(m, 3, axis=0).std(-1), windows(m, (2, 2), axis=(1, 1)).sum(), products


@samples("E1", (X, np.int64(0)), (X, np.int64(3)))
def in_a_loop(x, n):
    total = x[0] * 0
    for i in range(n):
        total += windows(x[: len(x) - i], 4).max(-1).sum() * windows(x, 1)[i, 0]
    return total


test_sample = samples.test()


@pytest.mark.parametrize(
    ("given", "how"),
    [((9,), {}), ((-1,), {}), (((2, 2),), {}), ((2,), {"axis": (0, 0)}), ((2,), {"axis": 1})],
)
def test_what_numpy_refuses(given, how):
    def function(x):
        return windows(x, *given, **how)

    found = []
    for called in (function, ag.convert(function)):
        with pytest.raises(ValueError) as error:
            called(X)
        found.append((type(error.value), str(error.value)))
    assert found[0] == found[1]


def test_nobody_writes_into_windows():
    def function(x):
        view = windows(x, 3)
        view[0] = 1.0
        return view

    for called in (function, ag.convert(function)):
        with pytest.raises(ValueError, match="read-only"):
            called(X)


def test_gradients():
    def loss(x):
        return (windows(x, 3).sum(-1) ** 2).sum()

    want = [(loss(X + d) - loss(X - d)) / 2e-6 for d in 1e-6 * np.eye(8)]
    np.testing.assert_allclose(ag.grad(ag.convert(loss))(X), want, rtol=1e-6)
