"""What a trace takes for granted about the world outside."""

import gc
import itertools

import numpy as np
import pytest

from autograph.operators.captured.guards import (
    ApartGuard,
    Guard,
    Identity,
    IdentityGuard,
    Place,
    SharingGuard,
    marks,
    same_value,
    state_marks,
)


class Thing:
    def __init__(self, **fields):
        vars(self).update(fields)


DIFFERENT = [
    True, 1, 1.0, 1 + 0j, "1", b"1", None, 0.0, -0.0, 0, False, (1,), (1.0,), [1],
    {1: 1}, {True: 1}, {1: 1, 2: 1}, {2: 1, 1: 1}, {1}, {1.0}, {1.0, 2}, frozenset({1}),
    frozenset({True}), frozenset({0.0}), frozenset({-0.0}), frozenset({(1, 2)}),
    frozenset({(True, 2)}), 0j, -0j, np.int64(1), np.int32(1), np.float32(0.0), np.float32(-0.0),
    np.bool_(True), np.float64(1.0), np.complex64(1),
]  # fmt: skip


def test_values_of_different_types_or_bits_differ():
    found = [(a, b) for a, b in itertools.product(DIFFERENT, repeat=2) if same_value(a, b)]
    assert list(map(repr, found)) == [repr((a, a)) for a in DIFFERENT]


def test_nan_is_the_same_value():
    assert same_value(float("nan"), float("nan")) and same_value((float("nan"),), (float("nan"),))


def test_a_guard_holds_as_long_as_the_place_does():
    table = {"k": 2.0}
    guard = Guard(Place("table['k']", lambda: table["k"]), 2.0, by_value=True)
    assert guard.holds()
    table["k"] = 2.0 + 0.0
    assert guard.holds()
    table["k"] = 2
    assert not guard.holds() and guard.explain() == "table['k']: 2.0 -> 2"
    del table["k"]
    assert not guard.holds() and guard.explain() == "table['k']: 2.0 -> unbound"


def test_an_object_is_guarded_by_identity_and_not_kept():
    space = {"x": Thing()}
    guard = IdentityGuard(Place("x", lambda: space["x"]), Identity(space["x"]))
    assert guard.holds()
    space["x"] = Thing()
    assert not guard.holds() and guard.explain() == "x: another object ('Thing' before)"
    gc.collect()
    assert guard.expected.ref() is None


def test_none_in_the_place_of_an_object_that_died_is_another():
    class Thing:
        pass

    places = {"x": Thing()}
    guard = IdentityGuard(Place("x", lambda: places["x"]), Identity(places["x"]))
    places["x"] = None
    gc.collect()
    assert guard.expected.ref() is None
    assert not guard.holds()


def test_two_places_share_an_object_or_do_not():
    space = {"x": Thing(), "y": Thing()}
    x, y = (Place(f"`{name}`", lambda name=name: space[name]) for name in "xy")
    apart, together = SharingGuard(x, y, is_one=False), SharingGuard(x, y, is_one=True)
    assert apart.holds() and not together.holds()
    assert together.explain() == "`x` is another object than `y`"
    space["y"] = space["x"]
    assert together.holds() and not apart.holds()
    assert apart.explain() == "`x` is the same object as `y`"
    space.clear()
    assert not together.holds() and not apart.holds()


def test_places_hold_as_many_objects():
    space = {"x": Thing(), "y": Thing(), "z": Thing()}
    guard = ApartGuard(tuple(Place(f"`{name}`", lambda name=name: space[name]) for name in space))
    assert guard.holds()
    space["x"] = Thing()
    assert guard.holds()
    space["z"] = space["y"]
    assert not guard.holds() and guard.explain() == "two of `x` and `y` and `z` are one array"


def test_elements_are_marked_by_value_or_identity():
    thing = Thing()
    assert same_value(marks([1, "a", thing]), marks([1, "a", thing]))
    assert not same_value(marks([1, "a", thing]), marks([1, "a", Thing()]))
    assert not same_value(marks({"a": 1}), marks({"a": 1.0}))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: setattr(t, "n", 2),
        lambda t: t.items.append(3),
        lambda t: t.items[1].__setitem__("k", 5),
        lambda t: t.array.__setitem__(0, 9.0),
        lambda t: t.kept.add(4),
    ],
)
def test_the_state_of_an_object_is_seen_to_its_depths(change):
    thing = Thing(n=1, items=[1, {"k": 2}], array=np.zeros(2), kept={1})
    before = state_marks(thing, lambda x: vars(x) if isinstance(x, Thing) else x)
    change(thing)
    after = state_marks(thing, lambda x: vars(x) if isinstance(x, Thing) else x)
    assert not same_value(before, after)


def test_an_object_that_holds_itself_ends():
    thing = Thing()
    thing.own = [thing]
    read = lambda x: vars(x) if isinstance(x, Thing) else x  # noqa: E731
    assert same_value(state_marks(thing, read), state_marks(thing, read))
