"""Loops over dicts, sets and deques of the trace, which may get more or fewer items in a round.

Python raises where it asks for the next item then. Its own iterators would raise while tracing,
also where data decides whether there is another item, or see nothing.
"""

from __future__ import annotations

import contextlib
import gc
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from autograph.operators.containers import open_deques, open_dicts, open_sets
from autograph.operators.containers.growing import OTHER_KEYS, raise_if
from autograph.operators.containers.last_turns import Taken
from autograph.operators.expressions.access import getitem
from autograph.operators.values.iterables import Indexed, InTurn
from autograph.operators.values.runs import OpenDeque, OpenSet, known_items
from runtime import journal, ops
from runtime.errors import LimitNotImplementedError, StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["watched"]

_KEYS: type = type({}.keys())
_VALUES: type = type({}.values())
_ITEMS: type = type({}.items())
_DICTS = (dict, defaultdict, Counter)


def watched(x: Any) -> InTurn | None:
    """What goes through a container of the trace, or a view of a dict; None for other things."""
    kind = type(x)
    if kind in (_KEYS, _VALUES, _ITEMS):
        x = gc.get_referents(x)[0]
        if type(x) not in _DICTS:
            return None
    if not journal.is_fresh(x):
        return None
    if type(x) in _DICTS:
        keys = list(dict.keys(x))
        text = "dictionary changed size during iteration"
        turn, item, own = Taken(x), _reading(kind, x, keys), dict.__iter__(x)

        def in_turn(k: int) -> Any:
            turn.begin(k, len(keys))
            with contextlib.suppress(RuntimeError):
                next(own, None)
            return item(k)

        def has_others() -> Any:
            if turn.is_any is True and not open_dicts.is_open(x):
                next(own, None)  # raises what Python raises, if it does
                return False
            are_moved = open_dicts.is_open(x) and open_dicts.are_moved(x, keys)
            return are_moved if turn.is_any is False else ops.logical_or(are_moved, turn.is_any)

        going = _Going(text, keys, lambda: _state_of_dict(x), has_others)
        return going.through(in_turn)
    if kind is OpenSet and x.opened is None:
        items = list(known_items(x))
        going = _Going("Set changed size during iteration", items, lambda: _state_of_set(x))
        return going.through(lambda k: items[k])
    if kind is OpenDeque and x.opened is None:
        return _through_deque(x)
    return None


class _Going:
    """Whether a container has become another one; `state` gives its items, or how many it has."""

    def __init__(
        self,
        text: str,
        before: list[Any],
        state: Callable[[], Any],
        are_others: Callable[[], Any] | None = None,
    ) -> None:
        self._text, self._before, self._state = text, before, state
        self._are_others = are_others

    def through(self, item: Callable[[int], Any]) -> InTurn:
        """Its items, each read when it is its turn."""
        return InTurn(Indexed(type(self._before).__name__, self._count, item))

    def _count(self) -> int:
        now, count = self._state(), len(self._before)
        if isinstance(now, list):
            is_same = len(now) == count and all(a is b for a, b in zip(now, self._before))  # noqa: B905
            if len(now) == count and not is_same:
                raise _refused()
            now = len(now)
        differs = ops.not_equal(now, count) if isinstance(now, Tensor) else now != count
        raise_if(differs, RuntimeError(self._text))
        if self._are_others is not None:  # Python goes on over its table
            raise_if(self._are_others(), LimitNotImplementedError(OTHER_KEYS))
        return count


def _reading(kind: type, x: dict[Any, Any], keys: list[Any]) -> Callable[[int], Any]:
    """What gives an item of a dict, or of such a view of it."""
    if kind is _VALUES:
        return lambda k: getitem(x, keys[k])
    if kind is _ITEMS:
        return lambda k: (keys[k], getitem(x, keys[k]))
    return lambda k: keys[k]


def _state_of_dict(x: dict[Any, Any]) -> Any:
    return open_dicts.size(x) if open_dicts.is_open(x) else list(dict.keys(x))


def _state_of_set(x: OpenSet) -> Any:
    return open_sets.size(x) if x.opened is not None else list(known_items(x))


def _through_deque(x: OpenDeque) -> InTurn:
    before, own = list(deque.__iter__(x)), deque.__iter__(x)
    error = "deque mutated during iteration"

    def state() -> Any:
        nonlocal own
        if x.opened is not None:
            return open_deques.size(x)
        if len(x) == len(before):
            try:
                next(own, None)  # which sees all changes but those of items
            except RuntimeError:
                raise _refused() from None
        return before if len(x) == len(before) else [None] * len(x)

    return _Going(error, before, state).through(lambda k: getitem(x, k))


def _refused() -> StagingError:
    return StagingError(
        OTHER_KEYS,
        "go through a copy of it (`list(...)`)",
        origin=origin_of_caller(),
    )
