"""Methods and operators of lists whose length depends on data, with Python's meaning and errors."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.branches.copied_in import note_held
from autograph.operators.captured.methods import method
from autograph.operators.captured.variables import Nullable
from autograph.operators.containers.growing import (
    checked,
    delete,
    item,
    item_at,
    looked_at,
    packed,
    position_of,
    put,
    raise_if,
    without,
    write,
)
from autograph.operators.symbolic.choices import Among, OrNone
from autograph.operators.symbolic.containers import Branching, Ragged
from autograph.operators.symbolic.forms import Form, Leaf, Static, Unbound
from autograph.operators.symbolic.item_forms import is_text
from autograph.operators.symbolic.rows import are_text, in_numbers, length, same_texts, size_of
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.carried import both_hold, is_numeric, type_of
from autograph.operators.values.contents import content_slot
from autograph.operators.values.grown_text import GrownText, letters_of
from autograph.operators.values.heaps import refuse_compared
from autograph.operators.values.iterables import is_open
from autograph.operators.values.one_of import OneOf, can_be_referred_to, number_of, texts_of
from autograph.operators.values.runs import Run, has_runs, holds_runs, padded, refusal
from autograph.operators.values.templates import LazyString, is_textual, lazy
from runtime import journal, ops
from runtime.errors import LimitValueError
from runtime.tensor import Tensor

__all__ = ["BLIND", "NAN_SOUGHT", "call", "contains", "equal", "in_order", "matches",
           "not_in_list", "numbers_of", "refuse_nan_sought"]  # fmt: skip


NAN_SOUGHT = (
    "nan is looked for in a list whose length depends on data: Python goes by which object it is; "
    "use an array"
)


def _pop(x: list[Any], key: Any = -1) -> Any:
    position = position_of(x, key)
    if position is not None:
        journal.note(content_slot(x))
        return list.pop(x, position)
    form, rows = packed(x)
    count = size_of(rows)
    raise_if(ops.equal(count, 0), IndexError("pop from empty list"))
    is_last = not isinstance(key, Tensor) and key == -1
    if not is_last:
        key = checked(key, count, "pop index out of range")
    taken = item_at(form, rows, key)
    write(x, form, [without(row, key, count) for row in rows])
    return taken


def _insert(x: list[Any], key: Any, value: Any) -> None:
    known = None if is_open(key) else int(operator.index(key))
    before = _plain_count(x) if known is None or known >= 0 else _plain_count(x[::-1])
    if known is not None and before >= (known if known >= 0 else -known):
        journal.note(content_slot(x))
        list.insert(x, known, value)
        return
    form, rows = packed(x, value)
    parts = [slice(None, key), slice(key, None)]
    first, rest = (Run(form, [ops.getitem(row, part) for row in rows]) for part in parts)
    journal.note(content_slot(x))
    x[:] = padded([first, value, rest], x)
    note_held(x)


def _plain_count(x: list[Any]) -> int:
    """How many items come before the first run."""
    return next((k for k, part in enumerate(x) if isinstance(part, Run)), len(x))


def _reverse(x: list[Any]) -> None:
    form, rows = packed(x)
    write(x, form, [ops.flip(row, axis=0) for row in rows])


def numbers_of(form: Form, rows: list[Tensor], what: str) -> list[Tensor]:
    numbers = in_numbers(form, rows)
    if numbers is None or numbers.type.rank != 1:
        raise refusal(f"{what}, and its items are no numbers")
    return [numbers]


def refuse_nan_sought(*numbers: Any) -> None:
    """Raise, when the graph runs, where nan would be compared: Python asks which object it is."""
    tests = [ops.any(ops.isnan(x)) for x in numbers if isinstance(x, Tensor) and x.type.is_inexact]
    if tests:
        stage_raise(functools.reduce(ops.logical_and, tests), LimitValueError(NAN_SOUGHT))


def contains(x: list[Any], value: Any) -> Any:
    """`value in x`."""
    return ops.as_weak(ops.any(_matches(x, value)), kind="bool")


def _matches(x: list[Any], value: Any) -> Tensor:
    return matches(*looked_at(x), value)


def matches(form: Form, rows: list[Tensor], value: Any) -> Tensor:
    """For each item of a form, whether it is equal to `value`."""
    found = _equal(form, iter(rows), value)
    if not isinstance(found, Tensor) or found.type.rank == 0:
        found = ops.full(size_of(rows), found, dtype=bool)
    where: Tensor = found
    return where


def _equal(form: Form, rows: Iterator[Tensor], value: Any) -> Any:
    if type(value) is Nullable and not isinstance(form, OrNone):
        if isinstance(form, Static) and form.value is None:
            return ops.logical_not(value.present)
        return both_hold(value.present, _equal(form, rows, value.value))
    if form.number_types:
        row = form.as_numbers(rows)
        if form.number_types[0].type.rank or (is_numeric(value) and type_of(value).rank):
            raise refusal("its items, which are arrays, are compared")
        if not is_numeric(value):
            return False
        refuse_nan_sought(row, value)
        return row == value
    if isinstance(form, OrNone):
        sought = value.value if type(value) is Nullable else value
        same = _equal(form.part, rows, sought)
        present = next(rows)
        if type(value) is Nullable:
            neither = ops.logical_not(ops.logical_or(present, value.present))
            both = both_hold(ops.logical_and(present, value.present), same)
            return ops.logical_or(neither, both)
        return ops.logical_not(present) if value is None else both_hold(present, same)
    if isinstance(form, Among):
        row = next(rows)
        if not is_textual(form.things[0]):
            return _is_member(form, row, value)
        texts = texts_of(value)
        if texts is None:
            return _is_one_of_texts(form, row, value)
        found: Any = False
        for text in texts:
            if text in form.things:
                is_it = row == form.things.index(text)
                if len(texts) > 1:
                    is_it = ops.logical_and(is_it, value == text)
                found = is_it if found is False else ops.logical_or(found, is_it)
        return found
    if isinstance(form, Branching):
        refuse_compared(form.like)
        if not isinstance(form.like, tuple | list) or method(form.like, "__eq__") is not None:
            what = "dicts" if type(form.like) is dict else "objects"
            raise refusal(f"its items, which are {what}, are compared")
        parts = [_equal(part, rows, v) for part, v in _paired(form, value)]
        return functools.reduce(both_hold, parts, _is_alike(form, value))
    if isinstance(form, Ragged):
        raise refusal("its items, which are lists of several lengths, are compared")
    if isinstance(form, Written):
        count, letters = next(rows), next(rows)
        if not isinstance(value, str | LazyString):
            return False
        return are_text(count, letters, letters_of(value))
    if not isinstance(form, Static):
        return False
    if can_be_referred_to(form.value):
        return _is_object((form.value,), None, value)
    if isinstance(value, LazyString) and texts_of(value) is None:
        return isinstance(form.value, str) and GrownText(letters_of(value)) == form.value
    return form.value == value


def _is_one_of_texts(form: Among, row: Tensor, value: Any) -> Any:
    """For each text that is an item, of several known ones, whether it is one that is not known."""
    if not isinstance(value, LazyString):
        return False
    sought = GrownText(letters_of(value))
    tests = [ops.logical_and(ops.equal(row, k), sought == one) for k, one in enumerate(form.things)]
    return functools.reduce(ops.logical_or, tests)


def _is_member(form: Among, row: Tensor, value: Any) -> Any:
    """For each object or number of a class that is an item, whether it is equal to `value`."""
    if any(map(can_be_referred_to, form.things)):
        return _is_object(form.things, row, value)
    numbers, number = in_numbers(form, [row]), number_of(value)
    if numbers is not None and is_numeric(number):
        return numbers == number
    if isinstance(number, Tensor):
        raise refusal("its items, which are flags, are compared")
    same = [(ops.equal(row, k), value == thing) for k, thing in enumerate(form.things)]
    found = [both_hold(is_it, equal) for is_it, equal in same if equal is not False]
    return functools.reduce(ops.logical_or, found) if found else False


def _is_object(things: tuple[Any, ...], row: Tensor | None, value: Any) -> Any:
    """For each object that is an item, whether it is `value`; without a row it is the one thing."""
    ones = value.things if type(value) is OneOf else (value,)
    if any(method(x, "__eq__") is not None for x in (*things, *ones)):
        raise refusal("its items, which are objects that say what they are equal to, are compared")
    found: Any = False
    for k, thing in enumerate(things):
        if any(thing is one for one in ones):
            is_value = value.is_(thing) if type(value) is OneOf else True
            is_it = both_hold(True if row is None else row == k, is_value)
            found = is_it if found is False else ops.logical_or(found, is_it)
    return found


def _paired(form: Branching, value: Any) -> list[tuple[Form, Any]]:
    is_alike = _is_alike(form, value)
    return list(zip(form.parts, value if is_alike else [_OTHER] * len(form.parts), strict=True))


def _is_alike(form: Branching, value: Any) -> bool:
    """Whether a value is a list or tuple of as many parts, as the items are."""
    kind = tuple if isinstance(form.like, tuple) else list
    return isinstance(value, kind) and not has_runs(value) and len(value) == len(form.parts)


_OTHER = object()
_NO_ROW: Any = None


def _count(x: list[Any], value: Any) -> Any:
    return ops.as_weak(ops.sum(_matches(x, value)), kind="int")


def _index(x: list[Any], value: Any) -> Any:
    text = not_in_list(value) if type(x) is list else "tuple.index(x): x not in tuple"
    return _found(x, value, text)


def _remove(x: list[Any], value: Any) -> None:
    delete(x, _found(x, value, "list.remove(x): x not in list"))


def not_in_list(value: Any) -> Any:
    """What Python says of an item that is not there, which differs between versions."""
    try:
        list[int]().index(0)
    except ValueError as error:
        text = str(error)
    return lazy(((value, ord("r"), None), text[1:])) if text.startswith("0") else text


def _found(x: list[Any], value: Any, message: Any) -> Any:
    """The position of the first item that is equal to `value`."""
    where = _matches(x, value)
    stage_raise(ops.logical_not(ops.any(where)), ValueError(message))
    return ops.as_weak(ops.argmax(where), kind="int")


def equal(x: Any, y: Any) -> Any:
    """`x == y` of two lists of which one has a length that depends on data."""
    _refuse_nested(x, y)

    def items() -> Any:
        (form, rows), (other, other_rows) = looked_at(x), looked_at(y)
        if isinstance(form, Unbound) or isinstance(other, Unbound):
            return True  # there is no item
        same = _same_rows(form, other, iter(rows), iter(other_rows))
        if isinstance(same, Tensor):
            return ops.as_weak(ops.all(same), kind="bool")
        return same or length(x) == 0

    return if_exp(length(x) == length(y), items, lambda: False, "==")


def _same_rows(a: Form, b: Form, rows: Iterator[Tensor], others: Iterator[Tensor]) -> Any:
    """Whether the items of two lists are equal, one by one; a bool where that is so of all."""
    if isinstance(a, Ragged) or isinstance(b, Ragged):
        raise refusal("its items, which are lists of several lengths, are compared")
    if isinstance(a, OrNone) or isinstance(b, OrNone) or _is_none(a) or _is_none(b):
        return _same_or_none(a, b, rows, others)
    if is_text(a) or is_text(b):
        return _same_texts(a, b, rows, others)
    if _are_objects(a) or _are_objects(b):
        raise refusal("its items, which are objects, are compared")
    if isinstance(a, Branching) and isinstance(b, Branching) and type(a.like) is not dict:
        are_alike = isinstance(a.like, tuple) is isinstance(b.like, tuple)
        if not are_alike or len(a.parts) != len(b.parts):
            return False
        pairs = zip(a.parts, b.parts, strict=True)
        return functools.reduce(both_hold, [_same_rows(p, q, rows, others) for p, q in pairs], True)
    if (type(a), type(b)) in ((Branching, Leaf), (Leaf, Branching)):
        return False
    (row,), (mine,) = (
        # What is the same in all items has one row as well, which tells how many there are.
        numbers_of(form, [*islice(each, _height(form) or 1)] or [_NO_ROW], "it is compared")
        for form, each in ((a, rows), (b, others))
    )
    refuse_nan_sought(row, mine)
    return row == mine


def _same_texts(a: Form, b: Form, rows: Iterator[Tensor], others: Iterator[Tensor]) -> Any:
    """Likewise of texts, and others."""
    if isinstance(a, Static) and isinstance(b, Static):
        return a.value == b.value
    own, more = [*islice(rows, _height(a))], [*islice(others, _height(b))]
    if not (is_text(a) and is_text(b)):
        return False
    counted = [*own, *more]
    letters = [
        list(Written().rows_of(f, iter(given), counted)) for f, given in ((a, own), (b, more))
    ]
    return same_texts(*letters)


def _height(form: Form) -> int:
    return len(list(form.columns()))


def _are_objects(form: Form) -> bool:
    if not isinstance(form, Branching):
        return False
    is_nest = isinstance(form.like, tuple | list | dict)
    return not is_nest or method(form.like, "__eq__") is not None


def _same_or_none(a: Form, b: Form, rows: Iterator[Tensor], others: Iterator[Tensor]) -> Any:
    """Likewise where some of them may be None, or all are."""
    (part, there), (other, also) = (
        (form.part, next) if isinstance(form, OrNone) else (form, lambda each: True)
        for form in (a, b)
    )
    for form, value, present, each in ((b, part, there, rows), (a, other, also, others)):
        if _is_none(form):
            for _ in value.columns():
                next(each)
            is_there = present(each)
            return _is_none(value) or (is_there is not True and ops.logical_not(is_there))
    same = _same_rows(part, other, rows, others)
    is_there, is_also = there(rows), also(others)
    both = both_hold(is_there, is_also)
    if is_there is True or is_also is True:
        return both_hold(both, same)
    return ops.where(both, same, ops.equal(is_there, is_also))


def _is_none(form: Form) -> bool:
    """Whether all items of a form are None."""
    return isinstance(form, Static) and form.value is None


def in_order(sign: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """`x < y` and its kin of two lists of which one has a length that depends on data."""
    is_swapped = sign in (operator.gt, operator.le)
    result = _less(y, x) if is_swapped else _less(x, y)
    if sign in (operator.lt, operator.gt):
        return result
    if not isinstance(result, Tensor):
        return not result
    return ops.as_weak(ops.logical_not(result), kind="bool")


def _less(x: Any, y: Any) -> Any:
    """`x < y` of two such lists.

    The first items that differ decide; where there are none, the shorter list comes first.
    """
    _refuse_nested(x, y)
    count, other = length(x), length(y)
    rows = _compared(x, y)
    if rows is None:
        return count < other
    both = ops.minimum(count, other)
    row, mine = (ops.getitem(each, slice(0, both)) for each in rows)
    differ = row != mine

    def by_item() -> Any:
        first = ops.argmax(differ)
        return ops.as_weak(row[first] < mine[first], kind="bool")

    return if_exp(ops.any(differ), by_item, lambda: count < other, "<")


def _refuse_nested(x: Any, y: Any) -> None:
    if type(x) not in (list, tuple) or type(y) is not type(x):
        raise refusal("it is compared, or what it is in")
    if any(isinstance(part, dict) or holds_runs(part) for part in (*x, *y)):
        raise refusal("it is in a list that is compared")


def _compared(x: list[Any], y: list[Any]) -> tuple[Tensor, Tensor] | None:
    """The numbers of two lists; None where one is empty."""
    form, rows = looked_at(x)
    other_form, other_rows = looked_at(y)
    if isinstance(form, Unbound) or isinstance(other_form, Unbound):
        return None
    (row,), (mine,) = (
        numbers_of(form, rows, "it is compared"),
        numbers_of(other_form, other_rows, "it is compared"),
    )
    refuse_nan_sought(row, mine)
    return row, mine


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a list that looks into it, or changes more than its end."""
    owner, name = function.__self__, function.__name__
    own = METHODS.get(name)
    if type(owner) not in (list, tuple) or own is None:
        raise refusal(f"`{name}` of it is called")
    return own(owner, *args, **kwargs)


# What Python itself does right: it neither looks at the items that are there nor counts them.
BLIND = frozenset(
    ("append", "extend", "clear", "copy", "__add__", "__mul__", "__iadd__", "__imul__")
)

METHODS: dict[str, Callable[..., Any]] = {
    "pop": _pop, "insert": _insert, "reverse": _reverse, "count": _count,
    "index": _index, "remove": _remove, "__len__": length, "__getitem__": item,
    "__setitem__": put, "__delitem__": delete, "__contains__": contains,
}  # fmt: skip
