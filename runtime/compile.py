"""From a graph to something that runs: passes, then a backend."""

from __future__ import annotations

from collections.abc import Callable

from runtime import config, slow, warm_up
from runtime.execute import Executable, plan, reference
from runtime.execute.observers import observer, timed_kernels
from runtime.graph.ir import Graph
from runtime.passes import optimize
from runtime.process.collector import rarely
from runtime.process.forks import whole
from runtime.process.later import later
from runtime.process.recursion_limit import roomy

__all__ = ["BACKENDS", "NATIVE_STAGES", "compile_graph", "native_text"]

# Stages of native code that can be shown.
NATIVE_STAGES = ("kernels", "llvm", "asm")


def _native(graph: Graph) -> Executable:
    """The native backend; what it is made of is imported for the first graph, or ahead of it."""
    warm_up.wait()
    times = timed_kernels()
    if times is not None:
        made: Executable = later("runtime.lowering.timed").prepare(graph, times)
    else:
        made = later("runtime.lowering.prepare").prepare(graph)
    return made


def _found(graph: Graph) -> Executable:
    """The native code of a graph as it was traced: kept by another process, or made."""
    warm_up.wait()
    kept = later("runtime.lowering.kept")
    key = None if timed_kernels() is not None else kept.key(graph)
    found: Executable | None = None if key is None else kept.find(key, graph, _optimized)
    if found is None:
        found = _optimized(graph)
        if key is not None:
            kept.keep(key, graph, found)
    return found


def _optimized(graph: Graph) -> Executable:
    return BACKENDS["native"](optimize(graph))


def native_text(graph: Graph, stage: str) -> str:
    """A stage of native code as text; raises Refusal for a graph that has no native form."""
    warm_up.wait()
    return str(later("runtime.lowering.stages").native_text(graph, stage))


BACKENDS: dict[str, Callable[[Graph], Executable]] = {
    "native": _native,
    "plan": plan.prepare,
    "reference": reference.prepare,
}


@roomy
def compile_graph(graph: Graph, backend: str | None = None) -> Executable:
    """`graph` as a function from its raw inputs to the tuple of its raw outputs.

    `backend` is a name in `BACKENDS`; None: that of `config.backend`, or the plan where that is
    `native` and `config.native` is off. Where nodes are observed, it runs node by node.
    """
    name = backend or config.backend.value
    if backend is None and name == "native" and not config.native.value:
        name = "plan"
    if name not in BACKENDS:
        raise ValueError(f"there is no backend `{name}`; there are {', '.join(sorted(BACKENDS))}")
    with whole, slow.compiling(graph), rarely:
        observed = observer()
        if observed is not None:
            return reference.prepare(optimize(graph), observed)
        executable = _found(graph) if name == "native" else BACKENDS[name](optimize(graph))
    config.log(4, lambda: executable.source)
    return executable
