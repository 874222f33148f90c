"""Lists that functions change which call themselves until data stops them."""

from __future__ import annotations

import numpy as np

import autograph as ag
from tests.language.harness import Samples, refuse

samples = Samples()

WHOLE = tuple((np.int64(n),) for n in (0, 1, 3, 6))


def move(n, a, b, c, moves):
    if n == 0:
        return
    move(n - 1, a, c, b, moves)
    moves.append((a, c))
    move(n - 1, b, a, c, moves)


@samples("E11", *WHOLE)
def towers_of_hanoi(n):
    moves = []
    move(n, 0, 1, 2, moves)
    return moves, len(moves)


@samples("E11", *WHOLE)
def divisors(n):
    found = []

    def search(k):
        if k <= n:
            if n % k == 0:
                found.append(k)
            search(k + 1)

    search(1)
    return found, sum(found)


def walk(i, xs, out):
    if i < len(xs):
        walk(2 * i + 1, xs, out)
        out.append(xs[i])
        walk(2 * i + 2, xs, out)


@samples("E11", (np.array([5.0, 2.0, 8.0, 1.0]), np.int64(0)), (np.arange(4.0), np.int64(2)))
def in_order(xs, i):
    out = []
    walk(i, xs, out)
    return out


@samples("E11", *WHOLE, joined=True)
def popped_again(n):
    stack = [1, 2, 3]

    def go(k):
        if k <= 0:
            return 0
        stack.append(k)
        below = go(k - 2)
        return below + stack.pop() * len(stack)

    return go(n), stack


@samples("E11", *WHOLE)
def texts(n):
    log = []

    def go(k):
        log.append(f"in {k}")
        if k > 0:
            go(k - 2)
        log.append("out")

    go(n)
    return log


@samples("E11", *WHOLE)
def items_and_numbers(n):
    seen, total = [0] * 7, 0.0

    def go(k):
        nonlocal total
        seen[k] += 1
        total += 0.5 * k
        if k > 1:
            go(k - 1)
            go(k - 2)

    go(n)
    return seen, total


@samples("E11", *WHOLE, joined=True)
def known_before_the_first_call(n):
    out = [-1.5]

    def go(k):
        if k >= 2:
            go(k // 2)
        out.append(k % 2)

    out.append(0.0)
    go(n)
    go(n + 1)
    return out


@samples("E11", *WHOLE, joined=True)
def a_number_that_becomes_a_float(n):
    total = 0

    def go(k):
        nonlocal total
        if k > 0:
            total = total + 0.5
            go(k - 1)

    go(n)
    return total


@samples("E11", *WHOLE)
def queens(n):
    placed = []

    def go(row):
        if row == n:
            return 1
        count = 0
        for c in range(n):
            is_free = True
            for r, q in enumerate(placed):
                if q == c or abs(q - c) == row - r:
                    is_free = False
            if is_free:
                placed.append(c)
                count += go(row + 1)
                placed.pop()
        return count

    return go(0)


test_sample = samples.test()


def queens_of_a_list(n):
    def go(row, placed):
        if row == n:
            return 1
        count = 0
        for c in range(n):
            if all(q != c and abs(q - c) != row - r for r, q in enumerate(placed)):
                count += go(row + 1, [*placed, c])
        return count

    return go(0, [])


def test_lists_that_grow_with_each_call_are_refused():
    refuse(queens_of_a_list, np.int64(4), match="traced within each other are more than Python")


def weighed(x):
    parts = []

    def go(y):
        if y > 0.1:
            parts.append(y * y)
            go(y * 0.5)

    go(x)
    return sum(parts)


def test_gradients_flow_through_such_a_list():
    slope = sum(2 * 0.25**k for k in range(5))
    np.testing.assert_allclose(ag.grad(ag.convert(weighed))(np.float64(1.9)), 1.9 * slope)
