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
KEPT = keras.Variable(X + 1)


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
    "cond of a variable": lambda x: ops.cond(ops.sum(x) > 0, lambda: KEPT.value, lambda: -x),
    "switch of a variable": lambda x: ops.switch(ops.argmax(x[0]), [lambda: KEPT, lambda: x]),
    "scan of a variable": lambda x: ops.scan(lambda c, row: (c + row, KEPT), KEPT[0], x),
    "map of a variable": lambda x: ops.map(lambda row: KEPT, x),
    "vectorized_map of a variable": lambda x: ops.vectorized_map(lambda row: KEPT, x),
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


OPTIMIZERS = {
    "Adam": keras.optimizers.Adam, "AdamW": keras.optimizers.AdamW, "Muon": keras.optimizers.Muon,
    "accumulation": lambda: keras.optimizers.SGD(0.1, gradient_accumulation_steps=2),
    "average": lambda: keras.optimizers.Lion(0.1, use_ema=True, weight_decay=0.1),
}  # fmt: skip


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_optimizers_update_variables_that_are_not_of_keras(make):
    def trained(kind, convert):
        w, b, optimizer = kind(X.T, name="w"), kind(np.ones(2, np.float32), name="b"), make()

        def step(x):
            with ag.GradientTape() as tape:
                loss = ag.sum((x @ ag.tanh(w) + b) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))

        step = convert(step)
        for _ in range(4):
            step(X)
        assert getattr(step, "trace_count", 1) == 1
        return [np.asarray(w), np.asarray(b)]

    for kind in (ag.Variable, keras.Variable):
        for convert in (lambda f: f, ag.convert):
            for one, other in zip(
                trained(kind, convert), trained(keras.Variable, ag.convert), strict=True
            ):
                np.testing.assert_allclose(one, other, rtol=1e-5)


def test_a_layer_that_is_built_in_a_trace_keeps_its_weights():
    layer = keras.layers.Dense(2)
    graph = ag.convert(lambda x: layer(x) * 2)
    np.testing.assert_allclose(graph(X), 2 * layer(X).numpy(), rtol=1e-6, atol=1e-5)


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


def _model():
    return keras.Sequential([
        keras.layers.Input((3,)), keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1),
    ])  # fmt: skip


SOURCES = {
    "variables": lambda variables: variables,
    "values": lambda variables: [v.value for v in variables],
    "contents": lambda variables: [v._value for v in variables],
    "a nest": lambda variables: {"a": variables[0], "b": [variables[1].value, *variables[2:]]},
}


@pytest.mark.parametrize("convert", [lambda f: f, ag.convert], ids=["eager", "graph"])
@pytest.mark.parametrize("name", SOURCES)
def test_gradients_are_with_respect_to_variables_and_their_values(name, convert):
    model = _model()
    variables, of = model.trainable_variables, SOURCES[name]

    def loss():
        return ops.mean(ops.square(model(X)))

    def gradients():
        with ag.GradientTape(persistent=True) as tape:
            found = loss()
        with ag.GradientTape(watch_accessed_variables=False) as watching:
            watching.watch(of(variables))
            again = loss()
        with ag.GradientTape() as around:
            with ag.GradientTape() as within:
                inner = loss()
            slope = within.gradient(inner, variables[0].value)
            square = ops.sum(slope * slope)
        return (
            tape.gradient(found, of(variables)), tape.jacobian(found, of(variables)),
            watching.gradient(again, of(variables)), around.gradient(square, of(variables)),
        )  # fmt: skip

    def flat(nest):
        return [np.asarray(x) for x in keras.tree.flatten(nest)]

    found = [flat(nest) for nest in convert(gradients)()]
    for k, v in enumerate(variables):
        kept, step = v.numpy(), 1e-2
        steps = np.zeros_like(kept)
        steps.flat[0] = step
        v.assign(kept + steps)
        above = float(loss())
        v.assign(kept - steps)
        difference = (above - float(loss())) / (2 * step)
        v.assign(kept)
        for nest in found[:3]:
            np.testing.assert_allclose(nest[k].flat[0], difference, rtol=2e-2, atol=1e-3)
    assert len(found[3]) == len(variables) and np.any(found[3][0])


def test_a_value_is_the_variable_itself_but_where_it_is_cast():
    layer = keras.layers.Dense(2, dtype="mixed_float16")
    layer.build((None, 3))
    value = layer.kernel.value
    assert isinstance(value, ag.Variable) and ops.is_tensor(value) and value.dtype == "float32"
    layer.kernel.assign(np.ones((3, 2)))
    np.testing.assert_array_equal(value, np.ones((3, 2)))
    with keras.src.backend.common.variables.AutocastScope("float16"):
        assert layer.kernel.value.dtype == "float16"
