"""Sizes and shapes that must agree: where they are unknown, it is found out as the graph runs."""

from __future__ import annotations

from typing import Any

from runtime.ops.comparison import equal
from runtime.ops.internal import checked
from runtime.ops.operands import Operand, rank_of, shape_of

__all__ = ["in_shape_of", "of_size"]


def of_size(given: Operand, size: Any, wanted: Any, what: str) -> Any:
    """`given`, of which `size` is one. Raises ValueError, with `what`, unless it is as `wanted`."""
    if not isinstance(size, int) or not isinstance(wanted, int):
        return checked(given, equal(size, wanted), what=what)
    if size != wanted:
        raise ValueError(what)
    return given


def in_shape_of(x: Operand, given: Operand, what: str) -> Any:
    """`given`. Raises ValueError, with `what` for its message, unless it has the shape of `x`."""
    if rank_of(given) != rank_of(x):
        raise ValueError(what)
    for wanted, size in zip(shape_of(x), shape_of(given), strict=True):
        given = of_size(given, size, wanted, what)
    return given
