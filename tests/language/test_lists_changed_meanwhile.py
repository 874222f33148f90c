"""Lists that get more or fewer items while a loop or an iterator goes through them.

Python reads each item when it is its turn, and ends where the list ends then.
"""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

F, I = np.float64, np.int64  # noqa: E741 - numbers of a kind
WAYS = ((F(2.0), I(1)), (F(2.0), I(0)), (F(0.5), I(1)), (F(2.0), I(7)))
samples = Samples()


@samples("B2.10", *WAYS)
def items_that_functions_hold(x, n):
    items, held = [x, x * 2, x + 1], []
    items[n] += 1
    for item in items:
        held.append(lambda: item)
        if len(items) < 6:
            items.append(item)
    return items, [give() for give in held]


@samples("B2.10", *WAYS)
def an_unrolled_loop(x, n):
    items = [x, x * 2]
    items[n] += 1
    for item in items:
        ag.directives.set_loop_options(unroll=True)
        if len(items) < 6:
            items.append(item)
    return items


@samples("B2.10", *WAYS)
def an_unrolled_loop_that_takes_items_out(x, n):
    items = [x, x * 2, x * 3]
    items[n] += 1
    for _ in items:
        ag.directives.set_loop_options(unroll=True)
        items.pop()
    return items


@samples("B2.10", *WAYS)
def another_dtype_after_the_first_round(x, n):
    items, count = [x, x * 2], 0
    items[n] += 1
    for item in items:
        count = count + 0.5
        if len(items) < 6:
            items.append(item)
    return items, count


@samples("B2.10", *WAYS)
def enumerated_while_data_appends(x, n):
    items, last = [x, x * 2, x + 1], 0
    items[n] += 1
    for i, item in enumerate(items):
        last = i
        if item > 3:
            items.append(item - 1)
    return items, last


@samples("B2.10", *WAYS)
def enumerated_while_data_adds_takes_and_ends(x, n):
    items, total = [x, x * 2, F(3)], F(0)
    items[n] += 1
    for i, item in enumerate(items):
        if item > 2 and len(items) < 9:
            items.append(item - 1)
        elif len(items) > 4:
            items.pop()
        if total > 100:
            break
        total = total + item * i
    return total, items


@samples("B2.10", *WAYS)
def zipped_with_itself(x, n):
    items, total = [x, x * 2, x + 1], F(0)
    items[n] += 1
    for a, b in zip(items, items):  # noqa: B905 - as it is mostly written
        if len(items) < 6:
            items.append(a)
        total += a * b
    return items, total


@samples("B2.10", *WAYS)
def zipped_with_what_ends_before(x, n):
    items, total = [x, x * 2, F(3)], F(0)
    items[n] += 1
    for a, b in zip(items, items[1:]):  # noqa: B905
        if a > 2:
            items.append(b)
        total = total + a * b
    return total, items


@samples("B2.10", *WAYS)
def mapped(x, n):
    items, total = [x, x * 2], F(0)
    items[n] += 1
    for item in map(lambda v: v * 2, items):
        total = total * 2 + item
        if len(items) < 6:
            items.append(item)
    return items, total


@samples("B2.10", *WAYS)
def appended_to_by_a_comprehension(x, n):
    items = [x, x * 2]
    items[n] += 1
    found = [item for item in items if len(items) > 8 or items.append(item) is None]
    return items, found


@samples("B2.10", *WAYS)
def the_rest_of_an_iterator(x, n):
    items = [x, x * 2]
    items[n] += 1
    iterator = iter(items)
    first = next(iterator)
    items.append(F(7))
    return first, list(iterator), items


@samples("B2.10", *WAYS)
def an_iterator_that_has_ended(x, n):
    items = [x, x * 2]
    items[n] += 1
    iterator = iter(items)
    found = [next(iterator), next(iterator), next(iterator, F(-1))]
    items.append(x)
    return found, next(iterator, F(-1)), items


@samples("B2.10", *WAYS)
def the_rest_of_pairs(x, n):
    items, total = [x, x * 2, x + 1], F(0)
    items[n] += 1
    pairs = iter(enumerate(items))
    _, item = next(pairs)
    items.append(item)
    for i, item in pairs:
        total = total * 2 + item * i
        if len(items) < 6:
            items.append(item)
    return items, total


@samples("B2.10", (np.array([3.0, 1.0, 9.0, 2.5]),), (np.array([1.0, 0.0, 2.0, 1.0]),))
def an_iterator_of_a_list_that_data_made(x):
    found = []
    for v in x:
        if v > 2:
            found.append(v)
    for v in iter(found):
        if v == x[-1]:
            found.append(v - 7)
    return found


test_list = samples.test()


def backwards(x, n):
    items, total = [x, x * 2], x
    items[n] += 1
    for item in reversed(items):
        total = total + item
        if len(items) < 6:
            items.insert(0, item)
    return items, total


def of_even_lengths(x, n):
    items, total = [x, x * 2], x
    items[n] += 1
    for a, b in zip(items, items, strict=True):
        total = total + a * b
        if len(items) < 6:
            items.append(a)
    return items, total


@pytest.mark.parametrize("sample", [backwards, of_even_lengths])
def test_what_needs_the_length_ahead_is_refused(sample):
    refuse(sample, F(2.0), I(1), match="changed while")
