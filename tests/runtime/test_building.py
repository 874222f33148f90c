"""Tests of `runtime.building`: ops that add nodes to the graph that is being traced."""

import numpy as np
import pytest

from runtime import building, ops, trace
from runtime.building import Builder, Mark, body, constant, trace_function, traced
from runtime.errors import LeakedTensorError
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

VECTOR, SCALAR = TensorType(np.dtype("f8"), (3,)), TensorType(np.dtype("f8"), ())


@pytest.fixture
def root():
    """An open builder."""
    builder = Builder()
    with trace.interpreting(builder):
        yield builder


def names(builder):
    return [node.op.name for node in builder.graph.nodes]


def test_an_op_is_a_node(root):
    x = traced(root.input(VECTOR))
    y = x * 2.0
    assert names(root) == ["constant", "multiply"] and not y.is_known and y.type == VECTOR
    assert building.building() is root


def test_python_numbers_are_constants_once_each(root):
    one = root.constant(1)
    assert root.constant(1) is one and one.type == type_of_number(1)
    assert root.constant(True) is not one and root.constant(1.0) is not one
    assert root.constant(0.0) is not root.constant(-0.0)


def test_small_constants_are_folded_and_large_ones_are_left_to_the_graph(root):
    known = ops.add(constant(2.0), 3.0)
    assert names(root)[-1] == "constant" and root.graph.nodes[-1].attrs["value"] == 5.0
    assert known._value.node is root.graph.nodes[-1]
    ops.add(constant(np.zeros(building._FOLD_LIMIT + 1)), 1.0)
    assert names(root)[-1] == "add"


def test_what_would_raise_or_warn_is_left_to_the_run(root):
    ops.divide(constant(1.0), 0.0)
    assert "truediv" in names(root) or "divide" in names(root)


def test_a_view_of_a_constant_array_is_still_a_view(root):
    x = constant(np.zeros(3)).as_array()
    y = x[1:]
    assert names(root)[-1] == "constant" and y.cell() is x.cell()
    y[0] = traced(root.input(SCALAR))
    assert x.current()._value.node.op.name == "index_update"


def test_arrays_from_outside_are_inputs_by_reference(root):
    array = np.ones(3)
    value = root.value_of(array)
    assert root.value_of(array) is value and root.externals[id(array)] == (array, value)
    assert root.value_of(array.copy()) is not value


def test_a_body_captures_outer_values_once(root):
    x = root.input(VECTOR, "x")
    with body("true", root) as outer, body("true", outer) as inner:
        found = inner.capture(x)
        assert inner.capture(x) is found and inner.owns(found) and inner.reaches(x)
        ((middle, own),) = set(inner.captured())
        assert own is found and outer.captured() == [(x, middle)]
        assert not inner.owns(x) and not outer.owns(found)


def test_small_constants_are_repeated_in_bodies_unless_they_are_watched(root):
    small, large = root.constant(np.ones(3)), root.constant(np.ones(building._REPEAT_LIMIT + 1))
    with body("true", root) as inner:
        assert inner.capture(small).node.op.name == "constant"
        assert inner.capture(large).node is None
    root.watch(traced(small))
    with body("true", root) as inner:
        assert inner.capture(small).node is None


def test_a_value_of_another_trace_is_refused(root):
    other = Builder("other")
    stray = other.input(VECTOR)
    with pytest.raises(LeakedTensorError, match="made while tracing is used outside the graph"):
        root.capture(stray)


def test_a_leak_names_the_line_that_made_the_value(root):
    with body("true", root) as inner:
        made = traced(inner.input(SCALAR)) + 1.0
    with pytest.raises(LeakedTensorError) as caught:
        root.value_of(made)
    assert caught.value.origin.filename == __file__


def test_nodes_are_forgotten_back_to_a_mark(root):
    x = traced(root.input(SCALAR))
    kept = x + 1.0
    mark = root.mark()
    dropped = x * 7.0
    root.truncate(mark)
    assert names(root) == ["constant", "add"] and root.owns(kept._value)
    with pytest.raises(LeakedTensorError):
        root.value_of(dropped)
    assert root.constant(7.0).node in root.graph.nodes  # not the one that was forgotten


def test_a_mark_stays_right_when_nodes_are_put_in_before_it(root):
    x = traced(root.input(SCALAR))
    for k in range(3):
        x = ops.sin(x)
    mark = Mark(root.graph.nodes[:2])
    root.graph.nodes.insert(0, root.graph.nodes[2])
    assert mark == 2 and mark.now(root.graph.nodes) == 3


def test_who_wants_to_be_told_is_told_before_a_node_that_can_raise():
    seen = []

    class Telling(Builder):
        def before_raising(self, builder):
            seen.append(len(builder.graph.nodes))

    root = Telling()
    with trace.interpreting(root):
        x, i = traced(root.input(VECTOR)), traced(root.input(TensorType(np.dtype("i8"), ())))
        x[i]
        assert seen == []
        root.tells_pending = True
        x + 1.0
        assert seen == []
        x[i]
        assert seen == [len(root.graph.nodes) - 1]


def test_errors_of_arithmetic_are_signalled_only_where_it_was_asked(root):
    x = traced(root.input(SCALAR))
    root.signalling = 1
    (x + 1.0, None)
    assert root.graph.nodes[-1].signals
    root.signalling = 0
    assert not (x + 2.0)._value.node.signals


def test_open_tapes_are_told_of_each_node(root):
    class Tape:
        def __init__(self):
            self.names = []

        def record(self, op, inputs, attrs, outputs):
            self.names.append((op.name, len(inputs), len(outputs)))

    tape = Tape()
    x = traced(root.input(SCALAR))
    with trace.listening(tape):
        ops.sin(x)
    assert tape.names == [("sin", 1, 1)]


def test_a_function_is_traced_into_a_graph_of_its_own(root):
    builder, inputs, result = trace_function(lambda x, y: x + y, [SCALAR, VECTOR], "both")
    assert builder.parent is root and builder.graph.name == "both"
    assert [t.type for t in inputs] == [SCALAR, VECTOR] and result.type == VECTOR
    assert names(root) == []


@pytest.mark.parametrize(("value", "dtype", "shape", "expected"), [
    ([1, 2], None, None, [1, 2]), (1, float, None, 1.0), (7, None, (2,), [7, 7]),
    ([1, 2, 3, 4], None, (2, 2), [[1, 2], [3, 4]]), (np.float32(1), None, None, 1.0),
])  # fmt: skip
def test_a_constant_is_a_copy(value, dtype, shape, expected):
    assert constant(value, dtype, shape).numpy().tolist() == expected
    array = np.ones(2)
    made = constant(array)
    array[0] = 5
    assert made.numpy().tolist() == [1, 1]


def test_a_constant_of_traced_parts_is_stacked(root):
    x = traced(root.input(SCALAR))
    assert constant([[x, 1.0], [2.0, x]]).shape == (2, 2)
    assert constant([x, 1], "f4").dtype == np.float32


def test_a_constant_of_a_traced_array_is_a_copy(root):
    x = traced(root.input(VECTOR))
    made = constant(x)
    made[0] = 1.0
    assert x.current()._value in root.graph.inputs


def test_a_constant_of_a_traced_python_number_has_numpys_dtype(root):
    x = traced(root.input(type_of_number(1.0)))
    assert constant(x).type == SCALAR and constant([x, x]).type.dtype == SCALAR.dtype


@pytest.mark.parametrize(("parts", "shape"), [(1, (3,)), (1, (2, 1)), (4, (2, 2)), (4, (4, 1))])
def test_a_constant_of_traced_parts_has_the_shape_that_is_given(root, parts, shape):
    x = traced(root.input(SCALAR))
    assert constant([x] * parts, shape=shape).shape == shape
    assert constant(x, shape=(5,)).shape == (5,)


@pytest.mark.parametrize(("value", "error"), [
    ("text", TypeError), ([[1], [1, 2]], ValueError), (object(), TypeError),
])  # fmt: skip
def test_what_is_no_number_is_refused(value, error):
    with pytest.raises(error):
        constant(value)


def test_the_class_of_results_is_the_traces(root):
    class Array(Tensor):
        __slots__ = ()
        stands_for_array = True

    root.array_class = Array
    tensor, array = traced(root.input(SCALAR)), root.array(root.input(SCALAR))
    assert type(tensor + array) is Tensor and type(array + array) is Array
