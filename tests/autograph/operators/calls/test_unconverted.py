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

import autograph as ag
from autograph.operators.calls.unconverted import as_fresh, call_unconverted
from autograph.operators.results.host_calls import refusal
from runtime import control, journal
from runtime.errors import HostCallError
from runtime.host import HOST_CALL
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
    (time.sleep, (0,)), (os.getpid, ()), (np.random.rand, ()), (np.load, ("x",)), (open, ("x",)),
    (subprocess.Popen, ("x",)), (random.Random, (1,)), (json.dumps, ({"x": 1},)),
])  # fmt: skip
def test_what_belongs_to_the_moment_is_called_when_the_graph_runs(function, args):
    with tracing() as facts:
        if function is json.dumps:  # pure, but of what is not known here
            assert call(function, {"x": 1}) == '{"x": 1}'
            args = ({"x": placeholder()},)
        call(function, *args)
        (node,) = facts.builder.graph.nodes
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


def test_numpy_of_lists_with_traced_parts_puts_them_together():
    with tracing():
        x = placeholder()
        assert call(np.sum, [x, 1.0]).shape == () and call(np.array, [x, 1.0]).shape == (2,)
        assert call(np.dot, [x, 1.0], [1.0, x]).shape == ()


def test_asarray_is_the_very_array_and_array_a_new_one():
    with tracing():
        x = placeholder(shape=(3,))
        assert call(np.asarray, x) is x and call(np.asarray, x, dtype=float) is x
        assert call(np.array, x) is not x and call(np.asarray, x, dtype="float32") is not x


def test_an_option_that_a_traced_array_cannot_have_is_named():
    with tracing(), pytest.raises(ag.StagingError, match="`np.array` of a traced value has no `or"):
        call(np.array, placeholder(shape=(3,)), order="F")


def test_fromiter_counts_the_items():
    with tracing():
        x = placeholder()
        assert call(np.fromiter, [x, x], float).shape == (2,)
        with pytest.raises(ValueError, match="Expected 3 but iterator had only 2 items"):
            call(np.fromiter, [x, x], float, 3)
    with pytest.raises(ValueError, match="iterator too short: Expected 3"):
        np.fromiter([1.0, 2.0], float, 3)


def test_results_that_nobody_else_has_seen_belong_to_the_trace():
    with tracing():
        made = as_fresh(np.ones(3))
        assert isinstance(made, ag.Tensor) and made.is_array
        assert journal.is_fresh(as_fresh([1])) and as_fresh("text") == "text"
        parts = as_fresh((np.ones(2), 1))
        assert type(parts) is tuple and isinstance(parts[0], ag.Tensor) and parts[1] == 1


def test_a_new_array_is_a_copy():
    array = np.ones(3)
    with tracing():
        made = as_fresh(array)
        array[0] = 5
        assert made._value.node.attrs["value"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("function", [time.time, time.perf_counter_ns])
def test_what_time_it_is_is_asked_when_the_graph_runs(function):
    with tracing() as facts:
        result = call(function)
        assert result.type.weak and result.dtype.kind == ("i" if "ns" in function.__name__ else "f")
        assert [node.op for node in facts.builder.graph.nodes] == [control.CLOCK]
