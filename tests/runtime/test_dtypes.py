"""Tests of `runtime.dtypes`."""

import numpy as np
import pytest

from runtime import dtypes

NAMES = [name for name in vars(dtypes) if isinstance(getattr(dtypes, name), np.dtype)]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_numpys_dtype_of_that_name(name):
    assert getattr(dtypes, name) == np.dtype(name) and getattr(dtypes, name).name == name


def test_all_numeric_dtypes_of_numpy_are_there_that_are_the_same_everywhere():
    kinds = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
    assert set(NAMES) == kinds | {
        "bool",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    }
