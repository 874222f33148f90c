"""Functions that call themselves until a condition holds that is known when the graph runs.

A `recursion` node holds the graph of such a function and calls it; `recur` nodes in that graph, and
in the graphs of its nodes, call it again. They know it by its name: the one meant is that of the
innermost `recursion` node around. So a graph stays a tree, and is data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runtime.building import Builder, traced
from runtime.errors import StagingError
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import Type
from runtime.tensor import Tensor

__all__ = ["RECUR", "RECURSION", "calls_in", "emit_recur", "emit_recursion", "free_name"]


def _recursion(xp: Any, *operands: Any, function: str, graphs: Sequence[Callable[..., Any]]) -> Any:
    raise TypeError("what a function that calls itself is, is known to executors only")


def _recur(xp: Any, *operands: Any, function: str) -> Any:
    raise TypeError("which function a `recur` calls is known to executors only")


def _given(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    raise TypeError("the types of a call are given by the function's graph")


def _always(types: Sequence[Type], attrs: dict[str, Any]) -> bool:
    """Each of them may be too deep."""
    return True


RECURSION = Op(
    "recursion", _recursion, _given, raises=_always, doc="Run a graph that may call itself."
)
# What the graph around does is not seen here: it may print, or draw random numbers.
RECUR = Op(
    "recur", _recur, _given, effect="recur", raises=_always, doc="Call the graph around again."
)


def calls_in(graph: Graph, function: str) -> Iterator[Node]:
    """The `recur` nodes in `graph` that call the function of that name around it."""
    for node in graph.nodes:
        if node.op is RECUR and node.attrs["function"] == function:
            yield node
        if not _hides(node, function):
            for inner in node.graphs:
                yield from calls_in(inner, function)


def _hides(node: Node, function: str) -> bool:
    return node.op is RECURSION and node.attrs["function"] == function


def free_name(name: str, *graphs: Graph) -> str:
    """A name like `name` for a function that no node in these graphs calls."""
    taken = {node.attrs["function"] for g in graphs for node in g.walk() if _names(node)}
    number, found = 1, name
    while found in taken:
        found = f"{name}_{number}"
        number += 1
    return found


def _names(node: Node) -> bool:
    return node.op is RECUR or node.op is RECURSION


# ---- emission --------------------------------------------------------------------------------


def emit_recur(
    builder: Builder, function: str, inputs: Sequence[Value], types: Sequence[Type]
) -> list[Tensor]:
    """A call, from within, of the function whose graph is being traced."""
    return _finish(builder, builder.emit(RECUR, inputs, {"function": function}, (), types))


def emit_recursion(
    parent: Builder,
    function: str,
    body: Builder,
    own: Sequence[Value],
    inputs: Sequence[Value],
    types: Sequence[Type],
) -> list[Tensor]:
    """A call of a function traced to the graph of `body`, of which `own` are the parameters.

    Values of the parent that the graph uses become inputs of it, handed on by each call within.
    """
    captured = dict(body.captured())  # a value of a graph further out may be named in two ways
    graph = body.graph
    inner = list(captured.values())
    graph.inputs = [*inner, *own]
    _hand_on(graph, function, inner)
    attrs = {"function": function}
    operands = [*captured, *inputs]
    return _finish(parent, parent.emit(RECURSION, operands, attrs, [graph], types))


def _finish(builder: Builder, node: Node) -> list[Tensor]:
    outputs = tuple(traced(v) for v in node.outputs)
    builder.tell_tapes(node, [traced(v) for v in node.inputs], outputs)
    return list(outputs)


def _hand_on(graph: Graph, function: str, values: Sequence[Value]) -> None:
    """Let each call of the function in `graph` get `values` of it, as its first operands."""
    if not values:
        return
    for node in graph.nodes:
        if node.op is RECUR and node.attrs["function"] == function:
            node.inputs = [*values, *node.inputs]
        elif not _hides(node, function) and any(
            next(calls_in(inner, function), None) for inner in node.graphs
        ):
            _bring_in(node, function, values)


def _bring_in(node: Node, function: str, values: Sequence[Value]) -> None:
    """Make values of the graph around a node known in all of its graphs."""
    if node.op.name == "custom_gradient":
        raise StagingError(
            f"the gradient function of a `custom_gradient` calls `{function}`, which calls itself "
            "until a condition holds that is known only when the graph runs",
            "let it compute with what the function gave",
            origin=node.origin,
        )
    first = 1 if node.op.name == "cond" else 0
    node.inputs = [*node.inputs[:first], *values, *node.inputs[first:]]
    if node.op.name == "while":
        node.attrs["captures"] += len(values)
    for graph in node.graphs:
        own = [Value(value.type, name=value.name) for value in values]
        graph.inputs = [*own, *graph.inputs]
        _hand_on(graph, function, own)
    if _names(node):
        _pass_along(node, len(values))


def _pass_along(node: Node, count: int) -> None:
    """Let the calls of a function within the function hand on the first `count` operands, too."""
    (graph,) = node.graphs
    _hand_on(graph, node.attrs["function"], graph.inputs[:count])
