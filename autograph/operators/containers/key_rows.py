"""Rows of a dict or set by data: their keys, what is under them, and the links that find a key.

Each item of the list of items is a tuple of the key, the value of a dict, and two words of the row
(`runtime/ops/python/key_links.py`): its link, and its place in the order. Numbers, and tuples of
them beside known texts, are found by the links, which are of the numbers; any other key, as a text
among some, is compared with all. The places are Python's ints as long as the rows surely lie in
order, as where no key is taken out.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.branches.copied_in import absorb
from autograph.operators.captured.captures import current_trace, trace_at_hand
from autograph.operators.containers.growing import form_of_items, item_at, looked_at, without, write
from autograph.operators.containers.growing_methods import NAN_SOUGHT, matches
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Form, Leaf, Unbound
from autograph.operators.symbolic.item_forms import item_form
from autograph.operators.symbolic.rows import (
    aligned,
    content_of,
    identity_of,
    pack,
    size_of,
    with_row,
)
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.carried import both_hold, is_numeric, type_of
from autograph.operators.values.one_of import index_of, texts_of
from autograph.operators.values.runs import Run
from runtime import ops
from runtime.building import building
from runtime.errors import LimitValueError, StagingError
from runtime.ops.python.key_links import exactly_as
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Columns", "at_row", "columns", "find", "last_row", "move_before", "move_behind",
           "note_row", "packed_once", "places_of", "put", "put_behind", "put_under", "take_out",
           "take_row_out", "unlinked"]  # fmt: skip

_ROUNDED = "an int that a double rounds is looked for among keys that are floats: use ints alone"
# The link of a row that is not in the table yet, and the place of one that lies in order.
_WORDS = (np.int64(0), 0)
# What the place is where rows may lie in another order.
_OUT_OF_ORDER = item_form(np.int64(0))


class Columns(NamedTuple):
    """The forms of keys and values, and their rows, with the links; a set has no values.

    `order` has the words that keep the order, None where the rows lie in it.
    """

    key: Form
    value: Form
    keys: list[Tensor]
    values: list[Tensor]
    links: Tensor
    order: Tensor | None

    @property
    def hashed(self) -> list[Tensor]:
        """The columns of the keys that the links are of."""
        return [*itertools.compress(self.keys, _of_numbers(self.key))]


def columns(items: list[Any], *more: Any) -> Columns:
    """The columns of a list of items; the forms cover `more`, keys and values without links."""
    return _columns(*looked_at(items, *((*item, *_WORDS) for item in more)))


def _columns(form: Form, rows: list[Tensor]) -> Columns:
    if not isinstance(form, Branching):
        return Columns(Unbound(), Unbound(), [], [], rows[-1], None)
    key, count = form.parts[0], len(list(form.parts[0].columns()))
    value = form.parts[1] if len(form.parts) > 3 else Unbound()
    order = None if next(form.parts[-1].columns()).type.weak else rows[-1]
    return Columns(key, value, rows[:count], rows[count:-2], rows[-2], order)


def unlinked(items: list[Any], *which: int) -> Run:
    """A run of pairs of keys and values, or of the items of a set, in their order.

    Or of one part of the items.
    """
    form, rows = _without_words(items, *which)
    places = places_of(items)
    return Run(form, rows if places is None else [ops.getitem(row, places) for row in rows])


def at_row(items: list[Any], row: Any, *which: int) -> Any:
    """The item, or one part of it, in a row."""
    return item_at(*_without_words(items, *which), row)


def places_of(items: list[Any]) -> Tensor | None:
    """In which row each item is, in their order; None where it is in that of its own number."""
    order = columns(items).order
    return None if order is None else ops.rows_in_order(order)


def _without_words(items: list[Any], *which: int) -> tuple[Form, list[Tensor]]:
    form, rows = looked_at(items)
    if not isinstance(form, Branching):
        return form, rows
    found = _columns(form, rows)
    parts = [form.parts[k] for k in which] or list(form.parts[:-2])
    own = [row for k in which for row in (found.keys, found.values)[k]] if which else rows[:-2]
    one = Branching((None, None), form.steps[:-2], tuple(parts)) if len(parts) > 1 else parts[0]
    return one, own or [ops.full(size_of(rows), True, dtype=bool)]


def packed_once(items: list[tuple[Any, ...]]) -> Run:
    """A run of keys, each in a tuple with the value of a dict, which are put in at once."""
    form, rows = looked_at([(*item, *_WORDS) for item in items])
    return Run(form, linked(form, rows))


# ---- looking for a key ---------------------------------------------------------------------------


def _parts(form: Form) -> list[Form]:
    """What is in keys that are tuples, and in tuples in them; other keys as they are."""
    if isinstance(form, Branching) and isinstance(form.like, tuple) and form.parts:
        return [one for part in form.parts for one in _parts(part)]
    return [form]


def _is_hashed(form: Form) -> bool:
    found = [part.as_leaf for part in _parts(form) if {*map(type, part.constants)} != {str}]
    return bool(found) and all(
        x and x.type.rank == 0 and x.type.dtype.kind in "biuf" for x in found
    )


def _of_numbers(form: Form) -> list[bool]:
    """Of each column of keys, whether it is of numbers, and not of which text is in them."""
    return [not part.constants for part in _parts(form) for _ in part.columns()]


def _sought(form: Form, key: Any) -> Iterator[tuple[Any, Any] | None]:
    """The numbers of a key, each with whether it is one of its column; None where none can tell."""
    if isinstance(form, Branching):
        if type(key) is not tuple or len(key) != len(form.parts):
            yield None
            return
        for part, one in zip(form.parts, key, strict=True):
            yield from _sought(part, one)
    elif form.constants and {*map(type, texts_of(key) or ())} == {str}:
        number = index_of(key, tuple(dict.fromkeys((*form.constants, *(texts_of(key) or ())))))
        yield (number, True) if len(form.constants) > 1 else (None, number == 0)
    elif isinstance(form, Leaf) and is_numeric(key) and type_of(key).rank == 0:
        yield exactly_as(key, form.type.dtype)
    else:
        yield None


def _all_sought(form: Form, key: Any) -> list[tuple[Any, Any]] | None:
    numbers = [*_sought(form, key)] if _is_hashed(form) else [None]
    return None if None in numbers else numbers  # type: ignore[return-value]


def find(found: Columns, key: Any) -> tuple[Any, Callable[[], Any]]:
    """Whether a key is there, and what gives its row where it is."""
    numbers = _all_sought(found.key, key)
    if numbers is None:
        facts = current_trace()
        if facts is not None:
            facts.containers.compares_keys |= bool(found.keys)
        where = matches(found.key, found.keys or [found.links], key)
        return ops.any(where), lambda: ops.as_weak(ops.argmax(where), kind="int")
    known = trace_at_hand().containers.rows_of_keys.get(_told(found, numbers))
    if known is not None:
        return True, lambda: ops.as_weak(known, kind="int")
    given = [number for number, _ in numbers if number is not None]
    pairs = zip(_of_numbers(found.key), found.keys, given, strict=True)
    _, keys, sought = zip(*sorted(pairs, key=lambda pair: not pair[0]), strict=True)
    row = ops.find_key(found.links, *keys, *sought, hashed=len(found.hashed))
    there = functools.reduce(both_hold, [one for _, one in numbers], ops.greater_equal(row, 0))
    for number, is_held in numbers:
        if number is not None and type_of(number).is_inexact:
            if is_held is not True:
                stage_raise(ops.logical_not(is_held), LimitValueError(_ROUNDED))
            nan = ops.logical_and(there, ops.isnan(number))
            stage_raise(nan, LimitValueError(NAN_SOUGHT))
    return there, lambda: ops.as_weak(row, kind="int")


def note_row(items: list[Any], key: Any, row: Callable[[], Any]) -> None:
    """Remember that a key is surely there, and in which row: it is not looked for again."""
    found = columns(items)
    numbers = _all_sought(found.key, key)
    if numbers is not None and all(is_held is True for _, is_held in numbers):
        trace_at_hand().containers.rows_of_keys[_told(found, numbers)] = row()


def _told(found: Columns, numbers: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    """What is equal where a key is looked for in the same rows again."""
    return (building(), *map(identity_of, (found.links, *found.keys, *(x for x, _ in numbers))))


# ---- changing ------------------------------------------------------------------------------------


def linked(form: Form, rows: list[Tensor]) -> list[Tensor]:
    """The rows, all of which lie in order, with the links of them all."""
    found = _columns(form, rows)
    if not _is_hashed(found.key):
        return rows if found.order is None else [*rows[:-1], rows[-1] * 0]
    return [*rows[:-2], ops.link_all(*found.hashed), rows[-1] * 0]


def last_row(items: list[Any]) -> Any:
    """The row of the last item, where there is one; that of the first one is 0."""
    found = columns(items)
    end = size_of([found.links]) - 1
    return end if found.order is None else end + (ops.getitem(found.order, 0) >> 32)


def _shortened(form: Form, rows: list[Tensor], row: Any, is_last: bool) -> list[Tensor]:
    """The rows without one of them, whose place others come in if it is found by the links."""
    found, count = _columns(form, rows), size_of(rows)
    if not _is_hashed(found.key):
        if found.order is not None:  # as they were while no text of data was in a key
            places = ops.rows_in_order(found.order)
            row = ops.argmax(ops.equal(places, row))
            rows = linked(form, [ops.getitem(one, places) for one in rows])
        return [without(one, -1 if is_last else row, count) for one in rows]
    if is_last and found.order is None:
        links = ops.unlink_row(found.links, row, row, *found.hashed)
        *alone, place = (without(one, -1, count) for one in (*rows[:-2], rows[-1]))
        return [*alone, links, place]
    second = (ops.getitem(rows[-1], 0) << 32 >> 32) + 1
    hole = ops.where(ops.logical_and(ops.equal(row, 0), ops.greater(count, 1)), second, row)
    links = ops.unlink_row(found.links, row, hole, *found.hashed)  # before the keys are others
    order = ops.order_without(rows[-1], row, hole)
    return [*(_filled(one, row, hole, count) for one in rows[:-2]), links, order]


def _filled(row: Tensor, at: Any, hole: Any, count: Any) -> Tensor:
    """Rows with the one in a hole at another place, and the last one in the hole."""
    for new, old in ((at, hole), (hole, count - 1)):
        row = ops.index_update(row, ops.getitem(row, old), new)
    return without(row, -1, count)


def _out_of_order(form: Form) -> Form:
    """The form of items of which a row may lie at another place than that of its number."""
    if not isinstance(form, Branching) or not _is_hashed(form.parts[0]):
        return form
    return form.with_inner([*form.parts[:-1], _OUT_OF_ORDER])


def take_row_out(items: list[Any], row: Any, is_last: bool = False) -> None:
    """Take the item in a row out, which may be the last item."""
    form, rows = looked_at(items)
    left = _shortened(form, rows, row, is_last)
    write(items, form if is_last else _out_of_order(form), left)


def move_behind(items: list[Any], row: Tensor) -> None:
    """Let the item in a row be the last one."""
    form, rows = looked_at(items)
    *alone, link, place = (ops.getitem(one, ops.reshape(row, (1,))) for one in rows)
    rows, form = _shortened(form, rows, row, False), _out_of_order(form)
    write(items, form, list(_with_one_more(form, rows, [*alone, link * 0, place * 0])))


def move_before(items: list[Any], row: Tensor) -> None:
    """Let the item in a row be the first one."""
    form, rows = looked_at(items)
    places = ops.rows_in_order(rows[-1])
    first = ops.reshape(ops.astype(row, places.dtype), (1,))
    order = ops.concat([first, ops.getitem(places, places != row)])
    write(items, form, linked(form, [ops.getitem(one, order) for one in rows]))


def _with_one_more(form: Any, rows: list[Tensor], alone: list[Tensor]) -> tuple[Tensor, ...]:
    *made, link, place = with_row(form, rows, alone)
    found = _columns(form, [*made, link, place])
    link = ops.link_last(link, *found.hashed) if _is_hashed(found.key) else link
    return (*made, link, place if found.order is None else ops.order_last(place))


def _refuse_rounded(before: Form, after: Form) -> None:
    """Refuse numbers as keys that a column of another type rounds: they would be other keys."""
    if not (isinstance(before, Branching) and isinstance(after, Branching)):
        return
    pairs = zip(_parts(before.parts[0]), _parts(after.parts[0]), strict=False)
    leaves = [(own.as_leaf, leaf.as_leaf) for own, leaf in pairs]
    if not all(np.can_cast(x.type.dtype, y.type.dtype) for x, y in leaves if x and y):
        raise StagingError(
            "the keys of a dict or set are numbers of types of which none holds all exactly",
            "make keys of one type of them all, as `float(key)`",
            origin=origin_of_caller(),
        )


class _Put(NamedTuple):
    """The rows of a dict or set, those of an item that is put into it, and the form of both."""

    form: Form
    rows: list[Tensor]
    new: list[Tensor]

    def behind(self) -> tuple[Tensor, ...]:
        """The rows with the item behind them: its key is not there."""
        return _with_one_more(self.form, self.rows, self.new)

    def under(self, position: Any) -> tuple[Tensor, ...]:
        """The rows with the value of the item in one of them: its key is there."""
        first = len(_columns(self.form, self.rows).keys)
        pairs = zip(self.rows[first:-2], self.new[first:-2], strict=True)
        changed = [ops.index_update(row, ops.getitem(n, 0), position) for row, n in pairs]
        return (*self.rows[:first], *changed, *self.rows[-2:])


def _to_put(items: list[Any], item: tuple[Any, ...]) -> _Put:
    one = [(*item, *_WORDS)]
    form = form_of_items(items, *one)
    for part in (items, one):
        _refuse_rounded(form_of_items(part), form)
    absorb(item)
    return _Put(form, *aligned(form, pack(form, items), pack(form, one, content_of)))


def put(items: list[Any], what: str, *item: Any) -> None:
    """Put a key into a dict or set, or another value under it."""
    one = _to_put(items, item)
    there, position = find(_columns(one.form, one.rows), item[0])

    def replaced() -> tuple[Tensor, ...]:
        return one.under(position()) if len(item) > 1 else tuple(one.rows)

    write(items, one.form, list(if_exp(there, replaced, one.behind, what)))


def put_behind(items: list[Any], *item: Any) -> None:
    """Put a key that is not there into a dict, with its value."""
    one = _to_put(items, item)
    write(items, one.form, list(one.behind()))


def put_under(items: list[Any], position: Any, *item: Any) -> None:
    """Put another value under a key, which is at a position."""
    one = _to_put(items, item)
    write(items, one.form, list(one.under(position)))


def take_out(items: list[Any], what: str, there: Any, position: Callable[[], Any]) -> None:
    """Take the key at a position out, if one is there."""
    form, rows = looked_at(items)

    def shortened() -> tuple[Tensor, ...]:
        return (*_shortened(form, rows, position(), False),)

    left = if_exp(there, shortened, lambda: (*rows,), what)
    write(items, _out_of_order(form), list(left))
