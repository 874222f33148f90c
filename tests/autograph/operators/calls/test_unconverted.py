"""Calls of what is not the user's."""

import functools
import itertools
import json
import math
import os
import random
import subprocess
import time

import numpy as np
import pytest

from autograph.operators.calls.unconverted import call_unconverted
from autograph.operators.results.host_calls import refusal
from runtime.effects import control
from runtime.effects.generators import BITS
from runtime.effects.host import HOST_CALL
from runtime.errors import HostCallError
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def call(function, *args, **kwargs):
    return call_unconverted(function, args, kwargs)


@pytest.mark.parametrize(("function", "args"), [
    (math.hypot, (3, 4)), (itertools.chain, ([1], [2])), (functools.reduce, (max, [1, 3, 2])),
    (np.add, (1, 2)), (complex, (1, 2)),
])  # fmt: skip
def test_pure_functions_give_what_python_gives(function, args):
    with tracing():
        found, expected = call(function, *args), function(*args)
        assert (list(found) == list(expected)) if function is itertools.chain else found == expected


@pytest.mark.parametrize(("function", "args"), [
    (time.sleep, (0,)), (os.getpid, ()), (np.random.get_state, ()), (np.load, ("x",)), (open, ("x",)),
    (subprocess.Popen, ("x",)), (random.Random, (1,)), (json.dumps, ({"x": 1},)),
])  # fmt: skip
def test_what_belongs_to_the_moment_is_called_when_the_graph_runs(function, args):
    with tracing() as facts:
        if function is json.dumps:  # pure, but of what is not known here
            assert call(function, {"x": 1}) == '{"x": 1}'
            args = ({"x": placeholder()},)
        call(function, *args)
        node, *rest = facts.builder.graph.nodes
        assert [n.op for n in rest] == [BITS] * (function is random.Random)
        assert node.op is HOST_CALL and function.__name__ in repr(node.attrs["call"])


@pytest.mark.parametrize("function", [exec, id, vars, np.seterr, np.geterr])
def test_what_looks_at_the_program_itself_is_refused(function):
    with tracing(), pytest.raises(HostCallError, match="looks at the program itself") as caught:
        call(function)
    assert f"{function.__name__}`" in caught.value.what


def test_outside_of_a_trace_it_is_called():
    assert call(os.getpid) == os.getpid()


def test_whether_the_graph_had_begun_is_said():
    with tracing():
        assert not refusal(id).staged
        placeholder()
        assert refusal(id).staged


@pytest.mark.parametrize(("function", "op", "dtype"), [
    (math.sin, "math_sin", float), (math.floor, "math_floor", int),
    (math.isnan, "math_isnan", bool), (math.fabs, "math_fabs", float),
])  # fmt: skip
def test_math_of_traced_numbers_gives_python_numbers(function, op, dtype):
    with tracing() as facts:
        result = call(function, placeholder("float32"))
        assert result.type.weak and result.dtype == dtype
        assert op in [node.op.name for node in facts.builder.graph.nodes]


@pytest.mark.parametrize("function", [time.time, time.perf_counter_ns])
def test_what_time_it_is_is_asked_when_the_graph_runs(function):
    with tracing() as facts:
        result = call(function)
        assert result.type.weak and result.dtype.kind == ("i" if "ns" in function.__name__ else "f")
        assert [node.op for node in facts.builder.graph.nodes] == [control.CLOCK]
