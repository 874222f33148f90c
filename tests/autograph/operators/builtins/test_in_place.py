"""In-place operators, as Python's."""

import operator

import numpy as np
import pytest

from autograph.operators.builtins import in_place


@pytest.mark.parametrize("name", [
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "ilshift", "irshift", "iand",
    "ixor", "ior",
])  # fmt: skip
def test_in_place_operators_are_pythons(name):
    ours, plain = getattr(in_place, name), getattr(operator, name)
    a, b = (7, 2) if name != "itruediv" else (7.0, 2.0)
    assert ours(a, b) == plain(a, b)
    if name in ("iadd", "isub", "imul"):
        x, y = np.ones(2), np.ones(2)
        assert ours(x, 2.0) is x and np.array_equal(x, plain(y, 2.0))
