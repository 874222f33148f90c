"""Graphs of typed single-assignment values; control flow is a node that holds graphs.

The order of a graph's nodes is the order of the program: effects need no further edges.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from runtime.errors import Origin
from runtime.process.caching import cached_property
from runtime.spec import TensorType, Type, device_of_type, on_device

__all__ = ["Graph", "Node", "Op", "Rule", "Value", "device_of_types"]

Rule = Callable[..., Any]
# The code of kernels that do nothing but call one function of the array module, by arity.
_PLAIN_CALLS = {
    1: (lambda xp, x: xp.function(x)).__code__.co_code,
    2: (lambda xp, x, y: xp.function(x, y)).__code__.co_code,
}


@dataclass(eq=False, repr=False)
class Op:
    """One operation, declared once and whole.

    `kernel(xp, *arrays, **attrs)` computes on raw arrays of the array module `xp`. For an op that
    holds graphs, keyword `graphs` brings one callable per graph (arrays in, tuple of arrays out).
    `infer(*types, **attrs)` gives the output type, or a tuple of them, from the input types.
    `vjp(g, out, *inputs, **attrs)` gives the cotangent of each input (None: no path), written with
    ops; `reads` says which of them it needs the value of: input positions and "out". For an op of
    several outputs, `g` and `out` are tuples.
    `python`, if any, computes on Python numbers when all operands are weak.
    `expression` is Python source in terms of {0}, {1}, ... for scalars of any weakness.
    """

    name: str
    kernel: Callable[..., Any]
    infer: Callable[..., Any]
    vjp: Rule | None = None
    reads: tuple[int | str, ...] = ()
    python: Callable[..., Any] | None = None
    expression: str | None = None
    # "print", "assert", "assign", "read", "host", ... : an ordered effect; None: pure.
    effect: str | None = None
    # raises(types, attrs) -> whether running the node can raise: such nodes are never dropped.
    raises: Callable[[tuple[Type, ...], dict[str, Any]], bool] | None = None
    # Element by element with broadcasting: the sweep sums the broadcast axes of cotangents.
    elementwise: bool = False
    # The output may share memory with the first input.
    view: bool = False
    doc: str = ""
    # Functions of NumPy (by name, e.g. "add", "linalg.inv") that this op is the meaning of.
    numpy: tuple[str, ...] = ()
    # samples() -> iterable of (inputs, attrs) for the generic test suite.
    samples: Callable[[], Any] | None = None
    # What single tools know of the op. For the plan: "inplace", a kernel that writes into its first
    # operand; "source(sources, types, **attrs)", Python source of the kernel's result where the
    # first operand is an array; "statement", likewise, of what writes into it; "bounded", whether
    # weak int results cannot leave 64 bits.
    options: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Op({self.name})"

    @cached_property
    def function(self) -> str | None:
        """The function of the array module that the kernel does nothing but call, if so.

        It is called directly: on small arrays the call of the kernel is a tenth of the time.
        """
        code = getattr(self.kernel, "__code__", None)
        if code is None or code.co_code != _PLAIN_CALLS.get(code.co_argcount - 1):
            return None
        return str(code.co_names[0])

    @cached_property
    def host_function(self) -> Callable[..., Any] | None:
        """That function of NumPy."""
        name = self.function
        found: Callable[..., Any] | None = None if name is None else getattr(np, name)
        return found

    def infer_all(self, types: Sequence[Type], attrs: dict[str, Any]) -> tuple[Type, ...]:
        """Output types, always as a tuple: on the device of the operands, if they have another."""
        result = self.infer(*types, **attrs)
        found = result if isinstance(result, tuple) else (result,)
        device = device_of_types(types)
        if device is None or self.options.get("stays"):
            return found
        return tuple(on_device(t, device) for t in found)

    def can_raise(self, types: Sequence[Type], attrs: dict[str, Any]) -> bool:
        """Whether running with operands of these types can raise."""
        return self.raises is not None and self.raises(tuple(types), attrs)


def device_of_types(types: Iterable[Type]) -> str | None:
    """The device that operands of these types are computed on; None: the host."""
    for type_ in types:
        device = type_.device if type(type_) is TensorType else device_of_type(type_)
        if device is not None:
            return device
    return None


class Value:
    """One value of a graph: an input of the graph or an output of a node."""

    __slots__ = ("index", "name", "node", "type")

    def __init__(
        self, type_: Type, node: Node | None = None, index: int = 0, name: str | None = None
    ) -> None:
        self.type: Type = type_
        self.node = node
        self.index = index
        self.name = name

    def __repr__(self) -> str:
        return f"Value({self.name or ''}: {self.type})"


class Node:
    """One application of an op.

    `graphs` are the sub-graphs of a control-flow op. A sub-graph is closed: outer values that it
    uses are inputs of the node and of the graph.
    """

    __slots__ = (
        "_asked",
        "_raises",
        "attrs",
        "graphs",
        "inputs",
        "op",
        "origin",
        "outputs",
        "signals",
    )

    def __init__(
        self,
        op: Op,
        inputs: Sequence[Value],
        attrs: dict[str, Any] | None = None,
        graphs: Sequence[Graph] = (),
        types: Sequence[Type] = (),
        origin: Origin | None = None,
    ) -> None:
        self.op = op
        self.inputs = list(inputs)
        self.attrs = {} if attrs is None else attrs
        self.graphs: Sequence[Graph] = list(graphs) if graphs else ()
        self.origin = origin
        # Whether it computes where errors of floating point raise: `np.errstate(all="raise")`.
        self.signals = False
        # Whether the op can raise, once that was asked for, and the operands that it is said of.
        self._raises = False
        self._asked: list[Value] | None = None
        self.outputs = (
            [Value(types[0], self)]
            if len(types) == 1
            else [Value(t, self, i) for i, t in enumerate(types)]
        )

    def __repr__(self) -> str:
        return f"Node({self.op.name}, {len(self.inputs)} inputs)"

    def add_output(self, type_: Type) -> Value:
        """A further output at the end; the caller keeps the sub-graphs in step."""
        value = Value(type_, self, len(self.outputs))
        self.outputs.append(value)
        return value

    @property
    def device(self) -> str | None:
        """The device that it is computed on: that of its operands, or where it makes an array."""
        found = device_of_types([v.type for v in self.inputs])
        return device_of_types([v.type for v in self.outputs]) if found is None else found

    @property
    def has_effect(self) -> bool:
        """Whether this node, or one in its graphs, is an ordered effect."""
        if self.op.effect is not None:
            return True
        if not self.graphs:
            return False
        return any(node.has_effect for graph in self.graphs for node in graph.nodes)

    @property
    def can_raise(self) -> bool:
        """Whether running this node, or one in its graphs, can raise."""
        if self.signals or self.op_can_raise:
            return True
        if not self.graphs:
            return False
        return any(node.can_raise for graph in self.graphs for node in graph.nodes)

    @property
    def op_can_raise(self) -> bool:
        """Whether the op itself can raise on operands of these types."""
        if self.op.raises is None:
            return False
        if self._asked is not self.inputs:
            self.note_raises(self.op.can_raise([v.type for v in self.inputs], self.attrs))
        return self._raises

    def note_raises(self, can_raise: bool) -> None:
        """Know whether the op can raise on its operands."""
        self._raises, self._asked = can_raise, self.inputs


class Graph:
    """Inputs, nodes in program order, outputs."""

    __slots__ = ("inputs", "is_tidy", "name", "nodes", "outputs")

    def __init__(
        self,
        inputs: Sequence[Value] = (),
        nodes: Sequence[Node] = (),
        outputs: Sequence[Value] = (),
        name: str = "graph",
    ) -> None:
        self.inputs = list(inputs)
        self.nodes = list(nodes)
        self.outputs = list(outputs)
        self.name = name
        # Whether there is nothing in it, or in its graphs, that no output needs.
        self.is_tidy = False

    def __repr__(self) -> str:
        return f"Graph({self.name}, {len(self.nodes)} nodes)"

    def __reduce__(self) -> NoReturn:
        raise pickle.PicklingError(
            f"the graph `{self.name}` is not pickled, as its ops are of this process: write the "
            "function to a file (`ag.save`), or keep the graph as text (`str(graph)`)"
        )

    def pending_for(self, position: int) -> Node | None:
        """The `pending` node that belongs to the node at `position`.

        It is the one just before it, apart from constants.
        """
        node = self.nodes[position]
        if node.graphs or node.op.name == "constant":
            return None
        before = position - 1
        while before >= 0 and self.nodes[before].op.name == "constant":
            before -= 1
        is_pending = before >= 0 and self.nodes[before].op.name == "pending"
        return self.nodes[before] if is_pending else None

    def parts(self) -> Iterator[Graph]:
        """This graph, and those that its nodes hold, at any depth."""
        yield self
        for node in self.walk():
            yield from node.graphs

    def walk(self) -> Iterator[Node]:
        """All nodes, those of sub-graphs included, each just after the node that holds them."""
        waiting = [iter(self.nodes)]
        while waiting:
            for node in waiting[-1]:
                yield node
                if node.graphs:
                    waiting.append(chain.from_iterable([graph.nodes for graph in node.graphs]))
                    break
            else:
                waiting.pop()
