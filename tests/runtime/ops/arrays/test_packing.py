"""Numbers put into arrays of integers, as NumPy puts them."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.ops.arrays.packing import assigned, is_fitting, must_fit
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


def test_a_complex_number_is_no_real_one():
    assert ops.packed([1j, ag.constant(2.0)], np.dtype("c8")).numpy().tolist() == [1j, 2]
    with pytest.raises(TypeError, match="not 'complex'"):
        ag.convert(lambda z: np.array([z, 2.0], np.float32))(1j)


def test_none_is_nan_and_text_is_read():
    found = ops.packed([None, ag.constant(2.0), "3"], np.dtype("f8")).numpy()
    np.testing.assert_array_equal(found, [np.nan, 2.0, 3.0])


def test_an_element_is_a_number():
    assert ops.packed_element(2.5, U1) == 2 and ops.packed_element(np.array(300), U1) == 44
    with pytest.raises(OverflowError, match="300 out of bounds"):
        ops.packed_element(np.float64(300.0), I1)
    for value in ([1.0], (1.0, 2.0), np.ones(2), ag.constant(np.ones(2))):
        with pytest.raises((TypeError, ValueError)):
            ops.packed_element(value, I8)


def test_what_an_assignment_writes():
    x = ag.constant(np.zeros(3, np.int8))
    assert assigned(x, slice(None), [1, 2.5, "3"]).tolist() == [1, 2, 3]
    assert assigned(x, [0], np.int64(300)) == 44
    with pytest.raises(OverflowError, match="300 out of bounds"):
        assigned(x, 0, np.int64(300))
    with pytest.raises(ValueError, match="maximum number of dimension of 1"):
        assigned(x, slice(None), [[1]])


def test_which_numbers_fit():
    for number, dtype in ((127.9, I1), (-128.9, I1), (-0.5, U1), (2.0**62, I8), (-(2.0**63), I8)):
        assert is_fitting(ag.constant(number), dtype)
    for number, dtype in ((128.0, I1), (-1.0, U1), (2.0**63, I8), (np.nan, I8), (np.inf, U1)):
        assert not is_fitting(ag.constant(number), dtype)
