"""Values that staged statements carry."""

import collections
import dataclasses

import numpy as np
import pytest

import autograph as ag
from autograph.operators import values
from autograph.operators.values import NOTHING
from autograph.operators.variables import Undefined
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


def test_parts_are_paired_where_structures_agree():
    assert values.paired_children((1, 2), (3, 4)) == [("[0]", 1, 3), ("[1]", 2, 4)]
    assert values.paired_children({"a": 1}, {"b": 1}) is None
    assert values.paired_children((1, 2), [1, 2]) is None
    assert values.paired_children([1], NOTHING) == [("[0]", 1, NOTHING)]


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
    assert "no list whose length" in values.advice("a list of 1 item", "a list of 2 items")
    assert "not text" in values.advice("the str 'a'", "a str")
    assert not values.advice("None", "a float")


def test_contradicting_types_are_named():
    with tracing():
        joined = values.merge_types("x", type_of_number(1), TensorType(np.dtype("f4"), (3,)))
    assert joined.dtype == np.float32
