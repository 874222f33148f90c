"""`export_c`: a program as C source that compiles and runs without Python."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from autograph.programs.exporting.programs import (
    content_of,
    flat_results,
    inputs_of,
    is_variable,
    program_of_function,
    read_things,
    used_graph,
)
from autograph.programs.program import Program, Signature
from autograph.programs.saving import Specs
from autograph.syntax.names import identifiers
from runtime.errors import UnsavableError
from runtime.export.c.expressions import c_type
from runtime.export.c.files import Exported, header, main, source
from runtime.export.c.programs import RESERVED, Argument, array_text, function_of
from runtime.graph.ir import Graph, Node
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.state import functional, has_variables
from runtime.lowering.lower import lower
from runtime.lowering.nodes import elements
from runtime.process.files import replace_file

__all__ = ["export_c"]


def export_c(
    function: Callable[..., Any], path: str | os.PathLike[str], signatures: Specs | None = None
) -> None:
    """Write a function or loaded program as C: source, header, and a small `main`.

    `path` is the source, `step.c` or just `step`; beside it stand `step.h` and `step_main.c`, which
    reads arguments from its input and writes results to its output. `cc -O2 step.c step_main.c -lm`
    compiles them. `signatures` says for which arguments, as in `save`; each is a function. Weights
    are in the source; Variables are its state. Text, calls of Python and operations without a
    native form are refused with UnsavableError, which names the line; errors become a status.
    Another ending of `path` raises ValueError.

    >>> import autograph as ag, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.export_c(lambda x: x * x, f"{folder}/square.c", [2.0])
    ...     sorted(p.name for p in pathlib.Path(folder).iterdir())
    ['square.c', 'square.h', 'square_main.c']
    """
    where = Path(path)
    where = where if where.suffix else where.with_suffix(".c")
    if where.suffix != ".c":
        raise ValueError(f"the C source is to be {where}: a compiler knows it by the ending .c")
    program = program_of_function(function, signatures)
    made = _File(program)
    pairs = zip(program._signatures, made.names, strict=True)
    functions = [made.function(signature, name) for signature, name in pairs]
    texts = {
        where.with_suffix(".h"): header(where.stem, functions),
        where.with_name(f"{where.stem}_main.c"): main(where.stem, functions[0]),
        where: source(where.stem, functions, made.arrays),
    }
    for place, text in texts.items():
        replace_file(place, text.encode())


def _refuse(graph: Graph) -> None:
    """Refusal for what C has no simple types for, and for functions that call themselves."""
    reasons = {
        "complex numbers": elements.has_complex,
        "floats of 16 bits and less": elements.has_narrow,
        "a function that calls itself": _calls_itself,
    }
    for node in graph.walk():
        for reason, holds in reasons.items():
            if holds(node):
                refusal = Refusal(reason)
                refusal.node = node
                raise refusal


def _calls_itself(node: Node) -> bool:
    return node.op.name == "recur"


class _File:
    """The functions of one file, and the arrays that they share."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.arrays: list[str] = []
        self.known: dict[int, str] = {}
        names = [s.name for s in program._signatures]
        own = [program.name] if len(names) == 1 else names
        self.names = identifiers(own, RESERVED)

    def function(self, signature: Signature, name: str) -> Exported:
        """A signature as a function."""
        graph, results, contents = self._graph(signature)
        arguments = self._arguments(signature, name, contents)
        try:
            lowered = lower(graph, is_alone=True)
            _refuse(graph)
        except Refusal as refusal:
            raise UnsavableError(
                f"this cannot be exported to C: {refusal}",
                "compute it outside of the exported function",
                None if refusal.node is None else refusal.node.origin,
            ) from None
        fields = identifiers(results, {*RESERVED, *(a.name for a in arguments)})
        made = function_of(lowered, name, arguments, fields, contents)
        return Exported(name, arguments, fields, made, _about(signature, name))

    def _graph(self, signature: Signature) -> tuple[Graph, list[str], list[tuple[int, int]]]:
        """The graph, the names of its results, and which further outputs are whose contents."""
        traced = signature.concrete._traced
        graph = used_graph(signature)
        names, values = flat_results(signature, graph, "C")
        count = len(traced.written)
        outputs = [*values, *graph.outputs[traced.outputs : traced.outputs + count]]
        contents = [(position, len(values) + k) for k, position in enumerate(traced.written)]
        whole = Graph(graph.inputs, graph.nodes, outputs, graph.name)
        if not has_variables(whole):
            return whole, names, contents
        try:
            found = functional(whole)
        except Refusal as refusal:
            raise UnsavableError(
                f"`{self.program.name}` cannot be exported to C: {refusal}",
                "take what changes as an argument, and return it",
            ) from None
        return found.graph, names, contents + found.contents

    # ---- arguments ---------------------------------------------------------------------------

    def _arguments(
        self, signature: Signature, name: str, contents: list[tuple[int, int]]
    ) -> list[Argument]:
        written = {position for position, _ in contents}
        found: list[Argument] = []
        taken: set[str] = {name}
        for wanted in inputs_of(signature):
            if wanted is None:
                continue
            (own,) = identifiers([wanted.path], {*RESERVED, *taken})
            taken.add(own)
            shape = wanted.type.shape
            if shape is None:
                raise UnsavableError(
                    f"`{self.program.name}` cannot be exported to C: `{wanted.path}` has an "
                    "unknown number of axes",
                    "save it with a spec that tells them",
                )
            kind = _c_type(wanted.type.dtype)
            is_written = len(found) in written
            found.append(Argument(kind, own, shape or None, None, is_written))
        for title, thing in read_things(signature):
            found.append(self._own(title, thing, len(found) in written))
        return found

    def _own(self, title: str, thing: Any, is_written: bool) -> Argument:
        """An array that the file has itself."""
        content = content_of(thing)
        kind = f"{content.dtype.kind}{content.dtype.itemsize}"
        _c_type(content.dtype)
        if id(thing) not in self.known:
            (name,) = identifiers([title], {*RESERVED, *self.names, *self.known.values()})
            self.known[id(thing)] = name
            is_state = is_variable(thing) or is_written
            self.arrays.append(array_text(name, kind, content, is_state))
        return Argument(c_type(kind), self.known[id(thing)], content.shape or None, content)


def _c_type(dtype: np.dtype[Any]) -> str:
    """The C type of elements. Raises UnsavableError for those that C lacks."""
    if dtype.kind not in "biuf" or dtype.itemsize not in (1, 2, 4, 8) or dtype == np.float16:
        raise UnsavableError(f"this cannot be exported to C: numbers of {dtype}", "convert them")
    return c_type(f"{dtype.kind}{dtype.itemsize}")


def _about(signature: Signature, name: str) -> str:
    arguments = signature.arguments
    rows = zip(arguments.paths, inputs_of(signature), strict=True)
    given = ", ".join(f"{path}: {wanted.type}" for path, wanted in rows if wanted is not None)
    return f"{name}({given})"
