"""The definition of what a graph means: walk it, one kernel per node."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Any

from runtime.errors import Origin
from runtime.execute import Executable
from runtime.execute.kernels import compute
from runtime.execute.tracebacks import relocate
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.show import text

__all__ = ["prepare"]


class _Walk:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def source(self) -> str:
        """The graph as text: it is what is run."""
        return text(self.graph)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        return _run(self.graph, *inputs)


def prepare(graph: Graph) -> Executable:
    """`graph` as something to call."""
    return _Walk(graph)


def _run(graph: Graph, *inputs: Any) -> tuple[Any, ...]:
    values: dict[Value, Any] = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        rule = _CONTROL.get(node.op.name, _apply)
        try:
            results = rule(node, [values[value] for value in node.inputs])
        except BaseException as error:
            relocate(error, partial(_places, node, error.__traceback__))
            raise
        values.update(zip(node.outputs, results, strict=True))
    return tuple(values[value] for value in graph.outputs)


def _apply(node: Node, values: Sequence[Any]) -> Sequence[Any]:
    return compute(node, values, [partial(_run, graph) for graph in node.graphs])


def _cond(node: Node, values: Sequence[Any]) -> Sequence[Any]:
    predicate, *captures = values
    return _run(node.graphs[0 if predicate else 1], *captures)


def _while(node: Node, values: Sequence[Any]) -> Sequence[Any]:
    test, body = node.graphs
    count = node.attrs.get("captures", 0)
    maximum = node.attrs.get("maximum")
    captures, carried = values[:count], values[count:]
    for _ in itertools.count() if maximum is None else range(maximum):
        if not _run(test, *captures, *carried)[0]:
            break
        carried = _run(body, *captures, *carried)
    return carried


def _call(node: Node, values: Sequence[Any]) -> Sequence[Any]:
    return _run(node.graphs[0], *values)


_CONTROL: dict[str, Callable[[Node, Sequence[Any]], Sequence[Any]]] = {
    "cond": _cond,
    "while": _while,
    "call": _call,
}


def _places(
    node: Node, first: TracebackType | None, part: TracebackType
) -> Sequence[Origin] | None:
    """The node's position for the entry of `_run`; a branch or loop is not a call of its own."""
    if part.tb_frame.f_globals is not globals():
        return None
    is_statement = node.op.name in ("cond", "while")
    return [] if part is not first or is_statement or node.origin is None else [node.origin]
