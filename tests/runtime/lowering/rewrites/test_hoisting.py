"""What all rounds of a loop would read alike is read before it."""

import re

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.lowering.stages import native_text


def random(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype("f4")


X, ROWS = random(40, 9, 7), np.random.default_rng(2).integers(-40, 40, 25)


def taken(x, rows):
    return x[rows] * 2


def centred(x, m):
    return x - m[:, None, None]


def scaled_in_place(x):
    x[:] = x * x[0]
    return x


@pytest.mark.parametrize(
    ("function", "given"),
    [(taken, (X, ROWS)), (centred, (X, X[:, 0, 0])), (ops.matrix_transpose, (X,))],
)
def test_the_bits_stay_what_they_were(function, given, compare):
    compare(function, *given)
    compare(function, *(np.repeat(x, 30, 0) for x in given))


def test_a_position_is_looked_up_once_for_all_elements_of_its_row(traced):
    text = native_text(traced(taken, X, ROWS), "kernels")
    (head,) = re.findall("for each .* < 63:", text)  # 9 times 7: both axes lie in a line
    before, _, loop = text.partition(head)
    assert "x.1[" in before and "x.1[" not in loop


def test_rows_without_elements_are_not_read():
    spec = ag.TensorSpec((None, None), "f4")

    @ag.convert(input_signature=[spec, ag.TensorSpec((None,), "i8")])
    def of_rows(x, rows):
        return x[rows] - x[rows][:, :1] if x.shape[1] else x[rows]

    for shape in ((3, 0), (3, 1), (3, 5)):
        x = random(*shape)
        np.testing.assert_array_equal(of_rows(x, ROWS % 3), (x[ROWS % 3] - x[ROWS % 3][:, :1]))


def test_what_the_loop_itself_writes_is_read_in_it():
    x = random(50)
    np.testing.assert_array_equal(ag.convert(scaled_in_place)(x.copy()), x * x[0])
