"""What passes know of how values are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, Type

__all__ = [
    "exposed_by_results",
    "exposed_values",
    "gives_numbers",
    "held_values",
    "may_write",
    "read_late",
    "stretches",
]

# Effects that write into no array: what they change is replaced, not overwritten.
_WRITES_NOTHING = frozenset(("assign", "draw", "print", "raise", "read"))


def held_values(graph: Graph) -> set[Value]:
    """Values that outlive the graph: its results, and what effects and errors hand to others."""
    held = set(graph.outputs)
    for node in graph.nodes:
        if node.op.effect is not None or not node.outputs:
            held.update(node.inputs)
    return held


def exposed_values(graph: Graph) -> set[Value]:
    """Values whose memory others may come to hold.

    Besides those held: what branches and loops take, and what views, stacks and ops that pass
    operands on make exposed values of. Anywhere else a value can be replaced by an equal one; these
    must stay arrays of their own.
    """
    return _exposed(graph, lambda node: node.inputs)


def exposed_by_results(graph: Graph) -> set[Value]:
    """As `exposed_values`, but of what branches and loops take, only what they may give back."""
    return _exposed(graph, _given_back)


def _exposed(graph: Graph, by_control: Callable[[Node], Iterable[Value]]) -> set[Value]:
    exposed = held_values(graph)
    for node in reversed(graph.nodes):
        if node.graphs:
            exposed.update(by_control(node))
        elif _may_pass_on(node) and not exposed.isdisjoint(node.outputs):
            exposed.update(node.inputs)
    return exposed


def _given_back(node: Node) -> set[Value]:
    found: set[Value] = set()
    for graph in node.graphs:
        inner = exposed_by_results(graph)
        operands = node.inputs[len(node.inputs) - len(graph.inputs) :]
        found.update(v for v, own in zip(operands, graph.inputs, strict=True) if own in inner)
    return found


def _may_pass_on(node: Node) -> bool:
    """Whether results may share memory with operands."""
    op = node.op
    if op.view or op.options.get("forwards", False):
        return True
    return any(type(value.type) is not TensorType for value in (*node.inputs, *node.outputs))


def gives_numbers(node: Node) -> bool:
    """Whether results are Python numbers or NumPy scalars, which have no memory to be shared.

    An operand of rank 0 may be a caller's array, of which an op may give a view.
    """
    return not node.op.view and all(_is_number(value.type) for value in node.outputs)


def _is_number(type_: Type) -> bool:
    return isinstance(type_, TensorType) and type_.shape == () and type_.device is None


def may_write(node: Node) -> bool:
    """Whether running the node may write into the memory of arrays that others hold."""
    if node.op.effect is not None and node.op.effect not in _WRITES_NOTHING:
        return True
    return any(may_write(part) for graph in node.graphs for part in graph.nodes)


def stretches(nodes: Iterable[Node]) -> dict[Node, int]:
    """For each node, how many nodes before it may write into memory."""
    found: dict[Node, int] = {}
    writes = 0
    for node in nodes:
        writes += may_write(node)
        found[node] = writes
    return found


def read_late(graph: Graph, stretch: Mapping[Node, int]) -> set[Value]:
    """Values that are read after something wrote into memory that was not yet when they were made.

    They must be arrays that nothing else writes into.
    """
    if not graph.nodes or not stretch[graph.nodes[-1]]:
        return set()
    return {
        value
        for node in graph.nodes
        for value in node.inputs
        if value.node is not None and stretch[value.node] < stretch[node]
    }
