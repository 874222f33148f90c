"""Gradient rule of functions that call themselves: `recursion` and `recur` nodes.

The function becomes two: one that gives, besides its results, a frame of what the rules of its
body read, frames of the calls in it included; and one that takes a frame and the cotangents of the
results, and calls itself with the frames of those calls. So the backward pass costs no more than a
constant times the forward pass, whatever the tree of calls is like, and keeps a frame per call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from runtime import ops
from runtime.autodiff.cotangents import conform, cotangent_type, zero
from runtime.autodiff.emission import as_value, builder_now, emit, export
from runtime.autodiff.presence import FLAG, flag_of, plain, presence_of, with_presence
from runtime.autodiff.sweep import Asked, NoGradientError
from runtime.autodiff.transpose import Reopened, Transposed
from runtime.building import Builder, traced
from runtime.effects.recursion import RECUR, RECURSION, calls_in, free_name
from runtime.errors import located
from runtime.graph.clone import clone
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import FrameType, Type

__all__ = ["recur_rule", "recursion_rule"]


@dataclass(eq=False)
class _Pair:
    """A function that is being differentiated: names of both parts, and what they move.

    `given` are the results whose cotangents the backward part takes, `wanted` the arguments whose
    cotangents it gives: positions. Those that a call from within has, too, are added.
    """

    forward: str
    backward: str
    given: set[int]
    wanted: set[int]
    # Types of all results, and of all arguments.
    results: list[Type] = field(default_factory=list)
    arguments: list[Type] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Grows as long as there is more to move."""
        return len(self.given) + len(self.wanted)


# By the name of the forward part.
_open: ContextVar[dict[str, _Pair]] = ContextVar("_open", default={})  # noqa: B039 - never changed


@contextmanager
def _differentiating(pair: _Pair) -> Iterator[None]:
    token = _open.set({**_open.get(), pair.forward: pair})
    try:
        yield
    finally:
        _open.reset(token)


def recursion_rule(node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]:
    """A call of the backward function; the node calls the forward function from now on."""
    wanted = {m for m, w in enumerate(asked.wanted) if w}
    given = {j for j, g in enumerate(gs) if g is not None}
    pair, forward, backward = _halves(node, given, wanted)
    node.graphs, node.attrs = [forward], {**node.attrs, "function": pair.forward}
    frame = export(owner, node, FrameType())
    cotangents = _cotangents(pair, gs, node.outputs)
    inputs = [builder_now().capture(frame), *cotangents]
    attrs = {"function": pair.backward}
    types = [v.type for v in backward.outputs]
    results = emit(RECURSION, inputs, attrs, [backward], types)
    return _totals(pair, results, asked)


def recur_rule(node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]:
    """A call, from within, of the backward function."""
    pair = _open.get().get(node.attrs["function"])
    if pair is None:
        name = node.attrs["function"]
        raise NoGradientError(
            located(
                node.origin,
                f"a gradient is asked through a call of `{name}` in `{name}` itself, which calls "
                "itself until a condition holds that is known only when the graph runs",
                "take the gradient outside of it",
            )
        )
    pair.wanted.update(m for m, w in enumerate(asked.wanted) if w)
    pair.given.update(j for j, g in enumerate(gs) if g is not None)
    frame = node.outputs[-1]
    cotangents = _cotangents(pair, gs, node.outputs)
    inputs = [builder_now().capture(frame), *cotangents]
    types = [cotangent_type(pair.arguments[m]) for m in sorted(pair.wanted)]
    types += [FLAG] * len(types)
    attrs = {"function": pair.backward}
    results = emit(RECUR, inputs, attrs, [], types)
    return _totals(pair, results, asked)


def _cotangents(pair: _Pair, gs: list[Any], outputs: Sequence[Value]) -> list[Value]:
    """The cotangents of the results, zero where nothing arrived, and whether they are there."""
    found, flags = [], []
    for j in sorted(pair.given):
        type_, g = pair.results[j], gs[j]
        flags.append(flag_of(presence_of([g])))
        g = plain(g) if g is not None else zero(cotangent_type(type_), traced(outputs[j]))
        found.append(as_value(conform(g, type_)))
    return found + flags


def _totals(pair: _Pair, results: Sequence[Any], asked: Asked) -> list[Any]:
    wanted = sorted(pair.wanted)
    flags = results[len(wanted) :]
    return asked.totals(
        (m, with_presence(g, flag) if asked.heeded[m] else g)
        for m, g, flag in zip(wanted, results, flags, strict=False)
    )


# ---- the two functions -----------------------------------------------------------------------


def _halves(node: Node, given: set[int], wanted: set[int]) -> tuple[_Pair, Graph, Graph]:
    """The forward and the backward function.

    Which arguments and results matter is found as calls from within are met, by a fixed point.
    """
    (graph,) = node.graphs
    name = node.attrs["function"]
    forward_name = free_name(f"{name} forward", graph)
    backward_name = free_name(f"{name} backward", graph)
    pair = _Pair(forward_name, backward_name, set(given), set(wanted))
    while True:
        size = pair.size
        forward = _with_frames(clone(graph), name, pair)
        with _differentiating(pair):
            part = Transposed(
                Reopened(forward),
                {j: forward.outputs[j].type for j in sorted(pair.given)},
                sorted(pair.wanted),
                possible=sorted(pair.given),
                heeded=sorted(pair.wanted),
            )
        if pair.size == size:
            return pair, forward, _backward(forward, part, pair)


def _with_frames(graph: Graph, name: str, pair: _Pair) -> Graph:
    """The graph, whose calls of itself are those of the forward function: they give frames."""
    for call in calls_in(graph, name):
        call.attrs = {**call.attrs, "function": pair.forward}
        call.add_output(FrameType())
    pair.results = [v.type for v in graph.outputs]
    pair.arguments = [v.type for v in graph.inputs]
    graph.name = pair.forward
    return graph


def _backward(forward: Graph, part: Transposed, pair: _Pair) -> Graph:
    """The backward function; the forward one gives a frame of what it reads."""
    wanted = sorted(pair.wanted)
    residuals = part.finish([*part.filled(wanted), *part.told(wanted)])
    kept = [value for value, _ in residuals]
    frame = Node(ops.frame_of.op, kept, {}, (), (FrameType(),))
    forward.nodes.append(frame)
    forward.outputs.append(frame.outputs[0])
    graph = part.builder.graph
    graph.name = pair.backward
    taken = Value(FrameType(), name="frame")
    reads = []
    for number, (value, own) in enumerate(residuals):
        read = Node(ops.frame_read.op, [taken], {"number": number, "type": value.type}, (), ())
        read.outputs, own.node, own.index = [own], read, 0
        reads.append(read)
    graph.nodes[:0] = reads
    graph.inputs = [taken, *part.cotangents.values(), *part.flags.values()]
    return graph
