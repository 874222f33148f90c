"""Conditions of loops that change what the body changes, too: each round asks once more."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check, count_nodes

F = np.float64
I = np.int64


def counted_name(x, tolerance):
    calls = 0

    def f(v):
        nonlocal calls
        calls += 1
        return v * v - 2.0

    while abs(f(x)) > tolerance:
        x = x - f(x) / (2 * x)
    return x, calls


class Target:
    def __init__(self, goal):
        self.goal = goal
        self.calls = 0

    def __call__(self, v):
        self.calls += 1
        return v * v - self.goal


def counted_attribute(x, tolerance):
    f = Target(2.0)
    while abs(f(x)) > tolerance:
        x = x - f(x) / (2 * x)
    return x, f.calls


def counted_item(n):
    counts = {"k": 0}

    def bump():
        counts["k"] += 1
        return counts["k"]

    while bump() < n:
        counts["k"] += 2
    return counts


def advanced(a):
    a += 1.0
    return a.sum()


def written_array(a, limit):
    while advanced(a) < limit:
        advanced(a)
    return a


def written_array_of_the_function(a, limit):
    b = a * 2
    while advanced(b) < limit:
        c = b + 1
        while advanced(c) < limit:
            advanced(b)
    return b


def pulled(xs):
    xs.append(len(xs))
    return len(xs)


def grown_list(n):
    xs = []
    while pulled(xs) < n:
        xs.append(7)
    return xs


def shrunk_list(n):
    xs = [5, 4, 3, 2, 1, 0]
    while xs.pop() < n:
        xs.pop()
    return xs


def asked_twice(n):
    c = 0

    def bump():
        nonlocal c
        c += 1
        return c

    out = []
    while bump() < n and bump() < n + 2:
        out.append(bump())
    return out, c


def left_early(x, n):
    f = Target(0.5)
    while f(x) > 0:
        if f.calls > n:
            break
        x = x * 0.75
        f(x)
    return x, f.calls


def looked_at_only(a, limit):
    row = a[1]
    while a.sum() < limit:
        row += 1.0
    return a


CASES = [
    (counted_name, (F(1.5), 1e-9), (F(9.0), 1e-3)),
    (counted_attribute, (F(1.5), 1e-9), (F(9.0), 1e-3)),
    (counted_item, (I(9),), (I(1),)),
    (written_array, (np.zeros(2), 10.0), (np.ones(2), 1.0)),
    (written_array_of_the_function, (np.ones(2), 30.0), (np.zeros(2), 3.0)),
    (grown_list, (I(6),), (I(1),)),
    (shrunk_list, (I(3),), (I(5),)),
    (asked_twice, (I(9),), (I(2),)),
    (left_early, (F(3.0), I(4)), (F(3.0), I(99))),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_a_condition_that_writes_is_a_part_of_each_round(case):
    function, *arguments = case
    assert count_nodes(check(function, *arguments).graph, "while") >= 1


def test_a_condition_that_only_looks_stays_a_graph_of_its_own():
    checked = check(looked_at_only, (np.ones((2, 2)), 9.0), (np.ones((2, 2)), 1.0), whiles=1)
    loop = next(node for node in checked.graph.nodes if node.op.name == "while")
    assert [node.op.name for node in loop.graphs[0].nodes].count("less") == 1


def test_gradients_through_a_condition_that_writes():
    def area(x):
        return written_array_of_the_function(x, 30.0).sum() * x[0]

    x = np.array([1.0, 1.5])
    found, h = ag.grad(area)(copy.copy(x)), 1e-6
    for i in range(2):
        step = h * (np.arange(2) == i)
        assert found[i] == pytest.approx((area(x + step) - area(x - step)) / (2 * h), rel=1e-6)
