"""Staging calls of Python code."""

import os
import sys
import time

import numpy as np
import pytest

from autograph.operators.captured.host_values import HostValue
from autograph.operators.results.host_calls import call_host, refusal, shuffled, title_of
from runtime.effects.generators import DRAW
from runtime.effects.host import HOST_CALL
from runtime.spec import ObjectType
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


@pytest.mark.parametrize(("function", "title"), [
    (open, "open"), (time.sleep, "time.sleep"), (os.getpid, "posix.getpid"), (len, "len"),
    (np.random.default_rng(0).normal, "numpy.random.Generator.normal"), ([].append, "list.append"),
    (np.linalg.norm, "numpy.linalg.norm"), (object(), "object"),
])  # fmt: skip
def test_functions_have_the_names_that_users_know(function, title):
    assert title_of(function) == title


def test_a_call_is_a_node_with_a_result_that_only_python_knows():
    with tracing() as facts:
        found = call_host(os.getcwd, (), {})
        assert isinstance(found, HostValue) and found.name == "posix.getcwd"
        (node,) = facts.builder.graph.nodes
        assert node.op is HOST_CALL and node.outputs[0].type == ObjectType()
        assert repr(node.attrs["call"]) == "posix.getcwd" and facts.effects.calls == 1
        assert len(facts.decisions.notes) == 1 and "`posix.getcwd` is called by the host" in str(
            facts.decisions.notes[0]
        )


def test_attributes_and_methods_of_results_are_calls():
    with tracing() as facts:
        found = call_host(os.stat, (".",), {})
        assert found.part("st_size").name == "posix.stat.st_size"
        found.part("count").__ag_call__((3,), {})
        found.set_part("x", 1)
        found["key"]
        found["key"] = 2
        assert len(facts.builder.graph.nodes) == 7


def test_traced_arguments_are_operands():
    with tracing() as facts:
        x = placeholder(shape=(3,))
        call_host(os.fsdecode, (x, 2.5, [x, {"k": placeholder(weak=True)}]), {"y": x})
        node = facts.builder.graph.nodes[-1]
        assert {v.type.shape for v in node.inputs} == {(3,), ()} and facts.effects.lends


def test_streams_are_those_of_the_time_of_the_call(capsys):
    with tracing() as facts:
        call_host(sys.stdout.write, ("text",), {})
        call = facts.builder.graph.nodes[-1].attrs["call"]
    call()
    assert capsys.readouterr().out == "text"


def test_shuffles_give_a_new_content():
    rng = np.random.default_rng(0)
    with tracing() as facts:
        facts.outside.add(rng)
        x = placeholder(shape=(3,)).as_array()
        before = x.current()._value
        assert shuffled(rng.shuffle, (x,), {}) and x.current()._value is not before
        assert not shuffled(rng.shuffle, ([1, 2],), {}) and not shuffled(len, (x,), {})
        assert DRAW in [node.op for node in facts.builder.graph.nodes]


def test_refusals_say_why():
    with tracing():
        error = refusal(id)
    assert error.what.startswith("`id` is called while tracing: it looks at the program itself")
