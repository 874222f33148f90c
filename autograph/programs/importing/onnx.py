"""`import_onnx`: a model of ONNX as a function of ours."""

from __future__ import annotations

import inspect
import keyword
import os
from typing import Any

from autograph.functions import Function, convert
from autograph.programs.exporting.onnx import onnx_part
from autograph.syntax.names import identifier, identifiers

__all__ = ["import_onnx"]


def import_onnx(path: str | os.PathLike[str]) -> Function[..., Any]:
    """The model in an ONNX file as a converted function of its inputs.

    It is called, differentiated, saved and exported as functions are; initializers are arrays that
    it captures. It gives the output, or a tuple of several. `If`, `Loop` and `Scan` become branches
    and loops, functions of the model and of ONNX are taken apart. Raises NotImplementedError, with
    its name, in the first call that meets an operation that is not known here, or one whose
    axes only the run tells, and for models before version 7; ImportError where the package `onnx`
    is missing.

    >>> import autograph as ag
    >>> model = ag.import_onnx("model.onnx")  # doctest: +SKIP
    """
    model = onnx_part("autograph.programs.importing.models").read(os.fspath(path))

    def call(*inputs: Any) -> Any:
        return model(*inputs)

    names = identifiers([x.name for x in model.inputs], keyword.kwlist)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind) for name in names]
    )
    call.__name__ = call.__qualname__ = identifier(model.graph.name)
    return convert(call)
