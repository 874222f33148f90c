"""Tracing a body: what it did is told, and taken back."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import Poison
from autograph.operators.expressions import access
from autograph.operators.values.bodies import (
    State,
    apply_slot,
    check_defined,
    content_left,
    run_body,
    slot_content,
    stage_raise,
)
from runtime import ops
from runtime.building import building
from runtime.effects import control
from tests.autograph.operators import tracing_by_hand
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

NOTHING = State(tuple, lambda values: None, ())


def accessors(**names):
    held = tracing_by_hand.State(**names)
    return held, State(held.get, held.set, held.symbols)


def names_of(graph):
    return [node.op.name for node in graph.nodes]


def test_names_and_objects_are_as_before_and_what_was_written_is_told():
    items = [1, 2]
    with tracing(items):
        held, state = accessors(x=1)

        def work(builder):
            held.names["x"] = 5
            access.setitem(items, 0, 9)
            return "done"

        outcome = run_body("true", building(), work, state)
        assert held.names == {"x": 1} and items == [1, 2]
        assert outcome.values == (5,) and outcome.result == "done" and not outcome.raised
        ((_, old, new),) = outcome.writes.values()
        assert (list(old), list(new)) == ([1, 2], [9, 2])


def test_an_array_made_in_the_body_is_no_write_and_keeps_its_content():
    with tracing():
        x = placeholder()

        def work(builder):
            made = (ops.full((3,), 0.0) + x).as_array()
            made[0] = 1.0
            return made

        outcome = run_body("true", building(), work, NOTHING)
        assert outcome.writes == {}
        assert outcome.builder.owns(outcome.content(outcome.result)._value)
        assert outcome.content("text") == "text"


def test_an_older_array_is_a_write_and_is_restored():
    with tracing():
        x = (ops.full((3,), 0.0) + placeholder()).as_array()
        before = x.cell().root

        def work(builder):
            x.assign(x + 1)
            return x

        outcome = run_body("true", building(), work, NOTHING)
        assert x.cell().root is before
        assert [slot.owner for slot, _, _ in outcome.writes.values()] == [x.cell()]
        made = outcome.content(x)._value
        assert outcome.builder.owns(made) and not outcome.builder.owns(before._value)


def test_an_exception_is_what_the_body_does_when_it_runs():
    with tracing():

        def work(builder):
            raise KeyError("k")

        outcome = run_body("true", building(), work, NOTHING)
        assert outcome.raised and names_of(outcome.builder.graph) == ["raise"]


def test_an_error_of_staging_is_not_the_programs():
    held, state = accessors(x=1)
    with tracing():

        def work(builder):
            held.names["x"] = 2
            raise ag.StagingError("no", "")

        with pytest.raises(ag.StagingError, match="no"):
            run_body("true", building(), work, state)
        assert held.names == {"x": 1}


def test_a_staged_raise_is_a_branch():
    with tracing() as facts:
        stage_raise(placeholder() > 0, KeyError())
        cond = facts.builder.graph.nodes[-1]
        assert cond.op is control.COND
        assert [names_of(graph) for graph in cond.graphs] == [["raise"], []]


def test_an_unbound_name_raises_pythons_error():
    with tracing() as facts:
        check_defined(placeholder("bool"), "y")
        raises = facts.builder.graph.nodes[-1].graphs[0].nodes[-1]
        error = raises.attrs["template"].fill([])
        assert type(error) is UnboundLocalError and "local variable 'y'" in str(error)


def test_places_are_read_and_written():
    items = [1, 2]
    with tracing(items):
        slot = access.content_slot(items)
        apply_slot(slot, [7])
        assert items == [7] and list(slot_content(slot)) == [7]
        with pytest.raises(ag.StagingError, match="of two kinds"):
            apply_slot(slot, Poison("x", "it is of two kinds", ""))
    assert items == [1, 2]


def test_the_names_that_a_state_covers():
    x = 1
    get = lambda: (x, LOCAL)
    state = State(get, lambda values: None, ("x", "LOCAL"))
    cell = get.__closure__[0]
    assert state.covers(("cell", id(cell))) and state.covers(("global", id(globals()), "LOCAL"))
    assert not state.covers(("cell", id(state))) and not state.covers("x")
    assert not state.covers(("global", id(globals()), "OTHER"))


LOCAL = 2


def test_what_was_there_before_the_trace_is_read_where_a_body_left_it():
    array = np.ones(2)
    items = [array, 1.5]
    with tracing(items) as trace:
        access.setitem(items, 1, 2.5)
        slot = access.content_slot(items)
        left = content_left(slot, [array, 1.5], slot.read())
        (captured,) = trace.captures.inputs.values()
        assert left[0] is captured.handle and left[1] == 2.5
        assert items[0] is array
