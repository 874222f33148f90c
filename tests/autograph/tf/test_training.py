"""Training written with `tf`'s variables, tapes and operations, against TensorFlow's numbers."""

import numpy as np
import pytest

import autograph.tf as tf


class Adam:
    """Keras' rule, with its defaults."""

    def __init__(self, variable, rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
        self.rate, self.beta_1, self.beta_2, self.epsilon = rate, beta_1, beta_2, epsilon
        self.mean = tf.Variable(tf.zeros_like(variable))
        self.square = tf.Variable(tf.zeros_like(variable))
        self.step = tf.Variable(0.0)

    def apply(self, gradient, variable):
        t = self.step.assign_add(1.0)
        scale = self.rate * tf.sqrt(1.0 - self.beta_2**t) / (1.0 - self.beta_1**t)
        self.mean.assign_add((gradient - self.mean) * (1.0 - self.beta_1))
        self.square.assign_add((tf.square(gradient) - self.square) * (1.0 - self.beta_2))
        variable.assign_sub(self.mean * scale / (tf.sqrt(self.square) + self.epsilon))


class Momentum:
    def __init__(self, variable, rate=0.1, momentum=0.9):
        self.rate, self.momentum = rate, momentum
        self.velocity = tf.Variable(tf.zeros_like(variable))

    def apply(self, gradient, variable):
        variable.assign_add(
            self.velocity.assign(self.momentum * self.velocity - self.rate * gradient)
        )


def of_a_square(v):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.constant([0.5, -1.0]) * v * v)
    return tape.gradient(loss, v)


def of_a_product(v):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.constant([1.0, -2.0]) * v)
    return tape.gradient(loss, v)


def one_by_one(optimizer, gradient_of, v, steps, compiled):
    def step():
        optimizer.apply(gradient_of(v), v)

    step = tf.function(step) if compiled else step
    for _ in range(steps):
        step()
    if compiled:
        assert step.trace_count == 1


def in_one_graph(optimizer, gradient_of, v, steps):
    @tf.function
    def train(n):
        for _ in tf.range(n):
            optimizer.apply(gradient_of(v), v)

    train(tf.constant(steps))
    assert [op.name for op in train.traces()[0].graph.operations].count("while") == 1


WAYS = {
    "eager": lambda *how: one_by_one(*how, compiled=False),
    "a graph for a step": lambda *how: one_by_one(*how, compiled=True),
    "a graph for all steps": in_one_graph,
}


@pytest.mark.parametrize(
    ("kind", "gradient_of", "steps", "wanted"),
    [
        (Adam, of_a_square, 10, [0.99000329, 2.01000142]),
        (Momentum, of_a_product, 3, [0.439, 3.122]),
    ],
    ids=["H15", "H16"],
)
def test_h15_h16_steps_of_an_optimizer(kind, gradient_of, steps, wanted):
    """H15, H16: TensorFlow's values after these steps, the same bits in each way."""
    found = []
    for way in WAYS.values():
        v = tf.Variable([1.0, 2.0])
        way(kind(v), gradient_of, v, steps)
        assert v.dtype == tf.float32
        found.append(v.numpy())
    np.testing.assert_allclose(found[0], wanted, rtol=0, atol=2.5e-7)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


class Digits(tf.Module):
    """Seed 003's model: two convolutions of 3x3, the mean over the image, ten numbers."""

    def __init__(self):
        super().__init__()
        tf.random.set_seed(3)
        shapes = ([3, 3, 1, 16], [16], [3, 3, 16, 16], [16], [16, 10], [10])
        self.weights = [tf.Variable(tf.random.normal(shape, stddev=0.2)) for shape in shapes]

    def __call__(self, images):
        k1, b1, k2, b2, w, b = self.weights
        x = tf.nn.relu(tf.nn.conv2d(images, k1, 1, "VALID") + b1)
        x = tf.nn.conv2d(x, k2, 1, "VALID") + b2
        return tf.matmul(tf.reduce_mean(x, axis=[1, 2]), w) + b


def test_h19_one_model_for_images_of_any_size():
    """H19: 2650 weights, a row of ten for images of 28x28 and 40x40, in one graph."""
    model = Digits()
    assert sum(tf.size(v).numpy() for v in model.trainable_variables) == 2650
    f = tf.function(model, input_signature=[tf.TensorSpec([None, None, None, 1])])
    for size in (28, 40):
        images = tf.random.uniform([2, size, size, 1])
        logits = f(images)
        assert logits.shape == (2, 10)
        np.testing.assert_allclose(logits, model(images), rtol=1e-4, atol=1e-5)
    assert f.trace_count == 1


def test_h14_a_loss_of_probabilities_an_accuracy_and_a_squared_error():
    """H14: eagerly and in a graph; of equal logits the first is the largest."""

    def measured(logits, labels):
        chosen = tf.gather(tf.nn.softmax(logits), labels, batch_dims=1)
        right = tf.cast(
            tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), labels), "float32"
        )
        return (
            tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)),
            tf.reduce_mean(-tf.math.log(chosen)),
            tf.reduce_mean(right),
            tf.reduce_mean(tf.math.squared_difference([1.0, 2.0], [2.0, 4.0])),
        )

    logits, labels = tf.constant([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), tf.constant([2, 0])
    for f in (measured, tf.function(measured)):
        found = [x.numpy() for x in f(logits, labels)]
        np.testing.assert_allclose(found, [0.7531091, 0.75310916, 1.0, 2.5], rtol=2e-7)
        assert all(x.dtype == np.float32 for x in found)
