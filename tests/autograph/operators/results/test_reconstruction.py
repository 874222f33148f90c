"""What is handed out for a key is made once for each call."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from autograph.operators.results.reconstruction import (
    Argument,
    Array,
    Form,
    Made,
    Same,
    Scalar,
    Tuple,
    handing_out,
    objects,
    remembering,
)
from runtime.effects.given_containers import arguments_of, calling_with
from runtime.structure import tree
from runtime.structure.templates import Hole, fill


def array(number, content, form=None):
    made = Array(form or Form(tensors=False), zero=False)
    made.number, made.content = number, content
    return made


def test_one_array_in_two_places():
    raw = np.ones(3)
    with handing_out({}):
        one, two = fill((array(4, 0), array(4, 0)), (raw,))
        other = fill(array(5, 0), (raw,))
    assert one is two and one is not raw and other is not one
    assert one.tolist() == raw.tolist()


def test_without_a_call_nothing_is_remembered():
    raw = np.ones(3)
    assert fill(array(4, 0), (raw,)) is not fill(array(4, 0), (raw,))
    assert objects() == {}
    with remembering():
        assert fill(array(4, 0), (raw,)) is fill(array(4, 0), (raw,))
    with handing_out({4: raw}), remembering():
        assert fill(array(4, 0), (np.zeros(2),)) is raw


def test_which_array_is_data():
    made = array(None, 1)
    made.which = 0
    with handing_out({7: "known"}):
        assert fill(made, (np.int64(7), np.zeros(1))) == "known"
        assert fill(made, (np.int64(8), np.ones(1))).tolist() == [1.0]
        assert set(objects()) == {7, 8}


def test_the_layout_is_that_of_the_content():
    raw = np.asfortranarray(np.ones((2, 3)))
    assert fill(array(0, 0), (raw,)).flags.f_contiguous


def test_tensors_are_of_a_class():
    form = Form(tensors=True, kind=tf.Tensor)
    with handing_out({}):
        assert type(fill(array(4, 0, form), (np.ones(3),))) is tf.Tensor
        assert type(fill(Scalar(0, form, "key"), (np.float64(2.0),))) is tf.Tensor


def test_tensors():
    form = Form(tensors=True)
    with handing_out({}):
        one, two = fill((array(4, 0, form), array(4, 0, form)), (np.ones(3),))
        number = fill(Scalar(0, form, "key"), (np.float64(2.0),))
        assert objects()["key"] is number
    assert one is two and isinstance(one, ag.Tensor) and isinstance(number, ag.Tensor)
    assert fill(Scalar(0, Form(tensors=False), "key"), (np.float64(2.0),)) == 2.0


def test_zero_dimensional_array():
    made = array(1, 0)
    made.zero = True
    assert type(fill(made, (np.float64(2.0),))) is np.ndarray


class Plain:
    pass


class Slots:
    __slots__ = ("a",)


class Items(list):
    pass


@pytest.mark.parametrize(
    ("kind", "items", "extra"),
    [
        (list, [Hole(0), 1], None),
        (dict, {"b": Hole(0), "a": 1}, None),
        (OrderedDict, {"b": Hole(0), "a": 1}, None),
        (defaultdict, {"b": Hole(0)}, list),
        (deque, [Hole(0), 1], 5),
        (set, {1, 2}, None),
        (Items, [Hole(0)], None),
    ],
)
def test_containers(kind, items, extra):
    made = Made("key", kind, extra)
    made.items = items
    with handing_out({}):
        found = fill(made, (3.0,))
        assert fill(made, (4.0,)) is found
    assert type(found) is kind
    expected = fill(items, (3.0,))
    assert (dict(found) if isinstance(found, dict) else kind(expected)) == (
        expected if isinstance(found, dict) else found
    )
    assert list(found) == list(expected)
    if kind is deque:
        assert found.maxlen == 5
    if kind is defaultdict:
        assert found["new"] == []


@pytest.mark.parametrize("kind", [Plain, Slots, SimpleNamespace])
def test_objects(kind):
    made = Made("key", kind)
    made.fields = {"a": Hole(0)}
    found = fill(made, (3.0,))
    assert type(found) is kind and found.a == 3.0


def test_an_object_that_holds_itself():
    made = Made("key", list)
    made.items = [1, Made("key", list)]
    with handing_out({}):
        found = fill(made, ())
    assert found[1] is found


def test_tuples_and_objects_from_outside():
    thing = [1]
    with handing_out({}):
        one = fill(Tuple("key", tuple, [Hole(0), Same(thing)]), (2,))
        assert fill(Tuple("key", tuple, [Hole(0)]), (2,)) is one
    assert one == (2, [1]) and one[1] is thing


def test_containers_among_the_arguments():
    parts = Made("key", list)
    parts.items = [Hole(0)]
    given = {"x": [[1], [2]]}
    with calling_with(dict(tree.mutable_parts(given))):
        first = given["x"][0]
        assert fill(Argument(("x", 0), parts), (5,)) is first
        given["x"].reverse()
        assert fill(Argument(("x", 0), parts), (5,)) is first
        assert arguments_of().at(("x",)) is given["x"]
    assert fill(Argument(("x", 0), parts), (5,)) == [5]
