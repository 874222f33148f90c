"""The stages of native code as text."""

from __future__ import annotations

from runtime.execute.native import engine
from runtime.graph.ir import Graph
from runtime.lowering.entry import module_text
from runtime.lowering.kernels.show import text
from runtime.lowering.kernels.state import functional, has_variables
from runtime.lowering.lower import lower

__all__ = ["native_text"]


def native_text(graph: Graph, stage: str) -> str:
    """The kernels of a graph, their LLVM IR, or the instructions of this machine.

    Raises Refusal where the graph has no native form, and says why.
    """
    if has_variables(graph):
        found = functional(graph, shares=True)
        program = lower(found.graph, contents=found.contents)
    else:
        program = lower(graph)
    if stage == "kernels":
        return text(program)
    module = module_text(program)
    return module if stage == "llvm" else engine.assembly(module)
