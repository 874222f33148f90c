"""Comparisons and searches of tuples, lists and dicts that hold numbers of the graph (B2.13)."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
F = np.float64
NUMBERS = ((F(1.5),), (F(2.5),), (F(1.0),))


class Pair(NamedTuple):
    a: float
    b: int = 1


LISTS = (([1.0, 2.0], [1.0, 3.0]), ([1.0, 2.0], [1.0, 2.0]), ([2.0, 2.0], [1.0, 4.0]))


@samples("B2.13", *LISTS)
def parameters(a, b):
    print(a == b, a != b, a <= b)
    if a == b:
        return "same"
    return "before" if a < b else "after"


@samples("B2.13", *((tuple(a), tuple(b)) for a, b in LISTS))
def best_of_parameters(a, b):
    best = None
    for one in (a, b, (1.0, 2.5)):
        if best is None or one > best:
            best = one
    return best[0] + 10 * best[1], len(a) == len(b) and a >= b


class Ranked:
    def __init__(self, rank):
        self.rank = rank

    def __lt__(self, other):
        return self.rank < other.rank

    def __gt__(self, other):
        return self.rank > other.rank


@samples("B2.13", *NUMBERS)
def equality(x):
    p = (x, 1)
    tuples = p == (1.5, 1), p != (1.5, 1), p == (1.5,), p == [1.5, 1], p == 3, p == p
    nested = (x, (x, 2)) == (1.5, (1.5, 2)), {"a": [x]} != {"a": [1.5]}, {"a": x} == {"b": 1.5}
    named = Pair(x) == Pair(1.5), Pair(x) == (1.5, 1), Pair(x, 2) != Pair(1.5)
    others = (x, "a") == (1.5, "a"), (x, None) == (1.5, None), (x, "a") == (1.5, "b")
    return tuples, nested, named, others, "yes" if [x, 1] == [1.5, 1] else "no", not [x] == [1.5]


@samples("B2.13", *NUMBERS, joined=True)
def order(x):
    p = (x, 1)
    tuples = p < (1.5, 2), p >= (1.5, 2), (1.5, 1) <= p, p > (1.5,), (1.5, 0) > (x, 0, 1)
    lists = [x, 2] < [1.5, 3], [x, 2] <= [1.5], [x] > [], [[x], 1] < [[1.5], 2]
    return tuples, lists, max((x, 1), (1.5, 2))[1], min([(x, 1), (1.5, 2)])[1]


@samples("B2.13", (F(1.0),), (F(3.0),))
def order_that_the_first_items_decide(x):
    return (x, 1) < (2.0, 1), [x] >= [2.0], ((x, 1), 2) > ((2.0, 1), 2)


@samples("B2.13", *NUMBERS)
def greatest_object(x):
    one, other = Ranked(x), Ranked(F(1.25))
    return max(one, other).rank, min([one, other]).rank, max(Ranked(1), Ranked(2)).rank


@samples("B3.09", *NUMBERS)
def searches(x):
    items = [F(3.0), x, F(1.5)]
    found = items.index(1.5), items.index(x), items.count(1.5), items.count(9), items.index(3.0)
    last = items.index(1.5, 2), (F(1.0), x, F(1.5)).index(1.5), (x, x).count(x)
    members = [x] in [[1.5], [2.0]], (x, 1) in [(1.5, 1), (2, 2)], (x, 1) not in [(1, 1)]
    return found, last, members, [t for t in [(1.5, 1), (2.0, 2)] if t[0] == 1.5]


@samples("B3.09", *NUMBERS)
def removal(x):
    items = [F(3.0), x, F(1.5)]
    items.remove(1.5)
    return items, len(items)


@samples("B3.09", (F(1.0), F(2.0)), (F(2.0), F(5.0)), (F(7.0), F(2.0)))
def position_or_an_error(x, y):
    return [F(1.0), x].index(y), (y, x).index(7.0)


@samples("B3.09", (F(1.0), F(2.0)), (F(2.0), F(5.0)), (F(5.0), F(2.0)))
def removal_or_an_error(x, y):
    items = [F(1.0), x]
    items.remove(y)
    return items


@samples("B2.13", (F(1.0), np.ones(2)), (F(2.0), np.zeros(2)))
def what_follows_a_difference_is_not_compared(x, rows):
    return (x, rows) == (2.0, 1.0)


TABLES = (
    (np.array([[1, 2], [1, 3], [0, 9]]),),
    (np.array([[1, 2], [1, 2], [3, 0]]),),
    (np.array([[3, 1], [0, 5], [0, 4]]),),
)


@samples("B2.13", *TABLES)
def rows_of_a_table(x):
    rows = x.tolist()
    first, second, _ = rows
    best, k = rows[0], 0
    for row in rows:
        if row < best:
            best = row
    while k < 2 and rows[k] < rows[k + 1]:
        k += 1
    pairs = [a < b for a, b in zip(rows, rows[1:])]
    direct = x[0].tolist() >= x[1].tolist()
    return first > second, rows[0] == rows[1], list(best), k, pairs, direct, list(max(rows))


@samples("B2.13", *TABLES)
def rows_put_in_order_by_swaps(x):
    rows = x.tolist()
    for _ in range(2):
        for j in range(2):
            if rows[j] > rows[j + 1]:
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
    return rows


MANY = np.random.default_rng(5).integers(0, 4, (20, 3))


@samples("B2.13", (MANY,), (MANY[::-1].copy(),))
def many_rows_sorted(x):
    rows = x.tolist()
    rows.sort(key=lambda row: (row[2], -row[0]), reverse=True)
    code = 0
    for row in rows:
        code = (code * 3 + row[0]) % 1009
    return sorted(x.tolist()), sorted(x.tolist(), key=lambda row: row[1]), code


@samples("B2.13", (MANY[:, 0] * 0.5,), (MANY[::-1, 0] * 0.5,))
def many_nests_sorted(x):
    return sorted([[v, [i, v]] for i, v in enumerate(x)], reverse=True)


@samples("B2.13", *NUMBERS)
def with_none(x):
    pair = Pair(x) if x > 1 else None
    row = [x] if x > 2 else None
    table = {"a": x} if x < 2 else None
    far = None
    for k in range(2):
        if far is None or x * k > far.a:
            far = Pair(x * k)
    return (
        pair == Pair(1.5), Pair(1.5) != pair, (1.5, 1) == pair, pair == far, row == [2.5],
        None == row, row != None, table == {"a": 1.5}, {"a": 1.0} != table,  # noqa: E711
        pair in [Pair(1.5), None], [row].count(None), far == Pair(x),
    )  # fmt: skip


test_compared_nests = samples.test()


def sorted_and_written(x):
    rows = x.tolist()
    ordered = sorted(rows)
    rows[0][0] = 9
    return ordered


def sorted_beside_the_rows(x):
    rows = x.tolist()
    return sorted(rows), rows


@pytest.mark.parametrize("function", [sorted_and_written, sorted_beside_the_rows])
def test_many_rows_that_are_sorted_are_in_one_place(function):
    refuse(function, MANY, match="a list whose length depends on data")


@pytest.mark.parametrize(
    "compare", [lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a in [b]]
)
def test_what_captured_containers_hold_is_compared_at_each_call(compare):
    held = {"a": [F(1.0)], "b": (F(2.0), 1)}

    @ag.convert
    def f(x):
        is_so = compare(held, {"a": [1.0], "b": (2.0, 1)})
        held["a"][0] = x
        return is_so

    for x in (F(1.0), F(3.0), F(1.0), F(1.0)):
        expected = bool(compare(copy.deepcopy(held), {"a": [1.0], "b": (2.0, 1)}))
        assert f(x) == expected


def multiples(x, limit):
    """Multiples of `x` up to a limit: how many depends on data."""
    found = []
    while len(found) * x <= limit:
        found.append(len(found) * x)
    return found


THREE_OR_FOUR = ((F(2.0),), (F(3.0),), (F(9.0),))


@samples("B2.13", *THREE_OR_FOUR)
def nests_with_lists_that_grow(x):
    short, long = multiples(x, 5.0), multiples(x, 8.0)
    same = multiples(x, 5.0)[:-1] + [short[-1]]
    are = [short] == [same], (x, short) == (x, long), {"a": same} == {"a": short}
    before = (x, short) < (x, long), (x, same) <= (x, short), [[long], x] > [[short], x]
    return are, [short] != [long], Pair(short) == Pair(same), [bool(test) for test in before]


@samples("B2.13", *THREE_OR_FOUR)
def lists_that_grow_are_looked_for(x):
    short, long = multiples(x, 5.0), multiples(x, 8.0)
    same = multiples(x, 5.0)[:-1] + [short[-1]]
    rest = [long, same]
    rest.remove(long)
    places = [short, long].index(long), [long, short].index(same)
    return [short, long, same].count(same), same in [short], len(rest), rest[0] == same, places


@samples("B2.13", *THREE_OR_FOUR, joined=True)
def a_list_that_grows_is_not_found(x):
    return [multiples(x, 5.0), [1.0]].index(multiples(x, 8.0))


@samples("B2.13", *THREE_OR_FOUR)
def dicts_with_keys_by_data_in_nests(x):
    one, other = {}, {}
    for v in np.arange(4.0):
        one[v % x] = v
        if v < 3:
            other[v % x] = v
    same = [one] == [dict(one)], (x, one) == (x, other)
    other[3.0 % x] = 3.0
    return same, {"a": one} == {"a": other}


class Held:
    def __init__(self, items):
        self.items = items

    def __lt__(self, other):
        return self.items < other.items


def comes_first(one, other):
    return one < other


@samples("B2.13", (F(0.0),), (F(3.0),), (F(1.0),))
def lists_that_functions_and_methods_put_in_order(x):
    found = []
    for i in range(int(x)):
        found.append(x * i)
    tests = comes_first([], found), comes_first(found, []), Held([]) < Held(found)
    return [bool(test) for test in (*tests, comes_first((x, 1.0), (x, 2.0)))]


@dataclass(order=True)
class Track:
    start: float
    points: list


def nothing():
    return []


@samples("E2", (np.array([-1.0, -2.0]),), (np.array([1.0, -2.0]),))
def lists_that_functions_give_in_order(x):
    def positive():
        return [v for v in x if v > 0]

    found, none = positive(), nothing()
    first, second = nothing(), positive()
    before = lambda a, b: a < b  # noqa: E731 - of a lambda's parameters nothing is known
    kept = none < found, found > none, first < second, nothing() < found, before([], found)
    return kept, [row < found for row in ([], nothing())], 1 if first < found else 2


@samples("E2", *THREE_OR_FOUR, joined=True)  # from Python 3.13 on `==` may give NumPy's bool
def dataclasses_with_lists_that_grow(x):
    short, long = multiples(x, 5.0), multiples(x, 8.0)
    same = multiples(x, 5.0)[:-1] + [short[-1]]
    track = Track(x, short)
    are = track == Track(x, same), track != Track(x, long), Track(x, []) == track
    listed = [track].count(Track(x, same)), Track(x, same) in [track]
    return are, listed, bool(track <= Track(x, long)), bool(Track(x, long) < track)


def shorter_or_the_callers(x, given):
    return x, (given if x > 2 else [5.0])


def callers_or_a_slice_of_it(x, given):
    rest = given
    while x > 2:
        rest = rest[1:]
        x -= 1
    return rest


def test_one_of_two_lengths_is_the_result():
    check(shorter_or_the_callers, *((F(x), [1.0, 2.0]) for x in (2.5, 1.0)))


def test_the_callers_list_or_one_that_a_loop_made_is_the_result():
    check(callers_or_a_slice_of_it, *((F(x), [1.0, 2.0]) for x in (2.5, 1.0)))
    given = [1.0, 2.0]
    assert ag.convert(callers_or_a_slice_of_it)(F(1.0), given) is given
