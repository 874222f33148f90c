"""Lengths, extremes and tests of what is known only when the graph runs."""

import pytest

from autograph.operators.builtins.builtin_functions import HANDLERS
from runtime import journal
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_a_length_that_is_open_is_a_number_of_the_graph():
    with tracing():
        assert HANDLERS[len](placeholder(shape=(3,))) == 3
        assert HANDLERS[len](placeholder(shape=(None,))).type.weak


@pytest.mark.parametrize(("function", "op"), [(min, "cond"), (max, "cond")])
def test_an_extreme_of_two_is_a_branch(function, op):
    with tracing() as facts:
        made = HANDLERS[function](placeholder(), 1.0)
        assert not made.is_known
        assert op in [node.op.name for node in facts.builder.graph.nodes]


def test_extremes_with_key_and_default():
    for function in (min, max):
        ours = HANDLERS[function]
        assert ours([-3, 2], key=abs) == function([-3, 2], key=abs)
        assert ours([], default=7) == 7
        with pytest.raises(ValueError) as plain:
            function([])
        with pytest.raises(ValueError) as found:
            ours([])
        assert str(found.value) == str(plain.value)


def test_quantifiers_stop_where_python_does():
    with tracing():
        seen = []
        items = journal.fresh(seen.append(x) or x for x in (0, 1, 2))
        assert HANDLERS[any](items) is True
        assert seen == [0, 1]
        assert HANDLERS[all]([1, []]) is False
        assert not HANDLERS[any]([0, placeholder() > 0]).is_known
        assert HANDLERS[all]([0, placeholder() > 0]) is False
