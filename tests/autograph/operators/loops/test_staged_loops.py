"""What a while node carries, found by tracing its body again and again."""

import pytest

import autograph as ag
from autograph.operators.captured.variables import ld
from autograph.operators.loops.staged_loops import Step, staged_loop
from autograph.operators.values.bodies import State
from autograph.operators.values.iterators import taken
from runtime.building import building
from tests.autograph.operators import tracing_by_hand
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def run(body, options=None, **names):
    """`while c < 3: body()` with a count c; the names after it, and the node."""
    held = tracing_by_hand.State(c=placeholder("int64", weak=True), **names)

    def step():
        body(held.names)
        held.names["c"] = held.names["c"] + 1

    test = lambda: held.names["c"] < 3
    state = State(held.get, held.set, held.symbols)
    staged_loop(test(), Step(step, test), state, options or {})
    nodes = building().graph.nodes
    return held.names, next(node for node in nodes if node.op.name == "while")


def test_a_kind_that_changes_is_an_error_where_it_is_read():
    with tracing():

        def body(names):
            names["x"] = bytearray(b"bytes")

        names, _ = run(body, x=1.0)
        with pytest.raises(ag.StagingError, match="`x` is .* before the loop but .* after one"):
            ld(names["x"])


def test_a_structure_that_grows_is_refused():
    with tracing(), pytest.raises(ag.StagingError, match="does not settle|before the loop"):

        def body(names):
            names["x"] = [names["x"]]

        names, _ = run(body, x=1.0)
        ld(names["x"])


def test_an_iterator_that_each_round_advances_is_refused():
    source = iter([1, 2, 3])
    with tracing(), pytest.raises(ag.StagingError, match="each round of this loop takes items"):

        def body(names):
            taken(source)

        run(body)
