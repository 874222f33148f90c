"""From a graph to something that runs: passes, then a backend."""

from __future__ import annotations

from collections.abc import Callable

from runtime import config
from runtime.collector import rarely
from runtime.execute import Executable, plan, reference
from runtime.graph.ir import Graph
from runtime.passes import optimize

__all__ = ["BACKENDS", "compile_graph"]

BACKENDS: dict[str, Callable[[Graph], Executable]] = {
    "plan": plan.prepare,
    "reference": reference.prepare,
}


def compile_graph(graph: Graph, backend: str | None = None) -> Executable:
    """`graph` as a function from its raw inputs to the tuple of its raw outputs.

    `backend` is a name in `BACKENDS`; None: that of `config.backend`.
    """
    name = config.backend.value if backend is None else backend
    if name not in BACKENDS:
        raise ValueError(f"there is no backend `{name}`; there are {', '.join(sorted(BACKENDS))}")
    with rarely:
        executable = BACKENDS[name](optimize(graph))
    config.log(4, lambda: executable.source)
    return executable
