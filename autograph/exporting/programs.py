"""What all exports share: the program of a function, and what its inputs and results are."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.loading import unpacked
from autograph.program import Program, Signature
from autograph.saving import Specs, packed
from autograph.signature import is_input_key, type_of_key
from runtime.errors import UnsavableError
from runtime.graph.ir import Graph
from runtime.passes import optimize
from runtime.spec import TensorType
from runtime.variable import Variable

__all__ = ["Input", "program_of_function", "read_things", "the_signature", "used_graph"]


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
    return unpacked(io.BytesIO(packed(function, signatures)))


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
    """The graph of a signature, after the passes."""
    return optimize(signature.concrete._traced.graph)


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
    """Refuse graphs that assign to Variables: what they keep has no place in a file."""
    for node in used_graph(signature).walk():
        if node.op.effect in ("assign", "draw"):
            raise UnsavableError(
                f"this cannot be exported to {where}: a Variable is assigned to",
                "give the new value back as a result, and take the old one as an argument",
                node.origin,
            )


def is_variable(thing: Any) -> bool:
    """Whether it is a Variable."""
    return isinstance(thing, Variable)
