"""Containers from outside: as they are now, and gone through while the program writes them."""

import collections

import numpy as np
import pytest

import autograph as ag
from autograph.operators.values.captured_items import (
    Going,
    captured_from,
    one_by_one,
    view_of,
    with_captured,
    with_inputs,
)
from tests.autograph.operators.tracing_by_hand import tracing


class Thing:
    def __init__(self, **fields):
        self.__dict__.update(fields)


@pytest.mark.parametrize("given", [with_captured, with_inputs])
@pytest.mark.parametrize("kind", [
    list, tuple, collections.deque, lambda v: dict(enumerate(v)),
    lambda v: collections.OrderedDict(enumerate(v)),
    lambda v: collections.defaultdict(int, enumerate(v)),
])  # fmt: skip
def test_arrays_become_inputs(kind, given):
    array = np.ones(2)
    container = kind([array, 1.0])
    assert given(container) is container
    with tracing(container) as facts:
        made = given(container)
        assert isinstance(made[0], ag.Tensor) and made[1] == 1.0 and type(made) is type(container)
        assert len(facts.captures.inputs) == 1
        assert given([array])[0] is array


def test_the_length_that_a_deque_keeps_remains():
    container = collections.deque([np.ones(2)], maxlen=3)
    with tracing(container):
        assert with_inputs(container).maxlen == 3


def test_containers_in_containers_are_given_as_they_are_to_the_user():
    inner = [np.ones(2)]
    outer = [inner, np.ones(3)]
    with tracing(outer):
        assert with_inputs(outer)[0] is inner
        assert isinstance(with_captured(outer)[0][0], ag.Tensor)
        assert captured_from(outer, inner) is inner
        assert isinstance(with_inputs(inner)[0], ag.Tensor)  # known to be from outside, too


def test_objects_are_guarded_and_iterators_refused():
    thing, source = Thing(a=1), iter([1])
    with tracing(thing, source) as facts:
        assert with_captured(thing) is thing
        assert ("state", id(thing)) in facts.captures.guards
        with pytest.raises(ag.StagingError, match="iterator"):
            with_captured(source)


@pytest.mark.parametrize("kind", [list, collections.deque])
def test_going_through_a_list_sees_what_is_written_meanwhile(kind):
    array = np.ones(2)
    container = kind([1.0, array, 2.0])
    with tracing(container):
        going = one_by_one(container)
        items = iter(going)
        assert isinstance(going, Going) and len(going) == 3
        assert next(items) == 1.0 and isinstance(next(items), ag.Tensor)
        container[2] = 5.0
        assert next(items) == 5.0 and next(items, None) is None
        backwards = reversed(going)
        assert next(backwards) == 5.0 and isinstance(next(backwards), ag.Tensor)


def test_what_has_no_arrays_is_gone_through_itself():
    container, pair = [1.0, [2.0]], ([1.0], 2)
    with tracing(container, pair):
        assert one_by_one(container) is container
        assert one_by_one(pair) is pair


def test_views_of_a_dict_see_what_is_written_meanwhile():
    held = {"a": np.ones(2), "b": 1.0, "c": 2.0}
    with tracing(held):
        items, values = (view_of(held, n, getattr(held, n)()) for n in ("items", "values"))
        assert view_of(held, "keys", held.keys()) == held.keys()
        held["b"] = 3.0
        assert isinstance(next(iter(values)), ag.Tensor) and len(values) == 3
        assert list(values)[1:] == [3.0, 2.0] and list(items)[1:] == [("b", 3.0), ("c", 2.0)]
        assert [key for key, _ in reversed(items)] == ["c", "b", "a"]
        assert next(reversed(values)) == 2.0
        assert ("b", 3.0) in items and ("b", 1.0) not in items and 2.0 in list(values)[1:]


def test_a_view_of_what_has_no_arrays_is_python_s_own():
    held = {"a": 1.0}
    with tracing(held):
        view = held.items()
        assert view_of(held, "items", view) is view
