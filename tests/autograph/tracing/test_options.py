"""What `convert` is told."""

import functools

import numpy as np
import pytest

import autograph as ag
from autograph.tracing.options import Binding, check_options, without_partials

X = np.array([3.0, 1.0, 2.0])


def f(a, b=2, *rest, c, d=4, **more):
    return a, b, rest, c, d, more


def test_arguments_are_bound_with_defaults_and_given_back():
    binding = Binding(f)
    bound = binding.bind((1,), {"c": 3, "e": 5})
    assert bound == {"a": 1, "b": 2, "rest": (), "c": 3, "d": 4, "more": {"e": 5}}
    args, kwargs = binding.call_arguments(bound)
    assert f(*args, **kwargs) == f(1, c=3, e=5)
    assert binding.positional == ["a", "b"] and not binding.simple
    assert Binding(lambda x, y: x).simple


def g(a, /, b):
    return a


class Scaled:
    def by(self, factor):
        return factor


WRONG_CALLS = [
    (f, (1,), {}),
    (f, (), {"c": 1}),
    (g, (1, 2, 3), {}),
    (g, (), {"a": 1, "b": 2}),
    (g, (1, 2), {"d": 3}),
    (lambda: 1, (1,), {}),
    (Scaled().by, (), {}),
    (Scaled().by, (1, 2), {}),
]


def test_a_wrong_call_raises_as_in_python():
    for function, args, kwargs in WRONG_CALLS:
        texts = []
        for call in (function, lambda *a, **k: Binding(function).bind(a, k)):  # noqa: B023
            with pytest.raises(TypeError) as found:
                call(*args, **kwargs)
            texts.append(str(found.value))
        assert texts[0] == texts[1]


def test_a_wrong_call_does_not_begin_where_the_signature_is_another():
    begun = []

    @functools.wraps(f)
    def inner(*args, **kwargs):
        begun.append(args)

    def changed(x):
        begun.append(x)

    binding = Binding(changed)
    changed.__defaults__ = (1,)
    for wrong in (Binding(inner), binding):
        with pytest.raises(TypeError, match="missing a required argument"):
            wrong.bind((), {})
    assert not begun


@pytest.mark.parametrize("function", [np.sin, np.add, np.maximum])
def test_a_ufunc_is_called_with_its_defaults(function):
    args = (1.5,) * function.nin
    assert ag.convert(function)(*args) == function(*args)
    assert ag.convert(function)(*args, dtype=np.float32).dtype == np.float32


def test_a_wrong_call_of_a_method_raises_as_in_python():
    class Model:
        @ag.convert
        def run(self, x):
            return x

    with pytest.raises(TypeError, match=r"run\(\) missing 1 required positional argument: 'x'"):
        Model().run()


@pytest.mark.parametrize(
    ("function", "args"),
    [(np.sin, (X,)), (np.add, (X, 1)), (np.add.reduce, (X,)), (max, (X,)), (min, (3, 1, 2))],
)
def test_functions_of_c_are_called_with_what_is_given(function, args):
    converted = ag.convert(function)
    for _ in range(2):
        np.testing.assert_array_equal(converted(*args), function(*args))
    assert converted.trace_count == 1


def test_a_ufunc_takes_its_options():
    out = np.zeros(3)
    assert ag.convert(np.add)(X, 1, out=out, where=X > 1) is not None
    np.testing.assert_array_equal(out, [4, 0, 3])


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("retracing", True, "convert\\(\\) has no option retracing; there are"),
        ("prints", "always", "prints is 'graph' or 'trace', not 'always'"),
        ("returns", "list", "returns is 'tensor' or 'numpy', not 'list'"),
        ("device", "/tpu:0", "there is no device '/tpu:0'"),
        ("native", "fast", "native is True, False or None"),
        ("strict_errors", False, "strict_errors is True: an operation whose result nobody reads"),
    ],
)
def test_a_wrong_option_is_named(option, value, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_options({option: value})


def test_options_have_defaults_and_tensorflows_are_taken():
    options = check_options(
        {"input_signature": [1], "experimental_relax_shapes": True, "name": "n",
         "strict_errors": True}
    )  # fmt: skip
    assert options.input_signature == (1,) and options.reduce_retracing
    assert dict(options.others) == {"name": "n"} and options.prints == "graph"


def test_partials_are_looked_through():
    assert without_partials(functools.partial(functools.partial(f, 1), 2)) is f


MADE_OF_UFUNCS = {
    "a gradient": (lambda: ag.grad(np.log), 0.5),
    "a part": (lambda: functools.partial(np.add, 2.0), 4.0),
    "a part of a gradient": (lambda: functools.partial(ag.value_and_grad(np.square)), (4.0, 4.0)),
}


@pytest.mark.parametrize("name", MADE_OF_UFUNCS)
def test_what_is_made_of_a_ufunc_is_given_no_defaults_of_it(name):
    make, expected = MADE_OF_UFUNCS[name]
    converted = ag.convert(make())
    assert converted(np.float64(2.0)) == make()(np.float64(2.0)) == expected
    assert converted.trace_count == 1


class Static:
    @staticmethod
    def __call__(x, by=2.0):
        return x * by if x > 1 else x


class OfClass:
    by = 3.0

    @classmethod
    def __call__(cls, x):
        return x * cls.by if x > 1 else x


@pytest.mark.parametrize("thing", [Static(), OfClass()])
def test_a_call_of_an_object_that_is_not_given_it_is_converted(thing):
    for function in (ag.convert(thing), ag.convert(lambda x: thing(x))):
        for x in (np.float64(0.5), np.float64(4.0)):
            assert function(x) == thing(x)
        assert function.trace_count == 1
        assert any(node.op.name == "cond" for node in function.traces()[0].graph.walk())
    assert ag.to_graph(lambda x: thing(x))(4.0) == thing(4.0)
