"""Large arrays in the memory of those that they are made of, element by element."""

import re

import numpy as np
import pytest

import autograph as ag
from runtime.lowering.rewrites.reusing import LARGE

SIDE = 320  # of a square of floats larger than LARGE


def kernels(function, *given):
    return ag.convert(function).get_concrete_function(*given).lower("kernels")


def own(text):
    """The large arrays that are no results, by name."""
    return re.findall(rf"allocate ([\w.]+): f4\[{SIDE}, {SIDE}\]$", text, re.MULTILINE)


def given(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((SIDE, SIDE)).astype("f4") for _ in range(2)]


def rectified_twice(x, w):
    """Each product has two readers, so that it is made as a whole."""
    y = x @ w
    z = np.where(y > np.mean(y), y, 0)
    return z @ w, np.sum(z, axis=0)


def kept(x, w):
    """What is read again later stays."""
    y = x @ w
    z = np.where(y > np.mean(y), y, 0)
    return z @ w, np.sum(y, axis=0)


def turned(x, w):
    """Another element is read."""
    y = x @ w
    z = np.where(y.T > np.mean(y), y, 0)
    return z @ w


def chained(x, w):
    y = x @ w
    z = np.where(y > np.mean(y), y, np.float32(1))
    v = np.where(z > np.max(z) / 2, z, np.float32(2))
    return v @ w, np.min(v)


def test_arrays_are_large_here():
    assert SIDE * SIDE * 4 >= LARGE


@pytest.mark.parametrize(
    ("function", "arrays"), [(rectified_twice, 1), (kept, 2), (turned, 2), (chained, 1)]
)
def test_results_are_the_same_in_less_memory(function, arrays):
    x, w = given()
    text = kernels(function, x, w)
    assert len(own(text)) == arrays, text
    found, plan = ag.convert(function)(x, w), ag.convert(native=False)(function)(x, w)
    expected = function(x, w)
    pairs = zip(*map(as_tuple, (found, plan, expected)), strict=True)
    for one, other, plain in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)
        np.testing.assert_allclose(one, plain, rtol=1e-4, atol=1e-3)


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


def test_small_arrays_keep_memory_of_their_own():
    x, w = (a[:40, :40].copy() for a in given())
    text = kernels(rectified_twice, x, w)
    assert len(re.findall(r"allocate [\w.]+: f4\[40, 40\]$", text, re.MULTILINE)) == 2, text


def test_gradients_of_layers_are_made_in_place():
    """The slopes of a rectified layer take the memory of those behind it; each call anew."""
    x, w = given(1)

    def loss(w, x):
        y = ag.nn.relu(x @ w)
        return ag.mean(ag.nn.relu(y @ w) ** 2)

    native, plan = ag.convert(ag.grad(loss)), ag.convert(native=False)(ag.grad(loss))
    expected = plan(w, x)
    for _ in range(3):
        np.testing.assert_allclose(native(w, x), expected, rtol=1e-3, atol=1e-4)
