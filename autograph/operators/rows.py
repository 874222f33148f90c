"""The rows of a run: arrays in which the graph holds the items of a list, one row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.forms import (
    Branching,
    Form,
    Growing,
    Leaf,
    Unbound,
    growing_form,
    parts_of,
)
from autograph.operators.runs import Run, has_runs, unpadded
from autograph.operators.values import tensor
from runtime import control, ops
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Packing", "Rows", "as_rows", "length", "number_leaves", "pack", "row_types", "size_of"]

# Items without a number in them are counted by the rows of this type.
_COUNTED = TensorType(np.dtype(bool), ())


class Packing:
    """The items of a list, to be put into rows for items of one form."""

    __slots__ = ("_rows", "item", "items")

    def __init__(self, item: Form, items: list[Any]) -> None:
        self.item, self.items = item, items
        self._rows: list[Tensor] | None = None

    def rows(self, content: Callable[[Any], Any]) -> list[Tensor]:
        """The rows, made when first asked for; `content` gives what is in an array."""
        if self._rows is None:
            self._rows = pack(self.item, self.items, content)
        return self._rows


class Rows(NamedTuple):
    """One of the arrays of rows for a list: a value that a staged statement carries."""

    packing: Packing
    position: int


def length(x: list[Any]) -> Any:
    """How many items a list has, in which there may be runs."""
    count: Any = 0
    for part in unpadded(x):
        count = count + (size_of(part.rows) if isinstance(part, Run) else 1)
    return count


def size_of(rows: list[Tensor]) -> Any:
    """How many rows there are: an int where that is known."""
    shape = rows[0].type.shape
    known = None if shape is None else shape[0]
    return ops.dim(rows[0], axis=0) if known is None else known


def as_rows(
    item: Form, items: list[Any], count: int | None = None
) -> Iterator[tuple[Rows, TensorType]]:
    """What stands for the rows of a list, with their types; `count`: how many rows, if known."""
    packing = Packing(item, items)
    for position, type_ in enumerate(row_types(item, count)):
        yield Rows(packing, position), type_


def row_types(item: Form, count: int | None = None) -> list[TensorType]:
    """The types of the rows for items of a form, of which there are `count`, if that is known."""
    return [TensorType(t.dtype, (count, *(t.shape or ()))) for t in _leaf_types(item)]


def _leaf_types(item: Form) -> list[TensorType]:
    return [leaf.type for leaf in number_leaves(item)] or [_COUNTED]


def number_leaves(item: Form) -> Iterator[Leaf]:
    """The numbers and arrays of an item."""
    if isinstance(item, Leaf):
        yield item
    elif isinstance(item, Branching):
        for part in item.parts:
            yield from number_leaves(part)


def pack(item: Form, items: list[Any], content: Callable[[Any], Any] = lambda x: x) -> list[Tensor]:
    """The rows for the items of a list, which are of the form `item`.

    `content` gives what is in an array when it is packed.
    """
    types = _leaf_types(item)
    rows: list[Tensor] | None = None
    waiting: list[list[Tensor]] = []
    for part in unpadded(items):
        if isinstance(part, Run):
            part = content(part)
            rows = _joined(_appended(rows, waiting), _rows_of(part, types))
            waiting = []
        else:
            values = list(_numbers_of(item, part, content)) or [True]
            pairs = zip(values, types, strict=True)
            waiting.append([_number(content(x), type_) for x, type_ in pairs])
    rows = _appended(rows, waiting)
    return [_no_rows(type_) for type_ in types] if rows is None else rows


def _rows_of(run: Run, types: list[TensorType]) -> list[Tensor] | None:
    """The rows of a run as those of items of other types; None if there are surely none."""
    if isinstance(run.item, Unbound):
        return None
    return [
        control.coerce(x, TensorType(type_.dtype, x.type.shape))
        for x, type_ in zip(run.rows, types, strict=True)
    ]


def _joined(rows: list[Tensor] | None, more: list[Tensor] | None) -> list[Tensor] | None:
    if rows is None or more is None:
        return more if rows is None else rows
    return [ops.concat([x, y]) for x, y in zip(rows, more, strict=True)]


def _appended(rows: list[Tensor] | None, waiting: list[list[Tensor]]) -> list[Tensor] | None:
    """`rows` with single items behind them."""
    if rows is None and waiting:
        return [ops.stack(list(numbers)) for numbers in zip(*waiting, strict=True)]
    for numbers in waiting:
        rows = [ops.append_row(x, n) for x, n in zip(rows or (), numbers, strict=True)]
    return rows


def _no_rows(type_: TensorType) -> Tensor:
    return tensor(np.zeros((0, *(n or 0 for n in type_.shape or ())), type_.dtype))


def _number(x: Any, type_: TensorType) -> Tensor:
    result: Tensor = control.coerce(tensor(x), type_.strong())
    return result


def _numbers_of(item: Form, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
    if isinstance(item, Leaf):
        yield x
    elif isinstance(item, Branching):
        if type(x) is list and has_runs(x):
            yield from _numbers_in_runs(x, len(item.parts), content)
            return
        for part, (_, child) in zip(item.parts, parts_of(x), strict=True):
            yield from _numbers_of(part, child, content)


def _numbers_in_runs(x: list[Any], length: int, content: Callable[[Any], Any]) -> Iterator[Any]:
    """The numbers in a list with runs of a known length, item by item."""
    form = growing_form(Growing(Unbound()), x, "the list")
    rows = pack(form.item, x, content) if isinstance(form, Growing) else []
    for k in range(length):
        yield from [ops.getitem(row, k) for row in rows]
