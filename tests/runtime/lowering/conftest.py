"""Graphs of functions of ops, as native code and as plans."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.building import trace_function
from runtime.execute import plan
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare
from runtime.ops.declaration.operands import type_of
from runtime.passes import optimize
from runtime.spec import TensorType

# Tests of these need no LLVM.
_OF_TEXT = ("test_groups", "test_notation", "test_show")


@pytest.fixture(autouse=True)
def _llvm(request):
    if request.path.stem not in _OF_TEXT:
        pytest.importorskip("llvmlite", exc_type=ImportError)


def _leaves(result):
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in _leaves(part)]
    return [result]


def traced(function, *inputs, unknown=False):
    """The graph of a function of ops.

    With `unknown`, no size of an array is known, or not that of an axis.
    """
    types = [type_of(x) for x in inputs]
    if unknown is not False:
        types = [
            TensorType(
                t.dtype,
                tuple(None if unknown in (True, k) else n for k, n in enumerate(t.shape)),
                t.weak,
            )
            for t in types
        ]
    builder, _, result = trace_function(function, types)
    builder.graph.outputs = [builder.value_of(r) for r in _leaves(result)]
    return optimize(builder.graph)


def native_of(graph):
    """The graph as native code as a whole."""
    found = prepare(graph)
    assert isinstance(found, Native), found.reason
    return found


def assert_same_bits(actual, expected):
    """The same kinds of objects, dtypes, shapes and bits; any nan is as good as another."""
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert type(a) is type(e), f"{a!r} for {e!r}"
        if np.asarray(e).dtype.kind == "c":
            assert np.asarray(a).dtype == np.asarray(e).dtype
            assert_same_bits([a.real, a.imag], [e.real, e.imag])
            continue
        np.testing.assert_array_equal(a, e, strict=isinstance(e, (np.ndarray, np.generic)))
        if np.asarray(e).dtype.kind == "f":
            known = ~np.isnan(np.asarray(e))
            assert np.array_equal(np.signbit(a)[known], np.signbit(e)[known]), "a zero's sign"


@pytest.fixture
def compare():
    """Runs a function natively and as a plan; the bits are the same. Gives the results."""

    def run(function, *inputs, unknown=False):
        graph = traced(function, *inputs, unknown=unknown)
        with np.errstate(all="ignore"):
            actual, expected = native_of(graph)(*inputs), plan.prepare(graph)(*inputs)
        assert_same_bits(actual, expected)
        return actual

    return run


@pytest.fixture(name="traced")
def _traced():
    return traced


@pytest.fixture(name="native_of")
def _native_of():
    return native_of
