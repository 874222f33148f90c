"""The beginning of an article on eager execution: what needs no Keras."""

import cProfile
import os  # noqa: F401

import autograph.tf as tf

print(tf.executing_eagerly())

loss_history = []
weight = tf.Variable(2.0)


# The article's `train_step` with a model of one weight.
def train_step(images, labels):
  with tf.GradientTape() as tape:
    logits = weight * images
    tf.debugging.assert_equal(logits.shape, (3,))
    loss_value = tf.math.squared_difference(labels, logits)
  loss_history.append(loss_value.numpy().mean())
  grads = tape.gradient(loss_value, weight)
  weight.assign_sub(0.1 * grads)


for step in range(3):
  train_step(tf.constant([1.0, 0.0, 1.0]), tf.constant([0.0, 0.0, 0.0]))
print(len(loss_history), [round(float(loss), 4) for loss in loss_history])

cProfile.run('tf.reduce_sum(tf.matmul(tf.ones([2, 2]), tf.ones([2, 2])))', sort='name')
