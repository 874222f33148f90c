"""Lists whose length depends on data: their items, one by one and one after the other.

Each function has the meaning that Python gives it, errors included; where that needs the items,
they are taken from the rows of the runs in the list.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators.branches.copied_in import absorb, lists
from autograph.operators.branches.written_items import as_item
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.guards import are_same_objects
from autograph.operators.captured.variables import Nullable
from autograph.operators.containers.last_turns import Taken
from autograph.operators.containers.written_arrays import as_array_item
from autograph.operators.symbolic.choices import Among, OrNone
from autograph.operators.symbolic.containers import Branching, Growing, Ragged
from autograph.operators.symbolic.forms import BIT, NUMBER, Form, Leaf, Poisoned, Unbound
from autograph.operators.symbolic.item_forms import growing_form
from autograph.operators.symbolic.rows import (
    aligned,
    content_of,
    identity_of,
    length,
    pack,
    row_of,
    size_of,
    taken,
)
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.bodies import check_defined, stage_raise
from autograph.operators.values.carried import is_changeable, with_children
from autograph.operators.values.contents import content_slot
from autograph.operators.values.grown_text import GrownText
from autograph.operators.values.identity import note_chosen_value
from autograph.operators.values.iterables import Indexed, InTurn, as_position, from_end, is_open
from autograph.operators.values.one_of import one_of
from autograph.operators.values.references import snapshot
from autograph.operators.values.runs import (
    Run,
    known_length,
    live,
    note_shared,
    padded,
    refusal,
    settled,
)
from autograph.operators.values.templates import lazy
from runtime import journal, ops
from runtime.errors import LimitNotImplementedError, StagingError
from runtime.origins import Origin, origin_of_caller
from runtime.tensor import Tensor

__all__ = ["OTHER_KEYS", "ListItems", "checked", "clear", "delete", "form_of_items",
           "is_at_unknown", "is_open_index", "item", "item_at", "items_of", "looked_at", "packed",
           "position_of", "put", "raise_if", "unpack", "unpack_ex", "without", "write"]  # fmt: skip

_OUT_OF_RANGE = "{} index out of range"


# ---- reading -----------------------------------------------------------------------------------


def item(x: Any, key: Any) -> Any:
    """`x[key]`, of a list or tuple."""
    if isinstance(key, slice):
        return slice_of(x, key)
    run = live(x)
    if run is not None:
        return run.get(key)
    position = position_of(x, key)
    if position is not None:
        return x[position]
    form, rows = packed(x)
    count = size_of(rows)
    key = checked(key, count, _OUT_OF_RANGE.format(_kind(x).__name__))
    return _item_within(x, form, rows, from_end(key, count))


def _item_in_turn(x: Any, position: Any) -> Any:
    """The item whose turn it is in a loop: the position is in range."""
    if not isinstance(position, Tensor) or position.is_known or live(x) is not None:
        return item(x, position)
    return _item_within(x, *packed(x), position)


def _item_within(x: Any, form: Form, rows: list[Tensor], position: Any) -> Any:
    """The item at a position that is in range, as long as the list is as it is now."""

    def get() -> Any:
        return item_at(*packed(x), position)

    if type(x) is list and isinstance(form, Leaf) and form.type.rank != 0:
        made = item_at(form, rows, position)
        return as_array_item(made, get, x, lambda content: _put_content(x, position, content))
    return as_item(get, x, lambda value: _put_back(x, position, value))


def _put_back(x: Any, position: Any, value: Any) -> None:
    """Set what is in an item, which stays the object that it is."""
    facts, (form, rows) = current_trace(), packed(x)
    row = getattr(next(iter(value), None), "rows", (None,))[0]
    found = None if facts is None else facts.containers.set_items.get(identity_of(row))
    where = [*map(identity_of, (rows[-1], position))]
    if found is not None and [*map(identity_of, found[:2])] == where:  # the lengths stay
        write(x, form, [rows[0], ops.index_update(rows[1], found[2], (position, found[3]))])
        return
    put(x, position, value)
    if facts is not None and facts.containers.row_lengths:
        facts.containers.same_rows.add(packed(x)[1][0].current()._value)


def _put_content(x: list[Any], position: Any, content: Tensor) -> None:
    """Set what is in an array that is an item."""
    form, (row,) = packed(x)
    write(x, form, [ops.index_update(row, content, position)])


def _kind(x: Any) -> type:
    return tuple if isinstance(x, tuple) else list


def position_of(x: Any, key: Any) -> int | None:
    """Where in `x` the item is that `key` says, if only items that stand alone come before it."""
    if isinstance(key, Tensor):
        if not key.is_known:
            return None
        key = key.item()
    key = operator.index(key)
    base: Any = _kind(x)
    size = base.__len__(x)
    step, wanted = (1, key) if key >= 0 else (-1, -1 - key)
    for count in range(size):
        position = count if step > 0 else size - 1 - count
        if isinstance(base.__getitem__(x, position), Run):
            return None
        if count == wanted:
            return position
    return None


def is_at_unknown(x: Any, key: Any = None) -> bool:
    """Whether an item of a list that the function made is meant whose index depends on data."""
    trace = current_trace()
    if trace is None or type(x) is not list or not is_open_index(key):
        return False
    return not trace.outside.is_callers(x)


def is_open_index(key: Any) -> bool:
    """Whether only the graph knows an index of a list."""
    if isinstance(key, slice):
        return any(map(is_open_index, (key.start, key.stop, key.step)))
    return is_open(key)


def checked(key: Any, count: Any, message: str) -> Any:
    """An index, which raises when the graph runs if it is out of range."""
    if not isinstance(key, Tensor):
        key = operator.index(key)
        outside = count <= key if key >= 0 else count < -key
    else:
        if key.dtype.kind not in "iub" or key.type.rank != 0:
            raise TypeError(f"list indices must be integers or slices, not {key.describe()}")
        key = as_position(key)
        outside = ops.logical_or(key < -count, key >= count)
    raise_if(outside, IndexError(message))
    return key


def raise_if(condition: Any, error: BaseException) -> None:
    """Raise an error if a condition holds: now where it is known, else when the graph runs."""
    if is_open(condition):
        stage_raise(condition, error)
    elif condition:
        raise error


def packed(
    x: Iterable[Any], *more: Any, origin: Origin | None = None, within: Any = None
) -> tuple[Form, list[Tensor]]:
    """As `looked_at`, for a list that goes on as these rows; it is `within`, if it is no copy."""
    absorb(x, x if within is None else within)
    return looked_at(x, *more, origin=origin)


def looked_at(x: Any, *more: Any, origin: Origin | None = None) -> tuple[Form, list[Tensor]]:
    """The form of the items of a list, and of `more`, and the rows of the list."""
    form = form_of_items(x, *more, origin=origin)
    return form, pack(form, x, content_of)


def form_of_items(x: Any, *more: Any, origin: Origin | None = None) -> Form:
    """The form of the items of a list, and of `more`.

    What is refused is refused at `origin`, or else in the user's line that is run.
    """
    live(x)
    form = growing_form(Growing(Unbound()), [*x, *more], "the list")
    if isinstance(form, Poisoned):
        raise StagingError(form.what, form.hint, origin=origin or origin_of_caller())
    return form.item


def item_at(form: Form, rows: list[Tensor], index: Any) -> Any:
    """The item of which the number is known to be in range."""
    given = iter(rows)

    def leaf(part: Leaf) -> Any:
        row = taken(next(given), index)
        if part.numpy:
            return row.as_numpy()
        return ops.as_weak(row) if part.type.weak else row

    return _built(form, leaf)


def _built(form: Form, leaf: Callable[[Leaf], Any]) -> Any:
    if isinstance(form, Unbound):  # there is none
        raise IndexError(_OUT_OF_RANGE.format("list"))
    if form.number_types:
        made = form.as_numbers(map(leaf, form.columns()))
        if made.type.rank == 0:
            return made
        # An array that is an item may be read, and a write would have to reach the list.
        return snapshot(ops.copy(made), [lists()], "an item of a list")
    if isinstance(form, OrNone):
        value = _built(form.part, leaf)
        present = leaf(BIT)
        return Nullable("an item", value, present, check_defined)
    if isinstance(form, Among):
        return one_of(leaf(NUMBER), form.things)
    if isinstance(form, Branching):
        return _frozen(with_children(form.like, [_built(part, leaf) for part in form.parts]))
    if isinstance(form, Ragged):
        return _frozen(_list_of(form, leaf))
    if isinstance(form, Written):
        count, letters = [leaf(part) for part in form.columns()]
        return GrownText(ops.getitem(letters, slice(None, count)))
    return form.value  # type: ignore[attr-defined]


def _list_of(form: Ragged, leaf: Callable[[Leaf], Any]) -> list[Any]:
    """A list with a length of its own that is an item."""
    count, *inner = [leaf(part) for part in form.columns()]
    made: list[Any] = journal.fresh([])
    if inner:
        rows = [ops.getitem(row, slice(None, count)) for row in inner]
        made[:] = padded([Run(form.item, rows)], made)
    return made


def _frozen(nest: Any) -> Any:
    """A list, dict or tuple that is an item: a write of it would have to reach the list."""
    if is_changeable(nest):
        journal.note_frozen(journal.fresh(nest), whole=False)
    else:
        note_chosen_value(nest)
    return nest


# Said of a dict or set, too, that has other keys by now.
OTHER_KEYS = "a container is changed while `for` goes through it, and has as many items as before"


# More items than this are gone through in a loop of the graph, where there is a choice.
_MANY = 64


class ListItems(Indexed):
    """The items of a list from `first` on, as they are when it is their turn."""

    __slots__ = ("_count", "_first", "_list", "_places", "_source", "_turn")

    def __init__(self, x: list[Any], first: int = 0) -> None:
        super().__init__("a list", self._count_now, self._in_turn)
        self._list, self._first = x, first
        run = live(x)
        self._source = None if run is None else run.source()
        self._places = None if run is None else run.places()
        self.is_checked = self._source is not None
        self._count = None if self._source is None else length(self._source)
        self._turn = None if self._source is None else Taken(self._source, in_any=True)

    def _in_turn(self, index: Any) -> Any:
        if self._turn is not None:
            self._turn.begin(index + self._first, self._count)
        index = index + self._first
        if self._places is not None and (is_open(index) or index != 0):  # the first is in row 0
            index = ops.getitem(self._places, index)
        return _item_in_turn(self._list, index)

    def _count_now(self) -> Any:
        """How many there are now: of a dict that must not change meanwhile."""
        if self._source is not None:
            now = length(self._source)
            error = RuntimeError("dictionary changed size during iteration")
            raise_if(now is not self._count and ops.not_equal(now, self._count), error)
            # Python would go on over its table, where others may be by now.
            if self._turn is not None and self._turn.is_any is not False:
                raise_if(self._turn.is_any, LimitNotImplementedError(OTHER_KEYS))
        return length(self._list) - self._first

    def known_length(self) -> int | None:
        """The length, if it is known and the items are few: the graph holds many as one array."""
        found = super().known_length()
        return None if found is not None and found > _MANY else found

    def unrolled(self) -> Iterator[Any]:
        """The items one after the other; the length must be known."""
        return super().unrolled() if super().known_length() is None else InTurn(self)

    def as_they_are(self, user: str) -> Indexed:
        """These items, which may be set meanwhile; refused where there are more or fewer."""
        source = self._list if self._source is None else self._source
        before = list(source)
        count = known_length(before) if self._source is None else None

        def item_at(index: Any) -> Any:
            is_same = are_same_objects(before, source)
            if not is_same and (count is None or known_length(source) != count):
                raise refusal(
                    f"it is changed while `{user}` goes through it",
                    "go through the list itself, or a copy of it",
                )
            return self.item(index)

        return Indexed("a list", self.length, item_at)


def items_of(x: Any) -> ListItems:
    """A list whose length depends on data, to be gone through."""
    if type(x) not in (list, tuple):
        raise refusal(f"its items are in a {type(x).__name__}")
    return ListItems(x)


def slice_of(x: Any, key: slice) -> Any:
    """`x[key]`, a new list or tuple."""
    form, rows = packed(x)
    run = Run(form, [ops.getitem(row, key) for row in rows])
    note_shared([run])
    return (run,) if type(x) is tuple else journal.fresh([run])


# ---- changing ----------------------------------------------------------------------------------


def write(x: list[Any], form: Form, rows: list[Tensor]) -> None:
    """Make the items of `x` those of the rows."""
    journal.note(content_slot(x))
    x[:] = padded([Run(form, rows)], x)


def put(x: Any, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    if type(x) is tuple:
        raise TypeError("'tuple' object does not support item assignment")
    if isinstance(key, slice):
        put_slice(x, key, value)
        return
    run = live(x)
    if run is not None and run.put(key, value):
        return
    position = position_of(x, key)
    if position is not None:
        journal.note(content_slot(x))
        x[position] = value
        return
    form, rows = packed(x, value)
    count = size_of(rows)
    key = checked(key, count, "list assignment index out of range")
    absorb([value])
    pairs = zip(*aligned(form, rows, pack(form, [value], content_of)), strict=True)
    made = [(row, ops.getitem(n, 0)) for row, n in pairs]
    write(x, form, [ops.index_update(row, number, key) for row, number in made])
    facts, (source, number) = current_trace(), (row_of(rows[0]), made[0][1])
    if facts is not None and source is not None and len(rows) == 1:
        found = (*source, number, from_end(key, count))
        facts.containers.set_items[identity_of(x[0].rows[0])] = found


def delete(x: Any, key: Any) -> None:
    """`del x[key]`."""
    if type(x) is tuple:
        raise TypeError("'tuple' object doesn't support item deletion")
    if isinstance(key, slice):
        delete_slice(x, key)
        return
    position = position_of(x, key)
    if position is not None:
        journal.note(content_slot(x))
        del x[position]
        return
    form, rows = packed(x)
    count = size_of(rows)
    key = checked(key, count, "list assignment index out of range")
    write(x, form, [without(row, key, count) for row in rows])


def put_slice(x: list[Any], key: slice, value: Any) -> None:
    """`x[key] = value`, of what a list is made of already: `value` is a list."""
    if key.step not in (None, 1):
        raise refusal("a slice of it with a step is set", "set its items one by one")
    form, rows = packed(x, *value)
    start, stop = _bounds(key, size_of(rows))
    first, rest = (
        Run(form, [ops.getitem(row, part) for row in rows])
        for part in (slice(None, start), slice(stop, None))
    )
    journal.note(content_slot(x))
    x[:] = padded([first, *settled(value), rest], x)


def delete_slice(x: list[Any], key: slice) -> None:
    """`del x[key]`."""
    if key.step in (None, 1):
        put_slice(x, key, [])
        return
    form, rows = packed(x)
    count = size_of(rows)
    gone = ops.getitem(ops.arange(count), key)
    kept = ops.index_update(ops.full(count, True, dtype=bool), False, gone)
    write(x, form, [ops.getitem(row, kept) for row in rows])


def _bounds(key: slice, count: Any) -> tuple[Any, Any]:
    """Where a slice starts and ends, both in range, the end not before the start."""
    if not any(isinstance(x, Tensor) for x in (key.start, key.stop, count)):
        first, end, _ = slice(key.start, key.stop).indices(count)
        return first, max(first, end)
    start = 0 if key.start is None else _clamped(key.start, count)
    stop = count if key.stop is None else _clamped(key.stop, count)
    return start, ops.maximum(start, stop)


def _clamped(index: Any, count: Any) -> Any:
    if not isinstance(index, Tensor):
        index = operator.index(index)
    elif index.dtype.kind not in "iub" or index.type.rank != 0:
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    index = from_end(index, count)
    return ops.minimum(ops.maximum(index, 0), count)


def clear(x: list[Any]) -> None:
    """Take all items out of a list, whose items keep their form."""
    form, rows = packed(x)
    write(x, form, [ops.getitem(row, slice(0, 0)) for row in rows])


def without(row: Tensor, key: Any, count: Any) -> Tensor:
    """Rows without one of them."""
    if not isinstance(key, Tensor) and key in (-1, 0):
        result: Tensor = ops.getitem(row, slice(1, None) if key == 0 else slice(None, -1))
        return result
    left: Tensor = ops.without_row(row, from_end(key, count))
    return left


def unpack(x: Any, count: int) -> list[Any]:
    """The items of `x`, which must be `count`."""
    now = length(x)
    many = f"too many values to unpack (expected {count})"
    few = lazy((f"not enough values to unpack (expected {count}, got ", (now, -1, None), ")"))
    raise_if(now > count, ValueError(many))
    raise_if(now < count, ValueError(few))
    return [item(x, k) for k in range(count)]


def unpack_ex(x: Any, before: int, after: int) -> list[Any]:
    """What `a, *b, c = x` unpacks: a list of which Python takes the first and the last items."""
    now, least = length(x), before + after
    text = f"not enough values to unpack (expected at least {least}, got "
    raise_if(now < least, ValueError(lazy((text, (now, -1, None), ")"))))
    first = [item(x, k) for k in range(before)]
    last = [item(x, k - after) for k in range(after)]
    rest = slice_of(x, slice(before, -after if after else None))
    return [*first, *rest, *last]
