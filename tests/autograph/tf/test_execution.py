"""When things happen: `tf.init_scope`, `tf.group`, `tf.no_op`, `tf.timestamp`."""

import time

import pytest

import autograph as ag
import autograph.tf as tf


def test_init_scope_computes_at_once_in_a_graph():
    made = []

    @tf.function
    def f(x):
        with tf.init_scope():
            made.append((tf.executing_eagerly(), tf.reduce_sum(tf.ones([3])).numpy()))
        return x + 1, tf.executing_eagerly()

    assert f(tf.constant(1))[0].numpy() == 2
    assert made == [(True, 3.0)] and tf.executing_eagerly()


def test_the_time_is_that_of_the_call():
    before = time.time()
    assert before <= tf.timestamp().numpy() <= time.time()
    with pytest.raises(ag.StagingError, match="the time of tracing"):
        tf.function(lambda x: x + tf.timestamp())(tf.constant(1.0))


def test_effects_that_are_grouped_have_happened():
    v = tf.Variable(1.0)
    assert tf.group(v.assign(2.0), tf.no_op()) is None and v.numpy() == 2.0


def test_names_and_orders_are_taken():
    @tf.function
    def f(x):
        with tf.name_scope("layer") as scope, tf.control_dependencies([x]):
            assert scope == "layer/" and tf.inside_function()
            return x + 1

    assert f(tf.constant(1)).numpy() == 2 and not tf.inside_function()
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(1)
    assert tf.tuple([tf.constant(1), None])[1] is None
