"""Tracing a body: what it did is told, and taken back."""

from autograph.operators.values.bodies import (
    State,
)


def test_the_names_that_a_state_covers():
    x = 1
    get = lambda: (x, LOCAL)
    state = State(get, lambda values: None, ("x", "LOCAL"))
    cell = get.__closure__[0]
    assert state.covers(("cell", id(cell))) and state.covers(("global", id(globals()), "LOCAL"))
    assert not state.covers(("cell", id(state))) and not state.covers("x")
    assert not state.covers(("global", id(globals()), "OTHER"))


LOCAL = 2
