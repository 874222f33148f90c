"""Graphs as JSON and back. What is read is built node by node, checked, and inferred anew."""

from __future__ import annotations

from typing import Any

from runtime.effects.control import ERROR_PART
from runtime.errors import GraphError, UnsavableError
from runtime.graph.check import check, is_control
from runtime.graph.codec import node_names, title, value_names
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.save.attributes import check_attributes, operation
from runtime.save.dtypes import is_storable, parse_type, type_text
from runtime.save.places import Lines, Places
from runtime.save.reading import Malformed, is_name, members, texts
from runtime.save.values import Reader, Unstorable, Writer
from runtime.spec import FrameType, ObjectType, StackType, Type

__all__ = ["read_graph", "write_graph"]

# Graphs in graphs: branches and loops in each other.
_DEEPEST = 100
_OUTSIDE = {
    "store": "a store into `{target}`, which lives outside of the function",
    "host": "a call of Python code",
    "rng": "`{method}` of a generator of NumPy's, whose state is of this process",
}


# ---- writing ---------------------------------------------------------------------------------


def write_graph(graph: Graph, writer: Writer, places: Places) -> dict[str, Any]:
    """`graph` as JSON has it.

    Raises UnsavableError, with the user's line, for what a file cannot hold.
    """
    names = value_names(graph)
    inputs = [_write_input(value, names[value]) for value in graph.inputs]
    nodes = [
        _write_node(node, name, names, writer, places) for node, name in node_names(graph).items()
    ]
    outputs = [names[value] for value in graph.outputs]
    return {"name": graph.name, "inputs": inputs, "nodes": nodes, "outputs": outputs}


def _write_input(value: Value, name: str) -> dict[str, Any]:
    part: dict[str, Any] = {"name": name, "type": type_text(value.type)}
    return part if value.name == name else _with_names(part, [value], always=True)


def _write_node(
    node: Node, name: str, names: dict[Value, str], writer: Writer, places: Places
) -> dict[str, Any]:
    part: dict[str, Any] = {"name": name, "op": node.op.name}
    if node.op.effect in _OUTSIDE or operation(node.op.name) is not node.op:
        what = _OUTSIDE.get(node.op.effect or "", "an operation `{op}` that is not one of ours")
        if "call" in node.attrs:
            what = "a call of `{call}`, which is Python code"
        raise _unsavable(node, what.format(op=node.op.name, **node.attrs))
    if node.inputs:
        part["inputs"] = [names[value] for value in node.inputs]
    if node.attrs:
        part["attributes"] = {k: _write_attribute(node, k, writer) for k in node.attrs}
    if node.graphs:
        part["graphs"] = [write_graph(inner, writer, places) for inner in node.graphs]
    types = [value.type for value in node.outputs]
    for type_ in types:
        _check_storable(node, type_)
    part["types"] = [type_text(type_) for type_ in types]
    if node.origin is not None:
        part["at"] = places.write(node.origin)
    return _with_names(part, node.outputs)


def _write_attribute(node: Node, key: str, writer: Writer) -> Any:
    try:
        return writer.write(node.attrs[key])
    except Unstorable as error:
        role = {
            "render": "prints", "template": "raises", "file": "prints to", "write": "writes",
            "clauses": "catches", "kinds": "catches",
        }  # fmt: skip
        raise _unsavable(node, f"what it {role.get(key, 'needs')} is {error}") from None


def _check_storable(node: Node, type_: Type) -> None:
    element = type_.element if isinstance(type_, StackType) else type_
    if isinstance(element, StackType):
        _check_storable(node, element)
    elif not isinstance(element, ObjectType | FrameType) and not is_storable(element.dtype):
        raise _unsavable(node, f"a value of dtype {element.dtype}")


def _unsavable(node: Node, what: str) -> UnsavableError:
    return UnsavableError(
        f"this cannot be saved: {what}",
        "a saved program holds arrays, numbers, text and operations; return the value instead",
        node.origin,
    )


def _with_names(part: dict[str, Any], values: list[Value], always: bool = False) -> dict[str, Any]:
    """Adds the names that the values have themselves, where they have some."""
    if always or any(value.name is not None for value in values):
        part["names"] = [None if v.name is None else title(v.name) for v in values]
    return part


# ---- reading ---------------------------------------------------------------------------------


def read_graph(part: Any, reader: Reader, lines: Lines) -> Graph:
    """The graph of a JSON document.

    Each node is an op of ours whose attributes, inputs and types the op itself accepts. Raises
    Malformed, with the name of the node.
    """
    graph = _read(part, reader, lines, 0)
    try:
        check(graph)
    except GraphError as error:
        raise Malformed(f"the graph is not sound: {error}") from error
    return graph


def _read(part: Any, reader: Reader, lines: Lines, depth: int) -> Graph:
    if depth > _DEEPEST:
        raise Malformed("graphs are nested too deeply")
    name, inputs, nodes, outputs = members(
        part, {"name": (str,), "inputs": (list,), "nodes": (list,), "outputs": (list,)}, {}
    )
    if not is_name(name):
        raise Malformed("a graph has no such name")
    values: dict[str, Value] = {}
    made = Graph(name=name)
    for row in inputs:
        title, type_, own = members(row, {"name": (str,), "type": (str,)}, {"names": (list,)})
        value = Value(parse_type(type_))
        _define(values, title, [value], [title] if own is None else own)
        made.inputs.append(value)
    for row in nodes:
        made.nodes.append(_read_node(row, values, reader, lines, depth))
    made.outputs = [_known(values, title) for title in texts(outputs, "outputs")]
    return made


def _read_node(
    part: Any, values: dict[str, Value], reader: Reader, lines: Lines, depth: int
) -> Node:
    name, op_name, types, inputs, attributes, graphs, at, names = members(
        part,
        {"name": (str,), "op": (str,), "types": (list,)},
        {"inputs": (list,), "attributes": (dict,), "graphs": (list,), "at": (list,),
         "names": (list,)},
    )  # fmt: skip
    op = operation(op_name)
    if op is None or op.effect in _OUTSIDE:
        raise Malformed(f"{op_name[:40]!r} is no operation of this version")
    if bool(graphs) != is_control(op.name):
        raise Malformed(f"node {name[:40]!r}: the number of graphs of op `{op_name}` is wrong")
    operands = [_known(values, title) for title in texts(inputs or (), "inputs")]
    reader.holes = len(operands)
    try:
        found = {key: reader.read(value) for key, value in (attributes or {}).items()}
        attrs = check_attributes(op, found)
        _check_values(op, attrs)
    except Malformed as error:
        raise Malformed(f"node {name[:40]!r}: {error}") from error
    reader.holes = 0
    inner = [_read(graph, reader, lines, depth + 1) for graph in graphs or ()]
    origin = None if at is None else lines.read(at)
    node = Node(op, operands, attrs, inner, list(map(parse_type, texts(types, "types"))), origin)
    _define(values, name, node.outputs, names)
    return node


def _check_values(op: Op, attrs: dict[str, Any]) -> None:
    """What the types of attributes do not say."""
    # The parts of an exception that are looked at are what its class says openly, and its name.
    name = str(attrs["name"]) if op is ERROR_PART else ""
    if name.startswith("_") and name not in ("__class__", "__name__", "__qualname__"):
        raise Malformed(f"a program does not read {attrs['name'][:40]!r} of an exception")


def _known(values: dict[str, Value], title: str) -> Value:
    value = values.get(title)
    if value is None:
        raise Malformed(f"value {title[:40]!r} is used before it is defined")
    return value


def _define(values: dict[str, Value], title: str, made: list[Value], own: Any) -> None:
    """Names the values of a node: `title`, `title:1` and so on."""
    if not is_name(title):
        raise Malformed("a value has no such name")
    if own is not None and len(own) != len(made):
        raise Malformed(f"{title[:40]!r} has {len(made)} values, but {len(own)} names")
    for number, value in enumerate(made):
        key = f"{title}:{number}" if number else title
        if key in values:
            raise Malformed(f"there are two values {key[:40]!r}")
        values[key] = value
        if own is not None and own[number] is not None:
            if not is_name(own[number]):
                raise Malformed("a value has no such name")
            value.name = own[number]
