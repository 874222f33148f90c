"""What the two branches of a staged `if` left in one place, joined."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.branches.merging import Merger, output_value
from autograph.operators.captured.variables import Maybe, Nullable, Poison, Undefined, ld
from autograph.operators.values.bodies import State, run_body
from autograph.operators.values.carried import NOTHING
from autograph.operators.values.kinds import is_of_kinds
from autograph.operators.values.references import choice_of
from autograph.operators.values.templates import ChosenText
from runtime import ops
from runtime.building import building
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

NAMELESS = State(tuple, lambda values: None, ())


def join(yes, no):
    """What the place `x` is after `if c: x = yes() else: x = no()`, and the node."""
    parent = building()
    outcomes = tuple(
        run_body(name, parent, lambda builder, f=f: f(), NAMELESS)
        for name, f in (("true", yes), ("false", no))
    )
    for outcome in outcomes:
        outcome.keep(outcome.result)
    test = placeholder("bool")
    merger = Merger(outcomes, test)
    rebuild = merger.plan("x", outcomes[0].result, outcomes[1].result)
    joined = rebuild(merger.emit(parent, test))
    merger.finish()
    return joined, parent.graph.nodes[-1]


def array(first):
    return ops.full((3,), float(first)).as_array()


@pytest.mark.parametrize("value", ["a", 3, None, (1, "b"), [2.0]])
def test_one_value_on_both_paths_is_no_output(value):
    with tracing():
        joined, node = join(lambda: value, lambda: value)
        assert joined == value and node.outputs == []


@pytest.mark.parametrize(("a", "b", "type_"), [
    (1, 2, type_of_number(1)), (1, 2.5, type_of_number(1.0)), (True, False, type_of_number(True)),
    (np.float32(1), 2, TensorType(np.dtype("f4"), ())),
])  # fmt: skip
def test_numbers_that_differ_are_one_output_of_the_joined_type(a, b, type_):
    with tracing():
        joined, node = join(lambda: a, lambda: b)
        assert joined.type == type_ and len(node.outputs) == 1
        assert [graph.outputs[0].type for graph in node.graphs] == [type_, type_]


def test_containers_are_joined_part_by_part():
    with tracing():
        joined, node = join(lambda: {"k": [1, "a"]}, lambda: {"k": [2, "a"]})
        assert joined["k"][1] == "a" and not joined["k"][0].is_known and len(node.outputs) == 1


@pytest.mark.parametrize(("a", "b"), [
    (bytearray(b"a"), bytearray(b"b")), (bytearray(b"a"), 1), (int, "a"),
])  # fmt: skip
def test_kinds_that_differ_are_an_error_where_they_are_read(a, b):
    with tracing():
        joined, _ = join(lambda: a, lambda: b)
        assert isinstance(joined, Poison)
        with pytest.raises(ag.StagingError, match="`x` is .* on one path but .* on the other"):
            ld(joined)


@pytest.mark.parametrize(("a", "b"), [("a", 1), ((1, 2), "a"), ([1], 2.0), (b"a", 1)])
def test_kinds_that_differ_are_kept_side_by_side(a, b):
    with tracing():
        joined, _ = join(lambda: a, lambda: b)
        assert is_of_kinds(joined) and joined.things == (a, b)


def test_a_name_bound_on_one_path_may_be_unbound():
    with tracing():
        joined, node = join(lambda: 1, lambda: Undefined("x"))
        assert isinstance(joined, Maybe) and joined.inner == 1 and not joined.defined.is_known
        assert len(node.outputs) == 1
        joined, _ = join(lambda: Undefined("x"), lambda: Undefined("x"))
        assert isinstance(joined, Undefined)


def test_a_number_on_one_path_may_be_none():
    with tracing():
        joined, _ = join(lambda: 1, lambda: None)
        assert isinstance(joined, Nullable) and not joined.present.is_known


def test_a_name_of_two_arrays_is_a_choice_and_no_content_is_moved():
    with tracing():
        x, y = array(1), array(2)
        joined, node = join(lambda: x, lambda: y)
        assert {part.cell for part in choice_of(joined).parts.values()} == {x.cell(), y.cell()}
        assert [v.type for v in node.outputs] == [type_of_number(1)]
        assert join(lambda: x, lambda: x)[0] is x


def test_arrays_that_the_branches_made_are_carried_by_content():
    with tracing():
        joined, node = join(lambda: array(1), lambda: array(2))
        assert choice_of(joined) is None and joined.shape == (3,)
        assert [v.type for v in node.outputs] == [TensorType(np.dtype("f8"), (3,))]


def test_two_names_of_one_array_stay_one():
    def pair(first):
        made = array(first)
        return (made, made)

    with tracing():
        joined, node = join(lambda: pair(1), lambda: pair(2))
        assert joined[0] is joined[1] and len(node.outputs) == 1


@pytest.mark.parametrize(("shape", "expected"), [((4,), (None,)), ((3, 1), None)])
def test_what_two_shapes_share_is_known_of_the_joined_array(shape, expected):
    with tracing():
        joined, _ = join(lambda: array(1), lambda: ops.full(shape, 1.0).as_array())
        assert joined.type.shape == expected


def test_an_output_without_a_value_is_made_up():
    with tracing() as facts:
        made = output_value(facts.builder, NOTHING, type_of_number(1))
        assert made.type == type_of_number(1) and made.node.op.name == "missing"


def test_text_that_differs_is_one_of_two():
    with tracing():
        joined, _ = join(lambda: "a", lambda: "b")
        assert isinstance(joined, ChosenText) and joined.texts == ("a", "b")
        assert isinstance(joined == "a", Tensor) and (joined == "c") is False


def test_none_or_any_value_is_the_value_and_whether_it_is_there():
    with tracing():
        for value in ((1, 2), [1], "a", {"a": 1}):
            joined, _ = join(lambda value=value: value, lambda: None)
            assert isinstance(joined, Nullable) and joined.value == value
