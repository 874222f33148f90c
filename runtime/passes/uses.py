"""What passes know of how values are used."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, Type, bits

__all__ = [
    "Writes",
    "apart",
    "constant_key",
    "exposed_by_results",
    "exposed_values",
    "gives_numbers",
    "held_values",
    "read_late",
]

# Effects that write into no array: what they change is replaced, not overwritten.
_WRITES_NOTHING = frozenset(
    ("assign", "collective", "draw", "print", "raise", "read", "recur", "rng")
)

# Constants above this size are compared by identity.
_SMALL = 4096  # bytes


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
        elif not exposed.isdisjoint(node.outputs) and _may_pass_on(node):
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


class Writes:
    """Which nodes of a program may write into the memory of arrays that others hold.

    Of each graph it is found once: loops and branches may be deep in each other.
    """

    def __init__(self) -> None:
        self._known: dict[Graph, bool] = {}

    def by(self, node: Node) -> bool:
        """Whether running the node may."""
        effect = node.op.effect
        if effect is not None and effect not in _WRITES_NOTHING:
            return True
        return bool(node.graphs) and any(map(self.within, node.graphs))

    def within(self, graph: Graph) -> bool:
        """Whether running one of its nodes may."""
        if graph not in self._known:
            self._known[graph] = any(map(self.by, graph.nodes))
        return self._known[graph]

    def stretches(self, graph: Graph) -> dict[Node, int]:
        """For each node, how many nodes up to it may write into memory."""
        if not self.within(graph):
            return dict.fromkeys(graph.nodes, 0)
        return dict(zip(graph.nodes, accumulate(map(self.by, graph.nodes)), strict=True))


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


def apart(graph: Graph, writes: Writes) -> set[Value]:
    """Values that must stay arrays of their own: exposed ones, and those that are read late.

    Python numbers are no arrays.
    """
    found = exposed_values(graph) | read_late(graph, writes.stretches(graph))
    return {x for x in found if not (isinstance(x.type, TensorType) and x.type.weak)}


def constant_key(value: Any) -> Hashable:
    """Equal for constants that are the same to the last bit."""
    if not isinstance(value, (np.ndarray, np.generic)):
        told = bits(value) if isinstance(value, (float, complex)) else repr(value)
        return ("constant", type(value), told)
    if value.nbytes > _SMALL:
        return ("constant", id(value))
    return ("constant", value.dtype, value.shape, value.tobytes())
