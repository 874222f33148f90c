"""Merges chains of transposes, reshapes, broadcasts and casts that change nothing.

Two transposes are one, or none; of two reshapes the second decides; what already has the shape or
dtype asked for stays as it is. Where somebody comes to hold the result (`exposed_values`) all of
them stay: a reshape of a reshape may be a copy where a single one is a view. Shapes that are known
only at run time are left alone. A stack of parts that follow each other in an array is a copy of a
slice: `np.stack([x[0], x[1], ...])`, as many as the tuples of a list that is sorted.
"""

from __future__ import annotations

from typing import Any

from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.declare import REGISTRY
from runtime.passes.uses import Writes, apart
from runtime.spec import TensorType

__all__ = ["merge_layout_changes"]

# All that is looked at here: of some, two in a row are merged, too (`_CHAINS`).
_SAME_WHEN_TYPED_SO = frozenset(("reshape", "broadcast_to", "astype", "permute_dims", "sum_to"))
_LOOKED_AT = _SAME_WHEN_TYPED_SO | {"stack"}


def merge_layout_changes(graph: Graph) -> Graph:
    """`graph` with fewer nodes that only rearrange."""
    if not any(node.op.name in _LOOKED_AT for node in graph.walk()):
        return graph
    writes = Writes()
    return shared(lambda graph, change: _merged(graph, change, writes))(graph)


def _merged(graph: Graph, change: Change, writes: Writes) -> Graph:
    kept = apart(graph, writes)
    copy = Copy(graph, change)
    for node in graph.nodes:
        rule = _CHAINS.get(node.op.name)
        made = None if rule is None or node.outputs[0] in kept else rule(copy, node)
        if node.op.name == "stack" and not writes.within(graph):
            made = _sliced(copy, node)
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


# Of fewer parts it is no matter.
_LEAST = 8


def _sliced(copy: Copy, node: Node) -> Node | None:
    """A copy of a slice instead of a stack of the parts in it."""
    if node.attrs["axis"] != 0 or len(node.inputs) < _LEAST or not _is_static(node.outputs[0]):
        return None
    roots, paths = zip(*(_path(copy.value(value)) for value in node.inputs), strict=True)
    type_: Any = node.outputs[0].type
    whole: Any = roots[0].type
    if len({*roots}) > 1 or len({*map(len, paths)}) > 1 or not _is_static(roots[0]):
        return None
    if whole != TensorType(type_.dtype, whole.shape, device=type_.device):
        return None
    axes = list(zip(*paths, strict=True))
    moving = [k for k, axis in enumerate(axes) if len({*axis}) > 1]
    if len(moving) != 1:
        return None
    begin, second, *_ = steps = axes[moving[0]]
    step = second - begin
    if step not in (1, -1) or steps != tuple(begin + step * k for k in range(len(steps))):
        return None
    end = begin + step * len(steps)
    part = ("slice", begin, None if end < 0 else end, None if step == 1 else step)
    index = tuple(part if k in moving else ("int", axis[0]) for k, axis in enumerate(axes))
    ops = (REGISTRY[name].op for name in ("getitem", "copy"))
    cut = Node(next(ops), [roots[0]], {"index": index}, types=[type_], origin=node.origin)
    copy.nodes.append(cut)
    return Node(next(ops), cut.outputs, {}, types=[type_], origin=node.origin)


def _path(value: Value) -> tuple[Value, tuple[int, ...]]:
    """An array and the numbers, one for each of its first axes, under which a part is in it."""
    found: tuple[int, ...] = ()
    while value.node is not None and value.node.op.name == "getitem":
        index = value.node.attrs["index"]
        if len(value.node.inputs) > 1 or any(e[0] != "int" or e[1] < 0 for e in index):
            break
        value, found = value.node.inputs[0], (*(e[1] for e in index), *found)
    return value, found


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
