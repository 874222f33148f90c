"""Graph to graph, one file each. A pass never changes the graph that it is given."""

from __future__ import annotations

from collections.abc import Callable

from runtime import config
from runtime.errors import GraphError
from runtime.graph.check import check
from runtime.graph.ir import Graph
from runtime.graph.show import text
from runtime.passes.constant_folding import fold_constants
from runtime.passes.contexts import outline_contexts
from runtime.passes.dead_code import drop_dead_code
from runtime.passes.exact_powers import raise_exact_powers

__all__ = ["PIPELINE", "Pass", "optimize"]

Pass = Callable[[Graph], Graph]

PIPELINE: tuple[Pass, ...] = (
    outline_contexts,  # first: what is inside of a manager stays inside
    fold_constants,
    raise_exact_powers,  # after folding, which finds the constant bounds of loops
    drop_dead_code,  # last: the others leave behind what nothing reads any more
)


def optimize(graph: Graph, pipeline: tuple[Pass, ...] = PIPELINE) -> Graph:
    """`graph` after the passes of `pipeline`.

    With `config.check`, the graph is checked before them and after each; GraphError names the pass.
    """
    _verify(graph, "tracing")
    for step in pipeline:
        graph = step(graph)
        _verify(graph, f"pass `{step.__name__}`")
    config.log(2, lambda: text(graph))
    return graph


def _verify(graph: Graph, made_by: str) -> None:
    if not config.check.value:
        return
    try:
        check(graph)
    except GraphError as error:
        raise GraphError(f"after {made_by}: {error}") from error
