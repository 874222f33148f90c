"""How long a trace goes on that stages nothing."""

import pytest

from autograph.operators.captured.patience import NothingStaged, Patience, spend_patience
from runtime.building import Builder
from runtime.spec import type_of_number


def test_rounds_without_a_node_come_to_an_end():
    builder, patience = Builder(), Patience(3)
    for _ in range(3):
        patience.spend(builder)
    with pytest.raises(NothingStaged):
        patience.spend(builder)


def test_a_node_and_another_graph_are_reasons_to_go_on():
    builder, patience = Builder(), Patience(2)
    for _ in range(6):
        patience.spend(builder)
        builder.constant(len(builder.graph.nodes) + 0.5)
    inner = Builder("body", builder)
    inner.input(type_of_number(0))
    patience.spend(inner)
    patience.spend(inner)
    with pytest.raises(NothingStaged):
        patience.spend(inner)


def test_no_except_of_a_program_takes_it():
    assert not issubclass(NothingStaged, Exception)


def test_nothing_is_spent_outside_of_a_trace():
    for _ in range(5000):
        spend_patience()
