"""Which captured numbers become inputs, and where a placeholder may stand for one meanwhile."""

import importlib.util
import types
import weakref

import pytest

import autograph as ag
from autograph.operators.captured import open_numbers
from autograph.operators.captured.guards import Guard, Place, may_be_input
from autograph.operators.captured.open_numbers import Numbers, _writer


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


def test_slots_and_containers_of_the_users_are_left_alone():
    slotted = Slotted()
    slotted.n = 1

    class Own(dict):
        pass

    assert _writer(attribute(slotted, "n")) is None
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


@pytest.fixture
def threads(monkeypatch):
    """Says how many threads there are: those of the test run do not read the module."""

    def there_are(count):
        monkeypatch.setattr(open_numbers.threading, "active_count", lambda: count)

    there_are(1)
    return there_are


SOURCE = """
def count(x):
    global n
    n += 1
    if x > 0:
        n = 5
    return x * n
"""


@pytest.fixture
def counters(tmp_path):
    """A new module with `count`, which counts its calls in the module."""

    def make(n):
        path = tmp_path / "counters.py"
        path.write_text(SOURCE)
        spec = importlib.util.spec_from_file_location("counters", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.n = n
        return module

    return make


@pytest.mark.parametrize("number", [0, 4, 5, 1000])
def test_a_number_of_a_module_that_is_written_is_an_input(threads, counters, number):
    ours, plain = counters(number), counters(number)
    f = ag.convert(ours.count)
    for x in (-1.0, -2.0, -3.0, 4.0, 4.0, -1.0, -1.0, 2.0):
        assert f(x) == plain.count(x)
        assert (type(ours.n), ours.n) == (type(plain.n), plain.n)
    assert f.trace_count <= 4


@pytest.mark.parametrize("others", [1, 2])
def test_numbers_of_a_module_that_other_threads_may_read_are_left_alone(threads, counters, others):
    ours, plain = counters(0), counters(0)
    threads(others)
    place = Place("name", lambda: ours.n, ("item", vars(ours), "n"))
    assert (_writer(place) is None) is (others > 1)
    assert (_writer(attribute(ours, "n")) is None) is (others > 1)
    f = ag.convert(ours.count)
    for x in (-1.0, -2.0, 3.0, -1.0):
        assert f(x) == plain.count(x)
        assert ours.n == plain.n


def test_a_failed_trace_leaves_the_number_of_a_module(threads, counters):
    ours = counters(0)
    f = ag.convert(ours.count)
    f(-1.0), f(-1.0), f(-1.0)
    for wrong in ("text", None, [1]):
        with pytest.raises((TypeError, ag.StagingError)):
            f(wrong)
        assert type(ours.n) is int
    before = ours.n
    f(-1.0)
    assert ours.n == before + 1
