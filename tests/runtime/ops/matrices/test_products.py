"""Tests of `runtime.ops.matrices.products`."""

import itertools

import numpy as np
import pytest

from runtime import ops
from runtime.execute import plan, reference
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType

MATMUL = ops.matmul.op
DTYPES = list(itertools.product(["i1", "u1", "i2", "u4", "i8", "u8"], repeat=2))


def _product(x, y):
    inputs = [Value(TensorType(a.dtype, a.shape), name=name) for a, name in ((x, "x"), (y, "y"))]
    types = MATMUL.infer_all([value.type for value in inputs], {})
    node = Node(MATMUL, inputs, {}, (), types)
    return Graph(inputs, [node], node.outputs)


def _random(dtype, shape):
    kind = np.iinfo(dtype)
    generator = np.random.default_rng(0)
    return generator.integers(kind.min, kind.max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("dtypes", DTYPES)
@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 1))])
def test_small_integer_products_wrap_around_in_plans_as_in_numpy(dtypes, shapes):
    x, y = map(_random, dtypes, shapes)
    graph = _product(x, y)
    (found,), (expected,) = plan.prepare(graph)(x, y), reference.prepare(graph)(x, y)
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype == np.result_type(*dtypes)
    assert np.array_equal(found, expected) and np.array_equal(found, np.matmul(x, y))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "?"])
def test_only_integer_products_are_computed_otherwise(dtype):
    x = np.ones((2, 2), dtype)
    assert "np.matmul(x, y)" in plan.prepare(_product(x, x)).source


def test_integers_that_meet_as_floats_are_no_integer_product():
    x, y = np.ones((2, 2), "u8"), np.ones((2, 2), "i8")
    assert "np.matmul(x, y)" in plan.prepare(_product(x, y)).source
