"""Calls of Python code by a graph: the node, and what is lent to such code."""

import gc

import numpy as np
import pytest

import autograph as ag
from runtime.compile import BACKENDS, compile_graph
from runtime.effects.host import HOST_CALL, Lending, hosting, lending
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import ErrorType, ObjectType, TensorType, type_of_number


def graph_of_a_call(call, results):
    x = Value(TensorType(np.dtype("f8"), (2,)), name="x")
    node = Node(HOST_CALL, [x], {"call": call, "results": results}, types=results)
    return Graph([x], [node], node.outputs)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_is_made_at_each_run_with_the_values(backend):
    seen = []

    def call(x):
        seen.append(x)
        return len(seen), {"x": x.sum()}

    run = compile_graph(graph_of_a_call(call, (type_of_number(0), ObjectType())), backend)
    assert run(np.ones(2)) == (1, {"x": 2.0}) and run(np.zeros(2)) == (2, {"x": 0.0})
    assert [x.tolist() for x in seen] == [[1, 1], [0, 0]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_without_results_is_not_dropped(backend):
    seen = []
    graph = graph_of_a_call(lambda x: (seen.append(1), ())[1], ())
    assert compile_graph(graph, backend)(np.ones(2)) == () and seen == [1]


def test_objects_are_a_type_of_their_own():
    assert ObjectType() == ObjectType() != ErrorType() == ErrorType()
    assert str(ObjectType()) == "object" and str(ErrorType()) == "error"
    assert len({ObjectType(), ErrorType(), ObjectType()}) == 2 and ObjectType().rank == 0


def test_arrays_of_the_call_are_read_only_while_python_code_runs():
    whole = np.zeros(4)
    view, tensor, fixed = whole[1:], ag.constant(np.ones(2)), np.zeros(2)
    fixed.flags.writeable = False
    lent = Lending([view, tensor, fixed, 3, None])
    with pytest.raises(ZeroDivisionError), lent.closed():
        assert not view.flags.writeable and not whole.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            whole[0] = 1
        1 / 0  # noqa: B018
    assert view.flags.writeable and whole.flags.writeable and not fixed.flags.writeable


def test_what_is_lent_is_read_only_until_the_call_ends():
    kept, dropped = np.zeros(2), np.zeros(2)
    with hosting() as lent:
        assert lending() is lent
        with lent.closed([kept, dropped]):
            assert lending() is None  # what it calls lends by itself
        del dropped
        gc.collect()
        assert len(lent._kept) == 1 and not kept.flags.writeable
    assert kept.flags.writeable and lending() is None
