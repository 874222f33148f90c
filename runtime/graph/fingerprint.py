"""What a graph computes as bytes: two graphs of the same bytes compute the same, bit for bit.

Names and positions in the user's program are not in it. A graph has none where it holds what is
known by its identity only: objects, functions, arrays of other devices.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Container
from itertools import count
from typing import Any

import numpy as np

from runtime.dtypes import is_narrow, kind_of
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import StackType, TensorType, Type, VariableType, bits

__all__ = ["fingerprint"]

_NUMBERS = "biufc"
# The last format of `marshal` in which equal values are equal bytes: later ones tell which are one
# object.
_FORMAT = 2


class _Unknown(Exception):
    """There is something in the graph that bytes cannot tell."""


def fingerprint(
    graph: Graph, is_known: Callable[[Op], bool], unread: Container[Op] = ()
) -> bytes | None:
    """The bytes of `graph`, None where it has none.

    `is_known` says whether the name of an op is all that there is to say of it; of `unread` ops,
    the attributes do not matter.
    """
    writer = _Writer(is_known, unread)
    try:
        writer.graph(graph)
        rows = marshal.dumps(writer.graphs, _FORMAT)
    except (_Unknown, ValueError):  # `marshal` writes values of Python alone
        return None
    return rows + b"".join(writer.contents)


class _Writer:
    """Writes a graph and those that its nodes hold, each once: rows of plain Python values."""

    def __init__(self, is_known: Callable[[Op], bool], unread: Container[Op]) -> None:
        self.is_known = is_known
        self.unread = unread
        self.graphs: list[Any] = []
        # The bytes of arrays, in the order in which the rows have their dtypes and shapes.
        self.contents: list[bytes] = []
        # By identity; the graph keeps what they are of.
        self._numbers: dict[int, int] = {}
        self._types: dict[int, Any] = {}
        self._ops: dict[int, str] = {}

    def graph(self, graph: Graph) -> int:
        """The number of a graph, which is written if it is new."""
        number = self._numbers.get(id(graph))
        if number is not None:
            return number
        number = self._numbers[id(graph)] = len(self.graphs)
        self.graphs.append(None)
        positions = count()
        known: dict[Value, int] = {value: next(positions) for value in graph.inputs}
        types = [self._type(value.type) for value in graph.inputs]
        rows = []
        for node in graph.nodes:
            rows.append(self._node(node, known))
            for value in node.outputs:
                known[value] = next(positions)
        self.graphs[number] = types, rows, [known[value] for value in graph.outputs]
        return number

    def _node(self, node: Node, known: dict[Value, int]) -> Any:
        attrs = {} if node.op in self.unread else node.attrs
        return (
            self._op(node.op),
            [known[value] for value in node.inputs],
            [(name, self._attribute(value)) for name, value in attrs.items()],
            [self.graph(inner) for inner in node.graphs],
            [self._type(value.type) for value in node.outputs],
            node.signals,
        )

    def _op(self, op: Op) -> str:
        name = self._ops.get(id(op))
        if name is None:
            if not self.is_known(op):
                raise _Unknown
            name = self._ops[id(op)] = op.name
        return name

    def _type(self, type_: Type) -> Any:
        found = self._types.get(id(type_))
        if found is None:
            found = self._types[id(type_)] = self._new_type(type_)
        return found

    def _new_type(self, type_: Type) -> Any:
        if type(type_) is TensorType:
            if type_.device is not None:
                raise _Unknown
            return _dtype(type_.dtype), type_.shape, type_.weak
        if type(type_) is VariableType:
            return "variable", self._type(type_.content)
        if type(type_) is StackType:
            return "stack", self._type(type_.element)
        raise _Unknown

    def _attribute(self, value: Any) -> Any:
        kind = type(value)
        if kind in _AS_IT_IS:
            return value
        if kind is tuple or kind is list:
            return kind.__name__, [self._attribute(item) for item in value]
        if kind is float or kind is complex:
            return kind.__name__, bits(value)
        if kind is slice:
            return "slice", [self._attribute(n) for n in (value.start, value.stop, value.step)]
        if kind is np.ndarray or isinstance(value, np.generic):
            self.contents.append(value.tobytes())
            return kind.__name__, _dtype(value.dtype), value.shape
        if isinstance(value, np.dtype):
            return "dtype", _dtype(value)
        if kind in (TensorType, StackType):
            return "type", self._type(value)
        raise _Unknown


_AS_IT_IS = frozenset((type(None), bool, int, str, type(Ellipsis)))


def _dtype(dtype: np.dtype[Any]) -> str:
    if kind_of(dtype) not in _NUMBERS:
        raise _Unknown
    return dtype.name if is_narrow(dtype) else dtype.str
