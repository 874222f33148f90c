"""Short loops with large rounds become loops of the graph, where a round leaves kinds and lengths."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag

RANDOM = np.random.default_rng(3)


def size(function, *arguments):
    """The number of nodes of the graph, and how many of them are loops at its top."""
    graph = ag.convert(function).get_concrete_function(*arguments).graph
    return len(graph.operations), [op.type for op in graph.operations].count("while")


def check(function, *arguments):
    """The plain function and the converted one do the same."""
    wanted, given = [np.copy(x) for x in arguments], [np.copy(x) for x in arguments]
    expected, found = function(*wanted), ag.convert(function)(*given)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    for one, other in zip(given, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def relaxed(u):
    """A body of some 80 nodes in each of n * n rounds."""
    n = len(u)
    changed = 0
    for i in range(n):
        for j in range(n):
            near = u[i - 1, j] + u[(i + 1) % n, j] + u[i, j - 1] + u[i, (j + 1) % n]
            while near > 4:
                near = near / 2
                if near < u[i, j]:
                    near = near - u[j, i] / 4 + u[i, i] / 8 - u[j, j] / 8
                elif near > 2 * u[i, j]:
                    near = near * 0.75 - u[0, j] / 8 + u[i, 0] / 16
            if near != u[i, j]:
                u[i, j] = 0.5 * near + 0.25 * u[i, j] * u[i, j] - 0.125 * u[i, j] * u[j, i]
                changed += 1
    return changed


@pytest.mark.parametrize("n", [3, 8, 12, 16])
def test_large_rounds_are_one_loop(n):
    check(relaxed, RANDOM.random((n, n)) * 3)


def test_the_graph_does_not_grow_with_the_rounds():
    few, many = (size(relaxed, np.ones((n, n))) for n in (8, 16))
    assert few == many
    assert few[1] == 1


def test_small_rounds_are_repeated():
    def f(x):
        total = 0.0
        for i in range(16):
            total = total * x[i] + i
        return total

    assert size(f, np.ones(16))[1] == 0
    check(f, RANDOM.random(16))


def large(x, i):
    """A while loop and many operations."""
    y = x[i % 3] + i
    while y > 1:
        y = y / 3 + y * x[0] / 27 - y * x[0] / 81 + x[1] * x[2] / 243 - x[0] * x[0] / 729
        y = y / 2 + y * x[0] / 27 - y * x[1] / 81 + x[1] * x[1] / 243 - x[0] * x[2] / 729
        y = y / 2 + y * x[0] / 27 - y * x[2] / 81 + x[2] * x[2] / 243 - x[0] * x[1] / 729
    return y


def test_a_list_that_grows_by_a_known_number_keeps_a_known_length():
    def f(x):
        rows = []
        for i in range(12):
            rows.append([large(x, i), large(x, i + 1)])
        return np.array(rows)

    assert size(f, np.ones(3))[1] == 24
    check(f, RANDOM.random(3))


def test_a_list_of_a_fixed_length_is_written_in_the_loop():
    def f(x):
        found = [0.0] * 12
        for i in range(12):
            found[i] = large(x, i) + large(x, 2 * i) + large(x, 3 * i)
        return np.array(found)

    assert size(f, np.ones(3))[1] == 1
    check(f, RANDOM.random(3))


def test_a_list_that_grows_by_data_grows_in_the_loop():
    def f(x):
        found = []
        for i in range(12):
            y = large(x, i) + large(x, 2 * i) + large(x, 3 * i)
            if y > 1:
                found.append(y)
        return found[0] * found[-1] + len(found)

    assert size(f, np.ones(3))[1] == 1
    check(f, RANDOM.random(3))


def test_names_that_later_rounds_leave_as_they_are():
    def f(x):
        best = None
        for i in range(12):
            y = large(x, i) + large(x, 2 * i) + large(x, 3 * i)
            best = y if best is None else max(best, y)
        return best

    assert size(f, np.ones(3))[1] < 12
    check(f, RANDOM.random(3))


def test_rounds_that_need_the_number_are_repeated():
    names = ["a", "b", "c", "d", "e", "f", "g", "h"]

    def f(x):
        found = {}
        total = 0.0
        for i in range(8):
            total = total + large(x, i) + large(x, 2 * i) + large(x, 3 * i)
            found[names[i]] = total
        return total + found["c"]

    assert size(f, np.ones(3))[1] == 24
    check(f, RANDOM.random(3))


def test_what_is_taken_from_iterators_is_taken_once():
    def f(x):
        left = iter([5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0])
        total = 0.0
        for i in range(8):
            total = total + large(x, i) + large(x, 2 * i) + large(x, 3 * i) * next(left)
        return total

    check(f, RANDOM.random(3))


def test_options_of_the_loop_say_otherwise():
    def f(x):
        total = 0.0
        for i in range(12):
            ag.directives.set_loop_options(unroll=True)
            total = total + large(x, i) + large(x, 2 * i) + large(x, 3 * i)
        return total

    assert size(f, np.ones(3))[1] == 36
    check(f, RANDOM.random(3))


def test_errors_of_a_round_are_raised_where_they_belong():
    def f(x):
        total = 0.0
        for i in range(12):
            total = total + large(x, i) + large(x, 2 * i) + large(x, 3 * i)
            if total > 5:
                raise ValueError(f"too much in round {i}")
        return total

    x = np.array([0.5, 0.25, 0.125])
    with pytest.raises(ValueError, match="too much in round") as expected:
        f(x)
    with pytest.raises(ValueError, match="too much in round") as found:
        ag.convert(f)(x)
    assert str(found.value) == str(expected.value)


def test_gradients_flow_through_the_loop():
    def f(x):
        total = 0.0
        for i in range(12):
            total = total + large(x, i) * large(x, 2 * i) + large(x, 3 * i)
        return total

    x, h = np.array([0.5, 0.25, 0.125]), 1e-6
    steps = h * np.eye(3)
    expected = [(f(x + step) - f(x - step)) / (2 * h) for step in steps]
    np.testing.assert_allclose(ag.grad(f)(x), expected, rtol=1e-5)
