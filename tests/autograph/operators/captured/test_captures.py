"""Captured values: inputs by reference, guards, containers and the state of objects."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured import captures
from autograph.operators.captured.captures import (
    Place,
    are_one_object,
    guard_apart,
    read,
)
from autograph.operators.captured.guards import MISSING, Guard, marks, same_value, state_marks
from tests.autograph.operators.tracing_by_hand import tracing


class Thing:
    def __init__(self, **fields):
        self.__dict__.update(fields)


@pytest.mark.parametrize(("a", "b", "same"), [
    (1, 1, True), (1, True, False), (1, 1.0, False), (0.0, -0.0, False),
    (float("nan"), float("nan"), True), ("a", "a", True), ((1, 2.0), (1, 2.0), True),
    ((1, 2.0), (1, 2), False), (None, None, True), ([1], [1], True), ({1: 2}, {1: 2}, True),
    ({1: 2}, {1: 2.0}, False), (b"a", "a", False), (Thing(), Thing(), False),
])  # fmt: skip
def test_same_value(a, b, same):
    assert same_value(a, b) is same


def test_guard_holds_and_explains():
    box = {"k": 1}
    guard = Guard(Place("`k`", lambda: box["k"]), 1, by_value=True)
    assert guard.holds()
    box["k"] = 2
    assert not guard.holds() and guard.explain() == "`k`: 1 -> 2"
    del box["k"]
    assert not guard.holds() and guard.explain() == "`k`: 1 -> unbound"
    assert Guard(Place("`k`", lambda: box["k"]), MISSING, by_value=False).holds()


def test_marks_tell_objects_by_identity():
    thing, array = Thing(), np.ones(2)
    before = marks([1, thing, array])
    assert same_value(before, marks([1, thing, array]))
    assert not same_value(before, marks([1, Thing(), array]))
    assert not same_value(before, marks([1, thing, np.ones(2)]))
    assert not same_value(before, marks([1.0, thing, array]))


def test_state_marks_see_content_and_cycles():
    thing = Thing(a=1, rows=[1, {"k": np.ones(2)}])
    thing.me = thing
    read = lambda t: vars(t) if isinstance(t, Thing) else t
    before = state_marks(thing, read)
    assert same_value(before, state_marks(thing, read))
    thing.rows[1]["k"][0] = 5.0
    assert not same_value(before, state_marks(thing, read))


def test_read_guards_values_and_captures_arrays():
    array, number = np.ones(2), 3
    with tracing() as facts:
        handle = captures.read("a", Place("`a`", lambda: array), array)
        assert isinstance(handle, ag.Tensor) and not handle.is_known
        assert captures.read("a", Place("`a`", lambda: array), array) is handle
        assert captures.read("n", Place("`n`", lambda: number), number) == 3
        assert list(facts.captures.inputs) == ["a"] and list(facts.captures.guards) == ["n"]
    assert captures.read("n", Place("`n`", lambda: number), number) == 3


def test_reads_of_containers_that_python_looks_into_are_guarded():
    one, two = [1.0], [2.0]
    with tracing() as facts:
        for name, container in (("one", one), ("two", two)):
            captures.read(name, Place(name, lambda c=container: c), container)
        facts.outside.consumed(two)
        facts.outside.guard()
        assert ("content", id(one)) in facts.captures.guards and (
            "content",
            id(two),
        ) not in facts.captures.guards


def _captured(**values):
    """What reading each name as a captured one gives."""
    return [
        read(("global", 0, name), Place(f"`{name}`", lambda value=value: value), value)
        for name, value in values.items()
    ]


def test_an_array_under_two_names_is_one_input():
    array = np.ones(2)
    with tracing() as trace:
        one, other = _captured(x=array, y=array)
        assert one is other and len(trace.captures.inputs) == 1
        assert all(guard.holds() for guard in trace.captures.guards.values())
        assert "`y`" in trace.captures.guards["global", 0, "y"].explain()


def test_a_number_under_two_names_is_two_inputs():
    number = np.float64(2.0)
    with tracing() as trace:
        one, same, other = _captured(x=number, y=number, z=np.float64(2.0))
        assert len({id(one), id(same), id(other)}) == 3 and not trace.captures.guards
        assert are_one_object(one, same) is True and are_one_object(one, other) is False
        assert len(trace.captures.guards) == 2
        assert are_one_object(one, one + 1) is None


def test_written_arrays_are_guarded_to_be_apart():
    with tracing() as trace:
        one, other, _ = _captured(x=np.ones(2), y=np.ones(2), z=np.float64(1.0))
        guard_apart([])
        assert not trace.captures.guards
        guard_apart([one])
        (guard,) = trace.captures.guards.values()
        assert guard.holds() and guard.place.name == "`x` and `y`"
