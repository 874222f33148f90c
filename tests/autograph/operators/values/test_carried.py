"""Values that staged statements carry."""

import dataclasses
import enum
import fractions

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import Undefined
from autograph.operators.values import carried


@dataclasses.dataclass(frozen=True)
class Record:
    a: object
    b: object


@pytest.mark.parametrize("thing", [{1}, "ab", range(2), np.zeros(2), None, Record])
def test_other_things_are_no_containers(thing):
    assert not carried.is_container(thing)


class Plain:
    def __init__(self, b, a):
        self.b, self.a = b, a


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, b, a):
        self.b, self.a = b, a


class Both(Slotted):
    def __init__(self, b, a):
        super().__init__(b, a)
        self.c = 3


@pytest.mark.parametrize("kind", [Plain, Slotted, Both])
def test_an_object_of_a_plain_class_is_rebuilt_from_its_attributes(kind):
    thing = kind(2, 1)
    assert carried.is_object(thing) and carried.has_parts(thing) and carried.is_changeable(thing)
    steps = carried.own_children(thing)
    assert [step for step, _ in steps] == sorted(step for step, _ in steps)
    made = carried.with_children(thing, [f"{step}!" for step, _ in steps])
    assert type(made) is kind and made.a == ".a!" and made.b == ".b!"


def test_a_slot_is_read_under_a_property_of_its_name():
    class Shown(Slotted):
        __slots__ = ()
        a = property(lambda self: 5)

    thing = Shown.__new__(Shown)
    assert carried.attributes_of(thing) == {}
    Slotted.a.__set__(thing, 1)
    assert carried.attributes_of(thing) == {"a": 1}


class Colour(enum.Enum):
    RED = 1


class Counted(dict):
    pass


class Watched:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Callable:
    def __call__(self):
        return 1


@pytest.mark.parametrize("thing", [
    Colour.RED, Counted(), Watched(), Callable(), ValueError("a"), Plain, fractions.Fraction(1, 2),
    iter([1]), lambda: 1,
])  # fmt: skip
def test_what_is_more_than_its_attributes_is_no_plain_object(thing):
    assert not carried.has_parts(thing)


def test_what_a_body_wrote_is_seen_in_a_container_that_was_rolled_back():
    held, record, thing = [1, 2], Record(1, 2), Plain(2, 1)
    writes = {
        ("content", id(held)): (None, [1, 2], [3, 4]),
        ("attr", id(thing), "a"): (None, 1, 5),
        ("attr", id(thing), "b"): (None, 2, Undefined("b")),
        ("attr", id(thing), "d"): (None, Undefined("d"), 6),
    }
    assert carried.children_after(held, writes) == [("[0]", 3), ("[1]", 4)]
    assert carried.children_after(record, writes) == [(".a", 1), (".b", 2)]
    assert carried.children_after(thing, writes) == [(".a", 5), (".d", 6)]


@pytest.mark.parametrize(("a", "b", "other"), [
    ({"k": 1}, {"m": 1}, "a dict of 1 item with other keys"),
    (Plain(1, 2), Plain(1, 2), "a Plain with other attributes"),
    ({1}, {2}, "another set"), (1, "a", "the str 'a'"),
])  # fmt: skip
def test_two_values_of_one_kind_are_told_apart_in_words(a, b, other):
    assert carried.describe_both(a, b) == (carried.describe(a), other)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"), (1.5, "a float"), ([1], "a list of 1 item"), ("plus", "the str 'plus'"),
        ("x" * 99, "a str"), (np.zeros((2, 3)), "a float64[2, 3]"),
        (Record(1, 2), "a Record of 2 items"), ({1}, "a set"),
    ],
)  # fmt: skip
def test_values_in_a_few_words(value, words):
    assert carried.describe(value) == words


def test_places_in_messages():
    assert carried.subject("x") == "`x`" and carried.subject("Thing.x of a") == "Thing.x of a"
    assert "a list whose length depends on data only of numbers" in carried.advice(
        "a list of 1 item", "a list of 2 items"
    )
    assert "not text" in carried.advice("the str 'a'", "a str")
    assert not carried.advice("None", "a float")


def test_two_truths_that_both_hold():
    def f(x):
        known = [carried.both_hold(a, b) for a in (True, False) for b in (True, False)]
        assert known == [True, False, False, False]
        assert carried.both_hold(x, True) is x and carried.both_hold(True, x) is x
        assert carried.both_hold(x, False) is False and carried.both_hold(False, x) is False
        return carried.both_hold(x, ag.logical_not(x)), carried.both_hold(x, x)

    g = ag.convert(f, autograph=False)
    assert g(np.bool_(True)) == (False, True) and g.trace_count == 1
