"""`tf.Module`."""

import autograph.tf as tf


class Linear(tf.Module):
    def __init__(self, n):
        super().__init__(name="linear")
        self.w = tf.Variable(tf.ones([n, n]) * 2.0, name="w")
        self.inner = [tf.Variable(1.0, trainable=False)]

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.inner[0]


def test_a_module_knows_its_variables():
    class Outer(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = {"a": Linear(2), "b": Linear(2)}

    outer = Outer()
    assert outer.name == "outer" and len(outer.variables) == 4
    assert len(outer.trainable_variables) == 2 and len(outer.submodules) == 2
    assert len(outer.non_trainable_variables) == 2
