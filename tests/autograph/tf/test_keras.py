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


# ---- weights of layers --------------------------------------------------------------------------

OF_WEIGHTS = {
    "matmul": lambda w: tf.matmul(tf.ones((4, 3)), w),
    "square": tf.square,
    "reduce_sum": tf.reduce_sum,
    "stack": lambda w: tf.stack([w, w]),
    "constant": lambda w: tf.convert_to_tensor([w, w]),
    "clip_by_norm": lambda w: tf.clip_by_norm(w, 1.0),
    "embedding_lookup": lambda w: tf.nn.embedding_lookup(w, [0, 2]),
    "einsum": lambda w: tf.einsum("ij,jk->ik", tf.ones((4, 3)), w),
    "where": lambda w: tf.where(w > 0, w, 0.0),
    "map_fn": lambda w: tf.map_fn(tf.nn.relu, w),
    "cast": lambda w: tf.cast(w, tf.float64),
}


@pytest.mark.parametrize("name", OF_WEIGHTS)
def test_functions_of_tensors_take_weights_of_layers(name):
    import_keras()
    keras = tf.keras

    class Layer(keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(3, 2), initializer="ones")

        def call(self, x):
            self.add_loss(tf.reduce_sum(OF_WEIGHTS[name](self.w)))
            return x

    x, layer = tf.ones((5, 3)), Layer()
    layer(x)
    take = tf.function(lambda: OF_WEIGHTS[name](layer.w))
    for content in (2.0, 3.0):
        layer.w.assign(np.full((3, 2), content, np.float32))
        wanted = OF_WEIGHTS[name](tf.constant(layer.w.numpy())).numpy()
        np.testing.assert_allclose(take().numpy(), wanted)
        for function in (take, lambda: OF_WEIGHTS[name](layer.w)):
            with tf.GradientTape() as tape:
                value = tf.reduce_sum(function())
            assert tape.gradient(value, layer.w).shape == (3, 2)
    assert take.trace_count == 1 and tf.is_tensor(layer.w)
    keras.Sequential([keras.Input((3,)), layer])  # its shapes are found without values
