"""Nodes of functions that call themselves: emission, checks, text, data, execution."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from runtime import ops, trace
from runtime.building import Builder, traced
from runtime.compile import BACKENDS, compile_graph
from runtime.effects.control import emit_cond
from runtime.effects.recursion import RECUR, calls_in, emit_recur, emit_recursion, free_name
from runtime.errors import GraphError
from runtime.graph.check import check
from runtime.graph.clone import clone
from runtime.graph.codec import as_graph_def
from runtime.graph.ir import Graph
from runtime.graph.show import dot, text
from runtime.passes import optimize
from runtime.spec import TensorType, type_of_number

INT = TensorType(np.dtype("i8"), ())


def power_graph() -> Graph:
    """`power(n) = 1 if n <= 0 else base * power(n - 1)`, in which `base` comes from outside."""
    main = Builder("main")
    base, n = main.input(INT, "base"), main.input(INT, "n")
    with trace.interpreting(main):
        body = Builder("power", main)
        own = body.input(INT, "n")
        with trace.interpreting(body):
            yes, no = Builder("true", body), Builder("false", body)
            with trace.interpreting(yes):
                one = ops.astype(traced(yes.constant(np.int64(1))), np.dtype("i8"))
                yes.graph.outputs = [yes.value_of(one)]
            with trace.interpreting(no):
                less = no.value_of(ops.subtract(traced(no.capture(own)), 1))
                (rest,) = emit_recur(no, "power", [less], [INT])
                no.graph.outputs = [no.value_of(ops.multiply(traced(no.capture(base)), rest))]
            ends = body.value_of(ops.less_equal(traced(own), 0))
            (out,) = emit_cond(body, ends, (yes, no), [INT])
            body.graph.outputs = [body.value_of(out)]
        (result,) = emit_recursion(main, "power", body, [own], [n], [INT])
        main.graph.outputs = [main.value_of(result)]
    return main.graph


def test_captured_values_are_handed_on_by_each_call() -> None:
    graph = power_graph()
    check(graph)
    (node,) = graph.nodes
    (again,) = calls_in(node.graphs[0], "power")
    assert len(node.inputs) == len(again.inputs) == 2
    assert again.op is RECUR and not again.graphs


@pytest.mark.parametrize("backend", sorted(BACKENDS))
@pytest.mark.parametrize("passes", [False, True])
def test_execution(backend: str, passes: bool) -> None:
    graph = optimize(power_graph()) if passes else power_graph()
    run = compile_graph(graph, backend)
    assert run(np.int64(3), np.int64(4)) == (81,)
    assert run(np.int64(3), np.int64(0)) == (1,)
    assert type(run(np.int64(2), np.int64(10))[0]) is np.int64


@pytest.mark.parametrize("backend", sorted(BACKENDS))
def test_too_deep_is_pythons_own_error(backend: str) -> None:
    run = compile_graph(power_graph(), backend)
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        run(np.int64(1), np.int64(10**9))
    assert run(np.int64(1), np.int64(5)) == (1,)  # nothing is left of it


@pytest.mark.parametrize("backend", sorted(BACKENDS))
def test_as_deep_as_python_itself(backend: str) -> None:
    run = compile_graph(power_graph(), backend)
    depth = sys.getrecursionlimit() - 300
    assert run(np.int64(1), np.int64(depth)) == (1,)


def test_the_plan_is_a_function_that_calls_itself() -> None:
    source = compile_graph(power_graph(), "plan").source
    assert source.count("def ") == 2
    assert source.count("power(") == 3  # its definition, and two calls


def test_text_and_data() -> None:
    graph = power_graph()
    shown = text(graph)
    assert "recursion[function='power'] %base, %n" in shown
    assert "recur[function='power']" in shown
    assert "recursion" in dot(graph)
    node = as_graph_def(graph).to_dict()["node"][-1]
    assert node["attr"] == {"function": "power"}


def test_a_clone_and_the_passes_leave_a_sound_graph() -> None:
    graph = clone(power_graph())
    check(graph)
    better = optimize(graph)
    check(better)
    assert [node.op.name for node in better.nodes] == ["recursion"]


def test_a_recursion_is_not_dropped() -> None:
    graph = power_graph()
    graph.outputs = []
    assert [node.op.name for node in optimize(graph).nodes] == ["recursion"]


def test_a_call_of_no_function_around_is_refused() -> None:
    graph = power_graph()
    (node,) = graph.nodes
    for call in calls_in(node.graphs[0], "power"):
        call.attrs["function"] = "other"
    with pytest.raises(GraphError, match="calls `other`, which is no function around it"):
        check(graph)


def test_a_call_with_other_types_is_refused() -> None:
    graph = power_graph()
    (node,) = graph.nodes
    (call,) = calls_in(node.graphs[0], "power")
    call.outputs[0].type = type_of_number(0)
    with pytest.raises(GraphError, match=r"result 0: expected int, found int64\[\]"):
        check(graph)


def test_the_innermost_function_of_a_name_is_meant() -> None:
    graph = power_graph()
    (node,) = graph.nodes
    assert not list(calls_in(graph, "power"))  # those are of the function that the node holds
    assert free_name("power", graph) == "power_1"
    assert free_name("other", graph) == "other"
    assert node.can_raise
