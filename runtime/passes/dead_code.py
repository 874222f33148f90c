"""Drops what no output needs: nodes, results of branches, loop variables.

Nodes that can raise and ordered effects stay, with all that they need, and so does a loop that may
not end. So no exception and no effect appears or vanishes. What is written in the case of an error
(`pending`) stays as long as the next node can raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.counters import counter_of
from runtime.graph.ir import Graph, Node, Value

__all__ = ["drop_dead_code"]


class _Kept(NamedTuple):
    """Positions of the outputs and inputs that a node keeps."""

    outputs: Sequence[int]
    inputs: Sequence[int]


class _Needed(NamedTuple):
    """What some results of a graph need: positions of inputs, and nodes; None: the whole node."""

    inputs: frozenset[int]
    nodes: dict[Node, _Kept | None]


def drop_dead_code(graph: Graph, *, in_place: bool = False) -> Graph:
    """`graph` without what has no influence on its outputs, effects and errors.

    With `in_place`, for one that was just built: its nodes may be given tidy graphs, which mean
    the same, where they would be copied for that.
    """
    if graph.is_tidy:
        return graph
    tidy = shared(_Needs(in_place).all_outputs)(graph)
    tidy.is_tidy = True
    return tidy


class _Needs:
    """What is needed in the graphs of one program; each question is answered once."""

    def __init__(self, in_place: bool) -> None:
        self._in_place = in_place
        self._needed: dict[tuple[Graph, tuple[int, ...]], _Needed] = {}
        self._stay: dict[Node, bool] = {}

    # ---- rewriting -------------------------------------------------------------------------------

    def all_outputs(self, graph: Graph, change: Change) -> Graph:
        """The graph with all of its outputs and inputs."""
        kept = self.of(graph, range(len(graph.outputs))).nodes
        if self._is_tidy(graph, kept, change):
            return graph
        everything = _Kept(range(len(graph.outputs)), range(len(graph.inputs)))
        return self._with(graph, everything, kept, change)

    def _is_tidy(self, graph: Graph, kept: dict[Node, _Kept | None], change: Change) -> bool:
        """Whether every node is needed, and all that is in its graphs."""
        if len(kept) < len(graph.nodes):
            return False
        for node, part in kept.items():
            if not node.graphs:
                continue
            if part is not None and not _is_whole(part, node):
                return False
            for inner in node.graphs:
                if change(inner) is not inner:
                    return False
        return True

    def _without(self, graph: Graph, interface: _Kept, change: Change) -> Graph:
        """The graph with these outputs and inputs, and what the outputs need."""
        return self._with(graph, interface, self.of(graph, interface.outputs).nodes, change)

    def _with(
        self, graph: Graph, interface: _Kept, kept: dict[Node, _Kept | None], change: Change
    ) -> Graph:
        """The graph with these outputs and inputs, and the nodes that are kept."""
        copy = Copy(graph, change)
        for node in graph.nodes:
            if node in kept:
                self._copy(copy, node, kept[node])
        inputs = [graph.inputs[position] for position in interface.inputs]
        if inputs == graph.inputs and len(interface.outputs) == len(graph.outputs):
            return copy.finish()
        outputs = [copy.value(graph.outputs[position]) for position in interface.outputs]
        return Graph(inputs, copy.nodes, outputs, graph.name)

    def _copy(self, copy: Copy, node: Node, kept: _Kept | None) -> None:
        if kept is None or _is_whole(kept, node):
            if self._in_place and node.graphs and not copy.values:
                node.graphs = [copy.change(inner) for inner in node.graphs]
                copy.nodes.append(node)
            else:
                copy.keep(node)
            return
        inputs = [node.inputs[position] for position in kept.inputs]
        outputs = [node.outputs[position] for position in kept.outputs]
        graphs = [self._without(g, _interface(node, g, kept), copy.change) for g in node.graphs]
        made = copy_node(node, copy.mapped(inputs), graphs, outputs)
        if node.op.name == "while":
            made.attrs["captures"] = sum(p < node.attrs["captures"] for p in kept.inputs)
        copy.add(made, outputs)

    # ---- asking ----------------------------------------------------------------------------------

    def of(self, graph: Graph, outputs: Iterable[int]) -> _Needed:
        """What some outputs, the effects and the errors of a graph need."""
        key = (graph, tuple(outputs))
        found = self._needed.get(key)
        if found is None:
            found = self._needed[key] = self._find(graph, [graph.outputs[p] for p in key[1]])
        return found

    def _find(self, graph: Graph, results: Sequence[Value]) -> _Needed:
        needed = set(results)
        kept: dict[Node, _Kept | None] = {}
        belonging: set[Node | None] = set()
        nodes = graph.nodes
        for position in range(len(nodes) - 1, -1, -1):
            node = nodes[position]
            stays = self.must_stay(node) if node.graphs else _stays(node)
            if not stays and needed.isdisjoint(node.outputs) and node not in belonging:
                continue
            rule = None
            if node.graphs:
                rule = _RULES.get(node.op.name)
            elif stays and node.can_raise:
                belonging.add(graph.pending_for(position))
            if rule is None:
                kept[node] = None
                needed.update(node.inputs)
            else:
                outputs = [value.index for value in node.outputs if value in needed]
                kept[node] = part = rule(self, node, outputs)
                needed.update([node.inputs[p] for p in part.inputs])
        inputs = [p for p, value in enumerate(graph.inputs) if value in needed]
        return _Needed(frozenset(inputs), kept)

    def cond(self, node: Node, outputs: Sequence[int]) -> _Kept:
        """What a `cond` keeps for some results."""
        used = self.of(node.graphs[0], outputs).inputs | self.of(node.graphs[1], outputs).inputs
        return _Kept(outputs, [0, *(position + 1 for position in sorted(used))])

    def loop(self, node: Node, outputs: Sequence[int]) -> _Kept:
        """What a `while` keeps for some results: what these feed on, too."""
        test, body = node.graphs
        captures: int = node.attrs["captures"]
        carried = set(outputs)
        tested = self.of(test, [0]).inputs
        while True:
            used = tested | self.of(body, sorted(carried)).inputs
            more = {position - captures for position in used if position >= captures} - carried
            if not more:
                inputs = used | {captures + position for position in carried}
                return _Kept(sorted(carried), sorted(inputs))
            carried |= more

    def must_stay(self, node: Node) -> bool:
        """Whether the node stays even if nothing reads its results."""
        if not node.graphs:
            return _stays(node)
        found = self._stay.get(node)
        if found is None:
            found = self._stay[node] = self._must_stay(node)
        return found

    def _must_stay(self, node: Node) -> bool:
        if node.op.effect is not None or node.op_can_raise:
            return True
        safe = None
        if node.op.name == "while":
            counter = counter_of(node)
            if counter is None and node.attrs.get("maximum") is None:
                return True  # it may not end
            if counter is not None and not counter.can_overflow:
                safe = counter.increment
        return any(
            self.must_stay(part)
            for graph in node.graphs
            for part in graph.nodes
            if part is not safe
        )


def _stays(node: Node) -> bool:
    """Whether a node without graphs stays even if nothing reads its results."""
    return node.op.effect is not None or node.signals or node.op_can_raise


_Rule = Callable[[_Needs, Node, Sequence[int]], _Kept]
_RULES: dict[str, _Rule] = {"cond": _Needs.cond, "while": _Needs.loop}


def _is_whole(kept: _Kept, node: Node) -> bool:
    return len(kept.inputs) == len(node.inputs) and len(kept.outputs) == len(node.outputs)


def _interface(node: Node, graph: Graph, kept: _Kept) -> _Kept:
    """What a graph of `node` keeps where the node keeps `kept`."""
    if node.op.name == "cond":
        return _Kept(kept.outputs, [position - 1 for position in kept.inputs[1:]])
    return _Kept([0] if graph is node.graphs[0] else kept.outputs, kept.inputs)
