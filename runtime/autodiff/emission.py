"""What the gradient rules of control flow share: residuals out of a node, nodes into a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.building import Builder, building, traced
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import Type
from runtime.tensor import Tensor, constant_of, is_constant

__all__ = ["as_value", "builder_now", "emit", "emit_before", "export", "loop_invariant"]


def builder_now() -> Builder:
    """The builder of the graph that the backward pass is written into."""
    builder = building()
    assert builder is not None, "control flow is differentiated in graphs only"
    return builder


def as_value(x: Any) -> Value:
    """The value of the current graph for an operand."""
    return builder_now().value_of(x)


def emit(
    op: Op, inputs: Sequence[Value], attrs: dict[str, Any], graphs: list[Graph], types: list[Type]
) -> list[Tensor]:
    """Results of a new node that holds graphs, in the current graph; tapes are told."""
    now = builder_now()
    node = now.emit(op, inputs, attrs, graphs, types)
    outputs = tuple(traced(v) for v in node.outputs)
    now.tell_tapes(node, [traced(v) for v in inputs], outputs)
    return list(outputs)


def emit_before(owner: Builder, place: Node, op: Op, attrs: dict[str, Any]) -> Value:
    """Result of a new node without operands, put just before the node `place`."""
    node = Node(op, (), attrs, (), op.infer_all((), attrs), place.origin)
    owner.graph.nodes.insert(owner.graph.nodes.index(place), node)
    owner.adopt(node.outputs)
    return node.outputs[0]


def export(owner: Builder, node: Node, type_: Type) -> Value:
    """A further output of a node in the graph of `owner`."""
    value = node.add_output(type_)
    owner.adopt([value])
    return value


def loop_invariant(value: Value, inputs: dict[Value, Value]) -> Value | None:
    """The value outside of a sub-graph for one inside that is known there already.

    `inputs` gives the outer value of the sub-graph's inputs; constants are made anew.
    """
    if value in inputs:
        return builder_now().capture(inputs[value])
    return builder_now().constant(constant_of(value)) if is_constant(value) else None
