"""For every op: the plan gives what the reference gives, bit for bit."""

import numpy as np
import pytest

import runtime.ops  # noqa: F401  (fills the registry)
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declare import REGISTRY
from runtime.ops.operands import type_of


def _graph(op, operands, attrs):
    inputs = [Value(type_of(x)) for x in operands]
    node = Node(op, inputs, attrs, (), op.infer_all([v.type for v in inputs], attrs))
    graph = Graph(inputs, [node], node.outputs, op.name)
    check(graph)
    return graph


def _bits(results):
    return [(type(x), np.asarray(x).dtype, np.shape(x), np.asarray(x).tobytes()) for x in results]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", REGISTRY)
def test_plan_and_reference_agree(name):
    op = REGISTRY[name].op
    for operands, attrs in op.samples() if op.samples else ():
        attrs = {**REGISTRY[name].attributes, **attrs}
        if any(isinstance(x, tuple) or x is None for x in operands):
            continue  # a stack
        graph = _graph(op, operands, attrs)
        expected = reference.prepare(graph)(*operands)
        assert _bits(plan.prepare(graph)(*operands)) == _bits(expected), (operands, attrs)
