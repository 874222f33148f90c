"""Lists of lists indexed and written at positions that depend on data (B3.16)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, graph_of, refuse

F, I = np.float64, np.int64
POSITIONS = ((I(1), I(2)), (I(0), I(0)), (I(-1), I(-3)), (I(2), I(1)))
BEYOND = (*POSITIONS, (I(3), I(0)), (I(0), I(-4)))
A, B = np.array([1, 2, 3, 4, 2]), np.array([2, 3, 1, 2, 2])
STEPS = ((I(2),), (I(3),), (I(0),))
samples = Samples()


# ---- rows of one length --------------------------------------------------------------------------


@samples("B3.16", *BEYOND)
def written_and_read(i, j):
    grid = [[0] * 3 for _ in range(3)]
    grid[i][1] = 7
    grid[1][j] = 5
    grid[i][j] += 2
    return grid, grid[j][i], grid[-1][j]


@samples("B3.16", *BEYOND)
def displays(i, j):
    grid = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    grid[int(i)][int(j)] *= 10
    first, second, third = grid
    return first, second[0], sum(third), len(grid[i]), max(grid[i])


@samples("B3.16", *POSITIONS, joined=True)
def numbers_of_another_kind(i, j):
    grid = [[0] * 3 for _ in range(3)]
    grid[i][j] = 0.5
    grid[j][i] = True
    return grid, grid[i][j] * 2


@samples("B3.16", *POSITIONS)
def names_of_rows(i, j):
    grid = [[0] * 3 for _ in range(3)]
    top, other = grid[0], grid[i]
    other[j] = 5
    top[0] = 3
    grid[2][2] += other[j]
    other[-1] += 1
    return grid, top, other[0], other[1:]


@samples("B3.16", *POSITIONS)
def rows_that_are_one_list(i, j):
    row = [0] * 3
    grid = [row, [1, 2, 3], row]
    grid[i][j] = 5
    row[1] += 10
    return grid[0][0], grid[2][1], grid[1], row[2], grid[0] is grid[2]


@samples("B3.16", *POSITIONS)
def one_row_three_times(i, j):
    grid = [[0] * 3] * 3
    grid[i][j] = 5
    return grid[0][0], grid[1][1], grid[2][2]


@samples("B3.16", *POSITIONS)
def copies_stay(i, j):
    grid = [[0] * 3 for _ in range(3)]
    grid[i][j] = 1
    before = [row[:] for row in grid]
    one, two, three = list(grid[i]), grid[i].copy(), [*grid[i], 4]
    four = [9] + grid[i]
    four += grid[j]
    grid[i][j] = 8
    return before, one, two, three, four, grid


@samples("B3.16", *POSITIONS)
def shown(i, j):
    grid = [[0] * 3 for _ in range(3)]
    grid[i][j] = 1
    print(grid, f"{grid[i]} {grid!r}", str(grid[1]), "%s" % (grid[2],))
    return tuple(grid[i]), grid[i] == [0, 1, 0], 1 in grid[i]


@samples("B3.16", *POSITIONS)
def gone_through(i, j):
    grid = [[0] * 3 for _ in range(2)] + [[7, 8, 9]]
    grid[i][j] = 1
    total = 0
    for row in grid:
        for x in row:
            total = total * 3 + x
    for x, y in zip(grid[0], grid[i]):
        total += x * y
    return total, [max(row) for row in grid], [list(c) for c in zip(*grid)], np.array(grid)


@samples("B3.16", *POSITIONS)
def on_one_path(i, j):
    grid = [[0] * 3 for _ in range(3)]
    if i > 0:
        grid[0][0] = 4
        grid[i][j] = 1
    else:
        grid[i][j] = 2
        grid[1][1] = 6
    return grid


@samples("B3.16", *POSITIONS)
def inside_of_a_branch(i, j):
    best = 0
    if i > 0:
        grid = [[0] * 3 for _ in range(3)]
        grid[i][j] = 1
        grid[i][0] += 5
        best = grid[j][i] + grid[i][0]
    return best


@samples("B3.16", *POSITIONS)
def three_levels(i, j):
    cube = [[[0] * 3 for _ in range(3)] for _ in range(3)]
    cube[i][j][i] = 5
    cube[0][i][j] += 1
    cube[j][0][i] += cube[i][j][i]
    return cube, cube[i][1]


@samples("B3.16", *BEYOND)
def caught(i, j):
    grid = [[0] * 3 for _ in range(3)]
    try:
        grid[i][j] = 1
    except IndexError as error:
        print("no", error)
    return sum(map(sum, grid))


@samples("B3.16", ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], I(1), I(2)),
         ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], I(-1), I(0)))  # fmt: skip
def lists_of_the_callers(grid, i, j):
    grid[i][j] = 50
    grid[j][1] += 1
    return grid[i][j] + grid[0][0]


# ---- programs ------------------------------------------------------------------------------------


@samples("B3.16", (A, B), (B, A))
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    table = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[n][m]


@samples("B3.16", (A, B, I(5), I(4)), (A, B, I(3), I(5)), (A, B, I(0), I(2)))
def edit_distance(a, b, n, m):
    table = [[0] * 6 for _ in range(6)]
    for i in range(n + 1):
        table[i][0] = i
    for j in range(m + 1):
        table[0][j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
    return table[n][m], table


@samples("B3.16", *STEPS)
def game_of_life(steps):
    h, w = 5, 6
    grid = [[0] * w for _ in range(h)]
    for i, j in ((1, 2), (2, 3), (3, 1), (3, 2), (3, 3)):
        grid[i][j] = 1
    for _ in range(steps):
        new = [[0] * w for _ in range(h)]
        for i in range(h):
            for j in range(w):
                near = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            near += grid[(i + di) % h][(j + dj) % w]
                new[i][j] = 1 if near == 3 or (near == 2 and grid[i][j]) else 0
        grid = new
    return grid


MATRICES = (
    ([[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [2.0, -1.0]], I(2)),
    ([[1.5, 2.0], [3.0, -4.0]], [[0.5, 1.0], [2.0, -1.0]], I(1)),
)


@samples("B3.16", *MATRICES)
def product_of_matrices(a, b, n):
    c = [[0.0] * 2 for _ in range(2)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i][j] += a[i][k] * b[k][j]
    return c


@samples("B3.16", (np.array([2, 3, 4, 5]), np.array([3, 4, 5, 6]), I(5)),
         (np.array([1, 2, 3, 2]), np.array([3, 1, 5, 6]), I(7)))  # fmt: skip
def knapsack(weights, values, capacity):
    best = [[0] * 8 for _ in range(len(weights) + 1)]
    for i in range(1, len(weights) + 1):
        for c in range(capacity + 1):
            best[i][c] = best[i - 1][c]
            if weights[i - 1] <= c:
                best[i][c] = max(best[i][c], best[i - 1][c - weights[i - 1]] + values[i - 1])
    return best[len(weights)][capacity]


@samples("B3.16", *STEPS)
def triangle_of_pascal(n):
    rows = [[1] + [0] * 5 for _ in range(6)]
    for i in range(1, n + 2):
        for j in range(1, i + 1):
            rows[i][j] = rows[i - 1][j - 1] + rows[i - 1][j]
    return rows


# ---- rows of several lengths ---------------------------------------------------------------------


@samples("B3.16", *POSITIONS)
def ragged(i, j):
    rows = [[1, 2, 3, 4], [5, 6, 7], [8, 9, 10, 11, 12]]
    rows[i][j] = 0
    return rows, rows[i][j], len(rows[i]), sum(rows[i])


NUMBERS = ((np.array([1, 5, 2, 7, 4]),), (np.array([0, 3, 3, 3, 11]),))


@samples("B3.16", *NUMBERS, joined=True)
def buckets(x):
    found, scaled = [[] for _ in range(4)], [[1.0] for _ in range(3)]
    groups = {0: [], 1: []}
    for v in x:
        found[v % 4].append(v)
        scaled[int(v) % 3] += [v * 2.0]
        groups[int(v) % 2].append(int(v))
    return found, [sum(row) for row in scaled], groups


@samples("B3.16", *NUMBERS)
def stacks(x):
    piles = [[1, 2], [3], [4, 5, 6]]
    total = 0
    for v in x:
        pile = piles[v % 3]
        if pile:
            total += pile.pop()
    return total, piles


@samples("B3.16", (np.array([3, 1, 99, 3]),), (np.array([0, 0, 5, 70]),))
def a_long_list(x):
    counts = [0] * 100
    for v in x:
        counts[v] += 1
    first, *rest, last = counts
    print(counts[:3], rest[2])
    return (sum(counts), max(counts), [k for k, n in enumerate(counts) if n > 0], sorted(counts)[-1],
            list(counts), tuple(counts), any(counts), all(counts), max(*counts), first, last,
            dict(zip(range(100), counts)), {n for n in counts})  # fmt: skip


EDGES = (
    (np.array([[0, 1], [1, 2], [0, 3], [3, 4]]),),
    (np.array([[0, 4], [4, 2], [2, 3], [2, 1]]),),
)


@samples("B3.16", *EDGES)
def search_in_a_graph(edges):
    near = [[] for _ in range(5)]
    for u, v in edges:
        near[u].append(v)
        near[v].append(u)
    seen, stack, order = [False] * 5, [np.int64(0)], []
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for w in near[u]:
            if not seen[w]:
                stack.append(w)
    return order


@samples("B3.16", *STEPS)
def repeated_by_data(n):
    row = [1, 2] * n
    row += [0] * (n - 1)
    total = 0
    for x in row:
        total = total * 2 + x
    return row, total


@samples("B3.16", *STEPS)
def names_of_lists_repeated_by_data(n):
    pair, found, named = (2 * n, n), [], ["a", "bc"]
    for i in range(n):
        found.append((i, str(i) * n))
    same = base = [1, 2]
    base *= n
    base.append(7)
    found *= 2
    return pair * n, n * found, [0, *[i for i, _ in found]] * n, named * n, same, same is base


@samples("B3.16", (np.array([2.0, 0.5]),), (np.array([-1.0, 3.0]),))
def a_list_times_an_array_in_place(x):
    same = weights = [1.0, 2.0]
    weights *= x
    return weights, same


@samples("B3.16", (A,), (B,), joined=True)
def lists_in_a_dict_at_texts(a):
    groups = {"low": [0], "high": []}
    for v in a:
        groups["low" if v < 3 else "high"].append(v)
        name = "high" if v > 3 else "low"
        groups[name] += [v * 10]
        if len(groups[name]) > 2:
            groups[name].pop(0)
    return groups, {k: sum(found) for k, found in groups.items()}


test_table = samples.test()


# ---- gradients, and what is refused --------------------------------------------------------------


def weighted(x, n):
    table = [[x, 1.0, 0.0], [0.0, x * x, 2.0]]
    for i in range(n):
        table[i % 2][i] = table[(i + 1) % 2][i] * x + table[i % 2][0]
    return table[0][0] + table[1][1] + table[0][2]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_gradients_flow_through_tables(n):
    step = 1e-6
    expected = (weighted(1.5 + step, n) - weighted(1.5 - step, n)) / (2 * step)
    for backend in BACKENDS:
        with config.backend.using(backend):
            found = ag.grad(ag.convert(weighted))(F(1.5), I(n))
        assert np.isclose(found, expected, rtol=1e-6), backend


def test_a_table_is_one_array_of_the_graph():
    function = ag.convert(longest_common_subsequence)
    function(A, B)
    inner = [node for node in graph_of(function).walk() if node.op.name == "while"]
    assert len(inner) == 0 or all(len(node.inputs) < 12 for node in inner)
    long = np.arange(40) % 7
    again = ag.convert(longest_common_subsequence)
    assert again(long, long[::-1]) == longest_common_subsequence(long, long[::-1])
    assert len(list(graph_of(again).walk())) < 200


def a_row_is_made_shorter(i):
    grid = [[0] * 3 for _ in range(3)]
    row = grid[i]
    del row[0]
    return grid


def a_list_repeated_by_data(n):
    return [[0]] * n  # refused


def a_row_is_an_item(n):
    grid, found = [[0] * 3 for _ in range(3)], []
    for i in range(n):
        found.append(grid[i])
        grid[i][0] = 5  # refused
    return found


def a_copy_by_an_operator(i):
    grid = [[0] * 3 for _ in range(3)]
    grid[i][0] = 1
    row = grid[i]
    longer = row + row
    grid[i][0] = 2
    return longer[0]  # refused


def text_in_a_table(i):
    grid = [[0] * 3 for _ in range(3)]
    grid[i][i] = 1
    grid[i][0] = "a"  # refused
    return grid


def one_of_the_callers(grid, i):
    return grid[i]


REFUSED = [
    (a_row_is_an_item, (I(2),), "is an item of a list whose length depends on data"),
    (a_copy_by_an_operator, (I(1),), "was made by an operator"),
    (a_list_repeated_by_data, (I(2),), "would be there several times"),
    (text_in_a_table, (I(1),), "str"),
]


@pytest.mark.parametrize(("sample", "args", "match"), REFUSED, ids=[r[0].__name__ for r in REFUSED])
def test_what_a_table_cannot_do_is_refused_at_its_line(sample, args, match):
    refuse(sample, *args, match=match)


def held_by_a_function_of_one_path(i, j):
    if j > 0:
        rows = {"p": [-i, i], "q": [i, j]}
        rows[("p", "q")[i]][-2] = rows["p"][1]

        def read():
            return sum(rows["p"]) * 10 + sum(rows["q"])

    return read() if j > 0 else i


@pytest.mark.parametrize(
    ("sample", "cases"),
    [
        (held_by_a_function_of_one_path, ((I(1), I(2)), (I(0), I(2)), (I(0), I(-2)), (I(2), I(1)))),
        (a_row_is_made_shorter, ((I(1),), (I(0),))),
        (one_of_the_callers, (([[1, 2], [3, 4]], I(1)), ([[1, 2], [3, 4]], I(0)))),
    ],
)
def test_a_row_is_the_very_list(sample, cases):
    check(sample, *cases)
