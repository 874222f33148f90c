"""Built-in methods that are bound to an object."""

import collections

import numpy as np
import pytest

import autograph as ag
from autograph.operators.calls.bound_builtins import call_bound_builtin
from autograph.operators.captured.host_values import HostValue
from autograph.operators.values.templates import has_traced
from runtime import journal
from runtime.effects.host import HOST_CALL
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def call(function, *args, **kwargs):
    return call_bound_builtin(function, args, kwargs)


@pytest.mark.parametrize(("make", "name", "args"), [
    (lambda: [3, 1], "append", (2,)), (lambda: [3, 1], "sort", ()), (lambda: [3, 1], "pop", ()),
    (lambda: {"a": 1}, "update", ({"b": 2},)), (lambda: {"a": 1}, "pop", ("a",)),
    (lambda: {1, 2}, "discard", (1,)), (lambda: collections.deque([1, 2]), "rotate", (1,)),
    (lambda: {"a": 1}, "setdefault", ("b", 3)), (lambda: [3, 1], "__setitem__", (0, 9)),
])  # fmt: skip
def test_changes_are_pythons_and_are_undone_after_the_trace(make, name, args):
    expected, thing = make(), make()
    result = getattr(expected, name)(*args)
    with tracing(thing):
        assert call(getattr(thing, name), *args) == result and thing == expected
    assert thing == make()


def test_what_looks_at_the_content_is_guarded_and_what_adds_is_not():
    items, names = [1, 2], []
    with tracing(items, names) as facts:
        call(items.index, 2)
        call(names.append, 3)
        assert ("content", id(items)) in facts.captures.guards
        assert ("content", id(names)) not in facts.captures.guards


def test_copies_belong_to_the_trace():
    items = [1]
    with tracing(items):
        assert journal.is_fresh(call(items.copy)) and not journal.is_fresh(items)


def test_text_with_holes():
    with tracing():
        x = placeholder()
        assert has_traced(call("{:.2f}".format, x))
        assert has_traced(call(", ".join, ["a", call("{}".format, x)]))
        assert call(", ".join, ["a", "b"]) == "a, b"
        assert has_traced(call("abc".replace, "a", call("{}".format, x)))


def test_a_key_is_known():
    table = {"a": 1}
    with tracing(table), pytest.raises(ag.StagingError, match="is a key in `setdefault`"):
        call(table.setdefault, placeholder("int64", weak=True), 2)


def test_a_method_of_an_outer_array_is_that_of_its_input():
    array = np.ones(3)
    with tracing(array) as facts:
        total = call(array.sum)
        assert not total.is_known and list(facts.captures.inputs) == [("array", id(array))]
        assert call(np.ones(3).sum) == 3.0


def test_a_method_of_the_host_is_called_when_the_graph_runs():
    stream = open("/dev/null", "w")  # noqa: SIM115
    with stream, tracing(stream) as facts:
        assert isinstance(call(stream.write, "text"), HostValue)
        assert [node.op for node in facts.builder.graph.nodes] == [HOST_CALL]


def test_super_setattr_is_noted():
    class Thing:
        pass

    thing = Thing()
    with tracing(thing):
        call(super(Thing, thing).__setattr__, "x", 1)
        assert thing.x == 1
    assert not hasattr(thing, "x")


def test_new_gives_an_object_of_the_trace():
    with tracing():
        assert journal.is_fresh(call(object.__new__, Box))


class Box:
    pass
