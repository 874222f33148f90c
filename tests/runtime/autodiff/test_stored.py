"""Tests of `runtime.autodiff.stored`: what a differentiated function leaves in objects."""

import csv
from typing import NamedTuple

import numpy as np
import pytest

import autograph as ag

last = None
held = []
table = {}


class Pair(NamedTuple):
    a: object
    b: object


class Note:
    def __init__(self, value):
        self.value = value


class Model:
    def __init__(self):
        self.hidden, self.calls, self.seen = None, 0, []

    @ag.convert
    def loss(self, x):
        self.hidden = x * 2
        self.calls += 1
        self.total = float(x.sum())
        self.seen.append(x.sum())
        self.note = Note(x + 1)
        return (self.hidden * x).sum()


@ag.convert
def loss(x):
    global last
    last = x * 2
    held.append(x * 3)
    table["row"] = {"pair": Pair(x + 1, [x.sum(), 1]), "view": last[:1], "last": last}
    return (last * x).sum()


def kinds(x):
    """The classes, dtypes and values of what is in a nest."""
    if isinstance(x, dict):
        return {k: kinds(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x), [kinds(v) for v in x]
    if isinstance(x, Note):
        return Note, kinds(x.value)
    return type(x), getattr(x, "dtype", None), np.asarray(x).tolist()


def state(model):
    return kinds([last, held, table, vars(model)])


def derivatives(x):
    along = (np.ones(2),)
    return {
        "grad": lambda f: ag.grad(f)(x),
        "value_and_grad": lambda f: ag.value_and_grad(f)(x),
        "jacobian": lambda f: ag.jacobian(f)(x),
        "vjp": lambda f: ag.vjp(f, x)[1](1.0),
        "jvp": lambda f: ag.jvp(f, (x,), along),
        "hessian": lambda f: ag.hessian(f)(x),
        "of a plain function around it": lambda f: ag.grad(lambda v: f(v) * 2)(x),
    }


X = np.array([1.0, 2.0])


@pytest.mark.parametrize("name", derivatives(X))
def test_the_state_is_that_of_a_call_without_derivative(name):
    global last
    expected = Model()
    held.clear()
    table.clear()
    loss.python_function(X)
    Model.loss.python_function(expected, X)
    wanted = state(expected)
    model = Model()
    last = None
    held.clear()
    table.clear()
    derivatives(X)[name](loss)
    derivatives(X)[name](model.loss)
    del held[1:], model.seen[1:]
    model.calls = 1
    assert state(model) == wanted
    assert np.shares_memory(table["row"]["view"], last) and table["row"]["last"] is last


def test_what_runs_later_in_the_function_finds_what_gradients_flow_through():
    model = Model()

    def twice(x):
        model.loss(x)
        return (model.hidden * model.hidden).sum()

    assert ag.grad(twice)(X).tolist() == [8.0, 16.0]
    assert type(model.hidden) is np.ndarray


def test_with_tensors_as_arguments_tensors_are_stored():
    model = Model()
    ag.grad(model.loss)(ag.constant(X))
    assert isinstance(model.hidden, ag.Tensor)


def test_a_result_that_is_stored_is_one_object_with_it():
    model = Model()

    @ag.convert
    def f(x):
        model.hidden = x * 2
        return model.hidden.sum(), model.hidden

    (_, given), _ = ag.value_and_grad(f, has_aux=True)(X)
    assert given is model.hidden and type(given) is np.ndarray


@pytest.mark.parametrize("name", derivatives(X))
def test_an_argument_that_is_stored_is_the_callers(name):
    kept = []
    x = np.array([1.0, 2.0])

    @ag.convert
    def f(x):
        kept.append((x, x[:1]))
        return (x * x).sum()

    derivatives(x)[name](f)
    whole, part = kept[0]
    assert type(whole) is type(part) is np.ndarray
    assert whole is x or name == "hessian"  # the inner derivative is that of a copy


def test_an_argument_that_is_written_and_stored_is_a_copy():
    kept = []
    x = np.array([1.0, 2.0])

    @ag.convert
    def f(x):
        x[0] = 7.0
        kept.append(x)
        return (x * x).sum()

    assert ag.grad(f)(x).tolist() == [0.0, 4.0]
    assert type(kept[0]) is np.ndarray and kept[0].tolist() == [7.0, 2.0]


@pytest.mark.parametrize("name", derivatives(X))
def test_plain_python_is_given_arrays_and_numbers(name, tmp_path):
    def written(f, x):
        with open(tmp_path / "log", "w+", newline="") as file:
            f(csv.writer(file), file, x)
            file.seek(0)
            return file.read()

    def logged(writer, file, x):
        writer.writerow([x.sum(), x[0]])
        writer.writerow(x * 2)
        print("first", x[0], file=file)
        return (x * x).sum()

    def derived(writer, file, x):
        derivatives(x)[name](lambda v: converted(writer, file, v))

    converted = ag.convert(logged)
    expected = written(logged, X)
    assert written(derived, X)[: len(expected)] == expected
    assert converted.trace_count


def test_a_function_that_raises_leaves_plain_state():
    model = Model()

    def failing(x):
        model.loss(x)
        raise KeyError("after")

    with pytest.raises(KeyError):
        ag.grad(failing)(X)
    assert type(model.hidden) is np.ndarray


def test_a_plain_function_leaves_the_tensors_that_it_computed_with():
    """Nothing tells what Python stored: docs/guide/limits.md says so."""
    kept = []

    def plain(x):
        kept.append(x * 2)
        return (kept[-1] ** 2).sum()

    ag.grad(plain)(np.ones(2))
    ag.grad(ag.convert(plain))(np.ones(2))
    assert [type(x) for x in kept] == [ag.Tensor, np.ndarray]
