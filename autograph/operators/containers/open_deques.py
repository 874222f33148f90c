"""Deques whose length depends on data: what a list that grows is to lists.

A deque that converted code makes while tracing is of a class of its own, which Python takes for a
deque. Once its length depends on data, its items are in a list, and the deque itself is empty: its
own methods refuse to go on then, as they know nothing of them.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from autograph.operators.branches.choosing import chosen
from autograph.operators.captured.captures import trace_at_hand
from autograph.operators.captured.variables import ld
from autograph.operators.containers import growing_methods
from autograph.operators.containers.growing import (
    ListItems,
    checked,
    clear,
    item_at,
    packed,
    position_of,
    put,
    put_slice,
    raise_if,
    without,
    write,
)
from autograph.operators.containers.open_dicts import is_key, made_where
from autograph.operators.symbolic.containers import Growing
from autograph.operators.symbolic.forms import Unbound
from autograph.operators.symbolic.item_forms import growing_form, item_form
from autograph.operators.symbolic.rows import length, size_of
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.contents import content_slot
from autograph.operators.values.iterables import from_end
from autograph.operators.values.runs import OpenDeque, has_runs, padded, settled
from autograph.operators.values.templates import has_traced, lazy
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["append", "as_list", "call", "contains", "delete", "fresh", "going_through", "item",
           "item_of_known", "items_of", "open_in", "opened_by", "opener", "put_item",
           "size"]  # fmt: skip

_OUT_OF_RANGE = "deque index out of range"


def fresh(items: Any = (), maxlen: Any = None) -> Any:
    """`deque(items, maxlen)`: one that is of a length that data decides if the items are."""
    if isinstance(maxlen, Tensor):  # which `deque` itself takes for no integer
        maxlen = operator.index(maxlen)
    if building() is None:
        return deque(items, maxlen)
    found = as_list(items)
    if not has_runs(found):
        return journal.fresh(OpenDeque(found, maxlen))
    made = OpenDeque((), maxlen)
    made.opened = journal.fresh(list(settled(found)))
    _trim(made, from_left=True)
    return journal.fresh(made)


def items_of(x: Any) -> list[Any] | None:
    """The list of the items of a deque whose length depends on data; None for any other thing."""
    return x.opened if isinstance(x, OpenDeque) else None


def as_list(x: Any) -> Any:
    """A list of what is in such a deque now; any other thing as it is."""
    items = items_of(x)
    if items is None:
        return x
    made: list[Any] = journal.fresh([])
    made[:] = padded(settled(items), made) if has_runs(items) else items
    return made


def going_through(x: Any) -> Any:
    """The items of such a deque, which must not change meanwhile; any other thing as it is."""
    items = items_of(x)
    return x if items is None else ListItems(items).as_they_are("for")


# ---- opening -------------------------------------------------------------------------------------


def opened_by(x: Any) -> list[Any]:
    """The list of the items of a deque from now on, made where the deque was."""
    found = items_of(x)
    if found is not None:
        return found
    if not isinstance(x, OpenDeque) or opener(x, [list(deque.__iter__(x))]) is None:
        raise _refused("it is older than the call, or its items are not of one kind")

    def make() -> list[Any]:
        items: list[Any] = journal.fresh(list(deque.__iter__(x)))
        facts = trace_at_hand()
        facts.containers.has_runs = True
        journal.note(_slot(x))
        x.opened = items
        return items

    return made_where(x, "deque", make)


def opener(x: Any, contents: list[Any]) -> Callable[[], Any] | None:
    """How a deque is opened that may have any of these contents, if it can be."""
    if not isinstance(x, OpenDeque) or x.opened is not None or not journal.is_fresh(x):
        return None
    items = [item for content in contents for item in content]
    form = growing_form(Growing(Unbound()), items, "it")
    return functools.partial(opened_by, x) if isinstance(form, Growing) else None


def open_in(result: Any) -> None:
    """Let the graph hold the items of the deques in a result that only it knows, where it can."""
    _open_in(result, set())


def _open_in(x: Any, met: set[int]) -> None:
    if id(x) in met:
        return
    met.add(id(x))
    if isinstance(x, OpenDeque):
        items = [] if x.opened is not None else list(deque.__iter__(x))
        # Arrays and lists in it may be elsewhere in the result, too.
        is_of_numbers = has_traced(items) and all(map(is_key, items)) and journal.is_fresh(x)
        if is_of_numbers and all(item_form(item) == item_form(items[0]) for item in items):
            opened_by(x)
        return
    entries = tree.entries(x)
    for part in entries[1] if entries is not None else ():
        _open_in(part, met)


def _slot(x: OpenDeque) -> journal.Slot:
    def put_back(old: Any) -> None:
        x.opened = old

    return journal.Slot(("opened", id(x)), x, "a deque", lambda: x.opened, put_back)


def _items(x: OpenDeque) -> list[Any]:
    assert x.opened is not None
    return x.opened


def _refused(what: str) -> StagingError:
    return StagingError(
        f"the length of a deque depends on data, and {what}",
        "take its items one by one, or make a list of it (`list(...)`)",
        origin=origin_of_caller(),
    )


# ---- asking --------------------------------------------------------------------------------------


def size(x: OpenDeque) -> Any:
    """`len(x)`."""
    return length(_items(x))


def contains(x: OpenDeque, value: Any) -> Any:
    """`value in x`."""
    return growing_methods.contains(_items(x), value)


def item(x: OpenDeque, key: Any) -> Any:
    """`x[key]`."""
    items = _items(x)
    _refuse_slice(key)
    position = position_of(items, key)
    if position is not None:
        return ld(items[position])
    form, rows = packed(items)
    return item_at(form, rows, checked(key, size_of(rows), _OUT_OF_RANGE))


def item_of_known(x: OpenDeque, key: Tensor) -> Any:
    """`x[key]` of a deque of known items, where only the graph knows the index."""
    items = list(deque.__iter__(x))
    key = checked(key, len(items), _OUT_OF_RANGE)
    return chosen(items, from_end(key, len(items)), "deque")


def _refuse_slice(key: Any) -> None:
    if isinstance(key, slice):
        raise TypeError("sequence index must be integer, not 'slice'")


# ---- changing ------------------------------------------------------------------------------------


def put_item(x: OpenDeque, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    items = _items(x)
    _refuse_slice(key)
    put(items, checked(key, length(items), _OUT_OF_RANGE), value)


def delete(x: OpenDeque, key: Any) -> None:
    """`del x[key]`."""
    _refuse_slice(key)
    _taken(x, key, _OUT_OF_RANGE)


def _taken(x: OpenDeque, key: Any, message: str) -> Any:
    items = _items(x)
    position = position_of(items, key)
    if position is not None:
        journal.note(content_slot(items))
        return ld(list.pop(items, position))
    form, rows = packed(items)
    count = size_of(rows)
    if not isinstance(key, Tensor) and key in (0, -1):
        raise_if(ops.equal(count, 0), IndexError(message))
    else:
        key = checked(key, count, message)
    taken = item_at(form, rows, key)
    write(items, form, [without(row, key, count) for row in rows])
    return taken


def append(x: OpenDeque, value: Any) -> None:
    """`append`, or what `+=` does with one item."""
    items = _items(x)
    journal.note(content_slot(items))
    list.append(items, value)
    _trim(x, from_left=True)


def _append_left(x: OpenDeque, value: Any) -> None:
    put_slice(_items(x), slice(0, 0), [value])
    _trim(x, from_left=False)


def _extend(x: OpenDeque, more: Any, call_list: Callable[..., Any]) -> None:
    call_list(_items(x), "extend", as_list(more))
    _trim(x, from_left=True)


def _extend_left(x: OpenDeque, more: Any, call_list: Callable[..., Any]) -> None:
    new: list[Any] = journal.fresh([])
    call_list(new, "extend", as_list(more))
    call_list(new, "reverse")
    put_slice(_items(x), slice(0, 0), new)
    _trim(x, from_left=False)


def _trim(x: OpenDeque, *, from_left: bool) -> None:
    """Take away what is more than the greatest length."""
    items, most = _items(x), x.maxlen
    if most is None:
        return
    count = length(items)
    if not isinstance(count, Tensor) and count <= most:
        return
    form, rows = packed(items)
    kept = slice(ops.maximum(count - most, 0), None) if from_left else slice(None, most)
    write(items, form, [ops.getitem(row, kept) for row in rows])


def _insert(x: OpenDeque, key: Any, value: Any, call_list: Callable[..., Any]) -> None:
    if x.maxlen is not None:
        error = IndexError("deque already at its maximum size")
        raise_if(ops.greater_equal(size(x), x.maxlen), error)
    call_list(_items(x), "insert", key, value)


def _rotate(x: OpenDeque, n: Any = 1) -> None:
    items = _items(x)
    form, rows = packed(items)
    if isinstance(form, Unbound):
        return
    count = size_of(rows)
    n = n if isinstance(n, Tensor) else operator.index(n)
    first = count - n % ops.maximum(count, 1)
    parts = (slice(first, None), slice(None, first))
    write(items, form, [ops.concat([ops.getitem(row, part) for part in parts]) for row in rows])


def _copy(x: OpenDeque) -> Any:
    made = OpenDeque((), x.maxlen)
    made.opened = as_list(x)
    return journal.fresh(made)


def _index(x: OpenDeque, value: Any, *within: Any) -> Any:
    if within:
        raise _refused("`index` looks at a part of it")
    return _found(x, value)


def _remove(x: OpenDeque, value: Any) -> None:
    _taken(x, _found(x, value), _OUT_OF_RANGE)


def _found(x: OpenDeque, value: Any) -> Any:
    form, rows = packed(_items(x))
    where = growing_methods.matches(form, rows, value)
    message = lazy(((value, ord("r"), None), " is not in deque"))
    stage_raise(ops.logical_not(ops.any(where)), ValueError(message))
    return ops.as_weak(ops.argmax(where), kind="int")


def call(
    x: OpenDeque,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    call_list: Callable[..., Any],
) -> Any:
    """A method of such a deque; `call_list` calls a method of a list, by its name."""
    if name in _OF_LISTS:
        return _OF_LISTS[name](x, *args, call_list=call_list, **kwargs)
    own = _METHODS.get(name)
    if own is None:
        raise _refused(f"`{name}` of it is called")
    return own(x, *args, **kwargs)


_EMPTY = "pop from an empty deque"
_METHODS: dict[str, Callable[..., Any]] = {
    "clear": lambda x: clear(_items(x)),
    "append": append, "appendleft": _append_left, "rotate": _rotate,
    "pop": lambda x: _taken(x, -1, _EMPTY), "popleft": lambda x: _taken(x, 0, _EMPTY),
    "copy": _copy, "__copy__": _copy, "index": _index, "remove": _remove, "__len__": size,
    "__contains__": contains, "__getitem__": item, "__setitem__": put_item, "__delitem__": delete,
}  # fmt: skip
_OF_LISTS: dict[str, Callable[..., Any]] = {
    "extend": _extend, "extendleft": _extend_left, "insert": _insert,
    "count": lambda x, value, call_list: call_list(_items(x), "count", value),
    "reverse": lambda x, call_list: call_list(_items(x), "reverse"),
}  # fmt: skip
