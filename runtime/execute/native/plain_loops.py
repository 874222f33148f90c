"""How much of a plan native code does, and whether Python would do its loops as well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType

__all__ = ["LOOPS", "elements", "has_loops", "inside", "loops_in_python", "work"]

LOOPS, _FREE = ("while", "recursion"), ("constant", "pending")
# An operation on a large array counts for so many: a loop of several of them saves memory that
# plans go through. Where only the call tells how many elements there are, so many are counted.
_OF_ARRAY, _LARGE, _UNKNOWN = 4, 1024, 10_000


def work(nodes: Iterable[Node]) -> int:
    """One for each node, and more for one of large arrays."""
    return sum(_OF_ARRAY if _is_large(n) else n.op.name not in _FREE for n in nodes)


def has_loops(graph: Graph) -> bool:
    """Whether a plan goes through a loop, or calls itself, node by node."""
    return any(node.op.name in LOOPS for node in graph.walk())


def loops_in_python(graph: Graph, parts: Sequence[Graph]) -> bool:
    """Whether a plan has loops in which it does mostly what plain Python does, node by node.

    `graph` is that of the plan, whose nodes call the native `parts`. A part that is a loop is no
    such thing, and none that saves as much as the nodes of the plan cost. But where a function that
    calls itself changes an array, the parts within it would copy that in each call.
    """
    ours = python = 0
    for node in graph.walk():
        if node.op.name not in LOOPS:
            continue
        if node.op.name == "recursion" and any(_has_axes(value) for value in node.outputs):
            return True
        within = inside(node)
        called = [parts[n.op.options["part"][0]] for n in within if n.op.name == "native"]
        if any(n.op.name in LOOPS for inner in called for n in inner.walk()):
            return False
        ours += sum(work(inner.walk()) for inner in called)
        python += sum(n.op.name not in _FREE for n in within)
    return 2 * python > ours


def inside(node: Node) -> list[Node]:
    """The nodes of the graphs of a node."""
    return [inner for graph in node.graphs for inner in graph.walk()]


def _is_large(node: Node) -> bool:
    return elements(node) >= _LARGE


def elements(node: Node) -> int:
    """How many elements a node takes and gives, but for the smaller ones of its arrays."""
    types = [v.type for v in (*node.inputs, *node.outputs) if isinstance(v.type, TensorType)]
    sizes = (math.prod(n or 0 for n in t.shape or ()) if t.is_static else _UNKNOWN for t in types)
    return max(sizes, default=0)


def _has_axes(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.shape != ()
