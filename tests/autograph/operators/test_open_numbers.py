"""Which captured numbers become inputs, and where a placeholder may stand for one meanwhile."""

import types
import weakref

import pytest

from autograph.operators.guards import Guard, Place, may_be_input
from autograph.operators.open_numbers import Numbers, _writer


class Plain:
    kind = 0

    def __init__(self):
        self.n = 1

    @property
    def twice(self):
        return 2


class Slotted:
    __slots__ = ("n", "__weakref__")


def attribute(thing, name):
    return Place(name, lambda: getattr(thing, name), ("attribute", weakref.ref(thing), name))


def test_places_that_are_only_that_can_be_written():
    plain, cell, items, table = Plain(), types.CellType(1), [1, 2], {"n": 1}
    for place in (
        attribute(plain, "n"),
        Place("cell", lambda: cell.cell_contents, ("cell", cell, None)),
        Place("item", lambda: items[1], ("item", items, 1)),
        Place("item", lambda: table["n"], ("item", table, "n")),
    ):
        write = _writer(place)
        assert write is not None
        write(7)
        assert place.fetch() == 7


@pytest.mark.parametrize("name", ["kind", "twice"])
def test_what_a_class_decides_on_is_left_alone(name):
    plain = Plain()
    vars(plain)["twice"] = 5  # hidden by the property
    assert _writer(attribute(plain, name)) is None


def test_slots_modules_and_containers_of_the_users_are_left_alone():
    slotted = Slotted()
    slotted.n = 1

    class Own(dict):
        pass

    assert _writer(attribute(slotted, "n")) is None
    assert _writer(Place("name", lambda: 1, ("item", globals(), "weakref"))) is None
    assert _writer(Place("item", lambda: 1, ("item", Own(n=1), "n"))) is None
    assert _writer(Place("anything", lambda: 1)) is None


@pytest.mark.parametrize(
    ("seen", "now", "opens"),
    [(1, 2, True), (1.5, 2.5, True), (1, 1, False), (1, 2.0, False), (1, True, False),
     (True, False, False), (1, 1 << 31, False), (1 << 31, 1, False), ("a", "b", False),
     (0.0, -0.0, True)],
)  # fmt: skip
def test_numbers_of_one_kind_open(seen, now, opens):
    box = {"n": now}
    guard = Guard(Place("n", lambda: box["n"], ("item", box, "n")), seen, True, "key")
    numbers = Numbers()
    numbers.add([guard])
    assert ("key" in numbers.read) == opens


def test_what_is_written_or_needed_is_remembered_and_no_more_than_a_few():
    box = {k: k + 1 for k in range(1000)}
    guards = [
        Guard(Place(str(k), lambda k=k: box[k], ("item", box, k)), k, True, ("item", k))
        for k in range(1000)
    ]
    numbers = Numbers()
    numbers.add(guards)
    assert len(numbers.read) == 256
    numbers.are_written([("item", 999)])
    assert ("item", 999) in numbers.written and ("item", 999) not in numbers.read
    assert numbers.fix() and not numbers.fix()
    numbers.add(guards[990:])
    assert not numbers.read and len(numbers.fixed) == 256
    assert may_be_input(-5) and may_be_input(1e300) and not may_be_input(-(1 << 31))
