"""Values that staged statements carry."""

import collections
import dataclasses
import enum
import fractions

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import Undefined
from autograph.operators.stand_ins import values
from autograph.operators.stand_ins.values import NOTHING
from runtime.spec import TensorType, type_of_number
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass(frozen=True)
class Record:
    a: object
    b: object


NESTS = [(1, 2), [1, 2], {"a": 1, "b": 2}, Pair(1, 2), Record(1, 2)]


@pytest.mark.parametrize("nest", NESTS, ids=lambda nest: type(nest).__name__)
def test_a_container_is_rebuilt_from_its_parts(nest):
    assert values.is_container(nest)
    steps = values.own_children(nest)
    assert [part for _, part in steps] == [1, 2]
    made = values.with_children(nest, [3, 4])
    assert type(made) is type(nest) and [part for _, part in values.own_children(made)] == [3, 4]


@pytest.mark.parametrize("thing", [{1}, "ab", range(2), np.zeros(2), None, Record])
def test_other_things_are_no_containers(thing):
    assert not values.is_container(thing)


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
    assert values.is_object(thing) and values.has_parts(thing) and values.is_changeable(thing)
    steps = values.own_children(thing)
    assert [step for step, _ in steps] == sorted(step for step, _ in steps)
    made = values.with_children(thing, [f"{step}!" for step, _ in steps])
    assert type(made) is kind and made.a == ".a!" and made.b == ".b!"


def test_what_else_an_object_of_a_dataclass_holds_is_kept():
    record = Record(1, 2)
    object.__setattr__(record, "more", 3)
    assert [step for step, _ in values.own_children(record)] == [".a", ".b", ".more"]
    assert vars(values.with_children(record, [4, 5, 6])) == {"a": 4, "b": 5, "more": 6}


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
    assert not values.has_parts(thing)


def test_what_cannot_be_changed_is_told_by_its_parts():
    changeable = [values.is_changeable(nest) for nest in NESTS]
    assert changeable == [False, True, True, False, False]


def test_what_a_body_wrote_is_seen_in_a_container_that_was_rolled_back():
    held, record, thing = [1, 2], Record(1, 2), Plain(2, 1)
    writes = {
        ("content", id(held)): (None, [1, 2], [3, 4]),
        ("attr", id(thing), "a"): (None, 1, 5),
        ("attr", id(thing), "b"): (None, 2, Undefined("b")),
        ("attr", id(thing), "d"): (None, Undefined("d"), 6),
    }
    assert values.children_after(held, writes) == [("[0]", 3), ("[1]", 4)]
    assert values.children_after(record, writes) == [(".a", 1), (".b", 2)]
    assert values.children_after(thing, writes) == [(".a", 5), (".d", 6)]


@pytest.mark.parametrize(("a", "b", "other"), [
    ({"k": 1}, {"m": 1}, "a dict of 1 item with other keys"),
    (Plain(1, 2), Plain(1, 2), "a Plain with other attributes"),
    ({1}, {2}, "another set"), (1, "a", "the str 'a'"),
])  # fmt: skip
def test_two_values_of_one_kind_are_told_apart_in_words(a, b, other):
    assert values.describe_both(a, b) == (values.describe(a), other)


def test_types_of_numeric_values():
    assert values.type_of(1) == type_of_number(1)
    assert values.type_of(np.float32(1)) == TensorType(np.dtype("f4"), ())
    assert values.type_of(np.zeros((2, 3))) == TensorType(np.dtype("f8"), (2, 3))
    assert [values.is_numeric(x) for x in (1, np.zeros(2), ag.constant(1), "a", None)] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_what_is_an_array():
    with tracing():
        assert values.is_array(placeholder(shape=(2,))) and not values.is_array(placeholder())
        assert values.is_array(placeholder().as_array())
    assert values.is_array(np.zeros(())) and not values.is_array(np.float64(0))


def test_a_value_that_may_be_missing_is_split():
    assert values.split(1) == (1, True)
    assert values.split(Undefined("x")) == (NOTHING, False)
    assert values.split(NOTHING) == (NOTHING, NOTHING)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"), (1.5, "a float"), ([1], "a list of 1 item"), ("plus", "the str 'plus'"),
        ("x" * 99, "a str"), (np.zeros((2, 3)), "a float64[2, 3]"),
        (Record(1, 2), "a Record of 2 items"), ({1}, "a set"),
    ],
)  # fmt: skip
def test_values_in_a_few_words(value, words):
    assert values.describe(value) == words


def test_places_in_messages():
    assert values.subject("x") == "`x`" and values.subject("Thing.x of a") == "Thing.x of a"
    assert "a list whose length depends on data only of numbers" in values.advice(
        "a list of 1 item", "a list of 2 items"
    )
    assert "not text" in values.advice("the str 'a'", "a str")
    assert not values.advice("None", "a float")


def test_contradicting_types_are_named():
    with tracing():
        joined = values.merge_types("x", type_of_number(1), TensorType(np.dtype("f4"), (3,)))
    assert joined.dtype == np.float32


def test_two_truths_that_both_hold():
    def f(x):
        known = [values.both_hold(a, b) for a in (True, False) for b in (True, False)]
        assert known == [True, False, False, False]
        assert values.both_hold(x, True) is x and values.both_hold(True, x) is x
        assert values.both_hold(x, False) is False and values.both_hold(False, x) is False
        return values.both_hold(x, ag.logical_not(x)), values.both_hold(x, x)

    g = ag.convert(f, autograph=False)
    assert g(np.bool_(True)) == (False, True) and g.trace_count == 1
