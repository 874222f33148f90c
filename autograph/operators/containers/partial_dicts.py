"""Dicts of which data decides what keys, among known ones, they have.

`result = {}` and `if x > 0: result["x"] = x` make such a dict, where `open_dicts` holds those whose
keys are values of the graph. The values are of any kind, each for itself: under a mark, as there,
stands a dict of all keys that any path puts in, and of their values, each of which may be unset
(`Undefined`), or set on some paths (`Maybe`), as names are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

from autograph.library.entries import VIEWS
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.methods import called
from autograph.operators.captured.variables import Undefined, ld
from autograph.operators.containers.keyed import is_open_key
from autograph.operators.containers.last_turns import note_taken_out
from autograph.operators.values.bodies import Restart, is_of_this_body, stage_raise
from autograph.operators.values.carried import NOTHING, is_unset, split
from autograph.operators.values.contents import content_slot
from autograph.operators.values.runs import EntriesView, Opened, mark_of, opened
from runtime import journal, ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["METHODS", "contains", "copied", "delete", "entries_of", "item", "opener", "put",
           "refused", "size", "view"]  # fmt: skip

_HINT = (
    "give it all its keys before (`d[key] = None`), or ask for keys one by one (`in`, `get`, "
    "`d[key]`)"
)


class _Next:
    """Under this stands the rank that the next new key gets, among those of the keys."""

    def __repr__(self) -> str:
        return "next"


_NEXT = _Next()


def entries_of(x: Any) -> dict[Any, Any] | None:
    """All keys that a dict may have, with their values; None for any other dict."""
    found = opened(x)
    return found if isinstance(found, dict) else None


def _entries(x: dict[Any, Any]) -> dict[Any, Any]:
    found = entries_of(x)
    assert found is not None
    return found


def _mark(x: dict[Any, Any]) -> Opened:
    found = mark_of(x)
    assert found is not None
    return found


# ---- opening a dict ------------------------------------------------------------------------------


def opener(x: Any, contents: list[Any]) -> Callable[[], Any] | None:
    """How a dict is made one that may have any of these contents, if it can be."""
    if type(x) is not dict or opened(x) is not None:
        return None
    trace = current_trace()
    if not journal.is_fresh(x) and (trace is None or not trace.outside.is_given(x)):
        return None
    keys = list(dict.fromkeys(key for content in contents for key in content))
    if any(map(journal.is_of_body, keys)):
        return None  # each trace of the body makes others
    return functools.partial(_open, x, keys)


def _open(x: dict[Any, Any], keys: list[Any]) -> None:
    entries: dict[Any, Any] = journal.fresh({})
    entries.update(dict.items(x))
    ranks: dict[Any, Any] = journal.fresh({key: k for k, key in enumerate(entries)})
    ranks[_NEXT] = len(ranks)
    journal.note(content_slot(x))
    dict.clear(x)
    dict.__setitem__(x, Opened(x, ranks), entries)
    for key in keys:
        _add(entries, ranks, key)


def _add(entries: dict[Any, Any], ranks: dict[Any, Any] | None, key: Any) -> None:
    """Make room for a key, which is not there yet."""
    if key not in entries:
        journal.note(content_slot(entries))
        entries[key] = Undefined(repr(key))
        if ranks is not None:
            journal.note(content_slot(ranks))
            ranks[key] = 0


# ---- asking --------------------------------------------------------------------------------------


def refused(x: dict[Any, Any], what: str) -> StagingError:
    """The error for a use in which all keys must be known."""
    keys = [repr(key) for key, value in _entries(x).items() if split(value)[1] is not True]
    which = f"whether it has {keys[0]}" if keys else "in which order it has its keys"
    return StagingError(
        f"a dict is {what}, and {which} depends on data", _HINT, origin=origin_of_caller()
    )


def _check_key(x: dict[Any, Any], key: Any) -> None:
    if is_open_key(key):
        raise refused(x, "asked for a key that is known only when the graph runs")
    if not isinstance(key, Hashable):
        hash(key)  # raises what Python raises


def contains(x: dict[Any, Any], key: Any) -> Any:
    """`key in x`."""
    _check_key(x, key)
    there = split(_entries(x).get(key, NOTHING))[1]
    return there is not NOTHING and there


def item(x: dict[Any, Any], key: Any) -> Any:
    """`x[key]`."""
    _check_key(x, key)
    found = _entries(x).get(key, NOTHING)
    value, there = split(found)
    if there is NOTHING or there is False:
        raise KeyError(key)
    if there is not True:
        stage_raise(ops.logical_not(there), KeyError(key))
    return ld(value)


def get(x: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """`x.get(key, default)`."""
    _check_key(x, key)
    value, there = split(_entries(x).get(key, NOTHING))
    if there is NOTHING or there is False:
        return default
    if there is True:
        return ld(value)
    return if_exp(there, lambda: ld(value), lambda: default, "get")


def size(x: dict[Any, Any]) -> Any:
    """`len(x)`."""
    there = [split(value)[1] for value in _entries(x).values()]
    known = sum(1 for bit in there if bit is True)
    traced = [bit for bit in there if not isinstance(bit, bool)]
    numbers = [ops.as_weak(ops.astype(bit, int), kind="int") for bit in traced]
    return functools.reduce(ops.add, numbers, known)


def is_moved(x: dict[Any, Any], k: int, key: Any) -> Any:
    """Whether a key that was item number `k` is not there, or was put in anew."""
    is_there, ranks = contains(x, key), _mark(x).ranks
    is_other = False if ranks is None or key not in ranks else ops.not_equal(ranks[key], k)
    return ops.logical_or(ops.logical_not(is_there), is_other)


# ---- changing ------------------------------------------------------------------------------------


def put(x: dict[Any, Any], key: Any, value: Any) -> None:
    """`x[key] = value`."""
    _check_key(x, key)
    entries, mark = _entries(x), _mark(x)
    if key not in entries and journal.is_of_body(key):
        raise refused(x, "given an object as a key that a loop or branch makes")
    if key not in entries and not is_of_this_body(entries):
        raise Restart(
            lambda: is_of_this_body(entries),
            lambda: _add(entries, mark.ranks, key),
            f"whether a dict has the key {key!r} depends on data, in a part of the graph that "
            "cannot be traced again",
            "put all keys into it before (`d[key] = None`)",
        )
    mark.is_in_order = mark.is_in_order and _comes_last(entries, key)
    if mark.ranks is not None:
        _note_rank(mark.ranks, key, split(entries.get(key, NOTHING))[1])
    journal.note(content_slot(entries))
    entries[key] = value


def _note_rank(ranks: dict[Any, Any], key: Any, there: Any) -> None:
    """Put a key behind all others, where it is not there."""
    if there is True:
        return
    journal.note(content_slot(ranks))
    new = ranks[_NEXT]
    if there is False or there is NOTHING:
        ranks[key], ranks[_NEXT] = new, new + 1
        return
    ranks[key] = ops.as_weak(ops.where(there, ranks[key], new), kind="int")
    ranks[_NEXT] = new + ops.as_weak(ops.astype(ops.logical_not(there), int), kind="int")


def _comes_last(entries: dict[Any, Any], key: Any) -> bool:
    """Whether a key that is set now has its place in the order that Python would give it."""
    if key in entries and split(entries[key])[1] is True:
        return True
    keys = list(entries)
    later = keys[keys.index(key) + 1 :] if key in entries else []
    return all(is_unset(entries[one]) for one in later)


def _setdefault(x: dict[Any, Any], key: Any, value: Any = None) -> Any:
    there = contains(x, key)
    if there is False:
        put(x, key, value)
    elif there is not True:
        if_exp(there, lambda: None, lambda: put(x, key, value), "setdefault")
    return item(x, key)


def _pop(x: dict[Any, Any], key: Any, *default: Any) -> Any:
    value = get(x, key, *default) if default else item(x, key)
    if contains(x, key) is not False:
        note_taken_out(x, contains(x, key))
        entries = _entries(x)
        journal.note(content_slot(entries))
        entries[key] = Undefined(repr(key))
    return value


def delete(x: dict[Any, Any], key: Any) -> None:
    """`del x[key]`."""
    _pop(x, key)


def _clear(x: dict[Any, Any]) -> None:
    entries = _entries(x)
    journal.note(content_slot(entries))
    for key in entries:
        entries[key] = Undefined(repr(key))


def copied(x: dict[Any, Any]) -> dict[Any, Any]:
    """`x.copy()`."""
    made: dict[Any, Any] = journal.fresh({})
    entries: dict[Any, Any] = journal.fresh({**_entries(x)})
    mark = _mark(x)
    ranks = None if mark.ranks is None else journal.fresh({**mark.ranks})
    own = Opened(made, ranks)
    own.is_in_order = mark.is_in_order
    dict.__setitem__(made, own, entries)
    return journal.fresh(made)  # type: ignore[no-any-return]


# ---- going through -------------------------------------------------------------------------------


def view(x: dict[Any, Any], name: str = "keys") -> EntriesView:
    """What `x.keys()`, `x.values()` or `x.items()` gives."""
    if not _mark(x).is_in_order:
        raise StagingError(
            "a dict is gone through, and the order of its keys depends on data",
            _HINT,
            origin=origin_of_caller(),
        )

    def begin() -> Any:
        return called(functools.partial(VIEWS[name], x, list(_entries(x))))

    return EntriesView(x, begin)


METHODS: dict[str, Callable[..., Any]] = {
    "get": get, "__contains__": contains, "__getitem__": item, "__setitem__": put,
    "__delitem__": delete, "pop": _pop, "clear": _clear, "copy": copied, "__len__": size,
    "setdefault": _setdefault, "__iter__": view, "keys": view,
    "values": functools.partial(view, name="values"),
    "items": functools.partial(view, name="items"),
}  # fmt: skip
