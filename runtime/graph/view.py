"""A graph as its user looks at it: printed, drawn, listed and searched by name."""

from __future__ import annotations

from typing import NamedTuple

from runtime.graph import picture
from runtime.graph.codec import GraphDef, as_graph_def, node_names, value_names
from runtime.graph.html import html
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.show import dot, text
from runtime.markup import folded

__all__ = ["FuncGraph", "Operation"]

# A notebook draws graphs of so many nodes: of more, nobody finds anything in a picture.
_PICTURED = 300


class Operation(NamedTuple):
    """One node with its name; `inputs` and `outputs` are names of values."""

    name: str
    type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    node: Node

    @property
    def op(self) -> str:
        """Name of the op: the same as `type`."""
        return self.type

    @property
    def device(self) -> str:
        """Where the node runs; the empty string where nothing else was asked for."""
        return str(self.node.attrs.get("device", ""))

    @property
    def control_inputs(self) -> tuple[str, ...]:
        """Always empty: effects keep the order of the nodes, which is the program's."""
        return ()


class FuncGraph(Graph):
    """The graph of a function, for reading: it shares inputs, nodes and outputs with `graph`."""

    __slots__ = ()

    def __init__(self, graph: Graph) -> None:
        self.inputs = graph.inputs
        self.nodes = graph.nodes
        self.outputs = graph.outputs
        self.name = graph.name
        self.is_tidy = graph.is_tidy

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        if sum(1 for _ in self.walk()) > _PICTURED:
            return html(self)
        return html(self) + folded("picture", picture.html(self))

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        return dot(self)

    def as_graph_def(self) -> GraphDef:
        """The graph as plain data."""
        return as_graph_def(self)

    @property
    def operations(self) -> list[Operation]:
        """The nodes in program order, without those of sub-graphs."""
        names = value_names(self)
        return [
            Operation(
                name,
                node.op.name,
                tuple(names[value] for value in node.inputs),
                tuple(names[value] for value in node.outputs),
                node,
            )
            for node, name in node_names(self).items()
        ]

    def get_operations(self) -> list[Operation]:
        """The nodes in program order: TensorFlow's spelling of `operations`."""
        return self.operations

    @property
    def tensors(self) -> dict[str, Value]:
        """The values by name, inputs first."""
        return {name: value for value, name in value_names(self).items()}

    def get_tensor_by_name(self, name: str) -> Value:
        """The value called `name`; `name:0` is the same value, as in TensorFlow."""
        found = self.tensors.get(name.removesuffix(":0"))
        if found is None:
            known = ", ".join(self.tensors)
            raise KeyError(f"graph `{self.name}` has no value `{name}`; it has {known}")
        return found
