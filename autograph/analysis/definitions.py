"""Definitions: which names are certainly bound before each node of the graph."""

from __future__ import annotations

from autograph.analysis.cfg import Graph
from autograph.analysis.dataflow import solve_forward


def solve_bound(graph: Graph, parameters: int) -> list[int]:
    """The names bound on every way to each node; on entry the parameters are."""

    def transfer(node: int, before: int) -> tuple[int, int]:
        activity = graph.activities[node]
        after = (before | activity.binds) & ~activity.deletes
        return after, before & ~activity.writes | before & after

    return solve_forward(graph, transfer, parameters, must=True)
