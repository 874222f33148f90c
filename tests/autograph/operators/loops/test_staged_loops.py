"""What a while node carries, found by tracing its body again and again."""

import pytest

import autograph as ag
from autograph.operators.captured.variables import Maybe, Undefined, ld
from autograph.operators.expressions import access
from autograph.operators.loops.staged_loops import Step, staged_loop
from autograph.operators.values.bodies import State
from autograph.operators.values.iterators import taken
from runtime import ops
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


def test_what_no_round_writes_is_not_carried():
    with tracing():
        box = object()
        names, node = run(lambda names: None, x=box, y="text")
        assert names["x"] is box and names["y"] == "text"
        assert len(node.outputs) == len(node.graphs[1].outputs) == 1


def test_the_type_is_the_one_that_settles():
    with tracing():

        def body(names):
            names["x"] = names["x"] * 0.5

        names, _ = run(body, x=1)
        assert names["x"].type.weak and names["x"].dtype == float


def test_a_chain_of_types_takes_a_round_for_each():
    with tracing():

        def body(names):
            names["x"], names["y"], names["z"] = names["y"], names["z"], 0.5

        names, _ = run(body, x=1, y=2, z=3)
        assert [names[k].dtype for k in "xyz"] == [float, float, float]


def test_written_objects_are_found():
    items = [1.0, "a"]
    with tracing(items):
        x = placeholder()
        run(lambda names: access.setitem(items, 0, items[0] + x))
        assert not items[0].is_known and items[1] == "a"
    assert items == [1.0, "a"]


def test_an_array_written_in_place_is_carried_by_its_cell():
    with tracing():
        x = (ops.full((3,), 0.0) + placeholder()).as_array()

        def body(names):
            x[0] = x[0] + 1

        names, node = run(body, x=x)
        assert names["x"] is x
        assert (3,) in [value.type.shape for value in node.outputs]


def test_a_name_first_bound_in_a_round_may_be_unbound_after_it():
    with tracing():

        def body(names):
            names["y"] = 1.5

        names, _ = run(body, y=Undefined("y"))
        assert isinstance(names["y"], Maybe)


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


def test_the_bound_of_the_directive_is_the_nodes():
    with tracing():
        assert run(lambda names: None, {"maximum_iterations": 5})[1].attrs["maximum"] == 5
    with tracing():
        assert run(lambda names: None)[1].attrs["maximum"] is None
