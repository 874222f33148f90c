"""Functions made in converted code that remember their results by their arguments."""

from functools import cache, lru_cache

import numpy as np

from tests.language.harness import Samples, refuse

F, I = np.float64, np.int64
CASES = ((F(3.0), I(2)), (F(1.0), I(3)), (F(1.0), I(0)), (F(5.0), I(1)))
samples = Samples()


@samples("S9", *CASES)
def first_called_on_one_path(x, n):
    seen = []

    @cache
    def double(k):
        print("double", k)
        seen.append(k)
        return k * 2.0 + x

    total = 0.0
    if x > 2:
        total += double(1)
    else:
        total -= double(2)
    total += double(3) if n > 1 else 0.5
    return total + double(1) + double(2) + double(3), seen


@samples("S9", *CASES)
def first_called_in_a_loop(x, n):
    calls = 0

    @lru_cache(maxsize=None)
    def double(k, *, by=2.0):
        nonlocal calls
        calls += 1
        print(k, by)
        return k * by

    total = 0.0
    for _ in range(n):
        total += double(1)
    return total + double(1) * x + double(1, by=3.0), calls


@samples("S9", *CASES, joined=True)
def what_raises_is_not_remembered(x, n):
    @cache
    def checked(k):
        print("checked", k)
        if x > 2:
            raise ValueError(k)
        return k * x

    total = 0.0
    for _ in range(2):
        try:
            total += checked(1)
        except ValueError:
            total += 100
    return total


@samples("S9", *CASES)
def forgotten_and_typed(x, n):
    @lru_cache(maxsize=2, typed=True)
    def double(k):
        print(k)
        return k * x

    total = double(1) + double(1.0) + double(1) + double(2) + double(1.0)
    if x > 2:
        double.cache_clear()
    return total + double(2)


@samples("S9", *CASES)
def made_by_a_call(x, n):
    def step(name):
        print(name, x)
        return x * len(name)

    kept = cache(step)
    total = sum(map(kept, ["a", "bb", "a"]))
    for _ in range(n):

        @cache
        def inner(k):
            print("inner")
            return k * x

        total += kept("ccc") + inner(1) + inner(1)
    return total, kept("a"), kept("ccc")


@samples("S9", *CASES)
def very_lists(x, n):
    @cache
    def start(k):
        return [k * x]

    start(1).append(F(3.0))
    return start(1), start(1) is start(1)


test_sample = samples.test()


def told(x):
    @cache
    def double(k):
        return k * x

    if x > 2:
        double(1)
    return double(1), double.cache_info().hits  # refused


def too_many(x):
    @lru_cache
    def double(k):
        return k * x

    return sum([double(k) for k in range(200)])  # refused


def test_what_the_graph_cannot_tell_is_refused():
    refuse(told, F(3.0), match="remembers its results")
    refuse(too_many, F(3.0), match="there are more")
