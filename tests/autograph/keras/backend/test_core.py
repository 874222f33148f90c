"""Variables, shapes without values, and Keras' control flow: eager and in graphs."""

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras
from keras import ops

import autograph as ag
from runtime import config
from runtime.execute.native.stateful import Stateful

X = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], np.float32)


def by_two(carry, x):
    return carry + x, carry * 2


CONTROL = {
    "cond": lambda x: ops.cond(ops.sum(x) > 0, lambda: x * 2, lambda: -x),
    "switch": lambda x: ops.switch(ops.argmax(x[0]), [lambda y: y, lambda y: -y, ops.exp], x),
    "while_loop": lambda x: ops.while_loop(
        lambda i, y: ops.sum(y) < 100, lambda i, y: (i + 1, y * 2), (0, x + 1)
    ),
    "fori_loop": lambda x: ops.fori_loop(0, ops.argmax(x[0]), lambda i, y: y * 2 + 1, x),
    "scan": lambda x: ops.scan(by_two, ops.zeros(3), x),
    "scan backwards": lambda x: ops.scan(by_two, ops.zeros(3), x, reverse=True),
    "associative_scan": lambda x: ops.associative_scan(lambda a, b: a * b, x, axis=1),
    "map": lambda x: ops.map(lambda row: row * ops.sum(row), x),
    "vectorized_map": lambda x: ops.vectorized_map(lambda row: row * ops.sum(row), x),
    "slice": lambda x: ops.slice(x, (0, ops.argmax(x[0]) - 1), (2, 2)),
    "slice_update": lambda x: ops.slice_update(x, (0, 1), x[:, :2] * 10),
    "scatter": lambda x: ops.scatter([[1], [1]], x, (3, 3)),
    "scatter_update": lambda x: ops.scatter_update(x, [[0, 1], [1, 2]], x[0, :2]),
}


@pytest.mark.parametrize("program", CONTROL.values(), ids=CONTROL)
def test_control_flow_is_part_of_the_graph(program):
    function = ag.convert(lambda x: program(ops.convert_to_tensor(x)))
    expected = keras.tree.map_structure(ops.convert_to_numpy, program(ops.convert_to_tensor(X)))
    for factor in (1, -1):  # one trace for both ways
        found = function(X * factor)
        if factor == 1:
            keras.tree.map_structure(np.testing.assert_allclose, found, expected)
    assert function.trace_count == 1


@pytest.mark.parametrize("name", ["cond", "while_loop", "scan", "map"])
def test_it_has_gradients(name):
    def loss(x):
        return sum(ops.sum(ops.square(y)) for y in keras.tree.flatten(CONTROL[name](x)))

    x = ops.convert_to_tensor(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        value = loss(x)
    np.testing.assert_allclose(
        ag.convert(ag.grad(lambda x: loss(ops.convert_to_tensor(x))))(X),
        tape.gradient(value, x).numpy(),
    )


def test_a_variable_is_a_source_of_gradients_and_an_operand():
    v = keras.Variable(X)
    with ag.GradientTape() as tape:
        loss = ag.sum(ag.multiply(v, v) * 3.0)
    np.testing.assert_allclose(tape.gradient(loss, [v])[0].numpy(), 6 * X)
    step = ag.convert(lambda x: v.assign_add(x * 2))
    step(X)
    step(X)
    np.testing.assert_allclose(v.numpy(), 5 * X)
    assert step.trace_count == 1


def test_a_layer_that_is_built_in_a_trace_keeps_its_weights():
    layer = keras.layers.Dense(2)
    graph = ag.convert(lambda x: layer(x) * 2)
    np.testing.assert_allclose(graph(X), 2 * layer(X).numpy(), rtol=1e-6)


def test_shapes_are_found_without_values():
    class Halves(keras.layers.Layer):
        def call(self, x):
            return ops.reshape(x, (-1, 3, 2)), ops.sum(x, axis=0)

    first, second = Halves()(keras.KerasTensor((None, 6)))
    assert (first.shape, second.shape) == ((None, 3, 2), (6,))


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision(policy):
    layers = [keras.layers.Dense(4, "relu", dtype=policy), keras.layers.Dense(1, dtype=policy)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    model.compile("sgd", "mse")
    weights = model.get_weights()
    losses = model.fit(X, X[:, :1], epochs=2, verbose=0).history["loss"]
    assert np.isfinite(losses).all()
    step = model.train_function.step
    assert isinstance(step.traces()[-1]._differentiable.run, Stateful), step.explain()
    trained = model.get_weights()
    model.set_weights(weights)
    model.compile("sgd", "mse")
    with config.native.using(False):
        assert model.fit(X, X[:, :1], epochs=2, verbose=0).history["loss"] == losses
    for one, other in zip(model.get_weights(), trained, strict=True):
        np.testing.assert_array_equal(one, other)
    assert keras.backend.standardize_dtype(model(X).dtype) == policy.removeprefix("mixed_")
    assert model.trainable_variables[0].dtype == "float32"
