"""Drops what no output needs: nodes, results of branches, loop variables.

Nodes that can raise and ordered effects stay, with all that they need, and so does a loop that may
not end. So no exception and no effect appears or vanishes. What is written in the case of an error
(`pending`) stays as long as the next node can raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.counters import counter_of

__all__ = ["drop_dead_code"]


class _Kept(NamedTuple):
    """Positions of the outputs and inputs that a node keeps."""

    outputs: Sequence[int]
    inputs: Sequence[int]


def drop_dead_code(graph: Graph) -> Graph:
    """`graph` without what has no influence on its outputs, effects and errors."""
    return shared(_all_outputs)(graph)


def _all_outputs(graph: Graph, change: Change) -> Graph:
    everything = _Kept(range(len(graph.outputs)), range(len(graph.inputs)))
    return _without(graph, everything, change)


def _without(graph: Graph, interface: _Kept, change: Change) -> Graph:
    """A copy of `graph` with these outputs and inputs, and what the outputs need."""
    results = [graph.outputs[position] for position in interface.outputs]
    _, kept = _needed(graph, results)
    copy = Copy(graph, change)
    for node in graph.nodes:
        if node in kept:
            _copy(copy, node, kept[node])
    inputs = [copy.inputs[position] for position in interface.inputs]
    return Graph(inputs, copy.nodes, copy.mapped(results), graph.name)


def _copy(copy: Copy, node: Node, kept: _Kept | None) -> None:
    if kept is None:
        copy.keep(node)
        return
    inputs = [node.inputs[position] for position in kept.inputs]
    outputs = [node.outputs[position] for position in kept.outputs]
    graphs = [_without(g, _interface(node, g, kept), copy.change) for g in node.graphs]
    made = copy_node(node, copy.mapped(inputs), graphs, outputs)
    if node.op.name == "while":
        made.attrs["captures"] = sum(p < node.attrs["captures"] for p in kept.inputs)
    copy.add(made, outputs)


def _interface(node: Node, graph: Graph, kept: _Kept) -> _Kept:
    """What a graph of `node` keeps where the node keeps `kept`."""
    if node.op.name == "cond":
        return _Kept(kept.outputs, [position - 1 for position in kept.inputs[1:]])
    return _Kept([0] if graph is node.graphs[0] else kept.outputs, kept.inputs)


def _needed(graph: Graph, results: Sequence[Value]) -> tuple[set[Value], dict[Node, _Kept | None]]:
    """The values that have an influence, and the nodes to keep; None: the node is kept whole."""
    needed = set(results)
    kept: dict[Node, _Kept | None] = {}
    belonging: set[Node | None] = set()
    for position in reversed(range(len(graph.nodes))):
        node = graph.nodes[position]
        if node.can_raise:
            belonging.add(graph.pending_for(position))
        is_wanted = _must_stay(node) or node in belonging
        if not is_wanted and needed.isdisjoint(node.outputs):
            continue
        outputs = [value.index for value in node.outputs if value in needed]
        rule = _RULES.get(node.op.name)
        kept[node] = part = None if rule is None else rule(node, outputs)
        positions = range(len(node.inputs)) if part is None else part.inputs
        needed.update(node.inputs[position] for position in positions)
    return needed, kept


def _cond(node: Node, outputs: Sequence[int]) -> _Kept:
    used = _inputs_for(node.graphs[0], outputs) | _inputs_for(node.graphs[1], outputs)
    return _Kept(outputs, [0, *(position + 1 for position in sorted(used))])


def _while(node: Node, outputs: Sequence[int]) -> _Kept:
    test, body = node.graphs
    captures: int = node.attrs["captures"]
    carried = set(outputs)
    while True:
        used = _inputs_for(test, [0]) | _inputs_for(body, sorted(carried))
        more = {position - captures for position in used if position >= captures} - carried
        if not more:
            inputs = used | {captures + position for position in carried}
            return _Kept(sorted(carried), sorted(inputs))
        carried |= more


_RULES = {"cond": _cond, "while": _while}


def _inputs_for(graph: Graph, outputs: Sequence[int]) -> set[int]:
    """Positions of the inputs that some outputs, the effects and the errors need."""
    needed, _ = _needed(graph, [graph.outputs[position] for position in outputs])
    return {position for position, value in enumerate(graph.inputs) if value in needed}


def _must_stay(node: Node) -> bool:
    return node.has_effect or _can_raise(node) or _may_not_end(node)


def _can_raise(node: Node) -> bool:
    if node.op.name != "while":
        return node.can_raise
    counter = counter_of(node)
    safe = None if counter is None or counter.can_overflow else counter.increment
    return any(
        _can_raise(part) for graph in node.graphs for part in graph.nodes if part is not safe
    )


def _may_not_end(node: Node) -> bool:
    if node.op.name == "while" and node.attrs.get("maximum") is None and counter_of(node) is None:
        return True
    return any(_may_not_end(part) for graph in node.graphs for part in graph.nodes)
