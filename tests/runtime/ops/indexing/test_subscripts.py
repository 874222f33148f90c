"""Tests of `runtime.ops.indexing.subscripts`."""

import numpy as np
import pytest

from runtime.ops.declaration.operands import type_of
from runtime.ops.indexing.keys import encode_index
from runtime.ops.indexing.subscripts import add_statement, item_source, update_statement

KEYS = [
    1,
    (),
    (slice(None), -1),
    (slice(2, 0, -1), None, slice(1, None, 2)),
    (Ellipsis, slice(1, 3)),
    np.array([0, 2, 2]),
    (slice(1, 3), np.array([[0, 1], [3, -1]])),
    (np.array([0, 1]), None, 1),
    np.array([True, False, True]),
]


def _written(key):
    index, operands = encode_index(key)
    names = {f"k{i}": operand for i, operand in enumerate(operands)}
    return index, names


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_the_source_of_an_item_gives_the_item(key):
    index, names = _written(key)
    x = np.arange(12.0).reshape(3, 4)
    got = eval(item_source(["x", *names], [], index), {"x": x, **names})
    np.testing.assert_array_equal(got, x[key])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_the_source_of_an_update_makes_it(key):
    index, names = _written(key)
    x, y = np.zeros((3, 4)), np.zeros((3, 4))
    exec(update_statement(["x", "v", *names], [], index), {"x": x, "v": 2.0, **names})
    y[key] = 2.0
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_the_source_of_an_addition_adds_to_repeated_elements_each_time(key):
    index, names = _written(key)
    types = [type_of(operand) for operand in (0.0, 0.0, *names.values())]
    x, y = np.ones((3, 4)), np.ones((3, 4))
    source = add_statement(["x", "v", *names], types, index)
    exec(source, {"np": np, "x": x, "v": 2.0, **names})
    np.add.at(y, key, 2.0)
    np.testing.assert_array_equal(x, y)


def test_bounds_that_are_known_at_run_time_are_operands():
    index = (("slice", None, "operand", None), ("slice", "operand", None, 2))
    assert item_source(["x", "n", "m"], [], index) == "x[:n, m::2]"
