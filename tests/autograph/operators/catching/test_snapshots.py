"""Forms that cover what was found in one place of a `try`."""

import numpy as np
import pytest

from autograph.operators.captured.variables import Maybe, Nullable, Poison, Undefined
from autograph.operators.catching.snapshots import form_of, rebuild, unite
from autograph.operators.symbolic.choices import Kinds
from autograph.operators.symbolic.containers import Growing
from autograph.operators.symbolic.forms import Form, Leaf, Static
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.carried import NOTHING
from autograph.operators.values.grown_text import LETTERS, GrownText
from autograph.operators.values.runs import Run
from runtime.building import Builder, traced
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

F8 = TensorType(np.dtype("f8"), (3,))


def made(type_):
    """A traced value of a body."""
    return traced(Builder().input(type_))


def covering(*values, name="x"):
    """The form of several values, of which no tensor is older than the `try`."""
    form: Form | None = None
    for x in values:
        new = form_of(x, lambda x: not isinstance(x, (Tensor, list)))
        form = new if form is None else unite(form, new, name)
    return form


def test_one_value_is_no_graph_value():
    assert covering("a", "a") == Static("a") and covering(3, 3) == Static(3)


def test_numbers_that_differ_are_joined():
    assert covering(3, 2.5) == Leaf(type_of_number(1.0))
    assert covering(3, made(F8)) == Leaf(TensorType(np.dtype("f8"), None))


@pytest.mark.parametrize("values", [(Undefined("x"), 1, 2), (1, Undefined("x"), 2)])
def test_a_name_that_may_be_unbound_has_a_bit(values):
    form = covering(*values)
    assert [leaf.type for leaf in form.leaves()] == [type_of_number(1), type_of_number(True)]
    assert list(form.typed(Undefined("x"))) == [
        (NOTHING, type_of_number(1)),
        (False, type_of_number(True)),
    ]
    built = rebuild(form, "x", iter([7, made(type_of_number(True))]))
    assert isinstance(built, Maybe) and built.inner == 7


def test_parts_of_a_container_are_joined_one_by_one():
    form = covering([1, "a"], [2, "a"])
    assert rebuild(form, "x", iter([9])) == [9, "a"]


@pytest.mark.parametrize(("one", "other"), [("a", 1), ([1], ["a", 2]), ([1], 1)])
def test_kinds_that_differ_are_an_error_where_they_are_read(one, other):
    built = rebuild(covering(one, other, name="p.x"), "p.x", iter([]))
    assert isinstance(built, Poison) and "depending on where it raised" in built.what
    assert isinstance(rebuild(covering(one, other, one, name="p.x"), "p.x", iter([])), Poison)


@pytest.mark.parametrize(("one", "other"), [("a", 1), ([1], 1), ((1, 2), "a")])
def test_kinds_that_differ_are_carried_in_a_name(one, other):
    form = covering(one, other)
    assert isinstance(form, Kinds) and len(form.parts) == 2
    assert covering(one, other, one).kinds == form.kinds


def test_texts_that_differ_are_letters():
    form = covering("a", "b")
    assert isinstance(form, Written) and list(form.typed("a")) == [("a", LETTERS)]
    assert isinstance(rebuild(form, "x", iter([made(LETTERS)])), GrownText)


@pytest.mark.parametrize("kind", [list, tuple])
def test_lists_of_several_lengths_are_rows(kind):
    form = covering(kind([1]), kind([1, 2.5]))
    assert isinstance(form, Growing) and form.like == kind()
    built = rebuild(form, "x", iter([made(F8)]))
    assert type(built) is kind and isinstance(built[0], Run)


def test_none_or_a_number_is_the_number_and_whether_it_is_there():
    form = covering(None, 1, 2)
    built = rebuild(form, "x", iter([7, True]))
    assert isinstance(built, Nullable) and (built.value, built.present) == (7, True)
    assert [x for x, _ in form.typed(None)] == [NOTHING, False]
    assert [x for x, _ in form.typed(3)] == [3, True]
    assert form != covering(2.0, None, 1.0) and form == covering(4, None, 5)


def test_forms_are_one_where_they_say_the_same():
    assert covering([1, "a"], [2, "a"]) == covering([3, "a"], [4, "a"])
    assert covering([1, "a"], [2, "a"]) != covering([1, "b"], [2, "b"])
    assert covering(1, 2) != covering("a")
