"""`tf.keras` is Keras on our backend, or says what is missing."""

import sys

import numpy as np
import pytest

import autograph.tf as tf
from runtime import config


def import_keras():
    pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")


def test_it_is_the_package():
    import_keras()
    import keras

    assert tf.keras is keras
    assert keras.backend.backend() == "autograph"
    w = keras.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = tf.square(w * 2.0)
    assert tape.gradient(loss, w).numpy() == 24.0


ROWS = np.random.default_rng(0).random((8, 6), np.float32)
LABELS = np.arange(8) % 3


def trained(decorated):
    """Losses and weights of a training with dropout and orders of chance; the function."""
    import_keras()
    keras = tf.keras
    keras.utils.set_random_seed(0)
    parts = keras.layers.BatchNormalization(), keras.layers.Dropout(0.5)
    model = keras.Sequential([keras.Input((6,)), *parts, keras.layers.Dense(3, "softmax")])
    optimizer, loss_of = keras.optimizers.Adam(0.1), keras.losses.SparseCategoricalCrossentropy()
    mean, data = keras.metrics.Mean(), tf.data.Dataset.from_tensor_slices((ROWS, LABELS))
    data = data.shuffle(8, seed=1).batch(3)

    @decorated
    def train(epochs):
        step, value = 0, 0.0
        for _ in tf.range(epochs):
            for x, target in data:
                step += 1
                with tf.GradientTape() as tape:
                    value = tf.reduce_mean(loss_of(target, model(x, training=True)))
                gradients = tape.gradient(value, model.trainable_variables)
                optimizer.apply_gradients(zip(gradients, model.trainable_variables))
                mean(value)
        return step, value, mean.result()

    return [*map(np.asarray, train(tf.constant(2))), *model.get_weights()], train, mean


def test_a_loop_over_batches_is_one_loop_of_the_graph():
    """A42, A45: the last batch is smaller; in plans the bits are those of eager code."""
    expected, _, mean = trained(lambda train: train)
    assert type(mean.result()) is tf.Tensor
    found, graph, _ = trained(tf.function)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
    nodes = list(graph.get_concrete_function(tf.constant(2)).graph.walk())
    assert [node.op.name for node in nodes].count("while") == 2 and graph.trace_count == 1
    with config.backend.using("plan"):
        found, _, _ = trained(tf.function)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_without_keras_it_says_what_to_install(monkeypatch):
    def install():
        raise ImportError("Keras is not installed: pip install 'autograph-numpy[keras]'")

    hook = pytest.importorskip("autograph.keras.hook")
    monkeypatch.setattr(hook, "install", install)
    for name in ("autograph.keras", "autograph.tf.keras"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr(tf, "keras", raising=False)
    with pytest.raises(AttributeError, match=r"tf.keras: Keras is not installed: pip install"):
        _ = tf.keras
