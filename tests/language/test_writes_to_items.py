"""Lists and dicts that are items of lists and dicts that grow by data, written by way of the item."""

from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

RNG = np.random.default_rng(5)
X = [(np.concatenate([[first, 0.6, 0.7], RNG.random(27)]),) for first in (0.1, 0.9, 0.5)]
samples = Samples()


def rows_of(x):
    rows = []
    for v in x:
        if v > 0.3:
            rows.append([float(v)])
    return rows


def groups_of(x):
    groups = {}
    for v in x:
        groups.setdefault(int(v * 4), []).append(float(v))
    return groups


@samples("E4", *X, joined=True)
def groups_by_setdefault(x):
    return groups_of(x)


@samples("E4", *X, joined=True)
def groups_of_a_defaultdict(x):
    groups = defaultdict(list)
    for i, v in enumerate(x):
        groups[int(v * 3)].append(i)
    return [(k, len(groups[k]), groups[k][0]) for k in sorted(groups)]


@samples("E4", *X, joined=True)
def groups_made_where_a_key_is_new(x):
    groups = OrderedDict()
    for v in x:
        k = "high" if v > 0.5 else "low"
        if k not in groups:
            groups[k] = []
        groups[k].append(float(v))
        print(k, groups[k])
    return list(groups.items())


@samples("E4", *X, joined=True)
def added_to_where_there_is_a_group(x):
    d = {}
    for v in x:
        if v > 0.2:
            d.setdefault(int(v * 4), []).append(float(v))
        elif int(v * 4) in d:
            d[int(v * 4)].append(-1.0)
    return d


@samples("E4", *X, joined=True)
def two_groupings(x):
    a, b = {}, {}
    for v in x:
        a.setdefault(int(v * 3), []).append(float(v))
        b.setdefault(int(v * 5), []).append(float(v))
    return a, b


@samples("E4", *X, joined=True)
def groups_of_an_object(x):
    class Groups:
        def __init__(self):
            self.lists = {}

        def add(self, k, v):
            self.lists.setdefault(k, []).append(v)
            return len(self.lists[k])

    groups, total = Groups(), 0
    for v in x:
        total += groups.add(int(v * 3), float(v))
    return groups.lists, total


@samples("E4", *X, joined=True)
def neighbours(x):
    near = {}
    for i in range(len(x) - 1):
        u, w = int(x[i] * 4), int(x[i + 1] * 4)
        near.setdefault(u, []).append(w)
        near.setdefault(w, []).append(u)
    seen, waiting = [], [int(x[0] * 4)]
    while waiting:
        u = waiting.pop(0)
        if u in seen:
            continue
        seen.append(u)
        for w in near[u]:
            if w not in seen:
                waiting.append(w)
    return seen, {k: sorted(v) for k, v in near.items()}


@samples("E4", *X, joined=True)
def the_last_row(x):
    rows = [[]]
    for v in x:
        if v > 0.6:
            rows.append([])
        rows[-1].append(float(v))
    return rows


@samples("E4", *X, joined=True)
def records(x):
    found = []
    for v in x:
        if v > 0.5 or len(found) == 0:
            found.append({"n": 0, "s": 0.0})
        found[-1]["n"] += 1
        found[-1]["s"] += float(v)
    found[0]["n"] = 50
    return found


@samples("E4", *X, joined=True)
def each_row(x):
    rows = rows_of(x)
    for row in rows:
        row.append(float(len(row)))
    i = 0
    while i < len(rows):
        rows[i].append(float(i))
        if rows[i][0] > 0.9:
            break
        i += 1
    return rows, i


@samples("E4", *X, joined=True)
def the_first_that_takes_it(x):
    stacks = []
    for v in x:
        placed = False
        for stack in stacks:
            if not placed and stack[-1] > v:
                stack.append(float(v))
                placed = True
        if not placed:
            stacks.append([float(v)])
    return stacks


@samples("E4", *X, joined=True)
def lists_in_lists_in_a_dict(x):
    d = {}
    for v in x:
        k = int(v * 3)
        d.setdefault(k, []).append([] if v > 0.5 else [0.5])
        d[k][-1].append(float(v))
    return d


@samples("E4", *X, joined=True)
def all_methods(x):
    rows = rows_of(x)
    row = rows[0]
    row.append(2.0)
    row += [3.0]
    row.insert(0, 9.0)
    row[1] = 5.0
    row.extend([1.0, 4.0])
    row.sort()
    last = row.pop()
    del row[0]
    row.reverse()
    return rows, last, len(row), sum(row), row[0], 3.0 in row


@samples("E4", *X, joined=True)
def several_names_of_one_item(x):
    rows = rows_of(x)
    row, held = rows[0], (rows[0], rows[1])
    rows[0].append(1.0)
    row.append(2.0)
    rows[0].append(3.0)
    for i in range(3):
        row.append(float(i))
        rows[1].append(2.0)
    return rows, len(row), len(held[0]), len(held[1])


@samples("E4", *X, joined=True)
def held_by_an_object_and_a_function(x):
    class Box:
        pass

    box, rows = Box(), rows_of(x)
    box.row = row = rows[0]

    def count():
        return len(row)

    rows[0].append(1.0)
    return len(box.row), count(), rows


@samples("E4", *X, joined=True)
def given_to_a_function(x):
    def add(row, by):
        row.append(by)
        return row

    rows = rows_of(x)
    add(add(rows[0], 1.0), 2.0)
    add(rows[int(x[0] * 2)], 3.0)
    return rows


@samples("E4", *X, joined=True)
def sorted_and_written(x):
    rows = rows_of(x)
    rows[1].append(4.0)
    rows.sort(key=len)
    rows[0].append(1.0)
    return rows


test_the_list_sees_what_is_written_into_its_item = samples.test()


def total(x):
    groups = {}
    for v in x:
        groups.setdefault(int(v * 4), []).append(v * v)
    return sum(sum(v) * (k + 1) for k, v in groups.items())


def test_a_gradient_goes_through_groups():
    x = X[0][0][:6]
    steps = 1e-6 * np.eye(6)
    expected = [(total(x + s) - total(x - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(ag.grad(ag.convert(total))(x), expected, rtol=1e-6)


def test_groups_are_kept_in_one_loop_of_the_graph():
    found = check(groups_by_setdefault, *X, joined=True)
    assert any(node.op.name == "while" for node in found.graph.nodes)
    assert not found.unsaved


# ---- where somebody else may have it -------------------------------------------------------------


def a_slice(x):
    rows = rows_of(x)
    part = rows[:]
    rows[0].append(1.0)  # refused
    return part


def a_sum(x):
    rows = rows_of(x)
    more = rows + []
    rows[0].append(1.0)  # refused
    return more


def twice(x):
    rows = rows_of(x)
    rows = rows * 2
    rows[0].append(1.0)  # refused
    return len(rows[0])


def appended_again(x):
    rows = rows_of(x)
    rows.append(rows[0])
    rows[0].append(1.0)  # refused
    return len(rows[-1])


def a_comprehension(x):
    rows = rows_of(x)
    same = [row for row in rows]
    rows[0].append(1.0)  # refused
    return same


def values_of_a_dict(x):
    groups = groups_of(x)
    values = list(groups.values())
    groups[0].append(9.0)  # refused
    return values


def a_copy_of_a_dict(x):
    groups = groups_of(x)
    other = dict(groups)
    groups[0].append(9.0)  # refused
    return other


def of_another_dict(x):
    groups, other = groups_of(x), {}
    for k in groups:
        other.setdefault(k + 1, groups[k])
    other[1].append(9.0)  # refused
    return groups


def taken_before_another_was_set(x):
    groups = groups_of(x)
    row = groups[0]
    groups[0] = [7.0]
    row.append(1.0)  # refused
    return groups


def taken_before_the_order_changed(x):
    rows = rows_of(x)
    row = rows[0]
    rows.reverse()
    row.append(1.0)  # refused
    return rows


def taken_out_for_good(x):
    rows = rows_of(x)
    row = rows.pop()
    row.append(3.0)  # refused
    return rows, row


def the_list_that_was_put_in(x):
    groups, new = groups_of(x), []
    groups.setdefault(7, new).append(1.0)  # refused
    return new


def one_or_another_of_a_loop(x):
    rows = rows_of(x)
    now = rows[0]
    for i in range(len(rows)):
        if rows[i][0] > 0.5:
            now = rows[i]
    rows[0].append(1.0)  # refused
    return len(now)


def one_on_one_path(x):
    groups, row = {}, [1.0]
    if x[0] > 0.5:
        row = groups.setdefault(int(x[1] * 3), [])
    row += [1.0]  # refused
    return groups


def while_the_other_waits(x):
    rows = rows_of(x)
    rows[0].append(rows[0].pop())  # refused
    return rows


REFUSED = [
    a_slice, a_sum, twice, appended_again, a_comprehension, values_of_a_dict, a_copy_of_a_dict,
    of_another_dict, taken_before_another_was_set, taken_before_the_order_changed,
    taken_out_for_good, the_list_that_was_put_in, one_or_another_of_a_loop, one_on_one_path,
    while_the_other_waits,
]  # fmt: skip


@pytest.mark.parametrize("sample", REFUSED, ids=lambda f: f.__name__)
def test_a_write_that_somebody_else_would_have_to_see_is_refused(sample):
    refuse(sample, *X[0], match="is an item of a list whose length depends on data, and it is")
