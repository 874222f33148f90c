"""Merges chains of transposes, reshapes, broadcasts and casts that change nothing.

Two transposes are one, or none; of two reshapes the second decides; what already has the shape or
dtype asked for stays as it is. Where somebody comes to hold the result (`exposed_values`) all of
them stay: a reshape of a reshape may be a copy where a single one is a view. Shapes that are known
only at run time are left alone.
"""

from __future__ import annotations

from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.uses import Writes, apart
from runtime.spec import TensorType

__all__ = ["merge_layout_changes"]

# All that is looked at here: of some, two in a row are merged, too (`_CHAINS`).
_SAME_WHEN_TYPED_SO = frozenset(("reshape", "broadcast_to", "astype", "permute_dims", "sum_to"))


def merge_layout_changes(graph: Graph) -> Graph:
    """`graph` with fewer nodes that only rearrange."""
    if not any(node.op.name in _SAME_WHEN_TYPED_SO for node in graph.walk()):
        return graph
    writes = Writes()
    return shared(lambda graph, change: _merged(graph, change, writes))(graph)


def _merged(graph: Graph, change: Change, writes: Writes) -> Graph:
    kept = apart(graph, writes)
    copy = Copy(graph, change)
    for node in graph.nodes:
        rule = _CHAINS.get(node.op.name)
        made = None if rule is None or node.outputs[0] in kept else rule(copy, node)
        made = copy.keep(node) if made is None else copy.add(made, node.outputs)
        if node.op.name in _SAME_WHEN_TYPED_SO and node.outputs[0] not in kept and _is_same(made):
            copy.drop()
            copy.replace(node.outputs, made.inputs[:1])
    return copy.finish()


def _permuted(copy: Copy, node: Node) -> Node | None:
    """One transpose instead of two."""
    inner = copy.value(node.inputs[0]).node
    if inner is None or inner.op is not node.op or node.signals:
        return None
    rank = len(inner.attrs["axes"])
    first = [axis % rank for axis in inner.attrs["axes"]]
    made = copy_node(node, inner.inputs, ())
    made.attrs["axes"] = tuple(first[axis % rank] for axis in node.attrs["axes"])
    return made


def _reshaped(copy: Copy, node: Node) -> Node | None:
    """One reshape, or broadcast, instead of two."""
    inner = copy.value(node.inputs[0]).node
    if inner is None or inner.op is not node.op or node.can_raise:
        return None
    is_plain = len(node.inputs) == len(inner.inputs) == 1 and _is_static(inner.inputs[0])
    return copy_node(node, inner.inputs, ()) if is_plain else None


_CHAINS = {"permute_dims": _permuted, "reshape": _reshaped, "broadcast_to": _reshaped}


def _is_same(node: Node) -> bool:
    """Whether a node gives its operand as it is."""
    source = node.inputs[0]
    if source.type != node.outputs[0].type or not _is_static(source) or node.can_raise:
        return False
    axes = node.attrs.get("axes")
    return axes is None or tuple(a % len(axes) for a in axes) == tuple(range(len(axes)))


def _is_static(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.is_static
