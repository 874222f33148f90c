"""Rows of a dict or set by data: their keys, what is under them, and the links that find a key.

Each item of the list of items is a tuple of the key, the value of a dict, and the link of the row
(`runtime/ops/python/key_links.py`). Numbers, and tuples of them, are found by the links; any other
key, as a text among some, is compared with all.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.branches.copied_in import absorb
from autograph.operators.captured.captures import current_trace
from autograph.operators.containers.growing import form_of_items, looked_at, without, write
from autograph.operators.containers.growing_methods import NAN_SOUGHT, matches
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Form, Leaf, Unbound
from autograph.operators.symbolic.rows import aligned, content_of, pack, size_of, with_row
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.carried import both_hold, is_numeric, type_of
from autograph.operators.values.runs import Run
from runtime import ops
from runtime.dtypes import kind_of
from runtime.errors import LimitValueError, StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Columns", "columns", "find", "linked", "moved_behind", "packed_once", "put",
           "put_behind", "put_under", "shortened", "take_out", "unlinked"]  # fmt: skip

_ROUNDED = "an int that a double rounds is looked for among keys that are floats: use ints alone"
# The link of a row that is not in the table yet.
_NO_LINK = np.int64(0)


class Columns(NamedTuple):
    """The forms of keys and values, and their rows, with the links; a set has no values."""

    key: Form
    value: Form
    keys: list[Tensor]
    values: list[Tensor]
    links: Tensor


def columns(items: list[Any], *more: Any) -> Columns:
    """The columns of a list of items; the forms cover `more`, keys and values without links."""
    return _columns(*looked_at(items, *((*item, _NO_LINK) for item in more)))


def _columns(form: Form, rows: list[Tensor]) -> Columns:
    if not isinstance(form, Branching):
        return Columns(Unbound(), Unbound(), [], [], rows[-1])
    key, count = form.parts[0], len(list(form.parts[0].columns()))
    value = form.parts[1] if len(form.parts) > 2 else Unbound()
    return Columns(key, value, rows[:count], rows[count:-1], rows[-1])


def unlinked(items: list[Any], *which: int) -> Run:
    """A run of pairs of keys and values, or of the items of a set; or of one part of the items."""
    form, rows = looked_at(items)
    if not isinstance(form, Branching):
        return Run(form, rows)
    found = _columns(form, rows)
    parts = [form.parts[k] for k in which] or list(form.parts[:-1])
    own = [row for k in which for row in (found.keys, found.values)[k]] if which else rows[:-1]
    one = Branching((None, None), form.steps[:-1], tuple(parts)) if len(parts) > 1 else parts[0]
    return Run(one, own or [ops.full(size_of(rows), True, dtype=bool)])


def packed_once(items: list[tuple[Any, ...]]) -> Run:
    """A run of keys, each in a tuple with the value of a dict, which are put in at once."""
    form, rows = looked_at([(*item, _NO_LINK) for item in items])
    return Run(form, linked(form, rows))


# ---- looking for a key ---------------------------------------------------------------------------


def _is_hashed(form: Form) -> bool:
    if isinstance(form, Branching):
        return (
            isinstance(form.like, tuple) and bool(form.parts) and all(map(_is_hashed, form.parts))
        )
    return isinstance(form, Leaf) and form.type.rank == 0 and form.type.dtype.kind in "biuf"


def _sought(form: Form, key: Any) -> Iterator[tuple[Any, Any] | None]:
    """The numbers of a key, each with whether it is one of its column; None where none can tell."""
    if isinstance(form, Branching):
        is_alike = type(key) is tuple and len(key) == len(form.parts)
        parts = zip(form.parts, key, strict=True) if is_alike else ()
        for part, one in parts:
            yield from _sought(part, one)
        if not is_alike:
            yield None
    elif isinstance(form, Leaf) and is_numeric(key) and type_of(key).rank == 0:
        yield _in_type(key, form.type.dtype)
    else:
        yield None


def _in_type(number: Any, dtype: np.dtype[Any]) -> tuple[Any, Any] | None:
    own = type_of(number).dtype
    if own == dtype:
        return number, True
    kinds = kind_of(own) + kind_of(dtype)
    if kinds in ("fi", "fu"):  # it is an integer exactly, or none: a column of floats would round
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        is_within = ops.logical_and(number >= float(least), number < float(most) + 1)
        made = ops.astype(ops.where(is_within, number, 0.0), dtype)
        return made, ops.equal(ops.astype(made, own), number)
    if kinds[0] not in "biu" or kinds[1] not in "biuf":
        return None
    made = ops.astype(number, dtype)
    return made, ops.equal(ops.astype(made, own), number)


def find(found: Columns, key: Any) -> tuple[Any, Callable[[], Any]]:
    """Whether a key is there, and what gives its row where it is."""
    sought = list(_sought(found.key, key)) if _is_hashed(found.key) else [None]
    numbers = [number for number in sought if number is not None]
    if len(numbers) < len(sought):
        facts = current_trace()
        if facts is not None:
            facts.compares_keys |= bool(found.keys)
        where = matches(found.key, found.keys or [found.links], key)
        return ops.any(where), lambda: ops.as_weak(ops.argmax(where), kind="int")
    row = ops.find_key(found.links, *found.keys, *(number for number, _ in numbers))
    there = functools.reduce(both_hold, [one for _, one in numbers], ops.greater_equal(row, 0))
    for number, is_held in numbers:
        if type_of(number).is_inexact:
            if is_held is not True:
                stage_raise(ops.logical_not(is_held), LimitValueError(_ROUNDED))
            nan = ops.logical_and(there, ops.isnan(number))
            stage_raise(nan, LimitValueError(NAN_SOUGHT))
    return there, lambda: ops.as_weak(row, kind="int")


# ---- changing ------------------------------------------------------------------------------------


def linked(form: Form, rows: list[Tensor]) -> list[Tensor]:
    """The rows, of which some are where they were not, with the links of them all."""
    found = _columns(form, rows)
    return [*rows[:-1], ops.link_all(*found.keys)] if _is_hashed(found.key) else rows


def shortened(form: Form, rows: list[Tensor], row: Any) -> list[Tensor]:
    """The rows without one of them; -1 is the last one."""
    found, count = _columns(form, rows), size_of(rows)
    if not _is_hashed(found.key):
        return [without(one, row, count) for one in rows]
    at = row if isinstance(row, Tensor) or row >= 0 else count - 1
    links = ops.unlink_row(found.links, at, *found.keys)  # before the keys are others
    return [*(without(one, row, count) for one in rows[:-1]), links]


def moved_behind(form: Form, rows: list[Tensor], row: Tensor) -> list[Tensor]:
    """The rows with one of them behind all others."""
    *alone, link = (ops.getitem(one, ops.reshape(row, (1,))) for one in rows)
    return [*_with_one_more(form, shortened(form, rows, row), [*alone, link * 0])]


def _with_one_more(form: Any, rows: list[Tensor], alone: list[Tensor]) -> tuple[Tensor, ...]:
    *made, link = with_row(form, rows, alone)
    keys = _columns(form, [*made, link]).keys
    return (*made, ops.link_last(link, *keys) if _is_hashed(form.parts[0]) else link)


def _refuse_rounded(before: Form, after: Form) -> None:
    """Refuse numbers as keys that a column of another type rounds: they would be other keys."""
    if not (isinstance(before, Branching) and isinstance(after, Branching)):
        return
    pairs = zip(before.parts[0].columns(), after.parts[0].columns(), strict=False)
    if not all(np.can_cast(own.type.dtype, leaf.type.dtype) for own, leaf in pairs):
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
        pairs = zip(self.rows[first:-1], self.new[first:-1], strict=True)
        changed = [ops.index_update(row, ops.getitem(n, 0), position) for row, n in pairs]
        return (*self.rows[:first], *changed, self.rows[-1])


def _to_put(items: list[Any], item: tuple[Any, ...]) -> _Put:
    form = form_of_items(items, (*item, _NO_LINK))
    for part in (items, [(*item, _NO_LINK)]):
        _refuse_rounded(form_of_items(part), form)
    absorb(item)
    return _Put(
        form, *aligned(form, pack(form, items), pack(form, [(*item, _NO_LINK)], content_of))
    )


def put(items: list[Any], what: str, *item: Any) -> None:
    """Put a key into a dict or set, or another value under it."""
    one = _to_put(items, item)
    there, position = find(_columns(one.form, one.rows), item[0])
    is_set = len(item) == 1

    def replaced() -> tuple[Tensor, ...]:
        return tuple(one.rows) if is_set else one.under(position())

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
    left = if_exp(there, lambda: (*shortened(form, rows, position()),), lambda: (*rows,), what)
    write(items, form, list(left))
