"""Which places of a trace hand out the same."""

from __future__ import annotations

import operator
from collections import deque

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.captures import current_trace
from autograph.operators.results.outputs import Place
from autograph.operators.results.reconstruction import Array

PLACE = Place("o.a", None)


def seen(f, *arguments):
    """What `f(handouts, ...)` notes while it is traced."""
    notes = []

    @ag.do_not_convert
    def look(*parts):
        notes.append(f(current_trace().effects.handouts, *parts))

    def body(*args):
        look(*args)
        return args[0] * 2

    ag.convert(lambda x: body(x))(*arguments)
    return notes[0]


X = np.ones(3)


def test_two_names_of_an_array_have_one_number():
    def note(handouts, x):
        y = x + 1
        one, two = (handouts.part(a, [], PLACE) for a in (y, y))
        view = handouts.part(y[1:], [], PLACE)
        (step,) = view.views.values()
        return type(one), one.number == two.number, step.base.number == one.number

    assert seen(note, X) == (Array, True, True)


def test_what_is_told_for_an_error_only_is_forgotten():
    def note(handouts, x):
        with handouts.in_case_of_an_error():
            handouts.part(x + 1, [], PLACE)
            told = len(handouts.stored)
        return told, len(handouts.stored)

    assert seen(note, X) == (1, 0)


def test_a_plain_result_needs_no_template():
    def note(handouts, x):
        y = x + 1
        one = [1]
        return [handouts.result(r) is None for r in (y, (y, 1), {"a": [y]}, (one, one), deque([1]))]

    assert seen(note, X) == [True, True, True, False, True]


def test_what_cannot_be_made_anew_is_refused_at_its_place():
    def note(handouts, x):
        y = x + 1
        messages = []
        for thing in (lambda: y, ValueError(y)):
            with pytest.raises(ag.StagingError) as caught:
                handouts.part(thing, [], PLACE)
            messages.append("stored in `o.a`" in str(caught.value))
        return messages

    assert seen(note, X) == [True, True]


class Node:
    def __init__(self, value):
        self.value = value


class Holder:
    seen = None


def keyed(write):
    """A function that puts an object with values of the graph where it is a key."""
    things, items, holder = {}, set(), Holder()
    return ag.convert(lambda x: write(Node(x * 2), things, items, holder)), things, items, holder


@pytest.mark.parametrize(
    "write",
    [
        lambda node, things, items, holder: things.setdefault(node, 1),
        lambda node, things, items, holder: things.update({(1, node): 1}),
        lambda node, things, items, holder: items.add(node),
        lambda node, things, items, holder: setattr(holder, "seen", {node}),
        lambda node, things, items, holder: setattr(holder, "seen", frozenset([node])),
        lambda node, things, items, holder: {node: 1},
        lambda node, things, items, holder: {"a": {(1, node): 1}},
    ],
)
def test_objects_that_hold_values_of_the_graph_are_no_keys(write):
    function, things, items, holder = keyed(write)
    with pytest.raises(
        ag.StagingError, match="key, or an item of a set, is .* only when the graph"
    ):
        function(np.float64(1.0))
    assert not things and not items and holder.seen is None


def test_objects_in_a_set_of_the_result_are_made_by_each_call():
    function, *_ = keyed(lambda node, *_: [{node}, frozenset([node])])
    found = [[one.value for part in function(np.float64(k)) for one in part] for k in (1, 2)]
    assert found == [[2.0, 2.0], [4.0, 4.0]]


# ---- lists of arrays beside the result -----------------------------------------------------------


class Track:
    def __init__(self):
        self.x, self.items, self.last = np.zeros(2), [], None


def a_copy_of_an_attribute(track, zs):
    for z in zs:
        track.x = track.x + z
        track.items.append(track.x.copy())
    return np.array(track.items)


def what_is_made_on_one_path(track, zs):
    for z in zs:
        if z > 0:
            track.items.append(track.x * z)
    return len(track.items)


def tuples_with_arrays(track, zs):
    for k, z in enumerate(zs):
        track.items.append((k, track.x + z))


def a_new_list(track, zs):
    track.items = []
    for z in zs:
        track.items.append(track.x - z)
    return track.items


def before_an_error(track, zs):
    for z in zs:
        track.items.append(track.x + z)
        if z > 3:
            raise ValueError("too large")


@pytest.mark.parametrize(
    "function",
    [a_copy_of_an_attribute, what_is_made_on_one_path, tuples_with_arrays, a_new_list,
     before_an_error],
)  # fmt: skip
def test_a_list_of_arrays_that_only_it_has_is_stored(function):
    converted = ag.convert(function)
    for zs in (np.arange(-1.0, 4.0), np.array([5.0, 1.0, -2.0, 3.0, 6.0])):
        plain, own, results = Track(), Track(), []
        for call, track in ((function, plain), (converted, own)):
            try:
                results.append(call(track, zs))
            except ValueError as error:
                results.append(str(error))
        assert repr(results[0]) == repr(results[1])
        assert repr(vars(plain)) == repr(vars(own))
        assert results[1] is not own.items or results[0] is plain.items
        own.x += 1  # nobody else has it
        assert repr(plain.items) == repr(own.items)
    assert converted.trace_count == 1


def one_that_is_an_attribute(track, zs):
    for z in zs:
        track.items.append(track.x)


def one_twice(track, zs):
    for z in zs:
        y = track.x + z
        track.items.append(y)
        track.items.append(y)


def a_part(track, zs):
    for z in zs:
        y = track.x + z
        track.items.append(y[:1])
    return y


def an_item_stored_elsewhere(track, zs):
    for z in zs:
        track.items.append(track.x + z)
    track.last = track.items[-1]


@pytest.mark.parametrize(
    "function", [one_that_is_an_attribute, one_twice, a_part, an_item_stored_elsewhere]
)
def test_a_list_of_arrays_that_are_in_another_place_too_is_not_stored(function):
    with pytest.raises(ag.StagingError, match="is, or may be, in another place too"):
        ag.convert(function)(Track(), np.arange(4.0))


def test_arrays_that_a_list_had_before_stay_in_it():
    track = Track()
    converted = ag.convert(a_copy_of_an_attribute)
    converted(track, np.arange(4.0))
    before = list(track.items)
    with pytest.raises(ag.StagingError, match="is stored in `a list` and has items before"):
        converted(track, np.arange(4.0))
    assert all(map(operator.is_, track.items, before)) and len(before) == 4
