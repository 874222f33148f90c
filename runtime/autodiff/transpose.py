"""Transposing a graph: another graph that moves cotangents from its outputs to its inputs.

The backward graph is traced as a body inside the forward graph: whatever values a rule reads, it
captures, and the captures are the residuals that the forward graph must hand over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from runtime import trace
from runtime.autodiff.adjoints import Adjoints
from runtime.autodiff.cotangents import conform, cotangent_type, is_differentiable, zero
from runtime.autodiff.presence import (
    FLAG,
    Presence,
    flag_of,
    heeding,
    plain,
    presence_of,
    with_presence,
)
from runtime.autodiff.sweep import NODE_RULES, NodeRecord, OpRecord, Record, Unread, sweep
from runtime.building import Builder, traced
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.declare import no_gradient
from runtime.ops.declaration.operands import is_number
from runtime.spec import TensorType, Type
from runtime.tensor import Tensor, constant_of, is_constant

__all__ = ["Reopened", "Transposed", "active_values", "reached_inputs"]


class Reopened(Builder):
    """A builder that adds to a graph which is there already.

    Arrays that gradient rules bring along are constants: there is nobody to bind inputs to.
    """

    def __init__(self, graph: Graph, parent: Builder | None = None) -> None:
        super().__init__(graph.name, parent)
        self.graph = graph
        self.adopt(graph.inputs)
        for node in graph.nodes:
            self.adopt(node.outputs)

    def inside(self, name: str) -> Reopened:
        """A builder of the graph of a body."""
        return Reopened(Graph(name=name), self)

    def external(self, thing: Any, type_: Type, name: str | None = None) -> Value:
        """A constant with the present content of `thing`."""
        return self.constant(thing.array if isinstance(thing, Tensor) else np.array(thing))


# ---- which values matter -----------------------------------------------------------------------


def active_values(graph: Graph, roots: Iterable[Value]) -> set[Value]:
    """Values that depend on `roots` and have cotangents, the roots included."""
    active = set(roots)
    for node in graph.nodes:
        if node.op.vjp is not no_gradient and not active.isdisjoint(node.inputs):
            active.update(v for v in node.outputs if is_differentiable(v.type))
    return active


def reached_inputs(graph: Graph, ends: Iterable[Value], active: set[Value]) -> set[Value]:
    """Active inputs of `graph` that cotangents of `ends` may come to."""
    reached = active.intersection(ends)
    for node in reversed(graph.nodes):
        if not reached.isdisjoint(node.outputs):
            reached.update(active.intersection(node.inputs))
    return reached.intersection(graph.inputs)


# ---- the transposed graph ----------------------------------------------------------------------


class Transposed:
    """The backward graph of `forward.graph`, in the making.

    `given` are the outputs whose cotangents it takes (`cotangents`: its inputs for them); `wanted`
    are the inputs whose adjoints it makes (`adjoints`, None where nothing arrives). To the
    adjoints of the inputs in `accumulated` it adds what comes in through `sums`. Positions all.

    The cotangents of `possible` may be absent (`flags`: inputs that tell). Of the inputs `heeded`
    it is known whether anything arrived (`presences`); of those in `started`, too, whether
    something had before (`starts`: inputs that tell).
    """

    def __init__(
        self,
        forward: Builder,
        given: dict[int, Type],
        wanted: Iterable[int],
        accumulated: Iterable[int] = (),
        possible: Iterable[int] = (),
        heeded: Iterable[int] = (),
        started: Iterable[int] = (),
    ) -> None:
        self.forward = forward
        self.heeded = set(heeded)
        self.builder = Reopened(Graph(name=f"{forward.graph.name} backward"), forward)
        self.cotangents = {j: self.builder.input(cotangent_type(t)) for j, t in given.items()}
        inputs = forward.graph.inputs
        self.sums = {m: self.builder.input(cotangent_type(inputs[m].type)) for m in accumulated}
        self.flags = {j: self.builder.input(FLAG) for j in possible}
        self.starts = {m: self.builder.input(FLAG) for m in started}
        self.adjoints: dict[int, Tensor | None] = {}
        self.presences: dict[int, Presence] = {}
        with trace.interpreting(self.builder):
            self._sweep([*dict.fromkeys((*wanted, *self.sums))])

    def _sweep(self, wanted: list[int]) -> None:
        graph = self.forward.graph
        roots = [graph.inputs[m] for m in wanted]
        active = active_values(graph, roots)
        heeded = heeding(graph, [graph.inputs[m] for m in self.heeded])
        adjoints = Adjoints(set(roots), heeded.__contains__)
        for m, value in self.sums.items():
            start = traced(self.starts[m]) if m in self.starts else m not in self.heeded
            adjoints.put(graph.inputs[m], with_presence(traced(value), start))
        for j, value in self.cotangents.items():
            if graph.outputs[j] in active:
                g = conform(traced(value), graph.outputs[j].type)
                present = traced(self.flags[j]) if j in self.flags else True
                adjoints.add(graph.outputs[j], with_presence(g, present))
        matter = (node for node in graph.nodes if not active.isdisjoint(node.inputs))
        sweep(list(map(record_of, matter)), adjoints, active.__contains__, located=True)
        for m in wanted:
            value = graph.inputs[m]
            g = adjoints.get(value)
            self.presences[m] = presence_of([g])
            self.adjoints[m] = None if g is None else conform(plain(g), value.type)

    def filled(self, wanted: Sequence[int]) -> list[Value]:
        """Values of the adjoints of the inputs `wanted`, zero where nothing arrives."""
        inputs = self.forward.graph.inputs
        with trace.interpreting(self.builder):
            for m in wanted:
                if self.adjoints.get(m) is None:
                    type_ = inputs[m].type
                    self.adjoints[m] = zero(cotangent_type(type_), traced(inputs[m]))
            return [self.builder.value_of(self.adjoints[m]) for m in wanted]

    def told(self, inputs: Iterable[int]) -> list[Value]:
        """Values that tell of `inputs` whether anything arrived."""
        with trace.interpreting(self.builder):
            return [flag_of(self.presences.get(m, False)) for m in inputs]

    def finish(self, outputs: Sequence[Value]) -> list[tuple[Value, Value]]:
        """Set the outputs, drop what they do not need; residuals: (forward value, own input)."""
        graph = self.builder.graph
        graph.outputs = list(outputs)
        prune(graph)
        used = {*graph.outputs, *(x for node in graph.nodes for x in node.inputs)}
        return [(outer, inner) for outer, inner in self.builder.captured() if inner in used]

    def substitute(self, values: dict[Value, Value]) -> None:
        """Use other values of the backward graph in place of some."""
        graph = self.builder.graph
        for node in graph.nodes:
            node.inputs = [values.get(v, v) for v in node.inputs]
        graph.outputs = [values.get(v, v) for v in graph.outputs]


def _seen(value: Value, is_read: bool) -> Any:
    """A value as a rule sees it: itself where it is read, or its shape cannot be kept alone.

    A number that is known is seen as that, as by a tape: rules are shorter for those.
    """
    if is_constant(value) and is_number(constant_of(value)):
        return constant_of(value)
    of_any_rank = isinstance(value.type, TensorType) and value.type.shape is None
    return traced(value) if is_read or of_any_rank else Unread(value)


def record_of(node: Node) -> Record:
    """A node of a graph as the sweep sees it."""
    if node.op.name in NODE_RULES or node.graphs:
        return NodeRecord(node)
    reads = node.op.reads
    return OpRecord(
        node.op,
        node.attrs,
        tuple(_seen(v, i in reads) for i, v in enumerate(node.inputs)),
        tuple(_seen(v, "out" in reads) for v in node.outputs),
        tuple(node.inputs),
        tuple(node.outputs),
        node.origin,
    )


def prune(graph: Graph) -> None:
    """Drop the nodes of a backward graph that its outputs do not need: none has an effect."""
    needed = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        if not needed.isdisjoint(node.outputs) or node.has_effect:
            needed.update(node.inputs)
            kept.append(node)
    graph.nodes = kept[::-1]
