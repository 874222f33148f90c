"""`converted_call`: what is converted, what is pure, what belongs to the host."""

import functools
import math
import random

import numpy as np
import pytest

import autograph as ag
from autograph.operators.calls.calls import converted_call, is_artifact
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from runtime.effects.host import HOST_CALL
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

SCOPE = FunctionScope("test", "fscope", ConversionOptions(recursive=True, user_requested=True))


def clamp(x):
    if x > 0:
        return x
    return -x


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return clamp(x) * self.k

    def method(self, x):
        return self(x)


def call(function, *args, **kwargs):
    return converted_call(function, args, kwargs, SCOPE)


@pytest.mark.parametrize(("function", "args"), [
    (clamp, (-3,)), (Scale(2), (-3,)), (Scale(2).method, (-3,)), (functools.partial(clamp, -3), ()),
    (lambda x: x + 1, (2,)), (len, ([1, 2],)), (max, (1, 2)), (math.sqrt, (4.0,)),
    ("a{}".format, (1,)), (np.add, (1, 2)), (int, ("7",)), ([3, 1].index, (1,)),
    (dict, ([("a", 1)],)), (sorted, ([2, 1],)), (str.upper, ("a",)), (abs, (-2,)),
    (Scale.method, (Scale(2), -3)),
])  # fmt: skip
def test_in_python_the_result_is_pythons(function, args):
    assert call(function, *args) == function(*args)


def test_user_code_is_converted_in_a_trace():
    with tracing():
        x = placeholder()
        for function in (clamp, Scale(2.0), Scale(2.0).method, functools.partial(clamp)):
            assert not call(function, x).is_known
        made = call(Scale, x)
        assert type(made) is Scale and made.k is x


def test_math_on_tensors_becomes_ops():
    with tracing():
        x = placeholder()
        assert call(math.sin, x).dtype == np.float64 and call(math.floor, x).dtype == np.int64
        assert call(math.isnan, x).dtype == np.bool_
        with pytest.raises(TypeError, match="'numpy.float64' object cannot be interpreted"):
            call(math.gcd, x, x)


@pytest.mark.parametrize("function", [
    random.getrandbits, open, input, np.random.get_state, np.random.default_rng(0).bytes,
], ids=lambda f: f.__name__)  # fmt: skip
def test_host_calls_are_nodes(function):
    with tracing() as facts:
        call(
            function,
            *{"open": ("x",), "bytes": (3,), "getrandbits": (3,)}.get(function.__name__, ()),
        )
        assert [node.op for node in facts.builder.graph.nodes] == [HOST_CALL]


def test_what_a_trace_has_no_meaning_for_is_refused():
    with tracing(), pytest.raises(ag.StagingError, match="`id` is called while tracing"):
        call(id, "x")


def test_artifacts_are_called_as_they_are():
    converted = ag.to_graph(clamp)
    assert is_artifact(converted) and call(converted, -2) == 2 and not is_artifact(clamp)
