"""Computes once what is computed twice: equal operations on the same operands.

Left alone: effects, control flow, and arrays that must stay apart, because somebody may come to
hold them (`exposed_values`) or they are read after a write (`read_late`). An operation that can
raise is merged into an earlier one, which would have raised the same; what was pending for it goes
too. (The method is value numbering; J. Cocke, "Global common subexpression elimination", 1970.)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.uses import Writes, constant_key, exposed_values, gives_numbers, read_late
from runtime.spec import TensorType

__all__ = ["merge_common_subexpressions"]


def merge_common_subexpressions(graph: Graph) -> Graph:
    """`graph` without the repetition of equal operations."""
    if not any(map(_may_repeat, graph.parts())):
        return graph
    writes, dropped = Writes(), list[Node]()
    merged = shared(lambda graph, change: _merged(graph, change, writes, dropped))(graph)
    # The first of equal nodes reads what the others did, so that nothing is left unread; only what
    # was pending may have been read by that alone.
    merged.is_tidy = merged.is_tidy or (graph.is_tidy and not dropped)
    return merged


def _may_repeat(graph: Graph) -> bool:
    """Whether two operations have the same operands, attributes aside."""
    met: set[Hashable] = set()
    for node in graph.nodes:
        key = _rough_key(node, node.inputs)
        if key is None:
            continue
        if key in met:
            return True
        met.add(key)
    return False


def _merged(graph: Graph, change: Change, writes: Writes, dropped: list[Node]) -> Graph:
    """The graph without repetitions; `dropped` gets the nodes for which something was pending."""
    stretch = writes.stretches(graph)
    apart = exposed_values(graph) | read_late(graph, stretch)
    known = _Known(stretch)
    copy = Copy(graph, change)
    for node in graph.nodes:
        first = known.first(node, copy.mapped(node.inputs))
        if first is not node and (apart.isdisjoint(node.outputs) or gives_numbers(node)):
            count = len(copy.nodes)
            copy.drop_pending(node)
            if len(copy.nodes) < count:
                dropped.append(node)
            copy.replace(node.outputs, copy.mapped(first.outputs))
        else:
            copy.keep(node)
    return copy.finish()


class _Known:
    """The operations met so far. Of those with other operands nothing else is compared."""

    def __init__(self, stretch: Mapping[Node, int]) -> None:
        self._stretch = stretch
        # By their operands, until others with the same come along; then by all that matters.
        self._alone: dict[Hashable, Node | None] = {}
        self._known: dict[Hashable, Node] = {}

    def first(self, node: Node, inputs: Sequence[Value]) -> Node:
        """The first node that computed the same; `node` itself where there is none."""
        rough = _rough_key(node, inputs)
        if rough is None:
            return node
        if rough not in self._alone:
            self._alone[rough] = node
            return node
        alone = self._alone[rough]
        if alone is not None:
            self._alone[rough] = None
            self._enter(rough, alone)
        return self._enter(rough, node)

    def _enter(self, rough: Hashable, node: Node) -> Node:
        key = _key(rough, node, self._stretch[node])
        return node if key is None else self._known.setdefault(key, node)


def _rough_key(node: Node, inputs: Sequence[Value]) -> Hashable:
    """Unequal for nodes that do not compute the same; None for those that are not to be merged."""
    if node.graphs or node.op.effect is not None or not node.outputs:
        return None
    if node.op.name == "constant":
        return constant_key(node.attrs["value"])
    return (node.op, *inputs)


def _key(rough: Hashable, node: Node, stretch: int) -> Hashable:
    """Equal for nodes that compute the same; None for those that are not to be merged."""
    if node.op.name == "constant":
        return rough
    types = tuple([value.type for value in node.outputs])
    if any(type(t) is not TensorType for t in types):
        return None
    attrs = tuple(sorted(node.attrs.items()))
    try:
        hash(attrs)
    except TypeError:
        return None
    # Equal is not the same: 0.0 and -0.0, 1 and True.
    return (rough, attrs, repr(attrs), types, node.signals, stretch)
