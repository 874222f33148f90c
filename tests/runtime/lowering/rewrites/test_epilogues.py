"""What is done to the elements of a product is done where the product is made."""

import numpy as np
import pytest

import autograph as ag
from runtime import config, ops
from runtime.execute import plan
from runtime.lowering.stages import native_text
from runtime.ops.signals.convolution import convolution


def random(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype("f4")


def relu(x):
    return ops.maximum(x, np.float32(0))


def convolved(x, k):
    ones = (1, 1)
    return convolution(x, k, strides=ones, padding="valid", dilations=ones, groups=1)


X, K, B = random(9, 12, 13, 3), random(3, 3, 3, 20), random(20)
JOINED = {
    "rows of a bias": (lambda x, k, b: relu(convolved(x, k) + b), (X, K, B), 2),
    "every element": (lambda x, k: relu(convolved(x, k)), (X, K), 2),
    "one image": (lambda x, k, b: relu(convolved(x, k) + b), (X[:1], K, B), 2),
    "one line": (lambda x, k, b: relu(convolved(x, k) + b), (X[:, :3], K, B), 1),
    "a product": (lambda x, w, b: relu(x @ w + b), (random(30, 40), random(40, 50), B[:1]), 0),
    "a stack": (lambda x, w: ops.tanh(x @ w), (random(6, 30, 40), random(40, 50)), 0),
}


@pytest.mark.parametrize("case", JOINED)
def test_both_are_in_one_memory(case, traced, native_of):
    function, given, depth = JOINED[case]
    graph = traced(function, *given)
    (actual,), (expected,) = native_of(graph)(*given), plan.prepare(graph)(*given)
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
    text = native_text(graph, "kernels")
    assert text.count("allocate") == 1
    (line,) = [line for line in text.splitlines() if "products of" in line]
    assert (len(line) - len(line.lstrip())) // 2 - 1 == depth, text


def test_what_else_is_read_stays(traced, native_of):
    x, w = random(30, 40), random(40, 40)

    def twice(x, w):
        h = x @ w
        return ops.tanh(h), h

    def turned(x, w):
        h = x @ w
        return ops.tanh(h[:, ::-1]) + 1

    def again(x, w):
        h = x @ w
        return ops.tanh(h)[:, :30] @ h

    for function in (twice, turned, again):
        graph = traced(function, x, w)
        for a, e in zip(native_of(graph)(x, w), plan.prepare(graph)(x, w), strict=True):
            np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-4)


def test_large_work_is_parted_as_a_whole(traced, native_of):
    x = random(16, 60, 60, 8)
    k, b = random(3, 3, 8, 20), random(20)
    graph = traced(lambda x, k, b: relu(convolved(x, k) + b), x, k, b)
    native, results = native_of(graph), []
    for count in (1, 2, 5):
        with config.threads.using(count):
            results.append(native(x, k, b)[0])
    np.testing.assert_allclose(results[0], plan.prepare(graph)(x, k, b)[0], rtol=1e-4, atol=1e-4)
    assert all(np.array_equal(r, results[0]) for r in results)


def rnn(x, w, u, b, h, n):
    for t in range(n):
        h = np.tanh(x[t] @ w + h @ u + b)
    return h


def test_the_state_of_a_loop_is_not_written_while_it_is_read():
    given = random(7, 8, 20), random(20, 30), random(30, 30), random(30), random(8, 30)
    function = ag.convert(rnn)
    for n in range(1, 8):
        expected = rnn(*given, np.int64(n))
        np.testing.assert_allclose(function(*given, np.int64(n)), expected, rtol=1e-4, atol=1e-5)
