"""`fold`, which `any` and `all` are, called by hand."""

import pytest

import autograph as ag
from autograph.operators.builtins.quantifiers import fold
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def kinds(facts):
    return [node.op.name for node in facts.builder.graph.nodes]


def test_in_python_nothing_is_asked_for_after_what_decides():
    asked = iter([0, 1, 2, 3])
    assert fold("any", asked) is True and next(asked) == 2
    assert fold("all", asked) is True and fold("all", [1, 0, 2]) is False
    assert fold("any", []) is False and fold("all", []) is True


def test_items_that_are_there_are_united():
    with tracing() as facts:
        a, b = placeholder("bool"), placeholder("bool")
        assert fold("any", [0, a, b]).type.weak and "logical_or" in kinds(facts)
        assert fold("all", (a, b, 1)).type.weak and "logical_and" in kinds(facts)
        assert "cond" not in kinds(facts)
        assert fold("any", [a, 1, b]) is True and fold("all", [a, 0]) is False


def test_items_that_are_computed_are_in_the_branch_of_the_one_before():
    asked = []

    def items(values):
        for value in values:
            asked.append(value)
            yield value

    with tracing() as facts:
        a, b = placeholder("bool"), placeholder("bool")
        fold("any", items([0, a, b, 1, b]))
        assert len(asked) == 4 and kinds(facts) == ["as_weak", "cond"]


def test_many_items_do_not_lie_too_deep():
    with tracing() as facts:
        a = placeholder("bool")
        fold("all", (a for _ in range(100)))
        assert kinds(facts).count("cond") > 3


def test_a_name_bound_on_the_way_is_refused():
    w = 0
    with tracing():
        a = placeholder("bool")
        with pytest.raises(ag.StagingError, match="`w` is bound by `:=` in what `any` goes"):
            fold("any", ((w := v) for v in [a, a]))
    assert w is a
