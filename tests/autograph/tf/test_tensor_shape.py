"""`tf.TensorShape`."""

import numpy as np
import pytest

import autograph.tf as tf


def test_a_shape_is_a_tuple_with_methods():
    shape = tf.zeros([2, 3]).shape
    assert shape == (2, 3) and shape.as_list() == [2, 3] and shape.rank == shape.ndims == 2
    assert shape.num_elements() == 6 and shape.is_fully_defined()
    assert shape[1:] == (3,) and type(shape[1:]) is tf.TensorShape
    assert shape + [4] == tf.TensorShape([2, 3, 4])
    assert repr(shape) == "TensorShape([2, 3])" and f"{shape}" == "(2, 3)"
    assert str(tf.zeros([2]).shape) == "(2,)"


def test_an_open_dimension_is_none_in_a_list_and_a_tensor_by_index():
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        assert x.shape.as_list() == [None, 3] and x.shape.num_elements() is None
        return x.shape[0] * 2, tf.shape(x), tf.size(x), tf.reshape(x, [tf.shape(x)[0] * 3])

    double, shape, size, flat = f(tf.zeros([4, 3]))
    assert (double.numpy(), shape.numpy().tolist(), size.numpy()) == (8, [4, 3], 12)
    assert flat.shape == (12,) and shape.dtype == np.int32


@pytest.mark.parametrize(
    ("other", "fits"), [([2, None], True), (None, True), ([2, 4], False), ([2], False)]
)
def test_shapes_that_some_array_may_have_both(other, fits):
    assert tf.TensorShape([2, 3]).is_compatible_with(other) is fits


def test_shapes_that_are_broadcast():
    found = tf.broadcast_static_shape(tf.TensorShape([4, 1, 3]), tf.TensorShape([2, 1]))
    assert type(found) is tf.TensorShape and found.as_list() == [4, 2, 3]
    with pytest.raises(ValueError, match="broadcast"):
        tf.broadcast_static_shape([2], [3])
