"""Graphs made from other graphs: passes never change the graph that they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.graph.ir import Graph, Node, Value

__all__ = ["Change", "Copy", "clone", "copy_node", "copy_value", "shared"]

Change = Callable[[Graph], Graph]


class Copy:
    """A graph in the making from another one, node by node in program order.

    What does not change is not copied: the new graph has inputs and nodes in common with the
    source, and is the source itself where nothing changed at all. `values` says what stands in the
    copy for the values that are replaced. Sub-graphs of nodes that are kept go through `change`.
    """

    def __init__(self, source: Graph, change: Change) -> None:
        self.source = source
        self.change = change
        self.nodes: list[Node] = []
        self.values: dict[Value, Value] = {}

    def value(self, value: Value) -> Value:
        """What stands in the copy for a value of the source."""
        return self.values.get(value, value)

    def mapped(self, values: Sequence[Value]) -> list[Value]:
        """What stands in the copy for values of the source."""
        if not self.values:
            return list(values)
        known = self.values.get
        return [known(value, value) for value in values]

    def replace(self, values: Sequence[Value], others: Sequence[Value]) -> None:
        """Let `others`, values of the copy, stand for values of the source."""
        self.values.update(zip(values, others, strict=True))

    def keep(self, node: Node) -> Node:
        """The node itself, or a copy if its operands or graphs are changed."""
        if not self.values and not node.graphs:  # nothing is replaced so far
            self.nodes.append(node)
            return node
        inputs = self.mapped(node.inputs)
        graphs = [self.change(graph) for graph in node.graphs] if node.graphs else node.graphs
        if inputs == node.inputs and graphs == node.graphs:
            self.nodes.append(node)
            return node
        return self.add(copy_node(node, inputs, graphs), node.outputs)

    def paste(self, node: Node) -> Node:
        """A copy of a node of another graph, which may be pasted several times."""
        graphs = [self.change(graph) for graph in node.graphs]
        return self.add(copy_node(node, self.mapped(node.inputs), graphs), node.outputs)

    def add(self, node: Node, instead_of: Sequence[Value]) -> Node:
        """Append a new node, whose outputs stand for the values `instead_of` of the source."""
        self.nodes.append(node)
        self.replace(instead_of, node.outputs)
        return node

    def drop(self) -> None:
        """Take the last node away, and what was pending for it."""
        self.drop_pending(self.nodes.pop())

    def drop_pending(self, node: Node) -> None:
        """Take away what was pending for a node that would have been next."""
        if not node.can_raise:
            return
        before = len(self.nodes) - 1
        while before >= 0 and self.nodes[before].op.name == "constant":
            before -= 1
        if before >= 0 and self.nodes[before].op.name == "pending":
            del self.nodes[before]

    def finish(self) -> Graph:
        """The copy, whole."""
        source = self.source
        outputs = self.mapped(source.outputs)
        if self.nodes == source.nodes and outputs == source.outputs:
            return source
        return Graph(source.inputs, self.nodes, outputs, source.name)


class shared:  # lower case, as a verb in `shared(change)(graph)`
    """`change`, applied once to each graph: what several nodes hold stays one graph.

    Its second argument is to be applied to sub-graphs.
    """

    # No function within a function that calls itself: it would be a cycle, and all that was
    # found on the way garbage that waits for the collector.
    __slots__ = ("_change", "_known")

    def __init__(self, change: Callable[[Graph, Change], Graph]) -> None:
        self._change = change
        self._known: dict[Graph, Graph] = {}

    def __call__(self, graph: Graph) -> Graph:
        found = self._known.get(graph)
        if found is None:
            found = self._known[graph] = self._change(graph, self)
        return found


def clone(graph: Graph) -> Graph:
    """A graph with new values and nodes that means the same. Sub-graphs are copied too."""
    return shared(_anew)(graph)


def _anew(graph: Graph, change: Change) -> Graph:
    inputs = [copy_value(value) for value in graph.inputs]
    values = dict(zip(graph.inputs, inputs, strict=True))
    nodes = []
    for node in graph.nodes:
        graphs = [change(inner) for inner in node.graphs]
        made = copy_node(node, [values[value] for value in node.inputs], graphs)
        values.update(zip(node.outputs, made.outputs, strict=True))
        nodes.append(made)
    return Graph(inputs, nodes, [values[value] for value in graph.outputs], graph.name)


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
