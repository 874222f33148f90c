"""Tests of `runtime.ops.matrices.products`."""

import itertools

import numpy as np
import pytest

import autograph as ag
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


SHAPES_THAT_DO_NOT_FIT = [((3,), (4,)), ((2, 3), (4,)), ((3,), (4, 2)), ((2, 3), (2, 3))]
PRODUCTS = {
    "@": lambda x, y: x @ y,
    "dot": lambda x, y: x.dot(y),
    "np.dot": lambda x, y: np.dot(x, y),
}


@pytest.mark.parametrize("shapes", SHAPES_THAT_DO_NOT_FIT, ids=str)
@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_sizes_that_do_not_fit_are_told_as_numpy_tells_them(product, shapes):
    x, y = map(np.ones, shapes)
    with pytest.raises(ValueError, match="mismatch|not aligned") as of_numpy:
        product(x, y)
    function = ag.convert(lambda x, y: product(x, y))
    for call in (function, ag.grad(lambda x, y: product(x, y).sum())):
        with pytest.raises(ValueError, match="mismatch|not aligned") as ours:
            call(x, y)
        assert str(ours.value) == str(of_numpy.value)


@pytest.mark.parametrize("shapes", SHAPES_THAT_DO_NOT_FIT, ids=str)
def test_sizes_that_do_not_fit_when_a_graph_of_all_sizes_runs(shapes):
    open_sizes = [ag.TensorSpec([None] * len(shape), "float64") for shape in shapes]
    function = ag.convert(lambda x, y: x @ y, input_signature=open_sizes)
    x, y = map(np.ones, shapes)
    with pytest.raises(ValueError, match="mismatch") as of_numpy:
        x @ y
    with pytest.raises(ValueError, match="mismatch") as ours:
        function(x, y)
    assert str(ours.value) == str(of_numpy.value)
    assert function.trace_count == 1
