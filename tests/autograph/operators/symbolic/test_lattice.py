"""One join of two forms for loops, `try`, recursion and items of lists: the same answers in all."""

import functools

import numpy as np
import pytest

from autograph.operators.branches.merging import Merger
from autograph.operators.captured.variables import Undefined
from autograph.operators.catching.snapshots import _InTry, unite
from autograph.operators.loops.widening import form_of, widen
from autograph.operators.symbolic.choices import Among, Kinds, Optional, OrNone
from autograph.operators.symbolic.containers import Branching, Function
from autograph.operators.symbolic.forms import Leaf, Poisoned, Static, Unbound
from autograph.operators.symbolic.item_forms import _AmongItems, all_joined, item_form
from autograph.operators.symbolic.ranges import Ranged
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.bodies import NO_NAMES, run_body
from autograph.operators.values.carried import NOTHING
from runtime.building import Builder, building
from runtime.spec import type_of_number
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

INT, FLOAT = Leaf(type_of_number(1)), Leaf(type_of_number(1.0))


@pytest.fixture
def inner():
    """The builder of a body, in an open trace."""
    with tracing():
        yield Builder("body", building())


PLACES = {
    "rounds": lambda a, b, inner: widen(form_of(a, bools=False), b, "x", inner),
    "try": lambda a, b, inner: unite(Static(a), Static(b), "x"),
    "items": lambda a, b, inner: all_joined([item_form(a), item_form(b)], "x"),
}
PAIR = Branching((1, "a"), ("[0]", "[1]"), (FLOAT, Static("a")))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("a", "b", "form"), [
    (1, 2, INT), (1, 2.5, FLOAT), (2.5, 1, FLOAT), ("a", "a", Static("a")), (None, None, Static(None)),
    (None, 1, OrNone(INT)), (1, None, OrNone(INT)), ((1, "a"), (2.5, "a"), PAIR),
])  # fmt: skip
def test_two_values_have_one_form_in_every_place(place, a, b, form, inner):
    found = PLACES[place](a, b, inner)
    if place == "try" and isinstance(found, OrNone):  # a number that is there stays itself
        found = OrNone(unite(found.part, Static(2), "x"))
    assert found == form


@pytest.mark.parametrize(("place", "a", "b", "form"), [
    ("rounds", "a", "b", Among(("a", "b"))), ("items", "a", "b", Among(("a", "b"))),
    ("try", "a", "b", Written()), ("rounds", range(2), range(3), Ranged(1)),
    ("try", range(2), range(3), Ranged(1)),
])  # fmt: skip
def test_what_a_place_holds_otherwise(place, a, b, form, inner):
    assert PLACES[place](a, b, inner) == form


@pytest.mark.parametrize(("a", "b", "form"), [
    (1, 2, INT), (1, 2.5, FLOAT), ("a", "a", Static("a")), (None, 1, OrNone(INT)),
    (1, NOTHING, INT), (NOTHING, None, Static(None)), (Undefined("x"), 1, Optional(INT)),
    (range(2), range(3), Ranged(1)), (np.sin, np.cos, Among((np.sin, np.cos))),
    (1, "a", Kinds((0, "text"), (INT, Static("a")))),
])  # fmt: skip
def test_the_paths_of_an_if_have_the_forms_of_other_places(a, b, form, inner):
    bodies = (run_body(name, inner, lambda _: None, NO_NAMES) for name in ("true", "false"))
    merger = Merger(tuple(bodies), placeholder("bool"))
    assert merger.form("x", a, b) == form


@pytest.mark.parametrize(("place", "words"), [
    (_AmongItems("x"), "`x` is 1 or 2, depending on data"),
    (_InTry("x"), "`x` is 1 or 2 after the `try`, depending on where it raised"),
])  # fmt: skip
def test_what_is_one_thing_or_another_has_an_error_in_every_place(place, words):
    assert place.error("1", "2").what == words


def test_values_of_several_kinds_are_joined_by_kind(inner):
    for place in ("rounds", "try"):
        form = PLACES[place](1, "a", inner)
        assert isinstance(form, Kinds) and form.kinds == (0, "text")
    assert isinstance(PLACES["items"](1, "a", inner), Poisoned)


@pytest.mark.parametrize(("a", "b"), [
    (Unbound(), INT), (INT, Unbound()), (Optional(INT), Unbound()), (Unbound(), Optional(INT)),
    (Optional(INT), INT), (Optional(INT), Optional(INT)),
])  # fmt: skip
def test_a_place_without_a_value_at_times_has_a_bit(a, b):
    assert unite(a, b, "x") == Optional(INT)


class Node:
    def __init__(self):
        self.next = self


def calls_itself(n):
    def go(k):
        return go(k - 1) + n if k else n

    return go


def test_what_leads_to_itself_has_an_end(inner):
    """Objects are an error where they are read; functions of one piece of code hold themselves."""
    for place in ("rounds", "try"):
        form = PLACES[place](Node(), Node(), inner)
        assert isinstance(form.parts[0], Poisoned) and "leads to itself" in form.parts[0].what
        one, other = calls_itself(1), calls_itself(2.5)
        found = unite(Static(one), Static(other), "x")
        assert isinstance(found, Function) and FLOAT in found.parts


def test_functions_are_joined_by_what_they_hold(inner):
    one, other = functools.partial(max, 1), functools.partial(max, 2.5)
    form = unite(Static(one), Static(other), "x")
    assert form.parts == (Static(max), FLOAT) and form.others == (one, other)
