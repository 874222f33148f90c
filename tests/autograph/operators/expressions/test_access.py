"""Attributes, items and unpacking, journaled while tracing."""

import collections

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins import in_place
from autograph.operators.expressions import access, attributes
from runtime import journal
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


class Box:
    def __init__(self, value=0):
        self.value = value

    @property
    def double(self):
        return self.value * 2


def test_in_python_they_are_pythons_own():
    box, items = Box(3), [1, 2, 3]
    assert attributes.getattr_(box, "value") == 3
    assert access.getitem(items, slice(1, None)) == [2, 3]
    attributes.setattr_(box, "value", 4)
    access.setitem(items, 0, 9)
    access.delitem(items, 1)
    assert box.value == 4 and items == [9, 3]
    attributes.delattr_(box, "value")
    with pytest.raises(AttributeError, match="'Box' object has no attribute 'value'"):
        attributes.getattr_(box, "value")
    with pytest.raises(IndexError, match="list index out of range"):
        access.getitem(items, 7)


def test_stores_are_rolled_back_after_a_trace():
    box, items, table, last = Box(3), [1, 2], {"a": 1}, collections.deque([1, 2])
    with tracing(box, items, table, last):
        attributes.setattr_(box, "value", 4)
        attributes.setattr_(box, "new", 5)
        access.setitem(items, 0, 9)
        access.delitem(table, "a")
        access.setitem(last, 1, 7)
        in_place.iadd(items, [5])
        assert (box.value, box.new, items, table) == (4, 5, [9, 2, 5], {})
    assert vars(box) == {"value": 3} and items == [1, 2] and table == {"a": 1}
    assert list(last) == [1, 2]


def test_attributes_from_outside_are_guarded_and_properties_run():
    box = Box(3)
    with tracing(box) as facts:
        assert attributes.getattr_(box, "value") == 3 and attributes.getattr_(box, "double") == 6
        assert ("attr", id(box), "value") in facts.captures.guards
        with pytest.raises(AttributeError):
            attributes.getattr_(box, "missing")
        assert ("attr", id(box), "missing") in facts.captures.guards


def test_items_from_outside():
    items = [np.ones(2), 5]
    with tracing(items) as facts:
        assert isinstance(access.getitem(items, 0), ag.Tensor) and access.getitem(items, 1) == 5
        assert ("item", id(items), 1) in facts.captures.guards and len(facts.captures.inputs) == 1


def test_item_by_a_traced_index():
    with tracing():
        i = placeholder("int64")
        assert access.getitem([1.0, 2.0], i).shape == () and access.getitem(range(3), i).shape == ()
        assert access.getitem({1: 2, "a": 3, 2: 4}, i).shape == ()
        with pytest.raises(ag.StagingError, match="data does not choose between its items"):
            access.getitem([abs, np.ones(2)], i)
        with pytest.raises(ag.StagingError, match="a defaultdict is asked for a key"):
            access.getitem(collections.defaultdict(int), i)
        items = [1.0]
        access.setitem(items, i, 2.0)
        assert access.getitem(items, 0).dtype == np.float64
        numbers = {1: 2, 2: 3}
        access.setitem(numbers, i, 5)
        assert not numbers[1].is_known and not numbers[2].is_known
        with pytest.raises(ag.StagingError, match="none of its keys"):
            access.setitem({"a": 2}, i, 2.0)


def test_unpacking():
    assert list(access.unpack([1, 2], 2)) == [1, 2]
    with tracing():
        rows = access.unpack(placeholder(shape=(2, 3)), 2)
        assert [r.shape for r in rows] == [(3,), (3,)]
        with pytest.raises(TypeError, match="cannot unpack non-iterable numpy.float64"):
            access.unpack(placeholder(), 2)
        with pytest.raises(ag.StagingError, match="length"):
            access.unpack(placeholder(shape=(None,)), 2)


def test_nothing_is_recorded_outside_of_a_trace():
    assert journal.recording() is None
    attributes.setattr_(Box(), "value", 1)
    assert journal.recording() is None
