"""What ops give for operands of some types is found once in a trace."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.building import Builder
from runtime.graph.ir import Op, Value
from runtime.inference import Inference
from runtime.spec import TensorType, type_of_number
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VECTOR = TensorType(np.dtype("f8"), (3,))
NUMBER = TensorType(np.dtype("i4"), ())


def counted(calls, raises=None):
    """An op that notes the types that its rule is asked for."""

    def infer(*types, **attrs):
        calls.append(types)
        return TensorType(np.dtype("f8"), types[0].shape)

    return Op("counted", lambda xp, *x: x[0], infer, raises=raises)


def test_a_rule_is_asked_once_for_the_same_types():
    calls, inference = [], Inference()
    op = counted(calls)
    values = [Value(VECTOR), Value(type_of_number(2))]
    assert inference.find(op, values) is None
    given = inference.infer(op, values, {})
    assert given.outputs == (VECTOR,) and not given.several and given.can_raise is False
    assert inference.find(op, [Value(VECTOR), Value(type_of_number(5))]) is given
    assert inference.find(op, values[::-1]) is None
    assert inference.find(counted(calls), values) is None
    assert len(calls) == 1


def test_equal_types_that_are_given_are_one_object():
    inference = Inference()
    op = counted([])
    one, two = (inference.infer(op, [Value(TensorType(np.dtype("f4"), (3,)))], {}).outputs[0]
                for _ in range(2))  # fmt: skip
    assert one is two
    with_attributes = inference.infer(op, [Value(VECTOR)], {"k": 1})
    assert with_attributes.outputs[0] is one
    assert with_attributes.can_raise is None
    assert inference.find(op, [Value(VECTOR)]) is None


def test_whether_it_can_raise_is_told_by_the_types():
    inference = Inference()
    op = counted([], raises=lambda types, attrs: types[0].shape == ())
    assert inference.infer(op, [Value(NUMBER)], {}).can_raise is True
    assert inference.infer(op, [Value(VECTOR)], {}).can_raise is False


def test_what_a_rule_refuses_is_refused_each_time():
    inference = Inference()
    values = [Value(VECTOR), Value(TensorType(np.dtype("f8"), (4,)))]
    for _ in range(2):
        with pytest.raises(ValueError, match="broadcast"):
            inference.infer(ops.add.op, values, {})
        assert inference.find(ops.add.op, values) is None


def test_types_of_operands_live_as_long_as_what_is_known():
    inference = Inference()
    calls = []
    op = counted(calls)
    for size in range(1, 200):  # types that nobody else holds: an id may come again
        values = [Value(TensorType(np.dtype("f8"), (size,)))]
        given = inference.find(op, values) or inference.infer(op, values, {})
        assert given.outputs[0].shape == (size,)
    assert len(calls) == 199


def test_nodes_of_a_trace_know_whether_they_raise():
    with tracing() as facts:
        x, n = placeholder("float64", (3,)), placeholder("int64", weak=True)
        x + x, x + x, n + n, n + n
        nodes = [node for node in facts.builder.graph.nodes if node.op.name == "add"]
        assert [node.op_can_raise for node in nodes] == [False, False, True, True]
        nodes[0].inputs = nodes[2].inputs
        assert nodes[0].op_can_raise


def test_another_trace_begins_anew():
    assert Builder("one").inference is not Builder("two").inference

    def f(x, y):
        return (x + y) * x + y

    converted = ag.convert(f)
    for x, y in ((np.ones(3), 2.0), (np.float32(2), np.arange(3)), (3, np.int8(4))):
        got, wanted = converted(x, y), f(x, y)
        np.testing.assert_array_equal(got, wanted)
        assert np.asarray(got).dtype == np.asarray(wanted).dtype


def test_inner_graphs_ask_the_outermost():
    outer = Builder("outer")
    assert Builder("inner", outer).root.inference is outer.inference
