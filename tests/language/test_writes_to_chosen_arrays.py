"""Arrays that are items of lists and dicts, or attributes, chosen by data and written in place."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

RNG = np.random.default_rng(23)
# More rounds than are repeated: the loop is staged.
BY = [(RNG.integers(0, 3, 30), RNG.random((3, 2))) for _ in range(3)]
samples = Samples()


class Layer:
    """Weights that are changed in place."""

    def __init__(self, w):
        self.w = w

    def step(self, g):
        self.w -= 0.1 * g


# ---- lists ---------------------------------------------------------------------------------------


@samples("E5", *BY)
def sums_by_number(ks, x):
    sums = [np.zeros(2) for _ in range(3)]
    for i, k in enumerate(ks):
        sums[k] += x[i % 3]
        sums[k][1] *= 0.5
    return sums


@samples("E5", *BY)
def more_than_sixteen(ks, x):
    sums = [np.zeros(2) for _ in range(20)]
    first = sums[0]
    for i, k in enumerate(ks):
        sums[k] += x[i % 3]
    sums[ks[0]][:] = 1.0
    return sums, first


@samples("E5", *BY)
def of_several_shapes(ks, x):
    buffers = [np.zeros(2), np.ones((2, 2)), np.zeros(1, int)]
    for k in ks:
        buffers[k] += 1
        buffers[k][...] = buffers[k] * 2
        buffers[k - 1][0] = 3
    return buffers


@samples("E5", *BY)
def by_functions_and_methods(ks, x):
    rows = [np.array([3.0, 1.0]), np.array([2.0, 0.5]), np.array([4.0, 4.5])]
    for k in ks:
        np.add(rows[k], x[k], out=rows[k - 1])
        rows[k].sort()
        np.copyto(rows[0], rows[k] / 8)
    rows[ks[1]].fill(7.0)
    max(rows, key=lambda r: r[0]).fill(2.5)
    return rows


@samples("E5", *BY)
def other_names_and_views(ks, x):
    y = np.zeros(2)
    rows, others = [x[0], y, x[0]], [y, x[:2, 1], x[2]]
    for k in ks:
        rows[k] += 1.0
        others[k] *= 0.5
        others[k][1:] -= rows[2 - k][0]
    return x, y, rows, others


@samples("E5", *[(ks, [x[0].copy(), x[1].copy(), x[2].copy()], x) for ks, x in BY])
def the_callers_own(ks, rows, x):
    for k in ks:
        rows[k] += x[2 - k]
        x[k] -= 1.0
    return rows[ks[0]] is rows[0]


@samples("E5", *BY)
def exchanged_and_set(ks, x):
    rows = [np.zeros(2) for _ in range(3)]
    kept = rows[1]
    for k in ks:
        if x[k][0] > 0.5:
            rows[k] = np.full(2, 0.5)
        rows[k], rows[0] = rows[0], rows[k]
        rows[k] += x[k]
    return rows, kept


@samples("E5", *BY)
def set_where_it_was_before_the_list_changed(ks, x):
    rows = [np.zeros(2), np.ones(2), np.full(2, 2.0)]
    k = ks[0]
    row = rows[k]
    rows.reverse()
    rows[k] = row
    row += 1.0
    return rows


@samples("E5", *BY)
def lists_set_where_they_were_before(ks, x):
    rows, d = [[1], [2], [3]], {0: [1], 1: [2], 2: [3]}
    k = ks[0]
    row, item = rows[k], d[k]
    rows[0], rows[2] = rows[2], rows[0]
    d[0], d[2] = d[2], d[0]
    rows[k], d[k] = row, item
    return rows, d


@samples("E5", *BY)
def rows_of_rows(ks, x):
    grid = [[np.zeros(2), x[0]], [np.ones(2), x[1]]]
    pairs = [(np.zeros(2), 1.0), (np.zeros(2), 2.0)]
    groups = [{"g": np.zeros(2)}, {"g": np.ones(2)}]
    for k in ks:
        grid[k % 2][(k + 1) // 2] += 1.0
        grid[k // 2][0][1] -= x[k, 0]
        a, b = pairs[k // 2]
        a += b
        groups[k % 2]["g"] += x[k]
    return grid, pairs, groups, x


# ---- dicts, and attributes -----------------------------------------------------------------------


@samples("E5", *BY)
def under_numbers(ks, x):
    d = OrderedDict((k, np.zeros(2)) for k in range(3))
    for k in ks:
        d[int(k)] += x[k]
        d[int(k)][0] *= 0.5
    return d


@samples("E5", *BY)
def under_texts(ks, x):
    d = {"low": np.zeros(2), "high": np.zeros(3)}
    for v in x[:, 0]:
        d["high" if v > 0.5 else "low"] += v
    name = "low" if ks[0] > 0 else "high"
    d[name][-1] = 9.0
    return d


@samples("E5", *BY)
def attributes_of_objects(ks, x):
    layers = [Layer(np.ones(2)), Layer(np.zeros(2)), Layer(x[0])]
    for k in ks:
        layers[k].w -= 0.5 * x[k]
        layers[k].w[0] += 1.0
        layers[2 - k].step(x[k])
    return [a.w for a in layers], x


# ---- gradients -----------------------------------------------------------------------------------


def weighted(x, ks):
    sums = [np.zeros(2) for _ in range(3)]
    d = {k: np.ones(2) for k in range(3)}
    for k in ks:
        sums[k] += x * x
        sums[k][1] *= x[0]
        d[int(k)] *= x
    return (sums[0] * 3 + sums[1] - sums[2]).sum() + (d[0] * d[1]).sum()


@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_through_the_array_that_was_written(case, backend):
    x, ks = np.array([0.9, 1.1]), BY[case][0][:20]
    with config.backend.using(backend):
        found = ag.grad(ag.convert(weighted))(x, ks)
    steps = 1e-6 * np.eye(2)
    expected = [(weighted(x + s, ks) - weighted(x - s, ks)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# ---- errors, and what is refused -----------------------------------------------------------------


class Told(list):
    """A list that tells what is set."""

    def __setitem__(self, k, value):
        print("set", k)
        list.__setitem__(self, k, value)


def a_list_that_tells(ks, x):
    rows = Told([np.zeros(2), np.zeros(2), np.zeros(2)])
    rows[ks[0]] += 1.0  # refused
    return list(rows)


def a_number_among_arrays(ks, x):
    rows = [1.0, 2.0, np.zeros(2)]
    rows[ks[0]] += 1.0  # refused
    return rows


def more_than_can_be_told(ks, x):
    rows = [np.zeros(2) for _ in range(65)]
    for k in ks:
        rows[k] += 1.0  # refused
    return rows


@pytest.mark.parametrize(
    ("sample", "match"),
    [
        (a_list_that_tells, "an item of a Told is set"),
        (a_number_among_arrays, "its items are not of one kind"),
        (more_than_can_be_told, "which part of it depends on data"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_not_the_very_array_is_refused(sample, match):
    refuse(sample, *BY[0], match=match)


def test_one_graph_serves_all_positions():
    assert check(sums_by_number, *BY).function.trace_count == 1


test_sample = samples.test()
