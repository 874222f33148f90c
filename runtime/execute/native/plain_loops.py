"""How much of a plan native code does, and whether Python would do the rest as well."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from runtime.errors import Origin
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType

__all__ = ["LOOPS", "calls_outweigh", "elements", "has_loops", "inside", "is_done_as_in_python",
           "work"]  # fmt: skip

LOOPS, _FREE = ("while", "recursion"), ("constant", "pending")
# An operation on a large array counts for so many: a loop of several of them saves memory that
# plans go through. Where only the call tells how many elements there are, so many are counted.
_OF_ARRAY, _LARGE, _UNKNOWN = 4, 1024, 10_000
# What Python takes for an operation on an array, a plan for a node beyond that, and native code for
# a call of Python, where an operation of Python's on numbers takes one.
_OF_NUMPY, _OF_NODE, _OF_CALL = 15, 20, 60
# So many rounds a loop has at least, or Python would have gone through it while it was traced.
_ROUNDS = 16


def work(nodes: Iterable[Node]) -> int:
    """One for each node, and more for one of large arrays."""
    return sum(_OF_ARRAY if _is_large(n) else n.op.name not in _FREE for n in nodes)


def has_loops(graph: Graph) -> bool:
    """Whether a plan goes through a loop, or calls itself, node by node."""
    return any(node.op.name in LOOPS for node in graph.walk())


def is_done_as_in_python(graph: Graph, parts: Sequence[Graph]) -> bool:
    """Whether a plan does mostly what plain Python does, node by node: in its loops, if it has any.

    `graph` is that of the plan, whose nodes call the native `parts`. A part that is a loop is no
    such thing, and none that saves as much as the nodes of the plan cost. But where a function that
    calls itself changes an array, the parts within it would copy that in each call.
    """
    ours = python = 0
    loops = [node for node in graph.walk() if node.op.name in LOOPS]
    for node in loops:
        if node.op.name == "recursion" and any(_has_axes(value) for value in node.outputs):
            return True
        within = inside(node)
        called = _called(within, parts)
        if any(n.op.name in LOOPS for n in called):
            return False
        ours += work(called)
        python += sum(n.op.name not in _FREE for n in within)
    if loops:
        return 2 * python > ours
    nodes = [node for node in graph.walk() if node.op.name not in _FREE]
    called = _called(nodes, parts)
    has_loop = any(node.op.name in LOOPS for node in called)
    return not has_loop and len(nodes) * _OF_NODE > _saved(called)


def calls_outweigh(graph: Graph, calls: Collection[Origin]) -> bool:
    """Whether native code takes longer for calls of Python, there, than it saves beside them.

    A loop without a branch has as many of both in each round.
    """
    kinds = {node.op.name for node in graph.walk()}
    if "cond" in kinds and not kinds.isdisjoint(LOOPS):
        return False  # calls may be rare
    loops = [node for node in graph.nodes if node.op.name in LOOPS]
    repeated = [node for loop in loops for node in inside(loop)]
    lines = {node.origin for node in repeated}
    again = sum(origin in lines for origin in calls)
    saved = _saved(graph.walk()) + (_ROUNDS - 1) * _saved(repeated)
    return (len(calls) + (_ROUNDS - 1) * again) * _OF_CALL > saved


def _called(nodes: Iterable[Node], parts: Sequence[Graph]) -> list[Node]:
    """The nodes of the parts that are called."""
    called = [parts[n.op.options["part"][0]] for n in nodes if n.op.name == "native"]
    return [node for graph in called for node in graph.walk()]


def _saved(nodes: Iterable[Node]) -> int:
    """What Python takes for them."""
    return sum(work([n]) * (_OF_NUMPY if _is_of_numpy(n) else 1) for n in nodes if not n.graphs)


def _is_of_numpy(node: Node) -> bool:
    """Whether it is an operation on an array, and takes more than a number out of it."""
    if node.op.name == "getitem" and not any(map(_has_axes, node.outputs)):
        return False
    return any(map(_has_axes, (*node.inputs, *node.outputs)))


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
