"""Checks that cannot fail are left out, and no others."""

from collections import Counter

import numpy as np
import pytest

import autograph as ag
from runtime.lowering.rewrites import ranges

RNG = np.random.default_rng(5)
X, GRID = RNG.random(50), RNG.random((20, 30))
N = np.int64(7)


def kernels(f, *args):
    return ag.convert(f).get_concrete_function(*args).lower("kernels")


def neighbours(x):
    out = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        out[i] = x[i - 1] + x[i] * x[i + 1]
    return out


def rows(grid):
    total = 0.0
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            total += grid[i, j]
    return total


def backwards(x):
    out = x.copy()
    for i in range(len(x) - 2, -1, -1):
        out[i] += out[i + 1]
    return out


def generator(n):
    state, hits = 12345, 0
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        if state < 1073741824:
            hits += 1
    return state, hits


def counted_in_a_nest(x):
    found, steps = 0, 0
    for i in range(40):
        for j in range(50):
            steps += 1
            if x[j] > 0.5:
                found += 2
    return found, steps


def until_one_is_found(x, n):
    k = 0
    for i in range(n):
        if x[i % 50] > 0.99:
            break
        k += 1
    return k


def packed_to_the_left(x):
    out, kept = np.zeros(50), 0
    for i in range(50):
        if x[i] > 0.5:
            out[kept] = x[i]
            kept += 1
    return out, kept


def guarded(x, n):
    total = 0.0
    for i in range(n):
        if i > 0 and i < 50:
            total += x[i - 1]
    return total


@pytest.mark.parametrize(("f", "args"), [(neighbours, (X,)), (rows, (GRID,)), (backwards, (X,))])
def test_positions_that_loops_count_need_no_check(f, args):
    assert "fail" not in kernels(f, *args)
    np.testing.assert_array_equal(ag.convert(f)(*args), f(*args))


@pytest.mark.parametrize("f", [neighbours, rows])
def test_nor_do_they_where_sizes_are_of_the_run(f):
    shape = (None, None) if f is rows else (None,)
    found = ag.convert(f).get_concrete_function(ag.TensorSpec(shape, "float64"))
    text = found.lower("kernels")
    assert "size" in text and "fail" not in text
    for n in (2, 3, 5, 64, 201):
        x = RNG.random((n, n + 1)[: len(shape)])
        np.testing.assert_array_equal(found(x), f(x))


def test_numbers_that_a_division_keeps_small_do_not_overflow():
    assert "fail" not in kernels(generator, N)
    assert ag.convert(generator)(np.int64(1000)) == generator(1000)


@pytest.mark.parametrize(
    ("f", "args"),
    [(counted_in_a_nest, (X,)), (until_one_is_found, (X, N)), (packed_to_the_left, (X,))],
)
def test_counters_that_each_round_adds_little_to_do_not_overflow(f, args):
    assert "fail" not in kernels(f, *args)
    found, expected = ag.convert(f)(*args), f(*args)
    if f is until_one_is_found:
        found, expected = [found], [expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("first", [0, 5, 2**62, -1, -7, -(2**63)])
def test_a_division_by_a_power_of_two(first):
    def f(x, n):
        found = np.zeros(4, np.int64)
        for i in range(n):
            found[0] += i % 8
            found[1] += i // 4
            found[2] += (x + i) % 16
            found[3] += (x + i) // 32
        return found

    args = np.int64(first), np.int64(50)
    text = kernels(f, *args)
    assert "and 7" in text and "and 15" in text and "/" not in text
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(ag.convert(f)(*args), f(*args))


@pytest.mark.parametrize("n", [0, 1, 9, 2**63 - 1, 2**63, 2**64 - 1])
def test_numbers_without_a_sign_are_divided(n):
    def f(n):
        steps, odd = 0, 0
        while n > 0:
            odd += n % 4
            n = n // 2
            steps += 1
        return steps, odd

    assert ag.convert(f)(np.uint64(n)) == f(np.uint64(n))


def test_a_condition_narrows_what_a_number_can_be():
    assert "overflow(i" not in kernels(guarded, X, N)
    assert ag.convert(guarded)(X, np.int64(60)) == pytest.approx(guarded(X, 60))


def ordered(x):
    x = x.copy()
    for i in range(1, len(x)):
        one, j = x[i], i - 1
        while j >= 0 and x[j] > one:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = one
    return x


def test_what_a_loop_is_tested_for_holds_in_its_rounds():
    assert "fail" not in kernels(ordered, X)
    np.testing.assert_array_equal(ag.convert(ordered)(X), np.sort(X))


def stepped(first, end, step):
    count, last = 0, 0
    for k in range(first, end, step):
        count, last = count * 3 + k % 7, k
    return count, last


@pytest.mark.parametrize(
    ("first", "end", "step"),
    [
        (2**63 - 1, 2**63 - 20, -3),
        (-(2**63), -(2**63) + 19, 4),
        (-(2**61), 2**61, 2**59 + 1),
        (2**61, -(2**61), -(2**60)),
        (5, 5, 2),
        (0, 30, 7),
    ],
)
def test_items_of_ranges_are_within_64_bits(first, end, step):
    args = tuple(map(np.int64, (first, end, step)))
    text = kernels(stepped, *args)
    assert "overflow(index" not in text and text.count("overflow(first") == 0
    found = ag.convert(stepped)(*args)
    assert found == stepped(first, end, step)


# ---- checks that are needed ----------------------------------------------------------------------


def beyond(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i + 1]
    return total


def before(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i - 51]
    return total


def by_data(x, n):
    total = 0.0
    for i in range(n):
        total += x[i]
    return total


def grows(n):
    a = 1
    for _ in range(n):
        a = a * 3
    return a


def counted_beyond_the_end(x):
    kept = 1
    for i in range(50):
        if x[i] >= 0:
            x[kept] += 1
            kept += 1
    return x


def counted_to_the_end(x):
    k = 2**63 - 50
    for i in range(50):
        if x[i] >= 0:
            k += 1
    return k


def counted_in_too_many_rounds(x, n, m):
    k = 2**62
    for i in range(n):
        for j in range(m):
            if x[j] >= 0:
                k += 2**57
    return k


def swings(n):
    a, b = 1, -1
    for _ in range(n):
        a, b = b - a, a - b * 2
    return a, b


def changed_in_a_branch(x, n):
    k = 0
    for i in range(n):
        if x[i] > 0.5:
            k = i * 20
    return x[k]


def told_in_the_round_before(x, n):
    k, total, is_inside = 0, 0.0, False
    for _ in range(n):
        if is_inside:
            total += x[k]
        is_inside = k < 50 and x[k] >= 0
        k += 30
    return total


def told_on_another_path(x, k, n):
    is_inside = n > 0
    if n > 5:
        is_inside = k < 50 and x[0] >= 0
    for _ in range(n):
        if is_inside:
            k += 1
            x[0] += x[k]
    return x[0]


def changed_after_it_was_tested(x, n):
    k, total = 0, 0.0
    for _ in range(n):
        is_inside = k < 50
        k += 30
        if is_inside:
            total += x[k]
    return total


@pytest.mark.parametrize(
    ("f", "args", "error"),
    [
        (beyond, (X,), IndexError),
        (before, (X,), IndexError),
        (by_data, (X, np.int64(51)), IndexError),
        (grows, (np.int64(60),), OverflowError),
        (swings, (np.int64(200),), OverflowError),
        (counted_beyond_the_end, (X.copy(),), IndexError),
        (counted_to_the_end, (X,), OverflowError),
        (counted_in_too_many_rounds, (X, np.int64(8), np.int64(8)), OverflowError),
        (changed_in_a_branch, (np.ones(50), np.int64(9)), IndexError),
        (told_in_the_round_before, (X, np.int64(9)), IndexError),
        (told_on_another_path, (X.copy(), np.int64(20), np.int64(40)), IndexError),
        (told_on_another_path, (X.copy(), np.int64(60), np.int64(4)), IndexError),
        (changed_after_it_was_tested, (X, np.int64(9)), IndexError),
    ],
)
def test_what_may_fail_is_checked(f, args, error):
    assert "fail" in kernels(f, *args)
    with pytest.raises(error):
        ag.convert(f)(*args)


def test_negative_positions_count_from_the_end():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total = total * 2 + x[i - 3]
        return total

    assert ag.convert(f)(X, np.int64(9)) == f(X, 9)


def four_deep(n):
    steps = 0
    for i in range(n):
        for _ in range(n):
            for _ in range(n):
                for j in range(n):
                    steps += i + j
    return steps


def test_a_loop_in_loops_is_not_gone_through_anew_where_nothing_else_is_known(monkeypatch):
    gone, plain = Counter(), ranges._Known._round

    def counted(self, loop, *args, **named):
        gone[loop] += 1
        return plain(self, loop, *args, **named)

    monkeypatch.setattr(ranges._Known, "_round", counted)
    kernels(four_deep, N)
    assert len(gone) == 4
    assert max(gone.values()) < 60  # 121, if it were at each round of those around it
