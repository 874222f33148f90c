"""`tf.dtypes`."""

import numpy as np

import autograph.tf as tf


def test_dtypes_are_numpys():
    assert tf.float32 == np.float32 and tf.dtypes.int32 is tf.int32 and tf.newaxis is None
    assert tf.as_dtype("float64") == tf.double
