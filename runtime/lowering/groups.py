"""Which arrays are computed where they are read, rather than stored: the groups of one loop each.

An elementwise result joins the loop of what reads it when all that reads it ends in the same loop,
over the same index space. So a chain is one loop, and nothing is computed twice.
"""

from __future__ import annotations

from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType

__all__ = ["JOINABLE", "REDUCTIONS", "fused"]

# Ops beside those of the flag `elementwise` whose result at an index needs operands there only.
JOINABLE = frozenset(("astype", "copy", "stop_gradient", "strengthen"))
UPDATES = frozenset(("index_update", "index_add"))
REDUCTIONS = frozenset(("sum", "mean", "max", "min", "any", "all"))


def fused(graph: Graph) -> set[Value]:
    """The values of a graph that need no memory of their own."""
    readers: dict[Value, list[Node]] = {}
    for node in graph.nodes:
        for value in dict.fromkeys(node.inputs):
            readers.setdefault(value, []).append(node)
    outputs = set(graph.outputs)
    roots: dict[Value, object] = {}
    for node in reversed(graph.nodes):
        for value in node.outputs:
            found = {_root(reader, value, roots) for reader in readers.get(value, ())}
            is_alone = len(found) == 1 and None not in found and value not in outputs
            roots[value] = found.pop() if is_alone and is_joinable(node) else value
    return {value for value, root in roots.items() if root is not value}


def is_joinable(node: Node) -> bool:
    """Whether the op computes each element of its result from elements at that index."""
    return node.op.elementwise or node.op.name in JOINABLE


def _root(reader: Node, value: Value, roots: dict[Value, object]) -> object:
    """The loop in which `reader` reads `value`; None: none that could compute it."""
    if reader.op.name in REDUCTIONS:
        return reader
    if reader.op.name in UPDATES:
        return reader if reader.inputs.count(value) == 1 and value is reader.inputs[1] else None
    if not is_joinable(reader):
        return None
    result = reader.outputs[0]
    return roots[result] if _shape(result) == _shape(value) else None


def _shape(value: Value) -> object:
    return value.type.shape if isinstance(value.type, TensorType) else None
