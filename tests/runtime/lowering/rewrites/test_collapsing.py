"""Two loops become one where elements lie in a line, and only there."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.lowering.stages import native_text


def random(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype("f4")


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def taken(x, rows):
    return x[rows] * 2


def centred(x, m):
    return x - m[:, None, None]


@pytest.mark.parametrize("shape", [(2, 3, 90), (2, 3, 4, 90)])
def test_rows_of_any_rank_are_gone_through_once(shape, compare):
    x = random(*shape)
    text = ag.convert(softmax).get_concrete_function(x).lower("kernels")
    assert text.count("for each row") == 1
    compare(lambda x: ops.max(x - ops.min(x, axis=-1, keepdims=True), axis=-1), x)
    compare(lambda x: x - ops.max(x, axis=-1, keepdims=True), x)


@pytest.mark.parametrize(
    ("function", "given", "size"),
    [
        (taken, (random(40, 9, 7), np.arange(-25, 25)), 63),
        (centred, (random(40, 9, 7), random(40)), 63),
        (lambda x: x[:, ::2, 1:] + 1, (random(6, 8, 5),), None),
        (ops.matrix_transpose, (random(40, 9, 7),), None),
        (lambda x, y: x + y[:, None, :], (random(5, 9, 7), random(5, 7)), None),
    ],
)
def test_axes_in_a_line_are_one_loop(function, given, size, traced, compare):
    text = native_text(traced(function, *given), "kernels")
    assert (size is None and "< 63:" not in text) or f"< {size}:" in text
    compare(function, *given)
