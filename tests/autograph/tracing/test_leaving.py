"""Tests of `autograph.tracing.leaving`: calls that Python makes as fast as a plan are left to it."""

import functools

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from autograph import sort
from runtime import config

X = np.linspace(-2.0, 3.0, 30)
SCALE = 2.0


@pytest.fixture(autouse=True)
def left():
    with config.leave_to_python.using(True):
        yield


def is_left(function):
    (*_, concrete) = function.traces()
    return any("plain Python makes the calls" in line for line in concrete.execution)


def lines(x):
    text = ""
    for i, v in enumerate(x):
        text += f"{i:3d} {SCALE * v:8.3f} {'*' if v > 0 else '-'}\n"
    return text


def fitted(x):
    slope = 0.0
    while abs(slope - 1.0) > 1e-3:
        design = np.stack([x, np.ones_like(x)], axis=1)
        found, *_ = np.linalg.lstsq(design, x - slope * x, rcond=None)
        slope = slope + 0.5 * found[0]
    return slope


def written(x):
    x = x.copy()
    for i in range(len(x) - 3):
        x[i] = np.unique(x[i : i + 3])[0]
    return x


def sorted_in_place(x, low=0, high=29):
    if low >= high:
        return x
    middle, i, j = x[(low + high) // 2], low, high
    while i <= j:
        while x[i] < middle:
            i += 1
        while x[j] > middle:
            j -= 1
        if i <= j:
            x[i], x[j] = x[j], x[i]
            i, j = i + 1, j - 1
    sorted_in_place(x, low, j)
    return sorted_in_place(x, i, high)


def without_loops(x):
    rank = np.linalg.matrix_rank(np.outer(x, x))
    return f"{rank} of {np.linalg.cond(np.diag(x)):.3f}"


def told(x):
    scale = float(x[0])
    for k in range(4):
        scale = scale * 0.5
        print(f"{k}: {scale:.3f}")
    return scale


def told_in_a_loop(x):
    total = 0.0
    for v in x:
        total += v
        print("now", total)
    return total


@pytest.mark.parametrize("function", [without_loops, told, told_in_a_loop])
def test_python_makes_calls_that_would_call_it_as_often(function, capsys):
    converted = ag.convert(function)
    for x in (X, X, -X):
        expected, plain = function(x), capsys.readouterr().out
        assert (converted(x), capsys.readouterr().out) == (expected, plain)
    assert is_left(converted) and converted.trace_count == 1


def told_at_the_end(x):
    y = np.sqrt(np.abs(np.sin(x) * 2 - np.cos(x))) + np.tanh(x) * np.exp(-x * x)
    print(y.sum())
    return np.cumsum(y[::-1]) / (1 + np.arange(len(x)))


def told_on_one_path(x):
    most = 0.0
    for v in x:
        if v > most:
            most = v
            print("more", most)
    return most


def told_before_a_loop(x):
    print("begin")
    total = 0.0
    for v in x:
        total += v
    return total


@pytest.mark.parametrize("function", [told_at_the_end, told_on_one_path, told_before_a_loop])
def test_graphs_that_call_python_seldom_run(function):
    converted = ag.convert(function)
    np.testing.assert_allclose(converted(X), function(X), rtol=1e-12)
    assert not is_left(converted)


@pytest.mark.parametrize("function", [lines, fitted, written, sorted_in_place])
def test_python_makes_calls_whose_loops_are_no_faster_as_a_plan(function):
    converted = ag.convert(function)
    for x in (X, X, -X):
        found, expected = converted(x.copy()), function(x.copy())
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected)
    assert is_left(converted) and converted.trace_count == 1
    assert {"while", "recursion"} & {op.name for op in converted.traces()[0].graph.operations}


def test_the_graph_runs_where_it_is_asked_for():
    for options, context in (
        ({"native": False}, config.leave_to_python.using(True)),
        ({"returns": "tensor"}, config.leave_to_python.using(True)),
        ({}, config.leave_to_python.using(False)),
        ({}, ag.GradientTape()),
    ):
        converted = ag.convert(written, **options)
        with context:
            np.testing.assert_array_equal(np.asarray(converted(X)), written(X))
        assert not is_left(converted)


def test_what_changes_outside_is_traced_again(monkeypatch):
    converted = ag.convert(lines)
    assert converted(X) == lines(X)
    monkeypatch.setattr("tests.autograph.tracing.test_leaving.SCALE", 3.0)
    assert converted(X) == converted(X) == lines(X)
    assert converted.trace_count == 2 and is_left(converted)


class Model:
    own = [ag.sort]

    def __init__(self):
        self.xp, self.weight = ag, ag.Variable(2.0)

    def by_attribute(self, x):
        return self.xp.sort(x)

    def by_item(self, x):
        return self.own[0](x)

    def by_variable(self, x):
        return np.sort(x) * self.weight


def by_import(x):
    from autograph import sort as found

    return found(x)


def by_default(x, function=ag.sort):
    return function(x)


def of_closure(function):
    return lambda x: function(x)


OURS = {
    "a module": lambda x: ag.sort(x),
    "TensorFlow's names": lambda x: tf.sort(x),
    "a module in a module": lambda x: ag.nn.relu(x),
    "a name": lambda x: sort(x),
    "an import": by_import,
    "a default": by_default,
    "a closure": of_closure(ag.sort),
    "an attribute": Model().by_attribute,
    "an item": Model().by_item,
    "a variable": Model().by_variable,
    "a partial": lambda x: functools.partial(ag.sort)(x),
    "a converted function": ag.convert(np.sort),
}


@pytest.mark.parametrize("what", OURS)
@pytest.mark.parametrize("is_given", [False, True])
def test_functions_of_ours_are_run_as_graphs(what, is_given):
    own = OURS[what]

    def captured(x):
        text = ""
        for v in x:
            text += f"{v:.3f}"
        return own(x), text

    def given(x, function):
        text = ""
        for v in x:
            text += f"{v:.3f}"
        return function(x), text

    converted = ag.convert(given if is_given else captured)
    results = [converted(X, own) if is_given else converted(X) for _ in range(2)]
    assert not is_left(converted)
    expected = ag.Tensor if what == "a variable" else np.ndarray
    assert [type(array) for array, _ in results] == [expected] * 2
