"""What all exports share: the program of a function, and what its inputs and results are."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.results.reconstruction import ItemPart
from autograph.programs.loading import unpacked
from autograph.programs.program import Program, Signature
from autograph.programs.saving import Specs, packed
from autograph.tracing.results import FixedPart, ListHole, ResultHole
from autograph.tracing.signature import is_input_key, type_of_key
from runtime.errors import Origin, UnsavableError
from runtime.graph.ir import Graph, Node, Value
from runtime.ops import CONSTANT
from runtime.ops.declaration.operands import type_of
from runtime.passes import optimize
from runtime.spec import TensorType
from runtime.structure import tree
from runtime.variable import Variable

__all__ = [
    "Input",
    "content_of",
    "flat_results",
    "inputs_of",
    "is_variable",
    "program_of_function",
    "read_things",
    "refuse_variables",
    "the_signature",
    "used_graph",
]


class Input(NamedTuple):
    """An argument of a graph: its place in the parameters, its type, and the kind of its key.

    `kind` is "array", "scalar" and so on; `least` is the smallest of sizes that are open.
    """

    path: str
    type: TensorType
    kind: str
    is_declared: bool
    least: int


def program_of_function(function: Callable[..., Any], signatures: Specs | None) -> Program:
    """The program that `save` would write of a function; a loaded program is one already.

    Raises UnsavableError, with the user's line, for what a file cannot hold.
    """
    if isinstance(function, Program):
        if signatures is not None:
            raise ValueError("a loaded program has the signatures that it was saved with")
        return function
    return unpacked(io.BytesIO(packed(function, signatures)), "exported")


def the_signature(program: Program, name: str | None) -> Signature:
    """The signature of that name, or the only one. Raises ValueError where there are several."""
    found = {s.name: s for s in program._signatures}
    if name is None and len(found) == 1:
        return program._signatures[0]
    if name not in found:
        known = ", ".join(map(repr, found))
        raise ValueError(f"`{program.name}` has the signatures {known}; say which one to export")
    return found[name]


def used_graph(signature: Signature) -> Graph:
    """The graph of a signature, after the passes.

    Raises UnsavableError where it exchanges something with other processes.
    """
    graph = optimize(signature.concrete._traced.graph)
    for node in graph.walk():
        if node.op.effect == "collective":
            raise UnsavableError(
                f"this cannot be exported: `{node.op.name}` is an exchange with other processes",
                "write it to a file with `ag.save`, which keeps such nodes",
                node.origin,
            )
    return graph


def inputs_of(signature: Signature) -> Iterator[Input | None]:
    """The inputs of a signature by the leaves of its arguments; None for a constant argument."""
    arguments = signature.arguments
    rows = zip(arguments.paths, arguments.keys, signature.declared, strict=True)
    for path, key, is_declared in rows:
        if not is_input_key(key):
            yield None
            continue
        least = 2 if signature.concrete.relaxed and not is_declared else 0
        yield Input(path, type_of_key(key), key[0], is_declared, least)


def read_things(signature: Signature) -> list[tuple[str, Any]]:
    """What a graph reads beside its arguments, in the order of its inputs: Variables and arrays."""
    traced = signature.concrete._traced
    found = [(c.place.name.strip("`"), c.place.fetch()) for c in traced.captured]
    return found + [(getattr(x, "name", None) or "array", x) for x in traced.externals]


def content_of(thing: Any) -> np.ndarray[Any, Any]:
    """The array in a Variable, tensor or array."""
    array = thing.array if hasattr(thing, "array") else thing
    return np.asarray(array)


def refuse_variables(signature: Signature, where: str) -> None:
    """Refuse graphs that draw random numbers or assign to Variables: no file keeps their state."""
    for node in used_graph(signature).walk():
        if node.op.effect == "draw":
            raise UnsavableError(
                f"this cannot be exported to {where}: random numbers, which the runtime draws from "
                "a stream of its own",
                "pass them as an argument, or export with `allow_random=True`",
                node.origin,
            )
        if node.op.effect == "assign":
            raise UnsavableError(
                f"this cannot be exported to {where}: a Variable is assigned to",
                "give the new value back as a result, and take the old one as an argument; if it "
                "is the seed of random numbers, export with `allow_random=True`",
                node.origin,
            )


def is_variable(thing: Any) -> bool:
    """Whether it is a Variable."""
    return isinstance(thing, Variable)


# ---- results as a row of arrays ------------------------------------------------------------------


def flat_results(
    signature: Signature, graph: Graph, language: str
) -> tuple[list[str], list[Value]]:
    """Names and values of the parts of the result, for languages that know arrays alone.

    Lists of numbers are arrays, and what is None is left out. Raises UnsavableError, with the line
    if there is one, for other parts.
    """
    structure, holes = signature.concrete._traced.result
    names, values = [], []
    for name, hole in zip(_paths(structure, ""), holes, strict=True):
        found = _values(graph, hole)
        if found is None:
            raise UnsavableError(
                f"`{graph.name}` cannot be exported to {language}: its result"
                f"{f', in {name!r},' if name else ''} is {_kind_of(hole)}",
                "return arrays, numbers, and lists of numbers",
                _origin(graph, hole),
            )
        names += [f"{name or 'result'}{tail}" for tail, _ in found]
        values += [value for _, value in found]
    return names, values


def _paths(structure: tree.Structure, path: str) -> Iterator[str]:
    """A name for each leaf of the result, such as `loss` or `rows_0`."""
    if structure.kind is None:
        yield path
    for key, child in zip(structure.keys, structure.children, strict=True):
        own = f"result_{key}" if type(key) is int else str(key)
        yield from _paths(child, f"{path}_{key}" if path else own)


def _values(graph: Graph, hole: Any) -> list[tuple[str, Value]] | None:
    """The values that a part of the result is made of; None if it is not made of such."""
    if isinstance(hole, ResultHole):
        return [("", graph.outputs[hole.index])]
    if isinstance(hole, ListHole) and hole.kind.name == "list":
        rows = [part.row for part in hole.parts if type(part) is ItemPart]
        tails = [f"_{row}" if len(rows) > 1 else "" for row in rows]
        found = [graph.outputs[hole.first + row] for row in rows]
        return list(zip(tails, found, strict=True)) if len(rows) == len(hole.parts) else None
    if isinstance(hole, FixedPart) and isinstance(hole.value, (bool, int, float, np.generic)):
        node = Node(CONSTANT, (), {"value": hole.value}, types=(type_of(hole.value),))
        graph.nodes.append(node)
        return [("", node.outputs[0])]
    return [] if isinstance(hole, FixedPart) and hole.value is None else None


def _kind_of(hole: Any) -> str:
    if isinstance(hole, FixedPart):
        return f"{hole.value!r}"
    if hasattr(hole, "text"):
        return "text"
    return "there on some paths only, or a list or dict of other things than numbers"


def _origin(graph: Graph, hole: Any) -> Origin | None:
    """The user's line that a part of the result comes from, if the graph has it."""
    positions = [getattr(hole, name, None) for name in ("first", "present", "index")]
    position = next((k for k in positions if k is not None), None)
    if position is None:
        inner = (_origin(graph, part) for part in getattr(hole, "holes", ()))
        return next((origin for origin in inner if origin is not None), None)
    node = graph.outputs[position].node if position < len(graph.outputs) else None
    return None if node is None else node.origin
