"""Tests of `autograph.tf.first_values`, eager and in graphs."""

import numpy as np
import pytest

import autograph.tf as tf


@pytest.mark.parametrize("staged", [False, True])
def test_what_is_constant(staged):
    run = tf.function if staged else (lambda f: f)
    for initial, value in (
        (tf.zeros_initializer(), 0), (tf.ones_initializer(), 1), (tf.constant_initializer(3), 3),
    ):  # fmt: skip
        for dtype in (tf.float32, tf.int64):
            found = run(lambda: initial([2, 3], dtype))().numpy()
            np.testing.assert_array_equal(found, np.full((2, 3), value, dtype), strict=True)
    assert tf.Variable(tf.constant_initializer(2.5)(shape=[2])).numpy().tolist() == [2.5, 2.5]


@pytest.mark.parametrize("staged", [False, True])
def test_what_is_drawn(staged):
    run = tf.function if staged else (lambda f: f)
    uniform = run(lambda: tf.random_uniform_initializer(2.0, 3.0)([1000]))().numpy()
    assert uniform.dtype == np.float32 and 2 <= uniform.min() < 2.1 < 2.9 < uniform.max() < 3
    normal = run(lambda: tf.random_normal_initializer(5.0, 0.5)([1000], tf.float64))().numpy()
    assert normal.dtype == np.float64 and abs(normal.mean() - 5) < 0.1 < normal.std() < 0.6
    for made in (tf.random_uniform_initializer, tf.random_normal_initializer):
        free, bound = made(), made(seed=4)
        assert (free([5]) != free([5])).numpy().any()
        np.testing.assert_array_equal(bound([5]).numpy(), run(lambda: bound([5]))().numpy())
