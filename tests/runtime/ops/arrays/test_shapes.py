"""Shapes with sizes that are known at run time only, and errors as NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from runtime import ops
from runtime.tensor import Tensor

X = np.arange(24.0).reshape(2, 3, 4)

DYNAMIC = {
    "reshape": lambda x: ops.reshape(x, (x.shape[0], -1)),
    "reshape to a product": lambda x: ops.reshape(x, (x.shape[0] * x.shape[1], x.shape[2])),
    "broadcast": lambda x: ops.broadcast_to(x[0, 0], (x.shape[1], x.shape[2])),
    "zeros": lambda x: ops.zeros((x.shape[0], 2)) + 1.0,
    "full": lambda x: ops.full(x.shape, x[0, 0, 1]),
    "like": lambda x: ops.ones_like(x) + ops.zeros_like(x, dtype="i8"),
    "arange": lambda x: ops.arange(x.shape[2]),
    "eye": lambda x: ops.eye(x.shape[1]),
    "tril": lambda x: ops.tril(x) + ops.triu(x, 1),
    "tile": lambda x: ops.tile(x, (1, 2, 1)),
    "repeat": lambda x: ops.repeat(x, x.shape[0], axis=0),
    "roll": lambda x: ops.roll(x, x.shape[0], axis=2),
    "split": lambda x: ops.split(x, 3, 1)[2],
    "concat": lambda x: ops.concat([x, x[:, :1]], axis=1),
    "stack": lambda x: ops.stack([x, x + 1.0]),
    "append": lambda x: ops.append(x, x),
    "mean": lambda x: ops.mean(x, axis=(0, 2)),
    "take_along": lambda x: ops.take_along_axis(x, ops.argsort(-x, axis=1), 1),
    "diagonal": lambda x: ops.diagonal(x, axis1=1, axis2=2),
    "diag": lambda x: ops.diag(x[0, 0]),
    "outer": lambda x: ops.outer(x[0, 0], x[0, :, 0]),
    "kron": lambda x: ops.kron(x[0], x[1]),
    "matmul": lambda x: ops.matmul(x, ops.matrix_transpose(x)),
    "diff": lambda x: ops.diff(x, axis=1),
    "cumulative": lambda x: ops.cumulative_sum(x, axis=2, include_initial=True),
    "squeeze": lambda x: ops.squeeze(x[:, :1], 1),
    "meshgrid": lambda x: ops.meshgrid(x[0, 0], x[0, :, 0])[1],
    "broadcast_arrays": lambda x: ops.broadcast_arrays(x[0], x[0, 0])[1],
    "flatnonzero": lambda x: ops.flatnonzero(x > 3.0),
    "argwhere": lambda x: ops.argwhere(x > 20.0),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_sizes_may_be_known_at_run_time_only(name, run_graph, unknown, assert_same):
    (result,) = run_graph(DYNAMIC[name], X, types=unknown(X))
    assert_same(DYNAMIC[name](Tensor(X)), result)


ERRORS = {
    "reshape": (lambda m, x: m.reshape(x, (5, -1)), ValueError),
    "reshape twice unknown": (lambda m, x: m.reshape(x, (-1, -1)), ValueError),
    "axis of sum": (lambda m, x: m.sum(x, axis=3), np.exceptions.AxisError),
    "axis twice": (lambda m, x: m.sum(x, axis=(0, 0)), ValueError),
    "axis of expand": (lambda m, x: m.expand_dims(x, 5), np.exceptions.AxisError),
    "squeeze": (lambda m, x: m.squeeze(x, 0), ValueError),
    "transpose": (lambda m, x: m.permute_dims(x, (0, 1)), ValueError),
    "transpose twice": (lambda m, x: m.permute_dims(x, (0, 1, 1)), ValueError),
    "broadcast_to": (lambda m, x: m.broadcast_to(x, (2, 3, 5)), ValueError),
    "broadcast": (lambda m, x: m.add(x, np.zeros(3)), ValueError),
    "matmul": (lambda m, x: m.matmul(x, x), ValueError),
    "matmul of numbers": (lambda m, x: m.matmul(x, np.float64(1)), ValueError),
    "concat": (lambda m, x: m.concatenate([x, x[0]]), ValueError),
    "concat sizes": (lambda m, x: m.concatenate([x, x[:, :2]]), ValueError),
    "concat nothing": (lambda m, x: m.concatenate([]), ValueError),
    "stack": (lambda m, x: m.stack([x, x[0]]), ValueError),
    "split": (lambda m, x: m.split(x, 2, 1), ValueError),
    "moveaxis": (lambda m, x: m.moveaxis(x, (0, 1), (0,)), ValueError),
    "max of nothing": (lambda m, x: m.max(x[:0]), ValueError),
    "max over nothing": (lambda m, x: m.max(x[:0], axis=0), ValueError),
    "argmax of nothing": (lambda m, x: m.argmax(x[:0]), ValueError),
    "take": (lambda m, x: m.take(x, [9], 0), IndexError),
    "diag": (lambda m, x: m.diag(x), ValueError),
    "inv": (lambda m, x: m.linalg.inv(x), np.linalg.LinAlgError),
    "singular": (lambda m, x: m.linalg.inv(np.zeros((2, 2))), np.linalg.LinAlgError),
    "solve": (lambda m, x: m.linalg.solve(np.eye(2), np.zeros(3)), ValueError),
    "nonzero": (lambda m, x: m.nonzero(x[0, 0, 0]), ValueError),
    "linspace": (lambda m, x: m.linspace(0.0, 1.0, num=-1), ValueError),
    "arange": (lambda m, x: m.arange(0, 5, 0), ZeroDivisionError),
    "bits of floats": (lambda m, x: m.bitwise_and(x, 1), TypeError),
    "minus of bools": (lambda m, x: m.negative(x > 1), TypeError),
    "gcd of floats": (lambda m, x: m.gcd(x, 1), TypeError),
}


class _Names:
    """The ops under the names of NumPy that differ."""

    concatenate = staticmethod(ops.concat)

    def __getattr__(self, name):
        return getattr(ops, name)


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_numpy(name, run_graph):
    function, error = ERRORS[name]
    with pytest.raises(error):
        function(np, X)
    with pytest.raises(error):
        function(_Names(), Tensor(X))
    with pytest.raises(error):
        run_graph(lambda x: function(_Names(), x), X)


EMPTY = np.zeros((0, 3))


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "count_nonzero"])
def test_reductions_of_nothing_give_their_neutral_element(name, assert_same):
    for axis in (None, 0, 1):
        assert_same(getattr(ops, name)(EMPTY, axis=axis), getattr(np, name)(EMPTY, axis=axis))


def test_the_mean_of_nothing_is_nan_with_the_warning_of_numpy():
    with pytest.warns(RuntimeWarning):
        assert np.isnan(ops.mean(EMPTY).numpy())


def test_views_are_views_of_the_same_cell():
    x = Tensor(np.arange(6.0).reshape(2, 3))
    views = [x.T, ops.flip(x, 1), ops.expand_dims(x, 0), x[1], x[:, ::2], ops.swapaxes(x, 0, 1)]
    x.T[0, 1] = -9.0
    assert x[1, 0].item() == -9.0
    ops.flip(x, 1)[1, 2] = 7.0
    assert x[1, 0].item() == 7.0
    ops.expand_dims(x, 0)[0, 1, 0] = 5.0
    assert [v.numpy().flat[i] for v, i in zip(views, (1, 5, 3, 0, 2, 1), strict=True)] == [5.0] * 6


def test_what_was_made_by_broadcasting_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        ops.broadcast_to(Tensor(np.zeros(3)), (2, 3))[0, 0] = 1.0


@pytest.mark.parametrize("name", ERRORS)
def test_what_raises_when_it_runs_is_known_to_raise(name, graph_of, unknown):
    function, error = ERRORS[name]
    try:
        graph, _ = graph_of(lambda x: function(_Names(), x), unknown(X))
    except error:
        return
    assert any(node.can_raise for node in graph.nodes)
