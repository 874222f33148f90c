"""What NumPy makes of containers, texts and objects that data decides, in calls and beside `==`."""

from __future__ import annotations

import collections
from typing import NamedTuple

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import check

CASES = [(np.array([s * 2.0, t * 1.75, 1.25]),) for s in (1, -1) for t in (1, -1)]


class Pair(NamedTuple):
    first: object
    second: object


class Thing:
    def __init__(self, v):
        self.v = v


def namedtuples_for_ufuncs(a):
    r = Pair(a[0], float(a[1]))
    if a[0] < 0:
        r = Pair(a[1], 2.0)
    return np.add(r, 1), np.maximum(r, [r, (0.0, 1.0)]), np.stack([r, r]), np.sum(r), np.hypot(*r)


def deques_for_ufuncs(a):
    r = collections.deque([a[0], 1.0])
    return np.add(r, 1), np.stack([r, r]), np.clip(a[:2], a_min=r, a_max=None)


def scalars_of_text(a):
    r = "s" if a[0] < 0 else "t"
    t = ""
    for x in a:
        if x < 0:
            t += "s"
    return np.isscalar(r), np.isscalar(t), np.isscalar(f"{a[0]}")


def options_by_data(a):
    r = "edge" if a[0] < 0 else "wrap"
    return np.pad(a, 1, mode=r), np.sort(a, kind="stable" if a[1] < 0 else "quicksort")


def compared_with_an_array(a):
    r = {}
    s = set()
    t = ""
    for x in a:
        if x < 0:
            r[int(x)] = 2.0
            s.add(float(x))
            t += f"{x};"
    late = f"{a[0]}"
    return a == r, r != a, s == a, a != s, t == a, a != t, late == a, a != late


def objects_beside_an_array(a):
    r = next((Thing(x) for x in a if x < 0), None)
    n = None
    if a[0] < 0:
        n = a[1] * 1.0
    return r == a, a != r, n == a, a != n


def none_or_a_tuple_beside_an_array(a):
    r = None
    if a[0] < 0:
        r = (a[1], 1.0, 1.25)
    return a == r, r != a


OLDER = collections.deque([1.0, 2.0, 3.0])


def kept(a):
    found = []
    for x in a:
        if x > -2:
            found.append(x * 2)
    return found


def grown_lists_beside_arrays(a):
    found = kept(a)
    doubled = a[: len(found)] * 1.0
    doubled -= found
    first = a[: len(found)]
    return (
        first + found, found * first, first > found, found == first, first @ found, a[0] + found,
        2.0 ** first / found, tuple(found) - first, doubled,
    )  # fmt: skip


def arrays_and_lists_of_other_lengths(a):
    return a + kept(a)


def deques_beside_arrays(a):
    found = collections.deque()
    for x in a:
        if x > 0:
            found.append(x)
    first = a[: len(found)]
    known = collections.deque([a[0], 2.0, 3.0])
    return first - found, found == first, a * known, OLDER - a, a <= OLDER


def a_deque_in_place(a):
    known = collections.deque([1.0, 2.0, 3.0])
    a += known
    return a.sum()


@pytest.mark.parametrize(
    "sample",
    [grown_lists_beside_arrays, arrays_and_lists_of_other_lengths,
     deques_beside_arrays, a_deque_in_place, namedtuples_for_ufuncs, deques_for_ufuncs, scalars_of_text, options_by_data,
     compared_with_an_array, objects_beside_an_array,
     none_or_a_tuple_beside_an_array],
)  # fmt: skip
def test_numpy_has_what_data_decides_as_python_does(sample):
    check(sample, *CASES)


def sought_in_a_list_with_an_array(a):
    r = next((Thing(x) for x in a if x < 0), None)
    return r in [a]


def numbers_for_dtypes(a):
    r = 0.0
    if a[0] < 0:
        r = float(a[1])
    return a.astype(r)


def arrays_for_dtypes(a):
    r = a
    if a[0] < 0:
        r = a[:2]
    return np.zeros(3, dtype=r)


@pytest.mark.parametrize(
    "sample", [sought_in_a_list_with_an_array, numbers_for_dtypes, arrays_for_dtypes]
)
def test_what_python_refuses_raises_what_python_raises(sample):
    for case in CASES:
        raised = []
        for function in (sample, ag.convert(sample)):
            with pytest.raises((TypeError, ValueError)) as found:
                function(*case)
            raised.append(found.type)
        assert raised[0] is raised[1]


def text_that_a_loop_makes(a):
    t = ""
    for x in a:
        if x < 0:
            t += "s"
    return np.ones_like(t)


def test_what_no_graph_has_is_refused():
    with pytest.raises(ag.StagingError, match="a text that is known only when the graph runs"):
        ag.convert(text_that_a_loop_makes)(*CASES[0])


def an_array_of_an_object_of_one_path(a):
    r = None
    if a[0] < 0:
        r = Thing(a[1])
    return np.atleast_1d(r)


def test_an_array_of_an_object_that_one_path_made_is_refused():
    with pytest.raises(ag.StagingError, match="an array of objects that the function makes"):
        ag.convert(an_array_of_an_object_of_one_path)(*CASES[2])


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_through_lists_beside_arrays(backend):
    def loss(a):
        found = []
        for x in a:
            if x > 0:
                found.append(x * x)
        return np.sum(a[: len(found)] * found)

    with config.backend.using(backend):
        got = ag.grad(ag.convert(loss))(np.array([2.0, -3.0, 1.5]))
    np.testing.assert_allclose(got, [12.0, 2.25, -9.0])
