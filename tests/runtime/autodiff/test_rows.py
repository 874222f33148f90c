"""Jacobians: the graph of one has one sweep, however many rows or columns there are."""

import numpy as np
import pytest

import autograph as ag

MATRIX = np.random.default_rng(0).normal(size=(12, 12))


def power(x):
    for _ in range(np.int64(3)):
        x = x * np.sin(x)
    return x


FUNCTIONS = {
    "elements": lambda x: x * x,
    "products": lambda x: np.tanh(MATRIX[:, : len(x)] @ x),
    "sums": lambda x: np.stack([np.cumsum(x), x * x]),
    "branches": lambda x: np.where(x > 0.3, x * x, -x) if x.sum() > 0 else x,
    "loop": power,
    "constant": lambda x: np.ones(3),
    "nothing": lambda x: x[:0],
    "item": lambda x: x[1] * x[0],
    "matrix": lambda x: np.outer(x, x),
}


def batched(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * x * ag.cumsum(x, axis=1)
    return tape.batch_jacobian(y, x)


TRANSFORMS = {
    "jacobian": ag.jacobian,
    "jacfwd": ag.jacfwd,
    "hessian": lambda f: ag.hessian(lambda x: (f(x) ** 2).sum()),
}


CASES = [("jacobian", name) for name in FUNCTIONS]
CASES += [(transform, name) for transform in ("jacfwd", "hessian") for name in ("loop", "item")]


@pytest.mark.parametrize(("transform", "name"), CASES)
def test_rows_are_computed_together(transform, name):
    derivative = TRANSFORMS[transform](FUNCTIONS[name])
    converted = ag.convert(derivative)
    sizes = []
    for n in (4, 9):
        x = np.linspace(0.1, 1.0, n)
        expected = derivative(x)
        found = converted(x)
        assert found.shape == expected.shape and np.allclose(found, expected, rtol=1e-12)
        sizes.append(sum(1 for _ in converted.get_concrete_function(x).graph.walk()))
    assert sizes[0] == sizes[1]


def test_a_batch_of_jacobians_is_computed_together():
    converted, sizes = ag.convert(batched), []
    for n in (3, 8):
        x = ag.constant(np.linspace(0.1, 1.0, 2 * n).reshape(2, n))
        found = np.asarray(converted(x))
        assert np.allclose(found, batched(x)) and found.shape == (2, n, n)
        sizes.append(sum(1 for _ in converted.get_concrete_function(x).graph.walk()))
    assert sizes[0] == sizes[1]
