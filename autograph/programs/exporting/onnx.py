"""`export_onnx`: a program as a model of ONNX."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from autograph.programs.exporting.programs import (
    content_of,
    flat_results,
    inputs_of,
    program_of_function,
    read_things,
    refuse_variables,
    the_signature,
    used_graph,
)
from autograph.programs.program import Signature
from autograph.programs.saving import Specs
from runtime.errors import UnsavableError
from runtime.graph.ir import Graph
from runtime.passes.dead_code import drop_dead_code
from runtime.process.files import replace_file

__all__ = ["export_onnx", "onnx_part"]


def onnx_part(name: str) -> Any:
    """One of the modules that need the package `onnx`; ImportError says how to get that."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "onnx":
            raise
        raise ImportError(
            "ONNX needs the package `onnx`: pip install 'autograph-numpy[onnx]'"
        ) from error


def export_onnx(
    function: Callable[..., Any],
    path: str | os.PathLike[str],
    signatures: Specs | None = None,
    *,
    signature: str | None = None,
    allow_random: bool = False,
) -> None:
    """Write the graph of a function or loaded program as an ONNX model.

    `signatures` says for which arguments, as in `save`; `signature` is the name of the one to write
    where there are several. Branches become `If`, loops `Loop` or `Scan`, what is repeated a
    function of the model, Variables and captured arrays initializers; open sizes stay open. Inputs
    have the names of the parameters, outputs those of the places in the result. Integers wrap
    beyond 64 bits. With `allow_random`, draws are those of the runtime.

    Raises UnsavableError, with the line, for what ONNX has not: text, exceptions, complex numbers,
    Variables that are assigned to; ImportError where the package `onnx` is missing. The file at
    `path` is replaced only when all is well.

    >>> import autograph as ag
    >>> def clipped(x, most):
    ...     return x if x.sum() < most else x * 0
    >>> ag.export_onnx(clipped, "clipped.onnx", [ag.TensorSpec([None]), 5.0])  # doctest: +SKIP
    """
    program = program_of_function(function, signatures)
    chosen = the_signature(program, signature)
    if not allow_random:
        refuse_variables(chosen, "ONNX")
    graph, outputs = _with_results(chosen)
    given = [(wanted.path, None) for wanted in inputs_of(chosen) if wanted is not None]
    read = [(name, content_of(thing)) for name, thing in read_things(chosen)]
    inputs = [*given, *read]
    graphs = onnx_part("runtime.export.onnx.graphs")
    if allow_random:
        graph, kept = graphs.without_keys(graph)
        inputs = [inputs[k] for k in kept]
    graph.name = program.name
    model = graphs.model_of(graph, inputs, outputs, allow_random=allow_random)
    replace_file(path, graphs.checked_bytes(model))


def _with_results(signature: Signature) -> tuple[Graph, list[str]]:
    """The graph with the parts of the result as its outputs, and their names."""
    traced = signature.concrete._traced
    if traced.written:
        value = traced.graph.outputs[traced.outputs]
        raise UnsavableError(
            "this cannot be exported to ONNX: an argument that is written into",
            "write into a copy, and return it",
            None if value.node is None else value.node.origin,
        )
    graph = used_graph(signature)
    names, values = flat_results(signature, graph, "ONNX")
    return drop_dead_code(Graph(graph.inputs, graph.nodes, values, graph.name)), names
