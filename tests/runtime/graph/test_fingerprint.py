"""Graphs as text: the same for what computes the same, and only for that."""

import numpy as np
import pytest

from runtime import ops
from runtime.building import trace_function
from runtime.effects import control
from runtime.graph import fingerprint as module
from runtime.graph.ir import Graph, Node, Op
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.declaration.operands import type_of
from runtime.spec import TensorType


def traced(function, *inputs):
    builder, _, result = trace_function(function, [type_of(x) for x in inputs])
    found = result if isinstance(result, tuple) else (result,)
    builder.graph.outputs = [builder.value_of(r) for r in found]
    return builder.graph


def told(function, *inputs):
    found = fingerprint(traced(function, *inputs))
    assert found is not None
    return found


def fingerprint(graph, name_of=lambda op: op.name, facts=()):
    """The bytes of a graph, None where it has none."""
    found = module.fingerprint(graph, name_of, dict(facts))
    return None if found is None else found.content


X = np.ones(3)


def test_names_and_lines_do_not_matter():
    one = told(lambda x, y: ops.add(ops.sin(x), y), X, X)
    other = told(
        lambda first, second: ops.add(ops.sin(first), second),
        X,
        X,
    )
    assert one == other


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x: ops.cos(x), (X,)),
        (lambda x: ops.sin(x), (np.ones(4),)),
        (lambda x: ops.sin(x), (np.ones(3, "f4"),)),
        (lambda x: ops.sin(x), (1.0,)),
        (lambda x: ops.sin(x), (np.float64(1.0),)),
        (lambda x: ops.sin(ops.sin(x)), (X,)),
        (lambda x: (ops.sin(x), x), (X,)),
        (lambda x: (x, ops.sin(x)), (X,)),
        (lambda x: ops.sum(x, axis=0), (X,)),
        (lambda x: ops.sum(x, axis=0, keepdims=True), (X,)),
        (lambda x: ops.sum(x, axis=None), (X,)),
    ],
)
def test_what_computes_something_else_is_told_otherwise(function, inputs):
    assert told(function, *inputs) != told(lambda x: ops.sin(x), X)


CONSTANTS = [
    0, False, 0.0, -0.0, 0j, complex(0, -0.0), 1, True, 1.0, float("nan"), -float("nan"),
    np.float64(0), np.float32(0), np.int64(0), np.zeros(1), np.zeros((1, 1)), np.zeros(1, "f4"),
    np.zeros(1, ">f8"), np.full(1, -0.0), np.full(1, np.nan), np.full(1, -np.nan), np.zeros(2),
]  # fmt: skip


def test_constants_are_told_apart_by_their_bits():
    def of(value):
        graph = Graph()
        type_ = TensorType(np.dtype("f8"), ())
        graph.nodes = [Node(ops.CONSTANT, (), {"value": value}, (), [type_])]
        graph.outputs = graph.nodes[0].outputs
        return fingerprint(graph)

    assert len({of(value) for value in CONSTANTS}) == len(CONSTANTS)
    assert all(of(value) == of(value) for value in CONSTANTS)


def test_the_operands_of_a_node_are_told_apart():
    assert told(ops.subtract, X, X) != told(lambda x, y: ops.subtract(y, x), X, X)


def test_branches_are_told():
    graphs = [traced(function, X) for function in (ops.sin, ops.cos)]
    found = set()
    for yes, no in ((0, 1), (1, 0), (0, 0)):
        graph = traced(lambda p, x: x, np.bool_(True), X)
        inner = [graphs[yes], graphs[no]]
        graph.nodes = [Node(control.COND, graph.inputs, {}, inner, [graph.inputs[1].type])]
        graph.outputs = graph.nodes[0].outputs
        found.add(fingerprint(graph))
    assert len(found) == 3


def test_whether_errors_are_signalled_is_told():
    graph = traced(ops.sin, X)
    before = fingerprint(graph)
    graph.nodes[-1].signals = True
    assert fingerprint(graph) != before


def test_what_is_known_by_identity_has_no_text():
    graph = traced(ops.sin, X)
    node = graph.nodes[-1]
    for thing in (object(), len, REGISTRY, {1}, b"", float):
        node.attrs = {"thing": thing}
        assert fingerprint(graph) is None
    assert fingerprint(graph, facts={node.op: lambda node: None}.items()) is not None  # a number
    node.attrs = {}
    node.outputs[0].type = TensorType(np.dtype("f8"), (3,), device="/gpu:0")
    assert fingerprint(graph) is None


def test_an_op_that_is_not_known_has_no_text():
    graph = traced(ops.sin, X)
    assert fingerprint(graph, lambda op: None if op.name == "sin" else op.name) is None
    graph.nodes[-1].op = Op("sin", lambda xp, x: xp.cos(x), lambda x: x)
    known = {primitive.op for primitive in REGISTRY.values()}
    assert fingerprint(graph, lambda op: op.name if op in known else None) is None


def test_graphs_that_stand_in_several_places_are_written_once():
    inner = traced(lambda x: ops.sin(ops.cos(x)), X)
    lengths = []
    for times in (1, 20):
        graph = Graph([inner.inputs[0]])
        graph.nodes = [
            Node(control.CALL, graph.inputs, {}, [inner], [inner.outputs[0].type])
            for _ in range(times)
        ]
        graph.outputs = [graph.nodes[-1].outputs[0]]
        found = fingerprint(graph)
        assert found is not None and found.count(b"cos") == 1
        lengths.append(len(found))
    assert lengths[1] < 20 * lengths[0]
