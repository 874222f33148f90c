"""Containers of the user's own classes; arrays of a subclass; what a class holds itself."""

from __future__ import annotations

from collections import Counter, OrderedDict, UserList, defaultdict, deque, namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.arguments import A
from tests.language.harness import Samples, assert_equal, observe

samples = Samples()
F = np.float64


X, Y = A(3, 4), A(-5, 2)

M = np.ma.masked_array([1.0, 2.0], [0, 1])
R = np.rec.array([(1.0, 2.0)], dtype=[("a", "f8"), ("b", "f8")])


@pytest.mark.parametrize("array", [M, R])
def test_s1_a_subclass_of_ndarray_is_refused(array):
    with pytest.raises(ag.StagingError, match=r"subclass of ndarray(.|\n)*asarray"):
        ag.convert(lambda x: x * x)(array)


def test_s1_a_captured_subclass_of_ndarray_is_refused():
    with pytest.raises(ag.StagingError, match="subclass of ndarray"):
        ag.convert(lambda x: x + M)(np.ones(2))


class Logged:
    log: list[str] = []

    def __init__(self):
        self.log.append("made")


def test_e2_a_list_of_the_class_is_changed_at_each_call():
    f = ag.convert(lambda x: (Logged(), x * 2)[1])
    Logged.log.clear()
    assert [f(2.0), f(3.0), f(4.0)] == [4.0, 6.0, 8.0]
    assert Logged.log == ["made"] * 3


# ---- what a class says of its items --------------------------------------------------------------


class AsOne(list):
    def __contains__(self, value):
        return list.__len__(self) == 2


class Pair(tuple):
    def __contains__(self, value):
        return value > 3


class Backwards(list):
    def __iter__(self):
        for k in range(list.__len__(self) - 1, -1, -1):
            yield self[k] * 2


class Point(namedtuple("Point", "x y")):
    def __new__(cls, x, y=1.0):
        return super().__new__(cls, x * 2, y)


class Twice(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)

    def update(self, *args):
        raise NotImplementedError


class Doubling(Twice):
    def __iter__(self):
        return iter(["other"])


@samples("E2", (X,), (Y,))
def containers_that_say_themselves_what_is_in_them(x):
    return x[0] in AsOne([1.0, 2.0]), x[0] in AsOne([]), x[0] in Pair(), x[0] not in Pair([9.0])


@samples("E2", (X,), (Y,))
def items_are_searched_and_compared_past_an_iter_of_the_class(x):
    items = Backwards(x)
    table = Doubling(a=x[0])
    return x[0] in items, items == [x[0], x[1]], [v for v in items], "a" in table, list(table)


@samples("E2", (X,), (Y,))
def given_back_with_their_items(x):
    table = Twice()
    table["a"] = x[0]
    return Point(x[0]), Point._make([x[1], 2.0])._replace(y=x[0]), table


def test_e2_a_list_is_given_back_with_its_items_whatever_its_iter_gives():
    found = ag.convert(Backwards)(X)
    assert type(found) is Backwards and list.copy(found) == [3.0, 4.0]


class Named(list):
    def __init__(self, name, items):
        super().__init__(items)
        self.name = name


class Tagged(namedtuple("Tagged", "x y")):
    pass


def with_attributes(items, table, x):
    items.name = items.name + 1
    items.append(x)
    table["k"] = items.name * table.scale
    return items[0] * items.name + table["k"]


def test_e2_attributes_of_containers_that_are_arguments_are_read_and_written():
    """Containers of such classes are known by identity, and each has a trace of its own."""

    def given():
        table = Doubling()
        table.scale = 3
        return Named(2, [1.0]), table, F(4)

    f = ag.convert(with_attributes)
    expected, got = given(), given()
    for _ in range(2):
        plain, found = observe(with_attributes, expected), observe(f, got)
        assert_equal(found.value, plain.value)
        for one, other in zip(found.arguments[:2], plain.arguments[:2]):
            assert_equal(vars(one), vars(other))
            assert repr(one) == repr(other)


def test_e2_a_record_with_an_attribute_is_read():
    record = Tagged(F(1), 2.0)
    record.scale = 5
    assert ag.convert(lambda r: r.x * r.scale)(record) == 5.0


def test_s1_a_list_with_attributes_that_a_graph_makes_is_not_given_back():
    with pytest.raises(ag.StagingError, match="returns a Named that it made"):
        ag.convert(lambda x: Named("a", [x]))(F(1))


# ---- their text ----------------------------------------------------------------------------------


class Shown(list):
    def __repr__(self):
        return f"{len(self)} in " + super().__repr__()


class Ordered(OrderedDict):
    pass


class Counted(Counter):
    pass


class Filled(defaultdict):
    pass


class Recent(deque):
    pass


class Users(UserList):
    pass


class Spot:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Spot({self.x})"


@dataclass
class Report:
    value: float
    rows: list = field(default_factory=list)


def text_of_containers_of_own_classes(x):
    things = [
        Shown(x), Ordered(a=x[0]), Counted(a=x[0]), Filled(int, a=x[0]), Recent(x, maxlen=2),
        Users([x[0]]), AsOne(x),
    ]  # fmt: skip
    for thing in things:
        print(thing, [thing], {"k": thing})
    print(things[0], f"{things[1:]}", "%s" % things[2], str(things[3]), repr(things[4]))
    return f"{things}"


def text_of_objects_in_containers(x):
    spots = [Spot(v) for v in x[:2]]
    print(spots, (1, spots[0]), {"a": spots[1]}, deque(spots))
    if x[0] > 0:
        print([Spot(Spot(x[0]))], spots)
    return f"{spots} {Report(x[0], spots)}", "%s" % (spots,)


def objects_in_an_error(x):
    if x[0] < 0:
        raise ValueError([Spot(x[0])])
    return x[0]


def text_that_is_made_before_a_change(x):
    report = Report(x[0])
    texts = [f"{[report]}"]
    report.value = x[1]
    report.rows.append(x[0])
    texts.append(str(report))
    report.rows.clear()
    whole = Report(x)
    texts.append(f"{whole} {(whole,)}")
    x[0] = 100.0
    spots = [Spot(x[1])]
    texts.append(f"{spots}")
    spots[0].x = 7.0
    return texts


def text_of_arrays_that_the_function_makes(x):
    made = np.zeros(2)
    made[0] = 1.0
    report = Report(np.ones(2), [made])
    recent = deque([np.ones(2, int)])
    print(report, [report], recent, Tagged(made, recent), [Spot(made)])
    return f"{report} {[report]} {recent} {[recent]}", str(Tagged(made, 1)), "%s" % recent, x


WITH_TEXT = [
    text_of_containers_of_own_classes, text_of_objects_in_containers, objects_in_an_error,
    text_that_is_made_before_a_change, text_of_arrays_that_the_function_makes,
]  # fmt: skip


@pytest.mark.parametrize("sample", WITH_TEXT)
@pytest.mark.parametrize("backend", BACKENDS)
def test_e7_text_of_what_a_graph_computed_is_what_the_classes_say(sample, backend):
    """A `__repr__` of the user's is called for objects in text, as Python calls it."""
    f = ag.convert(sample)
    with config.backend.using(backend), config.check.using(True):
        for x in (X, Y, X):
            expected, got = observe(sample, (x.copy(),)), observe(f, (x.copy(),))
            assert (got.printed, repr(got.error)) == (expected.printed, repr(expected.error))
            assert_equal(got.value, expected.value)
    assert f.trace_count == 1


test_subclasses = samples.test()
