"""Arrays that are items of lists and dicts that grow by data, written in place."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, refuse

RNG = np.random.default_rng(29)
# More rounds than are repeated: the loop is staged.
BY = [(RNG.integers(0, 4, 30), RNG.random((30, 2))) for _ in range(2)]
samples = Samples()


def rows_of(ks):
    rows = []
    for k in ks:
        if k > 0:
            rows.append(np.full(2, k * 1.0))
    return rows


# ---- dicts ---------------------------------------------------------------------------------------


@samples("E4", *BY)
def sums_by_key(ks, x):
    sums = {}
    for k, row in zip(ks, x):
        k = int(k)
        if k not in sums:
            sums[k] = np.zeros(2)
        sums[k] += row
    return sums


@samples("E4", *BY, tensors=False)
def sums_of_a_defaultdict(ks, x):
    sums = defaultdict(lambda: np.zeros(2))
    for k, row in zip(ks, x):
        sums[int(k)][1] += row[0]
        sums[int(k)] *= 0.5
    return dict(sums)


@samples("E4", *BY)
def by_setdefault_and_under_texts(ks, x):
    d, e = {}, {}
    for k, row in zip(ks, x):
        d.setdefault(int(k), np.zeros(2))[:] += row
        key = "few" if k < 2 else "many"
        if key in e:
            e[key] -= row
        else:
            e[key] = row.copy()
    for key in e:
        e[key] *= 2
    return d, e


@samples("E4", *((*case, np.int64(2)) for case in BY))
def of_a_size_by_data(ks, x, size):
    sums, rows = {}, []
    for k, row in zip(ks, x):
        if int(k) not in sums:
            sums[int(k)] = np.zeros(size)
        sums[int(k)] -= row
        rows.append(np.zeros(size))
        rows[-1] += row
    return sums, rows


# ---- lists ---------------------------------------------------------------------------------------


@samples("E4", *BY)
def items_by_position(ks, x):
    rows = rows_of(ks)
    for k in ks:
        rows[k] += x[k]
    rows[-1][0] = 50.0
    rows[ks[0]][1:] *= 3
    np.add(rows[1], rows[0], out=rows[1])
    rows[ks[1]].sort()
    return rows


@samples("E4", *BY)
def where_the_first_stands_alone(ks, x):
    rows = [np.zeros(2)]
    for k in ks:
        if k > 1:
            rows.append(np.ones(2))
        if len(rows) > k:
            rows[k] += x[k]
    return rows


@samples("E4", *BY)
def gone_through(ks, x):
    rows = rows_of(ks)
    for row in rows:
        row += x[0]
    for row in rows:
        row[0] = row.sum()
    return np.array(rows)


@samples("E4", *BY)
def two_names_of_items(ks, x):
    rows = rows_of(ks)
    a, b, c = rows[0], rows[ks[0]], rows[ks[1]]
    b += 1.0
    a += 2.0
    c[1] -= 4.0
    return np.array(rows), a + 0, b * 1, c.sum()


@samples("E4", *BY)
def in_branches(ks, x):
    rows = rows_of(ks)
    row = rows[ks[0]]
    if x[0, 0] > 0.5:
        row += 1.0
    elif len(rows) > 3:
        rows[3] -= 1.0
    return np.array(rows), row + 0


KEPT = []


@samples("E4", *BY, saved=False)
def with_names_in_places_that_are_older(ks, x):
    global kept
    rows = rows_of(ks)
    kept = rows[0]
    KEPT.append(rows[1])
    rows[0] += 1.0
    rows[1] -= 1.0
    return kept + 0, KEPT.pop() * 2


@samples("E4", *BY)
def put_in_after_the_write(ks, x):
    rows, u = [np.zeros(2)], np.full(2, 3.0)
    for k in ks:
        if len(rows) > 1:
            rows[1] *= 0.5
        rows.append(u)
    return u + 0


def added(rows, k, y):
    rows[k] += y
    return rows[k].sum()


@samples("E4", *BY)
def by_a_function(ks, x):
    rows, total = rows_of(ks), 0.0
    for k in ks:
        total += added(rows, k, x[k])
    return rows, total


# ---- gradients -----------------------------------------------------------------------------------


def weighted(x, ks):
    sums, rows = {}, []
    for k in ks:
        k = int(k)
        if k not in sums:
            sums[k] = np.zeros(2)
            rows.append(x * 1.0)
        sums[k] += x * k
        rows[-1] *= x
    total = 0.0
    for k in sums:
        total += (sums[k] * sums[k] * k).sum()
    return total + rows[0].sum() * 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_through_the_items_that_were_written(backend):
    x, ks = np.array([0.9, 1.1]), BY[0][0][:20]
    with config.backend.using(backend):
        found = ag.grad(ag.convert(weighted))(x, ks)
    steps = 1e-6 * np.eye(2)
    expected = [(weighted(x + s, ks) - weighted(x - s, ks)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# ---- refused -------------------------------------------------------------------------------------


def the_array_that_was_put_in(ks, x):
    rows, u = rows_of(ks), np.zeros(2)
    rows.append(u)
    rows[0] += 1.0  # refused
    return u.sum()


def the_callers(ks, x):
    rows, row = rows_of(ks), x
    rows.append(row[0])
    rows[0] += 1.0  # refused
    return len(rows)


def one_view_twice(ks, x):
    rows = []
    for k in ks:
        a = np.zeros((3, 2))
        if k > 0:
            rows.append(a[0])
            rows.append(a[0])
    rows[0] += 1.0  # refused
    return np.array(rows)


def one_array_twice(ks, x):
    rows = []
    for k in ks:
        a = np.zeros(2)
        if k > 0:
            rows.append(a)
            rows.append(a)
    rows[0] += 1.0  # refused
    return np.array(rows)


def of_a_copied_list(ks, x):
    rows = rows_of(ks)
    others = rows[:]
    rows[0] += 1.0  # refused
    return np.array(others)


def of_another_list(ks, x):
    rows = rows_of(ks)
    others = [row for row in rows]
    others[0] += 1.0  # refused
    return np.array(rows)


def of_a_sorted_list(ks, x):
    rows = rows_of(ks)
    others = sorted(rows, key=lambda row: row[0])
    others[0] += 1.0  # refused
    return np.array(rows)


def of_a_list_by_an_operator(ks, x):
    rows = rows_of(ks)
    others = rows * 1
    others[0] += 1.0  # refused
    return np.array(rows)


def twice_by_an_operator(ks, x):
    rows = rows_of(ks)
    rows = rows + rows
    rows.sort(key=lambda row: row[0])
    rows[0] += 1.0  # refused
    return np.array(rows)


def beside_a_list_by_an_operator(ks, x):
    rows = rows_of(ks)
    others = rows + rows
    others.append(np.zeros(2))
    rows[0] += 1.0  # refused
    return np.array(others)


def in_the_list_before_the_loop(ks, x):
    u = np.zeros(2)
    rows = [u]
    for k in ks:
        rows[0] += 1.0  # refused
        if k > 0:
            rows.append(np.ones(2))
    return u + 0


def put_in_again(ks, x):
    rows = rows_of(ks)
    rows.append(rows[0])
    rows[0] += 1.0  # refused
    return np.array(rows)


def left_by_a_loop(ks, x):
    rows, last = [], np.zeros(2)
    for k in ks:
        if k > 0:
            last = np.zeros(2)
            rows.append(last)
    rows[-1] += 1.0  # refused
    return last.sum()


def taken_before_the_list_changed(ks, x):
    rows = rows_of(ks)
    row = rows[0]
    rows.reverse()
    row += 1.0  # refused
    return np.array(rows)


def another_taken_before(ks, x):
    rows = rows_of(ks)
    row = rows[0]
    rows.reverse()
    rows[-1] += 1.0  # refused
    return row.sum()


def written_after_a_branch_wrote_it(ks, x):
    rows = rows_of(ks)
    row = rows[ks[0]]
    if x[0, 0] > 0.5:
        row += 1.0
    row -= 1.0  # refused
    return np.array(rows)


REFUSED = [
    the_array_that_was_put_in, the_callers, one_view_twice, one_array_twice, of_a_copied_list,
    of_another_list, of_a_sorted_list, of_a_list_by_an_operator, twice_by_an_operator,
    beside_a_list_by_an_operator, in_the_list_before_the_loop, put_in_again, left_by_a_loop, taken_before_the_list_changed,
    another_taken_before, written_after_a_branch_wrote_it,
]  # fmt: skip


@pytest.mark.parametrize("sample", REFUSED, ids=lambda f: f.__name__)
def test_a_write_that_another_name_would_have_to_see_is_refused(sample):
    refuse(sample, *BY[0], match="which part of it depends on data, and it is written here")


test_sample = samples.test()
