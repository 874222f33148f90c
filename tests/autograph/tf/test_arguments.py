"""Shapes and axes in all the ways in which TensorFlow takes them; wrong arguments are named."""

import numpy as np
import pytest

import autograph.tf as tf

M = tf.constant([[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    "shape",
    [[3, 2], (3, 2), np.array([3, 2]), tf.constant([3, 2]), tf.Variable([3, 2]),
     [tf.constant(3), 2], [np.int64(3), -1], tf.TensorShape([3, 2])],
)  # fmt: skip
def test_a_shape_is_written_in_many_ways(shape):
    assert tf.reshape(M, shape).numpy().tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("shape", [6, np.int32(6), tf.constant(6), [6]])
def test_a_shape_of_one_axis_is_a_number(shape):
    assert tf.reshape(M, shape).shape == (6,) and tf.zeros(shape).shape == (6,)


def test_a_shape_may_be_known_only_when_the_graph_runs():
    @tf.function
    def f(n, shape):
        return tf.zeros([n, 2]), tf.fill(shape, 1.0), tf.reshape(M, [n, -1])

    for rows in (2, 3):
        made = f(tf.constant(rows), tf.constant([rows, 1]))
        assert [x.shape.as_list() for x in made] == [[rows, 2], [rows, 1], [rows, 6 // rows]]


@pytest.mark.parametrize("axis", [[0, 1], (0, 1), range(2), np.array([0, 1]), tf.constant([0, 1])])
def test_axes_are_written_in_many_ways(axis):
    assert tf.reduce_sum(M, axis).numpy() == 21
    assert tf.reverse(M, axis).numpy().tolist() == [[6, 5, 4], [3, 2, 1]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.unstack(M, num=3), "num is 3, but there are 2 parts"),
        (lambda: tf.split(M, [1, 3], axis=1), r"the sizes \[1, 3\] do not add up to 3"),
        (lambda: tf.sort(M, direction="DOWN"), "'ASCENDING' or 'DESCENDING', not 'DOWN'"),
        (lambda: tf.where(M > 1, M), "both of x and y, or none"),
        (lambda: tf.matmul(M, [1, 2, 3]), "use tf.linalg.matvec"),
        (lambda: tf.ensure_shape(M, [2, 2]), r"of shape \(2, 3\) cannot have the shape \(2, 2\)"),
        (
            lambda: tf.matmul(M, M, transpose_b=True, adjoint_b=True),
            "transpose and adjoint are given for one matrix",
        ),
        (lambda: tf.image.random_hue(tf.ones([1, 1, 3]), 0.7), "at most 0.5"),
        (lambda: tf.image.random_saturation(tf.ones([1, 1, 3]), -1.0, 1.0), "0 <= lower < upper"),
        (lambda: tf.image.random_contrast(tf.ones([1, 1, 3]), 2.0, 1.0), "lower < upper"),
        (lambda: tf.image.adjust_gamma(tf.ones([1, 1, 3]), -1.0), "gamma is 0 at least"),
    ],
)
def test_a_wrong_value_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.reduce_mean([True]), "cast it first"),
        (lambda: tf.math.reduce_std([1, 2]), "needs floating numbers, not int32"),
        (lambda: tf.image.rgb_to_hsv(M[None]), "floating images are wanted"),
    ],
)
def test_a_wrong_dtype_is_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.nn.embedding_lookup([[1.0]], [0], max_norm=1.0), "tf.clip_by_norm"),
        (lambda: tf.nn.log_poisson_loss([1.0], [1.0], compute_full_loss=True), "log_input"),
        (lambda: tf.linalg.diag([1, 2], num_rows=3), "one diagonal of a square matrix"),
    ],
)
def test_what_is_not_served_says_what_is(call, message):
    with pytest.raises(NotImplementedError, match=message):
        call()
