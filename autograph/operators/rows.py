"""The rows of a run: arrays in which the graph holds the items of a list, one row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.forms import (
    Among,
    Branching,
    Form,
    Growing,
    Leaf,
    OrNone,
    Static,
    Unbound,
    growing_form,
    parts_of,
)
from autograph.operators.one_of import are_numbers, index_of, numbers_of
from autograph.operators.runs import Run, has_runs, unpadded
from autograph.operators.values import NOTHING, split_none, tensor
from runtime import control, ops
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = [
    "Packing",
    "Rows",
    "as_rows",
    "in_numbers",
    "length",
    "number_leaves",
    "pack",
    "row_types",
    "size_of",
]

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
    return [
        TensorType(t.dtype, (count, *(t.shape or ())), device=t.device) for t in _leaf_types(item)
    ]


def _leaf_types(item: Form) -> list[TensorType]:
    return [leaf.type for leaf in number_leaves(item)] or [_COUNTED]


def number_leaves(item: Form) -> Iterator[Leaf]:
    """The numbers and arrays of an item."""
    if isinstance(item, Leaf):
        yield item
    elif isinstance(item, Among):
        yield Leaf(item.type)
    elif isinstance(item, OrNone):
        yield from number_leaves(item.part)
        yield Leaf(type_of_number(True))
    elif isinstance(item, Branching):
        for part in item.parts:
            yield from number_leaves(part)


def in_numbers(item: Form, rows: list[Tensor]) -> Tensor | None:
    """The numbers or arrays that items are; numbers of a class as such. None for others."""
    if isinstance(item, Leaf):
        return rows[0]
    things = item.things if isinstance(item, Among) else (getattr(item, "value", None),)
    if not are_numbers(things):
        return None
    if isinstance(item, Static):
        return ops.broadcast_to(numbers_of(things), (size_of(rows),))  # type: ignore[no-any-return]
    return ops.getitem(numbers_of(things), rows[0])  # type: ignore[no-any-return]


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
            rows = _joined(_appended(rows, waiting), _rows_of(part, item, types))
            waiting = []
        else:
            values = list(_numbers_of(item, part, content)) or [True]
            pairs = zip(values, types, strict=True)
            waiting.append([_number(content(x), type_) for x, type_ in pairs])
    rows = _appended(rows, waiting)
    return [_no_rows(type_) for type_ in types] if rows is None else rows


def _rows_of(run: Run, item: Form, types: list[TensorType]) -> list[Tensor] | None:
    """The rows of a run as those of items of other types; None if there are surely none."""
    if isinstance(run.item, Unbound):
        return None
    rows = list(_with_numbers_of(item, run.item, iter(run.rows), run.rows)) or run.rows
    return [
        control.coerce(x, TensorType(type_.dtype, x.type.shape, device=type_.device))
        for x, type_ in zip(rows, types, strict=True)
    ]


def _with_numbers_of(
    item: Form, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
) -> Iterator[Tensor]:
    """The rows of a run of `own` items, texts by their numbers in `item`."""
    if isinstance(item, OrNone):
        yield from _with_presence(item, own, rows, all_rows)
    elif isinstance(item, Branching) and isinstance(own, Branching):
        for part, own_part in zip(item.parts, own.parts, strict=True):
            yield from _with_numbers_of(part, own_part, rows, all_rows)
    elif isinstance(item, Among) and isinstance(own, Static):
        count = size_of(all_rows)
        yield ops.full(count, index_of(own.value, item.things), dtype=np.dtype(np.int64))
    elif isinstance(item, Among) and isinstance(own, Among):
        numbers = np.array([index_of(text, item.things) for text in own.things])
        row = next(rows)
        is_same = np.array_equal(numbers, np.arange(len(numbers)))
        yield row if is_same else ops.getitem(tensor(numbers), row)
    elif isinstance(item, Leaf):
        were_python = isinstance(own, Leaf) and own.type.weak and not item.type.weak
        yield control.fitting(next(rows), item.type.dtype) if were_python else next(rows)


def _with_presence(
    item: OrNone, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
) -> Iterator[Tensor]:
    """Likewise for items that may be None: the values, and which of them are there."""
    count = size_of(all_rows)
    if isinstance(own, Static) and own.value is None:
        for leaf in number_leaves(item.part):
            yield ops.zeros(count, dtype=leaf.type.dtype, device=leaf.type.device)
        yield ops.full(count, False, dtype=np.dtype(bool))
        return
    is_optional = isinstance(own, OrNone)
    part = own.part if isinstance(own, OrNone) else own
    yield from _with_numbers_of(item.part, part, rows, all_rows)
    yield next(rows) if is_optional else ops.full(count, True, dtype=np.dtype(bool))


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
    none = tensor(np.zeros((0, *(n or 0 for n in type_.shape or ())), type_.dtype))
    return none if type_.device is None else ops.to_device(none, type_.device)


def _number(x: Any, type_: TensorType) -> Tensor:
    result: Tensor = control.coerce(tensor(x), type_.strong())
    return result


def _numbers_of(item: Form, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
    if isinstance(item, Leaf):
        yield x
    elif isinstance(item, Among):
        yield index_of(x, item.things)
    elif isinstance(item, OrNone):
        value, present = split_none(x)
        if value is NOTHING:
            yield from (0 for _ in number_leaves(item.part))
        else:
            yield from _numbers_of(item.part, value, content)
        yield present
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
