"""Lists of which data says which item is set, while something goes through them (B2.10, B3.10)."""

from __future__ import annotations

import collections
import functools
import itertools
import math

import numpy as np
import pytest

from tests.language.harness import check, refuse

F8 = np.float64
CASES = ((F8(4.75),), (F8(0.75),))

# ---- `for`: each item is read when it is its turn ------------------------------------------------

WAYS = {
    "the list": lambda items: items,
    "zip": lambda items: zip(items, items, strict=False),
    "strict zip": lambda items: zip(items, items, strict=True),
    "zip beside a range": lambda items: zip(range(5), items, strict=False),
    "zip beside a shorter list": lambda items: zip(items, [7, 8], strict=False),
    "zip beside a generator": lambda items: zip((k for k in (1, 2)), items, strict=False),
    "zip beside a slice": lambda items: zip(items[1:], items, strict=False),
    "enumerate": lambda items: enumerate(items, 1),
    "reversed": lambda items: reversed(items),
    "enumerated zip": lambda items: enumerate(zip(items, reversed(items), strict=True)),
    "enumerated zip beside a range": lambda items: enumerate(zip(range(2), items, strict=False)),
    "map": lambda items: map(lambda v: v * 2, items),
    "zip beside a map": lambda items: zip(map(lambda v: v * 2, items), items, strict=False),
    "iter": lambda items: iter(items),
}
USES = {"for": False, "comprehension": True}


def last_of(item):
    while isinstance(item, tuple):
        item = item[-1]
    return item


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("in_comprehension", USES.values(), ids=USES)
def test_b2_10_each_item_is_read_when_it_is_its_turn(way, in_comprehension):
    def sample(x):
        items = [3, 0, 0 if x > 1 else 1]

        def set_one(v):
            items[last_of(v) % 3] += 1
            return v

        if in_comprehension:
            return [set_one(v) for v in way(items)], items
        seen = []
        for v in way(items):
            set_one(v)
            seen.append(v)
        return seen, items

    check(sample, *CASES)


def nested(x):
    items, total = [3, 0, 0 if x > 1 else 1], 0
    for v in items:
        for i, (u, w) in enumerate(zip(items, items, strict=True)):
            items[u % 3] += 1
            total = total * 3 + v + u + i + w
    return items, total


def with_a_break_by_data(x):
    items = [3, 0, 0 if x > 1 else 1]
    for i, (u, v) in enumerate(zip(items, reversed(items), strict=True)):
        items[u % 3] += 1
        if items[0] > 4:
            break
    return items, i, u, v


def set_through_another_name(x):
    items = [x, x + 1.0, x + 2.0]
    pair = 1, items
    for u, v in zip(items, items, strict=True):
        pair[1][int(u) % 3] %= 3
        pair[1][1] += v
    return items


@pytest.mark.parametrize("sample", [nested, with_a_break_by_data, set_through_another_name])
def test_b2_10_items_are_set_by_data(sample):
    check(sample, *CASES)


def uneven(x):
    items = [3, 0, 0 if x > 1 else 1]
    for u, v in zip(items, [1, 2], strict=True):
        items[u % 3] += v
    return items


def uneven_the_other_way(x):
    items = [3, 0, 0 if x > 1 else 1]
    for i, (u, v) in enumerate(zip(items, [1, 2, 3, 4], strict=True)):
        items[u % 3] += v + i
    return items


@pytest.mark.parametrize("sample", [uneven, uneven_the_other_way])
def test_a_strict_zip_says_what_python_says(sample):
    check(sample, CASES[0], traces=0)


# ---- an iterator that was begun before -----------------------------------------------------------


def two_of(it):
    a, b = it
    return a, b


def first_and_rest(it):
    a, *b = it
    return a, b


def added(it):
    made = [1]
    made += it
    return made


def extended(it):
    made = [1]
    made.extend(it)
    return made


def put_into_a_slice(it):
    made = [1, 2, 3]
    made[1:] = it
    return made


def delegated(it):
    def run():
        yield 1
        yield from it

    return list(run())


def one_by_one(it):
    return next(it), next(it), next(it, -1), next(it, -2)


CONSUMERS = {
    "list": lambda it: list(it),
    "tuple": lambda it: tuple(it),
    "sorted": lambda it: sorted(it),
    "sum": lambda it: sum(it),
    "max": lambda it: max(it),
    "min with a default": lambda it: min(it, default=3),
    "display": lambda it: [*it],
    "dict": lambda it: dict(zip("ab", it, strict=True)),
    "unpacked": two_of,
    "unpacked with a star": first_and_rest,
    "extend": extended,
    "in place": added,
    "slice": put_into_a_slice,
    "any": lambda it: any(v > 4 for v in it),
    "all": lambda it: all(it),
    "zip with itself": lambda it: list(zip(it, it, strict=False)),
    "map": lambda it: list(map(lambda v: v * 2, it)),
    "enumerate": lambda it: list(enumerate(it)),
    "reduce": lambda it: functools.reduce(lambda p, q: p * 10 + q, it),
    "arguments": lambda it: (lambda *given: given)(*it),
    "islice": lambda it: list(itertools.islice(it, 1)),
    "chain": lambda it: list(itertools.chain(it, [1])),
    "accumulate": lambda it: list(itertools.accumulate(it)),
    "prod": lambda it: math.prod(it),
    "fromiter": lambda it: np.fromiter(it, dtype=np.int64),
    "deque": lambda it: list(collections.deque(it)),
    "yield from": delegated,
    "next": one_by_one,
    "iter": lambda it: iter(it) is it,
}


@pytest.mark.parametrize("consumer", CONSUMERS.values(), ids=CONSUMERS)
def test_b3_10_what_is_left_is_what_is_there_now(consumer):
    def sample(x):
        items = [3, 0, 0 if x > 1 else 1]
        it = iter(items)
        first = next(it)
        items[first % 3 + (1 if x > 1 else 0)] += 5
        return consumer(it), items

    check(sample, *CASES)


LIBRARY = {
    "chain": lambda items: itertools.chain(items, [1]),
    "islice": lambda items: itertools.islice(items, 3),
    "accumulate": lambda items: itertools.accumulate(items),
    "zip_longest": lambda items: itertools.zip_longest(items, [1]),
}


@pytest.mark.parametrize("way", LIBRARY.values(), ids=LIBRARY)
@pytest.mark.parametrize("consumer", [list, next, lambda it: [v for v in it]])
def test_an_iterator_of_the_library_that_has_begun_is_refused(way, consumer):
    def sample(x):
        items = [3, 0, 0 if x > 1 else 1]
        it = way(items)
        next(it)
        items[1 if x > 1 else 0] += 5
        return consumer(it)

    refuse(sample, F8(2), match="the length of a list depends on data, and it")


def test_other_lengths():
    def sample(x):
        items = [3, 0]
        if x > 1:
            items.append(2)
        for _, v in zip(range(9), items, strict=False):
            items.append(v)
        return items

    check(sample, (F8(2),), (F8(1),))


def gone_through_in_rounds_and_in_a_try(x):
    items, total = [3, 0, 0 if x > 1 else 1], 0
    while total < x * 3:
        items[total % 3] += 1
        total += sum([items[1] for v in items if v > 1], 1) + max(v * 2 for v in items)
        try:
            total += sum(1 for v in items if v < 2) // (items[0] - items[1])
        except ZeroDivisionError:
            total += len([v for v in zip(items, [1, 2], strict=False) if v[0] > 1])
    return items, total


def test_b2_10_comprehensions_take_from_no_older_iterator():
    check(gone_through_in_rounds_and_in_a_try, *CASES)
