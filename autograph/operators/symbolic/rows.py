"""The rows of a run: arrays in which the graph holds the items of a list, one row for each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.operators.captured.captures import current_trace
from autograph.operators.stand_ins.captured_items import parts_of
from autograph.operators.stand_ins.grown_text import LETTERS, letters_of
from autograph.operators.stand_ins.one_of import are_numbers, index_of, numbers_of
from autograph.operators.stand_ins.runs import Packing, Rows, Run, has_runs, note_shared, unpadded
from autograph.operators.stand_ins.values import NOTHING, split_none, tensor
from autograph.operators.symbolic.forms import (
    Among,
    Branching,
    Form,
    Growing,
    Leaf,
    OrNone,
    Ragged,
    Static,
    Unbound,
    Written,
)
from autograph.operators.symbolic.item_forms import growing_form
from runtime import control, ops, trace
from runtime.building import building
from runtime.spec import Shape, TensorType, type_of_number
from runtime.templates import letters_of_text
from runtime.tensor import Tensor

__all__ = [
    "aligned",
    "are_text",
    "as_rows",
    "holds_arrays",
    "in_numbers",
    "inner_types",
    "length",
    "number_leaves",
    "pack",
    "row_types",
    "same_texts",
    "size_of",
    "with_letters",
    "with_row",
]

# Items without a number in them are counted by the rows of this type.
_COUNTED = TensorType(np.dtype(bool), ())


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
    packing = Packing(item, items, pack)
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
    """The numbers and arrays of an item.

    Of a list with a length of its own: that, and arrays as long as the longest of these lists.
    Of a text likewise: its length, and its letters.
    """
    if isinstance(item, Leaf):
        yield item
    elif isinstance(item, Written):
        yield Leaf(type_of_number(0))
        yield Leaf(LETTERS)
    elif isinstance(item, Ragged):
        yield Leaf(type_of_number(0))
        for type_ in inner_types(item):
            yield Leaf(TensorType(type_.dtype, (None, *(type_.shape or ())), device=type_.device))
    elif isinstance(item, Among):
        yield Leaf(item.type)
    elif isinstance(item, OrNone):
        yield from number_leaves(item.part)
        yield Leaf(type_of_number(True))
    elif isinstance(item, Branching):
        for part in item.parts:
            yield from number_leaves(part)


def inner_types(form: Ragged) -> list[TensorType]:
    """The types of what is in the items of lists that are items; none where all are empty."""
    return [] if isinstance(form.item, Unbound) else _leaf_types(form.item)


def _depths(item: Form) -> Iterator[int]:
    """For each of the rows, how many axes are as long as the longest of some lists."""
    if isinstance(item, Ragged):
        yield 0
        if not isinstance(item.item, Unbound):
            for depth in list(_depths(item.item)) or [0]:
                yield depth + 1
    elif isinstance(item, Written):
        yield from (0, 1)
    elif isinstance(item, Branching):
        for part in item.parts:
            yield from _depths(part)
    else:
        for _ in number_leaves(item):
            yield 0


def holds_arrays(item: Form) -> bool:
    """Whether there are arrays in an item; what is as long as the longest of some lists is none."""
    pairs = zip(number_leaves(item), _depths(item), strict=True)
    return any(leaf.type.rank != depth for leaf, depth in pairs)


def aligned(
    item: Form, rows: Sequence[Tensor], more: Sequence[Tensor], first: int = 1
) -> tuple[list[Tensor], list[Tensor]]:
    """Rows for items of a form, and more of them, of which lists among the items are as long.

    The items are behind the `first` axes.
    """
    depths = list(_depths(item)) or [0]
    pairs = [_aligned(x, y, d, first) for x, y, d in zip(rows, more, depths, strict=True)]
    return [x for x, _ in pairs], [y for _, y in pairs]


def _aligned(x: Tensor, y: Tensor, depth: int, first: int) -> tuple[Tensor, Tensor]:
    behind = first + depth
    if not _surely_alike(x.type.shape, y.type.shape, behind):
        x, y = ops.rows_alike(x, y, axes=behind), ops.rows_alike(y, x, axes=behind)
    for axis in range(first, first + depth):
        sizes = [_size(each, axis) for each in (x, y)]
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


def _size(x: Tensor, axis: int) -> Any:
    known = None if x.type.shape is None else x.type.shape[axis]
    return ops.dim(x, axis=axis) if known is None else known


def _lengthened(x: Tensor, axis: int, size: Any, now: Any) -> Tensor:
    """An array with zeros at the end of an axis, which nobody reads."""
    sizes = _sizes_behind(x, 0)
    sizes[axis] = ops.subtract(size, now)
    rest = ops.zeros(tuple(sizes), dtype=x.dtype, device=x.type.device)
    made: Tensor = ops.concat([x, rest], axis=axis)
    return made


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
            waiting.append([content(x) for x in _numbers_of(item, part, content)] or [True])
    rows = _with_numbers(item, rows, waiting)
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
    elif isinstance(item, Ragged):
        yield from _with_lengths(item, own, rows, all_rows)
    elif isinstance(item, Written):
        yield from with_letters(own, rows, all_rows)
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


def with_letters(own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]) -> Iterator[Tensor]:
    """Likewise for texts: how many letters they have, and these."""
    if isinstance(own, Written):
        yield next(rows)
        yield next(rows)
        return
    texts = own.things if isinstance(own, Among) else (own.value,)  # type: ignore[attr-defined]
    found = [letters_of_text(text) for text in texts]
    letters = np.zeros((len(texts), max(map(len, found))), np.int32)
    for k, own_letters in enumerate(found):
        letters[k, : len(own_letters)] = own_letters
    count = size_of(all_rows)
    which = next(rows) if isinstance(own, Among) else ops.zeros(count, dtype=np.dtype(np.int64))
    yield ops.getitem(np.array(list(map(len, found))), which)
    yield ops.getitem(letters, which)


def _with_lengths(
    item: Ragged, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
) -> Iterator[Tensor]:
    """Likewise for lists, each of a length of its own: the lengths, and what is in them."""
    count, types = size_of(all_rows), inner_types(item)
    if isinstance(own, Ragged):
        yield next(rows)
        inner = [next(rows) for _ in inner_types(own)]
        yield from _of_lists(item, own, inner) if inner else [_no_items(t, count) for t in types]
        return
    assert isinstance(own, Branching)
    yield ops.full(count, len(own.parts), dtype=np.dtype(np.int64))
    columns = [list(_as_items(item.item, part, rows, count)) for part in own.parts]
    if not columns:
        yield from [_no_items(type_, count) for type_ in types]
        return
    joined = [[ops.expand_dims(x, axis=1) for x in column] for column in columns]
    made = joined[0]
    for more in joined[1:]:
        pairs = zip(*aligned(item.item, made, more, 2), strict=True)
        made = [ops.concat([x, y], axis=1) for x, y in pairs]
    yield from made


def _of_lists(item: Ragged, own: Ragged, inner: list[Tensor]) -> list[Tensor]:
    """What is in lists, as that of lists of another form: all of their items are gone through."""
    if item.item == own.item:
        return inner
    sizes = [_size(inner[0], axis) for axis in (0, 1)]
    flat = [ops.reshape(x, (sizes[0] * sizes[1], *_sizes_behind(x, 2))) for x in inner]
    made = list(_as_items(item.item, own.item, iter(flat), size_of(flat)))
    return [ops.reshape(x, (*sizes, *_sizes_behind(x, 1))) for x in made]


def are_text(counts: Tensor, letters: Tensor, text: Tensor) -> Any:
    """Which texts, of so many letters each, are one text."""
    now, own = _size(letters, 1), _size(text, 0)
    most = ops.maximum(now, own)
    letters, text = _lengthened(letters, 1, most, now), _lengthened(text, 0, most, own)
    is_behind = ops.arange(most) >= ops.expand_dims(counts, axis=1)
    are_alike = ops.all(ops.logical_or(is_behind, letters == text), axis=1)
    return ops.logical_and(counts == own, are_alike)


def same_texts(texts: Iterable[Tensor], others: Iterable[Tensor]) -> Any:
    """For each of some texts, which their counts and letters are, whether the other is the same."""
    form = Written()
    (counts, letters), (own, other) = aligned(form, list(texts), list(others))
    is_behind = ops.arange(_size(letters, 1)) >= ops.expand_dims(counts, axis=1)
    are_alike = ops.all(ops.logical_or(is_behind, letters == other), axis=1)
    return ops.logical_and(counts == own, are_alike)


def _sizes_behind(x: Tensor, first: int) -> list[Any]:
    return [_size(x, axis) for axis in range(first, len(x.type.shape or ()))]


def _as_items(item: Form, own: Form, rows: Iterator[Tensor], count: Any) -> Iterator[Tensor]:
    """The rows of items of a form, out of those of another one; what counts them, if no others."""
    given = [next(rows) for _ in number_leaves(own)]
    counted = given or [ops.full(count, True, dtype=np.dtype(bool))]
    made = list(_with_numbers_of(item, own, iter(given), counted)) or counted
    for x, type_ in zip(made, _leaf_types(item), strict=True):
        yield control.coerce(x, TensorType(type_.dtype, x.type.shape, device=type_.device))


def _no_items(type_: TensorType, count: Any) -> Tensor:
    """What is in lists without items, of which there are some."""
    sizes = (n or 0 for n in type_.shape or ())
    made: Tensor = ops.zeros((count, 0, *sizes), dtype=type_.dtype, device=type_.device)
    return made


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
    types = _leaf_types(item)

    def made() -> list[Tensor]:
        numbers = [[_number(x, t) for x, t in zip(xs, types, strict=True)] for xs in waiting]
        return _appended(item, rows, numbers) or []

    builder, facts = building(), current_trace()
    told = tuple([_told(x) for x in (*(rows or ()), *itertools.chain(*waiting))])
    if builder is None or facts is None or trace.tapes() or None in told:
        return made()
    key = (builder, rows is None, len(waiting), tuple(types), told)
    known = facts.packed.get(key, [])
    if known and all(builder.owns(value) for _, value in known):
        return [kind(None, value) for kind, value in known]
    found = made()
    facts.packed[key] = [(type(x), x._value) for x in found]
    return found


def _told(x: Any) -> Any:
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
    is_even = not any(_depths(item)) and all(None not in (t.shape or ()) for t in _leaf_types(item))
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
    elif isinstance(item, Written):
        letters = letters_of(x)
        yield ops.dim(letters, axis=0)
        yield letters
    elif isinstance(item, Ragged):
        yield length(x)
        yield from [] if isinstance(item.item, Unbound) else pack(item.item, x, content)
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
