"""From a graph to something that runs: passes, then a backend."""

from __future__ import annotations

from collections.abc import Callable

from runtime import config
from runtime.collector import rarely
from runtime.execute import Executable, plan, reference
from runtime.graph.ir import Graph
from runtime.lowering import prepare as native_code
from runtime.passes import optimize

__all__ = ["BACKENDS", "compile_graph"]

BACKENDS: dict[str, Callable[[Graph], Executable]] = {
    "native": native_code.prepare,
    "plan": plan.prepare,
    "reference": reference.prepare,
}


def compile_graph(graph: Graph, backend: str | None = None) -> Executable:
    """`graph` as a function from its raw inputs to the tuple of its raw outputs.

    `backend` is a name in `BACKENDS`; None: that of `config.backend`, or the plan where that is
    `native` and `config.native` is off.
    """
    name = backend or config.backend.value
    if backend is None and name == "native" and not config.native.value:
        name = "plan"
    if name not in BACKENDS:
        raise ValueError(f"there is no backend `{name}`; there are {', '.join(sorted(BACKENDS))}")
    with rarely:
        executable = BACKENDS[name](optimize(graph))
    config.log(4, lambda: executable.source)
    return executable
