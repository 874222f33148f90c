"""What is handed out for a key is made once for each call."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from types import SimpleNamespace

import numpy as np
import pytest

from autograph.operators.results.reconstruction import (
    Argument,
    Array,
    Form,
    Made,
    handing_out,
)
from runtime.effects.given_containers import arguments_of, calling_with
from runtime.structure import tree
from runtime.structure.templates import Hole, fill


def array(number, content, form=None):
    made = Array(form or Form(tensors=False), zero=False)
    made.number, made.content = number, content
    return made


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
