"""Context managers of Python's that a graph enters and leaves at each run.

While tracing, `enter` and `exit` are ordered effects around the nodes between them. Before any
pass, `outline_contexts` puts these nodes into the graph of one `within` node, so that what is
inside of a manager stays inside, and an error that leaves them leaves the manager too. No graph
runs without that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.errors import StagingError
from runtime.graph.clone import Change, Copy, clone, copy_node, copy_value, shared
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import Type

__all__ = ["ENTER", "EXIT", "WITHIN", "outline_contexts"]


def _nothing(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    return ()


def _given(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    raise TypeError("the types of a `within` node are given by its graph")


def _alone(xp: Any, manager: Callable[[], Any], is_setting: bool) -> Any:
    raise AssertionError("`enter` and `exit` run as one `within`")


def _within(
    xp: Any,
    *operands: Any,
    manager: Callable[[], Any],
    is_setting: bool,
    graphs: Sequence[Callable[..., Any]],
) -> Any:
    entered = manager()
    with entered:
        return graphs[0](*operands)
    raise StagingError(
        f"a {type(entered).__name__} swallowed an error that was not expected where it was traced",
        "test the condition with `if` instead",
    )


def _may_fail(types: Sequence[Type], attrs: dict[str, Any]) -> bool:
    """Whether entering can raise: a setting is just changed."""
    return not attrs["is_setting"]


ENTER = Op(
    "enter",
    _alone,
    _nothing,
    effect="host",
    raises=_may_fail,
    doc="Enter the manager that `manager` gives.",
)
EXIT = Op("exit", _alone, _nothing, effect="host", doc="Leave the manager entered last.")
WITHIN = Op(
    "within", _within, _given, effect="host", raises=_may_fail, doc="Run a graph within a manager."
)


# ---- one node of two ---------------------------------------------------------------------------


def outline_contexts(graph: Graph) -> Graph:
    """`graph` with `within` nodes, inner ones first, for its pairs of `enter` and `exit`."""
    if not any(node.op.name == "enter" for node in graph.walk()):
        return graph
    return shared(_outlined)(graph)


def _outlined(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        copy.keep(node)
    made = copy.finish()
    if any(node.op.name == "enter" for node in made.nodes):
        made = clone(made)  # its nodes get other operands
    while (region := _innermost(made.nodes)) is not None:
        _outline(made, *region)
    return made


def _innermost(nodes: Sequence[Node]) -> tuple[int, int] | None:
    """Positions of the first `exit` and of the `enter` that belongs to it."""
    last = None
    for position, node in enumerate(nodes):
        if node.op.name == "enter":
            last = position
        elif node.op.name == "exit":
            assert last is not None, "an `exit` without `enter`"
            return last, position
    return None


def _outline(graph: Graph, first: int, last: int) -> None:
    """Replace the nodes from `enter` to `exit` by one."""
    enter, inner = graph.nodes[first], graph.nodes[first + 1 : last]
    after = graph.nodes[last:]
    needed = dict.fromkeys(v for node in after for v in node.inputs)
    needed.update(dict.fromkeys(graph.outputs))
    made = {value for node in inner for value in node.outputs}
    results = [value for value in needed if value in made]
    operands = list(dict.fromkeys(v for n in inner for v in n.inputs if v not in made))
    body = _body(inner, operands, results, f"{graph.name}_within")
    types = [value.type for value in results]
    within = Node(WITHIN, operands, dict(enter.attrs), [body], types, enter.origin)
    values = dict(zip(results, within.outputs, strict=True))
    for value, new in values.items():
        new.name = value.name
    for node in after:
        node.inputs = [values.get(value, value) for value in node.inputs]
    graph.outputs = [values.get(value, value) for value in graph.outputs]
    graph.nodes[first : last + 1] = [within]


def _body(nodes: Sequence[Node], operands: list[Value], results: list[Value], name: str) -> Graph:
    inputs = [copy_value(value) for value in operands]
    values = dict(zip(operands, inputs, strict=True))
    copies = []
    for node in nodes:
        made = copy_node(node, [values[value] for value in node.inputs], node.graphs)
        values.update(zip(node.outputs, made.outputs, strict=True))
        copies.append(made)
    return Graph(inputs, copies, [values[value] for value in results], name)
