"""`tf.data`: elements are tensors; names and order are TensorFlow's."""

import numpy as np

import autograph.tf as tf


def test_elements_are_tensors_of_tensorflows_dtypes():
    batches = tf.data.Dataset.from_tensor_slices(([1.0, 2.0, 3.0], [1, 2, 3])).batch(2)
    x, y = next(iter(batches.prefetch(tf.data.AUTOTUNE)))
    assert x.dtype == tf.float32 and y.dtype == tf.int32
    assert batches.element_spec[0].shape == (None,)
    assert int(batches.cardinality()) == 2
    numbers = tf.data.Dataset.range(3)
    assert int(numbers.repeat().cardinality()) == tf.data.INFINITE_CARDINALITY
    odd = numbers.filter(lambda x: x % 2 == 1)
    assert int(odd.cardinality()) == tf.data.UNKNOWN_CARDINALITY


def test_a_function_goes_through_a_data_set_in_one_trace():
    x = np.arange(8, dtype="f4").reshape(4, 2)
    batches = tf.data.Dataset.from_tensor_slices(x).map(lambda row: row * 2).batch(3)

    @tf.function
    def total():
        found, steps = 0.0, 0
        for batch in batches:
            found += tf.reduce_sum(batch)
            steps += 1
        return found, steps

    assert [float(part) for part in total()] == [56.0, 2.0]
    assert total.experimental_get_tracing_count() == 1
