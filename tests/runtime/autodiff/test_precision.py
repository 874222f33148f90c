"""Derivatives are computed in the precision of what is differentiated: each op and function."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from programs import graph_of, type_for

import autograph.operators  # noqa: F401 - declares ops, too
from runtime import ops
from runtime.autodiff import NoGradientError, jvp, vjp
from runtime.dtypes import kind_of
from runtime.ops.declaration.declare import FUNCTIONS, REGISTRY
from runtime.spec import TensorType
from runtime.structure import tree
from tests.samples import for_each, samples_of

OF_OPS = samples_of({name: (op, op.op.samples) for name, op in REGISTRY.items() if op.op.vjp})
OF_FUNCTIONS = samples_of({name: (f, samples) for name, (f, _, samples) in FUNCTIONS.items()})
WIDE = (np.dtype(np.float64), np.dtype(np.complex128))


def narrowed(x, dtype):
    """A sample's operand in another precision, if it is one of floats or complex numbers."""
    if not hasattr(x, "dtype") or x.dtype not in WIDE:
        return x
    with np.errstate(over="ignore"):
        return x.astype(np.complex64 if x.dtype.kind == "c" else dtype)


def nodes_of(graph):
    for node in graph.nodes:
        yield node
        for body in node.graphs:
            yield from nodes_of(body)


def wide_nodes(function, args):
    """Nodes that compute in double precision what is not made of Python numbers alone."""
    graph, _ = graph_of(lambda *xs: tree.leaves(function(*xs)), *map(type_for, args))
    return [
        f"{node.op.name} of {[str(value.type) for value in node.inputs]}"
        for node in nodes_of(graph)
        if any(_is_wide(value.type) for value in node.outputs)
        and not (node.inputs and all(_is_of_python(value.type) for value in node.inputs))
    ]


def _is_wide(type_):
    return isinstance(type_, TensorType) and type_.dtype in WIDE and not type_.weak


def _is_of_python(type_):
    return isinstance(type_, TensorType) and type_.weak


def derivatives(function, args, k):
    """The derivatives of all inexact results by operand `k`: backwards, forwards, and twice."""

    def at(xs, x):
        results = tree.leaves(function(*xs[:k], x, *xs[k + 1 :]))
        return [y for y in results if hasattr(y, "dtype") and kind_of(y.dtype) in "fc"]

    def backwards(xs, x):
        results, pull_back = vjp(lambda x: at(xs, x), x)
        return pull_back([ops.ones_like(y) for y in results])

    def twice(*xs):
        results, pull_back = vjp(lambda x: tree.leaves(backwards(xs, x)), xs[k])
        return pull_back([ops.ones_like(y) for y in results])

    yield lambda *xs: backwards(xs, xs[k])
    yield lambda *xs: jvp(lambda x: at(xs, x), [xs[k]], [ops.ones_like(xs[k])])[1]
    yield twice


def check(function, args, dtype):
    args = [narrowed(x, dtype) for x in args]
    varied = [k for k, x in enumerate(args) if getattr(x, "dtype", None) in (dtype, np.complex64)]
    try:
        is_narrow = varied and not wide_nodes(function, args) and not _gives_numbers(function, args)
    except (TypeError, ValueError, KeyError):  # not for this dtype, or not in a graph
        is_narrow = False
    if not is_narrow:
        pytest.skip("computes in double precision by itself")
    for k in varied:
        for derivative in derivatives(function, args, k):
            try:
                found = wide_nodes(derivative, args)
            except NoGradientError:
                continue
            assert not found, f"by operand {k}: {found}"


def _gives_numbers(function, args):
    """Whether results are Python's numbers, which are float64."""
    graph, _ = graph_of(lambda *xs: tree.leaves(function(*xs)), *map(type_for, args))
    return any(_is_of_python(value.type) for value in graph.outputs)


each_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])


@pytest.mark.broad(3)
@each_dtype
@for_each("primitive, inputs, attrs", OF_OPS)
def test_derivatives_of_ops_have_no_node_in_double_precision(primitive, inputs, attrs, dtype):
    check(lambda *xs: primitive(*xs, **attrs), inputs, dtype)


@pytest.mark.broad(3)
@each_dtype
@for_each("function, args, kwargs", OF_FUNCTIONS)
def test_derivatives_of_functions_have_no_node_in_double_precision(function, args, kwargs, dtype):
    if kwargs.keys() & {"out", "dtype"}:
        pytest.skip("is told its dtype")
    arrays = [x for x in args if isinstance(x, (np.ndarray, np.generic))]

    def on_arrays(*xs):
        given = iter(xs)
        others = [next(given) if isinstance(x, (np.ndarray, np.generic)) else x for x in args]
        return function(*others, **kwargs)

    check(on_arrays, arrays, dtype)
