"""What built-in functions see of variables and of arrays of the graph."""

import numpy as np

import autograph as ag
from autograph.operators.expressions.operands import plain


def test_a_variable_is_its_value():
    assert plain(ag.Variable(np.float64(2.5))) == 2.5
