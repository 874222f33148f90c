"""Gradient rules of `cond`, `call` and `custom_gradient` nodes.

The backward pass of a branch is a branch on the same predicate. Both forward branches hand over the
residuals of both backward ones; what a branch has not computed is missing there and never read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime import ops
from runtime.autodiff.cotangents import conform, cotangent_type, zero
from runtime.autodiff.emission import as_value, builder_now, emit, export, loop_invariant
from runtime.autodiff.linearize import linearize
from runtime.autodiff.presence import FLAG, Possible, Presence, flag_of, plain, with_presence
from runtime.autodiff.sweep import Asked
from runtime.autodiff.transpose import Reopened, Transposed, active_values, reached_inputs
from runtime.building import Builder, traced
from runtime.effects.control import CALL, COND
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType

__all__ = ["Branches", "call_rule", "cond_rule", "custom_rule", "pull_branches"]


def cond_rule(node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]:
    """A cond of the transposed branches; adjoints so far of its inputs go through it."""
    forward = Branches(node, owner, node.graphs, node.inputs[1:], node.outputs)
    predicate = builder_now().capture(node.inputs[0])
    return [None, *pull_branches(forward, predicate, gs, asked.from_input(1))]


class Branches(NamedTuple):
    """Two graphs of which `node`, in the graph of `owner`, ran one; what they took and gave."""

    node: Node
    owner: Builder
    graphs: Sequence[Graph]
    inputs: list[Value]
    outputs: list[Value]


def pull_branches(forward: Branches, predicate: Value, gs: list[Any], asked: Asked) -> list[Any]:
    """Adjoints of the inputs: a cond on `predicate` of the transposed branches."""
    graphs, sums = forward.graphs, asked.sums
    given = [j for j, g in enumerate(gs) if g is not None]
    moved = _reached(graphs, given, asked.wanted)
    known = [m for m in moved if sums[m] is not None]
    heeded = [m for m in moved if asked.heeded[m]]
    possible = [j for j in given if isinstance(gs[j], Possible)]
    types = {j: forward.outputs[j].type for j in given}
    parts = [Transposed(Reopened(g), types, moved, known, possible, heeded) for g in graphs]
    presences = [_presence(predicate, parts, m) if m in heeded else True for m in moved]
    flagged = [m for m, present in zip(moved, presences, strict=True) if present is None]
    places = [_residuals(forward, side, parts[side], moved, flagged) for side in (0, 1)]
    captures = dict.fromkeys([*places[0], *places[1]])
    operands = [as_value(conform(plain(gs[j]), forward.outputs[j].type)) for j in given]
    operands += [as_value(conform(sums[m], graphs[0].inputs[m].type)) for m in known]
    operands += [flag_of(gs[j].present) for j in possible]
    for part, found in zip(parts, places, strict=True):
        own = [*part.cotangents.values(), *part.sums.values(), *part.flags.values()]
        part.builder.graph.inputs = own + [found.get(v) or Value(v.type) for v in captures]
    types_out = [cotangent_type(graphs[0].inputs[m].type) for m in moved] + [FLAG] * len(flagged)
    backward = [part.builder.graph for part in parts]
    results = emit(COND, [predicate, *operands, *captures], {}, backward, types_out)
    flags = dict(zip(flagged, results[len(moved) :], strict=True))
    totals: list[Any] = [None] * len(forward.inputs)
    for m, total, present in zip(moved, results, presences, strict=False):
        totals[m] = with_presence(total, flags[m] if present is None else present)
    return totals


def _presence(predicate: Value, parts: Sequence[Transposed], m: int) -> Presence | None:
    """Whether anything arrives at an input; None where the branches have to tell."""
    yes, no = (part.presences.get(m, False) for part in parts)
    if not (isinstance(yes, bool) and isinstance(no, bool)):
        return None
    if yes is no:
        return yes
    type_ = predicate.type
    if not isinstance(type_, TensorType) or type_.shape != () or type_.dtype.kind != "b":
        return None
    taken = traced(predicate)
    return taken if yes else ops.logical_not(taken)


def _reached(graphs: Sequence[Graph], given: list[int], wanted: list[bool]) -> list[int]:
    """Positions of the inputs that cotangents of the given outputs may come to."""
    found: set[int] = set()
    for graph in graphs:
        positions = {graph.inputs[m]: m for m, asked in enumerate(wanted) if asked}
        active = active_values(graph, positions)
        ends = [graph.outputs[j] for j in given]
        found.update(positions[v] for v in reached_inputs(graph, ends, active))
    return sorted(found)


def _residuals(
    forward: Branches, side: int, part: Transposed, moved: list[int], flagged: list[int]
) -> dict[Value, Value]:
    """Own input of a backward branch for each value of the current graph that it reads."""
    graph = forward.graphs[side]
    outers = dict(zip(graph.inputs, forward.inputs, strict=True))
    results = zip(graph.outputs, forward.outputs, strict=False)
    exported = {inner: outer for inner, outer in results if inner.type == outer.type}
    found: dict[Value, Value] = {}
    same: dict[Value, Value] = {}
    for value, own in part.finish([*part.filled(moved), *part.told(flagged)]):
        known = loop_invariant(value, outers)
        if known is None:
            if value not in exported:
                exported[value] = _hand_over(forward, side, value)
            known = builder_now().capture(exported[value])
        same[own] = found.setdefault(known, own)
    part.substitute(same)
    return found


def _hand_over(forward: Branches, side: int, value: Value) -> Value:
    """A new result of the node: `value` of one branch, missing in the other."""
    node, other = forward.node, forward.graphs[1 - side]
    missing = Node(ops.missing.op, (), {"type": value.type}, (), (value.type,), node.origin)
    other.nodes.append(missing)
    other.outputs.append(missing.outputs[0])
    forward.graphs[side].outputs.append(value)
    return export(forward.owner, node, value.type)


def call_rule(node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]:
    """A call of the backward graph; the node calls the forward graph from now on."""
    given = tuple(j for j, g in enumerate(gs) if g is not None)
    possible = tuple(j for j in given if isinstance(gs[j], Possible))
    wanted = tuple(m for m, w in enumerate(asked.wanted) if w)
    heeded = tuple(m for m in wanted if asked.heeded[m])
    parts = linearize(node.graphs[0], wanted, given, possible, heeded)
    node.graphs = [parts.forward]
    for value in parts.forward.outputs[len(node.outputs) :]:
        export(owner, node, value.type)
    now = builder_now()
    inputs = [
        now.capture((node.inputs if source == "input" else node.outputs)[i])
        for source, i in parts.residuals
    ]
    inputs += [as_value(conform(plain(gs[j]), parts.forward.outputs[j].type)) for j in given]
    inputs += [flag_of(gs[j].present) for j in parts.possible]
    types = [v.type for v in parts.backward.outputs]
    results = emit(CALL, inputs, {}, [parts.backward], types)
    return asked.totals(parts.with_flags(results))


def custom_rule(node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]:
    """A call of the backward graph that the user's rule was traced to."""
    (graph,) = node.graphs
    count, targets = node.attrs["results"], node.attrs["targets"]
    now = builder_now()
    cotangents = [
        as_value(
            conform(plain(g), v.type) if g is not None else zero(cotangent_type(v.type), traced(v))
        )
        for g, v in zip(gs, node.outputs, strict=True)
    ]
    others = [now.capture(v) for v in node.inputs[count:]]
    types = [v.type for v in graph.outputs]
    results = emit(CALL, [*cotangents, *others], {}, [graph], types)
    return asked.totals(zip(targets, results, strict=True))
