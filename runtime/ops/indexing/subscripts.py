"""Python source of subscripts: how the plan of a graph writes the index ops."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from runtime.spec import TensorType, Type

__all__ = ["add_statement", "item_source", "update_statement"]


def item_source(sources: Sequence[str], types: Sequence[Type], index: tuple[Any, ...]) -> str:
    """Source of `x[index]`; `sources` are those of x and of the operands of the index.

    >>> item_source(["x", "i"], [], (("slice", None, "operand", None), ("int", -1)))
    'x[:i, -1]'
    """
    x, *operands = sources
    return f"{x}[{_subscript(index, operands)}]"


def update_statement(sources: Sequence[str], types: Sequence[Type], index: tuple[Any, ...]) -> str:
    """Source of `x[index] = v`; `sources` are those of x, v and the operands of the index."""
    x, v, *operands = sources
    return f"{x}[{_subscript(index, operands)}] = {v}"


def add_statement(sources: Sequence[str], types: Sequence[Type], index: tuple[Any, ...]) -> str:
    """Source of `x[index] += v`, which adds as often as the index names an element."""
    x, v, *operands = sources
    subscript = _subscript(index, operands)
    if any(entry == ("array",) for entry in index) and any(map(_may_repeat, types[2:])):
        return f"np.add.at({x}, np.s_[{subscript}], {v})"
    return f"{x}[{subscript}] += {v}"


def _subscript(index: tuple[Any, ...], operands: Sequence[str]) -> str:
    rest = iter(operands)
    return ", ".join(_entry(entry, rest) for entry in index) or "()"


def _entry(entry: tuple[Any, ...], operands: Iterator[str]) -> str:
    match entry:
        case ("int", i):
            return str(operator.index(i))
        case ("slice", *bounds):
            start, stop, step = (_bound(bound, operands) for bound in bounds)
            return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
        case ("newaxis",):
            return "None"
        case ("ellipsis",):
            return "..."
        case ("array",):
            return next(operands)
    raise ValueError(f"{entry!r} is no part of an encoded index")


def _bound(bound: Any, operands: Iterator[str]) -> str:
    if bound is None:
        return ""
    return next(operands) if bound == "operand" else str(operator.index(bound))


def _may_repeat(type_: Type) -> bool:
    return not isinstance(type_, TensorType) or (type_.rank != 0 and type_.dtype.kind != "b")
