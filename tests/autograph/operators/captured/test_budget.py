"""How many nodes the loops of a trace may add."""

from __future__ import annotations

from autograph.operators.captured.budget import Budget


def test_a_loop_may_add_some_and_all_loops_together_some_more():
    budget = Budget()
    assert budget.allows(500) and not budget.allows(501)
    budget.spent = 1900
    assert budget.allows(100) and not budget.allows(101)


def test_a_few_nodes_are_always_allowed():
    budget = Budget()
    budget.spent = 10_000
    assert budget.allows(32) and not budget.allows(33)


def test_what_is_left_is_shared_by_the_rounds_of_loops_that_cannot_be_staged():
    budget = Budget()
    with budget.shared_by(4), budget.shared_by(5):
        assert budget.allows(100) and not budget.allows(101)
    assert budget.allows(500)
