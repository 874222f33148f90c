"""Special methods of the user's classes, while a trace is open."""

import dataclasses
import functools
import sys

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.methods import ORIGINALS
from runtime import journal
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def magnitude(x):
    if x > 0:
        return x
    return -x


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __add__(self, other):
        return magnitude(self.amount) + other

    def __eq__(self, other):
        return self.amount == other

    __hash__ = None

    def __len__(self):
        return magnitude(self.amount)

    def plain(self):
        return 1


class Cents(Money):
    pass


@dataclasses.dataclass
class Point:
    x: float
    y: float
    name: str = dataclasses.field(default="", compare=False)


class Countdown:
    def __init__(self, start):
        self.left = start

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left = self.left - 1
        return self.left


@pytest.fixture
def adopted():
    """Adopts the classes of the objects that it is given, in an open trace."""
    with tracing() as facts, facts.adopted:

        def adopt(kind, *args):
            facts.adopted.adopt(kind)
            return journal.fresh(kind(*args))

        yield adopt


def test_operators_run_converted(adopted):
    assert not (adopted(Money, placeholder()) + 1).is_known


def test_methods_of_a_base_class_are_found(adopted):
    assert not (adopted(Cents, placeholder()) + 1).is_known


def test_a_comparison_may_be_traced_and_its_negation(adopted):
    money = adopted(Money, placeholder())
    assert (money == 1).dtype == bool and (money != 1).dtype == bool


def test_where_python_needs_the_value_it_must_be_known(adopted):
    assert len(adopted(Money, -3)) == 3
    with pytest.raises(ag.StagingError, match="`Money.__len__` gives what is known only when"):
        len(adopted(Money, placeholder(dtype="int64", weak=True)))


def test_the_equality_of_a_dataclass_is_field_by_field(adopted):
    x = placeholder()
    unequal = adopted(Point, x, 1.0, "a") == adopted(Point, x, 2.0, "a")
    # From 3.13 on, Python asks whether `x == x` first, which nan is not.
    assert unequal.dtype == bool if sys.version_info >= (3, 13) else unequal is False
    result = adopted(Point, x, 1.0, "a") == adopted(Point, x + 1, 1.0, "b")
    assert result.dtype == bool and result.type.weak == (sys.version_info < (3, 13))
    assert (adopted(Point, x, 1.0) == 3) is False


def test_whether_there_is_a_next_item_must_be_known(adopted):
    assert list(adopted(Countdown, 3)) == [2, 1, 0]
    with pytest.raises(ag.StagingError, match="whether a Countdown has a next item"):
        next(adopted(Countdown, placeholder()))


def test_classes_are_as_before_after_the_trace():
    before = [dict(vars(kind)) for kind in (Money, Cents, Point)]
    with tracing() as facts, facts.adopted:
        for kind in (Money, Cents, Point):
            assert facts.adopted.adopt(kind)
        assert Money.__add__ is not before[0]["__add__"]
        assert Money.__add__ in ORIGINALS and Money.plain is before[0]["plain"]
    assert [dict(vars(kind)) for kind in (Money, Cents, Point)] == before
    assert not any(f.__qualname__.startswith("Money") for f in ORIGINALS)


def test_an_error_gives_the_classes_back_too():
    add = Money.__add__
    with pytest.raises(KeyError), tracing() as facts, facts.adopted:
        facts.adopted.adopt(Money)
        raise KeyError
    assert Money.__add__ is add


def test_a_trace_in_a_trace_leaves_the_stand_ins_of_the_outer_one():
    with tracing() as outer, outer.adopted:
        outer.adopted.adopt(Money)
        stand_in = Money.__add__
        with tracing() as inner, inner.adopted:
            assert inner.adopted.adopt(Money)
        assert Money.__add__ is stand_in


def test_others_get_the_original_methods_meanwhile():
    with tracing() as facts, facts.adopted:
        facts.adopted.adopt(Money)
        with ag.eager():
            assert Money(-2) + 1 == 3


@pytest.mark.parametrize("kind", [int, list, functools.partial, ag.Tensor])
def test_what_is_not_the_users_has_no_stand_ins(kind):
    with tracing() as facts, facts.adopted:
        assert not facts.adopted.adopt(kind)


class Left:
    """What makes objects in code that is left alone."""

    @staticmethod
    @ag.do_not_convert
    def made(kind, *args, **kwargs):
        return kind(*args, **kwargs)


@dataclasses.dataclass
class Rate:
    value: float
    share: float = 0.5

    def __post_init__(self):
        self.cost = self.value * self.share


class Plain:
    def __init__(self, value=1.0):
        self.value = value

    def __add__(self, other):
        return Plain(self.value + other.value)


def made_by_python(t, i):
    made = Left.made(Plain, t + i)
    return (made + made).value * 0.5


def made_with_names(t, i):
    return Left.made(Rate, value=t + i).cost


def written_afterwards(t, i):
    made = Left.made(Plain, t)
    made.value += i
    return made.value * 0.5


def replaced(t, i):
    return dataclasses.replace(Rate(t), value=t + i).cost


@pytest.mark.parametrize(
    "step",
    [made_by_python, made_with_names, written_afterwards, replaced],
    ids=lambda f: f.__name__,
)
def test_objects_that_code_left_alone_makes_are_those_of_a_round(step):
    def total(n):
        t, first = 1.0, (Plain(2.0) + Plain(3.0)).value + Rate(1.0).cost
        for i in range(n):
            t = step(t, i) + first
        return t

    converted = ag.convert(total)
    assert converted(np.int64(5)) == total(5) and converted.trace_count == 1
    assert "while" in str(converted.get_concrete_function(np.int64(5)).graph)


def test_an_older_object_that_is_initialized_again_is_changed():
    kept = Plain(1.0)

    @ag.do_not_convert
    def begin_again(value):
        kept.__init__(value)

    def total(n):
        t = (kept + kept).value
        for i in range(n):
            begin_again(t + i)
            t = t + kept.value
        return t

    expected, last = total(4), kept.value
    kept.value = 1.0
    assert ag.convert(total)(np.int64(4)) == expected and kept.value == last
