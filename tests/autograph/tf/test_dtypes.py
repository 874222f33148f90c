"""`tf.dtypes`."""

import numpy as np

import autograph.tf as tf


def test_dtypes_are_numpys():
    assert tf.float32 == np.float32 and tf.dtypes.int32 is tf.int32 and tf.newaxis is None
    assert tf.as_dtype("float64") == tf.double


def test_a_dtype_is_made_of_a_name_a_type_or_a_dtype():
    for wanted in ("float64", np.float64, float, tf.double):
        assert tf.as_dtype(wanted) == tf.float64 and isinstance(tf.as_dtype(wanted), tf.DType)
