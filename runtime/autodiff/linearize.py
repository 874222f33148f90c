"""A graph as two: one that computes it and hands over residuals, one that moves cotangents back."""

from __future__ import annotations

from typing import NamedTuple

from runtime.autodiff.transpose import Reopened, Transposed
from runtime.collector import rarely
from runtime.frame_room import roomy
from runtime.graph.clone import clone
from runtime.graph.ir import Graph, Value

__all__ = ["Linearized", "linearize"]


class Linearized(NamedTuple):
    """`forward`: the graph, whose outputs are followed by residuals.

    `backward` takes the residuals (where each comes from: ("input" or "output" of `forward`,
    position)), then the cotangents of the outputs `given`; it gives the cotangents of the inputs
    `connected`, to which alone cotangents arrive of those that were asked for.
    """

    forward: Graph
    backward: Graph
    residuals: tuple[tuple[str, int], ...]
    given: tuple[int, ...]
    connected: tuple[int, ...]


@roomy
def linearize(graph: Graph, wanted: tuple[int, ...], given: tuple[int, ...]) -> Linearized:
    """Forward and backward graph for the cotangents of the inputs `wanted`.

    The graph itself is not changed.
    """
    with rarely:
        return _linearized(graph, wanted, given)


def _linearized(graph: Graph, wanted: tuple[int, ...], given: tuple[int, ...]) -> Linearized:
    forward = clone(graph)
    types = {j: forward.outputs[j].type for j in given}
    part = Transposed(Reopened(forward), types, wanted)
    connected = tuple(m for m in wanted if part.adjoints[m] is not None)
    residuals = part.finish(part.filled(connected))
    sources = _sources(forward, [value for value, _ in residuals])
    backward = part.builder.graph
    backward.inputs = [own for _, own in residuals] + list(part.cotangents.values())
    return Linearized(forward, backward, sources, given, connected)


def _sources(forward: Graph, values: list[Value]) -> tuple[tuple[str, int], ...]:
    """Where the caller of `forward` finds residuals; they become outputs if need be."""
    places = {value: ("output", j) for j, value in enumerate(forward.outputs)}
    places.update((value, ("input", i)) for i, value in enumerate(forward.inputs))
    for value in values:
        if value not in places:
            places[value] = ("output", len(forward.outputs))
            forward.outputs.append(value)
    return tuple(places[value] for value in values)
