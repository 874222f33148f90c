"""`np.nditer`: elements gone through one by one, where they are, and what is written into them (E1)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, refuse

X = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
LARGE = np.arange(30.0).reshape(5, 6) - 7
ONE = ((X,), (-X,))
samples = Samples()
# In eager code NumPy's own iterator goes through tensors: it does not write into them, and what it
# gives are arrays.


@samples("E1", *ONE, tensors=False)
def values(x):
    total, found = 0.0, []
    for v in np.nditer(x):
        total += v
        if v > 0:
            found.append(float(v))
        print(v, end=" ")
    return total, found, [str(v) for v in np.nditer(x)], max(np.nditer(x)), list(np.nditer(x[1]))


@samples("E1", *ONE, tensors=False)
def written(x):
    with np.nditer(x, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = 2 * v if v > 0 else -v
    it = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    it[0] = 7.0
    it.iternext()
    it[0][...] += 1
    return it.multi_index, it.operands[0] is x, it.value


@samples("E1", *ONE)
def indices(x):
    it = np.nditer(x, flags=["multi_index", "c_index"])
    total = 0.0
    for v in it:
        total += v * it.multi_index[0] + it.multi_index[1] + it.index**2
    by_columns = np.nditer(x, flags=["f_index"], order="F")
    pairs = [(float(v), by_columns.index) for v in by_columns]
    return total, pairs, it.finished, it.itersize, it.has_index


@samples("E1", *ONE, tensors=False)
def step_by_step(x):
    it = np.nditer(x, flags=["multi_index"])
    total = 0.0
    while not it.finished:
        i, j = it.multi_index
        total += x[i, j] * (i + 1) + it[0]
        it.iternext()
    it.reset()
    size = it.shape
    first, second = next(it), next(it)
    it.iterindex = 4
    return total, first, second, it.multi_index, [float(v) for v in it], size


@samples("E1", (LARGE,), (-LARGE,))
def best_of_many(x):
    best, where = -np.inf, None
    it = np.nditer(x, flags=["multi_index"])
    for v in it:
        if v * (40 - v) > best:
            best, where = v * (40 - v), it.multi_index
    for v in it:
        best += v
    return best, where


@samples("E5", (LARGE,), (-LARGE,), tensors=False)
def slopes(x):
    """The loop of many a course: finite differences by each element."""
    slope = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        at = it.multi_index
        old = x[at]
        x[at] = old + 0.5
        more = (x**2).sum()
        x[at] = old - 0.5
        less = (x**2).sum()
        x[at] = old
        slope[at] = more - less
        it.iternext()
    return slope


@samples("E1", (X, X[0]), (-X, X[1]), (X, -X[0]))
def of_several(x, y):
    out = np.zeros(x.shape)
    for a, b, c in np.nditer([x, y, out], op_flags=[["readonly"], ["readonly"], ["writeonly"]]):
        c[...] = a * b
    with np.nditer([x, None]) as it:
        for a, b in it:
            b[...] = a > 2
        made, count = it.operands[1], it.nop
    return out, made, sum(a * b for a, b in np.nditer([y, x[:, :1]], order="C")), count


@samples("E9", (X, np.int64(0)), (X, np.int64(1)), (X, np.int64(2)), (X, np.int64(3)))
def wrong(x, kind):
    it = np.nditer(x)
    try:
        if kind == 0:
            for v in it:
                v[...] = 1.0
        elif kind == 1:
            it[0] = 1.0
        elif kind == 2:
            return it.multi_index
        else:
            for v in it:
                x[0, 0] += v
            return it[0]
    except (ValueError, RuntimeError) as error:
        return str(error)


test_nditer = samples.test()


def squares(x):
    total = 0.0
    for a, b in np.nditer([x, x * 3], op_flags=["readonly"]):
        total = total + a * b if a > 0 else total - a
    return total


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_go_through_the_elements(backend):
    with config.backend.using(backend):
        found = ag.grad(ag.convert(squares))(X)
    np.testing.assert_allclose(found, np.where(X > 0, 6 * X, -1.0))


def test_of_arrays_that_do_not_lie_in_rows_the_order_is_that_of_memory():
    first = ag.convert(lambda x: [float(v) for v in np.nditer(x)])
    assert first(X) == X.ravel().tolist()
    for x in (np.asfortranarray(X), X[:, ::-1], X[0, ::-1]):
        assert first(x) == [float(v) for v in np.nditer(x)]
        assert ag.convert(lambda x: [float(v) for v in np.nditer(x, order="C")])(x) == [
            float(v) for v in np.nditer(x, order="C")
        ]


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda x: list(np.nditer(x.T)), "the order in which an array lies in memory"),
        (lambda x: list(np.nditer([x[0], x[:, :1]])), "an order that is up to arrays of several"),
        (lambda x: list(np.nditer(x, ["external_loop"])), "the flag 'external_loop'"),
        (lambda x: list(np.nditer(x, op_flags=["copy"])), "the flag 'copy'"),
        (lambda x: list(np.nditer(x, None, None, ["f4"])), "another dtype"),
        (lambda x: list(np.nditer(x, itershape=(2, 3))), "`itershape`"),
    ],
)
def test_other_ways_are_refused(function, match):
    refuse(function, X, match=match)
