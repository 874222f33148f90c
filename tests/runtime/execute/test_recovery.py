"""What a `try` node goes on with: in both executors, from graphs made by hand."""

import numpy as np
import pytest

from runtime import ops
from runtime.building import Builder, traced
from runtime.effects import control
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.graph.ir import Graph
from runtime.ops.declaration.declare import REGISTRY
from runtime.spec import TensorType, type_of_number

EXECUTORS = pytest.mark.parametrize("prepare", [plan.prepare, reference.prepare])
F8, I8 = TensorType(np.dtype("f8"), (3,)), TensorType(np.dtype("i8"), ())
X = np.arange(3.0)


def emit(builder, op, *inputs, **attrs):
    """Outputs of a node in the graph of a builder."""
    return builder.emit(op, [builder.value_of(x) for x in inputs], attrs).outputs


def item(builder, x, i, write=None, saved=(), operands=()):
    """`x[i]`, with what is pending before it."""
    emit(builder, control.PENDING, *operands, write=write, count=len(operands), saved=saved)
    return emit(builder, REGISTRY["getitem"].op, x, i, index=(("array",),))[0]


def attempt(clauses, token=5):
    """A graph of a `try` around `x[i]`, which saves x and a Python number."""
    root = Builder("f")
    x, i = root.input(F8, "x"), root.input(I8, "i")
    body = Builder("try", root)
    y = item(body, x, i, saved=((token, (0, 1, None)),), operands=(x, 2))
    ends = [body.capture(x), body.value_of(2.5), y]
    body.graph.outputs = ends
    types = [F8, type_of_number(1.0), y.type]
    found = control.emit_try(root, body, types, clauses, 5)
    root.graph.outputs = [root.value_of(t) for t in (found[0], *found[2:])]
    return root.graph


@EXECUTORS
def test_the_body_comes_to_its_end(prepare):
    graph = attempt(((IndexError,),))
    check(graph)
    clause, x, number, y = prepare(graph)(X, np.int64(1))
    assert (clause, number, y) == (0, 2.5, 1.0) and x is X


@EXECUTORS
def test_what_was_saved_takes_the_types_of_the_results(prepare):
    clause, x, number, y = prepare(attempt(((KeyError,), (IndexError,))))(X, np.int64(7))
    assert clause == 2 and x is X and y is None
    assert number == 2.0 and type(number) is float


@EXECUTORS
@pytest.mark.parametrize(
    ("clauses", "token"), [(((KeyError,),), 5), (((IndexError,),), 6)], ids=["class", "token"]
)
def test_what_no_clause_takes_goes_on(prepare, clauses, token):
    with pytest.raises(IndexError):
        prepare(attempt(clauses, token))(X, np.int64(7))


@EXECUTORS
def test_only_what_belongs_to_the_node_that_raised_is_written(prepare):
    builder, written = Builder("f"), []
    x, i, j = builder.input(F8), builder.input(I8), builder.input(I8)
    a = item(builder, x, i, lambda *values: written.append(("a", *values)), operands=(i,))
    b = emit(builder, ops.add.op, a, 1.0)[0]
    c = item(builder, x, j, lambda *values: written.append(("b", *values)), operands=(b, 3))
    builder.graph.outputs = [c]
    run = prepare(builder.graph)
    assert run(X, np.int64(1), np.int64(2))[0] == 2.0 and written == []
    with pytest.raises(IndexError):
        run(X, np.int64(9), np.int64(9))
    assert written == [("a", 9)]
    with pytest.raises(IndexError):
        run(X, np.int64(1), np.int64(9))
    assert written[1:] == [("b", 2.0, 3)]


@EXECUTORS
def test_a_result_does_not_hide_what_is_pending(prepare):
    """The check of a Python int comes after its assignment: the old one must still be there."""
    builder, written = Builder("f"), []
    n = builder.input(type_of_number(1), "n")
    emit(builder, control.PENDING, n, write=written.append, count=1, saved=())
    doubled = emit(builder, ops.multiply.op, n, 2)[0]
    builder.graph.outputs = [doubled]
    with pytest.raises(OverflowError):
        prepare(builder.graph)(2**62)
    assert written == [2**62]


def test_a_pending_node_belongs_to_the_next_one_apart_from_constants():
    builder = Builder("f")
    x = builder.input(F8)
    emit(builder, control.PENDING, x, write=None, count=0, saved=())
    builder.constant(np.float64(3.0))
    emit(builder, ops.add.op, traced(x), 1.0)
    graph: Graph = builder.graph
    names = [node.op.name for node in graph.nodes]
    belonging = [graph.pending_for(i) is not None for i in range(len(names))]
    assert belonging == [name == "add" for name in names]
