"""What passes know of how values are used."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.graph.ir import Graph, Node, Value

__all__ = ["exposed_values", "may_write", "stretches"]

_WRITES_NOTHING = frozenset(("print", "raise", "read", "pending"))


def exposed_values(graph: Graph) -> set[Value]:
    """Values whose memory others may come to hold: results, what views, branches and effects take.

    Anywhere else a value can be replaced by an equal one; these must stay arrays of their own.
    """
    exposed = set(graph.outputs)
    for node in graph.nodes:
        if node.graphs or node.op.view or node.op.effect is not None:
            exposed.update(node.inputs)
    return exposed


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
