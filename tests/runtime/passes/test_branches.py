"""Successive branches on one condition become one; what must stay in its place does."""

import re
from collections import Counter

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.graph.clone import clone
from runtime.graph.show import text
from runtime.passes import optimize
from runtime.passes.branches import merge_branches
from runtime.passes.common_subexpressions import merge_common_subexpressions

X = np.array([0.5, -1.5, 2.0])
SIGNS = (X, -X)


def conds(graph):
    return Counter(node.op.name for node in graph.walk())["cond"]


def merged(f, *args, inputs=SIGNS):
    """The numbers of branches before and after; the graphs compute the same bits."""
    made = ag.convert(f).get_concrete_function(*args)._traced.graph
    graph = merge_common_subexpressions(made)
    before = text(graph)
    result = merge_branches(graph)
    check(result)
    assert text(graph) == before
    for x in inputs:
        raws = [x, *args[1:]][: len(graph.inputs)]
        for prepare in (plan.prepare, reference.prepare):
            for a, b in zip(
                prepare(clone(graph))(*raws), prepare(clone(result))(*raws), strict=True
            ):
                np.testing.assert_array_equal(a, b, strict=True)
    return conds(graph), conds(result)


def two(x):
    y, z = x, x * 2
    if x[0] > 0:
        y = y * np.sin(x)
    if x[0] > 0:
        z = z + y
    else:
        z = z - y
    return z


def negated(x):
    c = x[0] > 0
    y = x * 3
    if c:
        y = y + x
    if not c:
        y = y * y - x
    else:
        y = y + 1
    return y


def independent_between(x):
    y = x
    if x[0] > 0:
        y = x * 2
    z = np.cos(x) + x.sum()
    if x[0] > 0:
        z = z * y
    return z - y


def three(x):
    a, b, c = x, x, x
    if x[0] > 0:
        a = a + 1
    if x[0] > 0:
        b = a * b
    if x[0] > 0:
        c = a * b - c
    else:
        c = b
    return a + b + c


def nested(x):
    y = x
    for i in range(2):
        if x[0] > 0:
            if x[1] > 0:
                y = y * 2 + i
        else:
            y = y - x
    return y


def read_between(x):
    y = x
    if x[0] > 0:
        y = y * 2
    z = np.cos(y)
    if x[0] > 0:
        z = z * y
    return z


def result_of_the_first_is_the_condition(x):
    c = x[0] > 0
    d = c
    if c:
        d = x[1] > 0
    y = x
    if d:
        y = y + 1
    return y


@pytest.mark.parametrize(
    ("f", "before", "after"),
    [
        (two, 2, 1),
        (negated, 2, 1),
        (independent_between, 2, 1),
        (three, 3, 1),
        (nested, 4, 3),  # what the second inner one takes is made of what the first gives
        (read_between, 2, 2),
        (result_of_the_first_is_the_condition, 2, 2),
    ],
)
def test_branches_on_one_condition(f, before, after):
    inputs = [np.array(signs) * [1, 2, 3] for signs in np.ndindex(2, 2, 1)]
    inputs += SIGNS
    assert merged(f, X, inputs=inputs) == (before, after)
    converted = ag.convert(f)
    for x in inputs:
        np.testing.assert_array_equal(converted(x), f(x))


def test_effects_stay_in_their_order(capsys):
    def f(x):
        y = x
        if x[0] > 0:
            y = y * 2
        print("between")
        if x[0] > 0:
            y = y + 1
        if x[0] > 0:
            print("last")
        return y

    assert merged(f, X, inputs=()) == (3, 3)
    capsys.readouterr()
    converted = ag.convert(f)
    for x in SIGNS:
        np.testing.assert_array_equal(converted(x), f(x))
    assert capsys.readouterr().out == "between\nlast\n" * 2 + "between\n" * 2


def test_errors_stay_in_their_order():
    def f(x, i, j):
        y = 0.0
        if x[0] > 0:
            y = x[i]
        z = x[j]
        if x[0] > 0:
            z = z * y
        return z

    converted = ag.convert(f)
    for index in ((1, 2), (7, 2), (1, 9), (7, 9)):
        i, j = map(np.int64, index)
        for x in SIGNS:
            try:
                expected = f(x, i, j)
            except IndexError as error:
                with pytest.raises(IndexError, match=re.escape(str(error))):
                    converted(x, i, j)
            else:
                assert converted(x, i, j) == expected


def test_gradients_of_conditions_in_a_row_have_one_branch_for_each():
    def f(x):
        y = x * 1.5
        for i in [0.5, 1.5, 2.5, 3.5]:
            t, u = np.sqrt(y), np.log(y + 1)
            if y[0] > i:
                y = y + t
            else:
                y = y * u
        return y.sum()

    x = np.array([1.0, 2.0, 3.0])
    gradient = ag.grad(ag.convert(f))
    backward = ag.convert(lambda x: ag.grad(f)(x)).get_concrete_function(x)._traced.graph
    # One for each condition there and back; of the last, there and back are one. Rules that keep
    # zeros need no branch that asks whether a cotangent is there: the sweep makes no more of them.
    assert conds(backward) == conds(optimize(backward)) == 7
    found = gradient(x)
    with config.disable_passes.using(("merge_branches",)):
        np.testing.assert_array_equal(ag.grad(ag.convert(f))(x), found)
    plain = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(found, plain, rtol=1e-6)


def test_a_graph_with_nothing_to_merge_is_given_back():
    graph = ag.convert(read_between).get_concrete_function(X)._traced.graph
    assert merge_branches(graph) is graph
