"""Tests of `runtime.execute.reference`."""

import numpy as np
import pytest

from runtime.execute import reference
from runtime.spec import TensorType


def test_its_source_is_the_graph_as_text(toy):
    assert reference.prepare(toy.decay()).source.startswith("graph decay(")


def test_a_loop_runs_until_its_test_fails(toy):
    (x,) = reference.prepare(toy.decay())(np.ones(3), np.float64(0.5), 3)
    np.testing.assert_array_equal(x, [1, 0.5, 0.25])


def test_inputs_are_left_alone(toy):
    x = np.ones(3)
    reference.prepare(toy.decay())(x, np.float64(0.5), 3)
    np.testing.assert_array_equal(x, np.ones(3))


def test_a_maximum_ends_a_loop(toy):
    test, body = toy.Builder("test", i=toy.INT), toy.Builder("body", i=toy.INT)
    graphs = [test.done(test(toy.LESS, test.i, 9)), body.done(body(toy.ADD, body.i, 1))]
    b = toy.Builder()
    i = b(toy.WHILE, 0, graphs=graphs, types=[toy.INT], captures=0, maximum=4)
    assert reference.prepare(b.done(i))() == (4,)


def test_python_numbers_stay_python_numbers(toy):
    b = toy.Builder(n=toy.INT)
    results = reference.prepare(b.done(b(toy.ADD, b.n, 1), b(toy.LESS, b.n, 1)))(5)
    assert [type(x) for x in results] == [int, bool]


def test_a_wrong_number_of_inputs_is_refused(toy):
    with pytest.raises(ValueError, match="shorter"):
        reference.prepare(toy.decay())(np.ones(3))


def test_zero_dimensional_arrays_become_numpy_scalars(toy):
    b = toy.Builder(x=TensorType(np.dtype("f4"), (1,)))
    (y,) = reference.prepare(b.done(b(toy.RESHAPE, b.x, shape=())))(np.ones(1, "f4"))
    assert type(y) is np.float32
