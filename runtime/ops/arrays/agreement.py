"""Sizes and shapes that must agree: where they are unknown, it is found out as the graph runs."""

from __future__ import annotations

from typing import Any

from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import Operand, rank_of, shape_of
from runtime.ops.elementwise.comparison import equal

__all__ = ["in_shape_of", "of_size"]


def of_size(
    given: Operand, size: Any, wanted: Any, what: str, error: type[Exception] = ValueError
) -> Any:
    """`given`, of which `size` is one. Raises the error unless it is as `wanted`.

    Its message is `what`, with the two sizes where that has `{0}` and `{1}`.
    """
    if not isinstance(size, int) or not isinstance(wanted, int):
        holds = equal(size, wanted)
        return checked(given, holds, size, wanted, what=what, error=error.__name__)
    if size != wanted:
        raise error(what.format(size, wanted))
    return given


def in_shape_of(x: Operand, given: Operand, what: str, error: type[Exception] = ValueError) -> Any:
    """`given`. Raises the error unless it has the shape of `x`.

    Its message is `what`, with the sizes that differ where that has `{0}` and `{1}`.
    """
    if rank_of(given) != rank_of(x):
        raise error(what.format(f"{rank_of(given)} axes", rank_of(x)))
    for wanted, size in zip(shape_of(x), shape_of(given), strict=True):
        given = of_size(given, size, wanted, what, error)
    return given
