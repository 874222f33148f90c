"""Parts of complex numbers: views, and Python numbers; the rest is in the generic suite."""

import numpy as np
import pytest

from runtime import ops
from runtime.tensor import Tensor


@pytest.mark.parametrize("z", [1 + 2j, 1.5, 3, True])
def test_parts_of_python_numbers_are_python_numbers(z):
    for name in ("real", "imag"):
        found, expected = getattr(ops, name)(z).array, getattr(z, name)
        assert found == expected and type(found) is type(expected)


def test_parts_of_an_array_are_views():
    z = Tensor(np.array([1 + 2j, 3 + 4j]))
    z.real[0] = 9.0
    z.imag[1] = -1.0
    assert z.tolist() == [9 + 2j, 3 - 1j]


def test_a_real_array_has_no_imaginary_part_to_write():
    with pytest.raises(ValueError, match="read-only"):
        Tensor(np.ones(2)).imag[0] = 1.0


@pytest.mark.parametrize(("dtype", "made"), [("f4", "c8"), ("f8", "c16"), ("i8", "c16")])
def test_numbers_are_made_in_the_precision_of_their_parts(dtype, made):
    assert ops.make_complex(np.ones(2, dtype), np.ones(2, dtype)).dtype == np.dtype(made)
