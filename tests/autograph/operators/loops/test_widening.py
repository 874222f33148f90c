"""How what a loop carries in one place widens from round to round."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import Undefined
from autograph.operators.loops.widening import form_of, form_of_parts, widen
from autograph.operators.symbolic.choices import Kinds, Optional, OrNone
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Leaf, Poisoned, Static
from runtime import ops
from runtime.building import Builder, building
from runtime.spec import TensorType, type_of_number
from tests.autograph.operators.tracing_by_hand import tracing

INT, FLOAT, BOOL = map(type_of_number, (1, 1.0, True))


@pytest.fixture
def inner():
    """The builder of a loop's body, in an open trace."""
    with tracing():
        yield Builder("body", building())


def array(first, shape=(3,)):
    return ops.full(shape, float(first)).as_array()


def test_parts_of_a_tuple_have_forms_of_their_own():
    form = form_of((1, ("a", 2.0)), bools=False)
    assert isinstance(form, Branching) and form.steps == ("[0]", "[1]")
    assert form.parts[0] == Leaf(INT) and form.parts[1].parts == (Static("a"), Leaf(FLOAT))
    assert form != form_of((1, ["a", 2.0]), bools=False)


def test_the_content_of_a_container_has_no_place_of_its_own():
    assert form_of_parts([1], bools=False, is_content=True).number == 0
    assert form_of_parts((1,), bools=False).number == 0


class Node:
    def __init__(self, value):
        self.value, self.next = value, self


def test_an_object_that_leads_to_itself_is_an_error_where_it_is_read(inner):
    form = widen(form_of(Node(1), bools=False), Node(2), "x", inner)
    assert form.parts[1] == Leaf(INT)
    assert isinstance(form.parts[0], Poisoned) and "leads to itself" in form.parts[0].what


@pytest.mark.parametrize("kind", [set, bytearray])
def test_another_object_without_parts_is_an_error_where_it_is_read(inner, kind):
    form = widen(form_of(kind(), bools=False), kind(), "x", inner)
    assert isinstance(form, Poisoned) and f"but another {kind.__name__}" in form.what


@pytest.mark.parametrize(("before", "after", "form"), [
    (1, 2, Leaf(INT)), (1, 2.5, Leaf(FLOAT)), ("a", "a", Static("a")),
    (Undefined("x"), 1, Optional(Leaf(INT))), (1, Undefined("x"), Optional(Leaf(INT))),
    (None, 1, OrNone(Leaf(INT))), (1, None, OrNone(Leaf(INT))), (None, None, Static(None)),
    (True, False, Leaf(BOOL)), (True, 2, Leaf(INT)),
])  # fmt: skip
def test_the_smallest_form_of_both(inner, before, after, form):
    assert widen(form_of(before, bools=False), after, "x", inner) == form


@pytest.mark.parametrize(("before", "after"), [([1], 1), (1, "a")])
def test_a_kind_that_changes_is_an_error_where_it_is_read(inner, before, after):
    form = widen(form_of(before, bools=False), after, "p.x", inner)
    assert isinstance(form, Poisoned)
    assert "`p.x` is" in form.what and "before the loop but" in form.what and form.hint


def test_a_name_is_a_number_after_one_round_and_text_after_another(inner):
    form = widen(form_of(1, bools=False), "a", "x", inner)
    assert isinstance(form, Kinds) and form.kinds == (0, "text")
    assert widen(form, 2.5, "x", inner).kinds == form.kinds
    assert isinstance(widen(form_of(1, bools=False), (1, 2), "x", inner), Poisoned)


def test_a_number_of_axes_that_changes_is_named(inner):
    form = Leaf(TensorType(np.dtype("f8"), (3,)))
    with pytest.raises(ag.StagingError, match=r"`x` has shape \(3,\) before the loop but \(3, 1\)"):
        widen(form, array(1, (3, 1)), "x", inner)
