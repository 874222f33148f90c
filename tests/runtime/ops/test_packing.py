"""Numbers put into arrays of integers, as NumPy puts them."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.ops.packing import must_fit
from runtime.spec import TensorType, type_of_number

U1, I1, I8 = np.dtype("u1"), np.dtype("i1"), np.dtype("i8")


def test_a_python_number_must_fit():
    assert must_fit(type_of_number(3), U1) and must_fit(type_of_number(2.5), I8)
    assert not must_fit(type_of_number(3), I8) and not must_fit(type_of_number(3), np.dtype("f4"))
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        ops.packed([ag.constant(1), 300], U1)
    with pytest.raises(ValueError, match="float NaN"):
        ops.packed([ag.constant(1), np.nan], U1)


def test_numbers_of_numpys_must_fit_into_signed_integers_of_a_nest():
    own = TensorType(np.dtype("f8"), ())
    assert must_fit(own, I1) and must_fit(own, I8) and not must_fit(own, U1)
    assert not must_fit(own, I1, is_item=False)
    assert not must_fit(TensorType(np.dtype("f8"), (2,)), I1)
    assert not must_fit(TensorType(np.dtype("i1"), ()), I8)


def test_what_has_no_tensor_is_numpys_affair():
    assert ops.packed([1, 2.5], U1).tolist() == [1, 2] and ops.packed(np.array([300]), U1) == 44
    assert ops.packed([ag.constant(2.5), [1][0]], np.dtype("f4")).numpy().tolist() == [2.5, 1.0]
