"""`while_stmt` and `for_stmt` called by hand."""

import pytest

import autograph as ag
from autograph import operators as ag__
from autograph.operators.captured.budget import MANY_ROUNDS
from autograph.operators.captured.decisions import UNROLLED
from runtime import ops
from tests.autograph.operators.tracing_by_hand import State, placeholder, tracing


def run_for(items, body, extra_test=None, opts=None, **names):
    state = State(**names)
    ag__.for_stmt(
        items,
        None if extra_test is None else lambda: extra_test(state.names),
        lambda item: body(state.names, item),
        state.get, state.set, state.symbols, opts or {},
    )  # fmt: skip
    return state.names


def add(names, item):
    names["total"] = names["total"] + item


def kinds(facts):
    return [node.op.name for node in facts.builder.graph.nodes]


@pytest.mark.parametrize("items", [[1, 2, 3], range(1, 4), iter((1, 2, 3)), {1: 0, 2: 0, 3: 0}])
def test_for_in_python(items):
    assert run_for(items, add, total=0)["total"] == 6


def test_the_extra_test_is_asked_before_each_item():
    source = iter([1, 2, 3, 4])
    assert run_for(source, add, lambda names: names["total"] < 3, total=0)["total"] == 3
    assert next(source) == 3


def test_a_short_range_is_unrolled_and_a_long_one_is_a_node():
    for length, expected in ((MANY_ROUNDS, 0), (MANY_ROUNDS + 1, 1)):
        with tracing() as facts:
            x = placeholder()
            run_for(range(length), lambda names, item: add(names, x), total=0.0)
            assert kinds(facts).count("while") == expected


def test_a_long_range_that_adds_no_node_runs_in_python():
    with tracing() as facts:
        assert run_for(range(1000), add, total=0)["total"] == 499500
        assert kinds(facts) == []


def test_a_long_range_whose_body_needs_the_index_is_unrolled():
    with tracing() as facts:
        x = placeholder()

        def body(names, item):
            add(names, x * ["a", "b"].index("ab"[item % 2]))

        names = run_for(range(20), body, total=0.0)
        assert "while" not in kinds(facts) and not names["total"].is_known
        assert any(note.kind == UNROLLED for note in facts.decisions.notes)


def test_the_directive_decides():
    with tracing() as facts:
        x = placeholder()
        run_for(range(20), lambda names, item: add(names, x), opts={"unroll": True}, total=0.0)
        assert "while" not in kinds(facts)


def test_a_break_of_data_leaves_branches_for_the_items_of_a_list():
    with tracing() as facts:
        x = placeholder()
        run_for([x, x, x], add, lambda names: names["total"] < 5, total=x)
        assert kinds(facts).count("cond") == 1 and "while" not in kinds(facts)


def test_an_empty_tensor_runs_no_round():
    with tracing() as facts:
        assert run_for(ops.zeros((0,)), lambda names, item: 1 / 0, total=1)["total"] == 1
        assert "while" not in kinds(facts)


def test_a_variable_is_iterated_by_its_value():
    assert run_for(ag.Variable([1.0, 2.0]), add, total=0.0)["total"] == 3.0
