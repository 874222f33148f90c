"""Values of what a statement carries: built of graph values, and taken apart into them."""

import pytest

from autograph.operators.captured.variables import Maybe, Nullable, Undefined
from autograph.operators.loops.widening import form_of, form_of_parts
from autograph.operators.symbolic.choices import Among, Kinds, Optional, OrNone
from autograph.operators.symbolic.forms import Leaf, Makers, Static
from autograph.operators.symbolic.ranges import Ranged, ranged
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.carried import NOTHING, with_children
from runtime.building import building
from runtime.spec import type_of_number
from tests.autograph.operators.tracing_by_hand import tracing

INT, BOOL = map(type_of_number, (1, True))


def built(form, parts, containers=None):
    """The value of a form of these graph values; what container was asked for is noted."""
    given = iter(parts)
    made = containers if containers is not None else {}

    def container(form, parts, name):
        return made.setdefault(name, with_children(form.like, parts))

    return form.unflatten("x", Makers(lambda *_: next(given), container))


@pytest.mark.parametrize("value", [3, [1, {"k": 2.0}], (1, "a"), [1, (2, ["a"])]])
def test_a_form_gives_its_leaves_and_is_built_of_them(value):
    form = form_of(value, bools=False, made=True)
    made = built(form, form.flatten(value))
    assert made == value and type(made) is type(value)


def test_the_containers_of_a_value_have_numbers_and_names():
    value = ([1], {"k": [2]})
    form = form_of(value, bools=False, made=True)
    found = list(form.containers(value, "x"))
    assert [name for _, name, _ in found] == ["x[0]", "x[1]", "x[1]['k']"]
    assert [x for _, _, x in found] == [value[0], value[1], value[1]["k"]]
    assert len({number for number, _, _ in found}) == 3
    lacking = list(form.containers(NOTHING, "x"))
    assert [x for _, _, x in lacking] == [NOTHING] * 3


def test_the_values_that_stay_are_found_inside_of_what_does_not():
    held = [2.0]
    form = Optional(form_of_parts([1, held, ("a", 2)], bools=False))
    assert list(form.statics()) == [held, "a"]
    assert list(Static(held).statics()) == [held]


@pytest.mark.parametrize(("form", "value", "found"), [
    (Among(("a", "b")), "b", [1]), (Ranged(1), range(2, 5), [2, 5]),
    (Ranged(None), range(0, 4, 2), [0, 4, 2]), (Written(), "ab", ["ab"]),
    (Kinds((0, "text"), (Leaf(INT), Static("a"))), 7, [0, 7]),
    (OrNone(Optional(Leaf(INT))), None, [NOTHING, False, False]),
])  # fmt: skip
def test_a_value_has_something_for_each_leaf(form, value, found):
    assert list(form.flatten(value)) == found
    assert len(list(form.flatten(NOTHING))) == len(found) == len(list(form.leaves()))


def test_ranges_are_one_by_their_ends():
    assert ranged(range(2), Static(range(3))) == Ranged(1)
    assert ranged(range(2), range(0, 4, 2)) == Ranged(None) and ranged(range(2), 3) is None


@pytest.mark.parametrize(("form", "kind", "there"), [
    (Optional(Leaf(INT)), Maybe, "defined"), (OrNone(Leaf(INT)), Nullable, "present"),
])  # fmt: skip
def test_a_value_that_may_be_missing_has_a_bit(form, kind, there):
    for x, bit in ((7, True), (Undefined("x") if kind is Maybe else None, False)):
        pairs = list(form.flatten(x))
        assert pairs[1] is bit
        assert [leaf.type for leaf in form.leaves()] == [INT, BOOL]
    with tracing():
        traced = building().tensor(building().input(BOOL))
        made = built(form, [7, traced])
    assert type(made) is kind and made.inner == 7 and getattr(made, there) is traced
