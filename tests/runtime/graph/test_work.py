"""What graphs take in operations and bytes."""

import numpy as np
import pytest

import autograph as ag
from runtime.graph.work import FREE, NUMBERS, RULES
from runtime.ops.declaration.declare import REGISTRY

X, W = np.ones((3, 4)), np.ones((4, 5), "f4")


def test_every_op_is_counted_or_free():
    for name, primitive in REGISTRY.items():
        op = primitive.op
        if op.view or op.effect or op.name.startswith(("random_", *NUMBERS)):
            continue
        known = (op.elementwise, op.name in RULES, op.name in FREE)
        assert any(known), f"say in runtime/graph/work.py what {name} takes"
        assert not (op.name in RULES and op.name in FREE), name


def test_no_rule_is_of_an_op_that_there_is_not():
    names = {primitive.op.name for primitive in REGISTRY.values()}
    assert (RULES.keys() | FREE) - names <= {"accumulate"}


CONV = np.ones((2, 9, 8, 3)), np.ones((2, 3, 3, 4))
TERMS = 2 * (2 * 8 * 6 * 4) * (2 * 3 * 3)


@pytest.mark.parametrize(
    ("function", "given", "flops"),
    [
        (lambda x: x * 2 + 1, (X,), 24),
        (lambda x: x.T, (X,), 0),
        (lambda x, w: x @ w, (X, W), 2 * 3 * 4 * 5),
        (lambda x: x.sum(axis=0), (X,), 12),
        (lambda x: np.sort(x), (X,), 0),
        (lambda x, w: np.einsum("ij,jk->k", x, w), (X, W), 3 * 4 + 2 * 4 * 5),
        (lambda x, w: np.tensordot(x, w, 1), (X, W), 2 * 3 * 4 * 5),
        (lambda x, k: ag.nn.conv2d(x, k), CONV, TERMS),
        (ag.grad(lambda x, k: ag.sum(ag.nn.conv2d(x, k)), argnums=(0, 1)), CONV, 2 * TERMS),
        (lambda x: np.fft.fft(x + 0j), (np.ones(8),), 5 * 8 * 3 + 8),
        (np.linalg.cholesky, (np.eye(6),), 72),
    ],
)
def test_operations(function, given, flops):
    assert ag.convert(function).cost(*given).flops == flops


def test_known_rounds_are_all_counted_and_others_once():
    def known(x):
        for _ in range(100_000):
            x = np.sin(x)
        return x

    def open_(x, n):
        for _ in range(n):
            x = np.sin(x)
        return x

    x = np.ones(1000)
    assert ag.convert(known).cost(x).open_loops == ()
    assert 100_000_000 <= ag.convert(known).cost(x).flops <= 100_300_000
    cost = ag.convert(open_).cost(x, np.int64(9))
    assert 1000 <= cost.flops <= 1010
    (place,) = cost.open_loops
    assert "test_work.py" in place and "open_" in place


def test_the_larger_branch_is_counted():
    def f(x):
        if x[0] > 0:
            return x @ x
        return np.sin(x[0])

    assert 20_000 <= ag.convert(f).cost(np.ones(10_000)).flops <= 20_010


def test_bytes_are_those_of_arguments_results_and_variables():
    v = ag.Variable(np.ones(100))
    assert ag.convert(lambda x: np.tanh(x)).cost(X).bytes == 2 * X.nbytes

    @ag.convert
    def step(x):
        v.assign(v * x)
        return x[0]

    before = v.numpy().copy()
    assert step.cost(np.ones(100)).bytes == 3 * 800 + 8
    assert (v.numpy() == before).all()  # nothing was run


def test_methods_and_specs_have_costs_and_unknown_sizes_have_none():
    class Layer:
        def __init__(self):
            self.w = W

        @ag.convert
        def __call__(self, x):
            return x @ self.w

        @ag.convert
        def apply(self, x):
            return x @ self.w

    assert Layer().apply.cost(X).flops == 120
    f = ag.convert(lambda x: x + 1)
    assert f.cost(ag.TensorSpec((7, 2), "f4")).flops == 14
    with pytest.raises(ValueError, match="not known before the run"):
        f.cost(ag.TensorSpec((None, 2), "f4"))
