"""Loops that count: `while i < n: ...; i = i + step`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runtime.graph.ir import Node, Value
from runtime.spec import TensorType, Type, type_of_number

__all__ = ["Counter", "constant_of", "counter_of"]


class Counter(NamedTuple):
    """The index of a counting loop: a Python int that grows by `step`, above 0, up to `limit`.

    `position` is its place among the carried values, `limit` a value of the graph of the test, and
    `increment` the node of the body that makes it grow.
    """

    position: int
    limit: Value
    step: int
    increment: Node

    @property
    def can_overflow(self) -> bool:
        """Whether the increment may leave 64 bits: not by 1 from what is below another such int."""
        assert isinstance(self.limit.type, TensorType)
        return self.step > 1 or self.limit.type.dtype == np.uint64

    def trips(self, loop: Node) -> int | None:
        """How often the body runs, None when that is known only at run time."""
        test, count = loop.graphs[0], loop.attrs["captures"]
        limit = self.limit
        if limit in test.inputs:
            limit = loop.inputs[test.inputs.index(limit)]
        first, end = constant_of(loop.inputs[count + self.position]), constant_of(limit)
        if first is None or end is None:
            return None
        trips = max(-((int(first) - int(end)) // self.step), 0)
        maximum: int | None = loop.attrs.get("maximum")
        return trips if maximum is None else min(trips, maximum)


def counter_of(loop: Node) -> Counter | None:
    """The index that decides how often a `while` node runs; None when it is not such a loop.

    A loop that has one ends.
    """
    test, body = loop.graphs
    captures = loop.attrs["captures"]
    comparison = test.outputs[0].node
    if comparison is None or comparison.op.name != "less":
        return None
    index, limit = comparison.inputs
    carried = test.inputs[captures:]
    if index not in carried or limit in carried or not _is_int(limit.type):
        return None
    position = carried.index(index)
    increment = body.outputs[position].node
    if increment is None or (constant_of(limit) is None and limit not in test.inputs):
        return None
    step = _step(increment, body.inputs[captures + position])
    return Counter(position, limit, step, increment) if step > 0 else None


def _is_int(type_: Type) -> bool:
    return isinstance(type_, TensorType) and type_.dtype.kind in "iu" and type_.shape == ()


def _step(increment: Node, index: Value) -> int:
    """What a node adds to the Python int `index`; 0 when that is not known."""
    if increment.op.name != "add" or increment.inputs[0] is not index:
        return 0
    step = constant_of(increment.inputs[1])
    return step if index.type == type_of_number(0) and type(step) is int else 0


def constant_of(value: Value) -> Any:
    """The constant that a value is, None when it is not one."""
    is_constant = value.node is not None and value.node.op.name == "constant"
    return value.node.attrs["value"] if is_constant and value.node is not None else None
