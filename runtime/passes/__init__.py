"""Graph to graph, one file each. A pass never changes the graph that it is given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from runtime import config
from runtime.effects.contexts import outline_contexts
from runtime.errors import GraphError
from runtime.graph.check import Known, check
from runtime.graph.ir import Graph
from runtime.graph.show import text
from runtime.passes.algebra import simplify_arithmetic
from runtime.passes.branches import merge_branches
from runtime.passes.common_subexpressions import merge_common_subexpressions
from runtime.passes.constant_folding import fold_constants
from runtime.passes.dead_code import drop_dead_code
from runtime.passes.exact_powers import raise_exact_powers
from runtime.passes.inlining import inline_calls
from runtime.passes.layout import merge_layout_changes
from runtime.passes.loop_invariants import hoist_loop_invariants
from runtime.passes.rerolling import roll_repetitions

__all__ = [
    "PASSES",
    "PIPELINE",
    "Pass",
    "Step",
    "check_names",
    "chosen",
    "optimize",
    "switched_on",
    "traverse",
]

Pass = Callable[[Graph], Graph]

PIPELINE: tuple[Pass, ...] = (
    inline_calls,  # before those that look at one graph at a time
    fold_constants,
    raise_exact_powers,  # after folding, which finds the constant bounds of loops
    merge_layout_changes,  # before those that compare operands: fewer of them differ
    simplify_arithmetic,
    merge_common_subexpressions,  # after all that makes operations equal
    merge_branches,  # after merging: equal conditions are one
    hoist_loop_invariants,  # after merging: one capture for what is equal
    roll_repetitions,  # after merging: what all copies have in common is outside of them
    drop_dead_code,  # last: the others leave behind what nothing reads any more
)
PASSES: dict[str, Pass] = {step.__name__: step for step in PIPELINE}


class Step(NamedTuple):
    """What one pass did: numbers of nodes, those of branches and loops included."""

    name: str
    before: int
    after: int

    def __str__(self) -> str:
        return f"{self.name}: {self.before} -> {self.after} nodes"


def optimize(graph: Graph, pipeline: Sequence[Pass] | None = None) -> Graph:
    """`graph` after the passes of `pipeline`: by default, of those that are switched on.

    With `config.check`, the graph is checked before them, what is new in it after each, and all of
    it in the end; GraphError names the pass.
    """
    graph = traverse(graph, switched_on() if pipeline is None else pipeline)
    config.log(2, lambda: text(graph))
    return graph


def traverse(graph: Graph, pipeline: Sequence[Pass], steps: list[Step] | None = None) -> Graph:
    """`graph` after the passes of `pipeline`, each of which is noted in `steps`."""
    printed = frozenset(config.print_passes.value)
    check_names(printed, "print_passes", also=("all",))
    known: Known = {}
    _verify(graph, "tracing", known)
    graph = outline_contexts(graph)
    for step in pipeline:
        before, graph = graph, step(graph)
        _verify(graph, f"pass `{step.__name__}`", known)
        if step.__name__ in printed or ("all" in printed and graph is not before):
            config.show(f"before `{step.__name__}`:\n{text(before)}")
            config.show(f"after `{step.__name__}`:\n{text(graph)}")
        if steps is not None:
            steps.append(Step(step.__name__, _count(before), _count(graph)))
    if pipeline:
        _verify(graph, "a pass that changed operations of the graph it was given", {})
    return graph


def chosen(names: Collection[str]) -> list[Pass]:
    """The passes of these names; ValueError for a name that none has."""
    check_names(names, "passes")
    return [PASSES[name] for name in names]


def switched_on() -> Sequence[Pass]:
    """The passes that each graph goes through before it is run."""
    off = config.disable_passes.value
    if not off:
        return PIPELINE
    check_names(off, "disable_passes")
    return [step for step in PIPELINE if step.__name__ not in off]


def check_names(names: Collection[str], where: str, also: tuple[str, ...] = ()) -> None:
    """Raise ValueError, which names `where`, for a name that is neither a pass nor in `also`."""
    for name in names:
        if name not in PASSES and name not in also:
            listed = ", ".join((*also, *PASSES))
            raise ValueError(f"{where}: there is no pass `{name}`; there are {listed}")


def _count(graph: Graph) -> int:
    return sum(1 for _ in graph.walk())


def _verify(graph: Graph, made_by: str, known: Known) -> None:
    if not config.check.value:
        return
    try:
        check(graph, known)
    except GraphError as error:
        raise GraphError(f"after {made_by}: {error}") from error
