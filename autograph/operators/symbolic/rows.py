"""The rows of a run: arrays in which the graph holds the items of a list, one row for each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.operators.captured.captures import current_trace
from autograph.operators.symbolic.forms import Form, Static, Unbound
from autograph.operators.values.carried import tensor
from autograph.operators.values.one_of import are_numbers, numbers_of
from autograph.operators.values.runs import Packing, Rows, Run, note_shared, unpadded
from runtime import ops, trace
from runtime.building import building
from runtime.effects import control
from runtime.spec import Shape, TensorType
from runtime.tensor import Tensor

__all__ = ["aligned", "are_text", "as_items", "as_rows", "content_of", "holds_arrays",
           "identity_of", "in_numbers", "inner_types", "leaf_types", "length", "no_items", "pack",
           "row_of", "row_types", "same_texts", "size_along", "size_of",
           "sizes_behind", "taken", "with_row"]  # fmt: skip

# Items without a number in them are counted by the rows of this type.
_COUNTED = TensorType(np.dtype(bool), ())


def length(x: list[Any]) -> Any:
    """How many items a list has, in which there may be runs."""
    count: Any = 0
    for part in unpadded(x):
        count = count + (size_of(part.counted()) if isinstance(part, Run) else 1)
    return count


def size_of(rows: list[Tensor]) -> Any:
    """How many rows there are: an int where that is known."""
    shape = rows[0].type.shape
    known = None if shape is None else shape[0]
    return ops.dim(rows[0], axis=0) if known is None else known


def as_rows(item: Form, items: list[Any]) -> Iterator[Rows]:
    """What stands for the rows of a list."""
    packing = Packing(item, items, pack)
    return (Rows(packing, position) for position in range(len(leaf_types(item))))


def row_types(item: Form, count: int | None = None) -> list[TensorType]:
    """The types of the rows for items of a form, of which there are `count`, if that is known."""
    return [
        TensorType(t.dtype, (count, *(t.shape or ())), device=t.device) for t in leaf_types(item)
    ]


def leaf_types(item: Form) -> list[TensorType]:
    return [leaf.type for leaf in item.columns()] or [_COUNTED]


def inner_types(item: Form) -> list[TensorType]:
    """The types of what is in such items of lists that are items; none where all are empty."""
    return [] if isinstance(item, Unbound) else leaf_types(item)


def holds_arrays(item: Form) -> bool:
    """Whether there are arrays in an item; what is as long as the longest of some lists is none."""
    pairs = zip(item.columns(), item.depths(), strict=True)
    return any(leaf.type.rank != depth for leaf, depth in pairs)


def aligned(
    item: Form, rows: Sequence[Tensor], more: Sequence[Tensor], first: int = 1
) -> tuple[list[Tensor], list[Tensor]]:
    """Rows for items of a form, and more of them, of which lists among the items are as long.

    The items are behind the `first` axes.
    """
    return _all_aligned(list(item.depths()) or [0], rows, more, first)


def _all_aligned(
    depths: list[int], rows: Sequence[Tensor], more: Sequence[Tensor], first: int
) -> tuple[list[Tensor], list[Tensor]]:
    pairs = [_aligned(x, y, d, first) for x, y, d in zip(rows, more, depths, strict=True)]
    return [x for x, _ in pairs], [y for _, y in pairs]


def _aligned(x: Tensor, y: Tensor, depth: int, first: int) -> tuple[Tensor, Tensor]:
    behind = first + depth
    if not _surely_alike(x.type.shape, y.type.shape, behind):
        x, y = ops.rows_alike(x, y, axes=behind), ops.rows_alike(y, x, axes=behind)
    for axis in range(first, first + depth):
        sizes = [size_along(each, axis) for each in (x, y)]
        if all(isinstance(n, int) for n in sizes) and sizes[0] == sizes[1]:
            continue
        if axis > 0 and x.type.device == y.type.device:
            # `x` at last: nothing else reads it then, so that it may be changed in place.
            longer = ops.as_long_as(y, x, axis=axis)
            x, y = ops.as_long_as(x, y, axis=axis), longer
            continue
        most = ops.maximum(*sizes)
        x, y = (_lengthened(each, axis, most, n) for each, n in zip((x, y), sizes, strict=True))
    return x, y


def _surely_alike(a: Shape, b: Shape, behind: int) -> bool:
    """Whether arrays that are items have one shape, as far as is known before the graph runs."""
    if a is None or b is None:
        return False
    return None not in a[behind:] and a[behind:] == b[behind:]


def size_along(x: Tensor, axis: int) -> Any:
    known = None if x.type.shape is None else x.type.shape[axis]
    return ops.dim(x, axis=axis) if known is None else known


def _lengthened(x: Tensor, axis: int, size: Any, now: Any) -> Tensor:
    """An array with zeros at the end of an axis, which nobody reads."""
    sizes = sizes_behind(x, 0)
    sizes[axis] = ops.subtract(size, now)
    rest = ops.zeros(tuple(sizes), dtype=x.dtype, device=x.type.device)
    made: Tensor = ops.concat([x, rest], axis=axis)
    return made


def in_numbers(item: Form, rows: list[Tensor]) -> Tensor | None:
    """The numbers or arrays that items are; numbers of a class as such. None for others."""
    if item.number_types:
        return item.as_numbers(iter(rows))  # type: ignore[no-any-return]
    things = item.constants
    if not things or not are_numbers(things):
        return None
    if isinstance(item, Static):
        return ops.broadcast_to(numbers_of(things), (size_of(rows),))  # type: ignore[no-any-return]
    return ops.getitem(numbers_of(things), rows[0])  # type: ignore[no-any-return]


def row_of(x: Any) -> tuple[Tensor, Tensor] | None:
    """The rows and the position, where `x` is the begin of one of some rows, taken in this body."""
    builder, position = building(), x
    for index in [("slice", None, "operand", None)], [("array",)]:
        node = getattr(identity_of(x), "node", None)
        if node is None or builder is None or not builder.owns(node.outputs[0]):
            return None
        if node.op.name != "getitem" or [*node.attrs["index"]] != index:
            return None
        x, position = (Tensor(None, value) for value in node.inputs)
    return x, position


def taken(row: Tensor, index: Any) -> Any:
    """`row[index]`, where the index is in range: of one of some rows, without a copy of that."""
    found = row_of(row)
    return ops.getitem(row, index) if found is None else ops.getitem(found[0], (found[1], index))


def content_of(x: Any) -> Any:
    """What is in an array by now; any other thing as it is."""
    return x.current() if isinstance(x, Tensor) else x


def pack(item: Form, items: list[Any], content: Callable[[Any], Any] = lambda x: x) -> list[Tensor]:
    """The rows for the items of a list, which are of the form `item`.

    `content` gives what is in an array when it is packed.
    """
    types = leaf_types(item)
    rows: list[Tensor] | None = None
    waiting: list[list[Any]] = []
    runs = [part for part in items if isinstance(part, Run)]
    if len({id(run) for run in runs}) < len(runs):
        note_shared(runs)
    for part in unpadded(items):
        if isinstance(part, Run):
            part = content(part)
            before = _with_numbers(item, rows, waiting)
            rows = _joined(item, before, _rows_of(part, item, types))
            waiting = []
        else:
            waiting.append([content(x) for x in item.numbers_in(part, content)] or [True])
    rows = _with_numbers(item, rows, waiting)
    return [_no_rows(type_) for type_ in types] if rows is None else rows


def _rows_of(run: Run, item: Form, types: list[TensorType]) -> list[Tensor] | None:
    """The rows of a run as those of items of other types; None if there are surely none."""
    if isinstance(run.item, Unbound):
        return None
    rows = list(item.rows_of(run.item, iter(run.rows), run.rows)) or run.rows
    return [
        control.coerce(x, TensorType(type_.dtype, x.type.shape, device=type_.device))
        for x, type_ in zip(rows, types, strict=True)
    ]


def are_text(counts: Tensor, letters: Tensor, text: Tensor) -> Any:
    """Which texts, of so many letters each, are one text."""
    now, own = size_along(letters, 1), size_along(text, 0)
    most = ops.maximum(now, own)
    letters, text = _lengthened(letters, 1, most, now), _lengthened(text, 0, most, own)
    is_behind = ops.arange(most) >= ops.expand_dims(counts, axis=1)
    are_alike = ops.all(ops.logical_or(is_behind, letters == text), axis=1)
    return ops.logical_and(counts == own, are_alike)


def same_texts(texts: Sequence[Tensor], others: Sequence[Tensor]) -> Any:
    """For each of some texts, which their counts and letters are, whether the other is the same."""
    (counts, letters), (own, other) = _all_aligned([0, 1], texts, others, 1)
    is_behind = ops.arange(size_along(letters, 1)) >= ops.expand_dims(counts, axis=1)
    are_alike = ops.all(ops.logical_or(is_behind, letters == other), axis=1)
    return ops.logical_and(counts == own, are_alike)


def sizes_behind(x: Tensor, first: int) -> list[Any]:
    return [size_along(x, axis) for axis in range(first, len(x.type.shape or ()))]


def as_items(item: Form, own: Form, rows: Iterator[Tensor], count: Any) -> Iterator[Tensor]:
    """The rows of items of a form, out of those of another one; what counts them, if no others."""
    given = [next(rows) for _ in own.columns()]
    counted = given or [ops.full(count, True, dtype=np.dtype(bool))]
    made = list(item.rows_of(own, iter(given), counted)) or counted
    for x, type_ in zip(made, leaf_types(item), strict=True):
        yield control.coerce(x, TensorType(type_.dtype, x.type.shape, device=type_.device))


def no_items(type_: TensorType, count: Any) -> Tensor:
    """What is in lists without items, of which there are some."""
    sizes = (n or 0 for n in type_.shape or ())
    made: Tensor = ops.zeros((count, 0, *sizes), dtype=type_.dtype, device=type_.device)
    return made


def _joined(
    item: Form, rows: list[Tensor] | None, more: list[Tensor] | None
) -> list[Tensor] | None:
    if rows is None or more is None:
        return more if rows is None else rows
    return [ops.concat([x, y]) for x, y in zip(*aligned(item, rows, more), strict=True)]


def _with_numbers(
    item: Form, rows: list[Tensor] | None, waiting: list[list[Any]]
) -> list[Tensor] | None:
    """`rows` with single items behind them."""
    if rows is None:
        return _once(item, None, waiting) if waiting else None
    for numbers in waiting:
        rows = _once(item, rows, [numbers])
    return rows


def _once(item: Form, rows: list[Tensor] | None, waiting: list[list[Any]]) -> list[Tensor]:
    """Rows with items behind them: the same ones for all that ask for them in one graph.

    Not while tapes are open, which may have begun to watch what is in them.
    """
    types = leaf_types(item)

    def made() -> list[Tensor]:
        numbers = [[_number(x, t) for x, t in zip(xs, types, strict=True)] for xs in waiting]
        return _appended(item, rows, numbers) or []

    builder, facts = building(), current_trace()
    told = tuple([identity_of(x) for x in (*(rows or ()), *itertools.chain(*waiting))])
    if builder is None or facts is None or trace.tapes() or None in told:
        return made()
    key = (builder, rows is None, len(waiting), tuple(types), told)
    known = facts.containers.packed.get(key, [])
    if known and all(builder.owns(value) for _, value in known):
        return [kind(None, value) for kind, value in known]
    found = made()
    facts.containers.packed[key] = [(type(x), x._value) for x in found]
    return found


def identity_of(x: Any) -> Any:
    """What is equal for numbers and arrays that are the same; None where that is not known."""
    if isinstance(x, Tensor):
        return x.current()._value
    if isinstance(x, np.generic) or type(x) in (bool, int, float):
        return type(x), repr(x)
    return None


def _appended(
    item: Form, rows: list[Tensor] | None, waiting: list[list[Tensor]]
) -> list[Tensor] | None:
    """`rows` with single items behind them."""
    is_even = not any(item.depths()) and all(None not in (t.shape or ()) for t in leaf_types(item))
    if rows is None and len(waiting) > 1 and is_even:
        return [ops.stack(list(numbers)) for numbers in zip(*waiting, strict=True)]
    for numbers in waiting:
        if rows is not None and all(n.type.shape == () for n in numbers):
            rows = [ops.append_row(x, n) for x, n in zip(rows, numbers, strict=True)]
            continue
        alone = [ops.expand_dims(n, axis=0) for n in numbers]
        rows = alone if rows is None else with_row(item, rows, alone)
    return rows


def with_row(item: Form, rows: list[Tensor], alone: list[Tensor]) -> list[Tensor]:
    """Rows with one more behind them, which is given as rows by itself."""
    pairs = zip(*aligned(item, rows, alone), strict=True)
    return [ops.append_row(x, ops.getitem(y, 0)) for x, y in pairs]


def _no_rows(type_: TensorType) -> Tensor:
    none: Tensor = ops.zeros((0, *(n or 0 for n in type_.shape or ())), type_.dtype)
    return none if type_.device is None else ops.to_device(none, type_.device)


def _number(x: Any, type_: TensorType) -> Tensor:
    result: Tensor = control.coerce(tensor(x), type_.strong())
    return result
