"""Sets whose items depend on data, and comprehensions of sets and dicts filtered by data (B3.15)."""

from __future__ import annotations

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


test_set = samples.test()


def difference(numbers):
    seen = set()
    seen.add(numbers[0])
    return {1, 2} - seen  # refused


def ordered(numbers):
    seen = set()
    seen.add(numbers[0])
    return seen <= {1, 2}  # refused


def compared(numbers):
    seen = set()
    seen.add(numbers[0])
    return {3} == seen  # refused


def gone_through(numbers):
    seen = set()
    seen.add(numbers[0])
    return [n for n in seen]  # refused


def made_a_list(numbers):
    seen = set()
    seen.add(numbers[0])
    return list(seen)  # refused


def united(numbers):
    seen = set()
    seen.add(numbers[0])
    return seen.union({1})  # refused


def given_to_another(numbers):
    seen = set()
    seen.add(numbers[0])
    return {1}.issubset(seen)  # refused


def printed(numbers):
    seen = set()
    seen.add(numbers[0])
    print(seen)  # refused


def stored(numbers):
    seen = set()
    seen.add(numbers[0])
    stored.kept = seen  # refused


def in_a_dict(numbers):
    seen = set()
    seen.add(numbers[0])
    return f"{[seen]}"  # refused


REFUSED = [difference, ordered, compared, gone_through, made_a_list, united, given_to_another, printed,
           stored, in_a_dict]  # fmt: skip


@pytest.mark.parametrize("sample", REFUSED, ids=[f.__name__ for f in REFUSED])
def test_what_looks_at_a_set_as_a_whole_is_refused_at_its_line(sample):
    refuse(sample, X, match="items (of a set )?depend on data")


def test_a_set_of_the_callers_keeps_its_items():
    @ag.convert
    def put(n, seen):
        seen.add(n)

    with pytest.raises(ag.StagingError, match="a key in `add`"):
        put(I(1), {1, 2})


def spread_into_another(numbers):
    seen = {int(n) % 3 for n in numbers}
    return {*seen}, [*seen]  # refused


def test_what_is_spread_into_another_is_refused():
    refuse(spread_into_another, np.array([1, 4, 2]), match="the order in which it gives them")
