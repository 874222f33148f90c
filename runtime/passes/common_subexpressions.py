"""Computes once what is computed twice: equal operations on the same operands.

Left alone: effects, control flow, and arrays that somebody may come to hold (`exposed_values`),
which must stay apart. An operation that can raise is merged into an earlier one, which would have
raised the same. (The method is value numbering; J. Cocke, "Global common subexpression
elimination", 1970.)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node
from runtime.passes.uses import exposed_values, stretches

__all__ = ["merge_common_subexpressions"]

# Constants above this size are compared by identity.
_SMALL = 4096  # bytes


def merge_common_subexpressions(graph: Graph) -> Graph:
    """`graph` without the repetition of equal operations."""
    return shared(_merged)(graph)


def _merged(graph: Graph, change: Change) -> Graph:
    exposed = exposed_values(graph)
    stretch = stretches(graph.nodes)
    known: dict[Hashable, Node] = {}
    copy = Copy(graph, change)
    for position, node in enumerate(graph.nodes):
        has_pending = node.can_raise and graph.pending_for(position) is not None
        key = None if has_pending else _key(copy, node, stretch[node])
        if key is None:
            copy.keep(node)
            continue
        first = known.get(key)
        if first is None or not exposed.isdisjoint(node.outputs):
            made = copy.keep(node)
            known.setdefault(key, made)
        else:
            copy.values.update(zip(node.outputs, first.outputs, strict=True))
    return copy.finish()


def _key(copy: Copy, node: Node, stretch: int) -> Hashable:
    """Equal for nodes that compute the same; None for those that are not to be merged."""
    if node.graphs or node.op.effect is not None or not node.outputs:
        return None
    if node.op.name == "constant":
        return _constant_key(node)
    attrs = tuple(sorted(node.attrs.items()))
    try:
        hash(attrs)
    except TypeError:
        return None
    return (node.op.name, tuple(map(id, copy.mapped(node.inputs))), repr(attrs), stretch)


def _constant_key(node: Node) -> Hashable:
    value: Any = node.attrs["value"]
    if not isinstance(value, (np.ndarray, np.generic)):
        return ("constant", type(value), repr(value))
    if value.nbytes > _SMALL:
        return ("constant", id(value))
    return ("constant", value.dtype, value.shape, value.tobytes())
