"""Tables that a function makes as lists of long lists of numbers, one for each item of a list."""

import copy

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS


def counted(xs, m):
    t = [[0] * m for _ in range(len(xs) + 1)]
    for i in range(1, len(xs) + 1):
        for j in range(m):
            t[i][j] = t[i - 1][j]
            if xs[i - 1] <= j and t[i - 1][j - xs[i - 1]] + i > t[i][j]:
                t[i][j] = t[i - 1][j - xs[i - 1]] + i
    return t[len(xs)][m - 1], t


def from_the_end(xs, m):
    t = [[0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        for j in range(1, m):
            t[-1 - i][-j] = xs[i] + t[-i][-j - 1]
    return t


def out_of_range(xs, m):
    t = [[0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        t[i][xs[i]] = i
    return t


def by_a_name(xs, m):
    t = [[0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        row = t[i]
        for j in range(m):
            row[j] = j + xs[i]
            t[i][j] += row[j - 1]
    return t, t[0]


def beside_copies(xs, m):
    t = [[0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        row = list(t[i - 1])
        t[i][0] = xs[i]
        t[i - 1][1] = row[0] + 1
        row[2] = t[i][0]
        t[i].append(row[1])
    return t


def of_floats(xs, m):
    t = [[0.0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        for j in range(m):
            t[i][j] = xs[i] / (j + 1)
    return t, sum(t[0]), max(t[-1]), len(t[2])


def ints_that_become_floats(xs, m):
    t = [[0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        for j in range(m):
            t[i][j] = xs[i] / (j + 1)
    return t


def one_row_for_all(xs, m):
    row = [0] * m
    t = [row for _ in range(len(xs))]
    for i in range(len(xs)):
        t[i][i] = xs[i]
    return t, t[0] is t[1]


def through_an_array(xs, m):
    t = [[0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        a = np.array(t[i])
        a[xs[i]] = 7
        t[i] = a.tolist()
    return t


def shortened(xs, m):
    t = [[1] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        while len(t[i]) > xs[i]:
            t[i].pop()
        t[i][-1] += i
        t[i][0] = len(t[i])
    return t


SAMPLES = (counted, from_the_end, out_of_range, by_a_name, beside_copies, of_floats,
           ints_that_become_floats, one_row_for_all, through_an_array, shortened)  # fmt: skip
GIVEN = (([*range(1, 21)], 30), ([3] * 25, 25), ([5, 29] * 12, 30), ([99] * 20, 40))


def outcome(function, given):
    given = copy.deepcopy(given)
    try:
        return repr((function(*given), given))
    except IndexError as error:
        return repr(error)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_tables_are_pythons(sample, backend):
    with config.backend.using(backend):
        function = ag.convert(sample)
        for given in GIVEN:
            assert outcome(function, given) == outcome(sample, given)
            assert outcome(function, given) == outcome(sample, given)


def test_a_table_is_two_columns_however_wide_it_is():
    sizes = []
    for width in (30, 60):
        function = ag.convert(counted)
        assert function([2, 3] * 10, width) == counted([2, 3] * 10, width)
        (trace,) = function.traces()
        sizes.append(sum(1 for _ in trace.graph.walk()))
    assert sizes[0] == sizes[1] < 600 and function.trace_count == 1


def paths(xs, m):
    t = [[0] * m for _ in range(len(xs))]
    for i in range(len(xs)):
        for j in range(m):
            t[i][j] = t[i - 1][j - 1] + xs[i]
    return t[-1][m - 1]


def test_what_is_read_and_set_in_a_row_is_not_copied():
    function = ag.convert(paths)
    assert function([2, 3] * 10, 40) == paths([2, 3] * 10, 40)
    kernels = function.get_concrete_function([2, 3] * 10, 40).lower("kernels")
    rounds = kernels[kernels.index("< 40)") :]
    assert "for " not in rounds[: rounds.index("poll")]
