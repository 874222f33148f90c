"""For every op: the plan gives what the reference gives, bit for bit."""

import itertools

import numpy as np
import pytest

import runtime.ops  # noqa: F401  (fills the registry)
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.declaration.operands import type_of


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


SCALARS = {
    "f8": [np.float64(x) for x in (0.3771906632801799, -0.0, np.inf, np.nan, -1.5, 2, 1e300)],
    "f4": [np.float32(x) for x in (0.15608692, -0.0, np.inf, 3.0118847, -2)],
    "c16": [np.complex128(x) for x in (-0.47 + 1.37j, 0.13573073406713437 + 2.310363486795888j)],
    "i8": [np.int64(x) for x in (0, 1, 6, 2**62, -(2**63))],
    "u1": [np.uint8(x) for x in (0, 3, 255)],
    "?": [np.bool_(False), np.bool_(True)],
    "int": [0, 1, -1, 3, -7, 100],
    "float": [0.0, -0.0, 0.5, -1.5, 7.1],
    "bool": [False, True],
    "complex": [1j, 2 + 1j],
}


def _outcome(run, operands):
    try:
        (result,) = run(*operands)
    except (ArithmeticError, TypeError, ValueError) as error:
        return type(error)
    return type(result), str(result) if result != result else np.asarray(result).tobytes()


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name", [name for name, p in REGISTRY.items() if p.op.expression])
def test_expressions_on_scalars_give_what_kernels_give(name):
    op = REGISTRY[name].op
    for kinds in itertools.product(SCALARS, repeat=REGISTRY[name].inputs):
        try:
            graph = _graph(op, [SCALARS[kind][0] for kind in kinds], {})
        except TypeError:
            continue  # the op has no meaning for these types
        planned, defined = plan.prepare(graph), reference.prepare(graph)
        for operands in itertools.product(*(SCALARS[kind] for kind in kinds)):
            assert _outcome(planned, operands) == _outcome(defined, operands), operands
