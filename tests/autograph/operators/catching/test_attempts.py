"""The body of a `try` as a node: what is saved before each node that can raise."""

import pytest

import autograph as ag
from autograph.operators.captured.variables import Maybe, Poison, Undefined
from autograph.operators.catching.attempts import Attempt, emit_pending, refuse_advanced
from autograph.operators.expressions import access
from autograph.operators.values.bodies import State, stage_raise
from autograph.operators.values.iterators import taken
from runtime import journal, ops
from runtime.building import building
from runtime.effects import control
from tests.autograph.operators import tracing_by_hand
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

CLAUSES = ((KeyError,),)


def attempt(body, **names):
    """The names after a `try` around `body(names, raises)`, the node, and what was saved in it."""
    held = tracing_by_hand.State(**names)
    x = placeholder()
    made = Attempt(building(), State(held.get, held.set, held.symbols))
    outcome = made.trace(lambda: body(held.names, lambda: stage_raise(x > 0, KeyError("k"))))
    made.emit(outcome, CLAUSES)
    node = next(n for n in building().graph.nodes if n.op is control.TRY)
    saved = [
        [None if k is None else n.inputs[k] for k in positions]
        for n in _walk(node.graphs[0])
        if n.op is control.PENDING
        for token, positions in n.attrs["saved"]
        if token == made.token
    ]
    return held.names, node, saved


def _walk(graph):
    for node in graph.nodes:
        yield node
        for inner in node.graphs:
            yield from _walk(inner)


def test_a_name_that_changes_is_a_result_and_is_saved_before_each_node_that_can_raise():
    def body(names, raises):
        raises()
        names["x"] = names["x"] + 1
        raises()
        names["x"] = names["x"] + 1

    with tracing():
        names, node, saved = attempt(body, x=1)
        assert len(node.outputs) == 3  # the clause, the exception, x
        assert not names["x"].is_known and names["x"].dtype == int
        assert [len(values) for values in saved] == [1, 1] and saved[0] != saved[1]


def test_what_no_one_writes_is_no_result():
    with tracing():
        names, node, _ = attempt(lambda names, raises: raises(), x="text", y=None)
        assert names == {"x": "text", "y": None} and len(node.outputs) == 2


def test_a_name_bound_in_the_body_may_be_unbound_after_it():
    def body(names, raises):
        raises()
        names["y"] = 1.5

    with tracing():
        names, _, _ = attempt(body, y=Undefined("y"))
        assert isinstance(names["y"], Maybe)


def test_a_kind_that_depends_on_where_it_raised_is_an_error_where_it_is_read():
    def body(names, raises):
        raises()
        names["x"] = bytearray(b"bytes")

    with tracing():
        assert isinstance(attempt(body, x=1)[0]["x"], Poison)


def test_objects_that_the_body_writes_are_results():
    items = [1, 2]

    def body(names, raises):
        access.setitem(items, 0, 9)
        raises()
        access.setitem(items, 1, 7)

    with tracing(items):
        _, node, _ = attempt(body)
        assert len(node.outputs) == 3  # nothing can raise before the first item is written
        assert items[0] == 9 and not items[1].is_known
    assert items == [1, 2]


def test_an_array_written_in_place_is_a_result_and_stays_the_array():
    with tracing():
        x = (ops.full((3,), 0.0) + placeholder()).as_array()

        def body(names, raises):
            x[0] = 1.0
            raises()

        names, node, _ = attempt(body, x=x)
        assert names["x"] is x and (3,) in [getattr(v.type, "shape", None) for v in node.outputs]


def test_a_body_that_always_raises_has_no_values_at_its_end():
    def body(names, raises):
        names["x"] = 2
        raise KeyError("k")

    with tracing():
        names, node, saved = attempt(body, x=1)
        assert "raise" in [n.op.name for n in node.graphs[0].nodes]
        assert len(saved) == 1 and len(node.outputs) >= 2


def test_what_is_in_a_container_may_be_other_parts():
    with tracing():
        items, zero = [1, placeholder()], placeholder()

        def body(names, raises):
            raises()
            access.setitem(items, 0, zero)

        _, node, saved = attempt(body, x=0)
        first, second = items
        assert first._value in node.outputs and second is not first
        assert len(saved) == 1 and len(saved[0]) == 1


def test_an_iterator_that_the_body_advanced_is_refused():
    source = iter([1])
    with tracing(source), journal.transaction() as transaction:
        refuse_advanced(transaction)
        taken(source)
        with pytest.raises(ag.StagingError, match="take the item before the `try`"):
            refuse_advanced(transaction)


def test_outside_of_a_try_nothing_is_pending_but_a_write():
    with tracing() as facts:
        emit_pending(facts.builder, None, [])
        assert facts.builder.graph.nodes == []
        emit_pending(facts.builder, print, [placeholder()._value])
        (node,) = facts.builder.graph.nodes
        assert node.op is control.PENDING and node.attrs == {
            "write": print, "count": 1, "saved": (),
        }  # fmt: skip
