"""Values that staged statements carry."""

import collections
import dataclasses
import enum
import fractions

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import Undefined
from autograph.operators.values import carried
from autograph.operators.values.carried import NOTHING
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
    assert carried.is_container(nest)
    steps = carried.own_children(nest)
    assert [part for _, part in steps] == [1, 2]
    made = carried.with_children(nest, [3, 4])
    assert type(made) is type(nest) and [part for _, part in carried.own_children(made)] == [3, 4]


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


def test_what_else_an_object_of_a_dataclass_holds_is_kept():
    record = Record(1, 2)
    object.__setattr__(record, "more", 3)
    assert [step for step, _ in carried.own_children(record)] == [".a", ".b", ".more"]
    assert vars(carried.with_children(record, [4, 5, 6])) == {"a": 4, "b": 5, "more": 6}


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


def test_what_cannot_be_changed_is_told_by_its_parts():
    changeable = [carried.is_changeable(nest) for nest in NESTS]
    assert changeable == [False, True, True, False, False]


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


def test_types_of_numeric_values():
    assert carried.type_of(1) == type_of_number(1)
    assert carried.type_of(np.float32(1)) == TensorType(np.dtype("f4"), ())
    assert carried.type_of(np.zeros((2, 3))) == TensorType(np.dtype("f8"), (2, 3))
    assert [carried.is_numeric(x) for x in (1, np.zeros(2), ag.constant(1), "a", None)] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_what_is_an_array():
    with tracing():
        assert carried.is_array(placeholder(shape=(2,))) and not carried.is_array(placeholder())
        assert carried.is_array(placeholder().as_array())
    assert carried.is_array(np.zeros(())) and not carried.is_array(np.float64(0))


def test_a_value_that_may_be_missing_is_split():
    assert carried.split(1) == (1, True)
    assert carried.split(Undefined("x")) == (NOTHING, False)
    assert carried.split(NOTHING) == (NOTHING, NOTHING)


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


def test_contradicting_types_are_named():
    with tracing():
        joined = carried.merge_types("x", type_of_number(1), TensorType(np.dtype("f4"), (3,)))
    assert joined.dtype == np.float32


def test_two_truths_that_both_hold():
    def f(x):
        known = [carried.both_hold(a, b) for a in (True, False) for b in (True, False)]
        assert known == [True, False, False, False]
        assert carried.both_hold(x, True) is x and carried.both_hold(True, x) is x
        assert carried.both_hold(x, False) is False and carried.both_hold(False, x) is False
        return carried.both_hold(x, ag.logical_not(x)), carried.both_hold(x, x)

    g = ag.convert(f, autograph=False)
    assert g(np.bool_(True)) == (False, True) and g.trace_count == 1
