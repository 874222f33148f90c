"""Python's own iterators of lists, where data has set items of the list since they were made.

Such a list has a run in the place of items, and is padded: no iterator of it comes to its end, and
each still says how far it is. What it would give is read from the list.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators.captured.captures import current_trace
from autograph.operators.containers.growing import ListItems, item
from autograph.operators.values.iterators import taken
from autograph.operators.values.runs import has_runs, known_length, refusal
from runtime import journal
from runtime.errors import StagingError

__all__ = ["all_readable", "in_turn", "place_in_list", "readable", "rest_of", "taken_from", "tells"]

_LIST: type[Any] = type(iter([]))
_REVERSED: type[Any] = type(reversed([]))
# Iterators that tell what they go through.
_TELLING: tuple[type[Any], ...] = (_LIST, _REVERSED, zip, enumerate, map)


def tells(iterator: Any) -> bool:
    """Whether an iterator tells what it goes through, and how far it is."""
    return type(iterator) in _TELLING


def rest_of(iterator: Any) -> ListItems | None:
    """What an iterator of a list has left, if the length of the list has come to depend on data."""
    source, first = place_in_list(iterator)
    return ListItems(source, first) if has_runs(source) else None


def place_in_list(iterator: Any) -> tuple[list[Any], int]:
    """The list that an iterator goes through, and where it is in it; of others, an empty list."""
    return _place(iterator) if type(iterator) is _LIST else ([], 0)


def _place(iterator: Any) -> tuple[list[Any], int]:
    """The list that an iterator goes through, on or back, and the index of the next item."""
    state: Any = iterator.__reduce__()
    source = state[1][0]
    return (source, state[2] if len(state) > 2 else 0) if type(source) is list else ([], 0)


def _is_set(iterator: Any) -> bool:
    """Whether an iterator goes through a list that has runs by now."""
    trace = current_trace()
    is_possible = trace is not None and trace.containers.has_runs
    return is_possible and any(map(has_runs, _lists_under(iterator)))


def _lists_under(iterator: Any) -> Iterator[list[Any]]:
    """The lists that an iterator takes its items from."""
    if tells(iterator):
        for part in iterator.__reduce__()[1]:
            if type(part) is list:
                yield part
            else:
                yield from _lists_under(part)


def readable(x: Any) -> Any:
    """What code of Python's own may go through: in the place of an iterator of a list, its items.

    An iterator of the library that has begun to go through such a list is refused.
    """
    if type(x) in (tuple, list):
        return x
    trace = current_trace()
    if trace is None or not trace.containers.has_runs:
        return x
    if _is_set(x):
        return in_turn(x)
    if any(_has_begun(y) and _is_set(y) for y in _inner(x)):
        raise _refused_change()
    return x


def all_readable(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """`readable` of each argument; mostly no list of the trace has items set by data."""
    trace = current_trace()
    return tuple(map(readable, args)) if trace is not None and trace.containers.has_runs else args


def _inner(iterator: Any) -> Iterator[Any]:
    """The iterators that one of the library's takes its items from."""
    if type(iterator) is tuple or type(iterator).__module__ == "itertools":
        for part in gc.get_referents(iterator):
            yield part
            yield from _inner(part)


def _has_begun(iterator: Any) -> bool:
    """Whether an iterator does not begin with what now stands for all items."""
    return not (type(iterator) is _LIST and _place(iterator)[1] == 0)


def in_turn(iterator: Iterator[Any]) -> Iterator[Any]:
    """What an iterator gives, each item as it is when it is its turn."""
    taken(iterator)
    return journal.fresh(_InTurn(iterator))  # type: ignore[no-any-return]


class _InTurn(Iterator[Any]):
    __slots__ = ("_iterator",)

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator

    def __next__(self) -> Any:
        return taken_from(self._iterator)


def taken_from(iterator: Iterator[Any]) -> Any:
    """`next(iterator)`; refused where it goes through a list of a length that depends on data."""
    if not _is_set(iterator):
        return _given(iterator)
    if type(iterator) is zip:
        return tuple(_in_step(iterator, taken_from))
    if type(iterator) is map:
        of_map: Any = iterator.__reduce__()[1]
        function, *parts = of_map
        return function(*[taken_from(part) for part in parts])
    read = _reading(iterator)
    return read(next(iterator))


def _given(iterator: Iterator[Any]) -> Any:
    """What an iterator gives; of the library's others it is not known what they go through."""
    found = next(iterator)
    is_made = type(found) is tuple and not tells(iterator)
    if has_runs((found,)) or (is_made and has_runs(found)):
        raise _refused_change()
    return found


def _refused_change() -> StagingError:
    return refusal("it is changed while something goes through it", "go through a copy of it")


# Makes what an iterator would give of what Python's own gives, which goes over padding.
Reading = Callable[[Any], Any]


def _reading(iterator: Any) -> Reading:
    """How to read what an iterator is about to give."""
    if not _is_set(iterator):
        return _as_given
    if type(iterator) is enumerate:
        read = _reading(iterator.__reduce__()[1][0])
        return lambda given: (given[0], read(given[1]))
    if type(iterator) is zip:
        readings = _in_step(iterator, _reading, advance=next)
        return lambda given: tuple(read(x) for read, x in zip(readings, given, strict=True))
    if type(iterator) is map:
        raise _refused_change()  # what it calls would be given padding
    found = _item_of(iterator)
    return lambda given: found


def _as_given(x: Any) -> Any:
    return x


def _item_of(iterator: Any) -> Any:
    """The item that an iterator of a list is about to give; at the end it stays there."""
    source, position = _place(iterator)
    count = known_length(source)
    if count is None or (position < count and position >= list.__len__(source)):
        raise _refused_change()
    if 0 <= position < count:
        return item(source, position)
    iterator.__setstate__(sys.maxsize if type(iterator) is _LIST else -1)
    next(iterator, None)
    raise StopIteration


def _in_step(
    iterator: Any, take: Callable[[Any], Any], advance: Callable[[Any], Any] = lambda part: None
) -> list[Any]:
    """What `take` gives for each of the iterators that a `zip` goes through.

    Where one is at its end, `advance` is called for those before it.
    """
    _, parts, *strict = iterator.__reduce__()
    found: list[Any] = []
    for k, part in enumerate(parts):
        try:
            found.append(take(part))
        except StopIteration:
            for before in parts[:k]:
                advance(before)
            if strict and strict[0]:
                _check_ends(parts, k)
            raise
    return found


def _check_ends(parts: tuple[Any, ...], ended: int) -> None:
    """Raise as a strict `zip` does of which the iterator of that number has ended first."""
    if ended:
        raise ValueError(f"zip() argument {ended + 1} is shorter than {_arguments(ended)}")
    for k, part in enumerate(parts[1:], 1):
        try:
            taken_from(part)
        except StopIteration:
            continue
        raise ValueError(f"zip() argument {k + 1} is longer than {_arguments(k)}")


def _arguments(count: int) -> str:
    return "argument 1" if count == 1 else f"arguments 1-{count}"
