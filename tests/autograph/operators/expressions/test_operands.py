"""What built-in functions see of variables and of arrays of the graph."""

import numpy as np

import autograph as ag
from autograph.operators.expressions.operands import is_array, plain
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_a_variable_is_its_value():
    assert plain(ag.Variable(np.float64(2.5))) == 2.5


def test_what_python_can_see_stays_itself():
    for x in (3, "text", [1, 2], {"a": 1}):
        assert plain(x) is x and not is_array(x)


def test_a_tensor_is_an_array():
    with tracing():
        x = placeholder(shape=(None,))
        assert plain(x) is x and is_array(x)
