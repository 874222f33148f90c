"""Gradient rules of `cond`, `call` and `custom_gradient` nodes.

The backward pass of a branch is a branch on the same predicate. Both forward branches hand over the
residuals of both backward ones; what a branch has not computed is missing there and never read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime import ops
from runtime.autodiff.cotangents import add, conform, cotangent_type, zero
from runtime.autodiff.emission import as_value, builder_now, emit, export, loop_invariant
from runtime.autodiff.linearize import linearize
from runtime.autodiff.transpose import Reopened, Transposed, active_values, reached_inputs
from runtime.building import Builder, traced
from runtime.control import CALL, COND
from runtime.graph.ir import Graph, Node, Value

__all__ = ["Branches", "call_rule", "cond_rule", "custom_rule", "pull_branches"]


def cond_rule(
    node: Node, owner: Builder, gs: list[Any], wanted: list[bool], sums: list[Any]
) -> list[Any]:
    """A cond of the transposed branches; adjoints so far of its inputs go through it."""
    forward = Branches(node, owner, node.graphs, node.inputs[1:], node.outputs)
    predicate = builder_now().capture(node.inputs[0])
    return [None, *pull_branches(forward, predicate, gs, wanted[1:], sums[1:])]


class Branches(NamedTuple):
    """Two graphs of which `node`, in the graph of `owner`, ran one; what they took and gave."""

    node: Node
    owner: Builder
    graphs: Sequence[Graph]
    inputs: list[Value]
    outputs: list[Value]


def pull_branches(
    forward: Branches, predicate: Value, gs: list[Any], wanted: list[bool], sums: list[Any]
) -> list[Any]:
    """Adjoints of the inputs: a cond on `predicate` of the transposed branches."""
    graphs = forward.graphs
    given = [j for j, g in enumerate(gs) if g is not None]
    moved = _reached(graphs, given, wanted)
    known = [m for m in moved if sums[m] is not None]
    types = {j: forward.outputs[j].type for j in given}
    parts = [Transposed(Reopened(g), types, moved, accumulated=known) for g in graphs]
    places = [_residuals(forward, side, parts[side], moved) for side in (0, 1)]
    captures = dict.fromkeys([*places[0], *places[1]])
    operands = [as_value(conform(gs[j], forward.outputs[j].type)) for j in given]
    operands += [as_value(conform(sums[m], graphs[0].inputs[m].type)) for m in known]
    for part, found in zip(parts, places, strict=True):
        own = [*part.cotangents.values(), *part.sums.values()]
        part.builder.graph.inputs = own + [found.get(v) or Value(v.type) for v in captures]
    types_out = [cotangent_type(graphs[0].inputs[m].type) for m in moved]
    backward = [part.builder.graph for part in parts]
    results = emit(COND, [predicate, *operands, *captures], {}, backward, types_out)
    totals: list[Any] = [None] * len(forward.inputs)
    for m, total in zip(moved, results, strict=True):
        totals[m] = total
    return totals


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
    forward: Branches, side: int, part: Transposed, moved: list[int]
) -> dict[Value, Value]:
    """Own input of a backward branch for each value of the current graph that it reads."""
    graph = forward.graphs[side]
    outers = dict(zip(graph.inputs, forward.inputs, strict=True))
    results = zip(graph.outputs, forward.outputs, strict=False)
    exported = {inner: outer for inner, outer in results if inner.type == outer.type}
    found: dict[Value, Value] = {}
    same: dict[Value, Value] = {}
    for value, own in part.finish(part.filled(moved)):
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


def call_rule(
    node: Node, owner: Builder, gs: list[Any], wanted: list[bool], sums: list[Any]
) -> list[Any]:
    """A call of the backward graph; the node calls the forward graph from now on."""
    given = tuple(j for j, g in enumerate(gs) if g is not None)
    asked = tuple(m for m, w in enumerate(wanted) if w)
    parts = linearize(node.graphs[0], asked, given)
    node.graphs = [parts.forward]
    for value in parts.forward.outputs[len(node.outputs) :]:
        export(owner, node, value.type)
    now = builder_now()
    inputs = [
        now.capture((node.inputs if source == "input" else node.outputs)[i])
        for source, i in parts.residuals
    ]
    inputs += [as_value(conform(gs[j], parts.forward.outputs[j].type)) for j in given]
    types = [v.type for v in parts.backward.outputs]
    results = emit(CALL, inputs, {}, [parts.backward], types)
    totals: list[Any] = [None] * len(node.inputs)
    for m, g in zip(parts.connected, results, strict=True):
        totals[m] = g if sums[m] is None else add(sums[m], g)
    return totals


def custom_rule(
    node: Node, owner: Builder, gs: list[Any], wanted: list[bool], sums: list[Any]
) -> list[Any]:
    """A call of the backward graph that the user's rule was traced to."""
    (graph,) = node.graphs
    count, targets = node.attrs["results"], node.attrs["targets"]
    now = builder_now()
    cotangents = [
        as_value(conform(g, v.type) if g is not None else zero(cotangent_type(v.type), traced(v)))
        for g, v in zip(gs, node.outputs, strict=True)
    ]
    others = [now.capture(v) for v in node.inputs[count:]]
    types = [v.type for v in graph.outputs]
    results = emit(CALL, [*cotangents, *others], {}, [graph], types)
    totals: list[Any] = [None] * len(node.inputs)
    for m, g in zip(targets, results, strict=True):
        if wanted[m]:
            totals[m] = g if sums[m] is None else add(sums[m], g)
    return totals
