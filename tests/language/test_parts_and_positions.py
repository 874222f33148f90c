"""Parts of arrays and positions in them, of which data says how many there are."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples

X = np.array([3.0, 1.0, -2.0, 0.5, 4.0, 2.5])
BY = ((X, np.int64(3)), (X, np.int64(2)), (X, np.int64(1)), (X, np.int64(4)), (X, np.int64(0)))
samples = Samples()


@samples("E1", *BY, (X, np.int64(-2)))
def equal_parts(x, n):
    total = 0.0
    for i, part in enumerate(np.split(x, n)):
        total = total + part.sum() ** 2 * i
    return total


@samples("E1", *BY, (X, np.int64(8)), (X, np.int64(-2)))
def nearly_equal_parts(x, n):
    parts = np.array_split(x, n)
    sizes = [part.size for part in parts]
    pairs = [(p * 2).sum() for p, q in zip(parts, reversed(parts)) if p.size == q.size]
    return len(parts), sizes, pairs, parts[-1], parts[n - 1].sum(), list(map(np.size, parts))


@samples("E1", *BY)
def unpacked(x, n):
    first, second, third = np.split(x, n)
    return first + second * third


@samples("E4", *BY[:4])
def written(x, n):
    parts = np.array_split(x, n)
    for i, part in enumerate(parts):
        part *= i + 1
    parts[0][0] = x[-1]
    return x, parts[0]


@samples("E1", *BY[:3])
def put_together(x, n):
    parts = np.split(x, n)
    if not parts or not isinstance(parts, list) or type(parts) is not list:
        return x, x, x
    return np.stack(parts), np.concatenate(list(parts)[::-1]), np.array(parts)


@samples("E1", *((np.stack([x, -x]), n) for x, n in BY[:3]))
def along_other_axes(x, n):
    wide = np.stack([x, x], 2)
    found = [part.shape for part in np.hsplit(x, n)], [p.shape for p in np.split(x, n, axis=-1)]
    return (
        found,
        [p.sum() for p in np.array_split(x, n, 0)],
        len(np.vsplit(wide.T, indices_or_sections=2)),
    )


@samples("E1", (X, np.array([2, 5])), (X, np.array([4, 1])), (X, np.array([-1, 9])))
def cut_at_positions_by_data(x, at):
    return np.split(x, at), np.array_split(x, at), np.split(x, [at[0], 3]), np.split(x, (at[1],))


@samples("E1", *((n,) for _, n in BY))
def functions_of_indices(n):
    def weighed(i, j, by=2.0):
        if n > 2:
            return i * by + j
        return i - j * by

    at = np.mask_indices(n, np.triu), np.mask_indices(3, np.tril, n - 2)
    return np.fromfunction(weighed, (n, 3)), np.fromfunction(weighed, (n, n), dtype=int, by=3), at


@samples("B4.10", (np.int64(3),), (np.int64(0),), (np.int64(-1),))
def positions(n):
    table = np.zeros((n, 2))
    for at in np.ndindex(table.shape):
        table[at] = sum(at)
    for i, j in np.ndindex(n, 2):
        table[i, j] *= 1 + j
    return table, [i * j for i, j in np.ndindex((2, n))]


@samples("B4.10", *BY[:3])
def numbered(x, n):
    total = 0.0
    for (i, j), v in np.ndenumerate(x.reshape(2, 3)[:, :n]):
        total = total + v * (i + 2 * j)
    return total


@samples("E1", *BY[:4])
def parts_given_back(x, n):
    return np.split(x, n), n


@samples("E1", *BY[:3])
def some_parts_given_back(x, n):
    parts = np.split(x, n)
    return parts[1:], parts[::-2], [p.sum() for p in np.array_split(x, n + 2)[-2:]], len(parts[:9])


@samples("E1", *((x,) for x in (X, np.sort(X) // 2, np.zeros(6))))
def parts_between_places(x):
    parts = np.split(x, np.flatnonzero(np.diff(x)) + 1)
    sums = [p.sum() for p in np.array_split(x, np.flatnonzero(x > 0))]
    for p in parts[1:]:
        p[0] -= 1
    return x, len(parts), [(p[-1:].sum(), p.size) for p in parts], sums, parts[0].mean()


def cut_lists(x, n):
    lists = [[x[0], x[1]], [x[2], x[3]]]
    found = []
    for cut in (np.split, np.hsplit, np.vsplit, np.dsplit, np.array_split):
        for where in (2, [1], n):
            try:
                found += [p + 0 for p in cut(lists, where)]
            except (AttributeError, ValueError) as error:
                found.append(str(error))
    return found


def test_of_lists_numpy_asks_for_a_shape():
    wanted, found = cut_lists(X, 2), ag.convert(cut_lists)(X, 2)
    assert [str(x) for x in found] == [str(x) for x in wanted]
    assert any("no attribute 'ndim'" in x for x in found if type(x) is str)

    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        ag.convert(lambda x, n: np.split([x[0], x[1]], n))(X, np.int64(2))

    with pytest.raises(ag.StagingError, match="cuts a list along another axis than the first"):
        ag.convert(lambda x: np.dsplit([[[x[0], x[1]]]], [1]))(X)


# Dtypes that do not hold the lengths of what is indexed.
SMALL = [(np.uint8(15), np.uint8(17)), (np.int8(-3), np.int8(19)), (np.uint16(3), np.int8(-4))]


@samples("E3", *SMALL, traces=len(SMALL))
def small_indices(i, j):
    numbers, text = list(range(300)), "abcdefghij" * 30
    numbers[i] = 7
    numbers[j] += 1
    numbers.insert(j, 5)
    found = numbers[i], tuple(numbers)[j], numbers.pop(i), text[i] + text[j], range(700)[j]
    del numbers[j]
    return found, numbers, list(enumerate([0.5, 1.5], i)), range(i + np.int64(400))[j]


@samples("E3", *((X, i, j) for i, j in SMALL), traces=len(SMALL))
def small_indices_of_lists_that_grow(x, i, j):
    found = []
    for v in x:
        if v > 0:
            for k in range(150):
                found.append(v * k)
    found[i] = x[0]
    found.insert(i, x[1])
    last, pairs = found.pop(j), [(v, k) for k, v in enumerate(found) if v > 1]
    return last, found[i], found[:i], found[j:], pairs[j]


test_parts = samples.test()


def smooth(x):
    total = 0.0
    for part in np.array_split(x, 2 + (x[0] > 0)):
        total = total + np.prod(part) ** 2
    return total


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_are_those_of_finite_differences(backend):
    step = 1e-6 * np.eye(len(X))
    for x in (X, -X):
        wanted = [(smooth(x + d) - smooth(x - d)) / 2e-6 for d in step]
        with config.backend.using(backend):
            np.testing.assert_allclose(ag.grad(ag.convert(smooth))(x), wanted, rtol=1e-5)
