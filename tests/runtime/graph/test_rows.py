"""Graphs as rows, and graphs of such rows."""

import marshal

import numpy as np
import pytest

from runtime import ops
from runtime.building import trace_function
from runtime.effects import control
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.graph.rows import Reader, Unwritable, WholeWriter, Writer, origins_of
from runtime.graph.show import text
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.declaration.operands import type_of
from runtime.spec import (
    ErrorType,
    FrameType,
    ObjectType,
    StackType,
    TensorType,
    VariableType,
)

OPS = {op.name: op for op in (control.COND, control.RAISE, control.PENDING, control.TRY)}


def op_of(name):
    return OPS[name] if name in OPS else REGISTRY[name].op


def traced(function, *inputs):
    builder, _, result = trace_function(function, [type_of(x) for x in inputs])
    found = result if isinstance(result, tuple) else (result,)
    builder.graph.outputs = [builder.value_of(r) for r in found]
    return builder.graph


def again(graph, objects=(), source=None):
    """The graph that is made of the rows of one, through bytes."""
    source = source or graph
    writer = WholeWriter(lambda op: op.name, objects, origins_of(source))
    number = writer.graph(graph)
    graphs, contents = marshal.loads(marshal.dumps((writer.graphs, writer.contents)))
    return Reader(graphs, contents, op_of, objects, source).graph(number)


def of_node(op, attrs, types=(TensorType(np.dtype("f8"), (3,)),)):
    x = Value(TensorType(np.dtype("f8"), (3,)), name="x")
    node = Node(op, [x], attrs, (), types)
    return Graph([x], [node], node.outputs, "made")


X = np.ones(3)
FUNCTIONS = [
    lambda x: ops.sin(x) * 2.5 + np.arange(3),
    lambda x: ops.sum(x, axis=0, keepdims=True) + 1j,
    lambda x: (x[1:], x, ops.reshape(x, (1, 3)).astype("f4")),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_graph_comes_back_with_names_and_lines(function):
    graph = traced(function, X)
    made = again(graph)
    assert text(made) == text(graph)
    assert [node.origin for node in made.nodes] == [node.origin for node in graph.nodes]
    assert [node.op for node in made.nodes] == [node.op for node in graph.nodes]


@pytest.mark.parametrize(
    "value",
    [
        None, True, 7, "text", ..., 2.5, -0.0, 1 + 2j, (1, (2.5,), None), [1, 2], slice(1, None, -1),
        np.float32(2.5), np.arange(6).reshape(2, 3), np.dtype("f4"), np.array(3.0), ValueError,
        TensorType(np.dtype("i4"), (None, 2)), StackType(TensorType(np.dtype("i4"), ())),
        VariableType(np.dtype("f8"), (2,)), ObjectType(), ErrorType(), FrameType(),
    ],
)  # fmt: skip
def test_attributes_come_back(value):
    (node,) = again(of_node(REGISTRY["sin"].op, {"a": value})).nodes
    found = node.attrs["a"]
    assert type(found) is type(value)
    assert repr(found) == repr(value)
    assert getattr(found, "dtype", None) == getattr(value, "dtype", None)


def test_objects_are_those_of_the_reader():
    class Own(ValueError):
        pass

    thing, other = object(), object()
    graph = of_node(control.PENDING, {"write": thing, "count": 0, "kinds": (Own, KeyError)}, ())
    writer = Writer(lambda op: op.name, {control.PENDING: lambda node: None})
    writer.graph(graph)
    assert writer.objects == [thing, Own]
    whole = WholeWriter(lambda op: op.name, writer.objects, [])
    number = whole.graph(graph)
    (node,) = (
        Reader(whole.graphs, whole.contents, op_of, [other, KeyError], graph).graph(number).nodes
    )
    assert node.attrs == {"write": other, "count": 0, "kinds": (KeyError, KeyError)}


@pytest.mark.parametrize(
    ("objects", "source"), [((), None), ((len,), traced(lambda x: ops.cos(x), X))]
)
def test_what_the_source_does_not_have_cannot_be_written(objects, source):
    graph = traced(lambda x: ops.sin(x), X)
    graph.nodes[-1].attrs = {"a": len}
    with pytest.raises(Unwritable):
        again(graph, objects, source)


def test_the_number_of_a_try_is_its_place():
    def rows(token):
        saved = ((token, (0, None)),)
        attrs = {"write": None, "count": 0, "saved": saved}
        writer = Writer(lambda op: op.name, {})
        writer.graph(of_node(control.PENDING, attrs, ()))
        return writer.graphs

    assert rows(7) == rows(900)


def test_an_op_without_a_name_cannot_be_written():
    writer = Writer(lambda op: None, {})
    with pytest.raises(Unwritable):
        writer.graph(of_node(Op("own", len, len), {}))


def test_graphs_that_nobody_else_holds_have_numbers_of_their_own():
    writer = WholeWriter(lambda op: op.name, (), [])
    numbers = [
        writer.graph(of_node(REGISTRY["getitem"].op, {"index": (("int", k),)})) for k in range(20)
    ]
    assert numbers == list(range(20)) == sorted(set(numbers))
