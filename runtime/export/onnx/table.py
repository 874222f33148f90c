"""The table of what each operation of ours is in ONNX: `writes` declares one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from runtime.export.onnx.emitter import Emitter, Term
from runtime.graph.ir import Node
from runtime.spec import TensorType, promote

__all__ = [
    "WRITERS",
    "by_operands",
    "by_result",
    "common_dtype",
    "is_of_python",
    "operand_types",
    "rank_of_value",
    "result_dtype",
    "result_type",
    "writes",
]

Writer = TypeVar("Writer", bound=Callable[..., Any])

# writer(emit, node, *operands) -> the result, or a list of results; None where ONNX has it not for
# such operands, but perhaps what it is composed of.
WRITERS: dict[str, Callable[..., Any]] = {}


def writes(*names: str) -> Callable[[Writer], Writer]:
    """Declare the function that writes the operations of these names."""

    def declare(writer: Writer) -> Writer:
        for name in names:
            if name in WRITERS:
                raise ValueError(f"{name!r} is written twice")
            WRITERS[name] = writer
        return writer

    return declare


def operand_types(node: Node) -> list[TensorType]:
    """The types of the operands, which are arrays and numbers."""
    return [cast(TensorType, value.type) for value in node.inputs]


def result_type(node: Node) -> TensorType:
    """The type of the first result."""
    return cast(TensorType, node.outputs[0].type)


def result_dtype(node: Node) -> np.dtype[Any]:
    """The dtype of the first result."""
    return result_type(node).dtype


def is_of_python(node: Node) -> bool:
    """Whether it computes with Python's numbers alone, whose operators may raise."""
    return all(type_.weak for type_ in operand_types(node))


def rank_of_value(node: Node, position: int = 0) -> int:
    """The number of axes of an operand; an error where it is not known."""
    rank = operand_types(node)[position].rank
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


def common_dtype(node: Node) -> np.dtype[Any]:
    """The dtype that the operands are promoted to."""
    return promote(*operand_types(node)).dtype
