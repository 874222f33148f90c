"""Iterators of `itertools` of which data decides how many items they give."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["accumulate", "chain", "chained", "combinations", "compress", "cycle", "groupby",
           "islice", "pairwise", "permutations", "product", "repeat", "starmap",
           "zip_longest"]  # fmt: skip


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


def chained(iterable: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """`chain.from_iterable`: the items of each item."""
    for items in iterable:
        yield from items


def starmap(function: Callable[..., Any], iterable: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """What a function gives for each item, of which the parts are its arguments."""
    return map(lambda args: function(*args), iterable)  # noqa: C417 - found by their numbers


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """The items beside which something true stands."""
    for item, selector in zip(data, selectors, strict=False):
        if selector:
            yield item


def cycle(iterable: Iterable[Any]) -> Iterator[Any]:
    """The items, and again from the first when they have ended."""
    items = []
    for item in iterable:
        yield item
        items.append(item)
    while items:
        yield from items


def repeat(object: Any, times: int) -> Iterator[Any]:
    """One thing, so many times."""
    for _ in range(times):
        yield object


def zip_longest(*iterables: Iterable[Any], fillvalue: Any = None) -> Iterator[tuple[Any, ...]]:
    """One item of each at a time, `fillvalue` in the place of those that have ended."""
    columns = [[*iterable] for iterable in iterables]
    for i in range(max(len(column) for column in columns)):
        yield tuple([column[i] if i < len(column) else fillvalue for column in columns])


def product(*iterables: Iterable[Any], repeat: int = 1) -> Iterator[tuple[Any, ...]]:
    """An item of each, in all ways: the last changes first."""
    pools = [[*iterable] for iterable in iterables] * repeat
    if not pools:
        yield ()
        return
    for first in pools[0]:
        for rest in product(*pools[1:]):
            yield (first, *rest)


def combinations(iterable: Iterable[Any], r: int) -> Iterator[tuple[Any, ...]]:
    """So many of the items in their order, in all ways."""
    items = [*iterable]
    if r == 0:
        yield ()
        return
    for i in range(len(items)):
        for rest in combinations(items[i + 1 :], r - 1):
            yield (items[i], *rest)


def permutations(iterable: Iterable[Any], r: int | None = None) -> Iterator[tuple[Any, ...]]:
    """So many of the items, each in all orders."""
    items = [*iterable]
    count = len(items) if r is None else r
    if count == 0:
        yield ()
        return
    for i in range(len(items)):
        for rest in permutations(items[:i] + items[i + 1 :], count - 1):
            yield (items[i], *rest)


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
