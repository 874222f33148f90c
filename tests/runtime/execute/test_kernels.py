"""Tests of `runtime.execute.kernels`."""

import numpy as np
import pytest

from runtime.execute.kernels import as_python, to_form
from runtime.spec import TensorType, type_of_number


@pytest.mark.parametrize("value", [np.int64(3), np.array(3), 3])
def test_weak_results_are_python_numbers(value):
    assert type(to_form(value, type_of_number(1))) is int


def test_weak_integers_beyond_64_bits_are_refused():
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        as_python(np.uint64(2**63))


def test_a_missing_value_passes():
    assert to_form(None, type_of_number(1)) is None
    assert to_form(None, TensorType(np.dtype("f8"), ())) is None


def test_arrays_keep_their_axes():
    x = np.ones((1, 1))
    assert to_form(x, TensorType(np.dtype("f8"), None)) is x
