"""Tests of `runtime.passes.report`."""

import numpy as np
import pytest

import autograph as ag


@ag.convert
def twice(x):
    return ag.sin(x) * ag.sin(x) + (x.T.T * 1.0).sum()


CONCRETE = twice.get_concrete_function(np.ones((2, 2)))


def test_steps_say_what_each_pass_did():
    """B6.18: chosen passes, with numbers of nodes before and after."""
    better = ag.optimize(CONCRETE, passes=["merge_common_subexpressions", "drop_dead_code"])
    before = len(CONCRETE.graph.nodes)
    assert [tuple(step) for step in better.steps] == [
        ("merge_common_subexpressions", before, before - 1),
        ("drop_dead_code", before - 1, before - 1),
    ]
    assert str(better.steps[0]) == f"merge_common_subexpressions: {before} -> {before - 1} nodes"


def test_by_default_all_passes_are_run():
    """B6.18: and how one is switched off."""
    better = ag.optimize(CONCRETE.graph)
    assert len(better.operations) < len(CONCRETE.graph.operations)
    assert better.steps[-1].after == len(better.nodes)
    assert str(better) == CONCRETE.lower("optimized")
    with ag.config.without_passes("merge_common_subexpressions"):
        other = ag.optimize(CONCRETE.graph)
    assert "merge_common_subexpressions" not in [step.name for step in other.steps]
    assert len(other.nodes) == len(better.nodes) + 1


def test_the_graph_itself_stays():
    before = str(CONCRETE.graph)
    ag.optimize(CONCRETE)
    assert str(CONCRETE.graph) == before


@pytest.mark.parametrize("graph", [twice, np.ones(2), None])
def test_what_has_no_graph_is_refused(graph):
    with pytest.raises(TypeError, match="get_concrete_function"):
        ag.optimize(graph)


def test_unknown_passes_are_refused():
    with pytest.raises(ValueError, match="no pass `inline`; there are inline_calls, fold"):
        ag.optimize(CONCRETE, ["inline"])
    with pytest.raises(TypeError, match=r"\['inline_calls'\]"):
        ag.optimize(CONCRETE, "inline_calls")
    with pytest.raises(ValueError, match="no pass `outline_contexts`"):
        ag.config.without_passes("outline_contexts")
