"""Tests of `runtime.variable`."""

import pickle

import numpy as np
import pytest

from runtime.building import trace_function
from runtime.errors import StagingError
from runtime.variable import Variable


def test_dtype_and_shape_stay():
    v = Variable(np.zeros(2, np.float32))
    v.assign([1, 2])
    assert v.dtype == np.float32 and v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"shape \(3,\) to 'Variable"):
        v.assign(np.zeros(3))


@pytest.mark.parametrize("value", ["text", None, [object()]])
def test_what_is_no_number_is_not_held(value):
    with pytest.raises(TypeError, match="a Variable cannot hold"):
        Variable(value)


def test_an_open_dimension_takes_any_size():
    v = Variable(np.zeros(2), shape=(None,))
    assert v.assign(np.ones(5)).shape == (5,)
    with pytest.raises(ValueError, match="shape"):
        v.assign(np.ones((1, 5)))


def test_the_content_is_the_variables_own():
    x = np.zeros(2)
    v = Variable(x)
    x[0] = 1.0
    v.numpy()[1] = 1.0
    assert v.numpy().tolist() == [0.0, 0.0]
    v.assign(x)
    x[0] = 2.0
    assert v.numpy().tolist() == [1.0, 0.0]


def test_assigning_gives_the_new_value():
    v = Variable(1.0)
    assert v.assign_add(2.0).numpy() == 3.0
    assert v.assign_sub(1.0).numpy() == 2.0
    assert v.assign(Variable(7.0)).numpy() == 7.0


def test_operators_read_and_an_in_place_one_rebinds():
    v = Variable(2.0)
    w = v
    w += 1
    assert (v * v + 1).numpy() == 5.0 and w.numpy() == 3.0 and v.numpy() == 2.0
    assert np.add(v, v).numpy() == 4.0 and np.sum(v).numpy() == 2.0


def test_it_is_hashable_by_identity():
    v = Variable(1.0)
    assert len({v, v, Variable(1.0)}) == 2


def test_it_pickles_with_its_name():
    copied = pickle.loads(pickle.dumps(Variable(np.arange(2), trainable=False, name="n")))
    assert copied.name == "n" and not copied.trainable and copied.numpy().tolist() == [0, 1]


def test_reads_and_assigns_are_ordered_effects_of_a_graph():
    v = Variable(1.0)
    builder, _, _ = trace_function(lambda: (v.assign_add(1.0), v.read_value()), [])
    names = [node.op.name for node in builder.graph.nodes if node.op.effect]
    assert names == ["read", "assign", "read"] and v.numpy() == 1.0


def test_none_is_made_while_a_plain_graph_is_traced():
    with pytest.raises(StagingError, match="a Variable is created while a graph is being traced"):
        trace_function(lambda: Variable(1.0), [])
