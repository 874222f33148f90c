"""Merges chains of transposes, reshapes, broadcasts and casts that change nothing.

Two transposes are one, or none; of two reshapes the second decides; what already has the shape or
dtype asked for stays as it is, where nobody holds its memory (`exposed_values`). Shapes that are
known only at run time are left alone.
"""

from __future__ import annotations

from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.uses import exposed_values
from runtime.spec import TensorType

__all__ = ["merge_layout_changes"]

_SAME_WHEN_TYPED_SO = frozenset(("reshape", "broadcast_to", "astype", "permute_dims", "sum_to"))


def merge_layout_changes(graph: Graph) -> Graph:
    """`graph` with fewer nodes that only rearrange."""
    return shared(_merged)(graph)


def _merged(graph: Graph, change: Change) -> Graph:
    exposed = exposed_values(graph)
    copy = Copy(graph, change)
    for node in graph.nodes:
        if node.op.name == "permute_dims":
            _keep_permuted(copy, node)
        elif node.op.name in ("reshape", "broadcast_to") and len(node.inputs) == 1:
            _keep_reshaped(copy, node)
        else:
            copy.keep(node)
        _drop_if_same(copy, node, exposed)
    return copy.finish()


def _keep_permuted(copy: Copy, node: Node) -> None:
    source = copy.values[node.inputs[0]]
    inner = source.node
    if inner is None or inner.op is not node.op:
        copy.keep(node)
        return
    rank = len(inner.attrs["axes"])
    first = [axis % rank for axis in inner.attrs["axes"]]
    axes = tuple(first[axis % rank] for axis in node.attrs["axes"])
    made = copy_node(node, [inner.inputs[0]], ())
    made.attrs["axes"] = axes
    copy.add(made, node.outputs)


def _keep_reshaped(copy: Copy, node: Node) -> None:
    source = copy.values[node.inputs[0]]
    inner = source.node
    chained = inner is not None and inner.op is node.op and len(inner.inputs) == 1
    if not chained or inner is None or not _is_static(inner.inputs[0]) or node.can_raise:
        copy.keep(node)
        return
    copy.add(copy_node(node, [inner.inputs[0]], ()), node.outputs)


def _drop_if_same(copy: Copy, node: Node, exposed: set[Value]) -> None:
    """Let the operand stand for a result of the same type in the same order."""
    if node.op.name not in _SAME_WHEN_TYPED_SO or node.outputs[0] in exposed:
        return
    made = copy.values[node.outputs[0]].node
    if made is None or made is not copy.nodes[-1] or made.can_raise:
        return
    source = made.inputs[0]
    if source.type != made.outputs[0].type or not _is_static(source):
        return
    axes = made.attrs.get("axes")
    if axes is not None and tuple(a % len(axes) for a in axes) != tuple(range(len(axes))):
        return
    copy.nodes.pop()
    copy.values[node.outputs[0]] = source


def _is_static(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.is_static
