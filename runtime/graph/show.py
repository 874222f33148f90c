"""A graph as text and as a drawing. Both are stable: names are numbered in program order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from runtime.graph.ir import Graph, Node, Value
from runtime.places import short_place
from runtime.spec import TensorType, Type

__all__ = ["Names", "describe", "dot", "ending", "heading", "line", "literal", "statement", "text"]

INDENT = "  "
LONGEST = 60


class Names:
    """Names of the values of one graph: an input goes by its name, other values by number.

    Values that are scalar constants go by the constant itself.
    """

    def __init__(self, graph: Graph, numbers: Iterator[int] | None = None) -> None:
        self.numbers = itertools.count(1) if numbers is None else numbers
        self._names: dict[Value, str] = {}
        self._taken: set[str] = set()
        for value in graph.inputs:
            self.add(value)

    def __getitem__(self, value: Value) -> str:
        return self._names.get(value, "%undefined")

    def add(self, value: Value) -> str:
        """Name a value that is defined here."""
        inlined = None if value.node is None else literal(value.node)
        self._names[value] = self._fresh(value) if inlined is None else inlined
        return self._names[value]

    def _fresh(self, value: Value) -> str:
        if value.name is None:
            return f"%{next(self.numbers)}"
        tails = itertools.chain([""], (f"_{n}" for n in itertools.count(1)))
        name = next(n for n in (f"%{value.name}{tail}" for tail in tails) if n not in self._taken)
        self._taken.add(name)
        return name


def literal(node: Node) -> str | None:
    """Text that can stand for a scalar constant; None for any other node."""
    if node.op.name != "constant" or len(node.outputs) != 1:
        return None
    type_, value = node.outputs[0].type, node.attrs.get("value")
    if not isinstance(type_, TensorType) or type_.shape != () or value is None:
        return None
    return repr(value) if type_.weak else f"{type_.dtype}({_number(value)})"


def _number(value: Any) -> str:
    return str(value.item() if isinstance(value, (np.generic, np.ndarray)) else value)


def text(graph: Graph) -> str:
    """The graph for a reader: a line per node, graphs of a node indented below it.

    The comment of a line names the user's file and line.
    """
    return "\n".join(_lines(graph, itertools.count(1))) + "\n"


def _lines(graph: Graph, numbers: Iterator[int]) -> Iterator[str]:
    names = Names(graph, numbers)
    yield f"{heading(graph, names)} {{"
    for node in graph.nodes:
        for value in node.outputs:
            names.add(value)
        if literal(node) is None:
            yield INDENT + line(node, names)
        for inner in node.graphs:
            yield from (INDENT * 2 + row for row in _lines(inner, numbers))
    yield f"{INDENT}{ending(graph, names)}"
    yield "}"


def heading(graph: Graph, names: Names) -> str:
    """The name of a graph, its inputs, and the types of its outputs."""
    inputs = ", ".join(f"{names[value]}: {value.type}" for value in graph.inputs)
    outputs = ", ".join(str(value.type) for value in graph.outputs)
    return f"graph {graph.name}({inputs}) -> ({outputs})"


def ending(graph: Graph, names: Names) -> str:
    """The outputs of a graph, as its last line."""
    return f"return {', '.join(names[value] for value in graph.outputs)}".rstrip()


def line(node: Node, names: Names) -> str:
    """One node on one line."""
    origin = node.origin
    comment = "" if origin is None else f"   # {short_place(origin.filename, origin.lineno)}"
    return statement(node, names) + comment


def statement(node: Node, names: Names) -> str:
    """One node, without the place that it comes from."""
    results = ", ".join(f"{names[value]}: {value.type}" for value in node.outputs)
    operands = ", ".join(names[value] for value in node.inputs)
    parts = [f"{results} =" if results else "", describe(node), operands]
    return " ".join(part for part in parts if part)


def describe(node: Node) -> str:
    """The op and its attributes, such as `sum[axis=0]`."""
    attrs = ", ".join(
        str(value) if isinstance(value, Type) else f"{key}={_attribute(value)}"
        for key, value in node.attrs.items()
    )
    return f"{node.op.name}[{attrs}]" if attrs else node.op.name


def _attribute(value: Any) -> str:
    if isinstance(value, np.dtype):
        return str(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_attribute, value))}{',' * (len(value) == 1)})"
    return _shortened(_without_address(value))


def _array(value: np.ndarray[Any, Any]) -> str:
    if value.size > 8:
        return f"<{value.dtype} array of shape {value.shape}>"
    return _shortened(" ".join(np.array2string(value, separator=", ").split()))


def _without_address(value: Any) -> str:
    shown = repr(value)
    if not shown.endswith(f" at {id(value):#x}>") and f"{id(value):#x}" not in shown:
        return shown
    return f"<{getattr(value, '__qualname__', type(value).__qualname__)}>"


def _shortened(shown: str) -> str:
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."


def dot(graph: Graph) -> str:
    """The graph in the language of Graphviz; graphs of a node are boxes."""
    ids = itertools.count()
    body = [f"{INDENT}{row}" for row in _drawn(graph, ids, {})]
    return "\n".join([f"digraph {_quoted(graph.name)} {{", *body, "}", ""])


def _drawn(graph: Graph, ids: Iterator[int], points: dict[Value, str]) -> Iterator[str]:
    for position, value in enumerate(graph.inputs):
        points[value] = f"n{next(ids)}"
        label = f"{value.name or f'input {position}'}: {value.type}"
        yield f"{points[value]} [shape=ellipse, label={_quoted(label)}];"
    for node in graph.nodes:
        yield from _drawn_node(node, ids, points)
    yield from _drawn_outputs(graph.outputs, ids, points)


def _drawn_node(node: Node, ids: Iterator[int], points: dict[Value, str]) -> Iterator[str]:
    point = f"n{next(ids)}"
    points.update(dict.fromkeys(node.outputs, point))
    label = literal(node) or "\n".join([describe(node), *(str(v.type) for v in node.outputs)])
    yield f"{point} [shape=box, label={_quoted(label)}];"
    yield from (f"{points.get(value, 'undefined')} -> {point};" for value in node.inputs)
    for inner in node.graphs:
        yield f"subgraph cluster_{next(ids)} {{"
        yield f"{INDENT}label={_quoted(f'{node.op.name}: {inner.name}')};"
        yield from (f"{INDENT}{row}" for row in _drawn(inner, ids, points))
        yield "}"


def _drawn_outputs(
    outputs: Sequence[Value], ids: Iterator[int], points: dict[Value, str]
) -> Iterator[str]:
    for position, value in enumerate(outputs):
        point = f"n{next(ids)}"
        yield f"{point} [shape=ellipse, label={_quoted(f'output {position}')}];"
        yield f"{points.get(value, 'undefined')} -> {point};"


def _quoted(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
