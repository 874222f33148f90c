"""Branches, loops and updates on scalars and arrays, next to plain Python."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native


def agrees(sample, *cases):
    """The sample is native as a whole, and does what Python does."""
    function = ag.convert(sample)
    for case in cases:
        given, expected = [np.copy(x) if np.ndim(x) else x for x in case], None
        with np.errstate(all="ignore"):
            expected = sample(*[np.copy(x) if np.ndim(x) else x for x in case])
            for _ in range(2):
                result = function(*given)
                results = result if isinstance(result, tuple) else (result,)
                wanted = expected if isinstance(expected, tuple) else (expected,)
                for one, other in zip(results, wanted, strict=True):
                    np.testing.assert_array_equal(one, other)
    run = function.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason


def fibonacci(n, x):
    a, b = x, x * 2
    while n > 0:
        a, b = b, a + b
        n = n - 1
    return a - b


def rotate(n, x):
    a, b, c = x, x + 1, x + 2
    while n > 0:
        a, b, c = b, c, a
        n = n - 1
    return a + 10 * b + 100 * c


def keeps_the_old(n, x):
    before = x
    while n > 0:
        before = x
        x = x * 2 + before
        n = n - 1
    return before + x


def nested(n, x):
    total = x * 0
    for i in range(n):
        for j in range(i):
            if (i + j) % 3 == 0:
                total = total + x * j
            else:
                total = total - i
    return total


def either_array(n, x):
    if n > 2:
        y = x * 2
    else:
        y = x
    return y + 1


def recurrence(n, x):
    y = x * 1
    for i in range(1, n):
        y[i] = y[i - 1] * 0.5 + y[i]
    return y


def sieve(n, x):
    marks = x * 0
    for i in range(2, n):
        if marks[i] == 0:
            j = i * i
            while j < n:
                marks[j] = 1
                j = j + i
    return marks


def reads_before_and_after(n, x):
    y = x * 1
    z = y * 2
    w = y[1:]
    i = 0
    while i < n:
        z = z + y
        y[i] = z[i] - 1
        i = i + 1
    return y, z, w * 1


def rows(n, x):
    table = np.zeros((40, 3))
    i = 0
    while i < n:
        table[i] = x[:3] * i
        table[i, 1] = -1
        i = i + 1
    return table


def shifts(n, x):
    y = x * 1
    while n > 0:
        y[1:] = y[:-1]
        y[0] = n
        n = n - 1
    return y


def swaps(n, x):
    a, b = x * 1, x * 2
    while n > 0:
        a[0] = b[1]
        a, b = b, a
        n = n - 1
    return a, b


def bounded(n, x):
    i = 0
    while i < n:
        i = i + 1
        if i > 5:
            break
        x = x + i
    return x


SAMPLES = [fibonacci, rotate, keeps_the_old, nested, either_array, recurrence, sieve,
           reads_before_and_after, rows, shifts, swaps, bounded]  # fmt: skip


@pytest.mark.parametrize("size", [40, 5])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_a_loop_on_arrays_does_what_python_does(sample, size):
    x = np.linspace(1.0, 2.0, size)
    agrees(sample, *((np.int64(n), x) for n in (0, 1, 2, 3, min(size, 30))))


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def newton(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def early(n, m):
    for i in range(n):
        for j in range(m):
            if i * j == 12:
                return i - j
    return np.int64(-1)


@pytest.mark.parametrize(
    ("sample", "cases"),
    [
        (collatz, [(np.int64(n),) for n in (1, 6, 27, 97)]),
        (newton, [(np.float64(n),) for n in (1.0, 2.0, 1e6)]),
        (early, [(np.int64(5), np.int64(5)), (np.int64(2), np.int64(3))]),
    ],
)
def test_a_loop_on_scalars_does_what_python_does(sample, cases):
    agrees(sample, *cases)


def last_of_the_inner(b, c, n, limit):
    total = c[0] * 0
    rounds = 0
    for k in range(n):
        j = k
        for i in range(n):
            j = i
        rounds += 1
        if c[0] == b[(j * 2) % 4]:
            if total > limit:
                break
    return rounds, j


def index_of_two_loops(a, b, c, n):
    total = a[0] * 0
    for i in range(n):
        for i in range(n):
            a[(i + 1) % 4] = 7
            total = total + b[1]
        if c[0] == b[(i * 2) % 4]:
            if total > 50:
                break
        a[i % 4] = c[i % 4]
    return a, total, i


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_loop_that_looks_at_the_last_index_of_another_ends(n):
    a, b, c = (np.arange(4.0) * k % 5 for k in (1, 2, 3))
    agrees(last_of_the_inner, (b, c, np.int64(n), 50.0), (b, c, np.int64(n), -1.0))
    found = ag.convert(index_of_two_loops)(a.copy(), b, c, np.int64(n))
    expected = index_of_two_loops(a.copy(), b, c, np.int64(n))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def until_all_are_small(x, n):
    k = n * 0
    while np.any(x > k) and k < n and x[0] != 7:
        x = np.where(x > 3, x - 2, x)
        k += 1
    return x, k


@pytest.mark.parametrize("dtype", ["i8", "i4", "i1", "u2", "f4"])
@pytest.mark.parametrize("size", [3, 40, 1003])
def test_a_loop_that_ends_for_one_reason_or_another_over_elements(size, dtype):
    x = np.arange(size).astype(dtype)
    agrees(until_all_are_small, *[(x, np.int64(n)) for n in (0, 1, 4, 100)])


def either_flag(n, m):
    k, done, other = 0, False, m > 50
    while (k < n or other) and not done:
        k += 1
        other = other and k < m
        done = k == 7 * m
    return k, done, other


def test_a_loop_that_flags_end():
    cases = [(0, 60), (9, 1), (3, 2), (300, 51), (20, 3), (0, 0)]
    agrees(either_flag, *[tuple(map(np.int64, case)) for case in cases])


def test_an_array_that_grows_in_a_loop():
    def grow(x, n):
        while n > 0:
            x = np.concatenate([x, x * 2])
            n = n - 1
        return x

    agrees(grow, (np.arange(3.0), np.int64(3)), (np.arange(3.0), np.int64(0)))


def test_an_array_whose_items_grow_is_left_to_the_plan():
    @ag.convert
    def grow(x, n):
        while n > 0:
            x = np.concatenate([x, x], axis=1)
            n = n - 1
        return x

    assert grow(np.ones((2, 3)), np.int64(3)).shape == (2, 24)
    assert "shape changes in a loop" in grow.explain()


def test_arguments_are_never_written():
    x = np.arange(40.0)
    kept = x.copy()
    function = ag.convert(lambda x, n: recurrence(n, x * 1) if n > 0 else x)
    function(x, np.int64(30)), function(x, np.int64(20))
    np.testing.assert_array_equal(x, kept)


def test_branches_that_read_the_same_element_of_a_view_each_read_it():
    def chosen(x, c):
        y = x.T
        return y[0, 1] if c else y[0, 1] * 2

    x = np.arange(64.0).reshape(8, 8)
    agrees(chosen, (x, np.True_), (x, np.False_))


def swapped(a, b, n):
    """Two rows take turns, as those of an edit distance do."""
    a, b = a + 0, b + 0
    for k in range(n):
        b[0] = k
        for j in range(1, len(a)):
            b[j] = min(a[j - 1], a[j], b[j - 1]) + 1
        a, b = b, a
    return a, b


def read_before_it_is_written(a, b, n):
    a, b = a + 0, b + 0
    for k in range(n):
        before = a[1:] - b[:-1]
        a[k] = b[k] * 2
        b[1:] = before + a[k]
        a, b = b, a
    return a, b


def read_after_another_wrote(a, b, n):
    a, b = a + 0, b + 0
    c = a if n % 2 == 0 else b
    a[0], b[0] = 7.0, 8.0
    return c[0], c.sum(), a.sum(), b.sum()


def kept_while_it_is_written(a, b, n):
    a, b = a + 0, b + 0
    c = (a if n % 2 == 0 else b)[::2]
    d = c * 1
    a[0], b[0] = 7.0, 8.0
    return c + d, c.max()


@pytest.mark.parametrize(
    "sample",
    [swapped, read_before_it_is_written, read_after_another_wrote, kept_while_it_is_written],
)
def test_one_of_two_arrays_is_read_where_it_is(sample):
    a, b = np.arange(40.0), np.arange(40.0)[::-1] / 3
    agrees(sample, *[(a, b, np.int64(n)) for n in (0, 1, 2, 5)])


def test_rows_that_take_turns_are_not_copied():
    rows = np.arange(40.0), np.ones(40)
    text = ag.convert(swapped).get_concrete_function(*rows, np.int64(2)).lower("kernels")
    assert "copy" not in text[text.index("loop:") : text.rindex("poll")]


def test_of_one_of_two_arrays_the_other_is_not_written():
    @ag.convert
    def f(a, b, n):
        c = a if n > 0 else b
        c[2] = 5.0
        return c

    a, b = np.arange(40.0), -np.arange(40.0)
    assert f(a, b, np.int64(1)) is a and a[2] == 5 and b[2] == -2
    assert f(a, b, np.int64(0)) is b and b[2] == 5
