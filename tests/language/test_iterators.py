"""Iterators that are advanced in branches and loops of the graph, and what follows them."""

from __future__ import annotations

import collections
import itertools

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, observe, refuse

samples, samples_of_next, samples_in_step = Samples(), Samples(), Samples()
I = np.int64
F = np.float64
X = np.array([1.0, 2.0, 3.0])
LEFT = "which are left is known only when the graph runs"
ROUNDS = "that is older than the loop"


# ---- right -----------------------------------------------------------------------------------


@samples("B3.10", (F(2),), (F(-2),), conds=1)
def of_its_own(x):
    if x > 0:
        it = iter([1.0, 2.0])
        y = next(it) + next(it)
    else:
        y = next(k for k in [5.0, 6.0] if k > 5)
    return y + sum(k * x for k in range(3))


@samples("B3.10", (F(2),), (F(-2),), conds=1)
def last_use_in_a_branch(x):
    it = iter([1.0, 2.0, 3.0])
    y = next(it)
    if x > 0:
        y = y + next(it)
    return y


@samples("B3.10", (F(2), I(3)), (F(-2), I(1)), whiles=1)
def of_each_round(x, n):
    total = 0.0
    for _ in range(n):
        it = zip([1.0, 2.0], [x, x], strict=True)
        a, b = next(it)
        total += a * b + sum(p * q for p, q in it)
        total += sum(map(lambda k: k * x, [1.0, 2.0]))
        for j, c in enumerate(itertools.chain([1.0], [x])):
            total += j * c
    return total


@samples("B3.10", (X, F(2)), (-X, F(1)))
def over_what_goes_over_an_array(xs, y):
    total = 0.0
    for a, b in zip([y, y], reversed(xs), strict=False):
        total += a * b
    total += sum(i * a for i, a in enumerate(xs) if i != 1)
    return total, max(a for a in reversed(xs)), [a for a, _ in zip(xs, [y, y], strict=False)]


@samples("B3.10", (X,), (-X,))
def what_was_not_asked_for_remains(xs):
    numbered = enumerate(xs)
    doubled = (2 * a for _, a in numbered)
    first = next(doubled), next(numbered)
    return first, list(doubled), list(numbered), list(zip([1.0], reversed(xs), strict=False))


@samples("B3.10", (F(3),), (F(-3),), conds=0)
def shared_by_loops(x):
    it = iter([1.0, 2.0, 3.0, 4.0])
    total = 0.0
    for a in it:
        total += a * x
        if a == 2.0:
            break
    for a in it:
        total += 10 * a * x
    return total


@samples("B3.10", (F(3),), (F(-3),), whiles=0)
def in_a_long_range(x):
    it = iter(range(100))
    total = 0.0
    for _ in range(40):
        total += next(it) * x
    return total, next(it)


@samples("B3.10", (F(3),), (F(-3),), whiles=0)
def in_a_long_while(x):
    it = iter(range(100))
    total, k = 0.0, 0
    while k < 40:
        total += next(it) * x
        k += 1
    return total, next(it)


@samples("B3.10", (F(3),), (F(-3),), whiles=0)
def in_the_test_of_a_long_while(x):
    it = iter(range(40))
    total = 0.0
    while (k := next(it, None)) is not None:
        total += k * x
    return total


def stops_in_a_long_range(x):
    it = iter(range(20))
    for _ in range(40):
        x = x + 1
        if next(it) == 19:
            raise ValueError("the end")
    return x


def test_an_error_in_a_long_range():
    for run in (stops_in_a_long_range, ag.convert(stops_in_a_long_range)):
        with pytest.raises(ValueError, match="the end"):
            run(F(3))


@samples("B2.10", (X,), (X * 2.0,))
def items_one_by_one(x):
    pairs = zip(x, x[1:])  # noqa: B905
    first, rows = next(pairs), enumerate(x, 1)
    total = 0.0
    for a, b in pairs:
        total = total + a * b
    return first, total, next(rows), next(rows), list(rows), next(rows, None), next(reversed(x))


@samples("B2.10", (X, X), (X, X * 2.0))
def sums_of_pairs(x, y):
    total = sum(a * b for a, b in zip(x, y))  # noqa: B905
    return total, max(a - b for a, b in zip(x, y)), sum(i * a for i, a in enumerate(x))  # noqa: B905


def shown(v):
    print("taken", v)
    return v


@samples("B2.10", (X, I(3)), (X * 2.0, I(5)), tensors=False)
def pairs_of_which_the_first_is_shorter(x, n):
    for a, b in zip(map(shown, x), range(n)):  # noqa: B905
        print(a, b)
    return [a + b for a, b in zip(map(abs, x), range(n - 2))]  # noqa: B905


test_right = samples.test()


def one_is_taken_more(x, n):
    return list(zip(map(shown, x), range(n)))  # noqa: B905


def one_is_taken_more_by_map(x, n):
    return list(map(lambda a, b: a + b, map(shown, x), range(n)))


def one_is_taken_more_by_a_strict_zip(x, n):
    return list(zip(range(n), map(shown, x), strict=True))


@pytest.mark.parametrize(
    "sample", [one_is_taken_more, one_is_taken_more_by_map, one_is_taken_more_by_a_strict_zip]
)
def test_an_item_that_is_taken_and_not_given_is_told(sample):
    check(sample, (X, I(3)), saved=False, tensors=False)
    run = ag.convert(sample)
    for n in (2, 0):
        with pytest.raises(ValueError, match="has ended already"):
            run(X, I(n))
    assert run.trace_count == 1


# ---- refused ---------------------------------------------------------------------------------


def after_an_if(x):
    it = iter([1.0, 2.0, 3.0])
    y = next(it) if x > 0 else 0.0
    return y + next(it)  # refused


def in_both_branches(x):
    it = iter([1.0, 2.0, 3.0])
    if x > 0:
        y = next(it)
    else:
        y = next(it) * 3  # refused
    return y


def after_and(x):
    it = iter([1.0, 2.0, 3.0])
    found = x > 0 and next(it) > 0
    return found, next(it)  # refused


def membership(x):
    it = iter([1, 2, 3])
    found = False
    if x > 0:
        found = 2 in it
    return found, list(it)  # refused


def looped_over(x):
    it = iter([1.0, 2.0, 3.0])
    y = 0.0
    if x > 0:
        for a in it:
            y += a
            break
    for a in it:  # refused
        y += 10 * a
    return y


def unpacked(x):
    it = iter([1.0, 2.0])
    if x > 0:
        a, b = it
    else:
        a, b = 0.0, 1.0
    return a + b + sum(it)  # refused


def starred(x):
    it = iter([1.0, 2.0])
    y = max(*it) if x > 0 else x
    return y, next(it)  # refused


def appended(x):
    it = iter([1.0, 2.0])
    y = x
    if x > 0:
        items = [x]
        items += it
        y = y + len(items)
    return y, next(it)  # refused


def extended(x):
    it = iter([1.0, 2.0])
    y = x
    if x > 0:
        items = [x]
        items.extend(it)
        y = y + len(items)
    return y, next(it)  # refused


def wrapped(x):
    it = iter([1.0, 2.0, 3.0])
    pairs = zip(it, [x, x, x], strict=True)
    y = x
    if x > 0:
        a, b = next(pairs)
        y = a * b
    return y, next(it)  # refused


def of_a_generator(x):
    it = (k * x for k in range(5))
    y = x
    if x > 0:
        y = next(it) + next(it)
    return y, next(it)  # refused


def left_by_a_break(x):
    it = iter([1.0, 2.0, 3.0])
    y = 0.0
    for a in it:
        if a > x:
            break
        y += a
    for a in it:  # refused
        y += 10 * a
    return y


def gone_through_twice(x):
    rows = np.array([1.0, 2.0, 3.0]) * x
    pairs = zip(rows, rows, strict=True)
    y = 0.0
    for a, b in pairs:
        y += a * b
    for a, b in pairs:  # refused
        y += 100
    return y


@pytest.mark.parametrize(
    "sample",
    [
        after_an_if, in_both_branches, after_and, membership, looped_over, unpacked, starred,
        appended, extended, wrapped, of_a_generator, left_by_a_break, gone_through_twice,
    ],
)  # fmt: skip
def test_what_is_left_depends_on_data(sample):
    refuse(sample, F(2), match=LEFT)


def in_each_round(x, n):
    it = iter([1.0, 2.0, 3.0])
    for _ in range(n):  # refused
        x = x + next(it)
    return x


def in_each_test(x, n):
    it = iter(range(25))
    while (k := next(it)) < n:  # refused
        x = x + k
    return x


def pairs_in_each_round(x, n):
    pairs = zip(X * x, X, strict=True)
    for _ in range(n):  # refused
        for a, b in pairs:
            x = x + a * b
    return x


@pytest.mark.parametrize("sample", [in_each_round, in_each_test, pairs_in_each_round])
def test_each_round_takes_items(sample):
    refuse(sample, F(2), I(2), match=ROUNDS)


def next_of_zip(x, n):
    pairs = zip(range(n), x)  # noqa: B905
    return next(pairs)


def test_next_of_zip_over_an_unknown_number_of_items():
    for n in (0, 1, 2):
        observed = [observe(f, (X, np.int64(n))) for f in (ag.convert(next_of_zip), next_of_zip)]
        assert observed[0].error is None or isinstance(observed[0].error, StopIteration)
        assert type(observed[0].error) is type(observed[1].error)
        assert str(observed[0].value) == str(observed[1].value)


def length_of_zip(x):
    return len(zip(x, x))  # noqa: B905


def test_zip_has_no_length():
    for run in (length_of_zip, ag.convert(length_of_zip)):
        with pytest.raises(TypeError, match="^object of type 'zip' has no len"):
            run(X)


# ---- a list that is written while a loop goes through it -------------------------------------------


def left_by_data(items):
    for v in items:
        if items[1] == -1:
            break
        items[2] = items[2] * 2
    return v, items


def left_by_data_in_step(items):
    for i, (u, v) in enumerate(zip([1, 2, 3], items)):
        if items[1] == -1:
            break
        items[2] = items[2] * 2
    return i, u, v, items


@pytest.mark.parametrize("sample", [left_by_data, left_by_data_in_step])
def test_b2_10_items_are_read_when_it_is_their_turn(sample):
    cases = [([np.float64(1), np.float64(k), np.float64(3)],) for k in (2, -1)]
    check(sample, *cases, conds=None)


# ---- `it.__next__()` -------------------------------------------------------------------------------


@samples_of_next("B3.10", (F(2),), (F(-2),))
def asked_by_its_method(x):
    it, count = iter([x, 2.0, 3.0]), itertools.count(4)
    step = count.__next__
    return it.__next__() + it.__next__(), step(), next(count), step(), list(it)


@samples_of_next("B3.10", (F(2),), (F(-2),))
def advanced_by_its_method(x):
    count = itertools.count()
    y = -1
    if x > 0:
        y = count.__next__()
    return y, next(count)


@samples_of_next("B3.10", (X,), (np.array([1.0, 2.0, 1.0]),))
def a_numbering_factory(x):
    number = collections.defaultdict(itertools.count().__next__)
    return [number[v] for v in x]


test_next_by_its_method = samples_of_next.test()


# ---- lists beside what only the graph knows the length of ------------------------------------------


@samples_in_step("B2.10", (X,), (X - 2,), (X - 4,), joined=True)
def a_list_beside_items_by_data(x):
    large, factors, total = [v for v in x if v > 0], [x[0], 4.0, x[0] + 1], 0.0
    for factor, v in zip(factors, large, strict=False):
        total += factor * v
    for v, factor in zip(large, (1, 2), strict=False):
        total -= factor * v
    return total, list(map(lambda v, k: v * k, large, [2.0, 3.0]))


@samples_in_step("B2.10", (X,), (X - 2,))
def as_long_as_items_by_data(x):
    large = [v for v in x if v > 0]
    return list(zip([1.0, 2.0, 3.0], large, strict=True))


@samples_in_step("B2.10", (X, I(1)), (X - 2, I(0)), (X - 4, I(-1)), joined=True)
def set_while_it_is_gone_through(x, n):
    found, total = [x[0], x[1], 3.0], 0.0
    found[n] = found[1]
    for v in reversed(found):
        total, found[1] = total * 2 + v, total
    for i, (u, v) in enumerate(zip(found, reversed(found), strict=True)):
        found[n] += u
        found[i] -= v
        total = total * 3 + u * v
    return total, found


@samples_in_step("B2.10", (F(-0.5), I(2)), (F(1.5), I(1)), (F(0.5), I(1)), joined=True)
def set_by_data_before_a_break_by_data(x, n):
    found, seen = [2, 1, 2], []
    for v in reversed(found):
        seen.append(v)
        found[:] = [found[-1], *found[:-1]]
    for v in found:
        seen.append(v)
        if found[0] != 2:
            found[n] = 37
        else:
            found[:] = [7, found[0], min(found[1], v)]
            if n + x > 2:
                break
    return found, seen, x


test_lists_go_in_step = samples_in_step.test()


def changed_beside_items_by_data(x):
    large, factors = [v for v in x if v > 0], [x[0], F(4), x[0] + 1]
    for factor, v in zip(factors, large, strict=False):
        factors.append(factor * v)
    return factors


def test_a_list_that_is_changed_beside_items_by_data():
    check(changed_beside_items_by_data, (X,), (-X,), (np.abs(X),))


@pytest.mark.parametrize("taken", [enumerate, lambda x: zip(x, x), lambda x: map(abs, x), reversed])
def test_what_is_gone_through_once_is_not_reversed(taken):
    def last(x):
        return list(reversed(taken(x)))

    seen = []
    for function in (last, ag.convert(last)):
        with pytest.raises(TypeError, match="object is not reversible") as caught:
            function(X)
        seen.append(str(caught.value))
    assert seen[0] == seen[1]
