"""Models of each kind: eager, in graphs, on tapes, in one trace of training; saved and loaded."""

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras
from keras import layers, ops

import autograph as ag
import autograph.tf as tf

RNG = np.random.default_rng(0)
ROWS = RNG.random((8, 6), np.float32)
IMAGES = RNG.random((8, 6, 6, 1), np.float32)
SERIES = RNG.random((8, 4, 3), np.float32)
WORDS = np.where(np.arange(4) < 3, RNG.integers(1, 9, (8, 4)), 0)
LABELS = RNG.integers(0, 3, 8)


class Residual(keras.Model):
    """Makes its layers' weights when it is called first."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = layers.Dense(4, "gelu"), layers.Dense(3)

    def call(self, x, training=False):
        h = self.inner(x)
        for k in range(2):
            h = h + k
        return self.outer(h if ops.sum(h) > 0 else -h)


def sequential(shape, *parts, dtype=None):
    return keras.Sequential([keras.Input(shape, dtype=dtype), *parts, layers.Dense(3)])


def dense():
    normal = layers.BatchNormalization(), layers.LayerNormalization()
    return sequential((6,), layers.Dense(8, "relu"), *normal, layers.Dropout(0.5))


def convolutional():
    parts = layers.SeparableConv2D(3, 3, padding="same"), layers.Conv2DTranspose(2, 3, strides=2)
    pooled = layers.MaxPooling2D(), layers.AveragePooling2D(2), layers.Flatten()
    return sequential((6, 6, 1), layers.Conv2D(2, 3, activation="relu"), *parts, *pooled)


def masked():
    parts = layers.Embedding(10, 4, mask_zero=True), layers.LSTM(3)
    return sequential((4,), *parts, dtype="int32")


def recurrent():
    both = layers.Bidirectional(layers.GRU(2, return_sequences=True))
    return sequential((4, 3), both, layers.GRU(3))


def attentive():
    x = keras.Input((4, 3))
    h = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x))
    return keras.Model(x, layers.Dense(3)(layers.GlobalAveragePooling1D()(h)))


MODELS = [
    (dense, ROWS), (convolutional, IMAGES), (masked, WORDS), (recurrent, SERIES),
    (attentive, SERIES), (Residual, ROWS),
]  # fmt: skip
of_each = pytest.mark.parametrize(
    ("make", "x"), [pytest.param(m, x, id=m.__name__) for m, x in MODELS]
)


@of_each
def test_a_graph_gives_what_it_gives_eagerly(make, x):
    model = make()
    lazily = tf.function(model)(x) if make is Residual else None  # whose weights it makes
    expected = model(x).numpy()
    graph = ag.convert(lambda x: model(x))
    for found in (graph(x), tf.function(model)(x), ag.convert(model)(x), lazily):
        if found is not None:
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-4, atol=1e-5)
    assert graph.trace_count == 1
    with ag.GradientTape() as tape:
        loss = ops.mean(model(x) ** 2)
    assert all(g is not None for g in tape.gradient(loss, model.trainable_variables))


def test_what_keras_finds_in_a_model_is_not_looked_at_in_each_call():
    """Neither where a graph makes the first call of it, nor where its slots and weights are made."""
    built = keras.Sequential([keras.Input((6,)), layers.Dense(3), layers.Dense(1)])
    for model in (built, keras.Sequential([layers.Dense(3), layers.Dense(1)]), masked()):
        optimizer = keras.optimizers.AdamW(0.01)
        x = ROWS if model.layers[0].name.startswith("dense") else WORDS

        def step(x, model=model, optimizer=optimizer):
            with ag.GradientTape() as tape:
                loss = ops.mean(model(x, training=True) ** 2)
            weights = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        for function in (ag.convert(lambda x, model=model: model(x)), ag.convert(step)):
            for _ in range(3):
                function(x)
            assert function.trace_count == 1
            assert "object" not in str(function.explain()).rpartition("again when one changes")[2]


BOTH = [SERIES[:, :, :2], SERIES[:, :, :2]]
UNKNOWN = [
    (layers.Resizing(4, 5), [IMAGES]),
    (layers.Reshape((2, 6)), [SERIES]), (layers.Flatten(), [IMAGES]), (layers.Cropping2D(1), [IMAGES]),
    (layers.LSTM(3, go_backwards=True), [SERIES]), (layers.GlobalAveragePooling2D(), [IMAGES]),
    (layers.Attention(), BOTH), (layers.Dot(1), BOTH), (layers.Conv2D(2, 3, padding="same"), [IMAGES]),
    (keras.Sequential([layers.Embedding(9, 4, mask_zero=True), layers.GRU(3)]), [WORDS]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("layer", "xs"),
    [pytest.param(*case, id=case[0].name.rstrip("_0123456789")) for case in UNKNOWN],
)
def test_sizes_that_are_not_known_are_none_to_keras(layer, xs):
    """Of the batch alone, and of every axis but the last."""
    expected = layer(xs if len(xs) > 1 else xs[0]).numpy()
    for unknown in (1, None):
        specs = [
            ag.TensorSpec(
                [None, *([None] * x.ndim if unknown is None else x.shape)[1:-1], *x.shape[-1:]],
                x.dtype,
            )
            for x in xs
        ]
        graph = ag.convert(
            lambda *xs: layer(list(xs) if len(xs) > 1 else xs[0]), input_signature=specs
        )
        np.testing.assert_allclose(np.asarray(graph(*xs)), expected, rtol=1e-4, atol=1e-5)


@of_each
def test_it_is_trained_in_one_trace(make, x, tmp_path):
    keras.utils.set_random_seed(0)
    model = make()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    history = model.fit(x, LABELS, batch_size=4, epochs=2, verbose=0).history
    assert model.train_function.step.trace_count == 1
    assert history["loss"][0] != history["loss"][1]
    predicted = model.predict(x, verbose=0)
    if make is not Residual:
        model.save(tmp_path / "model.keras")
        again = keras.saving.load_model(tmp_path / "model.keras")
        np.testing.assert_array_equal(again.predict(x, verbose=0), predicted)
    model.save_weights(tmp_path / "model.weights.h5")
    model.set_weights([w * 0 for w in model.get_weights()])
    model.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(model.predict(x, verbose=0), predicted)


def test_eager_and_graph_draw_the_same():
    drop = layers.Dropout(0.5, seed=3)
    graph = ag.convert(lambda x: drop(x, training=True))
    other = layers.Dropout(0.5, seed=3)
    for _ in range(2):
        np.testing.assert_array_equal(graph(ROWS), other(ROWS, training=True).numpy())


def test_a_step_that_accumulates_gradients_is_converted():
    def trained(wrap):
        keras.utils.set_random_seed(1)
        model = sequential((6,), layers.Dense(4))
        optimizer = keras.optimizers.Adam(0.1, gradient_accumulation_steps=2)

        def step(x):
            with ag.GradientTape() as tape:
                loss = ops.mean(model(x) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return loss

        run = wrap(step)
        return [float(run(ROWS)) for _ in range(5)], run

    losses, run = trained(ag.convert)
    np.testing.assert_allclose(losses, trained(lambda step: step)[0], rtol=1e-5)
    assert losses[0] == losses[1] != losses[2] == losses[3]
    assert run.trace_count <= 2
