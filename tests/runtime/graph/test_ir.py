"""Tests of `runtime.graph.ir`."""

from runtime.graph.ir import Graph, Node, Value


def test_outputs_know_their_node_and_place(toy):
    node = Node(toy.PARTS, [Value(toy.INT)], types=[toy.INT, toy.INT])
    assert [(v.node, v.index) for v in node.outputs] == [(node, 0), (node, 1)]
    further = node.add_output(toy.VECTOR)
    assert (further.node, further.index) == (node, 2) and node.outputs[-1] is further


def test_types_are_inferred_as_a_tuple_always(toy):
    assert toy.ADD.infer_all([toy.INT, toy.INT], {}) == (toy.INT,)
    assert toy.PARTS.infer_all([toy.INT], {}) == (toy.INT, toy.INT)


def test_effects_and_errors_of_inner_graphs_are_those_of_the_node(toy):
    inner = toy.Builder(x=toy.INT)
    inner(toy.PRINT, inner.x)
    inner(toy.FAIL, inner.x)
    node = Node(toy.CALL, [], graphs=[inner.graph])
    assert node.has_effect and node.can_raise
    assert not Node(toy.CALL, [], graphs=[Graph()]).has_effect


def test_whether_an_op_raises_may_depend_on_types(toy):
    assert toy.DIVIDE.can_raise([toy.INT, toy.INT], {})
    assert not toy.DIVIDE.can_raise([toy.VECTOR, toy.INT], {})
    assert not toy.ADD.can_raise([toy.INT, toy.INT], {})


def test_walking_goes_into_inner_graphs(toy):
    names = [node.op.name for node in toy.decay().walk()]
    assert names.index("while") < names.index("less") < names.index("index_update")


def _walked(graph):
    for node in graph.nodes:
        yield node
        for inner in node.graphs:
            yield from _walked(inner)


def test_each_node_is_walked_just_after_the_one_that_holds_it(toy):
    inner = toy.decay()
    b = toy.Builder(**{value.name: value.type for value in inner.inputs})
    inputs = list(b.graph.inputs)
    types = [value.type for value in inner.outputs]
    for _ in range(2):
        b(toy.CALL, *inputs, graphs=[inner], types=types)
    assert list(b.graph.walk()) == list(_walked(b.graph))
    assert [graph.name for graph in b.graph.parts()].count(inner.name) == 2
    assert next(b.graph.parts()) is b.graph
