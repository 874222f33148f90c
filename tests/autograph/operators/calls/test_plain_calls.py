"""Calls outside of a trace: exactly Python's."""

import collections
import functools

import numpy as np
import pytest

import autograph as ag
from autograph import operators as ag__
from autograph.operators.calls.plain_calls import resolve
from autograph.operators.values.scope import ConversionOptions, FunctionScope


def scope():
    return FunctionScope("f", "fscope", ConversionOptions())


def user(x, y=1):
    return x, y


def twin(x, y=1):
    return "twin", x, y


def call(function, *args, convert=lambda function: None, **kwargs):
    target, args, kwargs = resolve(function, args, kwargs, scope(), convert)
    return target(*args, **kwargs)


def to_twin(function):
    return twin if function in (user, Thing.method, Thing.__call__) else None


class Thing:
    method = user

    def __call__(self, y):
        return y


def test_a_function_of_the_users_is_converted():
    assert call(user, 1, convert=to_twin) == ("twin", 1, 1)
    assert call(functools.partial(user, 1, y=3), convert=to_twin) == ("twin", 1, 3)
    assert call(functools.partial(user, 1, y=3), y=4, convert=to_twin) == ("twin", 1, 4)


def test_a_method_gets_its_object():
    thing = Thing()
    assert call(thing.method, 2, convert=to_twin) == ("twin", thing, 2)
    assert call(thing, 2, convert=to_twin) == ("twin", thing, 2)


@pytest.mark.parametrize(
    ("function", "args"),
    [(user, (1,)), (len, ("ab",)), (str, (1,)), (np.add, (1, 2)), ("a{}".format, (1,)),
     (functools.partial(max, 1), (2,)), (Thing().method, ())],
)  # fmt: skip
def test_what_is_left_alone_is_called_as_it_is(function, args):
    assert call(function, *args) == function(*args)


def test_a_builtin_on_tensors_has_its_meaning():
    assert call(str, ag.constant([1, 2])) == "[1 2]"
    assert call("{}".format, ag.constant(2)) == "2"


def test_classes_are_made_in_the_users_module():
    made = call(collections.namedtuple, "Pair", "a b")
    assert made.__module__ == __name__
    assert call(type, "Made", (), {}).__module__ == __name__


def test_few_frames_stand_between():
    @ag.do_not_convert
    def depth():
        import sys

        frame, count = sys._getframe(), 0
        while frame is not None:
            frame, count = frame.f_back, count + 1
        return count

    assert ag__.converted_call(depth, (), None, scope()) - depth() <= 2
