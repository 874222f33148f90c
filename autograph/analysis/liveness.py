"""Liveness: which names may still be read, before each node of the graph."""

from __future__ import annotations

from autograph.analysis.cfg import Graph
from autograph.analysis.dataflow import solve_backward, solve_forward


def solve_liveness(graph: Graph, always: int) -> list[int]:
    """The names live before each node.

    A name that a closure captured stays live after the closure was made: nobody knows when it
    runs. The names in `always` belong to other scopes and are live everywhere.
    """

    def transfer(node: int, after: int, at_handler: int) -> int:
        activity = graph.activities[node]
        killed = activity.binds | activity.deletes
        return activity.reads | (after & ~killed) | at_handler

    read_later = solve_backward(graph, transfer)
    captured = _captured_before(graph)
    return [live | held | always for live, held in zip(read_later, captured, strict=True)]


def _captured_before(graph: Graph) -> list[int]:
    if not any(activity.captures for activity in graph.activities):
        return [0] * len(graph)

    def transfer(node: int, before: int) -> tuple[int, int]:
        held = before | graph.activities[node].captures
        return held, held

    return solve_forward(graph, transfer, 0, must=False)
