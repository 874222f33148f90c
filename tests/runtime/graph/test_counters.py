"""Tests of `runtime.graph.counters`."""

import numpy as np
import pytest

from runtime.graph.counters import counter_of
from runtime.spec import TensorType


def _loop(toy, limit, first=0, step=1, maximum=None, limit_type=None, swapped=False):
    """A loop that counts; with `limit_type` up to an input of that type, else to a constant."""
    inputs = {"i": toy.INT} if limit_type is None else {"n": limit_type, "i": toy.INT}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    operands = (test.i, limit if limit_type is None else test.n)
    compared = test(toy.LESS, *(reversed(operands) if swapped else operands))
    graphs = [test.done(compared), body.done(body(toy.ADD, body.i, step))]
    b = toy.Builder() if limit_type is None else toy.Builder(n=limit_type)
    outer = () if limit_type is None else (b.constant(limit) if limit is not None else b.n,)
    attrs = {"captures": len(outer), "maximum": maximum}
    b(toy.WHILE, *outer, first, graphs=graphs, types=[toy.INT], **attrs)
    return b.graph.nodes[-1]


@pytest.mark.parametrize("first", [-4, 0, 3])
@pytest.mark.parametrize("limit", [-2, 0, 7, 8])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_trips_are_those_of_a_range(toy, first, limit, step):
    """B2.16."""
    loop = _loop(toy, limit, first, step)
    assert counter_of(loop).trips(loop) == len(range(first, limit, step))


def test_the_maximum_bounds_the_trips(toy):
    loop = _loop(toy, 10, maximum=4)
    assert counter_of(loop).trips(loop) == 4


def test_a_constant_may_come_from_outside(toy):
    loop = _loop(toy, 10, limit_type=toy.INT)
    assert counter_of(loop).trips(loop) == 10


def test_trips_up_to_an_input_are_not_known(toy):
    loop = _loop(toy, None, limit_type=toy.INT)
    assert counter_of(loop).trips(loop) is None


@pytest.mark.parametrize("step", [0, -1])
def test_an_index_that_does_not_grow_is_no_counter(toy, step):
    assert counter_of(_loop(toy, 10, step=step)) is None


def test_a_limit_that_is_no_int_is_none(toy):
    assert counter_of(_loop(toy, None, limit_type=toy.SCALAR)) is None


def test_a_loop_that_runs_while_the_index_is_above_is_no_counting_loop(toy):
    assert counter_of(_loop(toy, 10, swapped=True)) is None


@pytest.mark.parametrize(
    ("dtype", "step", "expected"), [("i8", 1, False), ("i8", 2, True), ("u8", 1, True)]
)
def test_which_increments_may_overflow(toy, dtype, step, expected):
    loop = _loop(toy, None, step=step, limit_type=TensorType(np.dtype(dtype), ()))
    assert counter_of(loop).can_overflow is expected
