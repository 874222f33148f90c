"""`next` of an `itertools.count` in branches, loops and functions of the graph (B3.10)."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

samples = Samples()
I = np.int64
X = np.array([1.0, -2.0, 3.0, 0.5])
LEFT = "which are left is known only when the graph runs"


@samples("B3.10", (I(3),), (I(0),), whiles=1)
def in_a_loop(n):
    numbers = itertools.count()
    total = 0
    for i in range(n):
        total += next(numbers) * i
    return total, next(numbers)


@samples("B3.10", (X,), (-X,))
def in_branches(xs):
    numbers = itertools.count(5, 2)
    first = next(numbers)
    last = 0
    for x in xs:
        if x > 0:
            last = next(numbers)
    return first, last, next(numbers), next(numbers)


@samples("B3.10", (X,), (-X,))
def tie_breakers_of_a_heap(times):
    numbers = itertools.count(1)
    queue = []
    for t in times:
        heapq.heappush(queue, (abs(t), next(numbers), t))
    served, clock = [], 0.0
    while queue:
        clock, number, t = heapq.heappop(queue)
        if t < 2:
            heapq.heappush(queue, (clock + 2, next(numbers), t + 2.0))
        served.append(number)
    return served, clock, next(numbers)


@samples("B3.10", (X,), (-X,))
def in_a_try(xs):
    numbers = itertools.count()
    found = []
    for x in xs:
        try:
            if x < 0:
                raise ValueError("negative")
            found.append(next(numbers))
        except ValueError:
            next(numbers)
    return found, next(numbers)


@samples("B3.10", (I(4),), (I(0),))
def in_a_function_that_calls_itself(n):
    numbers = itertools.count()

    def go(k):
        if k <= 0:
            return 0
        return next(numbers) + go(k - 1)

    return go(n), next(numbers)


class Ticket:
    def __init__(self, numbers):
        self.number = next(numbers)


@samples("B3.10", (I(3),), (I(0),))
def in_what_a_loop_makes(n):
    numbers = itertools.count(start=3, step=-1)
    found = 0
    while n > 0:
        found = found * 10 + Ticket(numbers).number
        n -= 1
    return found


@samples("B3.10", (I(4),), (I(1),))
def of_each_round(n):
    total = 0
    for i in range(n):
        numbers = itertools.count(10)
        next(numbers)
        if i > 1:
            total += next(numbers) * 100
        total += next(numbers)
    return total


# ---- what has its items by number ----------------------------------------------------------------


@samples("B3.10", (X, I(3)), (X, I(0)), whiles=1)
def items_of_an_array_backwards(xs, n):
    items, total = reversed(xs), np.float64(0)
    for _ in range(n):
        total = total * 0.5 + next(items)
    return total, next(items)


@samples("B3.10", (X, I(3)), (X, I(9)), whiles=1)
def pairs_with_a_default(xs, n):
    pairs, total = enumerate(xs, 2), np.float64(0)
    for _ in range(n):
        k, x = next(pairs, (0, 1.0))
        total = total * 0.5 + k * x
    return total


@samples("B3.10", (X,), (-X,))
def items_in_branches(xs):
    items, total = zip(xs, xs * 2, strict=True), np.float64(0)
    for x in xs:
        if x > 0:
            a, b = next(items)
            total = total + a * b
    for a, b in items:
        total = total * 0.5 + a - b
    return total


@samples("B3.10", (X, I(4)), (X, I(5)))
def past_the_end_of_an_array(xs, n):
    items = enumerate(xs)
    for _ in range(n):
        next(items)
    return n


test_sample = samples.test()


def gone_through(x):
    numbers = itertools.count()
    last = next(numbers) if x > 0 else 0
    for i in numbers:  # refused
        if i > 5:
            break
    return last, i


def beside_others(x):
    numbers = itertools.count()
    last = next(numbers) if x > 0 else 0
    return last, [i for i, _ in zip(numbers, "abc")]  # refused


def cut(x):
    numbers = itertools.count()
    last = next(numbers) if x > 0 else 0
    return last, list(itertools.islice(numbers, 3))  # refused


@pytest.mark.parametrize("sample", [gone_through, beside_others, cut])
def test_it_is_not_gone_through_afterwards(sample):
    refuse(sample, np.float64(1.0), match=LEFT)


def test_numbers_beyond_those_of_a_graph():
    def last(n):
        numbers = itertools.count(2**63 - 3)
        found = 0
        for _ in range(n):
            found = next(numbers)
        return found

    assert ag.convert(last)(I(2)) == 2**63 - 2
    with pytest.raises(OverflowError):
        ag.convert(last)(I(9))


def test_one_from_outside_is_not_advanced_while_tracing():
    numbers = itertools.count()

    of_outside = ag.convert(lambda x: next(numbers) if x > 0 else 0)
    assert [of_outside(np.float64(x)) for x in (1, -1, 1, 1)] == [0, 0, 1, 2]
    assert next(numbers) == 3
