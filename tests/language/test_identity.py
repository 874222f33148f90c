"""`is` of numbers, tuples and frozen objects that data chooses: Python's answer, or a refusal."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

F = np.array([1.0, 2.0])
G = np.array([-1.0, 2.0])
samples = Samples()


@dataclass(frozen=True)
class Point:
    a: float
    b: float


class Pair(NamedTuple):
    a: float
    b: float


@samples("E2", (F,), (G,))
def small_ints(x):
    a = 5
    b = a if x[0] > 0 else 6
    c, d = 6, 7
    return a is b, b is a, b is not a, b is c, b is d, b is None


@samples("E1", (F,), (G,))
def arrays_that_have_as_many_axes(x):
    same = np.atleast_1d(x)
    same[0] = 3.0
    return same is x, np.atleast_2d(x) is x, same


@samples("E1", (F,), (G,))
def arrays_of_which_no_axis_is_left_out(x):
    y = x * 2
    row = y.reshape(1, 2)
    flat = row.squeeze()
    also = np.squeeze(flat)
    also[0] = 7.0
    kept = row.squeeze(()) is row, np.squeeze(row, axis=()) is row
    return y.squeeze() is y, np.squeeze(y) is y, flat is row, also is flat, kept, y


@samples("E1", (F,), (G,))
def real_parts_of_real_arrays(x):
    y, z = x * 2, x * 1j
    part = np.real(y)
    part += 1
    return part is y, y.real is y, z.real is z, np.real(z) is z, y


@samples("E2", (F,), (G,), tensors=False)
def bools_of_numpy_and_of_python(x):
    positive, small = x[0] > 0, x[1] < 5
    return positive is small, bool(positive) is True, positive is True, positive is np.True_


@samples("E2", (F,), (G,))
def numbers_of_other_types(x):
    a = 1 if x[0] > 0 else 2
    return a is x[0], x[0] is None, x[0] is a, float(x[0]) is x[0], a


@samples("E2", (F,), (G,))
def none_or_a_number(x):
    best = None
    for v in x:
        if v > 1.5 * x[0] + 1:
            best = v
    return best is None, best is not None


@samples("E2", (F,), (G,))
def frozen_objects(x):
    p, q, r = Point(1.0, x[1]), Point(1.0, 2.0), Point(1.0, 2.0)
    one = p if x[0] > 0 else q
    other = one if x[1] > 5 else r
    return one is p, one is q, one is r, other is r, other is one, one is one, one.a


@samples("E2", (F, np.int64(0)), (F, np.int64(1)), (F, np.int64(2)))
def one_of_several_kinds(x, n):
    t, u = (1.0, x[0]), (1.0, x[0])
    pair = u if n % 2 == 0 else t
    one = "none" if n == 2 else pair
    text = "none"
    if n % 2 == 0:
        text = x
    if n == 2:
        x = x * 2
    x[0] += 1
    return one is t, one is u, one is pair, text is x, text is None, text is not x


@samples("E2", (F,), (G,))
def named_tuples_and_tuples(x):
    p, q = Pair(1.0, x[1]), Pair(2.0, x[0])
    s, t = (1.0, x[0]), (1.0, x[1])
    if x[0] > 0:
        one, two = p, s
    else:
        one, two = q, t
    return one is p, one is q, two is s, two is not t, two is one, one is None


@samples("E2", (F,), (G,))
def views(x):
    one, other, whole = x[1:], x[:1], x
    if x[0] > 0:
        whole = other
    return one is other, one is x[1:], one is x, one is whole, whole is x, x + 1


test_sample = samples.test()


def floats(x):
    a = x[0]
    b = a if x[0] > 0 else x[0] * 2
    return a is b  # refused


def large_ints(x):
    a = int(x[1]) + 1000
    b = a if x[0] > 0 else 7
    return b is a  # refused


def a_tuple_of_each_round(x):
    pair, i = (x[0], 1.0), 0
    first = pair
    while x[0] > i:
        pair, i = (pair[1], pair[0] + 1), i + 1
    return pair is first  # refused


def one_that_a_branch_chose(x):
    p, q, r = Point(1.0, x[1]), Point(1.0, 2.0), Point(1.0, 3.0)
    one = r
    if x[0] > 0:
        one = p if x[1] > 0 else q
    return one is p  # refused


def a_view_that_a_branch_chose(x):
    one = now = x[1:]
    if x[0] < 0:
        now = x[:1]
    return now is one, x + 1  # refused


def a_view_of_each_round(x):
    one = now = x[1:]
    for v in x:
        if v > 5:
            now = x[1:]
    return one is now, x + 1  # refused


def a_view_or_none(x):
    one = now = x[1:]
    if x[0] < 0:
        now = None
    return now is one, x + 1  # refused


def a_number_or_an_array(x):
    one = True if x[0] > 0 else x
    return one is True


def one_that_a_try_chose(x):
    p, q = Point(1.0, x[1]), Point(1.0, 2.0)
    try:
        if x[0] > 8:
            raise ValueError("too large")
        one = p if x[1] > 5 else q
    except TypeError:
        one = p
    return one is q


def one_that_a_recursion_gives(x):
    one = (1.0, x)

    def given(n):
        return given(n - 1) if n > 0 else one

    return given(x[0]) is one


@pytest.mark.parametrize(
    "sample",
    [
        floats, large_ints, a_tuple_of_each_round, one_that_a_branch_chose,
        one_that_a_try_chose, one_that_a_recursion_gives, a_number_or_an_array,
        a_view_that_a_branch_chose, a_view_of_each_round, a_view_or_none,
    ],
)  # fmt: skip
def test_what_no_graph_can_tell_is_refused(sample):
    refuse(sample, F, match="whether this is the same .* depends on data")


class Cell:
    def __init__(self, size):
        self.size = size


CELLS = [Cell(1.0), Cell(2.0)]


def each_once(x, cell):
    seen, total = {id(cell)}, 0.0
    for one in (*CELLS, cell, CELLS[0]):
        if id(one) not in seen:
            seen.add(id(one))
            total += one.size
    return x * total + (id(cell) == id(CELLS[1]))


def test_the_id_of_an_object_from_outside_is_its_own():
    converted = ag.convert(each_once)
    for cell in (*CELLS, Cell(5.0), CELLS[0]):
        assert converted(np.float64(2), cell) == each_once(np.float64(2), cell)
    CELLS[0] = Cell(7.0)
    assert converted(np.float64(2), CELLS[1]) == each_once(np.float64(2), CELLS[1])


@pytest.mark.parametrize("make", [lambda: Cell(1.0), lambda: Point(1.0, 2.0), lambda: (1.0, 2.0)])
def test_the_id_of_what_a_call_makes_is_refused(make):
    refuse(lambda x: x + (id(make()) == 0), F, match="`id` is called while tracing")
    refuse(lambda x, held: x + (id(held) == 0), F, Point(1.0, 2.0), match="`id` is called")
    refuse(lambda x: x + (id(x) == 0), F, match="`id` is called while tracing")
