"""Generators that go through generators, and functions of the library that do: data decides."""

import itertools
import math
from collections import deque

import numpy as np

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
X = np.array([3.0, 1.0, 2.0, 4.0]), np.array([2.0, 6.0, 1.0, 5.0])
EACH = tuple((x,) for x in X)


def even(numbers):
    for v in numbers:
        if v % 2 == 0:
            yield v


def squares(numbers):
    for v in numbers:
        yield v * v


def told(numbers):
    print("begins")
    for k, v in enumerate(numbers):
        print("in", v)
        if v > 2:
            yield v * k
    print("ends")


def first(numbers, n):
    for k, v in enumerate(numbers):
        if k >= n:
            return
        yield v


def closed(numbers):
    yield from numbers
    yield 0.0


@samples("B4.10", *EACH)
def chains_that_functions_use_up(x):
    several = (
        [v for v in squares(even(x))],
        list(even(squares(x))),
        tuple(squares(even(squares(x)))),
    )
    numbers = sum(squares(even(x))), max(squares(even(x)), default=0.0), len(list(closed(even(x))))
    return several, numbers, list(enumerate(squares(even(x)))), list(map(abs, squares(even(x))))


@samples("B4.10", *EACH)
def chains_that_print(x):
    found = list(squares(told(x)))
    for v in first(told(x), 2):
        print("got", v)
        found.append(v)
    return found


@samples("B4.10", *EACH)
def chains_that_are_left(x):
    for v in squares(even(x)):
        if v > 10:
            return v
    return -1.0


@samples("B4.10", *EACH)
def of_expressions(x):
    return list(squares(v for v in x if v > 1)), list(first((v for v in x if v > 1), 1))


@samples("B4.10", *EACH)
def runs_of_equal_values(x):
    large = x > 2
    lengths = [(key, len(list(members))) for key, members in itertools.groupby(large)]
    longest = max((len(list(m)) for key, m in itertools.groupby(large) if key), default=0)
    totals = {bool(key): sum(m) for key, m in itertools.groupby(sorted(x), lambda v: v > 2)}
    return lengths, longest, totals, [key for key, _ in itertools.groupby(x, key=lambda v: v // 2)]


@samples("B4.10", *EACH)
def loops_over_groups(x):
    out = []
    for key, members in itertools.groupby(x.tolist(), key=lambda v: v > 2):
        total = 0.0
        for member in members:
            total += member
        print(key, total)
        out.append(total)
    return out


@samples("B4.10", *EACH)
def pieces_of_items_by_data(x):
    large = [v for v in x if v > 1]
    ends = list(itertools.chain(large, even(x))), list(itertools.islice(even(x), 1))
    steps = list(itertools.islice((v for v in x if v > 1), 0, None, 2))
    return ends, steps, list(itertools.compress(x, x > 2)), list(itertools.accumulate(large))


@samples("B4.10", *EACH)
def all_items_at_once(x):
    waiting = deque(v for v in x if v > 1)
    waiting.append(x[0])
    sums = math.fsum(v for v in x if v > 1), math.prod(v for v in x if v > 1)
    return list(waiting), sums, np.fromiter((v for v in x if v > 1), dtype=float)


test_samples = samples.test()


def test_gradients_flow_through_chains():
    def total(x):
        return sum(squares(even(x))) + math.prod([v for v in x if v > 1])

    assert ag.grad(total)(X[0]).tolist() == [8.0, 0.0, 16.0, 14.0]


def test_what_was_taken_is_not_given_twice():
    def again(x):
        numbers = even(x)
        found = list(squares(numbers))
        return found, list(numbers)  # refused

    refuse(again, X[0], match="which are left is known only when the graph runs")


def test_groups_that_are_kept():
    def kept(x):
        return list(itertools.groupby(x))  # refused

    refuse(kept, X[0], match="an item of it is a generator")


def test_known_items_stay_with_python():
    def known(x):
        numbers = itertools.chain([1, 2], (k for k in range(3)))
        return x * next(numbers), list(numbers), list(itertools.groupby([1, 1]))[0][0]

    check(known, (2.0,), (3.0,))
