"""The native backend: a graph as one native function where it has a native form, else its plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from runtime.execute import Executable, plan
from runtime.execute.native.library import Unavailable
from runtime.execute.native.planned import Planned, part_op
from runtime.execute.native.prepared import Code, Made, Native, Place, problem
from runtime.execute.native.stateful import Stateful, again
from runtime.graph.ir import Graph
from runtime.lowering.entry import module_text, outside, signature
from runtime.lowering.kernels.kernel import Watcher
from runtime.lowering.kernels.refusal import Refusal, TooLarge
from runtime.lowering.kernels.state import functional, has_variables, writing_once
from runtime.lowering.lower import lower
from runtime.lowering.nodes.call_outs import calls_python
from runtime.lowering.partition import Budget, PartOp, is_worth_it, part

__all__ = ["prepare"]

# Makes what watches a program being made.
Timing: TypeAlias = Callable[[], Watcher] | None


def prepare(graph: Graph, timing: Timing = None) -> Executable:
    """`graph` as native code, or as a plan that says why not."""
    reason = problem()
    if reason is not None:
        return Planned(plan.prepare(graph), reason)
    try:
        return _prepared(graph, timing)
    except Unavailable as error:
        return Planned(plan.prepare(graph), str(error))


def _prepared(graph: Graph, timing: Timing) -> Executable:
    """`graph` as native code as a whole, or as a plan with native parts."""
    parts: list[tuple[Native | Stateful, Graph]] = []
    budget = Budget(graph)

    def compile_part(inner: Graph) -> PartOp:
        made = _whole(inner, timing, budget)
        parts.append((made, inner))
        return partial(part_op, len(parts) - 1, made)

    try:
        if calls_python(graph.nodes) and not is_worth_it(graph.nodes):
            raise Refusal("it has little to compute beside what Python does")
        return _whole(graph, timing, budget)
    except Refusal as refusal:
        whole, too_large = str(refusal), refusal if isinstance(refusal, TooLarge) else None
        if too_large is not None and not too_large.fitting:
            return Planned(plan.prepare(graph), whole, graph)
        parted = part(graph, compile_part, budget, too_large)
    # Where each node has a native form, and all together have none, that is the reason.
    rest, reasons = "rest" if parted.reasons else "whole", "; ".join(parted.reasons) or whole
    if parts:
        reasons = f"{len(parts)} part(s) are native code; the {rest} is not: {reasons}"
    return Planned(plan.prepare(parted.graph), reasons, parted.graph, parts)


def _whole(graph: Graph, timing: Timing, budget: Budget) -> Native | Stateful:
    """`graph` as one native function; Refusal where it has no native form."""
    return (_stateful if has_variables(graph) else _native)(graph, timing, budget)


def _stateful(graph: Graph, timing: Timing, budget: Budget) -> Stateful:
    """A graph with variables on their contents, if it can do what else it does."""
    writing = writing_once(graph)
    found = functional(writing, shares=True)
    return Stateful(
        _native(found.graph, timing, budget, again, found.contents, repeats=not found.shares),
        partial(plan.prepare, writing),
        found.variables,
        found.assigned,
        found.drawn,
        len(graph.outputs),
        writing=None if writing is graph else writing,
        shares=found.shares,
    )


def _native(
    graph: Graph,
    timing: Timing,
    budget: Budget,
    other: Executable | None = None,
    contents: Sequence[tuple[int, int]] = (),
    *,
    repeats: bool = False,
) -> Native:
    """`graph` as one native function; Refusal where it has no native form.

    `other`, or its plan, does what it cannot do, and raises its errors if it `repeats` the call;
    `contents` are inputs that may be overwritten.
    """
    program = lower(graph, None if timing is None else timing(), contents, budget.left)
    budget.left -= program.cost
    places = [Place(s.node, s.origins, s.is_complete) for s in program.sites]
    is_pending = any(node.op.name == "pending" for node in graph.walk())
    repeats = repeats or (is_pending and not program.has_effects)
    made = Made(module_text(program), places)
    return Native(
        Code.of(
            made.text,
            signature(program),
            program.constants,
            repeats=repeats,
            overwritten=tuple(program.overwritten),
        ),
        lambda: made,
        partial(plan.prepare, graph) if other is None else lambda: other,
        graph.name,
        outside(program, repeats),
    )
