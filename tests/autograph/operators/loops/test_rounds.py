"""Whether rounds of a loop compute in other dtypes than the loop carries."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph.operators.loops.rounds import computes_alike, of_kinds
from autograph.operators.values.carried import NOTHING
from runtime.spec import TensorType, type_of_number

F8 = TensorType(np.dtype("f8"), ())
F4 = TensorType(np.dtype("f4"), ())
I8 = TensorType(np.dtype("i8"), ())
INT, FLOAT, BOOL = type_of_number(1), type_of_number(1.0), type_of_number(True)


def graph_of(function, *args):
    return ag.convert(function).get_concrete_function(*args).graph


ALIKE = [
    (lambda x, y: x + y, INT, True),
    (lambda x, y: x + y, FLOAT, True),
    (lambda x, y: x + y, F4, True),
    (lambda x, y: y if y > x else x, INT, True),
    (lambda x, y: x + 1 + y, INT, False),
    (lambda x, y: (x + 1.0) * 2.0 - y, FLOAT, True),
    (lambda x, y: (x + 1.0) * np.float32(2) - y, FLOAT, False),
    (lambda x, y: x > 3, INT, False),
    (lambda x, y: x > 3, FLOAT, True),
    (lambda x, y: y / x, INT, True),
    (lambda x, y: 1 / x, FLOAT, False),
    (lambda x, y: np.sqrt(x) + y, F4, False),
    (lambda x, y: y, INT, True),
]


@pytest.mark.parametrize(("function", "type_", "is_alike"), ALIKE)
def test_a_graph_computes_alike_where_the_dtype_of_an_input_changes_no_number(
    function, type_, is_alike
):
    graph = graph_of(function, np.float64(2), np.float64(3))
    assert computes_alike(graph, [type_, F8]) is is_alike
    assert computes_alike(graph, [F8, F8])


def test_control_flow_computes_alike_where_its_bodies_do():
    def summed(x, n):
        while n > 0:
            x, n = x + n, n - 1
        return x

    graph = graph_of(lambda x, y: x if y > 0 else x * y, np.float64(2), np.float64(3))
    assert computes_alike(graph, [INT, F8])

    def halved(x, y):
        return x / 2 if y > 0 else y

    assert not computes_alike(graph_of(halved, np.float64(2), np.float64(3)), [INT, F8])
    graph = graph_of(summed, np.float64(2), np.float64(3))
    assert computes_alike(graph, [F4, F8])
    assert computes_alike(graph, [INT, F8])


def test_what_is_shown_is_never_alike():
    def shown(x, y):
        print(x)
        return y

    graph = graph_of(shown, np.float64(2), np.float64(3))
    assert not computes_alike(graph, [INT, F8])
    assert computes_alike(graph, [F8, INT])


def test_the_dtypes_are_those_of_the_values_that_are_there():
    array = TensorType(np.dtype("f8"), (None, 2))
    found = of_kinds([(1, F8), (np.zeros((3, 2), "i4"), array), (NOTHING, I8), (None, BOOL)])
    assert found == [INT, TensorType(np.dtype("i4"), (None, 2)), I8, BOOL]
