"""Containers from outside that a function only puts into, where that depends on data (B2.26)."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import assert_equal, observe, refuse

F, I = np.float64, np.int64
X = np.array([1.0, 2.0, 3.0])
LOG = []
RECENT = collections.deque(maxlen=3)


class Solver:
    def __init__(self):
        self.history = []

    def step(self, x):
        if x > 0:
            self.history.append(("positive", x))
        else:
            self.history.append("negative")
            self.history.append(x)
        return x + 1.0


def in_a_handler(x, i):
    LOG.append("start")
    y = 0.0
    try:
        LOG.append("try")
        y = x[i] * 1.0
        LOG.append(y)
    except IndexError as error:
        LOG.append("failed")
        LOG.append(f"no: {error}")
    LOG.append(None)
    return np.float64(y)


def in_a_branch(x, i):
    if x.sum() > i:
        LOG.append("large")
    elif i > 100:
        LOG.append("i")
        LOG.append(i)
    return x


def in_a_loop(x, n):
    k = 0
    while k < n:
        if x[0] > k:
            LOG.append(k)
        k += 1
        LOG.append("round")
    return x


def before_an_error(x, i):
    LOG.append("before")
    if i > 1:
        LOG.append("large")
        raise ValueError(f"i is {i}")
    return x[i]


def in_a_bounded_queue(x, n):
    for k in range(n):
        RECENT.append(x[0] * k)
        RECENT.appendleft(k)
    return x


class Order:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        LOG.append(f"enter {self.name}")

    def __exit__(self, kind, error, traceback):
        LOG.append(("leave", self.name, kind is None))


def in_the_order_of_managers(x, i):
    with Order("a"), Order("b"):
        return x[i]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "sample",
    [
        in_a_handler, in_a_branch, in_a_loop, before_an_error, in_a_bounded_queue,
        in_the_order_of_managers,
    ],
)  # fmt: skip
def test_what_is_appended_is_there_after_each_call(sample, backend):
    function = ag.convert(sample)
    with config.backend.using(backend), config.check.using(True):
        for i in (1, 5, 0, 200):
            LOG.clear(), RECENT.clear()
            plain = observe(sample, (X, I(i)))
            expected = list(LOG), list(RECENT)
            LOG.clear(), RECENT.clear()
            got = observe(function, (X, I(i)))
            assert repr(got.error) == repr(plain.error)
            assert_equal(got.value, plain.value)
            assert_equal((list(LOG), list(RECENT)), expected)
    assert function.trace_count == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_list_in_an_object(backend):
    one, other = Solver(), Solver()
    step = ag.convert(one.step)
    with config.backend.using(backend):
        for x in (F(1), F(-1), F(2), F(-2)):
            assert step(x) == other.step(x)
    assert_equal(one.history, other.history)
    assert step.trace_count == 1


def test_tensors_are_appended_where_arguments_are_tensors():
    solver = Solver()
    ag.convert(solver.step)(ag.constant(F(-2.0)))
    assert solver.history[0] == "negative" and isinstance(solver.history[1], ag.Tensor)


@pytest.mark.parametrize("backend", BACKENDS)
def test_python_numbers_are_appended_as_they_are(backend):
    found = []

    def collect(x):
        for i, v in enumerate(x):
            if v < 0:
                found.append((i, float(v), v))
        return (x * x).sum()

    with config.backend.using(backend):
        ag.grad(ag.convert(collect))(-X)
    for i, number, element in found:
        assert type(i) is int and type(number) is float and type(element) is np.float64
    assert [(i, number) for i, number, _ in found] == [(0, -1.0), (1, -2.0), (2, -3.0)]


def looked_into(x):
    if x > 0:
        LOG.append(3.5)  # refused
    return len(LOG)


def changed_otherwise(x):
    if x > 0:
        LOG.append(3.5)  # refused
    LOG.clear()
    return x


@pytest.mark.parametrize("sample", [looked_into, changed_otherwise])
def test_a_list_that_is_looked_into_is_refused(sample):
    LOG[:] = ["start", None]
    refuse(sample, F(1), match="is appended to where that depends on data")


def texts_that_are_counted(x):
    if x > 0:
        LOG.append("positive")
    return len(LOG)


def test_a_list_of_texts_may_be_looked_into():
    converted = ag.convert(texts_that_are_counted)
    for number in (1.0, -1.0, 2.0, 3.0):
        LOG[:] = ["start", None]
        expected = texts_that_are_counted(F(number)), LOG[:]
        LOG[:] = ["start", None]
        assert (converted(F(number)), LOG) == expected
    assert converted.trace_count == 1


def an_array(x):
    if x[0] > 0:
        LOG.append(x)  # refused
        LOG.append("array")
    return x


def test_what_may_be_changed_later_is_not_appended():
    refuse(an_array, X, match="a list is appended to in a branch")


TABLE, SEEN = {}, set()


class Counts:
    def __init__(self):
        self.last, self.kinds = {}, set()

    def note(self, n, x):
        self.last[int(n)] = x
        self.last[f"n{n}"] = ("known", x)
        if x > 0:
            self.kinds.add("positive")
            TABLE["positive"] = float(x)
        SEEN.add((int(n), x > 0))
        return x + n


@pytest.mark.parametrize("backend", BACKENDS)
def test_keys_are_put_into_dicts_and_sets_from_outside(backend):
    calls = [(I(3), F(2)), (I(4), F(-3)), (I(3), F(5))]

    def left(note, counts):
        TABLE.clear()
        SEEN.clear()
        given = [note(*call) for call in calls]
        return given, counts.last, counts.kinds, dict(TABLE), set(SEEN)

    one, other = Counts(), Counts()
    note = ag.convert(one.note)
    with config.backend.using(backend):
        assert_equal(left(note, one), left(other.note, other))
    assert note.trace_count == 1


def kept_results(n):
    if n in TABLE:
        return TABLE[n]
    TABLE[n] = n * n  # refused
    return n * n


def test_a_dict_that_is_looked_into_is_refused():
    TABLE.clear()
    refuse(kept_results, I(3), match="a dict is put into where that depends on data, and it is lo")
