"""Which results need no memory: those that end in one loop."""

import numpy as np

from runtime import ops
from runtime.lowering.kernels.groups import fused
from runtime.lowering.kernels.show import text
from runtime.lowering.lower import lower

X = np.ones(100)


def count_loops(program):
    return text(program).count("for each")


def test_a_chain_is_one_loop(traced):
    graph = traced(lambda x: ops.exp(x * 2.0) + 1.0, X)
    assert len(fused(graph)) == 2 and count_loops(lower(graph)) == 1


def test_a_group_takes_so_many_nodes_and_none_is_computed_in_two(traced):
    def function(x):
        older, newer = x, ops.sin(x)
        for _ in range(50):
            older, newer = newer, ops.sin(older) - newer
        return newer

    graph = traced(function, X)
    assert len(graph.nodes) > 80 and len(fused(graph)) < len(graph.nodes) - 2
    assert text(lower(graph)).count(" == 0.0)) else ") == 50  # one for each sine


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
    graph = traced(lambda x: ops.index_update(x, x[:48] * 2.0 + 1.0, slice(2, 50)), X)
    assert len(fused(graph)) == 3 and text(lower(graph)).count("allocate") == 1


def test_what_is_assigned_and_read_elsewhere_is_stored(traced):
    def function(x):
        y = x[:48] * 2.0
        return ops.index_update(x, y, slice(2, 50)), ops.sum(y)

    assert {value.node.op.name for value in fused(traced(function, X))} == {"getitem"}


def test_a_part_of_a_chain_is_all_that_is_computed(traced):
    graph = traced(lambda x: (ops.exp(x[1:]) * x[:-1])[::2] - 1.0, X)
    said = text(lower(graph))
    assert said.count("for each") == 1 and "< 50:" in said and said.count("allocate") == 1


def test_what_two_parts_need_is_computed_once(traced):
    def function(x):
        y = ops.exp(x)
        return y[1:] - y[:-1]

    def through_others(x):
        y = ops.exp(x)
        return (y * 2.0)[1:] - (y * 3.0)[:-1]

    for program in (function, through_others):
        said = text(lower(traced(program, X)))
        assert said.count("scaled(") == 1 and "< 100:" in said


def test_what_is_joined_is_computed_in_its_place(traced):
    graph = traced(lambda x, y: ops.concat([x * 2.0, ops.exp(y), x], axis=0), X, X)
    assert len(fused(graph)) == 2 and text(lower(graph)).count("allocate") == 1
    twice = traced(lambda x: ops.concat([x * 2.0, x * 2.0], axis=0), X)
    assert not fused(twice)


def test_running_sums_take_what_little_is_around_them_into_their_loop(traced):
    said = text(lower(traced(lambda x: ops.cumsum(x * x) * 2.0 + 1.0, X)))
    assert said.count("for ") == 1 and said.count("allocate") == 1


def test_what_is_better_done_in_vectors_stays_out_of_running_sums(traced):
    for program in (lambda x: ops.exp(ops.cumsum(x)), lambda x: ops.cumsum(ops.exp(x))):
        said = text(lower(traced(program, X)))
        assert said.count("for each") == 1 and said.count("for ") == 2


def test_a_chain_goes_through_a_transpose(traced):
    def function(x, y):
        return ops.permute_dims(ops.exp(x) * 2.0, (1, 0)) + y

    said = text(lower(traced(function, np.ones((20, 30)), np.ones((30, 20)))))
    assert said.count("allocate") == 1 and said.count("for each") == 2


def test_what_is_read_along_rows_and_columns_is_computed_once(traced):
    def function(x):
        y = ops.exp(x)
        return y + ops.permute_dims(y, (1, 0))

    assert text(lower(traced(function, np.ones((20, 20))))).count("scaled(") == 1


def test_what_two_joined_arrays_need_is_computed_once(traced):
    def function(x):
        y = ops.exp(x)
        return ops.concat([y * 2.0, y + 1.0], axis=0)

    assert text(lower(traced(function, X))).count("scaled(") == 1
