"""An article on eager execution: a model of digits trained step by step, then with a graph per step.

The article downloads MNIST; here the 1,792 first of scikit-learn's digits stand in for it, pictures
of 8 by 8. `training_loss.png` is drawn into the current folder.
"""

import os
import autograph.tf as tf
import cProfile
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

print(tf.executing_eagerly())


def digits():
  found = load_digits()
  images = np.uint8(found.images * (255 / 16))[:1792]
  return (images, np.uint8(found.target)[:1792]), None

tf.keras.datasets.mnist.load_data = digits
tf.keras.utils.set_random_seed(0)

#Dataset setup
(mnist_images, mnist_labels), _ = tf.keras.datasets.mnist.load_data()
dataset = tf.data.Dataset.from_tensor_slices(
  (tf.cast(mnist_images[...,tf.newaxis]/255, tf.float32),
   tf.cast(mnist_labels,tf.int64)))
dataset = dataset.shuffle(1000).batch(32)

mnist_model = tf.keras.Sequential([
  tf.keras.layers.Conv2D(16,[3,3], activation='relu',
                         input_shape=(None, None, 1)),
  tf.keras.layers.Conv2D(16,[3,3], activation='relu'),
  tf.keras.layers.GlobalAveragePooling2D(),
  tf.keras.layers.Dense(10)
])

optimizer = tf.keras.optimizers.Adam()
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

loss_history = []

def train_step(images, labels):
  with tf.GradientTape() as tape:
    logits = mnist_model(images, training=True)
    tf.debugging.assert_equal(logits.shape, (32, 10))
    loss_value = loss_object(labels, logits)
  loss_history.append(loss_value.numpy().mean())
  grads = tape.gradient(loss_value, mnist_model.trainable_variables)
  optimizer.apply_gradients(zip(grads, mnist_model.trainable_variables))

def train(epochs):
  for epoch in range(epochs):
    for (batch, (images, labels)) in enumerate(dataset):
      train_step(images, labels)
    print ('Epoch {} finished'.format(epoch))

train(2)
print(len(loss_history), loss_history[-1] < loss_history[0])

# The article's step with a graph: TensorFlow refuses its `.numpy()`.

@tf.function
def train_step(images, labels):  # noqa: F811
  with tf.GradientTape() as tape:
    logits = mnist_model(images, training=True)
    tf.debugging.assert_equal(logits.shape, (32, 10))
    loss_value = loss_object(labels, logits)
  loss_history.append(loss_value.numpy().mean())
  grads = tape.gradient(loss_value, mnist_model.trainable_variables)
  optimizer.apply_gradients(zip(grads, mnist_model.trainable_variables))

print(type(train_step).__name__)
train(3)
print(len(loss_history), loss_history[-1] < loss_history[0], {type(loss).__name__ for loss in loss_history})

print(mnist_model.count_params())
for size in (28, 40):
  print(mnist_model(tf.zeros([2, size, size, 1])).shape)

plt.switch_backend("Agg")
plt.plot(loss_history)
plt.xlabel('Batch #')
plt.ylabel('Loss [entropy]')
plt.savefig("training_loss.png")

cProfile.run('tf.reduce_sum(tf.matmul(tf.ones([2, 2]), tf.ones([2, 2])))', sort='name')
