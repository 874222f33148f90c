"""The table of what each operation of ours is in ONNX: `writes` declares one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.export.onnx.emitter import Emitter, Term
from runtime.graph.ir import Node
from runtime.spec import promote

__all__ = ["WRITERS", "by_operands", "by_result", "common_dtype", "rank_of_value", "result_dtype", "writes"]

# writer(emit, node, *operands) -> the result, or a list of results; None where ONNX has it not for
# such operands, but perhaps what it is composed of.
WRITERS: dict[str, Callable[..., Any]] = {}


def writes(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the function that writes the operations of these names."""

    def declare(writer: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            if name in WRITERS:
                raise ValueError(f"{name!r} is written twice")
            WRITERS[name] = writer
        return writer

    return declare


def result_dtype(node: Node) -> Any:
    """The dtype of the first result."""
    return node.outputs[0].type.dtype  # type: ignore[union-attr]


def rank_of_value(node: Node, position: int = 0) -> int:
    """The number of axes of an operand; an error where it is not known."""
    rank = node.inputs[position].type.rank  # type: ignore[union-attr]
    if rank is None:
        raise ValueError("the number of axes is not known")
    return int(rank)


def by_result(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A writer that computes in the dtype of the result: operands are converted to it first."""

    def write(emit: Emitter, node: Node, *operands: Term) -> Any:
        return formula(emit, *[x.to(result_dtype(node)) for x in operands])

    return write


def by_operands(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A writer that computes in the dtype that all operands have in common."""

    def write(emit: Emitter, node: Node, *operands: Term) -> Any:
        return formula(emit, *[x.to(common_dtype(node)) for x in operands])

    return write


def common_dtype(node: Node) -> Any:
    """The dtype that the operands are promoted to."""
    return promote(*[value.type for value in node.inputs]).dtype
