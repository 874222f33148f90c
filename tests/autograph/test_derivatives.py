"""Derivatives that are called again run a graph: which do, which stay with the tape, and results."""

import pickle
import sys

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0, 3.0])
weight = ag.Variable(3.0)
factors = [2.0]
seen = []


def sines(x):
    return (np.sin(x) * x).sum()


def squared_until_large(x):
    while x < 100.0:
        x = x * x
    return x


def with_more(x):
    return (x * x).sum(), {"total": x.sum(), "name": "squares", "x": x}


def noting(x):
    seen.append(len(seen))
    return x * x


def printing(x):
    print("called")
    return x * x


def opaque(x):
    return x * x * (sys.getrefcount(x) > 0)


OF_GRAPHS = {
    "array": (ag.grad(sines), X),
    "tensor": (ag.grad(sines), ag.constant(X)),
    "number": (ag.grad(squared_until_large), 1.5),
    "scalar": (ag.grad(squared_until_large), np.float32(1.5)),
    "array of rank 0": (ag.grad(squared_until_large), np.array(1.5)),
    "Variable": (ag.grad(lambda v: v * v), ag.Variable(2.0)),
    "reads a Variable": (ag.grad(lambda x: x * weight * weight), 2.0),
    "reads a list": (ag.grad(lambda x: x * factors[0]), 2.0),
    "complex": (ag.grad(lambda z: (z * z.conjugate()).real), 1 + 2j),
    "dict": (ag.grad(lambda p: (p["a"] * p["b"]).sum()), {"a": X, "b": X + 1}),
    "list": (ag.grad(lambda p: (p[0] * p[1]).sum()), [X, X + 1]),
    "value and grad": (ag.value_and_grad(sines), X),
    "aux": (ag.value_and_grad(with_more, has_aux=True), X),
    "argnums": (ag.grad(lambda x, y: (x * y).sum(), (0, 1)), X, 2.0),
    "converted": (ag.grad(ag.convert(sines)), X),
    "second": (ag.grad(ag.grad(squared_until_large)), 1.5),
    "jacobian": (ag.jacobian(lambda x: x * x), X),
    "jacfwd": (ag.jacfwd(lambda x: x * x), X),
    "hessian": (ag.hessian(lambda x: (x**3).sum()), X),
}
OF_THE_TAPE = {
    "changes a list": (ag.grad(noting), 2.0),
    "prints": (ag.grad(printing), 2.0),
    "no graph": (ag.grad(opaque), 2.0),
}


def exactly(x):
    """A result with the class and dtype of each part."""
    if isinstance(x, dict):
        return {key: exactly(part) for key, part in x.items()}
    if isinstance(x, list | tuple):
        return [type(x), *map(exactly, x)]
    return type(x), getattr(x, "dtype", None), np.shape(x), str(x)


def traces(derivative):
    return derivative._graphs.trace_count


@pytest.mark.parametrize("name", [*OF_GRAPHS, *OF_THE_TAPE])
def test_later_calls_give_what_the_first_does(name):
    derivative, *args = {**OF_GRAPHS, **OF_THE_TAPE}[name]
    first, *later = (exactly(derivative(*args)) for _ in range(5))
    assert later == [first] * 4
    if name in OF_GRAPHS:
        assert traces(derivative) <= 2 and len(derivative._graphs.traces()) == 1
    else:
        assert traces(derivative) <= 1 and not derivative._graphs.traces()


def test_effects_happen_once_a_call(capsys):
    seen.clear()
    for _ in range(4):
        ag.grad(noting)(2.0)
        OF_THE_TAPE["changes a list"][0](2.0)
        OF_THE_TAPE["prints"][0](2.0)
    assert seen == list(range(8)) and capsys.readouterr().out == "called\n" * 4


def test_what_is_read_is_read_by_each_call():
    read, var = OF_GRAPHS["reads a list"][0], OF_GRAPHS["reads a Variable"][0]
    for factor in (2.0, 2.0, 2.0, 5.0):
        factors[0] = factor
        weight.assign(factor)
        assert read(1.0) == factor and var(1.0) == factor**2
    factors[0] = 2.0


def test_errors_are_those_of_the_function():
    def checked(x):
        assert x < 5.0, "too large"
        return x * x

    derivative = ag.grad(checked)
    for _ in range(3):
        assert derivative(2.0) == 4.0
        with pytest.raises(AssertionError, match="too large"):
            derivative(7.0)
        with pytest.raises(TypeError, match="floating"):
            derivative(2)
        with pytest.raises(TypeError, match="missing"):
            derivative()


def test_an_outer_derivative_goes_through():
    inner = ag.grad(squared_until_large)
    for _ in range(3):
        inner(1.5)
    x = ag.constant(1.5)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = inner(x)
    expected = ag.convert(ag.grad(ag.grad(squared_until_large)))(1.5)
    assert float(tape.gradient(y, x)) == expected
    assert ag.grad(lambda x: inner(x) * 1.0)(1.5) == expected
    # One of a derivative has graphs of its own.
    assert ag.grad(inner)(1.5) == expected and inner(1.5) != expected


def test_many_signatures_and_long_calls_stay_with_the_tape():
    derivative = ag.grad(sines)
    for n in range(1, 20):
        for _ in range(3):
            assert derivative(np.ones(n)).shape == (n,)
    assert traces(derivative) < 12

    def long(x):
        for _ in range(3000):
            x = x * 1.0001
        return x

    derivative = ag.grad(long)
    assert derivative(1.0) == derivative(1.0) and traces(derivative) == 0


def test_a_pickled_one_runs_a_graph_too():
    derivative = pickle.loads(pickle.dumps(ag.grad(sines)))
    assert exactly(derivative(X)) == exactly(derivative(X)) and traces(derivative) >= 1
