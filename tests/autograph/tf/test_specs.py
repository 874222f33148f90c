"""`tf.TensorSpec`."""

import numpy as np

import autograph.tf as tf


def test_a_spec_is_float32_unless_said():
    assert repr(tf.TensorSpec([None])) == "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    assert tf.TensorSpec.from_tensor(tf.constant([1, 2])).dtype == np.int32
