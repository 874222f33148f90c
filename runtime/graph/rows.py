"""A graph as rows of plain Python values, which `marshal` writes, and a graph of such rows.

What is known by its identity only is a number there: who reads the rows has the objects.
"""

from __future__ import annotations

import builtins
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np

from runtime.dtypes import dtype_from, is_narrow, kind_of
from runtime.errors import Origin
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.process.caching import cached_property
from runtime.spec import (
    ErrorType,
    FrameType,
    ObjectType,
    StackType,
    TensorType,
    Type,
    VariableType,
    bits,
)

__all__ = ["Facts", "NameOf", "Reader", "Unwritable", "WholeWriter", "Writer", "origins_of"]

# What an op is called in rows, None where it has no name; and back.
NameOf: TypeAlias = Callable[[Op], Any]
OpOf: TypeAlias = Callable[[Any], Op]
# Of ops that may hold objects: what of a node's decides how it is compiled.
Facts: TypeAlias = Mapping[Op, Callable[[Node], Any]]

_NUMBERS = "biufc"
_AS_IT_IS = frozenset((type(None), bool, int, str, type(Ellipsis)))
_OF_ONE_KIND: dict[str, Callable[[], Type]] = {
    "object": ObjectType,
    "error": ErrorType,
    "frame": FrameType,
}
_NAMES_OF_KINDS = {kind: name for name, kind in _OF_ONE_KIND.items()}


class Unwritable(Exception):
    """There is something in the graph that rows cannot tell."""


def origins_of(graph: Graph) -> list[Origin | None]:
    """The user's lines of all nodes, in an order that graphs of one fingerprint share."""
    return [node.origin for node in graph.walk()]


# ---- writing -------------------------------------------------------------------------------------


class Writer:
    """Writes graphs and those that their nodes hold, each once: all but names and lines.

    Objects are numbered as they are met.
    """

    def __init__(self, name_of: NameOf, facts: Facts) -> None:
        self.graphs: list[Any] = []
        # The bytes of arrays, by the numbers that the rows have for them.
        self.contents: list[bytes] = []
        self.objects: list[Any] = []
        self.facts = facts
        self._name_of = name_of
        # By identity: of graphs, which are kept, and of what they keep.
        self._kept: list[Graph] = []
        self._numbers: dict[int, int] = {}
        self._objects: dict[int, int] = {}
        self._types: dict[int, Any] = {}
        self._ops: dict[int, Any] = {}
        self._tokens: dict[int, int] = {}

    def graph(self, graph: Graph) -> int:
        """The number of a graph, which is written if it is new."""
        number = self._numbers.get(id(graph))
        if number is not None:
            return number
        number = self._numbers[id(graph)] = len(self.graphs)
        self.graphs.append(None)
        self._kept.append(graph)
        positions = count()
        known: dict[Value, int] = {value: next(positions) for value in graph.inputs}
        types = [self.of_type(value.type) for value in graph.inputs]
        rows = []
        for node in graph.nodes:
            rows.append(self.node(node, known))
            for value in node.outputs:
                known[value] = next(positions)
        self.graphs[number] = types, rows, [known[value] for value in graph.outputs]
        return number

    def node(self, node: Node, known: Mapping[Value, int]) -> Any:
        """The row of a node; `known` are the numbers of the values before it."""
        facts = self.facts.get(node.op)
        has_objects = facts is not None
        return (
            self._op(node.op),
            [known[value] for value in node.inputs],
            [(name, self._named(name, x, has_objects)) for name, x in node.attrs.items()],
            [self.graph(inner) for inner in node.graphs],
            [self.of_type(value.type) for value in node.outputs],
            node.signals,
            None if facts is None else self.attribute(facts(node), False),
        )

    def _named(self, name: str, value: Any, has_objects: bool) -> Any:
        if name == "token":
            return self._token(value)
        if name == "saved":
            value = tuple((self._token(token), at) for token, at in value)
        return self.attribute(value, has_objects)

    def _token(self, token: int) -> int:
        """The number of a `try`, which has another token in each trace."""
        return self._tokens.setdefault(token, len(self._tokens))

    def _op(self, op: Op) -> Any:
        name = self._ops.get(id(op))
        if name is None:
            name = self._ops[id(op)] = self._name_of(op)
            if name is None:
                raise Unwritable(op.name)
        return name

    def of_type(self, type_: Type) -> Any:
        """The row of a type."""
        found = self._types.get(id(type_))
        if found is None:
            found = self._types[id(type_)] = self._new_type(type_)
        return found

    def _new_type(self, type_: Type) -> Any:
        if type(type_) is TensorType:
            if type_.device is not None:
                raise Unwritable(type_)
            return _dtype(type_.dtype), type_.shape, type_.weak
        if type(type_) is VariableType:
            return "variable", self.of_type(type_.content)
        if type(type_) is StackType:
            return "stack", self.of_type(type_.element)
        name = _NAMES_OF_KINDS.get(type(type_))
        if name is None:
            raise Unwritable(type_)
        return (name,)

    def attribute(self, value: Any, has_objects: bool) -> Any:
        """An attribute; with `has_objects`, what is no plain value is an object."""
        kind = type(value)
        if kind in _AS_IT_IS:
            return value
        if kind is tuple or kind is list:
            return kind.__name__, [self.attribute(item, has_objects) for item in value]
        if kind is float or kind is complex:
            return kind.__name__, bits(value)
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return "slice", [self.attribute(n, has_objects) for n in parts]
        if kind is np.ndarray or isinstance(value, np.generic):
            self.contents.append(value.tobytes())
            at = len(self.contents) - 1
            return "array", at, _dtype(value.dtype), value.shape, kind is np.ndarray
        if isinstance(value, np.dtype):
            return "dtype", _dtype(value)
        if isinstance(value, Type):
            return "type", self.of_type(value)
        if isinstance(value, type) and issubclass(value, BaseException):
            return "class", [self._class(base) for base in value.__mro__]
        if not has_objects:
            raise Unwritable(value)
        return "object", self.object(value)

    def _class(self, found: type) -> str | int:
        """A class of exceptions: of Python's own, the name."""
        is_known = vars(builtins).get(found.__name__) is found
        return found.__name__ if is_known else self.object(found)

    def object(self, found: Any) -> int:
        """The number of an object."""
        number = self._objects.get(id(found))
        if number is None:
            number = self._objects[id(found)] = len(self.objects)
            self.objects.append(found)
        return number


class WholeWriter(Writer):
    """Writes graphs with names and lines, as a `Reader` makes them again.

    They are made of a graph that has the `objects` and `origins`: another one raises Unwritable.
    """

    def __init__(
        self, name_of: NameOf, objects: Sequence[Any], origins: Sequence[Origin | None]
    ) -> None:
        super().__init__(name_of, {})
        self.objects = list(objects)
        self._objects = {id(found): k for k, found in enumerate(objects)}
        self._count = len(objects)
        self._origins = {id(origin): k for k, origin in reversed([*enumerate(origins)])}

    def graph(self, graph: Graph) -> int:
        """The number of a graph, which is written if it is new."""
        number = super().graph(graph)
        if len(self.graphs[number]) == 3:
            names = [value.name for value in graph.inputs]
            self.graphs[number] = (*self.graphs[number], names, graph.name)
        return number

    def node(self, node: Node, known: Mapping[Value, int]) -> Any:
        """The row of a node, its line and the names of its outputs behind the rest."""
        row = super().node(node, known)
        return (*row, self.origin(node.origin), [value.name for value in node.outputs])

    def attribute(self, value: Any, has_objects: bool) -> Any:
        """An attribute; what is no plain value is an object."""
        return super().attribute(value, True)

    def object(self, found: Any) -> int:
        """The number of an object."""
        number = self._objects.get(id(found))
        if number is None:
            raise Unwritable(found)
        return number

    def origin(self, origin: Origin | None) -> int | None:
        """The number of a line."""
        if origin is None:
            return None
        number = self._origins.get(id(origin))
        if number is None:
            raise Unwritable(origin)
        return number


def _dtype(dtype: np.dtype[Any]) -> str:
    if kind_of(dtype) not in _NUMBERS:
        raise Unwritable(dtype)
    return dtype.name if is_narrow(dtype) else dtype.str


# ---- reading -------------------------------------------------------------------------------------


class Reader:
    """Makes graphs of rows that a `WholeWriter` wrote, each once.

    Lines are those of the `source`. Rows that are none raise LookupError, TypeError, ValueError or
    AttributeError.
    """

    def __init__(
        self,
        graphs: Sequence[Any],
        contents: Sequence[bytes],
        op_of: OpOf,
        objects: Sequence[Any],
        source: Graph,
    ) -> None:
        self.rows = graphs
        self.contents = contents
        self.op_of = op_of
        self.objects = objects
        self.source = source
        self._known: dict[int, Graph] = {}

    @cached_property
    def origins(self) -> list[Origin | None]:
        """The lines by their numbers."""
        return origins_of(self.source)

    def graph(self, number: int) -> Graph:
        """The graph of a number."""
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._new_graph(self.rows[number])
        return found

    def _new_graph(self, row: Any) -> Graph:
        types, rows, outputs, names, title = row
        values = [
            Value(self.of_type(type_), name=name) for type_, name in zip(types, names, strict=True)
        ]
        graph = Graph(values, [], [], title)
        for node_row in rows:
            node = self._node(node_row, values)
            graph.nodes.append(node)
            values += node.outputs
        graph.outputs = [values[k] for k in outputs]
        return graph

    def _node(self, row: Any, values: Sequence[Value]) -> Node:
        op, inputs, attrs, graphs, types, signals, _, origin, names = row
        node = Node(
            self.op_of(op),
            [values[k] for k in inputs],
            {name: self.attribute(value) for name, value in attrs},
            [self.graph(number) for number in graphs],
            [self.of_type(type_) for type_ in types],
            self.origin(origin),
        )
        node.signals = signals
        for value, name in zip(node.outputs, names, strict=True):
            value.name = name
        return node

    def origin(self, number: int | None) -> Origin | None:
        """The line of a number."""
        return None if number is None else self.origins[number]

    def of_type(self, row: Any) -> Type:
        """The type of a row."""
        if len(row) == 3:
            dtype, shape, weak = row
            return TensorType(dtype_from(dtype), shape, weak)
        if row[0] == "variable":
            content = self.of_type(row[1])
            assert isinstance(content, TensorType)
            return VariableType(content.dtype, content.shape)
        if row[0] == "stack":
            return StackType(self.of_type(row[1]))
        return _OF_ONE_KIND[row[0]]()

    def attribute(self, row: Any) -> Any:
        """The attribute that is written so."""
        return row if type(row) is not tuple else _ATTRIBUTES[row[0]](self, *row[1:])

    def _each(self, rows: Iterable[Any]) -> list[Any]:
        return [self.attribute(row) for row in rows]

    def _array(self, at: int, dtype: str, shape: tuple[int, ...], is_array: bool) -> Any:
        found = np.ndarray(shape, dtype_from(dtype), self.contents[at]).copy()
        return found if is_array else found[()]

    def _class(self, bases: Sequence[str | int]) -> Any:
        first = bases[0]
        return vars(builtins)[first] if isinstance(first, str) else self.objects[first]


_ATTRIBUTES: dict[str, Callable[..., Any]] = {
    "tuple": lambda reader, rows: tuple(reader._each(rows)),
    "list": lambda reader, rows: reader._each(rows),
    "float": lambda reader, content: struct.unpack("<dd", content)[0],
    "complex": lambda reader, content: complex(*struct.unpack("<dd", content)),
    "slice": lambda reader, rows: slice(*reader._each(rows)),
    "array": Reader._array,
    "dtype": lambda reader, name: dtype_from(name),
    "type": Reader.of_type,
    "class": Reader._class,
    "object": lambda reader, number: reader.objects[number],
}
