"""Layouts, windows and paddings of `tf.nn`: every way to write them, and what is none."""

import numpy as np
import pytest

import autograph.tf as tf

X = tf.reshape(tf.range(32.0), [1, 4, 4, 2])
KERNEL = tf.ones([2, 2, 2, 1])


@pytest.mark.parametrize("strides", [2, [2], [2, 2], [1, 2, 2, 1], (1, 2, 2, 1)])
def test_strides_are_one_number_those_of_the_image_or_those_of_all_axes(strides):
    found = tf.nn.conv2d(X, KERNEL, strides, "VALID")
    np.testing.assert_array_equal(found, tf.nn.conv2d(X, KERNEL, 1, "VALID")[:, ::2, ::2])


def test_channels_come_first_where_it_is_said():
    first = tf.transpose(X, [0, 3, 1, 2])
    found = tf.nn.max_pool2d(first, [1, 1, 2, 2], [1, 1, 2, 2], "VALID", data_format="NCHW")
    wanted = tf.nn.max_pool2d(X, 2, 2, "VALID")
    np.testing.assert_array_equal(tf.transpose(found, [0, 2, 3, 1]), wanted)
    found = tf.nn.conv2d(first, KERNEL, 1, [[0, 0], [0, 0], [1, 0], [0, 2]], data_format="NCHW")
    assert found.shape == (1, 1, 4, 5)


def test_pads_are_those_of_the_image_or_of_all_axes():
    pairs = [[1, 0], [0, 2]]
    found = tf.nn.conv2d(X, KERNEL, 1, [[0, 0], *pairs, [0, 0]])
    np.testing.assert_array_equal(found, tf.nn.conv2d(X, KERNEL, 1, pairs))
    assert found.shape == (1, 4, 5, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"data_format": "NHCW"}, "data_format is NHWC, NCHW or the like, not 'NHCW'"),
        ({"strides": [2, 1, 1, 1]}, "strides of the batch and the channels must be 1"),
        ({"strides": [1, 1, 1, 2]}, "strides of the batch and the channels must be 1"),
        ({"strides": [1, 2, 3]}, "strides has 3 numbers for 2 spatial axes"),
        ({"dilations": [1, 2, 3]}, "dilations has 3 numbers for 2 spatial axes"),
    ],
)
def test_what_is_no_layout_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tf.nn.conv2d(X, KERNEL, **{"strides": 1, "padding": "SAME", **options})
