"""Containers of Python's library are taken apart, and made again of what was in them."""

from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from autograph.operators.values.other_containers import apart
from tests.language.harness import Samples, check


class Row(list):
    pass


class Table(dict):
    def __repr__(self):
        return "a table"


class Titled(list):
    __slots__ = ("title",)

    def __init__(self, title, items):
        super().__init__(items)
        self.title = title

    def __repr__(self):
        return f"{self.title}: {list(self)}"


class Names(tuple):
    def __repr__(self):
        return " ".join(self)


class Again(deque):
    pass


MOVED = OrderedDict(a=1, b=2)
MOVED.move_to_end("a")


@pytest.mark.parametrize("x", [
    MOVED, Counter("aab"), defaultdict(float, a=1.0), deque([1, 2], 3), deque([1]), Row([1]),
    {"a": 1}.keys(), {"a": 1}.values(), {"a": 1}.items(), MOVED.items(), MOVED.values(),
    MOVED.keys(), UserDict(a=1), UserList([1]), ChainMap({"a": 1}, {"b": 2}),
    SimpleNamespace(a=1), MappingProxyType({"a": 1}), Table(a=1), Titled("t", [1, 2]), Names("ab"),
    Again(["a"], 4),
], ids=lambda x: type(x).__name__)  # fmt: skip
def test_text_is_the_same_when_it_is_made_again(x):
    parts = apart(x)
    assert parts is not None and repr(parts.made_of(parts.content)) == repr(x)


@pytest.mark.parametrize("x", [[1], (1,), {"a": 1}, "text", 1.5, {1}, np.ones(2)])
def test_others_are_left(x):
    assert apart(x) is None


samples = Samples()


@samples("B2.26", (1.5,), (2.5,), saved=False)
def printed(x):
    moved = OrderedDict(a=x, b=[x, 1])
    moved.move_to_end("a")
    groups = defaultdict(float, low=x)
    waiting = deque([x, 2.0], maxlen=4)
    print(moved, groups, sep=" | ")
    print(waiting, Counter(a=int(x)), [waiting])
    print(moved.items(), {"k": x}.values(), moved.keys())
    print(UserDict(a=x), UserList([x]), ChainMap({"a": x}), SimpleNamespace(a=x), Row([x]))
    text = f"{waiting} {groups!r}"
    waiting.append(x * 2)
    groups["low"] += 1
    return str(waiting), text, "%s" % (moved,), "{}".format(groups)  # noqa: UP031, UP032


@samples("B2.26", (1.5,), (2.5,))
def in_messages(x):
    waiting = deque([x])
    if x > 2:
        raise ValueError(f"too many: {waiting}", waiting)
    return x


test_samples = samples.test()


def test_captured_containers():
    held, order = {"a": np.float64(1.0), "b": 2}, OrderedDict(a=1.0, b=2.0)
    order.move_to_end("a")

    def shows(x):
        print(held.items(), held.values(), order)
        return x * 2

    check(shows, (1.0,), (2.0,), saved=False)


def test_order_that_data_decides():
    def moved(x):
        order = OrderedDict(b=x, a=x * 2, c=1.0)
        if x > 2:
            order.move_to_end("b")
        return order

    function = ag.convert(moved)
    for x in (1.0, 3.0):
        assert list(function(x).items()) == list(moved(x).items())
    assert function.trace_count == 1


def test_an_argument_that_is_moved_in():
    def moved(order, x):
        order.move_to_end("a")
        order["z"] = x
        return list(order)

    check(moved, (OrderedDict(a=1.0, b=2.0), 1.0), (OrderedDict(a=3.0, b=2.0), 2.0))


def test_keys_that_data_adds_to_an_ordered_dict():
    def added(x):
        order = OrderedDict(b=x, a=x * 2)
        order.move_to_end("b")
        if x > 2:
            order["c"] = x * 3
        return order

    check(added, (1.0,), (3.0,))
