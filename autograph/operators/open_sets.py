"""Sets whose items depend on data: the keys of an open dict, without values.

A set that converted code makes while tracing is of a class of its own, which Python takes for a
set: its operators refuse to go on once the items are in the graph, as it knows nothing of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from autograph.operators.absorbing import absorb
from autograph.operators.bodies import OPENERS, stage_raise
from autograph.operators.conditionals import if_exp
from autograph.operators.growing import looked_at, without, write
from autograph.operators.growing_methods import matches
from autograph.operators.keyed import is_open_key
from autograph.operators.open_dicts import held, is_key, made_where, refuse_unhashable
from autograph.operators.rows import length, pack, size_of
from autograph.operators.runs import OpenSet, Run, padded
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = [
    "METHODS",
    "add",
    "call",
    "contains",
    "display",
    "fresh",
    "in_any_order",
    "items_of",
    "made",
    "opened_by",
    "refused",
    "size",
]


def fresh(made: Any) -> Any:
    """What a display, a call or a comprehension makes, known to be new."""
    if type(made) is set and building() is not None:
        made = OpenSet(made)
    return journal.fresh(made)


def display(*items: Any) -> Any:
    """`{a, b, ...}`."""
    return made(items)


def made(items: Iterable[Any] = ()) -> Any:
    """A new set of items that are known one by one."""
    if building() is None:
        return set(items)
    result = fresh(set())
    for item in items:
        add(result, item)
    return result


def items_of(x: Any) -> list[Any] | None:
    """The list of the items of a set whose items depend on data; None for any other thing."""
    return x.opened if isinstance(x, OpenSet) else None


def refused(what: str) -> StagingError:
    """The error for a use of such a set."""
    return StagingError(
        f"the items of a set depend on data, and {what}",
        "ask for items (`in`), sort them (`sorted(...)`), or use a dict, which has an order",
        origin=origin_of_caller(),
    )


def opened_by(x: Any, *item: Any) -> list[Any]:
    """The list of the items of a set from now on; refused where `item` is none for it."""
    found = items_of(x)
    if found is not None:
        return found
    if not isinstance(x, OpenSet) or not all(map(is_key, (*x, *item))):
        raise StagingError(
            "a value that is known only when the graph runs is an item of a set that is older than "
            "the call, or whose items are no numbers, nor tuples of numbers",
            "use an array, or a set that the function makes",
            origin=origin_of_caller(),
        )

    def make() -> list[Any]:
        items = held(list(set.__iter__(x)), "set")
        journal.note(_slot(x))
        x.opened = items
        return items

    return made_where(x, "set", make)


def _opener(x: Any, contents: list[Any]) -> Callable[[], Any] | None:
    """How a set is opened that may have any of these contents, if it can be."""
    can_be = isinstance(x, OpenSet) and x.opened is None and journal.is_fresh(x)
    if not can_be or not all(is_key(item) for content in contents for item in content):
        return None
    return functools.partial(opened_by, x)


OPENERS.append(_opener)


def _slot(x: OpenSet) -> journal.Slot:
    def put(old: Any) -> None:
        x.opened = old

    return journal.Slot(("opened", id(x)), x, "a set", lambda: x.opened, put)


def contains(x: Any, item: Any) -> Any:
    """`item in x`."""
    items = items_of(x)
    assert items is not None
    refuse_unhashable(item)
    return ops.as_weak(ops.any(matches(*looked_at(items), item)), kind="bool")


def size(x: Any) -> Any:
    """`len(x)`."""
    items = items_of(x)
    assert items is not None
    return length(items)


def in_any_order(x: Any) -> list[Any]:
    """The items of a set, for what does not depend on their order."""
    items = items_of(x)
    assert items is not None
    found: list[Any] = journal.fresh([])
    found[:] = padded([Run(*looked_at(items))], found)
    return found


# ---- changing ------------------------------------------------------------------------------------


def add(x: Any, item: Any) -> None:
    """`x.add(item)`."""
    if items_of(x) is None and not is_open_key(item):
        set.add(x, item)
        return
    refuse_unhashable(item)
    items = opened_by(x, item)
    if not is_key(item):
        raise refused("one is added that is no number, nor a tuple of numbers")
    form, _ = looked_at(items, item)
    absorb([item])
    rows = pack(form, items)
    new = [ops.getitem(row, 0) for row in pack(form, [item])]

    def appended() -> tuple[Tensor, ...]:
        return tuple(ops.append_row(row, n) for row, n in zip(rows, new, strict=True))

    there = ops.any(matches(form, rows, item))
    write(items, form, list(if_exp(there, lambda: tuple(rows), appended, "the items of a set")))


def _discard(x: Any, item: Any) -> None:
    _take(x, item)


def _remove(x: Any, item: Any) -> None:
    stage_raise(ops.logical_not(_take(x, item)), KeyError(item))


def _take(x: Any, item: Any) -> Any:
    """Take an item out of a set; whether it was there."""
    refuse_unhashable(item)
    items = opened_by(x, item)
    form, rows = looked_at(items)
    found, count = matches(form, rows, item), size_of(rows)
    there = ops.any(found)

    def shortened() -> tuple[Tensor, ...]:
        position = ops.argmax(found)
        return tuple(without(row, position, count) for row in rows)

    kept = if_exp(there, shortened, lambda: tuple(rows), "the items of a set")
    write(items, form, list(kept))
    return there


def _clear(x: Any) -> None:
    items = items_of(x)
    assert items is not None
    form, rows = looked_at(items)
    write(items, form, [ops.getitem(row, slice(0, 0)) for row in rows])


def copied(x: Any) -> Any:
    """A new set of the same items."""
    result: OpenSet = journal.fresh(OpenSet())
    result.opened = in_any_order(x)
    return result


def call(name: str, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a set whose items depend on data."""
    own = METHODS.get(name)
    if own is None:
        raise refused(f"`{name}` of it is called")
    return own(owner, *args, **kwargs)


METHODS: dict[str, Callable[..., Any]] = {
    "add": add, "discard": _discard, "remove": _remove, "clear": _clear, "copy": copied,
    "__contains__": contains, "__len__": size,
}  # fmt: skip
