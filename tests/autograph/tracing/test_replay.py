"""Stores into objects that outlive a call, as the graph replays them."""

import collections

import pytest

import autograph as ag
from autograph.tracing import replay
from runtime.structure import tree


def test_only_what_changed_is_replayed():
    items, table, kinds = [1.0, 2.0], {"a": 1.0}, {"a"}

    @ag.convert
    def f(x):
        items[0] = x
        items.append(x * 2)
        table["b"] = x
        kinds.add("b")
        return x

    f(3.0)
    items[1], table["a"] = 9.0, 7.0
    kinds.add("c")
    f(4.0)
    assert items == [4.0, 9.0, 6.0, 8.0] and table == {"a": 7.0, "b": 4.0}
    assert kinds == {"a", "b", "c"} and f.trace_count == 1


def test_maximal_length_of_a_deque_is_kept():
    last = collections.deque(maxlen=2)

    @ag.convert
    def f(x):
        last.append(x)
        return x

    for i in range(4):
        f(float(i))
    assert list(last) == [2.0, 3.0]


def test_stores_come_after_what_the_graph_computes():
    box = {}

    @ag.convert
    def f(x):
        box["x"] = x
        if x < 0:
            raise ValueError("negative")
        return x

    f(1.0)
    assert box == {"x": 1.0}
    with pytest.raises(ValueError, match="negative"):
        f(-1.0)


def test_paths_of_containers():
    bound = {"a": [1, {"k": [2]}], "b": (3, [4])}
    found = {path: part for path, part in tree.mutable_parts(bound) if path}
    assert list(found) == [("a",), ("a", 1), ("a", 1, "k"), ("b", 1)]
    for path, part in found.items():
        assert tree.part_at(bound, path) is part


def test_a_container_in_two_places_is_found():
    shared = []
    assert replay.shared_container([[], []]) is None
    assert replay.shared_container([[], shared, [], shared]) is shared


def test_object_that_died_is_not_written():
    class Box:
        value = 0

    @ag.convert
    def f(box, x):
        box.value = x
        return x

    box = Box()
    concrete = f.get_concrete_function(box, 1.0)
    del box
    assert concrete(2.0) == 2.0
