"""The native backend: a graph as one native function where it has a native form, else its plan."""

from __future__ import annotations

from functools import partial
from typing import Any

from runtime.execute import Executable, plan
from runtime.execute.native import engine, layout
from runtime.execute.native.prepared import Native, Place
from runtime.graph.ir import Graph
from runtime.lowering.entry import module_text, signature
from runtime.lowering.lower import lower
from runtime.lowering.partition import part
from runtime.lowering.refusal import Refusal, TooLarge

__all__ = ["Planned", "prepare", "problem"]


class Planned:
    """A plan in the place of native code, and the reason why there is none."""

    def __init__(self, run: Executable, reason: str) -> None:
        self._run = run
        self.reason = reason

    @property
    def source(self) -> str:
        """The plan."""
        return self._run.source

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        return self._run(*inputs)


def problem() -> str | None:
    """Why there is no native code in this process; None where there is."""
    return layout.problem() or engine.problem()


def prepare(graph: Graph) -> Executable:
    """`graph` as native code, or as a plan that says why not."""
    reason = problem()
    if reason is not None:
        return Planned(plan.prepare(graph), reason)
    try:
        return _prepared(graph)
    except (TooLarge, engine.Unavailable) as error:
        return Planned(plan.prepare(graph), str(error))


def _prepared(graph: Graph) -> Executable:
    """`graph` as native code as a whole, or as a plan with native parts."""
    try:
        return _native(graph)
    except TooLarge:
        raise
    except Refusal:
        parted = part(graph, lambda inner: _native(inner).call)
    reasons = "; ".join(parted.reasons)
    if parted.parts:
        reasons = f"{parted.parts} part(s) are native code; the rest is not: {reasons}"
    return Planned(plan.prepare(parted.graph), reasons)


def _native(graph: Graph) -> Native:
    """`graph` as one native function; Refusal where it has no native form."""
    program = lower(graph)
    places = [Place(s.node, s.origins, s.is_complete) for s in program.sites]
    repeats = any(node.op.name == "pending" for node in graph.walk())
    text = module_text(program)
    fallback = partial(plan.prepare, graph)
    return Native(
        text,
        signature(program),
        places,
        fallback,
        graph.name,
        constants=program.constants,
        repeats=repeats,
    )
