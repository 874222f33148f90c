"""Arguments of draws: shapes, dtypes and parameters."""

import numpy as np
import pytest

from runtime import config
from runtime.random.arguments import (
    common_shape,
    encoded,
    float_dtype,
    is_integer,
    parameter,
    spread,
)
from runtime.tensor import Tensor


@pytest.mark.parametrize(("shape", "static"), [
    (3, (3,)), ((), ()), ([2, 3], (2, 3)), (np.int32(2), (2,)),
    (Tensor(np.array([2, 3])), (None, None)),
])  # fmt: skip
def test_a_shape_is_sizes(shape, static):
    assert tuple(encoded(shape)[0]) == static


@pytest.mark.parametrize("shape", ["ab", 2.5, (2, "a"), [1.5]])
def test_what_is_no_integer_is_no_shape(shape):
    with pytest.raises(TypeError, match="num must be an integer or a sequence of integers, but is"):
        encoded(shape, "num")


def test_sizes_are_not_negative():
    with pytest.raises(ValueError, match=r"shape must not have negative sizes, but is \(2, -1\)"):
        encoded((2, -1))


def test_the_shape_of_parameters_is_that_of_all_of_them():
    column, row = np.ones((3, 1)), np.ones(4)
    assert common_shape(None, 1.0, column, row) == ((3, 4), ())
    assert common_shape(None, 1.0) == ((), ()) and common_shape((2,), column) == ((2,), ())
    with pytest.raises(ValueError, match="3.*4"):
        common_shape(None, np.ones(3), row)


def test_dtypes_of_draws():
    assert float_dtype("f4") == np.float32 and float_dtype(float) == np.float64
    with config.default_float.using(np.dtype("f4")):
        assert float_dtype(None) == np.float32
    for wrong in (int, "c16", bool):
        with pytest.raises(TypeError, match="dtype must be one of float16, float32, float64, but"):
            float_dtype(wrong)
    assert is_integer("i4") and is_integer(np.uint8) and not is_integer(None)
    assert not is_integer(float) and not is_integer(bool)


def test_a_python_number_stays_and_an_array_takes_the_dtype():
    f4 = np.dtype("f4")
    assert parameter(2, "loc", f4) == 2 and type(parameter(2, "loc", f4)) is int
    assert parameter(np.ones(2), "loc", f4).dtype == f4 and parameter([1, 2], "loc", f4).dtype == f4
    with pytest.raises(TypeError, match="loc must hold real numbers, but is 1j"):
        parameter(1j, "loc", f4)


def test_only_arrays_are_broadcast():
    shape = encoded((2, 3))
    assert spread(1.5, shape) == 1.5 and spread(np.ones(3), shape).shape == (2, 3)
