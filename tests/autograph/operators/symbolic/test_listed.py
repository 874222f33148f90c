"""Tests of `autograph.operators.symbolic.listed`: `tolist` of an array of unknown length."""

import numpy as np
import pytest

from autograph.operators.containers import growing
from autograph.operators.symbolic.listed import grows, listed
from autograph.operators.values.runs import has_runs
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


@pytest.mark.parametrize(("shape", "dtype", "expected"), [
    ((None,), "f4", True), ((3,), "f8", False), ((1001,), "i2", True), ((1001,), "u8", False), ((None, 2), "f8", False), ((None,), "u8", False),
])  # fmt: skip
def test_one_axis_of_unknown_length_gives_a_list_that_grows(shape, dtype, expected):
    with tracing():
        assert grows(placeholder(dtype, shape)) is expected


@pytest.mark.parametrize(("dtype", "kind"), [
    ("f4", float), ("u1", int), ("?", bool), ("c8", complex),
])  # fmt: skip
def test_its_items_are_python_numbers(dtype, kind):
    with tracing():
        found = listed(placeholder(dtype, (None,)))
        assert type(found) is list and has_runs(found)
        item = growing.item(found, 0)
        assert item.type.weak and item.dtype == np.dtype(kind)
