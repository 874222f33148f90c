"""Ops that join arrays or turn them round, next to the plan."""

import numpy as np
import pytest

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
