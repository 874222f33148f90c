"""Containers that are written while a loop, comprehension or iterator goes through them."""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict, deque

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check, refuse
from tests.language.places import kinds_of, places, shared

F8 = np.float64
I8 = np.int64

# ---- a loop that is left by data -----------------------------------------------------------------

VIEWS = {
    "items": lambda d, _: d.items(),
    "values": lambda d, _: d.values(),
    "iter": lambda d, _: iter(d.values()),
    "reversed": lambda d, _: reversed(d.values()),
    "enumerate": lambda d, _: enumerate(d.values()),
    "map": lambda d, _: map(lambda key: (key, d[key] * 2), d),
    "filter": lambda d, _: filter(lambda item: True, d.values()),
    "chain": lambda d, _: itertools.chain(d.values(), [1.0]),
    "islice": lambda d, _: itertools.islice(d.values(), 1, None),
    "cycle": lambda d, _: itertools.islice(itertools.cycle(d.values()), 5),
    "accumulate": lambda d, _: itertools.accumulate(d.values()),
    "starmap": lambda d, _: itertools.starmap(lambda key, value: value, d.items()),
    "takewhile": lambda d, _: itertools.takewhile(lambda item: True, d.values()),
    "zip of both": lambda d, items: zip(items, d.values(), strict=True),
    "zip_longest": lambda _, items: itertools.zip_longest([1], items),
    "reversed list": lambda _, items: reversed(items),
    "enumerated backwards": lambda _, items: enumerate(reversed(items)),
    "deque": lambda _, items: deque(items),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_b2_10_each_item_is_read_when_it_is_its_turn(view):
    def sample(n, y):
        d, items, total = {"p": y, "q": 0.5, "r": -0.5}, [y, 0.5, -0.5], 0.0
        for v in view(d, items):
            v = v[1] if isinstance(v, tuple) else v
            total = total * 10 + v
            d["r"] = d["r"] + v
            d["p"] = d["p"] * 2
            items[2] = items[2] + v
            items[0] = items[0] + 1
            if n > total:
                break
        else:
            total = -total
        return total, d, items

    check(sample, *((I8(n), 1.5) for n in (0, 3, 1000, -1000)), conds=None)


def own_iterator(n, y):
    source, total = Counted(4), y
    for v in source:
        total = total + v
        if total > n:
            break
    return total, source.given


class Counted:
    def __init__(self, count):
        self.count, self.given = count, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.given == self.count:
            raise StopIteration
        self.given += 1
        return self.given


def prints_of_what_is_asked_for(n, y):
    def told(v):
        print("told", v)
        return v * 2

    for v in map(told, [1.0, 2.0, 3.0]):
        y = y + v
        if y > n:
            break
    return y


def rows_that_are_replaced(n, y):
    rows = [[y, 1.0], [2.0, 3.0]]
    total = 0.0
    for row in reversed(rows):
        rows[0] = [5.0, y]
        row[0] = row[0] + 1
        total = total + row[0]
        if total > n:
            break
    return total, rows


@pytest.mark.parametrize(
    "sample", [own_iterator, prints_of_what_is_asked_for, rows_that_are_replaced]
)
def test_b2_10_nothing_is_asked_for_before_its_turn(sample):
    check(sample, *((I8(n), 1.5) for n in (0, 3, 6, 100)), conds=None)


@pytest.mark.parametrize("count", [31, 32, 33, 300])
def test_long_lists_may_be_left_by_data(count):
    def sample(n, items):
        total = 0.5
        for k, v in enumerate(items):
            items[-1] = items[-1] + 1
            total = total + v
            if total > n:
                break
        else:
            k = -1
        return k, total

    items = [float(k) for k in range(count)]
    check(sample, *((I8(n), items) for n in (5, 470, 530, 10**6)), conds=None)


def test_a_list_that_grows_until_data_says_no():
    def sample(n, y):
        items = [y]
        for v in items:
            if v > n:
                break
            items.append(v + 1)
        return items

    check(sample, *((I8(n), 1.5) for n in (1, 3, 40)), conds=None)


def test_an_endless_loop_that_only_data_ends_is_refused():
    def sample(n, y):
        for k in itertools.cycle([0.5, 1.0]):
            y = y + k
            if y > n:
                break
        return y

    what = "whether a loop goes on depends on data, and there may be more than 1024 items"
    refuse(sample, F8(10), 1.5, match=what)


# ---- containers from outside -----------------------------------------------------------------------


def list_written_ahead():
    held = [F8(1.5), F8(2.5), F8(0.5)]

    def f(n):
        total = 0.0
        for v in held:
            total = total * n + v
            held[2] = held[2] + v
        return total

    return f, held


def list_left_by_data():
    held = [np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])]

    def f(n):
        total = 0.0
        for v in held:
            total = total * n + v[0]
            held[2] = held[2] + v
            held[2][0] = held[0][0] + total
            if total > 10:
                break
        return total

    return f, held


def list_that_grows():
    held = [F8(1.5), F8(2.5)]

    def f(n):
        total = 0.0
        for v in held:
            total = total * n + v
            if len(held) < 6:
                held.append(v * 2)
        return total

    return f, held


def backwards():
    held = [F8(1.5), F8(2.5), F8(0.5)]

    def f(n):
        total = 0.0
        for v in reversed(held):
            total = total * n + v
            held[0] = held[0] + v
        return total

    return f, held


def items_of_a_dict():
    held = {"a": F8(1.5), "b": F8(2.5), "c": np.ones(2)}

    def f(n):
        total = 0.0
        for k, v in held.items():
            total = total * n + v
            held["b"] = held["b"] + 1
            held["c"] = held["c"] * 2 if k == "a" else held["c"]
        for v in reversed(held.values()):
            total = total * n + v
            held["a"] = held["a"] + n
        return total

    return f, held


def views_that_were_taken_before():
    held = OrderedDict(a=F8(1.5), b=F8(2.5))

    def f(n):
        items, values = held.items(), held.values()
        held["b"] = n + 0.5
        return list(items), list(values), len(items), ("c", 0) in items

    return f, held


def several_ways_at_once():
    held = [F8(1.5), F8(2.5), F8(0.5)]

    def f(n):
        total = 0.0
        it = iter(held)
        for (i, v), w, u in zip(enumerate(held), map(lambda x: x * 2, held), it):
            total = total * n + v + w + u + i
            held[2] = held[2] + v
        doubled = (2 * v for v in held)
        total += next(doubled)
        held[1] = held[1] * 5 + n
        total += next(doubled)
        return total, [held.append(v) if len(held) < 5 else v for v in held]

    return f, held


def folded():
    held = [F8(1.5), F8(2.5), F8(0.5)]

    def f(n):
        def add(a, b):
            held[2] = held[2] + b
            return a * n + b

        return functools.reduce(add, held)

    return f, held


def rows_of_a_list():
    held = [[F8(1.5)], [F8(2.5), F8(1.0)]]

    def f(n):
        for row in held:
            row[0] = row[0] + n
            row.append(n)
        for row in reversed(held):
            row[0] = row[0] * 2
        for row, other in zip(held, held, strict=True):
            row[0] = other[0] + 1
        for row in map(lambda x: x, held):
            row[0] = row[0] - n
        return [row for row in held][0] is held[0]

    return f, held


def rows_of_what_is_taken_out():
    held = [[F8(1.5)], {"a": F8(2.5)}, (F8(0.5), [F8(4.0)])]

    def f(n):
        first, second, (third, last) = held
        first[0] = n + third
        second["a"] = second["a"] + n
        last[0] = last[0] + n
        held[:1][0][0] += n
        held.copy()[1]["a"] += n
        list(held)[0][0] += n
        max(held[:1], key=len)[0] += n
        for inner in held[1].values():
            n = n + inner
        held.insert(0, held.pop(0))
        return n

    return f, held


def rows_that_a_partial_keeps():
    held = [[F8(1.5)], [F8(2.5)]]

    def change(rows, n, other):
        rows[0][0] = rows[0][0] + n
        other[0] = other[0] - n

    call = functools.partial(change, held, other=held[1])

    def f(n):
        call(n)
        return held[1][0]

    return f, held


def rows_of_a_dict():
    held = {"a": [F8(1.5)], "b": {"c": [np.ones(2)]}}

    def f(n):
        for row in held.get("b").values():
            row[0] = row[0] + n
            row[0][1] += n
        for key, row in held.items():
            if key == "a":
                row[0] = row[0] + n
        it = iter(held.values())
        next(it)[0] += n
        return held["a"][0]

    return f, held


SAMPLES = [
    list_written_ahead, list_left_by_data, list_that_grows, backwards, items_of_a_dict,
    views_that_were_taken_before, several_ways_at_once, folded, rows_of_a_list,
    rows_of_what_is_taken_out, rows_that_a_partial_keeps, rows_of_a_dict,
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES)
def test_b2_10_captured_containers_are_gone_through_as_in_python(sample):
    (plain, expected), (function, held) = sample(), sample()
    converted = ag.convert(function)
    for n in (F8(1.0), F8(3.0), F8(-2.0)):
        assert kinds_of(places(converted(n))) == kinds_of(places(plain(n)))
        wanted, found = places(expected), places(held)
        assert kinds_of(found) == kinds_of(wanted)
        assert shared(found) == shared(wanted)
