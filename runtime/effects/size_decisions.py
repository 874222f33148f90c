"""What a graph decides by sizes alone, and what by the contents of arrays.

A trace for one shape knows what the first decides; a trace of open sizes is to give the same.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

import numpy as np

from runtime.effects.control import COND, WHILE, is_check_of_kind
from runtime.graph.clone import Change, Copy, shared
from runtime.graph.counters import counter_of
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType
from runtime.tensor import constant_of, is_constant

__all__ = ["Magnitudes", "has_checks_of_kind", "without_kinds_by_data"]

# No size is larger, nor is the index of a loop over one: what is more ends in an error.
_LARGEST = 2.0**31
_ARITHMETIC = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "greater")
_SUMS, _PRODUCTS = ("add", "subtract"), ("multiply",)
_NO_LARGER = ("as_weak", "strengthen", "maximum", "minimum", "floor_divide", "remainder", "abs")


def without_kinds_by_data(graph: Graph) -> Graph:
    """`graph` where Python's numbers may be of joined types if data decides which it would be.

    So they may where nothing shows it. Where sizes alone decide, the checks, which raise
    LimitTypeError, stay.
    """
    checks = [node for node in graph.walk() if is_check_of_kind(node)]
    if not checks:
        return graph
    found = _Contents(graph).checks_by_data
    return shared(functools.partial(_without, found))(graph) if found else graph


def has_checks_of_kind(graph: Graph) -> bool:
    """Whether numbers are of another type in Python wherever a path of the graph is taken."""
    return any(is_check_of_kind(n) and is_constant(n.inputs[1]) for n in graph.walk())


def _without(dropped: set[Node], graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        if node in dropped:
            copy.drop_pending(node)
            copy.replace(node.outputs, copy.mapped(node.inputs[:1]))
        else:
            copy.keep(node)
    return copy.finish()


class _Contents:
    """The values of a graph that depend on more than sizes, and the checks that these decide."""

    def __init__(self, graph: Graph) -> None:
        self._found: set[Value] = set(graph.inputs)
        self.checks_by_data: set[Node] = set()
        self._visit(graph)
        self._judge(graph, owner_is_of_sizes=True)

    def _depends(self, values: Iterable[Value]) -> bool:
        return not self._found.isdisjoint(values)

    def _is_of_sizes(self, owner: Node) -> bool:
        """Whether sizes decide which branch is taken, or how many rounds there are."""
        deciding = owner.inputs[:1] if owner.op is COND else owner.graphs[0].outputs
        return not self._depends(deciding)

    def _visit(self, graph: Graph) -> None:
        for node in graph.nodes:
            if node.op is COND:
                self._visit_branches(node)
            elif node.op is WHILE:
                self._visit_loop(node)
            elif node.op.name != "dim" and (node.has_effect or self._depends(node.inputs)):
                self._found.update(node.outputs, *(inner.inputs for inner in node.graphs))
                for inner in node.graphs:
                    self._visit(inner)

    def _visit_branches(self, node: Node) -> None:
        decides = self._depends(node.inputs[:1])
        for branch in node.graphs:
            self._hand(node.inputs[1:], branch.inputs)
            self._visit(branch)
            self._hand(branch.outputs, node.outputs)
        if decides:
            self._found.update(node.outputs)

    def _visit_loop(self, node: Node) -> None:
        test, body = node.graphs
        captures, before = node.attrs["captures"], -1
        for inner in node.graphs:
            self._hand(node.inputs, inner.inputs)
        while before != len(self._found):
            before = len(self._found)
            for inner in node.graphs:
                self._visit(inner)
                self._hand(body.outputs, inner.inputs[captures:])
            if self._depends(test.outputs):
                self._found.update(body.inputs[captures:], test.inputs[captures:])
        self._hand(body.inputs[captures:], node.outputs)

    def _hand(self, given: Iterable[Value], taken: Iterable[Value]) -> None:
        self._found.update(b for a, b in zip(given, taken, strict=True) if a in self._found)

    def _judge(self, graph: Graph, *, owner_is_of_sizes: bool) -> None:
        """Note the checks of what joins by data: in branches and rounds, and before loops."""
        loops = {value: node for node in graph.nodes if node.op is WHILE for value in node.inputs}
        for node in graph.nodes:
            if is_check_of_kind(node):
                loop = loops.get(node.outputs[0])
                if not is_constant(node.inputs[1]):
                    is_by_data = self._depends(node.inputs[1:2])
                elif loop is None:
                    is_by_data = not owner_is_of_sizes
                else:
                    is_by_data = not any(map(self._branches_by_sizes, loop.graphs[1].walk()))
                if is_by_data:
                    self.checks_by_data.add(node)
            decides = node.op in (COND, WHILE)
            for inner in node.graphs:
                is_of_sizes = self._is_of_sizes(node) if decides else owner_is_of_sizes
                self._judge(inner, owner_is_of_sizes=is_of_sizes)
            if node.op is COND:
                self._leave_out_absorbed(graph, node)

    def _leave_out_absorbed(self, graph: Graph, branches: Node) -> None:
        """Leave out the checks of a result that is nothing but an operand beside float64."""
        for number, result in enumerate(branches.outputs):
            users = [node for node in graph.nodes if result in node.inputs]
            if result not in graph.outputs and all(_absorbs(node, result) for node in users):
                made = (inner.outputs[number].node for inner in branches.graphs)
                self.checks_by_data.update(n for n in made if n and is_check_of_kind(n))

    def _branches_by_sizes(self, node: Node) -> bool:
        return node.op is COND and self._is_of_sizes(node)


def _absorbs(node: Node, operand: Value) -> bool:
    """Whether a number gives the same there, be it an int or a float."""
    others = [value for value in node.inputs if value is not operand]
    if node.op.name not in _ARITHMETIC or not others:
        return False
    return _is_float64(operand) and all(_is_float64(x, strongly=True) for x in others)


def _is_float64(value: Value, *, strongly: bool = False) -> bool:
    type_ = value.type
    if not isinstance(type_, TensorType) or (strongly and type_.weak):
        return False
    return bool(type_.dtype == np.float64)


class Magnitudes:
    """How large the ints of a graph are at most, where they are made of sizes and inputs."""

    def __init__(self, graph: Graph) -> None:
        self._known: dict[Value, float] = dict.fromkeys(graph.inputs, _LARGEST)
        self._visit(graph)

    def may_leave_64_bits(self, node: Node) -> bool:
        """Whether an int that a node gives may be larger than it could be of sizes."""
        return any(self._of(value) >= 2.0**63 for value in node.outputs)

    def _of(self, value: Value) -> float:
        if is_constant(value):
            return float(abs(constant_of(value)))
        return self._known.get(value, float("inf"))

    def _visit(self, graph: Graph) -> None:
        for node in graph.nodes:
            name = node.op.name
            if name == "dim":
                self._known[node.outputs[0]] = _LARGEST
            elif name in _SUMS:
                self._known[node.outputs[0]] = sum(map(self._of, node.inputs))
            elif name in _PRODUCTS:
                self._known[node.outputs[0]] = math.prod(map(self._of, node.inputs))
            elif name in _NO_LARGER:
                self._known[node.outputs[0]] = max(map(self._of, node.inputs))
            for inner in node.graphs:
                self._enter(node, inner)
                self._visit(inner)

    def _enter(self, node: Node, inner: Graph) -> None:
        """Tell what is known of the inputs of a graph: not of what a loop carries."""
        given = node.inputs[1:] if node.op is COND else node.inputs
        if node.op is WHILE:
            captures, counter = node.attrs["captures"], counter_of(node)
            given = given[:captures]
            if counter is not None:
                self._known[inner.inputs[captures + counter.position]] = _LARGEST
        self._known.update((b, self._of(a)) for a, b in zip(given, inner.inputs, strict=False))
