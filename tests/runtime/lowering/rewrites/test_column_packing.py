"""Columns that lie apart are copied side by side before a loop whose rounds all read them."""

import re

import numpy as np
import pytest

import autograph as ag


def random(*shape, dtype="f8"):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype) / shape[-1]


def recurrent(x, w, n):
    for _ in range(n):
        x = np.tanh(x @ w.T)
    return x


def nested(x, w, n):
    for _ in range(n):
        for _ in range(n):
            x = np.tanh(x @ w.T)
        x = x + 1
    return x


def of_one_layer(x, ws, n):
    for _ in range(n):
        x = np.tanh(x @ ws[1, 2:, :].T)[:, :1] + x
    return x


def of_each_layer(x, ws, n):
    for i in range(n):
        x = np.tanh(x @ ws[i].T)
    return x


def learning(x, w, n):
    for _ in range(n):
        y = x @ w.T
        w = w - 0.01 * (y.T @ x)
    return w


def two_layers(x, w, n):
    for _ in range(n):
        x = np.tanh(x @ w.T) @ w.T
    return x


def convolved(x, k, n):
    for _ in range(n):
        x = ag.nn.conv2d(x, np.swapaxes(k, 2, 3), padding="same")
    return x


X, W, WS, N = random(12, 20), random(20, 20), random(6, 20, 20), np.int64(3)


def kernels(function, *args):
    return ag.convert(function, native=True).get_concrete_function(*args).lower("kernels")


def copies(function, *args):
    """The copies that stand before the first loop, and how many there are in all."""
    text = kernels(function, *args)
    before, _, _ = text.partition("loop:")
    return [len(set(re.findall(r"\w+(?:\.\d+)*\.columns", part))) for part in (before, text)]


@pytest.mark.parametrize(
    ("function", "args", "number"),
    [
        (recurrent, (X, W, N), 1),
        (nested, (X, W, N), 1),
        (of_one_layer, (X, WS, N), 1),
        (two_layers, (X, W, N), 1),
        (convolved, (random(2, 6, 6, 8), random(3, 3, 8, 8), N), 1),
    ],
)
def test_they_are_copied_once_before_the_outermost_loop(function, args, number):
    assert copies(function, *args) == [number, number]


@pytest.mark.parametrize(
    ("function", "args", "reason"),
    [
        (of_each_layer, (X, WS, N), "each round reads others"),
        (learning, (X, W, N), "a round changes them"),
        (recurrent, (X[:2], W, N), "few rows"),
        (recurrent, (random(12, 4), random(4, 4), N), "few columns"),
        (lambda x, w, n: x @ w.T + n, (X, W, N), "no loop"),
    ],
)
def test_others_are_read_where_they_are(function, args, reason):
    assert copies(function, *args)[1] == 0, reason


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("function", [recurrent, nested, two_layers, learning])
def test_results_are_those_of_the_plan(function, n):
    args = X, W, np.int64(n)
    native, plan = ag.convert(function, native=True), ag.convert(function, native=False)
    np.testing.assert_allclose(native(*args), plan(*args), rtol=1e-12, atol=1e-14)
    assert native.traces()[-1].execution == []
    if n:
        slopes = [
            ag.grad(lambda *a, f=f: f(*a).sum(), argnums=(0, 1))(*args) for f in (native, plan)
        ]
        for one, other in zip(*slopes, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-14)


def test_the_gradient_of_a_recurrent_network_reads_its_weights_side_by_side():
    def slope(x, w, n):
        def total(w):
            h = x
            for _ in range(n):
                h = np.tanh(h @ w)
            return h.sum()

        return ag.grad(total)(w)

    text = kernels(slope, X, W, N)
    assert len(set(re.findall(r"\w+(?:\.\d+)*\.columns", text))) == 1
