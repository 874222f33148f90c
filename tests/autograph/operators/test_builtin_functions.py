"""Python's built-in functions on values that are known only when the graph runs."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtin_functions import HANDLERS
from runtime import journal
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

ROWS = [3.0, 1.0, 2.0]


@pytest.mark.parametrize("function", [len, sum, min, max, any, all, sorted, list, tuple, set])
@pytest.mark.parametrize("values", [ROWS, (1, 0), range(4), {2: "a", 1: "b"}, "cab"])
def test_plain_values_keep_their_meaning(function, values):
    if function is sum and isinstance(values, str):
        with pytest.raises(TypeError):
            HANDLERS[sum](values)
        return
    found, expected = HANDLERS[function](values), function(values)
    assert type(found) is type(expected) and found == expected


@pytest.mark.parametrize(("kind", "weak"), [(int, int), (float, float), (bool, bool)])
def test_conversions_give_python_numbers_of_the_graph(kind, weak):
    with tracing():
        made = HANDLERS[kind](placeholder())
        assert made.type.weak and HANDLERS[type](made) is weak


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


def test_sorting_traced_numbers_keeps_ties_in_order():
    @ag.convert
    def ordered(x):
        return sorted(x, key=abs, reverse=True)

    x = np.array([1.0, -3.0, 3.0, -1.0, 2.0])
    assert ordered(x) == sorted(x, key=abs, reverse=True)


def test_types_are_those_of_the_values_that_tensors_stand_for():
    with tracing():
        scalar, array = placeholder("float32"), placeholder("int64", (2,))
        assert HANDLERS[type](scalar) is np.float32 and HANDLERS[type](array) is np.ndarray
        assert HANDLERS[isinstance](scalar, np.floating) and HANDLERS[isinstance](array, np.ndarray)
        assert not HANDLERS[isinstance](scalar, np.ndarray)
        assert HANDLERS[type](scalar.as_array()) is np.ndarray
        assert HANDLERS[hasattr](array, "mean") and not HANDLERS[hasattr](array, "numpy")


def test_an_iterator_from_outside_is_not_advanced():
    outside = iter([1, 2])
    with tracing(outside), pytest.raises(ag.StagingError, match="only while tracing"):
        HANDLERS[next](outside)
    assert next(outside) == 1


def test_getattr_has_its_default():
    assert HANDLERS[getattr](1, "missing", "instead") == "instead"
    with pytest.raises(AttributeError):
        HANDLERS[getattr](1, "missing")
