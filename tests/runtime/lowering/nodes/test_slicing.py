"""Slices along axes whose sizes are not known."""

import itertools

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare
from runtime.passes import optimize

BOUNDS = [None, 0, 1, 2, 3, -1, -2, -4]
STEPS = [None, 1, 2, 3, -1, -2]
SLICES = [slice(*s) for s in itertools.product(BOUNDS, BOUNDS, STEPS)]


def native_of(function, shape=(None,)):
    found = ag.convert(function).get_concrete_function(ag.TensorSpec(list(shape), "float64"))
    return prepare(optimize(found.graph))


def array(*shape):
    return np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)


@pytest.mark.parametrize("part", SLICES[::7] + SLICES[3::31], ids=str)
def test_a_slice_is_that_of_numpy_for_each_size(part):
    run = native_of(lambda x: x[part] * 2.0)
    assert isinstance(run, Native)
    for size in (2, 3, 4, 5, 6, 9, 20):
        x = array(size)
        np.testing.assert_array_equal(run(x)[0], x[part] * 2.0)


@pytest.mark.long
@pytest.mark.parametrize("part", SLICES, ids=str)
def test_all_slices_are_those_of_numpy(part):
    run = native_of(lambda x: x[part] * 2.0)
    assert isinstance(run, Native)
    for size in range(2, 12):
        x = array(size)
        np.testing.assert_array_equal(run(x)[0], x[part] * 2.0)


def test_calls_of_the_usual_sizes_need_no_plan():
    run = native_of(lambda x: (x[1:] - x[:-1]) * x[::-1][1:] + x[2:].sum() + x[-1])
    assert isinstance(run, Native)
    x = array(7)
    np.testing.assert_array_equal(run(x)[0], (x[1:] - x[:-1]) * x[::-1][1:] + x[2:].sum() + x[-1])
    assert run._plan is None


def test_sizes_too_small_for_a_slice_are_the_plans():
    run = native_of(lambda x: x[1:].max() + x[3:-2].sum())
    np.testing.assert_array_equal(run(array(2))[0], 2.0)
    assert run._plan is not None
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 4"):
        native_of(lambda x: x[5] + x[1:].sum())(array(4))


def test_stencils_of_unknown_sizes_read_and_write():
    def blur(x):
        y = x.copy()
        y[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
        y[::2] *= 0.5
        return y

    run = native_of(blur, (None, None))
    assert isinstance(run, Native)
    for shape in [(3, 3), (4, 7), (5, 30), (2, 9)]:
        np.testing.assert_array_equal(run(array(*shape))[0], blur(array(*shape)))


def test_the_gradient_of_slices_of_unknown_sizes():
    @ag.convert(input_signature=[ag.TensorSpec([None], "float64")])
    def loss(x):
        return ((x[1:] - x[:-1]) ** 2).sum() + (x[::-2] * x[-1]).sum()

    def plain(x):
        return ((x[1:] - x[:-1]) ** 2).sum() + (x[::-2] * x[-1]).sum()

    for size in (3, 4, 9):
        x = array(size) ** 1.5
        found = ag.grad(loss)(x)
        steps = np.eye(size) * 1e-6
        wanted = [(plain(x + step) - plain(x - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
