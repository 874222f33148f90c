"""Lists of lists, and dicts of lists, of which each is as long as data says (E4)."""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([3.0, 1.0, -2.0, 2.0, 5.0, -1.0, 4.0])
ENDS = np.array([-1.0, 2.0, -3.0, -4.0, 1.0, 1.0, -5.0])
THREE = ((X,), (-X,), (ENDS,))
K = np.array([1, 2, 1, 3, 2, 1, 0])
NUMBERS = ((I(4),), (I(0),), (I(1),), (I(7),))
samples = Samples()


def runs_of(x):
    """What stands between negative numbers."""
    runs, now = [], []
    for v in x:
        if v < 0:
            runs.append(now)
            now = []
        else:
            now.append(v)
    runs.append(now)
    return runs


# ---- as arrays -----------------------------------------------------------------------------------


def products(x, n):
    rows = []
    for v in x:
        row = []
        for i in range(n):
            row.append(v * i)
        rows.append(row)
    return rows


@samples("E4", (X, I(3)), (X, I(0)), (X, I(1)))
def lists_of_one_length_as_arrays(x, n):
    rows = products(x, n)
    return np.array(rows), np.stack(rows), np.stack(rows, axis=1), np.array(rows, dtype=np.float32)


@samples("E4", (X, I(3)), (X, I(1)))
def arrays_of_what_was_kept_of_longer_lists(x, n):
    rows = []
    for v in x:
        row = [v]
        while len(row) < n or (v < 0 and len(row) < n + 2):
            row.append(row[-1] * 2)
        rows.append(row)
    rows = [row for row in rows if len(row) == n]
    found = np.array(rows)
    rows.pop()
    return found, np.array(rows), np.mean(rows, axis=0), np.array(rows) @ np.ones(len(rows[0]))


@samples("E4", (I(4), I(3)), (I(2), I(5)))
def lists_of_lists_of_lists_as_arrays(n, m):
    cube = []
    for i in range(n):
        plane = []
        for j in range(m):
            line = []
            for k in range(n):
                line.append(i * j + k)
            plane.append(line)
        cube.append(plane)
    return np.array(cube), np.asarray(cube).sum(axis=(0, 1)), np.array(cube)[1, :, 0]


@samples("E4", (I(4), I(3)), (I(2), I(5)))
def lists_of_tuples_as_arrays(n, m):
    rows = []
    for i in range(n):
        rows.append([(i, j, i * j) for j in range(m)])
    return np.array(rows), np.array(rows)[1, :, 2]


@samples("E4", (X, I(3)), (np.abs(X), I(3)), (X, I(1)))
def lists_of_several_lengths_are_no_array(x, n):
    rows = products(x, n)
    for k in range(len(x)):
        if x[k] < 0 and n > 2:
            rows[k].pop()
    try:
        np.stack(rows)
    except ValueError as error:
        print(error)
    return np.array(rows)


@samples("E4", (I(2),), (I(3),))
def deeper_lists_of_several_lengths_are_no_array(n):
    cube = []
    for i in range(n):
        cube.append([[i + j] * (1 + j // 2) for j in range(n)])
    return np.array(cube)


@samples("E4", (I(4), I(3)), (I(4), I(300)))
def numbers_of_lists_must_fit(n, m):
    rows = []
    for i in range(n):
        row = []
        for j in range(3):
            row.append(int(m) + i * j)
        rows.append(row)
    return np.array(rows, dtype=np.int8)


@samples("E4", (I(4), I(3), I(1)), (I(4), I(300), I(1)), (I(4), I(300), I(0)))
def numbers_of_lists_that_all_turn_out_to_be_of_one_length(n, m, c):
    rows, pairs = [], []
    for i in range(n):
        rows.append([int(m) + j for j in range(n) if c > 0])
        pairs.append([(int(m), 1.5) for j in range(n)])
    return np.array(rows, dtype=np.int8), np.array(pairs, dtype=np.int16)


@samples("E4", (I(3),), (I(1),))
def empty_lists_as_an_array(n):
    rows, outer = [], []
    for i in range(n):
        rows.append([])
        outer.append([[] for _ in range(n)])
    return np.array(rows), np.array(outer)


@samples("E4", (I(3), X), (I(1), X))
def tuples_of_tuples_and_of_arrays(n, x):
    pairs, arrays = [], []
    for i in range(n):
        pairs.append(((i, x[i]), (x[i + 1], 2)))
        arrays.append([x[:3] * i, x[2:5]])
    return np.array(pairs), np.array(arrays)[:, 1], np.stack(arrays).shape


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_go_through_arrays_of_lists(backend):
    def loss(x, n):
        made = np.array(products(x * x, n))
        return (made**2).sum() + made[2, 1]

    with config.backend.using(backend):
        found = ag.grad(ag.convert(loss))(X, I(3))
    steps = 1e-6 * np.eye(len(X))
    slopes = [(loss(X + step, 3) - loss(X - step, 3)) / 2e-6 for step in steps]
    np.testing.assert_allclose(found, slopes, rtol=1e-6)


def test_no_lists_are_no_array():
    with pytest.raises(ValueError, match="an empty list gives an array of one axis"):
        ag.convert(lambda x, n: np.array(products(x[x > n], n)))(X, I(9))


# ---- made ----------------------------------------------------------------------------------------


@samples("E4", *THREE)
def split(x):
    return runs_of(x)


@samples("E4", *NUMBERS)
def triangle(n):
    rows = []
    for i in range(n):
        rows.append([k for k in range(i)])
    return rows


@samples("E4", *NUMBERS)
def pascal(n):
    rows = [[1]]
    while len(rows) < n:
        last, row = rows[-1], [1]
        for i in range(len(last) - 1):
            row.append(last[i] + last[i + 1])
        row.append(1)
        rows.append(row)
    return rows


@samples("E4", (I(12),), (I(30),), (I(2),))
def factors(n):
    found = []
    for number in range(2, n):
        own, p, rest = [], 2, number
        while rest > 1:
            if rest % p == 0:
                own.append(p)
                rest //= p
            else:
                p += 1
        found.append(own)
    return found, [len(own) for own in found], [own for own in found if len(own) == 1]


@samples("E4", *NUMBERS)
def three_deep(n):
    out = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append([k * 2 for k in range(j)])
        out.append(row)
    return out, sum(len(own) for row in out for own in row)


@samples("E4", *NUMBERS)
def of_two_lengths(n):
    out = []
    for i in range(n):
        out.append([i] if i < 1 else [i, i])
    return out


@samples("E4", *THREE)
def of_tuples_and_none(x):
    pairs, nothing = [], []
    for k, v in enumerate(x):
        own, none = [], []
        for w in x[:k]:
            if w > v:
                own.append((w, k, "a"))
            else:
                none.append(None)
        pairs.append(own)
        nothing.append(none)
    return pairs, nothing


@samples("E4", *THREE, joined=True)
def of_arrays(x):
    out = []
    for v in x:
        own = []
        if v > 0:
            own.append(np.array([v, v * 2]))
        out.append(own)
    return [sum(a.sum() for a in own) for own in out]


@samples("E4", *THREE)
def beside_other_things(x):
    records, pairs = [], []
    for k, v in enumerate(x):
        later = [w for w in x if w > v]
        records.append({"value": v, "later": later})
        pairs.append((k, later, v))
    return records, pairs, [p[1] for p in pairs if p[2] > 0]


# ---- read ----------------------------------------------------------------------------------------


@samples("E4", *THREE, joined=True)
def gone_through(x):
    total = 0.0
    for k, run in enumerate(runs_of(x)):
        for v in run:
            total += v * (k + 1)
        if not run:
            total -= 1
    return total, [bool(run) for run in runs_of(x)]


@samples("E4", *THREE, joined=True)
def asked(x):
    runs = runs_of(x)
    last = runs[-1]
    return (
        len(runs), runs[0], last, [sum(run) for run in runs], [len(run) for run in runs if run],
        runs[0] == last, [[v * 2 for v in run] for run in runs], [np.mean(r) for r in runs if r],
    )  # fmt: skip


@samples("E4", *THREE)
def ordered(x):
    runs = runs_of(x)
    return max(runs, key=len), sorted(runs, key=len), min(len(run) for run in runs), runs[::-1]


@samples("E4", *THREE, joined=True)
def put_together(x):
    runs = runs_of(x)
    return sum(runs, []), runs + runs[1:], runs * 2, [*runs, runs[0]], [v for r in runs for v in r]


@samples("E4", *THREE, joined=True)
def copied(x):
    runs = runs_of(x)
    copies = [run[:] for run in runs]
    others = []
    for run in runs:
        own = list(run)
        own.append(own[-1] if own else x[0])
        others.append(own)
    return copies, others, runs


@samples("E4", *NUMBERS)
def printed(n):
    rows = []
    for i in range(n):
        rows.append([k * 2 for k in range(3) if k < i])
    print(rows, f"{rows[-1:]}")
    return f"{len(rows)} rows"


@samples("E4", *THREE)
def chosen(x):
    runs = runs_of(x)
    one = runs[0] if x[0] > 0 else runs[-1]
    return one, len(one)


# ---- changed -------------------------------------------------------------------------------------


@samples("E4", *THREE)
def set_and_taken_out(x):
    runs = runs_of(x)
    before = runs[0]
    runs[0] = [x[1], x[0], x[1], x[0], x[1]]
    runs.append([])
    runs.insert(1, [x[2]])
    runs.reverse()
    last = runs.pop()
    first = runs.pop(0)
    del runs[0]
    runs += [[x[0]]]
    return before, last, first, runs


@samples("E4", *THREE)
def a_stack_of_paths(x):
    stack, found = [[x[0]]], []
    while stack:
        path = stack.pop()
        if len(path) >= 3:
            found.append(path)
        else:
            stack.append([*path, x[1]])
            if x[1] > 0:
                stack.append(path + [x[2]])
    return found


@samples("E4", *THREE)
def a_queue_of_paths(x):
    queue, found = deque([[0]]), []
    while queue:
        path = queue.popleft()
        if len(path) == 3:
            found.append(path)
            continue
        for k in range(2):
            if x[k] > 0 or k == 0:
                queue.append(path + [k])
    return found


@samples("E4", *THREE)
def still_the_users_list(x):
    runs, row = runs_of(x), [x[0]]
    runs.append(row)
    row.append(x[1])
    return runs


# ---- in dicts ------------------------------------------------------------------------------------


@samples("E4", (K,), (K[::-1].copy(),), (np.zeros(7, int),), joined=True)
def groups(k):
    found = {}
    for place, key in enumerate(k):
        key = int(key)
        found[key] = found.get(key, []) + [place]
    return found, {key: sum(own) for key, own in found.items()}, list(found.values())


@samples("E4", (K,), (K[::-1].copy(),), (np.zeros(7, int),))
def groups_that_are_made(k):
    found = defaultdict(list)
    for place, key in enumerate(k):
        found[int(key)] = found[int(key)] + [place]
    return found, len(found), {key: len(own) for key, own in found.items() if len(own) > 1}


@samples("E4", (K,), (K[::-1].copy(),))
def groups_asked_first(k):
    found = {}
    for place, key in enumerate(k):
        key = int(key)
        if key not in found:
            found[key] = []
        found[key] = [place, *found[key]]
    return found, found.pop(1), found


@samples("E4", (X,), (-X,), (np.array([2.0, 6.0, -1.0, 0.0, 1.0, 0.0, 1.0]),), (ENDS,))
def given_back_from_a_loop_or_after_it(x):
    rows = [[0.5], [0.5, 1.5]]
    for v in x:
        if v < 0:
            break
        rows = [[*row, float(v)] for row in rows]
        for row in rows:
            if v > 5:
                return rows
    rows.insert(0, [float(x[0]), float(x[1])])
    return rows


@samples("E4", (np.int64(0),), (np.int64(1),), (np.int64(6),))
def pascals_triangle(n):
    rows = []
    for i in range(n):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = rows[i - 1][j - 1] + rows[i - 1][j]
        rows.append(row)
    return rows


@samples("E4", (np.int64(1),), (np.int64(6),))
def rows_that_grow_of_the_last(n):
    rows = []
    for i in range(n):
        row = [1]
        for j in range(1, i):
            row.append(rows[i - 1][j - 1] + rows[i - 1][j])
        if i > 0:
            row.append(1)
        rows.append(row)
    return rows[-1], sum(rows[n // 2])


earlier: list[int] = []


def of_a_captured_list(k):
    try:
        return earlier[k]
    except IndexError:
        return -1


def test_a_captured_list_that_is_no_longer_empty_is_looked_at_again():
    f = ag.convert(of_a_captured_list)
    try:
        assert f(np.int64(0)) == -1
        earlier.append(5)
        assert f(np.int64(0)) == 5
    finally:
        earlier.clear()


test_ragged_lists = samples.test()


def total_of_products(x):
    rows = []
    for i in range(len(x)):
        row = []
        for j in range(i):
            if x[j] > 0:
                row.append(x[j] * x[i])
        rows.append(row)
    total = 0.0
    for row in rows:
        for v in row:
            total += v * v * len(row)
    return total


@pytest.mark.parametrize("backend", sorted(BACKENDS))
def test_gradients(backend):
    step = 1e-6 * np.eye(len(X))
    expected = [(total_of_products(X + e) - total_of_products(X - e)) / 2e-6 for e in step]
    with config.backend.using(backend):
        value, gradient = ag.value_and_grad(ag.convert(total_of_products))(X)
    assert value == total_of_products(X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)


def test_they_are_kept_in_arrays_and_in_loops_of_the_graph():
    found = check(split, *THREE)
    assert any(node.op.name == "while" for node in found.graph.nodes)
    assert not found.unsaved


# ---- a write would have to be seen in the list ---------------------------------------------------


def written(x):
    runs = runs_of(x)
    runs[0].append(9.0)  # refused
    return runs


def set_within(x):
    runs = runs_of(x)
    first = runs[0]
    first[0] = 9.0  # refused
    return runs


def one_list_in_each_round(x):
    row, runs = [], []
    for v in x:
        if v > 0:
            row.append(v)  # refused
        else:
            runs.append(row)
    return runs


def added_to_a_group(k):
    found = defaultdict(list)
    for place, key in enumerate(k):
        found[int(key)].append(place)
    return found


@pytest.mark.parametrize(
    ("sample", "argument"),
    [
        (written, X),
        (set_within, X),
        (one_list_in_each_round, X),
    ],
)
def test_writes_are_refused(sample, argument):
    refuse(sample, argument, match=r"set the item anew \(`d\[k\] = d\[k\] \+ \[x\]`\)")


def test_a_group_is_added_to():
    check(added_to_a_group, (K,), (K[::-1],))


def identity(x):
    runs = runs_of(x)
    return runs[0] is runs[-1]  # refused


def sought(x):
    return [1.0] in runs_of(x)  # refused


def compared(x):
    return runs_of(x) == [[1.0], []]  # refused


def sorted_by_items(x):
    return sorted(runs_of(x))  # refused


def deeper_in_each_round(x):
    nest = []
    for v in x[x > 0]:
        nest = [nest]  # refused
    return nest


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (identity, "whether this is the same list depends on data"),
        (sought, "which are lists of several lengths, are compared"),
        (compared, "it is in a list that is compared"),
        (sorted_by_items, "its items are no numbers"),
        (deeper_in_each_round, "`nest` holds lists in lists, 8 deep or more"),
    ],
)
def test_questions_that_no_graph_answers_are_refused(sample, words):
    refuse(sample, X, match=words)


def taken_on_one_way_through_a_try(x):
    runs = runs_of(x)
    now = runs[0]
    try:
        if x[0] > 0.5:
            raise ValueError
        now = runs[1]
    except ValueError:
        pass
    now.append(9.0)  # refused
    return runs


def test_an_item_that_a_try_left_is_not_written():
    refuse(taken_on_one_way_through_a_try, np.array([0.1, 0.4, 0.2, 0.3]), match="would not see")
