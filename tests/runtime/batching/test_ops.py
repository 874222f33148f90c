"""Every op of the registry for all lanes at once against the op lane by lane."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from runtime import trace
from runtime.batching.lanes import Lane
from runtime.batching.rules import RULES, rule_of
from runtime.batching.transform import batch
from runtime.building import Builder, trace_function, traced
from runtime.execute import plan
from runtime.graph.check import check
from runtime.graph.ir import Node
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.declaration.operands import is_number, type_of
from runtime.spec import StackType, TensorType
from runtime.tensor import Tensor
from tests.samples import Sample, for_each

LANES = 3


def variants(x):
    """The operand in each lane: the same type, other values."""
    if is_number(x):
        return [x, x, x]
    x = np.asarray(x)
    turned = [x, np.roll(x.ravel(), 1).reshape(x.shape), x[..., ::-1] if x.ndim else x]
    return [t.copy()[()] for t in turned]


def cases():
    for name, primitive in sorted(REGISTRY.items()):
        op = primitive.op
        for number, (inputs, attrs) in enumerate(op.samples() if op.samples else ()):
            if not inputs or op.effect is not None:
                continue
            graph = one_node(primitive, inputs, attrs)
            if any(isinstance(v.type, StackType) or not v.type.is_static for v in graph.outputs):
                continue
            numbers = [k for k, x in enumerate(inputs)]
            chosen = {tuple(numbers), *((k,) for k in numbers[:2])}
            for batched in sorted(chosen):
                yield Sample(name, number, (primitive, inputs, attrs, batched))


def one_node(primitive, inputs, attrs):
    types = [type_of(x) for x in inputs]
    builder, _, found = trace_function(lambda *given: primitive(*given, **attrs), types)
    results = found if isinstance(found, tuple) else (found,)
    builder.graph.outputs = [builder.value_of(x) for x in results]
    return builder.graph


def strong(x):
    return np.asarray(x.array if isinstance(x, Tensor) else x)[()]


@pytest.mark.broad(3)
@for_each("primitive, inputs, attrs, batched", cases())
def test_op(primitive, inputs, attrs, batched):
    lanes_of = [variants(x) if k in batched else [x] * LANES for k, x in enumerate(inputs)]
    rows = list(zip(*lanes_of, strict=True))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = [primitive(*row, **attrs) for row in rows]
    except (ValueError, IndexError, ArithmeticError, np.linalg.LinAlgError, Warning):
        pytest.skip("a turned operand is none of the op's")
    graph = one_node(primitive, inputs, attrs)
    outer = Builder("all")
    tensors, lanes = [], []
    for k, x in enumerate(inputs):
        one = type_of(x)
        if k in batched:
            stacked = np.stack([np.asarray(v) for v in lanes_of[k]])
            tensors.append(stacked)
            value = outer.input(TensorType(stacked.dtype, stacked.shape))
        else:
            tensors.append(x)
            value = outer.input(one)
        lanes.append(Lane(traced(value), k in batched, one))
    with trace.interpreting(outer):
        found = batch(LANES, graph, lanes)
        outer.graph.outputs = [outer.value_of(lane.tensor) for lane in found]
    check(outer.graph)
    results = plan.prepare(outer.graph)(*tensors)
    for j, (result, lane) in enumerate(zip(results, found, strict=True)):
        each = [e[j] if isinstance(e, tuple) else e for e in expected]
        if not lane.batched:
            assert all(np.array_equal(result, strong(e)) for e in each)
            continue
        wanted = np.stack([strong(e) for e in each])
        assert result.dtype == wanted.dtype
        assert result.shape == wanted.shape
        tolerance = 1e-5 if wanted.dtype.char in "fF" else 1e-12
        np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance)


def test_rules_are_of_ops():
    assert set(RULES) <= set(REGISTRY)


def test_most_ops_have_a_rule():
    """A loop over the lanes is the exception."""
    without = [
        name
        for name, p in REGISTRY.items()
        if rule_of(Node(p.op, (), {}, (), ())) is None
        and p.op.samples
        and p.op.effect is None
        # Each key has numbers of its own; `math` and `cmath` take one number after the other.
        and not name.startswith(("random_", "math_", "cmath_"))
    ]
    assert len(without) < len(REGISTRY) / 5, without


def test_lanes_one_by_one_are_the_same():
    """The loop over lanes, forced, on a node that has a rule."""
    from runtime.batching.transform import one_by_one

    x, y = np.arange(12.0).reshape(3, 2, 2), np.eye(2)
    graph = one_node(REGISTRY["matmul"], (x[0], y), {})
    outer = Builder("all")
    inputs = [outer.input(type_of(x)), outer.input(type_of(y))]
    with trace.interpreting(outer):
        lanes = [
            Lane(traced(inputs[0]), True, type_of(x[0])),
            Lane(traced(inputs[1]), False, type_of(y)),
        ]
        (found,) = one_by_one(3, graph, lanes)
        outer.graph.outputs = [outer.value_of(found.tensor)]
    (result,) = plan.prepare(outer.graph)(x, y)
    np.testing.assert_array_equal(result, x)
