"""Loops over batches with a training step of Keras in them: one loop of the graph, and native."""

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import autograph.tf as tf

keras = tf.keras
layers = keras.layers
RNG = np.random.default_rng(0)
X = RNG.normal(size=(22, 8, 8, 1)).astype(np.float32)
Y = RNG.integers(0, 3, 22)


class Training:
    """A model that is built in its first step, as are the slots of its optimizer."""

    def __init__(self):
        keras.utils.set_random_seed(1)
        self.model = keras.Sequential([
            layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(), layers.Dropout(0.3),
            layers.Conv2D(5, 2, activation="relu"), layers.GlobalAveragePooling2D(), layers.Dense(3),
        ])  # fmt: skip
        self.optimizer = keras.optimizers.Adam(0.01)
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.metrics = keras.metrics.Mean(), keras.metrics.SparseCategoricalAccuracy()

    def step(self, x, y):
        with tf.GradientTape() as tape:
            predictions = self.model(x, training=True)
            loss = self.loss(y, predictions)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        mean, accuracy = self.metrics
        mean(loss)
        accuracy(y, predictions)
        return loss

    def values(self):
        found = [*self.model.trainable_variables, *self.optimizer.variables]
        numbers = [np.asarray(v) for v in found if v.name not in ("iteration", "learning_rate")]
        return [*numbers, *(metric.result().numpy() for metric in self.metrics)]


def epochs_of(training, number, batches):
    step, loss = 0, 0.0
    for _ in range(number):
        for x, y in batches:
            step += 1
            loss = training.step(x, y)
    return step, loss


def once(training, batches):
    for x, y in batches:
        training.step(x, y)


def in_memory(count):
    return tf.data.Dataset.from_tensor_slices((X[:count], Y[:count]))


LOOPS = {
    "even batches": (lambda: in_memory(20).batch(5), once, ()),
    "a short last batch, shuffled": (lambda: in_memory(22).shuffle(22, seed=2).batch(5), once, ()),
    "in two epochs": (lambda: in_memory(22).batch(5), epochs_of, (2,)),
}


@pytest.mark.broad(2)
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_over_batches_is_one_loop_of_native_code(name):
    make, loop, arguments = LOOPS[name]
    eager, graph = Training(), Training()
    loop(eager, *arguments, make())
    function = tf.function(loop)
    result = function(graph, *arguments, make())
    for found, expected in zip(graph.values(), eager.values(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5)
    (trace,) = function.traces()
    counts = Counter(node.op.name for node in trace.graph.walk())
    assert counts["while"] == (2 if arguments else 1)
    assert counts["convolution"] == counts["convolution_kernel"] == 2
    assert "plan" not in function.explain() and "calls Python" not in function.explain()
    if arguments:
        assert int(result[0]) == 10
    for training in (eager, graph):  # what the first step made is what later ones go on with
        training.step(X[:5], Y[:5])
        assert training.model.built and training.optimizer.built
    for found, expected in zip(graph.values(), eager.values(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5)


def test_losses_and_metrics_of_a_batch_of_unknown_size():
    y, p = np.eye(3, dtype=np.float32)[Y[:6]], RNG.random((6, 3), np.float32)
    cases = [
        (keras.losses.SparseCategoricalCrossentropy(), Y[:6], p),
        (keras.losses.CategoricalCrossentropy(label_smoothing=0.1), y, p),
        (keras.losses.BinaryCrossentropy(from_logits=True), y, p),
        (keras.losses.Huber(), y, p),
        (keras.losses.MeanSquaredError(), y, p),
        (keras.losses.KLDivergence(), y, p),
        (keras.losses.CategoricalFocalCrossentropy(), y, p),
        (keras.metrics.SparseTopKCategoricalAccuracy(2), Y[:6], p),
        (keras.metrics.AUC(), y, p),
        (keras.metrics.F1Score(), y, p),
        (keras.metrics.MeanIoU(3, sparse_y_pred=False), Y[:6], p),
    ]
    for measure, truth, guess in cases:
        specs = [tf.TensorSpec([None, *x.shape[1:]], x.dtype) for x in (truth, guess)]
        expected = np.asarray(measure(truth, guess))
        if isinstance(measure, keras.metrics.Metric):
            measure.reset_state()
        function = tf.function(lambda a, b, m=measure: m(a, b), input_signature=specs)
        np.testing.assert_allclose(function(truth, guess), expected, rtol=1e-5)
    function = tf.function(
        keras.ops.sparse_categorical_crossentropy,
        input_signature=[tf.TensorSpec([None], "int64"), tf.TensorSpec([None, 3], "float32")],
    )
    with pytest.raises(ValueError, match="same shape up until the last dimension"):
        function(Y[:1], p)


def test_the_best_weights_of_a_loop_are_those_of_plain_python():
    def best_of(training, batches, epochs):
        best, low = [], np.inf
        for _ in range(epochs):
            loss = 0.0
            for x, y in batches:
                loss += training.step(x, y)
            if loss < low:
                low, best = loss, training.model.get_weights()
        return best, low

    best, low = best_of(Training(), in_memory(20).batch(5), 3)
    graph = tf.function(best_of)
    found, lowest = graph(Training(), in_memory(20).batch(5), np.int64(3))
    assert graph.trace_count == 1 and np.isclose(float(lowest), float(low), rtol=1e-5)
    for one, other in zip(found, best, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
