"""Iterators of `itertools` of which data decides how many items they give."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["accumulate", "chain", "compress", "groupby", "islice", "pairwise"]


def groupby(
    iterable: Iterable[Any], key: Callable[[Any], Any] | None = None
) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Items that follow one another and have one key: the key, and an iterator over them."""
    group: list[Any] = []
    last = None
    for item in iterable:
        found = item if key is None else key(item)
        if group and not last == found:  # noqa: SIM201 - Python asks for `==`
            yield last, (member for member in group)
            group = []
        last = found
        group.append(item)
    if group:
        yield last, (member for member in group)


def chain(*iterables: Iterable[Any]) -> Iterator[Any]:
    """The items of the first, then those of the second, and so on."""
    for iterable in iterables:
        yield from iterable


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """The items beside which something true stands."""
    for item, selector in zip(data, selectors, strict=False):
        if selector:
            yield item


def pairwise(iterable: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Each item but the first, with the one before it."""
    before, is_begun = None, False
    for item in iterable:
        if is_begun:
            yield before, item
        before, is_begun = item, True


def islice(iterable: Iterable[Any], *bounds: int | None) -> Iterator[Any]:
    """The items from a start to a stop, in steps."""
    chosen = slice(*bounds)
    start, stop = chosen.start or 0, chosen.stop
    step = 1 if chosen.step is None else chosen.step
    if start < 0 or step < 1 or (stop is not None and stop < 0):
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if stop == 0:
        return
    for count, item in enumerate(iterable, 1):
        if count > start and (count - start - 1) % step == 0:
            yield item
        if stop is not None and count >= stop:
            break


def accumulate(
    iterable: Iterable[Any],
    func: Callable[[Any, Any], Any] | None = operator.add,
    *,
    initial: Any = None,
) -> Iterator[Any]:
    """What has been folded up to each item."""
    total, is_begun = initial, initial is not None
    if is_begun:
        yield total
    for item in iterable:
        if not is_begun:
            total, is_begun = item, True
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total
