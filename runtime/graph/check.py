"""Whether a graph is well formed; the message of the first thing that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from runtime.errors import GraphError
from runtime.graph.ir import Graph, Node, Value, device_of_types
from runtime.graph.show import Names, line
from runtime.spec import (
    ErrorType,
    StackType,
    TensorType,
    Type,
    VariableType,
    is_compatible,
    on_device,
    type_of_number,
)

__all__ = ["Known", "accepts", "check", "is_control"]

NEIGHBOURS = 3


# Graphs that are well formed, with their nodes when they were looked at.
Known: TypeAlias = dict[Graph, list[Node]]


def check(graph: Graph, known: Known | None = None) -> None:
    """Raise GraphError unless values are defined once, before use, with the types they claim.

    The graphs of control-flow nodes must take and give what their node does. Those that are `known`
    and have the same nodes are not looked at again; others join them.
    """
    _check(graph, {}, {} if known is None else known)


def _check(graph: Graph, functions: Mapping[str, Graph], known: Known) -> None:
    """`functions` are the graphs around that may be called from within."""
    if not functions and known.get(graph) == graph.nodes:
        return
    defined: set[Value] = set()
    for value in graph.inputs:
        if value in defined:
            raise GraphError(f"graph `{graph.name}` has the same input twice: {value!r}")
        defined.add(value)
    for position, node in enumerate(graph.nodes):
        problem = _problem(node, defined, functions)
        if problem:
            raise GraphError(_message(graph, position, problem))
        defined.update(node.outputs)
        around = functions
        if node.op.name == "recursion":
            around = {**functions, node.attrs["function"]: node.graphs[0]}
        for inner in node.graphs:
            _check(inner, around, known)
    for position, value in enumerate(graph.outputs):
        if value not in defined:
            what = f"output {position} of graph `{graph.name}`, {value!r}, is not defined in it"
            raise GraphError(f"{what}; expected one of its inputs or a result of its nodes")
    if not functions:
        known[graph] = list(graph.nodes)


def is_control(name: str) -> bool:
    """Whether nodes of the op of that name hold graphs, which are checked here."""
    return name in _CONTROL


def accepts(general: Type, specific: Type) -> bool:
    """Whether a value of type `specific` may stand where `general` is declared."""
    if isinstance(general, TensorType) and isinstance(specific, TensorType):
        return is_compatible(general, specific)
    if isinstance(general, StackType) and isinstance(specific, StackType):
        return accepts(general.element, specific.element)
    if isinstance(general, VariableType) and isinstance(specific, VariableType):
        return accepts(general.content, specific.content)
    return general == specific


def _problem(node: Node, defined: set[Value], functions: Mapping[str, Graph]) -> str:
    for position, value in enumerate(node.inputs):
        if value not in defined:
            where = "before it is defined" if value.node is not None else "but belongs elsewhere"
            return f"input {position} ({value!r}) is used {where}"
    for position, value in enumerate(node.outputs):
        if value in defined:
            return f"output {position} ({value!r}) is defined a second time"
        if value.node is not node or value.index != position:
            return f"output {position} says that it is output {value.index} of {value.node!r}"
    if node.op.name == "recur":
        return _recur(node, functions)
    rule = _CONTROL.get(node.op.name) or _EFFECTS.get(node.op.name, _wrong_types)
    return rule(node)


def _wrong_types(node: Node) -> str:
    if node.graphs:
        return ""
    types = [value.type for value in node.inputs]
    try:
        derived = node.op.infer_all(types, node.attrs)
        if device_of_types(types) is None and node.device is not None:
            derived = tuple(on_device(t, node.device) for t in derived)  # it makes an array there
    except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
        return f"its type rule refuses {_listed(types)}: {error}"
    return _disagreement("result", [value.type for value in node.outputs], derived)


def _disagreement(role: str, expected: Sequence[Type], found: Sequence[Type]) -> str:
    if len(expected) != len(found):
        return f"expected {len(expected)} {role}s, found {len(found)}"
    for position, (general, specific) in enumerate(zip(expected, found, strict=True)):
        if not accepts(general, specific):
            return f"{role} {position}: expected {general}, found {specific}"
    return ""


def _listed(types: Sequence[Any]) -> str:
    return f"({', '.join(map(str, types))})"


def _types(values: Sequence[Value]) -> list[Type]:
    return [value.type for value in values]


def _calls(node: Node, graphs: int) -> str:
    """What is wrong with graphs that take the operands of `node` and give its results."""
    if len(node.graphs) != graphs:
        return f"expected {graphs} graphs, found {len(node.graphs)}"
    operands = _types(node.inputs)[len(node.inputs) - len(node.graphs[0].inputs) :]
    for graph in node.graphs:
        problem = _disagreement("input", _types(graph.inputs), operands) or _disagreement(
            "output", _types(node.outputs), _types(graph.outputs)
        )
        if problem:
            return f"graph `{graph.name}`: {problem}"
    return ""


def _call(node: Node) -> str:
    return _calls(node, 1)


def _recur(node: Node, functions: Mapping[str, Graph]) -> str:
    called = functions.get(node.attrs["function"])
    if called is None:
        return f"it calls `{node.attrs['function']}`, which is no function around it"
    return _disagreement("input", _types(called.inputs), _types(node.inputs)) or _disagreement(
        "result", _types(node.outputs), _types(called.outputs)
    )


def _cond(node: Node) -> str:
    if not node.inputs:
        return "expected a predicate as first input"
    if not _is_truth(node.inputs[0].type):
        return f"expected a predicate of rank 0, found {node.inputs[0].type}"
    if len(node.graphs) == 2 and len(node.graphs[0].inputs) != len(node.inputs) - 1:
        return f"expected {len(node.inputs) - 1} inputs of graphs, found another number"
    return _calls(node, 2)


def _try(node: Node) -> str:
    if len(node.graphs) != 1:
        return f"expected 1 graph, found {len(node.graphs)}"
    (body,) = node.graphs
    first = _types(node.outputs)[:2]
    if first != [type_of_number(0), ErrorType()]:
        return f"expected an int and an error as first results, found {_listed(first)}"
    return _disagreement("input", _types(body.inputs), _types(node.inputs)) or _disagreement(
        "output", _types(node.outputs)[2:], _types(body.outputs)
    )


def _while(node: Node) -> str:
    if len(node.graphs) != 2:
        return f"expected 2 graphs, test and body, found {len(node.graphs)}"
    test, body = node.graphs
    captures = node.attrs.get("captures", 0)
    if not 0 <= captures <= len(node.inputs):
        return f"expected at most {len(node.inputs)} captures, found {captures}"
    carried = _types(body.inputs)[captures:]
    if len(test.outputs) != 1 or not _is_truth(test.outputs[0].type):
        return f"expected a test with one output of rank 0, found {_listed(_types(test.outputs))}"
    return (
        _disagreement("input of the body", _types(body.inputs), _types(node.inputs))
        or _disagreement("input of the test", _types(test.inputs), _types(body.inputs))
        or _disagreement("carried value", carried, _types(body.outputs))
        or _disagreement("result", _types(node.outputs), carried)
    )


def _custom_gradient(node: Node) -> str:
    results, targets = node.attrs["results"], node.attrs["targets"]
    if len(node.graphs) != 1 or not 0 <= results <= len(node.inputs):
        return f"expected 1 graph and at most {len(node.inputs)} results"
    types, (graph,) = _types(node.inputs), node.graphs
    cotangents = [t.strong() if isinstance(t, TensorType) else t for t in types[:results]]
    if len(targets) != len(graph.outputs) or any(not 0 <= t < len(types) for t in targets):
        return f"expected the positions of {len(graph.outputs)} inputs, found {targets}"
    return _disagreement("result", _types(node.outputs), types[:results]) or _disagreement(
        "input of the graph", _types(graph.inputs), [*cotangents, *types[results:]]
    )


def _is_truth(type_: Type) -> bool:
    return isinstance(type_, TensorType) and type_.shape in ((), None)


_CONTROL = {
    "cond": _cond,
    "while": _while,
    "call": _call,
    "custom_gradient": _custom_gradient,
    "try": _try,
    "within": _call,
    "recursion": _call,
}


def _pending(node: Node) -> str:
    size, count = len(node.inputs), node.attrs["count"]
    saved = [position for _, positions in node.attrs.get("saved", ()) for position in positions]
    if not 0 <= count <= size or any(p is not None and not 0 <= p < size for p in saved):
        return f"expected positions of its {size} inputs, found {count} and {saved}"
    return _wrong_types(node)


def _of_error(node: Node) -> str:
    if _types(node.inputs) != [ErrorType()]:
        return f"expected an error, found {_listed(_types(node.inputs))}"
    return _wrong_types(node)


_EFFECTS = {
    "pending": _pending,
    "reraise": _of_error,
    "is_error": _of_error,
    "is_of_class": _of_error,
    "error_part": _of_error,
}


def _message(graph: Graph, position: int, problem: str) -> str:
    node = graph.nodes[position]
    where = "" if node.origin is None else f"{node.origin}: "
    head = f"{where}node {position} (`{node.op.name}`) of graph `{graph.name}`: {problem}"
    excerpt = "" if node.origin is None else node.origin.excerpt()
    return "\n".join(part for part in (head, excerpt, _surroundings(graph, position)) if part)


def _surroundings(graph: Graph, position: int) -> str:
    names = Names(graph)
    rows = []
    for index, node in enumerate(graph.nodes[: position + NEIGHBOURS + 1]):
        for value in node.outputs:
            names.add(value)
        if index >= position - NEIGHBOURS:
            rows.append(f"  {'>' if index == position else ' '} {line(node, names)}")
    return "\n".join(rows)
