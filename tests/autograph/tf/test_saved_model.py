"""`tf.saved_model` (A04)."""

import numpy as np
import pytest

import autograph.tf as tf


class Linear(tf.Module):
    def __init__(self, n):
        super().__init__(name="linear")
        self.w = tf.Variable(tf.ones([n, n]) * 2.0, name="w")
        self.inner = [tf.Variable(1.0, trainable=False)]

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.inner[0]


def test_a04_a_saved_model(tmp_path):
    model = Linear(2)
    model.w.assign_add(tf.ones([2, 2]))
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.constant([[1.0, 2.0]])
    assert type(loaded(x)) is tf.Tensor
    np.testing.assert_array_equal(loaded(x), model(x))
    with pytest.raises(FileNotFoundError, match="no function"):
        tf.saved_model.load(tmp_path)
