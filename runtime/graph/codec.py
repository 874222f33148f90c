"""A graph as plain data: names, lists and numbers, as JSON has them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from runtime.graph.ir import Graph, Node, Value

__all__ = ["GraphDef", "NodeDef", "as_graph_def", "node_names", "title", "value_names"]


class NodeDef(NamedTuple):
    """One node: `input` holds names, `name` for the first output of a node, `name:1` for its next.

    An input of the graph is a node with op "Placeholder".
    """

    name: str
    op: str
    input: list[str]
    attr: dict[str, Any]
    graphs: list[GraphDef]
    type: list[str]

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries and lists that `json` takes."""
        return {
            "name": self.name,
            "op": self.op,
            "input": self.input,
            "attr": self.attr,
            "graphs": [graph.to_dict() for graph in self.graphs],
            "type": self.type,
        }


class GraphDef(NamedTuple):
    """A graph: its nodes in program order, inputs first, and the names of its outputs."""

    name: str
    node: list[NodeDef]
    output: list[str]

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries and lists that `json` takes."""
        return {
            "name": self.name,
            "node": [node.to_dict() for node in self.node],
            "output": self.output,
        }


def as_graph_def(graph: Graph) -> GraphDef:
    """`graph` as data."""
    names = value_names(graph)
    nodes = [_placeholder(value, names) for value in graph.inputs]
    for node, name in node_names(graph).items():
        nodes.append(_node(node, name, names))
    return GraphDef(graph.name, nodes, [names[value] for value in graph.outputs])


def _placeholder(value: Value, names: dict[Value, str]) -> NodeDef:
    return NodeDef(names[value], "Placeholder", [], {}, [], [str(value.type)])


def _node(node: Node, name: str, names: dict[Value, str]) -> NodeDef:
    return NodeDef(
        name,
        node.op.name,
        [names[value] for value in node.inputs],
        {key: _plain(value) for key, value in node.attrs.items()},
        [as_graph_def(inner) for inner in node.graphs],
        [str(value.type) for value in node.outputs],
    )


def _plain(value: Any) -> Any:
    """An attribute as JSON has it; what JSON lacks is a dictionary with one telling key."""
    if value is None or isinstance(value, (bool, int, float, str)) and type(value) in _PLAIN:
        return value
    if isinstance(value, np.dtype):
        return {"dtype": value.str}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, complex) and type(value) is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"dtype": value.dtype.str, "shape": list(value.shape), "data": _data(value)}
    return {"object": getattr(value, "__qualname__", type(value).__qualname__)}


_PLAIN = (bool, int, float, str)


def _data(array: Any) -> Any:
    if array.dtype.kind == "c":
        return [[x.real, x.imag] for x in array.reshape(-1).tolist()]
    return array.tolist()


def node_names(graph: Graph) -> dict[Node, str]:
    """A name for each node: its op, numbered from the second one on, as in `add`, `add_1`."""
    taken = set(_input_names(graph))
    counts: dict[str, Iterator[int]] = {}
    names: dict[Node, str] = {}
    for node in graph.nodes:
        names[node] = _free_name(node.op.name, taken, counts)
    return names


def value_names(graph: Graph) -> dict[Value, str]:
    """A name for each value: that of its node, with `:1` and so on for the second and later."""
    names = dict(zip(graph.inputs, _input_names(graph), strict=True))
    for node, name in node_names(graph).items():
        for value in node.outputs:
            names[value] = f"{name}:{value.index}" if value.index else name
    return names


def _input_names(graph: Graph) -> list[str]:
    taken: set[str] = set()
    counts: dict[str, Iterator[int]] = {}
    return [_free_name(title(value.name or "input"), taken, counts) for value in graph.inputs]


def title(name: str) -> str:
    """A name without what would make it a second output's, or spoil a line."""
    return "".join(c if c.isprintable() and c != ":" else "_" for c in name)


def _free_name(stem: str, taken: set[str], counts: dict[str, Iterator[int]]) -> str:
    name = stem
    while name in taken:
        name = f"{stem}_{next(counts.setdefault(stem, itertools.count(1)))}"
    taken.add(name)
    return name
