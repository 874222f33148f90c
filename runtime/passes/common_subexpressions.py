"""Computes once what is computed twice: equal operations on the same operands.

Left alone: effects, control flow, and arrays that must stay apart, because somebody may come to
hold them (`exposed_values`) or they are read after a write (`read_late`). An operation that can
raise is merged into an earlier one, which would have raised the same; what was pending for it goes
too. (The method is value numbering; J. Cocke, "Global common subexpression elimination", 1970.)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.uses import exposed_values, gives_numbers, read_late, stretches
from runtime.spec import TensorType

__all__ = ["merge_common_subexpressions"]

# Constants above this size are compared by identity.
_SMALL = 4096  # bytes


def merge_common_subexpressions(graph: Graph) -> Graph:
    """`graph` without the repetition of equal operations."""
    return shared(_merged)(graph)


def _merged(graph: Graph, change: Change) -> Graph:
    stretch = stretches(graph.nodes)
    apart = exposed_values(graph) | read_late(graph, stretch)
    known: dict[Hashable, Node] = {}
    copy = Copy(graph, change)
    for node in graph.nodes:
        key = _key(node, copy.mapped(node.inputs), stretch[node])
        first = None if key is None else known.get(key)
        if first is not None and (apart.isdisjoint(node.outputs) or gives_numbers(node)):
            copy.drop_pending(node)
            copy.replace(node.outputs, first.outputs)
            continue
        made = copy.keep(node)
        if key is not None:
            known.setdefault(key, made)
    return copy.finish()


def _key(node: Node, inputs: Sequence[Value], stretch: int) -> Hashable:
    """Equal for nodes that compute the same; None for those that are not to be merged."""
    op = node.op
    if node.graphs or op.effect is not None or not node.outputs:
        return None
    if op.name == "constant":
        return _constant_key(node.attrs["value"])
    types = tuple([value.type for value in node.outputs])
    if any(type(t) is not TensorType for t in types):
        return None
    if not node.attrs:
        return (op, *inputs, types, node.signals, stretch)
    attrs = tuple(sorted(node.attrs.items()))
    try:
        hash(attrs)
    except TypeError:
        return None
    # Equal is not the same: 0.0 and -0.0, 1 and True.
    return (op, *inputs, attrs, repr(attrs), types, node.signals, stretch)


def _constant_key(value: Any) -> Hashable:
    if not isinstance(value, (np.ndarray, np.generic)):
        return ("constant", type(value), repr(value))
    if value.nbytes > _SMALL:
        return ("constant", id(value))
    return ("constant", value.dtype, value.shape, value.tobytes())
