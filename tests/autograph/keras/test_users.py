"""The user's code that Keras calls is converted in graphs."""

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras
from keras import layers, ops

import autograph


class Scaled(layers.Layer):
    def call(self, x):
        x = self.turned(x)
        if ops.sum(x) > 0:
            x = x * 2.0
        return x

    def turned(self, x):
        return -x if ops.max(x) > 1 else x


class Squares(keras.losses.Loss):
    def call(self, y_true, y_pred):
        errors = ops.mean((y_true - y_pred) ** 2, axis=-1)
        return errors * 2.0 if ops.max(errors) > 1 else errors


class Positive(keras.metrics.Metric):
    def __init__(self, name="positive"):
        super().__init__(name=name)
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        if ops.max(y_pred) > 0:
            self.count.assign_add(1.0)

    def result(self):
        if self.count > 1:  # read of what a branch has assigned
            return self.count * 2.0
        return self.count * 1.0


class Steps(keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return 0.1 if step < 2 else 0.01


class Heavy(keras.regularizers.Regularizer):
    def __call__(self, w):
        size = ops.sum(w * w)
        return size * 0.1 if size > 0.5 else size * 0.0


class Clipping(keras.Model):
    """A model with a `train_step` of its own."""

    def train_step(self, data):
        x, y = data
        with autograph.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        if loss > 1:
            gradients = [ops.clip(g, -0.1, 0.1) for g in gradients]
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}


def layered():
    return keras.Sequential(
        [keras.Input((3,)), Scaled(), layers.Dense(2, kernel_regularizer=Heavy())]
    )


def lambdas():
    doubled = layers.Lambda(lambda x: x * 2.0 if ops.sum(x) > 0 else x)
    turned = layers.Activation(lambda x: x if ops.max(x) > 1 else -x)
    return keras.Sequential([keras.Input((3,)), layers.Dense(2), doubled, turned])


def stepping():
    x = keras.Input((3,))
    return Clipping(x, layers.Dense(2)(x))


def squared(y_true, y_pred):
    error = ops.mean((y_true - y_pred) ** 2)
    return error * 2.0 if error > 1 else error


def first(y_true, y_pred):
    return ops.mean(y_pred) if ops.sum(y_true) > 0 else 0.0


@pytest.mark.parametrize(
    ("model", "loss", "metrics"),
    [(layered, Squares(), [Positive]), (lambdas, squared, [lambda: first]), (stepping, "mse", [])],
)
def test_it_may_branch_by_data(model, loss, metrics):
    x = np.random.default_rng(0).random((8, 3), np.float32)
    found = []
    for is_eager in (False, True):
        keras.utils.set_random_seed(1)
        made = model()
        optimizer = keras.optimizers.SGD(Steps())
        made.compile(optimizer, loss, metrics=[m() for m in metrics], run_eagerly=is_eager)
        logs = made.fit(x, x[:, :2] * 3, batch_size=4, epochs=2, verbose=0).history
        found.append(list(logs.values()))
        if not is_eager:
            assert made.train_function.step.trace_count == 1
    np.testing.assert_allclose(*found, rtol=1e-5)


MADE_BY_EXEC = """
class Half(layers.Layer):
    def call(self, x):
        return x / 2

class Made(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner, self.half = layers.Dense(2), Half()

    def call(self, x):
        return self.half(self.inner(x))

class Branching(keras.Model):
    def call(self, x):
        return x if ops.sum(x) > 0 else -x

def squares(y_true, y_pred):
    return ops.mean((y_true - y_pred) ** 2)
"""


def test_what_has_no_source_is_traced_as_it_is():
    names = {"keras": keras, "layers": layers, "ops": ops}
    exec(MADE_BY_EXEC, names)
    x = np.ones((4, 3), np.float32)
    model = names["Made"]()
    call = autograph.convert(model)
    np.testing.assert_allclose(call(x), model(x), rtol=1e-6)
    ops_of = [node.op.name for node in call.traces()[0].graph.walk()]
    assert call.trace_count == 1 and "host_call" not in ops_of
    assert "`Made.call` is called as it is, while tracing" in call.explain()
    model.compile("sgd", names["squares"])
    model.fit(x, x[:, :2], epochs=2, verbose=0)
    graph = model.train_function.step.traces()[0].graph
    assert "host_call" not in [node.op.name for node in graph.walk()]
    with pytest.raises(autograph.StagingError, match="needs the value of"):
        autograph.convert(names["Branching"]())(x)


def test_what_is_not_the_users_is_left():
    assert not hasattr(layers.Dense.call, "__wrapped__")
    assert Scaled.call.__wrapped__.__code__.co_firstlineno > 0
