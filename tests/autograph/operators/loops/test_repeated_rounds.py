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


# ---- known numbers in a tuple or list ------------------------------------------------------------

NEAR = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]


def much(x, i, j):
    """Rounds of more than a hundred nodes."""
    return large(x, i) * large(x, j) + large(x, i + j) - large(x, i * 2 + j)


def test_pairs_of_known_numbers_are_gone_through_in_the_graph():
    def in_a_tuple(x):
        total = 0.0
        for i, j in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
            total = total + much(x, i, j)
        return total

    def in_a_list_of_the_module(x):
        total = 0.0
        for i, j in NEAR:
            total = total + much(x, i, j)
        return total

    for f in (in_a_tuple, in_a_list_of_the_module):
        assert size(f, np.ones(3))[1] == 1
        check(f, RANDOM.random(3))


def test_numbers_by_themselves_and_a_break_by_data():
    def f(x):
        total = 0.0
        for factor in (0.5, -0.0, 2.0, np.inf, -1.5, 3.0):
            if factor * x[0] > 5:
                break
            total = total + much(x, 0, 1) * factor + much(x, 1, 2)
        return total

    assert "`for` is staged" in str(ag.convert(f).explain(np.ones(3)))
    check(f, RANDOM.random(3))
    check(f, RANDOM.random(3) + 3)


def test_a_list_that_is_changed_meanwhile_is_gone_through_as_it_is():
    def f(x):
        steps, total = [0, 1, 2, 3], 0.0
        for i in steps:
            total = total + much(x, i, i + 1) + much(x, i, 2)
            if len(steps) < 6:
                steps.append(i)
            steps[3] = 5
        return total

    check(f, RANDOM.random(3))


@pytest.mark.parametrize(
    "items", [(0, 1.5, 2, 1), (True, 1, 2, 3), ((0, 1), 2, 3, 1), (0, 2**70, 1)]
)
def test_items_of_several_kinds_are_known_in_each_round(items):
    def f(x):
        total = 0.0
        for item in items:
            i = item[0] if isinstance(item, tuple) else int(item % 3)
            total = total + much(x, i, 1) * (1 if type(item) is bool else 2)
        return total

    assert size(f, np.ones(3))[1] > 4
    check(f, RANDOM.random(3))


def test_rounds_that_need_the_item_itself_are_repeated():
    def f(x):
        total, texts = 0.0, {1: "a", 2: "bc", 3: "def"}
        for item in (1, 2, 3):
            total = (
                total
                + much(x, item, 1)
                + much(x, 0, 2)
                + len(list(range(item)))
                + len(f"{texts[item]}")
            )
        return total

    check(f, RANDOM.random(3))


def test_gradients_flow_through_a_loop_over_known_numbers():
    def f(x):
        total = 0.0
        for i, j in ((0, 1), (1, 2), (2, 0), (0, 2), (2, 1)):
            total = total + much(x, i, j)
        return total

    x, h = np.array([0.3, 0.7, 0.2]), 1e-6
    slopes = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(ag.grad(ag.convert(f))(x), slopes, rtol=1e-6)
