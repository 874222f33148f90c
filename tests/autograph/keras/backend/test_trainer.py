"""Training: one graph for each shape of a batch, whatever feeds it and looks on."""

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras

import autograph as ag
from autograph.data import Dataset
from runtime import config

X = np.random.default_rng(0).random((10, 4), np.float32)
Y = (X.sum(axis=1) > 2).astype(int)


def model(optimizer="adam", **options):
    keras.utils.set_random_seed(0)
    made = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2, "softmax")])
    made.compile(optimizer, "sparse_categorical_crossentropy", **options)
    return made


def fitted(*data, batch_size=5, **options):
    made = model()
    return made, made.fit(*data, batch_size=batch_size, verbose=0, shuffle=False, **options).history


def test_a_trace_for_each_shape_of_a_batch():
    made, _ = fitted(X, Y, batch_size=4, epochs=3)  # 4, 4 and 2
    assert made.train_function.step.trace_count == 2


class Batches:
    """An iterable that begins again, and says nothing of its length."""

    def __iter__(self):
        for start in (0, 5):
            yield X[start : start + 5], Y[start : start + 5]


def test_any_iterable_of_batches_is_data():
    _, expected = fitted(X, Y, epochs=2)
    for data in (Batches(), iter([*Batches(), *Batches()])):
        steps = {"steps_per_epoch": 2, "shuffle": False} if hasattr(data, "__next__") else {}
        made = model()
        found = made.fit(data, epochs=2, verbose=0, **steps).history
        np.testing.assert_allclose(found["loss"], expected["loss"], rtol=1e-6)
    np.testing.assert_allclose(made.evaluate(Batches(), verbose=0), made.evaluate(X, Y, verbose=0))
    with pytest.raises(ValueError, match="gives targets and weights itself"):
        made.fit(Batches(), Y)


def in_pairs():
    yield from zip(X, Y, strict=True)


OF_PAIR = ag.TensorSpec((4,), "float32"), ag.TensorSpec((), "int64")
DATASETS = {
    "in memory": lambda: Dataset.from_tensor_slices((X, Y)).batch(5),
    "map": lambda: Dataset.from_tensor_slices((X, Y)).map(lambda x, y: (x * 1, y)).batch(5),
    "generator": lambda: Dataset.from_generator(in_pairs, output_signature=OF_PAIR).batch(5),
    "read ahead": lambda: DATASETS["generator"]().prefetch(2),
}


@pytest.mark.parametrize("name", DATASETS)
def test_data_sets_are_data(name):
    _, expected = fitted(X, Y, epochs=3)
    made = model()
    found = made.fit(DATASETS[name](), epochs=3, verbose=0).history
    np.testing.assert_allclose(found["loss"], expected["loss"], rtol=1e-6)
    assert made.train_function.step.trace_count == 1
    # Epochs of so many steps go on where the one before ended.
    in_steps = model().fit(DATASETS[name]().repeat(), epochs=6, steps_per_epoch=1, verbose=0)
    pairs = np.reshape(in_steps.history["loss"], (3, 2))
    np.testing.assert_allclose(pairs.mean(axis=1), expected["loss"], rtol=1e-5)


def test_weights_of_classes_are_those_of_their_rows():
    weights = {0: 1.0, 1: 3.0}
    _, by_class = fitted(X, Y, class_weight=weights)
    _, by_row = fitted(X, Y, sample_weight=np.where(Y == 1, 3.0, 1.0))
    np.testing.assert_allclose(by_class["loss"], by_row["loss"])


@pytest.mark.parametrize(
    "options", [{"run_eagerly": True}, {"steps_per_execution": 2}, {"jit_compile": True}], ids=str
)
def test_ways_to_run_it_agree(options):
    _, expected = fitted(X, Y, epochs=2)
    other = model(**options)
    found = other.fit(X, Y, batch_size=5, epochs=2, verbose=0, shuffle=False).history
    np.testing.assert_allclose(found["loss"], expected["loss"], rtol=1e-5)


def test_the_last_execution_of_several_steps_may_have_fewer(recwarn):
    made = model(steps_per_execution=3)
    made.fit(X, Y, batch_size=5, epochs=2, verbose=0)
    made.evaluate(X, Y, batch_size=5, verbose=0)
    assert made.predict(X, batch_size=5, verbose=0).shape == (10, 2)
    assert not [str(w.message) for w in recwarn if "ran out of data" in str(w.message)]
    with pytest.warns(UserWarning, match="ran out of data"):
        made.fit(X, Y, batch_size=5, steps_per_epoch=4, verbose=0)


def test_callbacks_stop_and_keep(tmp_path, capsys):
    stop = keras.callbacks.EarlyStopping("loss", min_delta=10, patience=1)
    keep = keras.callbacks.ModelCheckpoint(tmp_path / "best.keras", "loss", save_best_only=True)
    made = model(metrics=["accuracy"])
    history = made.fit(X, Y, epochs=9, callbacks=[stop, keep], validation_data=(X, Y)).history
    assert len(history["val_accuracy"]) == 2
    assert "accuracy" in capsys.readouterr().out  # the progress bar
    keras.saving.load_model(tmp_path / "best.keras").predict(X, verbose=0)


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda of: of.Adam(of.schedules.CosineDecay(0.1, 20), gradient_accumulation_steps=3),
        lambda of: of.SGD(0.1, momentum=0.9, use_ema=True, ema_overwrite_frequency=3),
        lambda of: of.LossScaleOptimizer(of.RMSprop(0.1, momentum=0.5), dynamic_growth_steps=3),
    ],
)
def test_a_model_that_is_loaded_trains_on_bit_for_bit(optimizer, tmp_path):
    made = model(optimizer(keras.optimizers))
    made.fit(X, Y, batch_size=5, shuffle=False, verbose=0)
    made.save(tmp_path / "model.keras")
    for one in (made, again := keras.saving.load_model(tmp_path / "model.keras")):
        one.fit(X, Y, batch_size=5, epochs=3, shuffle=False, verbose=0)
        assert one.train_function.step.trace_count == 1
    for x, y in zip(made.variables, again.variables, strict=True):
        np.testing.assert_array_equal(x, y)
    assert again.optimizer.iterations == made.optimizer.iterations


def test_steps_of_adam_are_those_of_its_paper():
    made = model(keras.optimizers.Adam(0.1))
    w, b = (np.array(p, np.float64) for p in made.get_weights())
    state = [np.zeros_like(p) for p in (w, b, w, b)]
    for step in range(1, 11):
        logits = X @ w + b
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        expected = -np.log(p[np.arange(10), Y]).mean()
        assert made.train_on_batch(X, Y) == pytest.approx(expected, rel=1e-5)
        error = (p - np.eye(2)[Y]) / 10
        for k, g in enumerate((X.T @ error, error.sum(axis=0))):
            state[k] += 0.1 * (g - state[k])
            state[k + 2] += 0.001 * (g * g - state[k + 2])
        rate = 0.1 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        w, b = (q - rate * m / (np.sqrt(v) + 1e-7) for q, m, v in zip((w, b), state, state[2:]))


def test_a_seed_gives_the_same_bits_eagerly_and_in_a_plan():
    def trained(**options):
        keras.utils.set_random_seed(3)
        layers = [keras.layers.Dense(8, "relu"), keras.layers.Dropout(0.4)]
        normal, last = keras.layers.BatchNormalization(), keras.layers.Dense(2, "softmax")
        made = keras.Sequential([keras.Input((4,)), *layers, normal, last])
        made.compile("adam", "sparse_categorical_crossentropy", **options)
        losses = made.fit(X, Y, batch_size=3, epochs=3, shuffle=True, verbose=0).history["loss"]
        traces = getattr(getattr(made.train_function, "step", None), "trace_count", None)
        assert traces == (None if options.get("run_eagerly") else 2)  # of 3 rows, and of 1
        return [losses, *(w.tolist() for w in made.get_weights())]

    with config.native.using(False):
        expected = trained(run_eagerly=True)
        assert trained() == trained(steps_per_execution=2) == expected


def _waves(*shape):
    """Numbers that are equal everywhere."""
    return np.sin(np.arange(np.prod(shape)) ** 1.5).reshape(shape).astype(np.float32)


class _Attending(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.layer = keras.layers.MultiHeadAttention(2, 4)

    def call(self, x):
        return self.layer(x, x) + x


WORDS = np.arange(40).reshape(8, 5)  # each once: TensorFlow's Adam has other squares otherwise
# Layers, examples, and the losses of ten steps of Adam with Keras 3.15 on TensorFlow 2.21.
AS_TENSORFLOW = {
    "dense": (
        lambda: [keras.layers.Dense(6, "relu")],
        _waves(8, 5),
        [
            1.035532,
            1.011978,
            0.990784,
            0.971052,
            0.9526,
            0.935185,
            0.918521,
            0.902326,
            0.88796,
            0.874694,
        ],
    ),
    "batch norm": (
        lambda: [keras.layers.Dense(6, "tanh"), keras.layers.BatchNormalization()],
        _waves(8, 5),
        [
            1.234348,
            1.171555,
            1.113359,
            1.059354,
            1.009127,
            0.962364,
            0.918844,
            0.878371,
            0.840715,
            0.805604,
        ],
    ),
    "convolution": (
        lambda: [keras.layers.Conv2D(3, 3, activation="relu"), keras.layers.MaxPooling2D(2)],
        _waves(8, 8, 8, 2),
        [
            2.419484,
            2.010149,
            1.683548,
            1.446194,
            1.293493,
            1.201426,
            1.140076,
            1.081005,
            1.008519,
            0.919691,
        ],
    ),
    "LSTM": (
        lambda: [keras.layers.LSTM(4)],
        _waves(8, 5, 3),
        [
            1.095998,
            1.084186,
            1.072706,
            1.061495,
            1.050494,
            1.039658,
            1.028931,
            1.018236,
            1.00749,
            0.996633,
        ],
    ),
    "GRU": (
        lambda: [keras.layers.GRU(4)],
        _waves(8, 5, 3),
        [
            1.127872,
            1.111314,
            1.096806,
            1.08419,
            1.073259,
            1.063835,
            1.055727,
            1.04872,
            1.042588,
            1.037108,
        ],
    ),
    "words with a mask": (
        lambda: [keras.layers.Embedding(40, 4, mask_zero=True), keras.layers.LSTM(4)],
        WORDS,
        [
            1.114885,
            1.096962,
            1.080255,
            1.064481,
            1.049292,
            1.034373,
            1.019479,
            1.004411,
            0.988993,
            0.973063,
        ],
    ),
    "attention": (
        lambda: [_Attending(), keras.layers.LayerNormalization()],
        _waves(8, 5, 6),
        [
            2.502441,
            2.040146,
            1.609871,
            1.245387,
            0.979488,
            0.807834,
            0.696116,
            0.612932,
            0.540279,
            0.470597,
        ],
    ),
}


@pytest.mark.parametrize("name", AS_TENSORFLOW)
def test_ten_steps_of_adam_are_those_on_tensorflow(name):
    layers, x, expected = AS_TENSORFLOW[name]
    made = keras.Sequential([keras.Input(x.shape[1:], dtype=x.dtype), *layers()])
    made.add(keras.layers.Flatten())
    made.add(keras.layers.Dense(3))
    made.set_weights([_waves(*w.shape) / 2 if w.ndim > 1 else w for w in made.get_weights()])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile(keras.optimizers.Adam(0.01), loss)
    found = [made.train_on_batch(x, np.arange(8) % 3) for _ in range(10)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert made.train_function.step.trace_count == 1


@pytest.mark.parametrize("weights", [{}, {"sample_weight": np.ones(10)}])
def test_a_batch_alone_and_batches_of_data_share_their_graphs(weights):
    made = model()
    for x in (X, X.astype(np.float64)):
        made.fit(x, Y, verbose=0, **weights)
        made.train_on_batch(x, Y, **weights)
        made.evaluate(x, Y, verbose=0, **weights)
        made.test_on_batch(x, Y, **weights)
        made.predict(x, verbose=0)
        made.predict_on_batch(x)
    for function in (made.train_function, made.test_function, made.predict_function):
        assert function.step.trace_count == 1


def test_one_batch_at_a_time():
    made = model(metrics=["accuracy"])
    loss, accuracy = made.test_on_batch(X, Y)
    assert made.predict_on_batch(X).shape == (10, 2)
    assert made.train_on_batch(X, Y, return_dict=True) == pytest.approx(
        {"loss": loss, "accuracy": accuracy}, rel=1e-5
    )
    assert made.test_on_batch(X, Y)[0] < loss
