"""How what a loop carries in one place widens from round to round."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import Undefined
from autograph.operators.loops.widening import form_of, form_of_parts, widen
from autograph.operators.symbolic.arrays import Owning, Referring
from autograph.operators.symbolic.choices import Kinds, Optional, OrNone
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Leaf, Poisoned, Static, Unbound
from runtime import ops, trace
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


def test_numbers_are_carried_and_what_is_no_number_stays():
    assert form_of(3, bools=False) == Leaf(INT)
    assert form_of("text", bools=False) == Static("text")
    assert form_of(Undefined("x"), bools=False) == Unbound()


def test_flags_are_carried_only_where_it_is_asked():
    assert form_of(True, bools=False) == Static(True)
    assert form_of(True, bools=True) == Leaf(BOOL)


def test_a_container_that_can_be_changed_is_itself_whatever_is_in_it():
    held = [1, 2.0]
    assert form_of(held, bools=False) == Static(held)
    assert form_of(held, bools=False) != Static([1, 2.0])


def test_parts_of_a_tuple_have_forms_of_their_own():
    form = form_of((1, ("a", 2.0)), bools=False)
    assert isinstance(form, Branching) and form.steps == ("[0]", "[1]")
    assert form.parts[0] == Leaf(INT) and form.parts[1].parts == (Static("a"), Leaf(FLOAT))
    assert form != form_of((1, ["a", 2.0]), bools=False)


def test_a_container_that_each_round_makes_is_carried_by_its_parts(inner):
    before, after = [1, ["a", 2.0]], [3, ["a", 4]]
    form = widen(form_of(before, bools=False), after, "x", inner)
    assert isinstance(form, Branching) and form.parts[0] == Leaf(INT)
    assert form.parts[1].parts == (Static("a"), Leaf(FLOAT))
    assert 0 < form.number != form.parts[1].number > 0
    assert widen(form, [5, before[1]], "x", inner) == form


def test_a_container_that_a_round_leaves_alone_stays_itself(inner):
    kept = [2.0]
    form = widen(form_of([1, kept], bools=False), [3, kept], "x", inner)
    assert form.parts == (Leaf(INT), Static(kept))
    assert form.parts[1].value is kept


def test_a_container_that_a_round_made_is_carried_where_there_was_none(inner):
    form = form_of(Undefined("x"), bools=False)
    for _ in range(2):
        form = widen(form, [1, [2.0]], "x", inner)
    assert isinstance(form, Optional) and form.part.parts[1].parts == (Leaf(FLOAT),)


def test_an_older_container_that_a_round_binds_stays_itself(inner):
    kept = [1, [2.0]]
    form = form_of(Undefined("x"), bools=False)
    for _ in range(2):
        form = widen(form, (kept, 1), "x", inner)
    assert isinstance(form, Optional) and form.part.parts[0].value is kept


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


def test_an_array_is_no_state_until_a_round_binds_another(inner):
    x, y = array(1), array(2)
    form = form_of(x, bools=False)
    assert form == Static(x) and widen(form, x, "x", inner) == form
    wide = widen(form, y, "x", inner)
    assert isinstance(wide, Referring) and not isinstance(wide, Owning) and wide.has_index
    assert [part.cell for part in wide.parts] == [x.cell(), y.cell()]


def test_an_array_that_a_round_made_is_carried_by_content(inner):
    x = array(1)
    with trace.interpreting(inner):
        made = array(2)
    wide = widen(form_of(x, bools=False), made, "x", inner)
    assert isinstance(wide, Owning) and wide.type.shape == (3,)


@pytest.mark.parametrize(("before", "after", "form"), [
    (1, 2, Leaf(INT)), (1, 2.5, Leaf(FLOAT)), ("a", "a", Static("a")),
    (Undefined("x"), 1, Optional(Leaf(INT))), (1, Undefined("x"), Optional(Leaf(INT))),
    (None, 1, OrNone(Leaf(INT))), (1, None, OrNone(Leaf(INT))), (None, None, Static(None)),
    (True, False, Leaf(BOOL)), (True, 2, Leaf(INT)),
])  # fmt: skip
def test_the_smallest_form_of_both(inner, before, after, form):
    assert widen(form_of(before, bools=False), after, "x", inner) == form


def test_widening_twice_changes_nothing(inner):
    for values in [(1, 2.5), (Undefined("x"), 1), (None, 1), ([1, "a"], [2.5, "a"]), ("a", 1)]:
        once = widen(form_of(values[0], bools=False), values[1], "x", inner)
        assert widen(once, values[1], "x", inner) == once


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


def test_texts_that_differ_are_one_of_both(inner):
    assert widen(form_of("a", bools=False), "b", "x", inner).things == ("a", "b")


def test_a_number_of_axes_that_changes_is_named(inner):
    form = Leaf(TensorType(np.dtype("f8"), (3,)))
    with pytest.raises(ag.StagingError, match=r"`x` has shape \(3,\) before the loop but \(3, 1\)"):
        widen(form, array(1, (3, 1)), "x", inner)
