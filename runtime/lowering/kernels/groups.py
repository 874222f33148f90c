"""Which arrays are computed where they are read, rather than stored: the groups of one loop each.

An elementwise result joins the loop of what reads it when all that reads it ends in the same loop,
over the same index space, or over a part of it that one slice takes. So a chain is one loop, and
nothing is computed twice. A loop takes so many nodes: what would be more begins another one.
"""

from __future__ import annotations

from collections import Counter

from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType

__all__ = ["JOINABLE", "REDUCTIONS", "fused"]

# Ops beside those of the flag `elementwise` whose result at an index needs operands there only.
JOINABLE = frozenset(("astype", "copy", "stop_gradient", "strengthen"))
UPDATES = frozenset(("index_update", "index_add"))
REDUCTIONS = frozenset(("sum", "mean", "max", "min", "any", "all"))
# What writes each operand to a place of its own.
_JOINING = frozenset(("concat", "stack"))
_TURNING = "permute_dims"
# Running sums go through their operand one by one, so only what takes as little time joins them.
_SCANS = frozenset(("cumsum", "cumprod"))
_LITTLE = frozenset(("add", "subtract", "multiply", "negative", "abs", "square", "where", "astype"))
# The nodes of a loop: LLVM takes more than twice as long for one of twice as many.
_MOST = 64


def fused(graph: Graph) -> set[Value]:
    """The values of a graph that need no memory of their own."""
    readers: dict[Value, list[Node]] = {}
    for node in graph.nodes:
        for value in dict.fromkeys(node.inputs):
            readers.setdefault(value, []).append(node)
    outputs = set(graph.outputs)
    roots: dict[Value, object] = {}
    sizes: Counter[object] = Counter()
    for node in reversed(graph.nodes):
        for value in node.outputs:
            reading = readers.get(value, ())
            found = {_root(reader, value, roots) for reader in reading}
            is_alone = len(found) == 1 and None not in found and value not in outputs
            is_once = len(reading) == 1 or not any(map(is_part, reading))
            joins = is_alone and is_once and _may_join(node)
            root = found.pop() if joins else value
            if sizes[_loop(root)] >= _MOST or (_is_scan(root) and node.op.name not in _LITTLE):
                root = value
            roots[value] = root
            sizes[_loop(root)] += 1
    return {value for value, root in roots.items() if root is not value}


def _may_join(node: Node) -> bool:
    """Whether elements of the result may be computed where it is read."""
    return is_part(node) or is_joinable(node) or node.op.name in _JOINING | UPDATES


def is_joinable(node: Node) -> bool:
    """Whether the op computes each element of its result from elements at that index."""
    return node.op.elementwise or node.op.name in JOINABLE


def is_part(node: Node) -> bool:
    """Whether a node takes a part of an array that is known, each element at most once.

    A transpose takes all of it, from other places.
    """
    return node.op.name == _TURNING or (node.op.name == "getitem" and len(node.inputs) == 1)


def _loop(root: object) -> object:
    """The loop of a root, whichever part or operand of it is read there."""
    while isinstance(root, tuple):
        root = root[0]
    return root


def _is_scan(root: object) -> bool:
    return isinstance(root, Node) and root.op.name in _SCANS


def _root(reader: Node, value: Value, roots: dict[Value, object]) -> object:
    """The loop in which `reader` reads `value`; None: none that could compute it."""
    if reader.op.name in REDUCTIONS:
        return reader
    if reader.op.name in _SCANS:
        return reader if reader.attrs["axis"] is not None or _rank(value) == 1 else None
    if reader.op.name in _JOINING:
        at = [k for k, given in enumerate(reader.inputs) if given is value]
        return (reader, at[0]) if len(at) == 1 else None  # each operand has a loop of its own
    if reader.op.name == _TURNING:
        root = roots[reader.outputs[0]]
        return None if root is reader.outputs[0] else (root, reader)
    if is_part(reader):
        # Of two parts, elements of one may be elements of the other.
        root = roots[reader.outputs[0]]
        is_apart = root is reader.outputs[0] or (isinstance(root, Node) and _is_summed(root))
        return None if is_apart else (root, reader)
    if reader.op.name in UPDATES:
        return reader if reader.inputs.count(value) == 1 and value is reader.inputs[1] else None
    if not is_joinable(reader):
        return None
    result = reader.outputs[0]
    return roots[result] if _shape(result) == _shape(value) else None


def _is_summed(root: Node) -> bool:
    """Whether the order in which elements are added may depend on where they are."""
    return root.op.name in REDUCTIONS or root.op.name in _SCANS


def _rank(value: Value) -> int | None:
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return None if shape is None else len(shape)


def _shape(value: Value) -> object:
    return value.type.shape if isinstance(value.type, TensorType) else None
