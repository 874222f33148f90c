"""Loops that count, as plans write them: `for i in range(first, limit, step)`.

It is what `while i < limit: ...; i = i + step` does where the step cannot leave 64 bits. Python
then counts by itself, and neither the test nor the addition is an operation of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.execute.kernels import MAXIMUM
from runtime.graph.counters import Counter, constant_of, counter_of
from runtime.graph.ir import Graph, Node
from runtime.spec import TensorType

__all__ = ["Counting", "counting"]


class Counting(NamedTuple):
    """How to write a loop that counts.

    `position` is the place of the index among the carried values; `limit` is a number, or the
    position of an input of the loop; `body` does not count any more.
    """

    position: int
    limit: int | Input
    step: int
    body: Graph


class Input(int):
    """The position of an input."""


def counting(loop: Node) -> Counting | None:
    """How to write a `while` node that counts; None for one that does not, or may overflow."""
    counter = counter_of(loop)
    test, body = loop.graphs
    comparison = test.outputs[0].node
    if counter is None or any(
        node is not comparison and node.op.name != "constant" for node in test.nodes
    ):
        return None
    limit = constant_of(counter.limit)
    if _may_overflow(counter, limit):
        return None
    found = Input(test.inputs.index(counter.limit)) if limit is None else int(limit)
    return Counting(counter.position, found, counter.step, _without(body, counter))


def _may_overflow(counter: Counter, limit: int | None) -> bool:
    type_ = counter.limit.type
    if isinstance(type_, TensorType) and type_.device is not None:
        return True  # not known here before the loop has run up to it
    if limit is not None:
        return int(limit) + counter.step - 1 > MAXIMUM
    return counter.can_overflow


def _without(body: Graph, counter: Counter) -> Graph:
    """The body without the index among its results, and without what nothing else reads of it."""
    outputs = [v for k, v in enumerate(body.outputs) if k != counter.position]
    result = counter.increment.outputs[0]
    is_read = result in outputs or any(result in node.inputs for node in body.nodes)
    if is_read:
        return Graph(body.inputs, body.nodes, outputs, body.name)
    place = body.nodes.index(counter.increment)
    gone: set[Node | None] = {counter.increment, body.pending_for(place)}
    nodes = [node for node in body.nodes if node not in gone]
    return Graph(body.inputs, nodes, outputs, body.name)
