"""What the passes make of a graph, for its user to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.graph.ir import Graph
from runtime.graph.view import FuncGraph
from runtime.passes import Step, chosen, switched_on, traverse

__all__ = ["OptimizedGraph", "optimize"]


class OptimizedGraph(FuncGraph):
    """A graph after some passes; `steps` says what each of them did."""

    __slots__ = ("steps",)

    def __init__(self, graph: Graph, steps: Sequence[Step]) -> None:
        super().__init__(graph)
        self.steps = tuple(steps)


def optimize(graph: Any, passes: Sequence[str] | None = None) -> OptimizedGraph:
    """The graph of a concrete function after some passes; the graph itself stays as it is.

    `graph` is a ConcreteFunction or its `.graph`. `passes` are names, in order; by default the
    passes that each call runs, without those that `AUTOGRAPH_DISABLE_PASSES` names. Functions run
    their passes by themselves: this is for looking at them. Raises TypeError for what has no graph
    and ValueError for an unknown pass.

    >>> import autograph as ag
    >>> f = ag.convert(lambda x: ag.sin(x) * ag.sin(x))
    >>> better = ag.optimize(f.get_concrete_function(np.ones(3)), ["merge_common_subexpressions"])
    >>> print(*better.steps)
    merge_common_subexpressions: 3 -> 2 nodes
    >>> better.steps[0].before, better.steps[0].after
    (3, 2)
    """
    found = getattr(graph, "graph", graph)
    if not isinstance(found, Graph):
        raise TypeError(
            f"a graph is expected, or a ConcreteFunction, but {type(graph).__name__} was given; "
            "`f.get_concrete_function(...)` gives one"
        )
    if isinstance(passes, str):
        raise TypeError(f"passes is a list of names: [{passes!r}]")
    steps: list[Step] = []
    made = traverse(found, switched_on() if passes is None else chosen(passes), steps)
    return OptimizedGraph(made, steps)
