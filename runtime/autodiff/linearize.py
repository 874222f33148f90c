"""A graph as two: one that computes it and hands over residuals, one that moves cotangents back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from runtime import ops
from runtime.autodiff.presence import with_presence
from runtime.autodiff.transpose import Reopened, Transposed
from runtime.graph.clone import clone
from runtime.graph.ir import Graph, Node, Value
from runtime.process.collector import rarely
from runtime.process.recursion_limit import roomy

__all__ = ["Linearized", "linearize", "with_constants"]


class Linearized(NamedTuple):
    """`forward`: the graph, whose outputs are followed by residuals.

    `backward` takes the residuals (where each comes from: ("input" or "output" of `forward`,
    position)), then the cotangents of the outputs `given`, then for each of `possible` whether its
    cotangent is there; it gives the cotangents of the inputs `connected`, to which alone cotangents
    arrive of those that were asked for, then for each of `flagged` whether it did arrive.
    """

    forward: Graph
    backward: Graph
    residuals: tuple[tuple[str, int], ...]
    given: tuple[int, ...]
    connected: tuple[int, ...]
    possible: tuple[int, ...] = ()
    flagged: tuple[int, ...] = ()

    def with_flags(self, results: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Pairs (input, cotangent) of the results of `backward`."""
        flags = dict(zip(self.flagged, results[len(self.connected) :], strict=True))
        for m, g in zip(self.connected, results, strict=False):
            yield m, with_presence(g, flags.get(m, True))


@roomy
def linearize(
    graph: Graph,
    wanted: tuple[int, ...],
    given: tuple[int, ...],
    possible: tuple[int, ...] = (),
    heeded: tuple[int, ...] = (),
) -> Linearized:
    """Forward and backward graph for the cotangents of the inputs `wanted`.

    Those of the outputs `possible` may be absent; of the inputs `heeded` it matters whether theirs
    are. The graph itself is not changed.
    """
    with rarely:
        return _linearized(graph, wanted, given, possible, heeded)


def _linearized(
    graph: Graph,
    wanted: tuple[int, ...],
    given: tuple[int, ...],
    possible: tuple[int, ...],
    heeded: tuple[int, ...],
) -> Linearized:
    forward = clone(graph)
    types = {j: forward.outputs[j].type for j in given}
    part = Transposed(Reopened(forward), types, wanted, (), possible, heeded)
    connected = tuple(m for m in wanted if part.adjoints[m] is not None)
    flagged = tuple(m for m in connected if m in heeded and part.presences[m] is not True)
    residuals = part.finish([*part.filled(connected), *part.told(flagged)])
    sources = _sources(forward, [value for value, _ in residuals])
    backward = part.builder.graph
    used = [j for j, flag in part.flags.items() if _is_used(backward, flag)]
    backward.inputs = [own for _, own in residuals] + list(part.cotangents.values())
    backward.inputs += [part.flags[j] for j in used]
    return Linearized(forward, backward, sources, given, connected, tuple(used), flagged)


def _is_used(graph: Graph, value: Value) -> bool:
    return value in graph.outputs or any(value in node.inputs for node in graph.nodes)


def _sources(forward: Graph, values: list[Value]) -> tuple[tuple[str, int], ...]:
    """Where the caller of `forward` finds residuals; they become outputs if need be."""
    places = {value: ("output", j) for j, value in enumerate(forward.outputs)}
    places.update((value, ("input", i)) for i, value in enumerate(forward.inputs))
    for value in values:
        if value not in places:
            places[value] = ("output", len(forward.outputs))
            forward.outputs.append(value)
    return tuple(places[value] for value in values)


def with_constants(graph: Graph, flags: Sequence[bool]) -> Graph:
    """A backward graph whose last inputs are known."""
    if not flags:
        return graph
    copy = clone(graph)
    first = len(copy.inputs) - len(flags)
    for value, flag in zip(copy.inputs[first:], flags, strict=True):
        node = Node(ops.CONSTANT, [], {"value": np.bool_(flag)}, (), (value.type,))
        node.outputs, value.node, value.index = [value], node, 0
        copy.nodes.insert(0, node)
    del copy.inputs[first:]
    return copy
