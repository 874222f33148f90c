"""Functions of ours that are given the user's."""

import functools
from types import FunctionType

import autograph as ag
from autograph.operators.captured.methods import is_marked
from autograph.operators.values import transforms
from tests.autograph.operators.tracing_by_hand import tracing


def step(x):
    if x > 0:
        return x
    return -x


class Layer:
    def __call__(self, x):
        return step(x)

    def forward(self, x):
        return step(x)


def is_converted(function):
    return isinstance(function, FunctionType) and is_marked(function)


def held_by(function):
    """What a function, and the functions that it closes over, close over."""
    function = getattr(function, "func", function)
    held = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    return [inner for thing in held for inner in (thing, *held_by(thing))]


def test_ours_are_known_by_where_they_are_defined():
    assert transforms.is_ours(ag.grad) and not transforms.is_ours(step)
    pretender = functools.wraps(ag.grad)(lambda f: f)
    assert pretender.__module__ == ag.grad.__module__ and not transforms.is_ours(pretender)
    assert not transforms.is_ours(len) and not transforms.is_ours(Layer())


def test_functions_among_the_arguments_are_converted():
    layer = Layer()
    given = (step, layer.forward, functools.partial(step, 2.0), layer, 3, "x", len)
    with tracing(layer):
        args, kwargs = transforms.with_converted(ag.grad, given, {"f": step, "n": 1})
    function, method, partial, called, *rest = args
    assert is_converted(function) and is_converted(method.__func__) and method.__self__ is layer
    assert is_converted(partial.func) and partial.args == (2.0,)
    assert is_converted(called.func) and called.args == (layer,)
    assert rest == [3, "x", len]
    assert is_converted(kwargs["f"]) and kwargs["n"] == 1


def test_what_speaks_of_functions_gets_them_as_they_are():
    args, _ = transforms.with_converted(ag.convert, (step,), {})
    assert args == (step,)


def test_what_ours_made_has_its_functions_converted_inside():
    made = ag.grad(step).func
    again = transforms.rewired(made)
    assert again is not made and again.__wrapped__ is made
    assert step in held_by(made) and step not in held_by(again)
    assert any(is_converted(thing) for thing in held_by(again))


def test_without_functions_of_the_users_it_is_the_same():
    assert transforms.rewired(ag.grad) is ag.grad
    made = ag.grad(len).func
    assert transforms.rewired(made).__closure__ is not None
