"""Tests of `runtime.graph.check`."""

import numpy as np
import pytest

from runtime.errors import GraphError
from runtime.graph.check import accepts, check
from runtime.graph.ir import Node, Value
from runtime.spec import StackType, TensorType, VariableType

F8 = np.dtype("f8")


def test_a_use_before_the_definition_names_node_neighbours_and_line(toy):
    b = toy.Builder(x=toy.SCALAR)
    b.graph.outputs = [b(toy.MUL, b(toy.ADD, b.x, 1.0), b.x)]
    b.graph.nodes.reverse()
    with pytest.raises(GraphError) as caught:
        check(b.graph)
    message = str(caught.value)
    assert "/home/user/train.py:" in message and "in `step`" in message
    assert "(`mul`) of graph `f`: input 0" in message
    assert "is used before it is defined" in message
    assert "> %1: float64[] = mul %undefined, %x" in message


def test_a_value_of_another_graph_is_refused(toy):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.ADD, b.x, Value(toy.SCALAR, name="elsewhere"))
    with pytest.raises(GraphError, match="input 1 .*elsewhere.* belongs elsewhere"):
        check(b.graph)


def test_a_second_definition_is_refused(toy):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.ADD, b.x, b.x)
    b.graph.nodes.append(b.graph.nodes[0])
    with pytest.raises(GraphError, match="output 0 .* is defined a second time"):
        check(b.graph)


def test_an_output_that_is_not_defined_is_refused(toy):
    b = toy.Builder(x=toy.SCALAR)
    b.graph.outputs = [Value(toy.SCALAR)]
    with pytest.raises(GraphError, match="output 0 of graph `f`.* is not defined in it"):
        check(b.graph)


def test_a_type_that_the_rule_does_not_give_is_refused(toy):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.ADD, b.x, b.x, types=[toy.INT])
    with pytest.raises(GraphError, match="result 0: expected int, found float64"):
        check(b.graph)


def test_operands_that_the_rule_refuses_are_reported(toy):
    b = toy.Builder(x=TensorType(F8, (2,)), y=TensorType(F8, (3,)))
    b(toy.ADD, b.x, b.y, types=[toy.VECTOR])
    with pytest.raises(GraphError, match="type rule refuses .*could not be broadcast"):
        check(b.graph)


def _branches(toy, *types):
    made = []
    for type_ in types:
        b = toy.Builder("branch", y=type_)
        made.append(b.done(b.y))
    return made


def test_branches_must_take_what_the_cond_is_given(toy):
    b = toy.Builder(p=toy.INT, x=toy.SCALAR)
    b(toy.COND, b.p, b.x, graphs=_branches(toy, toy.SCALAR, toy.INT), types=[toy.SCALAR])
    with pytest.raises(GraphError, match="graph `branch`: input 0: expected int, found float64"):
        check(b.graph)


def test_branches_must_give_what_the_cond_gives(toy):
    b = toy.Builder(p=toy.INT, x=toy.SCALAR)
    b(toy.COND, b.p, b.x, graphs=_branches(toy, toy.SCALAR, toy.SCALAR), types=[toy.INT])
    with pytest.raises(GraphError, match="output 0: expected int, found float64"):
        check(b.graph)


def test_a_predicate_has_no_axes(toy):
    b = toy.Builder(p=toy.VECTOR)
    b(toy.COND, b.p, graphs=_branches(toy), types=[])
    with pytest.raises(GraphError, match="predicate of rank 0, found float64"):
        check(b.graph)


def test_a_loop_must_keep_the_types_of_its_variables(toy):
    test = toy.Builder("test", i=toy.INT)
    body = toy.Builder("body", i=toy.INT)
    graphs = [test.done(test(toy.LESS, test.i, 3)), body.done(body(toy.MUL, body.i, 0.5))]
    b = toy.Builder()
    b(toy.WHILE, 1, graphs=graphs, types=[toy.INT], captures=0)
    with pytest.raises(GraphError, match="carried value 0: expected int, found float"):
        check(b.graph)


def test_problems_inside_sub_graphs_are_found(toy):
    graph = toy.decay()
    body = graph.nodes[-1].graphs[1]
    body.nodes.append(Node(toy.FAIL, [Value(toy.SCALAR)], types=[toy.SCALAR]))
    with pytest.raises(GraphError, match="graph `body`"):
        check(graph)


@pytest.mark.parametrize(
    ("general", "specific", "expected"),
    [
        (TensorType(F8, (None, 3)), TensorType(F8, (2, 3)), True),
        (TensorType(F8, (2, 3)), TensorType(F8, (None, 3)), False),
        (TensorType(F8, None), TensorType(F8, ()), True),
        (StackType(TensorType(F8, None)), StackType(TensorType(F8, ())), True),
        (VariableType(F8, (None,)), VariableType(F8, (2,)), True),
        (VariableType(F8, (None,)), TensorType(F8, (2,)), False),
    ],
)
def test_a_declared_type_accepts_more_specific_ones(general, specific, expected):
    assert accepts(general, specific) == expected
