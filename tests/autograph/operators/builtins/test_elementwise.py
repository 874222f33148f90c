"""Tests of `autograph.operators.builtins.elementwise`: `np.vectorize` in a trace."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins.elementwise import call_vectorized
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def call(function, args, kwargs):
    return function(*args, **kwargs)


def nodes(facts):
    return [node.op.name for node in facts.builder.graph.nodes]


def test_one_loop_fills_an_array():
    with tracing() as facts:
        result = call_vectorized(
            np.vectorize(lambda v: v * 2), (placeholder(shape=(3, 2)),), {}, call
        )
        assert result.shape == (3, 2) and result.dtype == float and result.is_array
        assert nodes(facts).count("while") == 1


def test_the_function_is_given_a_scalar_first_and_then_python_numbers():
    seen = []
    with tracing():
        f = np.vectorize(lambda v: (seen.append(v.type.weak), v)[1])
        result = call_vectorized(f, (placeholder("float32", (3,)),), {}, call)
        assert result.dtype == np.float32
    assert seen[0] is False and set(seen[1:]) == {True}


def test_types_that_are_given_spare_the_first_call():
    seen = []
    with tracing():
        f = np.vectorize(lambda v: (seen.append(v.type.weak), v)[1], otypes="i")
        assert call_vectorized(f, (placeholder("float32", (3,)),), {}, call).dtype == np.int32
    assert set(seen) == {True}


def test_arguments_are_broadcast_those_with_names_too():
    with tracing():
        f = np.vectorize(lambda a, b: (a, b > 0))
        first, second = call_vectorized(f, (placeholder(shape=(2, 1)),), {"b": [1, 2, 3]}, call)
        assert first.shape == second.shape == (2, 3) and second.dtype == bool


def test_no_elements_need_types():
    with tracing(), pytest.raises(ValueError, match="size 0 inputs unless `otypes` is set"):
        call_vectorized(np.vectorize(abs), (placeholder(shape=(0,)),), {}, call)


def test_what_gives_no_tuple_of_the_types_is_refused():
    with tracing(), pytest.raises(ag.StagingError, match="it gives no tuple of 2"):
        f = np.vectorize(lambda v: v, otypes="dd")
        call_vectorized(f, (placeholder(shape=(2,)),), {}, call)
