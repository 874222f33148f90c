"""What the entry reads from outside of the arguments, and when it calls its function instead."""

import gc
import io
import sys
import types
import weakref

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.miss import MISS
from runtime.execute.native.prepared import Native
from runtime.execute.native.reading import Alive, Reading, Same, Shared, Variable

X = np.array([1.0, 2.0, 3.0])


class Thing:
    __slots__ = ("__weakref__",)  # all are of one size, so that one takes another's place


@pytest.fixture(scope="module")
def summed():
    """A graph of an argument and two more inputs, natively."""
    f = ag.convert(lambda x, y, z: x + 2 * y + 4 * z)
    f(X, X, X)
    run = f.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    return run


def otherwise(*args):
    return "otherwise", *args


def reader_of(native, *inputs, constants=(), checks=(), replaced=None):
    arguments = 3 - len(inputs) - len(constants)
    reading = Reading(arguments, inputs, constants, checks, [] if replaced is None else replaced)
    return native.reading(reading, otherwise)


def test_variables_and_cells_are_read_anew_at_each_call(summed):
    names, cell = {"y": X}, types.CellType(X)
    read = reader_of(summed, Variable(names, "y"), cell)
    np.testing.assert_array_equal(read(X), 7 * X)
    names["y"] = np.zeros(3)
    np.testing.assert_array_equal(read(X), 5 * X)
    cell.cell_contents = np.zeros(3)
    np.testing.assert_array_equal(read(X), X)


def test_constants_come_last(summed):
    read = reader_of(summed, types.CellType(np.zeros(3)), constants=[X])
    np.testing.assert_array_equal(read(X), 5 * X)


def test_what_is_not_there_is_left_to_the_function(summed):
    names, cell = {"y": X, ("other",): X}, types.CellType(X)
    read = reader_of(summed, Variable(names, "y"), cell)
    del names["y"]
    assert read(X) == ("otherwise", X)
    names["y"] = X
    del cell.cell_contents
    assert read(X) == ("otherwise", X)
    cell.cell_contents = X
    np.testing.assert_array_equal(read(X), 7 * X)


def test_a_name_whose_comparison_raises_is_left_to_the_function(summed):
    class Name(str):
        def __hash__(self):
            return hash("y")

        def __eq__(self, other):
            raise ValueError("not to be compared")

    read = reader_of(summed, Variable({Name("z"): X}, "y"), types.CellType(X))
    assert read(X) == ("otherwise", X)


@pytest.mark.parametrize("args", [(), (X, X), (X, X, X, X)], ids=len)
def test_other_numbers_of_arguments_are_left_to_the_function(summed, args):
    read = reader_of(summed, types.CellType(X), types.CellType(X))
    assert read(*args) == ("otherwise", *args)


def test_inputs_that_were_replaced_are_left_to_the_function(summed):
    replaced = []
    read = reader_of(summed, types.CellType(X), types.CellType(X), replaced=replaced)
    np.testing.assert_array_equal(read(X), 7 * X)
    replaced.append(X)
    assert read(X) == ("otherwise", X)


@pytest.mark.parametrize(
    "other", [np.ones(4), X.astype("f4"), X[::-1], np.ma.masked_array(X), 1.0, None, [1.0]]
)
def test_inputs_of_other_types_are_no_inputs(summed, other):
    read = reader_of(summed, types.CellType(X), types.CellType(other))
    assert read(X) is MISS


def test_an_object_must_be_the_same(summed):
    names = {"helper": otherwise}
    check = Same(Variable(names, "helper"), otherwise)
    read = reader_of(summed, types.CellType(X), types.CellType(X), checks=[check])
    np.testing.assert_array_equal(read(X), 7 * X)
    names["helper"] = len
    assert read(X) == ("otherwise", X)


def test_an_object_that_is_held_weakly_must_be_alive(summed):
    thing = Thing()
    cell = types.CellType(thing)
    check = Alive(cell, weakref.ref(thing))
    read = reader_of(summed, types.CellType(X), types.CellType(X), checks=[check])
    np.testing.assert_array_equal(read(X), 7 * X)
    address = id(thing)
    del thing, cell.cell_contents
    # One of these is where the thing was.
    others = [Thing() for _ in range(1000)]
    for other in others:
        cell.cell_contents = other
        assert read(X) == ("otherwise", X)
    assert address in map(id, others)


def test_none_is_not_what_died(summed):
    thing = Thing()
    cell = types.CellType(None)
    check = Alive(cell, weakref.ref(thing))
    del thing
    read = reader_of(summed, types.CellType(X), types.CellType(X), checks=[check])
    assert read(X) == ("otherwise", X)


def test_comparing_a_name_may_bind_others_anew(summed):
    names, taken = {}, []

    class Name(str):
        def __hash__(self):
            return hash("z")

        def __eq__(self, other):
            names["y"] = None
            taken.extend(np.full(3, 99.0) for _ in range(50))  # memory that is free is taken
            return False

    names.update({"y": X.copy(), Name("other"): None, "z": X.copy()})
    names["y"] = X.copy()
    read = reader_of(summed, Variable(names, "y"), Variable(names, "z"))
    np.testing.assert_array_equal(read(X), 7 * X)
    assert taken
    assert names["y"] is None


@pytest.mark.parametrize("is_one", [True, False])
def test_two_places_must_hold_one_object_or_two(summed, is_one):
    one, other = types.CellType(X), types.CellType(X)
    read = reader_of(summed, one, other, checks=[Shared(one, other, is_one)])
    expected = 7 * X if is_one else ("otherwise", X)
    np.testing.assert_equal(read(X), expected)
    other.cell_contents = X.copy()
    expected = ("otherwise", X) if is_one else 7 * X
    np.testing.assert_equal(read(X), expected)


def test_calls_leave_no_references_behind(summed):
    cell, helper = types.CellType(X.copy()), Thing()
    names = {"helper": helper, "y": X.copy()}
    checks = [Same(Variable(names, "helper"), helper), Shared(cell, Variable(names, "y"), False)]
    read = reader_of(summed, cell, Variable(names, "y"), checks=checks)
    watched = [cell.cell_contents, names["y"], helper, otherwise]

    def counted():
        for _ in range(100):
            read(X), read(X.astype("f4")), read()
        names["helper"] = None
        for _ in range(100):
            read(X)
        names["helper"] = helper
        return [sys.getrefcount(thing) for thing in watched]

    assert counted() == counted()


def test_an_array_lives_until_the_call_ends_though_its_name_was_bound_anew(monkeypatch):
    names, others = {}, []

    class Output(io.StringIO):
        def write(self, text):
            names["table"] = np.zeros(4)
            others.extend(np.full(4, 99.0) for _ in range(50))  # memory that is free is taken
            return len(text)

    def shown(x, y):
        while x[0] < 2:
            print(x)
            x = x + 1
        return x + y

    monkeypatch.setattr(sys, "stdout", Output())
    f = ag.convert(shown)
    f(np.zeros(4), np.zeros(4))
    run = f.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    names["table"] = np.arange(4.0)
    read = run.reading(Reading(1, [Variable(names, "table")], (), (), []), otherwise)
    np.testing.assert_array_equal(read(np.zeros(4)), np.arange(4.0) + 2)
    assert others
    assert names["table"].sum() == 0


def test_all_that_it_reads_is_kept_as_long_as_it_is_used(summed):
    array, thing = X.copy(), Thing()
    names = {"".join("ab"): array, "thing": thing}
    checks = [Same(Variable(names, "thing"), thing)]
    constant = np.zeros(3)
    read = reader_of(summed, Variable(names, "ab"), constants=[constant], checks=checks)
    kept = [weakref.ref(array), weakref.ref(constant), weakref.ref(thing)]
    del array, constant, thing, names, checks
    gc.collect()
    np.testing.assert_array_equal(read(X), 3 * X)
    del read
    gc.collect()
    assert [reference() for reference in kept] == [None, None, None]
