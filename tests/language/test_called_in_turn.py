"""What is called for an item is called before the next item is asked for, where Python does so.

Generators and functions note what they do in one list, which says in which order they came.
"""

from __future__ import annotations

import functools
import heapq
import itertools

import numpy as np
import pytest

from tests.language.harness import Samples, refuse

F, I = np.float64, np.int64  # noqa: E741 - numbers of a kind
WAYS = ((F(2.0), I(1)), (F(0.5), I(2)), (F(-1.0), I(1)))
samples = Samples()


def given(log, x):
    for v in [F(1), x, F(3)]:
        log.append(v)
        yield v * 2


def key_into(log):
    def key(v):
        log.append(-v)
        if v < 0:
            raise ValueError("negative")
        return v

    return key


def folding_into(log):
    def fold(a, b):
        log.append(a + 100)
        if b < 0:
            raise ValueError("negative")
        return a + b

    return fold


# ---- functions that call back ----------------------------------------------------------------------


@samples("E9", *WAYS)
def reduced(x, n):
    log, total = [], F(0)
    try:
        total = functools.reduce(folding_into(log), given(log, x))
    except ValueError:
        log.append(F(-9))
    return log, total


@samples("E9", *WAYS)
def reduced_from_a_start(x, n):
    log, total = [], F(0)
    try:
        total = functools.reduce(folding_into(log), (v for v in given(log, x) if v > -3), x)
    except ValueError:
        log.append(F(-9))
    return log, total


@samples("E9", *WAYS)
def extremes(x, n):
    log, found = [], F(0)
    try:
        found = max(map(lambda v: log.append(v) or v, [F(1), x, F(3)]), key=key_into(log))
        found += min(given(log, x), key=key_into(log))
    except ValueError:
        log.append(F(-9))
    return log, found


@samples("E9", *WAYS)
def the_largest_and_smallest(x, n):
    log, found = [], []
    try:
        found = heapq.nlargest(2, given(log, x), key=key_into(log))
        found = found + heapq.nsmallest(1, given(log, x), key=key_into(log))
    except ValueError:
        log.append(F(-9))
    return log, [*found, F(0)][0]


@samples("E9", *WAYS)
def none_of_the_largest(x, n):
    log = []
    rest = given(log, x)
    return heapq.nlargest(0, rest, key=key_into(log)), log, list(rest), log


@samples("E9", *WAYS)
def what_zip_takes_before_the_end(x, n):
    log = []

    def tell(v):
        log.append(v)
        return v

    told = map(tell, np.arange(5.0) + x)
    found = [a + b for a, b in zip(told, range(2))]  # noqa: B905 - they are of two lengths
    return found, list(told), log


@samples("E9", *WAYS)
def mapped_in_a_try(x, n):
    log, total = [], F(0)
    try:
        total = sum(map(key_into(log), np.arange(3.0) + x))
    except ValueError:
        log.append(F(-9))
    return log, total


test_order = samples.test()


# ---- generators that are gone through twice --------------------------------------------------------


def twice(items):
    for v in items:
        if v > 1:
            yield v
    yield from items


def gone_through_twice(x):
    return sum(twice(v for v in [x, x + 1] if v > 0))


def chained_with_what_goes_through_it(x):
    items = (v for v in [x, x + 1] if v > 0)
    return sum(itertools.chain(itertools.accumulate(items), items))


def chained_with_a_filter_of_it(x):
    items = (v * 2 for v in [x, x + 1])
    return sum(itertools.chain(filter(lambda v: v > 1, items), items))


@pytest.mark.parametrize(
    "sample",
    [gone_through_twice, chained_with_what_goes_through_it, chained_with_a_filter_of_it],
)
def test_a_generator_gives_its_items_once(sample):
    refuse(sample, F(2.0), match="may have been taken before|has taken some before")


def sorted_while_it_grows(x):
    items = [F(3), x, F(1)]

    def key(v):
        if x > 1:
            items.append(v)
        return -v

    items.sort(key=key)  # refused
    return items


def test_a_list_that_its_key_changes_is_refused():
    refuse(sorted_while_it_grows, F(2.0), match="changed by the key")
