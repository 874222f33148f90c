"""Makes one branch of successive branches on one condition, or on `not` that condition.

Gradients have many: what is moved back through a branch is needed by rules that are branches on the
same condition themselves. The first goes to where the second is; so it is one that has no effect
and cannot raise, and nothing between the two reads what it gives, or has an effect.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.clone import Change, Copy, copy_value, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType

__all__ = ["merge_branches"]


def merge_branches(graph: Graph) -> Graph:
    """`graph` with one branch in the place of successive ones on the same condition."""
    if not any(map(_may_have_two, graph.parts())):
        return graph
    return shared(_merged)(graph)


def _may_have_two(graph: Graph) -> bool:
    conditions = [_condition(node)[0] for node in graph.nodes if node.op.name == "cond"]
    return len(set(conditions)) < len(conditions)


def _merged(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    waiting = _Waiting()
    # Values of the source that the results of branches stand for; branches that are in others.
    meant: dict[Node, list[Value]] = {}
    gone: set[Node] = set()
    for node in graph.nodes:
        kept = copy.keep(node)
        if node.op.name == "cond":
            meant[kept] = node.outputs
            before = waiting.of(kept)
            if before is not None and _is_pure(kept) and _fits(before, kept):
                gone |= {before, kept}
                kept, of_both = _one(before, kept, change), meant[before] + meant[kept]
                copy.add(kept, of_both)
                meant[kept] = of_both
        waiting.pass_by(kept)
        if node.op.name == "cond" and _is_pure(kept):
            waiting.add(kept)
    if gone:
        copy.nodes = [node for node in copy.nodes if node not in gone]
    return copy.finish()


class _Waiting:
    """Branches that could go further down, by their conditions."""

    def __init__(self) -> None:
        self._branches: dict[Value, Node] = {}

    def add(self, node: Node) -> None:
        """Note one that could."""
        self._branches[_condition(node)[0]] = node

    def of(self, node: Node) -> Node | None:
        """The branch on the condition of another one."""
        return self._branches.get(_condition(node)[0])

    def pass_by(self, node: Node) -> None:
        """Those stay where they are that cannot go past a node: it reads what they give."""
        if node.has_effect:
            self._branches.clear()
        for value in node.inputs:
            maker = value.node
            if maker is not None and maker.op.name == "cond" and self.of(maker) is maker:
                del self._branches[_condition(maker)[0]]


def _condition(node: Node) -> tuple[Value, bool]:
    """What a branch depends on, and whether it is taken where that is true."""
    value, is_taken = node.inputs[0], True
    while value.node is not None and _passes_on(value.node):
        is_taken ^= value.node.op.name == "logical_not"
        value = value.node.inputs[0]
    return value, is_taken


def _passes_on(node: Node) -> bool:
    """Whether a node gives its bool operand, or the opposite."""
    if node.op.name not in ("as_weak", "logical_not", "strengthen"):
        return False
    type_ = node.inputs[0].type
    return isinstance(type_, TensorType) and type_.dtype.kind == "b"


def _is_pure(node: Node) -> bool:
    return not (node.has_effect or node.can_raise)


def _fits(first: Node, second: Node) -> bool:
    """Whether what the second takes of the first is of the type that the branches give."""
    return all(
        graph.outputs[value.index].type == value.type
        for value in second.inputs[1:]
        if value.node is first
        for graph in first.graphs
    )


def _one(first: Node, second: Node, change: Change) -> Node:
    """One branch that does what two do, one after the other; it gives what both give."""
    outer = set(first.inputs[1:])
    more = [v for v in dict.fromkeys(second.inputs[1:]) if v.node is not first and v not in outer]
    is_alike = _condition(first) == _condition(second)
    others = second.graphs if is_alike else second.graphs[::-1]
    graphs = [
        change(_in_a_row(one, other, first, second, more))
        for one, other in zip(first.graphs, others, strict=True)
    ]
    given = [*first.outputs, *second.outputs]
    types = [value.type for value in given]
    made = Node(first.op, [*first.inputs, *more], dict(first.attrs), graphs, types, first.origin)
    for old, new in zip(given, made.outputs, strict=True):
        new.name = old.name
    return made


def _in_a_row(one: Graph, other: Graph, first: Node, second: Node, more: Sequence[Value]) -> Graph:
    """The graph of the one branch: `other` takes what it took of the first from `one`."""
    operands = dict(zip(second.inputs[1:], other.inputs, strict=True))
    inputs = [*map(copy_value, one.inputs), *(copy_value(operands[value]) for value in more)]
    known = dict(zip([*first.inputs[1:], *more], inputs, strict=True))
    nodes, outputs = _pasted(one, inputs[: len(one.inputs)])
    known |= zip(first.outputs, outputs, strict=True)
    following, others = _pasted(other, [known[value] for value in second.inputs[1:]])
    return Graph(inputs, [*nodes, *following], [*outputs, *others], one.name)


def _pasted(graph: Graph, inputs: Sequence[Value]) -> tuple[list[Node], list[Value]]:
    """New nodes that do on `inputs` what a graph does, and what they give."""
    copy = Copy(graph, lambda inner: inner)
    copy.replace(graph.inputs, inputs)
    for node in graph.nodes:
        copy.paste(node)
    return copy.nodes, copy.mapped(graph.outputs)
