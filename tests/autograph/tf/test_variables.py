"""`tf.Variable`."""

import copy
import functools
import pickle

import numpy as np
import pytest

import autograph.tf as tf


def test_a_variable_is_float32_or_int32():
    assert tf.Variable(1.0).dtype == np.float32 and tf.Variable([1, 2]).dtype == np.int32
    assert tf.Variable(lambda: tf.ones([2])).shape == (2,)
    assert tf.Variable(np.float64(1)).dtype == np.float64


def test_assignments_give_the_new_value():
    v = tf.Variable([1.0, 2.0])
    assert v.assign([3.0, 4.0]).numpy().tolist() == [3.0, 4.0]
    assert v.assign_add([1.0, 1.0]).numpy().tolist() == [4.0, 5.0]
    assert v.assign_sub(np.array([1.0, 1.0])).numpy().tolist() == [3.0, 4.0]
    assert type(v.assign([0.0, 0.0])) is tf.Tensor and v.dtype == np.float32


def test_a_part_of_a_variable_is_assigned():
    v = tf.Variable([1.0, 2.0, 3.0])
    v[0].assign(10.0)
    v[1:].assign([20.0, 30.0])
    assert v.numpy().tolist() == [10.0, 20.0, 30.0]
    with pytest.raises(TypeError, match="assign"):
        v[1:][0] = 5.0
    with pytest.raises(TypeError, match="one key"):
        v[1:][0].assign(5.0)
    f = tf.function(lambda: v[0].assign(-1.0))
    f()
    assert v.numpy().tolist() == [-1.0, 20.0, 30.0]


def test_scattered_updates():
    v = tf.Variable([1, 2, 3])
    v.scatter_nd_update([[0], [2]], [7, 9])
    v.scatter_nd_add([[0], [0]], [1, 1])
    assert v.numpy().tolist() == [9, 2, 9]


def test_an_operator_with_assignment_leaves_the_variable_alone():
    v = w = tf.Variable(1.0)
    w += 1.0
    assert v.numpy() == 1.0 and type(w) is tf.Tensor


def test_a_variable_is_copied_and_pickled_with_its_name():
    v = tf.Variable([1.0, 2.0], trainable=False, name="w")
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert type(other) is tf.Variable and other.numpy().tolist() == [1.0, 2.0]
        assert (other.name, other.trainable) == ("w:0", False)
        other.assign([5.0, 6.0])
        assert v.numpy().tolist() == [1.0, 2.0]


def test_a_variable_whose_shape_is_left_open():
    v = tf.Variable([1.0], shape=tf.TensorShape([None]))
    assert v.assign([1.0, 2.0, 3.0]).shape == (3,)
    with pytest.raises(ValueError, match="shape"):
        tf.Variable([1.0]).assign([1.0, 2.0])


def test_the_reference_of_a_variable_is_hashable():
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    assert {v.ref(), v.ref(), w.ref()} == {v.ref(), w.ref()} and v.ref().deref() is v


def test_a_format_is_that_of_the_number():
    assert f"{tf.Variable(1.5):.2f}" == "1.50" and f"{tf.Variable(1.5)}".startswith("<tf.Variable")


@pytest.mark.parametrize("calls", [False, True])
def test_a_variable_made_on_the_first_call_may_be_drawn(calls):
    """Layers and optimizers that make their variables where they are first used."""

    class Layer(tf.Module):
        w, slots = None, None

        def __call__(self, x):
            if self.w is None:
                draw = functools.partial(tf.random.normal, [x.shape[-1]])
                self.w = tf.Variable(draw if calls else draw())
            return tf.nn.dropout(x * self.w, 0.5)

    def step(layer, x):
        noisy = x + tf.random.uniform([2])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(noisy))
        gradient = tape.gradient(loss, layer.w)
        if layer.slots is None:
            layer.slots = tf.Variable(tf.zeros_like(gradient))
        layer.slots.assign_add(gradient)
        layer.w.assign_sub(0.1 * layer.slots)
        return loss

    found = []
    for function in (step, tf.function(step)):
        tf.random.set_seed(3)
        layer = Layer()
        losses = [float(function(layer, tf.ones([2]))) for _ in range(3)]
        found.append((losses, layer.w.numpy().tolist(), tf.random.uniform([1]).numpy().tolist()))
    assert found[0] == found[1]
