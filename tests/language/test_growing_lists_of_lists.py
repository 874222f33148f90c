"""Lists whose length depends on data, of lists and dicts of one length (E4)."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([3.0, 1.0, -2.0, 2.0, 5.0])
FEW = np.array([1.0, 0.0, 0.0, 4.0, 0.0])
THREE = ((X,), (-X,), (FEW,))
NUMBERS = ((I(3),), (I(0),), (I(1),))
samples = Samples()


class Named(NamedTuple):
    """A list, and a number."""

    items: Any
    number: Any


@samples("E4", *NUMBERS)
def pairs(n):
    out = []
    for i in range(n):
        out.append([i, i + 1])
    return out


@samples("E4", *THREE)
def of_several_kinds(x):
    out = []
    for i, v in enumerate(x):
        row = [v, i, "a", (v, None)]
        if v > 0:
            out.append(row)
    return out, len(out), [{"value": v, "place": i} for i, v in enumerate(x) if v > 0]


@samples("E4", *THREE)
def runs(x):
    """What is put away is another list from then on, on one path of nested branches."""
    out, row = [], []
    for v in x:
        if v > 0:
            row.append(v)
        elif row:
            out.append(row)
            row = []
    if row:
        out.append(row)
    return out


@samples("E4", *THREE)
def cut_within_branches(x):
    out, row = [], [x[0]]
    for v in x:
        if v > 0:
            if v > 1:
                out.append(row)
                row = [v]
            else:
                row = row + [v]
        row.append(v)
    return out, list(row)


@samples("E4", *THREE, joined=True)
def read(x):
    out = [[v, v * 2] for v in x if v > 0]
    total = 0.0
    for a, b in out:
        total += a * b
    for row in out:
        total += row[0]
    return total, [2.0, 4.0] in out, (2.0, 4.0) in out, sorted(out), [row[1] for row in out]


@samples("E4", (X,), (FEW,))
def arrays_of_them(x):
    out = [[v, v * 2] for v in x if v > 0]
    return np.array(out), out[0], out[-1][1]


@samples("E4", *THREE)
def of_dicts(x):
    out = [{"v": v, "w": v * 2} for v in x if v > 0]
    return sum(d["v"] * d["w"] for d in out), out, sorted(out, key=lambda d: -d["v"])


@samples("E4", *NUMBERS)
def a_copy_of_what_changes(n):
    row, out = [0, 0], []
    for i in range(n):
        row[0] += i
        out.append(list(row))
    return out, row


@samples("E4", *NUMBERS)
def a_stack_of_them(n):
    stack, total = [[n, 0]], 0
    while stack:
        k, depth = stack.pop()
        total += depth
        if k > 0:
            stack.append([k - 1, depth + 1])
    return total


@samples("E4", *NUMBERS)
def one_behind_them_may_be_changed(n):
    out = []
    for i in range(n):
        out.append([i, 0])
    out.append([7, 8])
    out[-1][0] = 3
    return out


# ---- items that are written on the path on which the list grows ----------------------------------


@samples("E4", *THREE, joined=True)
def written_where_the_list_grows(x):
    first, last = [0.5, 1.0], [0.5, 1.5]
    out = [first, last]
    if x[0] > 0:
        first[0] = 6.0
        out.append([x[1], 2.0])
        first[1] = 7.0
        last.reverse()
    return out


@samples("E4", *THREE, joined=True)
def written_where_the_function_goes_on(x):
    out = [[0.5], [1.5]]
    if x[0] < 0:
        return out
    first = out[0]
    out.append([x[1]])
    first[0] = x[2]
    return out


@samples("E4", *THREE, joined=True)
def written_deep_within(x):
    inner = [0.5]
    nests, pairs, records, queue = [[inner]], [(inner, 1)], [{"a": inner}], deque([inner])
    named = [Named(inner, 1)]
    if x[0] > 0:
        nests.append([[x[0]]])
        pairs.append(([x[0]], 2))
        records.append({"a": [x[0]]})
        queue.append([x[0]])
        named.append(Named([x[0]], 2))
        inner[0] = 7.0
    return nests, pairs, records, queue, named


@samples("E4", *THREE, joined=True)
def written_by_a_function(x):
    first = [1.0]
    out = [first]

    def grow(v):
        out.append([v])
        first[0] = v

    if x[0] > 0:
        grow(x[1])
    return out


@samples("E4", *THREE, joined=True)
def another_list_of_them(x):
    first = [1.0]
    out = [first]
    if x[0] > 0:
        out = out + [[3.0]]
        first[0] = 7.0
    return out


test_lists_of_lists = samples.test()


def test_gradients():
    def loss(x):
        out = [[v, v * 2] for v in x if v > 0]
        return sum(a * b for a, b in out)

    for backend in BACKENDS:
        with config.backend.using(backend):
            np.testing.assert_array_equal(ag.grad(ag.convert(loss))(X), np.where(X > 0, 4 * X, 0))


# ---- a write would have to be seen in the list ---------------------------------------------------


def appended_and_changed_by_each_round(n):
    row, out = [0, 0], []
    for i in range(n):
        row[0] += i  # refused
        out.append(row)
    return out


def read_and_changed(n):
    out = []
    for i in range(n):
        out.append([i, 0])
    out[0][1] = 7
    return out


def appended_on_one_path_and_changed(n):
    out, row = [], [1, 2]
    for i in range(n):
        if i > 0:
            out.append(row)
    row[0] = 9  # refused
    return out


def grown_in_a_try_and_written(x):
    first = [1.0, 2.0]
    out = [first]
    try:
        if x[0] > 2:
            raise ValueError
        out.append([3.0, 4.0])
    except ValueError:
        pass
    first[1] = 5.0  # refused
    return out


def grown_in_a_try_and_written_by_the_handler(x):
    first = [1.0, 2.0]
    out = [first]
    try:
        out.append([3.0, 4.0])
        if x[0] > 2:
            raise ValueError
        out.append([3.0, 4.0])
    except ValueError:
        first[1] = 5.0  # refused
    return out


def in_a_dict_that_grows(x):
    first = [1.0]
    out = {0: first}
    if x[0] > 0:
        out[int(x[0])] = [2.0]
        first[0] = 7.0  # refused
    return out


def gone_through_and_changed(n):
    out = []
    for i in range(n):
        out.append([i, 0])
    for row in out:
        row[1] = 7
    return out


def an_item_from_before_the_loop(n):
    out = [[1, 2]]
    row = out[0]
    for i in range(n):
        out.append([i, 0])
    row[0] = 5  # refused
    return out


def popped_and_changed(n):
    out = []
    for i in range(n):
        out.append([i, 0])
    row = out.pop()
    row[0] = 3  # refused
    return out


def another_name_of_the_last(n):
    out, last = [], [0, 0]
    for i in range(n):
        last = [i, i]
        out.append(last)
    last[0] = 9
    return out


def another_name_that_a_round_changes(n):
    out, last = [], [0, 0]
    for i in range(n):
        last[0] = 5
        last = [i, i]
        out.append(last)
    return out


class Holder:
    """Holds a list."""


def an_attribute_that_is_the_last(n):
    out, holder = [], Holder()
    holder.last = [0, 0]
    for i in range(n):
        holder.last = [i, i]
        out.append(holder.last)
    holder.last[0] = 7
    return out


WRITTEN = "is an item of a list whose length depends on data, and it is written here"
NAMED = "is an item of a list whose length depends on data has another name"


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (appended_and_changed_by_each_round, WRITTEN),
        (appended_on_one_path_and_changed, WRITTEN),
        (an_item_from_before_the_loop, WRITTEN),
        (popped_and_changed, WRITTEN),
        (another_name_of_the_last, NAMED),
        (another_name_that_a_round_changes, WRITTEN),
        (an_attribute_that_is_the_last, NAMED),
    ],
)
def test_a_write_that_the_list_would_have_to_see_is_refused(sample, words):
    refuse(sample, I(3), match=words)


@pytest.mark.parametrize("sample", [read_and_changed, gone_through_and_changed])
def test_an_item_that_is_taken_out_is_written(sample):
    check(sample, (I(3),), (I(1),), (I(30),))


@pytest.mark.parametrize(
    "sample",
    [grown_in_a_try_and_written, grown_in_a_try_and_written_by_the_handler, in_a_dict_that_grows],
)
def test_a_write_after_a_path_on_which_the_list_grows_is_refused(sample):
    refuse(sample, X, match=WRITTEN)


def the_same_list(x):
    out = [[v, 1.0] for v in x if v > 0]
    return out[0] is out[0]  # refused


def the_same_dict(x):
    out = [{"v": v} for v in x if v > 0]
    first = out[0]
    return first is out[-1]  # refused


def the_same_tuple(x):
    out = [(v, 1.0) for v in x if v > 0]
    return out[0] is out[-1]  # refused


def the_same_array(x):
    out = [np.array([v, v]) for v in x if v > 0]
    return out[0] is not out[-1]  # refused


def one_that_was_put_in(x):
    out, row = [], [1.0, 2.0]
    for v in x:
        if v > 0:
            out.append(row)
    return out[0] is row  # refused


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        (the_same_list, "list"),
        (the_same_dict, "dict"),
        (the_same_tuple, "tuple"),
        (the_same_array, "array"),
        (one_that_was_put_in, "list"),
    ],
)
def test_whether_items_are_one_object_is_refused(sample, kind):
    refuse(sample, X, match=f"whether this is the same {kind} depends on data")


def test_other_objects_are_no_items():
    def others(x):
        out, other = [[v, 1.0] for v in x if v > 0], [1.0]
        first = out[0]
        return first is first, first is other, out[0] is None, other is not out

    assert check(others, (X,)).outcomes[0].value == (True, False, False, True)


def test_lists_of_the_callers_are_not_items():
    def kept(rows, n):
        out = []
        for row in rows:
            if n > 0:
                out.append(row)
        return out

    refuse(kept, [[1.0, 2.0], [3.0, 4.0]], I(1), match="existed before the call")


def one_row_each_time(x):
    row, rows = [0.5], []
    for _ in x:
        rows.append(row)
    return rows  # refused


def one_row_at_times(x):
    row, rows = [0.5], []
    for v in x:
        if v > 0:
            rows.append((v, row))
    return rows  # refused


def one_row_twice_each_time(x):
    rows = []
    for v in x:
        row = [v]
        if v > 0:
            rows.append(row)
            rows.append(row)
    return rows  # refused


def one_dict(x):
    record, found = {"a": 1.0}, []
    for v in x:
        if v > 0:
            found.append(record)
    return found  # refused


def one_row_under_keys(x):
    row, groups = [1.0], {}
    for v in x:
        groups[int(v)] = row
    return groups  # refused


def by_a_comprehension(x):
    row = [0.0]
    return [row for v in x if v > 0]  # refused


def given_back_itself(x):
    row, rows = [1.0], []
    if x[0] > 0:
        rows.append(row)
    return rows, row  # refused


@pytest.mark.parametrize(
    "sample",
    [one_row_each_time, one_row_at_times, one_row_twice_each_time, one_dict, one_row_under_keys,
     by_a_comprehension, given_back_itself],
)  # fmt: skip
def test_one_list_in_several_places_is_not_given_back_as_several(sample):
    refuse(sample, np.array([1.0, -2.0, 3.0]), match="is, or may be, in another place too")


def test_copies_of_one_list_are_several():
    def rows_of(x):
        row, rows = [0.5], []
        for v in x:
            if v > 0:
                rows.append(list(row))
        total = 0.0
        for r in rows:
            total += r[0]
        return rows, total

    assert ag.convert(rows_of)(np.array([1.0, -2.0, 3.0])) == ([[0.5], [0.5]], 1.0)


def put_away_and_kept(x):
    out, row = [], []
    for v in x:
        if v > 0:
            row.append(v)
        elif row:
            out.append(row)
    return out


def put_away_by_another_name(x):
    out, row = [], [x[0]]
    older = row
    if x[0] > 0:
        if x[1] > 0:
            out.append(row)
            row = []
        if x[2] > 0:
            out.append(older)
    row.append(5.0)
    return [list(one) for one in out], list(row)


@pytest.mark.parametrize("sample", [put_away_and_kept, put_away_by_another_name])
def test_a_list_that_may_have_been_put_away_is_not_written(sample):
    refuse(sample, np.array([1.0, 2.0, 3.0, -1.0]), match="is an item of a list|is changed here")
