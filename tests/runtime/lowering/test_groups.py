"""Which results need no memory: those that end in one loop."""

import numpy as np

from runtime import ops
from runtime.lowering.groups import fused
from runtime.lowering.lower import lower
from runtime.lowering.show import text

X = np.ones(100)


def count_loops(program):
    return text(program).count("for each")


def test_a_chain_is_one_loop(traced):
    graph = traced(lambda x: ops.exp(x * 2.0) + 1.0, X)
    assert len(fused(graph)) == 2 and count_loops(lower(graph)) == 1


def test_what_is_read_twice_in_one_loop_is_computed_there_once(traced):
    graph = traced(lambda x: (x * 2.0) * (x * 2.0 + 1.0), X)
    program = lower(graph)
    assert count_loops(program) == 1 and text(program).count("* 2.0") == 1


def test_what_two_loops_read_is_stored(traced):
    def function(x):
        y = x * 2.0
        return ops.sum(y), y + 1.0

    assert count_loops(lower(traced(function, X))) == 2


def test_what_is_broadcast_is_not_computed_for_each_row(traced):
    graph = traced(lambda x, y: ops.exp(y) + x, np.ones((20, 30)), np.ones(30))
    assert not fused(graph)


def test_a_sum_takes_what_it_sums_into_its_loop(traced):
    graph = traced(lambda x: ops.sum(x * x), X)
    assert len(fused(graph)) == 1 and "allocate" not in text(lower(graph))


def test_what_is_assigned_to_a_part_is_computed_in_its_place(traced):
    def function(x):
        return ops.index_update(x, x[:48] * 2.0 + 1.0, slice(2, 50))

    graph = traced(function, X)
    assert len(fused(graph)) == 2 and text(lower(graph)).count("allocate") == 1


def test_what_is_assigned_and_read_elsewhere_is_stored(traced):
    def function(x):
        y = x[:48] * 2.0
        return ops.index_update(x, y, slice(2, 50)), ops.sum(y)

    assert not fused(traced(function, X))
