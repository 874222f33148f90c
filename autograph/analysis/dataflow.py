"""The one solver of dataflow problems: sets of names as bit masks, flowing along a graph."""

from __future__ import annotations

from collections.abc import Callable

from autograph.analysis.cfg import Graph

Backward = Callable[[int, int, int], int]
"""(node, joined over what follows, at the handler of exceptions) to the value before the node."""

Forward = Callable[[int, int], tuple[int, int]]
"""(node, value before it) to (value after it, value on the way to a handler)."""


def solve_backward(graph: Graph, transfer: Backward) -> list[int]:
    """The least masks before each node, where flows that meet are united.

    Rounds go against program order, so that a program without loops needs one round, and each
    level of nested loops one more.
    """
    before = [0] * len(graph)
    changed = True
    while changed:
        changed = False
        for node in range(len(graph) - 1, -1, -1):
            after = 0
            for following in graph.successors[node]:
                after |= before[following]
            handler = graph.handler[node]
            value = transfer(node, after, 0 if handler is None else before[handler])
            if value != before[node]:
                before[node] = value
                changed = True
    return before


def solve_forward(graph: Graph, transfer: Forward, start: int, *, must: bool) -> list[int]:
    """The masks before each node: the least union, or with `must` the greatest intersection.

    Nodes that nothing reaches have no bit.
    """
    before: list[int | None] = [None] * len(graph)
    before[graph.entry] = start
    changed = True
    while changed:
        changed = False
        for node in range(len(graph)):
            value = before[node]
            if value is None:
                continue
            after, at_handler = transfer(node, value)
            for target in graph.successors[node]:
                changed |= _join(before, target, after, must)
            handler = graph.handler[node]
            if handler is not None:
                changed |= _join(before, handler, at_handler, must)
    return [value or 0 for value in before]


def _join(before: list[int | None], target: int, value: int, must: bool) -> bool:
    """Lets a value flow into a node; says whether that changed what is known before it."""
    known = before[target]
    joined = value if known is None else known & value if must else known | value
    before[target] = joined
    return joined != known
