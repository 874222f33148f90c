"""`tf.dtypes`."""

import numpy as np
import pytest

import autograph.tf as tf


def test_dtypes_are_numpys():
    assert tf.float32 == np.float32 and tf.dtypes.int32 is tf.int32 and tf.newaxis is None
    assert tf.as_dtype("float64") == tf.double


def test_a_dtype_is_made_of_a_name_a_type_or_a_dtype():
    for wanted in ("float64", np.float64, float, tf.double):
        assert tf.as_dtype(wanted) == tf.float64 and isinstance(tf.as_dtype(wanted), tf.DType)


NAMES = [name for name, x in vars(tf.dtypes).items() if isinstance(x, np.dtype)]
OTHER_NAMES = {"half": "float16", "double": "float64"}


@pytest.mark.parametrize("name", NAMES)
def test_each_is_numpys_dtype_of_that_name(name):
    assert getattr(tf.dtypes, name).name == OTHER_NAMES.get(name, name)


def test_all_numeric_dtypes_of_numpy_are_there_that_are_the_same_everywhere():
    kinds = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
    floats = {"float16", "float32", "float64", "complex64", "complex128"}
    assert set(NAMES) - set(OTHER_NAMES) == kinds | floats | {"bool"}


def test_a_dict_by_dtypes_is_read_by_that_of_a_tensor():
    assert {tf.float32: "single"}[tf.constant(1.0).dtype] == "single"
