"""Sets whose items depend on data, and comprehensions of sets and dicts filtered by data (B3.15)."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

F, I = np.float64, np.int64
X = np.array([3, 1, 3, 2, 1, 3, 7])
TWO = ((X,), (np.array([5, 5, 5, 0, -2, 9, 5]),))
samples = Samples()


@samples("B3.15", *TWO)
def repeated(numbers):
    seen, again = set(), 0
    for n in numbers:
        if int(n) in seen:
            again += 1
        seen.add(int(n))
    return seen, again, len(seen), bool(seen), 100 not in seen


@samples("B3.15", *TWO, tensors=False)
def taken_out(numbers):
    seen = {numbers[0]}
    for n in numbers:
        seen.add(n)
    seen.discard(numbers[1])
    seen.discard(1000)
    seen.remove(numbers[-1])
    other = seen.copy()
    other.clear()
    return sorted(seen), max(seen, default=0), other, set(seen)


@samples("B3.15", *TWO, tensors=False)
def not_there(numbers):
    seen = set()
    seen.add(numbers[0])
    seen.remove(numbers[0] + 1)


@samples("B3.15", *TWO)
def pairs(numbers):
    seen = set()
    for n in numbers:
        if (int(n), int(n) % 2) not in seen:
            seen.add((int(n), int(n) % 2))
    return len(seen)


@samples("B3.15", (I(19),), (I(4),), (I(7),), tensors=False)
def happy(n):
    seen = set()
    while n != 1 and n not in seen:
        seen.add(n)
        total = 0
        while n > 0:
            total += (n % 10) ** 2
            n //= 10
        n = total
    return n == 1


EDGES = (
    (np.array([[1, 2], [2, 3], [3, 0], [0, 1]]),),
    (np.array([[1, 1], [0, 0], [3, 0], [0, 1]]),),
)


@samples("B3.15", *EDGES)
def reached(edges):
    seen, stack, order = {0}, [0], []
    while stack:
        node = stack.pop()
        order.append(node)
        for other in edges[node]:
            if int(other) not in seen:
                seen.add(int(other))
                stack.append(int(other))
    return order, seen


@samples("B3.15", *TWO, tensors=False)
def made_of_items(numbers):
    few = {1, 2, 3}
    return (
        set(numbers),
        len({n % 2 for n in numbers}),
        few | {4},
        type(few) is set,
        few <= {1, 2, 3, 4},
    )


@samples("B3.15", *TWO, tensors=False)
def comprehensions(numbers):
    odd = {int(n) for n in numbers if n % 2}
    last = {n: i for i, n in enumerate(numbers)}
    large = {i: n for i, n in enumerate(numbers) if n > 1}
    products = {a * b for a in numbers for b in numbers if a < b}
    return odd, last, large, products, {v: k for k, v in last.items()}


@samples("B3.15", (I(5),), (I(0),), (I(9),))
def comprehensions_of_any_length(n):
    return {i % 3 for i in range(n)}, {i: i * i for i in range(n) if i % 2 == 0}


@samples("B3.15", *TWO)
def known_as_before(numbers):
    names = {"a", "b"}
    lengths = {name: len(name) for name in ("one", "three")}
    names |= {"c"}
    print(sorted(names), lengths, {1})
    return names, lengths, [n for n in sorted({3, 1, 2})]


Y = np.array([1, 9, 2, 2, 7, 2, 4])


@samples("E4", (X, Y), (Y, X), (X, X[::-1].copy()))
def operators(x, y):
    a, b, c = {int(v) for v in x}, {int(v) for v in y}, {1, 2}
    pairs = sorted(a - b), sorted(a ^ b), sorted(a & b), len(a | b), a | b, a & c, c - a, c | a
    return pairs, a == b, a != b, a <= b, a < b, a >= b, a > b, a == c, c <= a, a == [1]


@samples("E4", (X, Y), (Y, X), (X, X[::-1].copy()))
def methods_of_two_sets(x, y):
    a, b, c = {int(v) for v in x}, {int(v) for v in y}, frozenset({1, 2, 9})
    both = a.union(b), a.intersection(c), a.difference(b), c.issubset(a), {1}.issubset(a)
    alias = a
    alias |= b
    b.update(c)
    return both, a, b, c == a, a.issuperset(b), OLDER.union(a), OLDER - b


OLDER = {1, 3, 7}


@samples("E4", (X, Y), (Y, X), (X, Y + 20), tensors=False)
def methods_of_several_sets(x, y):
    a, b = set(x.tolist()), {int(v) for v in y}
    apart = a.isdisjoint(b), a.isdisjoint([50, 60]), {1, 2}.isdisjoint(a), set().isdisjoint(a)
    united = a.union(b, [7, 8], (1, 1)), a.union(), {2}.union(a, b), set.union(a, b, {9})
    common = a.intersection(b, [1, 2, 3]), set.intersection(*[a, b, {1, 2, 7}])
    rest = a.difference([1, 1], b), a.symmetric_difference([1, 1, 50]), a.issubset([1, 2, 3, 7])
    other = a.union()
    other.add(77)
    return (
        apart,
        united,
        common,
        rest,
        77 in a,
        sum(a & b),
        sum(a, 10),
        frozenset([9]).isdisjoint(a),
    )


@samples("E4", (X, Y), (Y, X), (X, X[::-1].copy()))
def changed_by_other_sets(x, y):
    a, b, c, d = ({int(v) for v in x} for _ in range(4))
    other, alias = {int(v) for v in y}, a
    a -= other
    b &= other
    c ^= {1, 2, 50}
    d.difference_update({7})
    d.intersection_update(other)
    late, known = {1}, {2, 3}
    late ^= other
    late.symmetric_difference_update({9})
    known -= {3}
    known &= {2: "two"}.keys()
    return alias, a is alias, b, c, d, late, known, sorted(a | b)


@samples("E4", (X, Y), (Y, X), (X, X[::-1].copy()))
def items_put_in_together(x, y):
    seen, more = {1, 2}, set()
    for v, w in zip(x, y):
        seen.update((int(v), int(w)))
        more.update([int(v)], {int(w), 100}, ())
        if len(more) > 4:
            break
    return seen, more, len(seen), sorted(more)


@samples("E4", (X, Y), (Y, X), (X, X[::-1].copy()))
def known_items_put_in_beside_others(x, y):
    seen, m = set(), 2
    for v in x:
        for k in range(1, 4):
            if k in seen:
                break
            seen.update((k, m))
        m = int(v)
    return seen, m


@samples("E4", (X, Y), (Y, X), tensors=False)
def pairs_of_numbers(x, y):
    a, b, empty = set(zip(x, y)), set(zip(y, x)), set()
    return len(a & b) / len(a | b), (x[0], y[0]) in a | b, a & empty, empty | a, a - a


@samples("E4", (X, Y), (Y, X), (X, X[::-1].copy()))
def compared_with_a_frozenset(x, y):
    a, few = {int(v) for v in x}, frozenset({1, 2, 9})
    orderings = few <= a, few < a, few >= a, few > a, a <= few, a >= few
    return orderings, few == a, a != FIXED, a - few, a & FIXED, FIXED <= a, few == {int(y[0]), 2, 9}


FIXED = frozenset({1, 2, 3, 7})


@samples("B3.15", *TWO)
def known_items_beside_other_sets(numbers):
    mine, counts, total = {1, 2}, {1: 2, 3: 4}, numbers.sum()
    both = FIXED | mine, mine | FIXED, FIXED - mine, FIXED ^ mine, type(FIXED & mine) is frozenset
    keys = counts.keys() - mine, mine | counts.keys(), mine <= counts.keys(), counts.keys() == mine
    alias, older = mine, {1, 50}
    mine |= {5}
    mine.update([8], counts.keys())
    older |= mine
    older ^= {50}
    unbound = set.union(mine, [9]), set.issubset(mine, older), list(map(mine.__contains__, (1, 4)))
    kept = copy.copy(mine), copy.deepcopy([mine]), isinstance(mine, set), type(mine) is set
    return total, both, keys, alias is mine, mine, older, unbound, kept, mine.pop() in older


@samples("B3.15", (X, {1, 7}))
def put_into_a_set_of_the_caller(numbers, given):
    mine, alias = {1, 2}, given
    given |= mine
    given -= {7}
    return numbers.sum(), alias is given


test_set = samples.test()


def gone_through(numbers):
    seen = set()
    seen.add(numbers[0])
    return [n for n in seen]  # refused


def made_a_list(numbers):
    seen = set()
    seen.add(numbers[0])
    return list(seen)  # refused


def printed(numbers):
    seen = set()
    seen.add(numbers[0])
    print(seen)  # refused


def made_a_frozenset(numbers):
    seen = set()
    seen.add(numbers[0])
    return frozenset({1}).union(seen)  # refused


def mixed_with_other_numbers(numbers):
    seen = {float(n) for n in numbers}
    return seen & {1, 2}  # refused


def stored(numbers):
    seen = set()
    seen.add(numbers[0])
    stored.kept = seen  # refused


def in_a_dict(numbers):
    seen = set()
    seen.add(numbers[0])
    return f"{[seen]}"  # refused


def united_with_a_frozenset(numbers):
    seen = {int(n) for n in numbers}
    return FIXED | seen  # refused


def taken_from_a_frozenset(numbers):
    seen = {int(n) for n in numbers}
    return FIXED - seen  # refused


def met_by_a_frozenset(numbers):
    seen = {int(n) for n in numbers}
    return FIXED & seen  # refused


def against_a_frozenset(numbers):
    seen = {int(n) for n in numbers}
    return FIXED ^ seen  # refused


def into_an_older_set(numbers):
    older, seen = OLDER, {int(n) for n in numbers}
    older |= seen  # refused


REFUSED = [united_with_a_frozenset, taken_from_a_frozenset, met_by_a_frozenset, against_a_frozenset,
           into_an_older_set, gone_through, made_a_list, printed, made_a_frozenset, mixed_with_other_numbers,
           stored, in_a_dict]  # fmt: skip


@pytest.mark.parametrize("sample", REFUSED, ids=[f.__name__ for f in REFUSED])
def test_what_looks_at_a_set_as_a_whole_is_refused_at_its_line(sample):
    refuse(sample, X, match="items (of a set )?depend on data")


def test_a_set_of_the_callers_that_is_looked_into_keeps_its_items():
    @ag.convert
    def put(n, seen):
        seen.add(n)
        return len(seen)

    with pytest.raises(ag.StagingError, match="a set is put into where that depends on data"):
        put(I(1), {1, 2})


def spread_into_another(numbers):
    seen = {int(n) % 3 for n in numbers}
    return {*seen}, [*seen]  # refused


def test_what_is_spread_into_another_is_refused():
    refuse(spread_into_another, np.array([1, 4, 2]), match="the order in which it gives them")


OUTSIDE = {1.0}


def a_set_that_is_older(x):
    count = len(OUTSIDE)
    OUTSIDE.add(x)
    if len(OUTSIDE) == count and x > 0:  # refused
        OUTSIDE.discard(1.0)
    return x


def test_a_set_is_called_a_set():
    refuse(a_set_that_is_older, 1.0, match="is a set on one path but another set on the other")
    assert {1.0} == OUTSIDE
