"""Puts the graph of a `call` in place of the call."""

from __future__ import annotations

from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node

__all__ = ["inline_calls"]


def inline_calls(graph: Graph) -> Graph:
    """`graph` with the nodes of called graphs in place of the calls."""
    return shared(_inlined)(graph)


def _inlined(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    _emit(copy, graph.nodes)
    return copy.finish()


def _emit(copy: Copy, nodes: list[Node]) -> None:
    for node in nodes:
        if node.op.name != "call":
            copy.keep(node)
            continue
        (called,) = node.graphs
        copy.values.update(zip(called.inputs, copy.mapped(node.inputs), strict=True))
        _emit(copy, called.nodes)
        copy.values.update(zip(node.outputs, copy.mapped(called.outputs), strict=True))
