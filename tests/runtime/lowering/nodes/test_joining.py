"""Ops that join arrays or turn them round, next to the plan."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops

SHAPES = [(2, 3), (5, 7), (0, 4), (1, 40)]


def array(shape, dtype="f8"):
    return np.random.default_rng(3).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_arrays_are_joined(shape, axis, compare):
    compare(lambda x: ops.concat([x, x * 2.0, ops.flip(x, axis=0)], axis=axis), array(shape))
    compare(lambda x: ops.stack([x, x * 2.0], axis=axis) + 1.0, array(shape))


def test_a_joined_array_has_the_dtype_of_all(compare):
    compare(lambda x, y: ops.concat([x, y], axis=0), array((20,), "f4"), np.arange(5))
    compare(lambda x, y: ops.stack([x, y]), np.int32(4), np.float64(2.5))
    compare(lambda x: ops.stack([x, 2, True]), np.float64(2.5))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_axes_are_turned_round(shape, axis, compare):
    compare(lambda x: ops.flip(x, axis=axis), array(shape))
    compare(lambda x: ops.roll(x[0] * 1.0, 3), array((2, 30)))
    if axis is not None:
        compare(lambda x: ops.roll(x, 2, axis) * 2.0, array(shape))
        compare(lambda x: ops.roll(x, -1, axis), array(shape))


def test_a_border_is_put_round(compare):
    compare(lambda x: ops.pad(x, ((1, 2), (0, 3))), array((4, 5)))


@pytest.mark.parametrize("dtype", ["i8", "i4", "u1"])
def test_a_range_of_integers(dtype, compare):
    compare(lambda x: x + ops.arange(3, 300, 7).astype(dtype)[: x.shape[0]], np.arange(40))


def test_a_range_of_floats(compare):
    compare(lambda x: x + ops.arange(0.1, 4.0, 0.1), array((39,)))
    compare(lambda x: x + ops.arange(0.1, 4.0, 0.1, dtype=np.float32), array((39,), "f4"))


# What is made of the sizes of arguments, by programs that see arrays of many sizes.
OF_ANY_SIZE = {
    "joined": lambda x, y: np.concatenate([x, y * 2, x[1:]]) + 1,
    "stacked": lambda x, y: np.stack([x, y]).max(axis=0),
    "columns": lambda x, y: np.concatenate([x[:, None], x[:, None] * y[:1]], axis=1),
    "a border": lambda x, y: np.pad(x, (1, 2)) * y[0],
    "zeros": lambda x, y: np.zeros(len(x)) + x,
    "ones": lambda x, y: np.ones((2, len(x) + 3)),
    "one number": lambda x, y: np.full(len(x) - 1, y[0], np.float64) * x[1:],
    "rows of zeros": lambda x, y: np.zeros((3, x.shape[0] + y.shape[0])),
    "a range": lambda x, y: np.arange(len(x)) * x,
    "a range from 2 on": lambda x, y: np.arange(2, len(x), dtype=np.int32),
    "a gather": lambda x, y: x[np.arange(y.shape[0]) // 2],
    "rolled": lambda x, y: np.roll(x, 1) - y,
    "rolled back": lambda x, y: np.roll(x, -7) - np.roll(y, 0),
    "differences": lambda x, y: x[1:] * y[:-1] + x[:-1],
    "a sum of parts": lambda x, y: (x[2:] * y[2:]).sum(),
}


@pytest.mark.parametrize("name", OF_ANY_SIZE)
def test_one_program_serves_all_sizes(name):
    plain, array_of_any_size = OF_ANY_SIZE[name], ag.TensorSpec((None,), np.float64)
    function = ag.convert(plain, input_signature=[array_of_any_size] * 2, native=True)
    for size in (9, 2, 3, 1000, 17):
        x, y = array((size,)), np.linspace(-1, 1, size)
        actual, expected = function(x, y), plain(x, y)
        np.testing.assert_allclose(actual, expected, rtol=1e-13, strict=True)
    (traced,) = function.traces()
    assert traced.execution == []


def test_sizes_that_do_not_agree_are_left_to_the_plan():
    array_of_any_size = ag.TensorSpec((None,), np.float64)
    function = ag.convert(
        lambda x, y: x[1:] * y[:-2], input_signature=[array_of_any_size] * 2, native=True
    )
    for sizes in ((4, 5), (2, 9), (9, 3)):
        x, y = map(array, zip(sizes))
        np.testing.assert_array_equal(function(x, y), x[1:] * y[:-2])
    with pytest.raises(ValueError, match="broadcast"):
        function(array((5,)), array((5,)))
    assert function.traces()[0].execution == []


@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_size_below_0_raises_as_it_does_in_numpy(size):
    plain = lambda x: np.zeros(len(x) - 3)  # noqa: E731
    function = ag.convert(plain, input_signature=[ag.TensorSpec((None,), np.float64)], native=True)
    if size < 3:
        with pytest.raises(ValueError, match="negative"):
            function(array((size,)))
    else:
        np.testing.assert_array_equal(function(array((size,))), plain(array((size,))))
    assert function.traces()[0].execution == []
