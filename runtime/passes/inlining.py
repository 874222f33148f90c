"""Puts the graph of a `call` in place of the call.

A graph that several nodes call is inlined if it is small: otherwise calls in calls would grow
without bounds. One that can raise stays a call, whose line belongs to the traceback.
"""

from __future__ import annotations

from collections import Counter

from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.ir import Graph, Node

__all__ = ["inline_calls"]

# So many nodes are written out at each call.
SMALL = 8


def inline_calls(graph: Graph) -> Graph:
    """`graph` with the nodes of called graphs in place of the calls."""
    calls = Counter(node.graphs[0] for node in graph.walk() if node.op.name == "call")
    if not calls:
        return graph

    def inlined(graph: Graph, change: Change) -> Graph:
        copy = Copy(graph, change)
        for node in graph.nodes:
            if _is_inlined(node, calls):
                _write_out(copy, node)
            else:
                copy.keep(node)
        return copy.finish()

    return shared(inlined)(graph)


def _is_inlined(node: Node, calls: Counter[Graph]) -> bool:
    if node.op.name != "call" or node.can_raise:
        return False
    (called,) = node.graphs
    return calls[called] == 1 or len(called.nodes) <= SMALL


def _write_out(copy: Copy, node: Node) -> None:
    called = copy.change(node.graphs[0])
    copy.replace(called.inputs, copy.mapped(node.inputs))
    for part in called.nodes:
        inputs = copy.mapped(part.inputs)
        copy.add(copy_node(part, inputs, part.graphs), part.outputs)
    copy.replace(node.outputs, copy.mapped(called.outputs))
