"""When two forms are one, and what is said of a place whose kind changed."""

from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Leaf, changed, changed_length
from runtime.spec import type_of_number

INT, FLOAT = map(type_of_number, (1, 1.0))


def test_containers_are_one_form_by_class_steps_and_parts():
    steps, parts = ("[0]",), (Leaf(INT),)
    assert Branching([0], steps, parts, 1) == Branching([5], steps, parts, 2)
    assert Branching([0], steps, parts) != Branching((0,), steps, parts)
    assert Branching([0], steps, parts) != Branching([0], steps, (Leaf(FLOAT),))


def test_what_changed_is_told_with_a_way_out():
    found = changed("x", "a str", "a float")
    assert found.what == "`x` is a str before the loop but a float after one iteration"
    assert "must keep the kind" in found.hint
    deeper = changed("x", "a Node", "a Node that leads to itself")
    assert "keep the objects in a list" in deeper.hint
    assert "a list of 2 items" in changed_length("x", [1], [1, 2]).what
