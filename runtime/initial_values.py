"""The first value of a Variable that is created while a function is traced.

The call that is traced begins with the state that is there now. So what does not depend on its
arguments is known before it runs: it is computed from the nodes that lead to it, on copies of the
Variables and generators that they read. The call draws and assigns what it would have anyway.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np

from runtime.building import Builder, building
from runtime.execute.reference import prepare
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, VariableType
from runtime.tensor import Tensor

__all__ = ["first_value"]

# What changes nothing but Variables, which are copies here.
_ON_VARIABLES = frozenset(("read", "assign", "draw"))


def first_value(x: Tensor) -> Any:
    """The array that a traced tensor will be; None where that depends on arguments or Python."""
    builder, value = building(), x.current()._value
    if builder is None or builder.parent is not None or value is None or not builder.owns(value):
        return None
    nodes = _leading_to(value, builder.graph.nodes)
    if any(node.op.effect not in (None, *_ON_VARIABLES) for node in _all(nodes)):
        return None
    made = {v for node in nodes for v in node.outputs}
    inputs = list(dict.fromkeys(v for node in nodes for v in node.inputs if v not in made))
    contents = [_content(builder, v) for v in inputs]
    if any(content is None for content in contents):
        return None
    graph = Graph(inputs, nodes, [value])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return prepare(graph)(*contents)[0]
        except Exception:  # noqa: BLE001 - the call will raise it, at its place
            return None


def _leading_to(value: Value, nodes: list[Node]) -> list[Node]:
    """The nodes that `value` depends on, those that change what they read included, in order."""
    needed: set[Node] = set()
    waiting = [value.node]
    while waiting:
        node = waiting.pop()
        if node is None or node in needed:
            continue
        needed.add(node)
        waiting += [v.node for v in node.inputs]
        states = {v for v in node.inputs if isinstance(v.type, VariableType)}
        if states:
            before = nodes[: nodes.index(node)]
            waiting += [n for n in before if n.has_effect and not states.isdisjoint(n.inputs)]
            waiting += [n for n in before if n.op.effect == "host"]  # it may assign anything
    return [node for node in nodes if node in needed]


def _all(nodes: list[Node]) -> list[Node]:
    return [*nodes, *(n for node in nodes for graph in node.graphs for n in graph.walk())]


def _content(builder: Builder, value: Value) -> Any:
    """What an input of the graph holds now; None for an argument."""
    thing = builder.content_of(value)
    if isinstance(value.type, VariableType):
        if thing is None:
            return None
        return SimpleNamespace(array=thing.array, variable_type=thing.variable_type)
    if not isinstance(value.type, TensorType):
        return None
    return thing.array if isinstance(thing, Tensor) else thing
