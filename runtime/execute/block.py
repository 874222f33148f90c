"""What is known of a graph's values while it is written as source: places, last uses, ownership."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import cast

from runtime.errors import Origin
from runtime.execute.kernels import is_weak
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import FrameType, StackType, TensorType, Type

__all__ = [
    "Block",
    "handed_over",
    "has_array",
    "holds_memory",
    "is_bounded",
    "is_weak_int",
    "may_be_overwritten",
    "read_once",
    "scalar_template",
]


@dataclass(eq=False, repr=False)
class Block:
    """The nodes of one graph while they are being written.

    `names` gives source for each value. `owned` are the values whose local no other value of this
    or an outer block needs later: it may be deleted. `targets` are the locals that outer code wants
    the outputs in.
    """

    graph: Graph
    names: dict[Value, str]
    owned: set[Value]
    targets: Sequence[str] = ()
    calls: tuple[Origin, ...] = ()
    # Nodes that say what is pending, by the position of the node that they belong to; and back.
    pending: dict[int, Node] = field(init=False)
    raising: dict[Node, int] = field(init=False)
    last_use: dict[Value, int] = field(init=False)
    holders: dict[str, list[Value]] = field(init=False)
    wishes: dict[Value, str] = field(init=False)

    def __post_init__(self) -> None:
        self.pending = {}
        self.raising = {}
        self.last_use = last_use = {}
        are_pending = False
        for position, node in enumerate(self.graph.nodes):
            for value in node.inputs:
                last_use[value] = position
            if node.op.name == "pending":
                are_pending = True
        if are_pending:
            self._find_pending()
        last_use.update(dict.fromkeys(self.graph.outputs, len(self.graph.nodes)))
        self.holders = {}
        for value, name in self.names.items():
            self.holders.setdefault(name, []).append(value)
        self.wishes = {}
        for value, target in zip(self.graph.outputs, self.targets, strict=False):
            self.wishes.setdefault(value, target)

    def _find_pending(self) -> None:
        """What is pending for a node is read with that node."""
        for position in range(len(self.graph.nodes)):
            pending = self.graph.pending_for(position)
            if pending is not None:
                self.pending[position] = pending
                self.raising[pending] = position
                for value in pending.inputs:
                    self.last_use[value] = max(self.last_use[value], position)

    def sources(self, values: Sequence[Value]) -> list[str]:
        """Source of each value."""
        return list(map(self.names.__getitem__, values))

    def ending(self, node: Node, position: int) -> list[Value]:
        """The owned values read at `node`, or if it raises, that nothing reads after it."""
        read = node.inputs
        if position in self.pending:
            read = [*read, *self.pending[position].inputs]
        last_use, owned = self.last_use, self.owned
        return [v for v in dict.fromkeys(read) if last_use[v] == position and v in owned]

    def wish(self, value: Value, position: int) -> str | None:
        """The local that `value` is wanted in, if it is free after the node at `position`."""
        name = self.wishes.get(value)
        if name is None:
            return None
        in_use = any(self.last_use.get(v, -1) > position for v in self.holders.get(name, ()))
        return None if in_use else name

    def define(self, value: Value, name: str) -> None:
        """Say that `value` is in the local `name`."""
        self.names[value] = name
        self.holders.setdefault(name, []).append(value)
        self.owned.add(value)

    def inner(
        self,
        graph: Graph,
        arguments: Sequence[Value],
        handed: set[Value],
        targets: Sequence[str],
        calls: tuple[Origin, ...] | None = None,
    ) -> Block:
        """The block of a sub-graph written out here, its inputs the locals of `arguments`."""
        names = dict(zip(graph.inputs, self.sources(arguments), strict=True))
        pairs = zip(graph.inputs, arguments, strict=True)
        owned = {inside for inside, outside in pairs if outside in handed}
        return Block(graph, names, owned, targets, self.calls if calls is None else calls)

    def origins(self, node: Node) -> tuple[Origin, ...]:
        """The user's positions of `node`: those of the calls around it, then its own."""
        return self.calls if node.origin is None else (*self.calls, node.origin)


def holds_memory(type_: Type) -> bool:
    """Whether a local of this type keeps memory worth giving back."""
    if isinstance(type_, TensorType):
        return type_.shape != () or type_.device is not None
    return isinstance(type_, StackType | FrameType)


def scalar_template(node: Node) -> str | None:
    """The op's expression where it gives, on scalars of these types, what is computed without it.

    It does not for complex numbers: NumPy multiplies scalars and arrays with another rounding. For
    Python numbers the definition is `python`, which the expression is only when that is a built-in.
    """
    types = [value.type for value in node.inputs]
    if node.op.expression is None or not types or not all(map(_is_real_scalar, types)):
        return None
    if not all(map(is_weak, types)):
        return node.op.expression
    is_plain = getattr(node.op.python, "__module__", "") in ("_operator", "builtins")
    return node.op.expression if is_plain else None


def _is_real_scalar(type_: Type) -> bool:
    if not isinstance(type_, TensorType) or type_.device is not None:
        return False
    return type_.shape == () and type_.dtype.kind != "c"


def has_array(node: Node) -> bool:
    """Whether an operand is surely an array, whose operators are functions of the array module."""
    return any(type(v.type) is TensorType and v.type.shape for v in node.inputs)


def is_weak_int(type_: Type) -> bool:
    return is_weak(type_) and cast(TensorType, type_).dtype.kind == "i"


def is_bounded(node: Node) -> bool:
    """Whether a weak int that this node gives cannot leave 64 bits."""
    return bool(node.op.options.get("bounded", False))


def may_be_overwritten(node: Node, ending: Sequence[Value]) -> bool:
    """Whether the first input is an array of known rank that is read for the last time, once."""
    first = node.inputs[0]
    type_ = first.type
    has_axes = isinstance(type_, TensorType) and bool(type_.rank)
    return has_axes and first in ending and node.inputs.count(first) == 1


def read_once(node: Node) -> Collection[Value]:
    """The values that are one operand of a node only."""
    inputs = set(node.inputs)
    if len(inputs) == len(node.inputs):  # as mostly
        return inputs
    return {value for value, uses in Counter(node.inputs).items() if uses == 1}


def handed_over(node: Node, ending: Sequence[Value]) -> tuple[set[Value], list[Value]]:
    """The ending inputs that a written-out graph may delete itself, and those that it may not."""
    once = read_once(node)
    handed = {value for value in ending if value in once}
    if node.op.name == "cond":
        handed.discard(node.inputs[0])
    return handed, [value for value in ending if value not in handed]
