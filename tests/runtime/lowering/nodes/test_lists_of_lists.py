"""Lists and dicts of lists, of lengths that data gives, natively: next to plain Python."""

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native.prepared import Native

INT = np.int64
RNG = np.random.default_rng(0)


def neighbours(n, one, other):
    found = [[] for _ in range(n)]
    for i, j in zip(one, other, strict=True):
        found[i].append(j)
        found[j].append(i)
    return found


def distances(n, one, other):
    """A search through a graph, in breadth."""
    edges = [[] for _ in range(n)]
    for i, j in zip(one, other, strict=True):
        edges[i].append(int(j))
    far = [-1] * n
    far[0] = 0
    todo = [0]
    for u in todo:
        for v in edges[u]:
            if far[v] < 0:
                far[v] = far[u] + 1
                todo.append(v)
    return np.array(far)


def groups(keys, values):
    found = {}
    for k, v in zip(keys, values, strict=True):
        found.setdefault(int(k), []).append(v)
    return found, {k: sum(v) / len(v) for k, v in found.items()}


def pascal(n):
    rows = [[1]]
    for i in range(1, n):
        row = [1]
        for j in range(1, i):
            row.append(rows[i - 1][j - 1] + rows[i - 1][j])
        row.append(1)
        rows.append(row)
    return rows


def buckets(x, n):
    parts = [[] for _ in range(n)]
    for v in x:
        parts[min(int(v * n), n - 1)].append(v)
    out = []
    for part in parts:
        out.extend(sorted(part))
    return np.array(out)


def moving(x, n):
    """Rows leave at the front, and later ones are longer: the first one moves on in memory."""
    rows, total = [[0.0]], 0.0
    for i in range(n):
        rows.append([x[0]] * (i % 7))
        if i % 11 == 0:
            rows[-1].append(x[1])
        if len(rows) > 5:
            rows.pop(0)
        if i == 150:
            rows[2].extend([x[2]] * 9)
        total += sum(rows[0]) + len(rows[-1])
    return rows, total


def longer_on_one_path(x, n):
    """Of two ways one makes the rows longer, the other leaves some out."""
    rows = [[v] for v in x]
    for i in range(n):
        if x[i] > 0:
            rows.insert(1, [x[i]] * (i % 4))
        else:
            rows = rows[1:]
    return rows, max(len(row) for row in rows), rows[-1]


def pairs(x, n):
    """Rows whose items are tuples."""
    rows = [[(0, 0.0)]]
    for i in range(n):
        if i % 3 == 0:
            rows.append([])
        rows[-1].append((i, x[i]))
    return rows, [sum(v for _, v in row) for row in rows]


def older(x, n):
    """The rows as they were are looked at after they were made longer."""
    rows = [[v] for v in x]
    before = [row[:] for row in rows]
    for i in range(n):
        rows[i % len(rows)].append(x[i] * 2)
        before = before + [rows[i % len(rows)][:]]
    return rows, before


def exchanged(x, n):
    """Two lists of rows change places."""
    one, other = [[x[0]]], [[x[1], x[1]]]
    for i in range(n):
        one, other = [row[:] for row in other], [row[:] for row in one]
        one.append([x[i]])
        other.append([x[i]] * (i % 4))
    return one, other


def caught(x, n):
    """What a `try` had written is there behind it."""
    rows = [[v, v] for v in x]
    total = 0.0
    for i in range(n):
        rows.append([x[i]] * (i % 5))
        try:
            total += rows[-1][2]
        except IndexError:
            total -= 1.0
    return rows, total


VALUES = np.array([1.5, -2.0, 0.5, 3.0, -0.25, 2.0])
SAMPLES = [
    (neighbours, [(INT(9), RNG.integers(0, 9, 40), RNG.integers(0, 9, 40)),
                  (INT(9), RNG.integers(0, 2, 40), RNG.integers(8, 9, 40))]),
    (distances, [(INT(30), RNG.integers(0, 30, 50), RNG.integers(0, 30, 50)),
                 (INT(30), np.arange(50) % 29, np.arange(50) % 29 + 1)]),
    (groups, [(RNG.integers(-5, 5, 60), RNG.normal(size=60)),
              (np.zeros(60, INT), RNG.normal(size=60)), (np.arange(60), RNG.normal(size=60))]),
    (pascal, [(INT(12),), (INT(1),), (INT(0),), (INT(40),)]),
    (buckets, [(RNG.random(50), INT(7)), (RNG.random(50), INT(1)), (np.zeros(50), INT(30))]),
    (moving, [(VALUES, INT(300)), (VALUES, INT(0)), (VALUES, INT(3))]),
    (longer_on_one_path, [(VALUES, INT(6)), (-VALUES, INT(6)), (VALUES, INT(0))]),
    (pairs, [(VALUES, INT(6)), (VALUES, INT(1)), (VALUES, INT(0))]),
    (older, [(VALUES, INT(6)), (VALUES, INT(0)), (VALUES, INT(2))]),
    (exchanged, [(VALUES, INT(6)), (VALUES, INT(5)), (-VALUES, INT(6))]),
    (caught, [(VALUES, INT(6)), (VALUES, INT(2))]),
]  # fmt: skip


def same(found, expected):
    """Equal; a number that is Python's or NumPy's by data is joined in graphs."""
    if isinstance(expected, dict):
        assert type(found) is dict
        same(list(found.items()), list(expected.items()))
    elif isinstance(expected, list | tuple):
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("sample", "cases"), SAMPLES, ids=lambda x: getattr(x, "__name__", ""))
def test_rows_become_longer_natively_as_in_python(sample, cases):
    function = ag.convert(sample)
    for case in cases:
        same(function(*case), sample(*case))
    run = function.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    assert function.trace_count == 1


@pytest.mark.parametrize(("sample", "cases"), SAMPLES, ids=lambda x: getattr(x, "__name__", ""))
def test_the_reference_gives_the_same(sample, cases):
    with config.backend.using("reference"):
        function = ag.convert(sample)
        for case in cases:
            same(function(*case), sample(*case))


def test_rows_are_made_longer_in_their_own_memory():
    function = ag.convert(neighbours)
    function(*SAMPLES[0][1][0])
    text = function.traces()[-1].lower("kernels")
    assert "reserve spare" in text and "python call" not in text


def weighted(x, n):
    """A sum over rows that data makes longer, for gradients."""
    rows = [[] for _ in range(3)]
    for i in range(n):
        rows[i % 3].append(x[i] * x[i])
        if x[i] > 0:
            rows[0].append(x[i] * 3.0)
    return sum(rows[0]) * 2.0 + sum(len(row) * sum(row) for row in rows)


def test_gradients_go_through_rows_of_several_lengths():
    def plain(x):
        return weighted(x, INT(6))

    found = ag.grad(ag.convert(plain))(VALUES)
    step = 1e-6
    for k in range(len(VALUES)):
        moved = np.zeros(6)
        moved[k] = step
        slope = (plain(VALUES + moved) - plain(VALUES - moved)) / (2 * step)
        np.testing.assert_allclose(found[k], slope, rtol=1e-6)
