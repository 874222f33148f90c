"""Copies of graphs, changed on the way: passes never change the graph that they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.graph.ir import Graph, Node, Value

__all__ = ["Change", "Copy", "clone", "copy_node", "copy_value", "shared"]

Change = Callable[[Graph], Graph]


class Copy:
    """A graph in the making from another one, node by node in program order.

    `values` says what stands in the copy for a value of the source. Sub-graphs of the nodes that
    are kept go through `change`.
    """

    def __init__(self, source: Graph, change: Change) -> None:
        self.source = source
        self.change = change
        self.inputs = [copy_value(value) for value in source.inputs]
        self.nodes: list[Node] = []
        self.values: dict[Value, Value] = dict(zip(source.inputs, self.inputs, strict=True))

    def mapped(self, values: Sequence[Value]) -> list[Value]:
        """What stands in the copy for values of the source."""
        return [self.values[value] for value in values]

    def keep(self, node: Node) -> Node:
        """Copy a node, its graphs changed."""
        graphs = [self.change(graph) for graph in node.graphs]
        return self.add(copy_node(node, self.mapped(node.inputs), graphs), node.outputs)

    def add(self, node: Node, instead_of: Sequence[Value]) -> Node:
        """Append a new node, whose outputs stand for the values `instead_of` of the source."""
        self.nodes.append(node)
        self.values.update(zip(instead_of, node.outputs, strict=True))
        return node

    def finish(self) -> Graph:
        """The copy, whole."""
        return Graph(self.inputs, self.nodes, self.mapped(self.source.outputs), self.source.name)


def shared(change: Callable[[Graph, Change], Graph]) -> Change:
    """`change`, applied once to each graph: what several nodes hold stays one graph.

    Its second argument is to be applied to sub-graphs.
    """
    known: dict[Graph, Graph] = {}

    def once(graph: Graph) -> Graph:
        if graph not in known:
            known[graph] = change(graph, once)
        return known[graph]

    return once


def clone(graph: Graph) -> Graph:
    """A graph with new values and nodes that means the same. Sub-graphs are copied too."""
    return shared(_same)(graph)


def _same(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        copy.keep(node)
    return copy.finish()


def copy_value(value: Value) -> Value:
    """A new graph input of the same type and name."""
    return Value(value.type, name=value.name)


def copy_node(
    node: Node,
    inputs: Sequence[Value],
    graphs: Sequence[Graph],
    outputs: Sequence[Value] | None = None,
) -> Node:
    """A new node of the same op on other inputs, with the outputs of `node` or some of them."""
    outputs = node.outputs if outputs is None else outputs
    types = [value.type for value in outputs]
    made = Node(node.op, inputs, dict(node.attrs), graphs, types, node.origin)
    made.signals = node.signals
    for value, new in zip(outputs, made.outputs, strict=True):
        new.name = value.name
    return made
