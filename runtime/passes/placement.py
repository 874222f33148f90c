"""The whole of a graph on one device: how programs are saved (the host's) and loaded elsewhere.

All strong values and Variables are put on the device, copies between devices fall away. Scalars
that a graph takes, and its constants, stay the host's: they are copied at the start.
"""

from __future__ import annotations

from typing import Any

from runtime.devices import HOST, in_use
from runtime.graph.clone import copy_node, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.ops import CONSTANT, copy_to
from runtime.spec import StackType, TensorType, Type, VariableType, on_device

__all__ = ["on_one_device"]

_COPY_TO = copy_to.op


def on_one_device(graph: Graph, device: str | None) -> Graph:
    """`graph` computed on a device (None: the host) whatever it was traced for."""
    if device is None and not in_use[0]:
        return graph
    return _Placer(device).main(graph)


class _Placer:
    """Copies graphs on to one device; a graph that several nodes hold stays one graph."""

    def __init__(self, device: str | None) -> None:
        self.device = device
        self.inner = shared(lambda graph, change: self._placed(graph))

    def main(self, graph: Graph) -> Graph:
        """The outermost graph, which may be given scalars of the host."""
        return self._placed(graph, is_main=True)

    def _placed(self, graph: Graph, is_main: bool = False) -> Graph:
        values: dict[Value, Value] = {}
        # Constants come first: nothing may stand between a node and what is pending for it.
        first: list[Node] = []
        inputs = []
        for old in graph.inputs:
            is_scalar = is_main and isinstance(old.type, TensorType) and old.type.shape == ()
            type_ = old.type.on(None) if is_scalar else self._type(old.type)  # type: ignore[union-attr]
            inputs.append(Value(type_, name=old.name))
            values[old] = self._brought(inputs[-1], first) if is_scalar else inputs[-1]
        nodes: list[Node] = []
        for node in graph.nodes:
            if node.op is CONSTANT:
                made = copy_node(node, (), ())
                first.append(made)
                values[node.outputs[0]] = self._brought(made.outputs[0], first)
            elif node.op is _COPY_TO and not _is_weak(node.inputs[0].type):
                values[node.outputs[0]] = values[node.inputs[0]]
            else:
                nodes.append(self._node(node, values))
        outputs = [values[value] for value in graph.outputs]
        return Graph(inputs, [*first, *nodes], outputs, graph.name)

    def _node(self, node: Node, values: dict[Value, Value]) -> Node:
        graphs = [self.inner(graph) for graph in node.graphs]
        made = copy_node(node, [values[value] for value in node.inputs], graphs)
        made.attrs = {name: self._attribute(value) for name, value in node.attrs.items()}
        if node.op is _COPY_TO:
            made.attrs["device"] = self.device or HOST
        for old, new in zip(node.outputs, made.outputs, strict=True):
            new.type = self._type(old.type)
            values[old] = new
        return made

    def _brought(self, value: Value, nodes: list[Node]) -> Value:
        """A value of the host as one of the device: weak ones go along."""
        if self.device is None or _is_weak(value.type):
            return value
        types = [on_device(value.type, self.device)]
        nodes.append(Node(_COPY_TO, [value], {"device": self.device}, (), types))
        return nodes[-1].outputs[0]

    def _type(self, type_: Type) -> Type:
        if isinstance(type_, StackType):
            return StackType(self._type(type_.element))
        if isinstance(type_, VariableType):
            return VariableType(type_.dtype, type_.shape, self.device)
        return on_device(type_, self.device)

    def _attribute(self, value: Any) -> Any:
        is_type = isinstance(value, (TensorType, StackType, VariableType))
        return self._type(value) if is_type else value


def _is_weak(type_: Type) -> bool:
    return isinstance(type_, TensorType) and type_.weak
