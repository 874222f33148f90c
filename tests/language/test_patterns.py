"""`match` on values of the graph: classes, sequences and mappings that are taken apart (B2)."""

from __future__ import annotations

import collections
import types
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
I = np.int64
X = np.arange(3.0)
Y = np.arange(3.0) + 1


@dataclass
class Point:
    x: float
    y: float = 0.0


class Pair:
    __match_args__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

    @property
    def twice(self):
        return self.a * 2


class Special(Pair):
    pass


class Scale(float):
    pass


Named = collections.namedtuple("Named", "u v")


@samples("B2.8", (X,), (Y,), tensors=False)
def class_of_a_number(x):
    match x[0] * 2:
        case int():
            return 1.0
        case float(v):
            return 2 + v
        case _:
            return 3.0


@samples("B2.8", (X,), (Y,), tensors=False)
def classes_of_python_numbers(x):
    match int(x[0]), float(x[1]), x[0] > 0:
        case bool(), _, _:
            return 0.0
        case int(a), float(b), np.bool_():
            return a + b


@samples("B2.8", (X,), (Y,), tensors=False)
def class_of_an_array(x):
    match x:
        case list() | tuple():
            return 1.0
        case np.ndarray(shape=(n,)) as whole:
            return whole[0] + n


@samples("B2.8", (X,), (Y,))
def attributes(x):
    match Point(x[0], x[1]):
        case Point(x=a, y=b) if a > 0.5:
            return a - b
        case Point(zz=_):
            return 0.0
        case Point(a, b):
            return a + b


@samples("B2.8", (X,), (Y,))
def positions_and_properties(x):
    match Pair(x[0], 2):
        case Pair(a, 3):
            return a
        case Special():
            return -1.0
        case Pair(a, b=2, twice=c):
            return a + c


@samples("B2.8", (X,), (Y,))
def values_and_alternatives_within(x):
    match Special(x[0], x[1]):
        case Pair(1.0, b):
            return b
        case Pair(a, 1.0 | 5.0):
            return a + 100
        case Pair(a, _):
            return a * 7


@samples("B2.8", (X,), (Y,), tensors=False)
def nested(x):
    match Named(x[0], (x[1], [x[2]])):
        case (a, (b, [c])) if c > 2.5:
            return a + b * c
        case Named(u=a, v=(float(b), [_])):
            return a - b


@samples("B2.8", (X,), (Y,), tensors=False)
def singletons_and_texts(x):
    match (x[0], None, True, "s", 3):
        case (_, None, True, "t", _):
            return 0.0
        case (int() | float() as v, None, True, str(s), int(n)):
            return v + n + len(s)


@samples("B2.8", (X,), (Y,), tensors=False)
def mappings(x):
    match {"a": x[0], "b": [x[1], x[2]], "c": 1}:
        case {"d": _}:
            return 0.0
        case {"a": float(v), "b": [p, q], **rest}:
            return v + p * q + rest["c"]


@samples("B2.8", (X,), (Y,))
def kinds_that_are_derived(x):
    match Scale(2.0), range(3), collections.deque([x[0], 2]), "ab":
        case float(f), [p, q, *r], [s, t], [_, _]:
            return 0.0
        case float(f), [p, q, *r], [s, t], str(text):
            return f + p + q + len(r) + s + t + len(text)


@samples("B2.8", (X,), (Y,))
def a_namespace(x):
    match types.SimpleNamespace(a=x[0], b=2):
        case types.SimpleNamespace(a=a, b=2):
            return a


@samples("B2.8", (X,), (Y,))
def events_in_a_loop(x):
    total = 0.0
    for event in [("add", x[0]), ("times", x[1]), ("set", x[2]), ("nothing", None)]:
        match event:
            case ("add", v):
                total += v
            case ("times", v) if v > 1.5:
                total *= v
            case ("set" | "put", v):
                total = total - v
            case (_, None):
                total += 1
    return total


@samples("B2.8", (X,), (Y,))
def conditions_on_data(x):
    match int(x[0]), x[1]:
        case 0, v if v > 1:
            return v
        case 0 | 2, v:
            return v + 2.0
        case _, v:
            return v + 3.0


@samples("B2.8", (X, I(1)), (Y, I(3)), tensors=False)
def bools_of_python(x, n):
    match bool(x[0] > 0), bool(n > 2):
        case True, True:
            return 1.0 + x.sum()
        case (False, True) | (True, False):
            return 2.0 + x.sum()
        case _, False:
            return 3.0 + x.sum()


@samples("B2.8", (X,), (Y,))
def identity_of_a_bool(x):
    flag = bool(x[0] > 0)
    if flag is True:
        return x.sum()
    if flag is False and (x[1] > 0) is not True:
        return -x.sum() - (flag is bool(x[1] > 7))
    return 0.0


@samples("B2.8", (X,), (Y,), tensors=False)
def a_number_or_none(x):
    found = None
    if x[0] > 0:
        found = x[1]
    match found:
        case float(v):
            return v * 2
        case None:
            return -x.sum()


@samples("B2.8", (X,), (Y,))
def an_object_or_none(x):
    found = None
    if x[0] > 0:
        found = Point(x[1], 2.0)
    match found:
        case Point(x=a, y=2.0):
            return a
    return -x.sum()


@samples("B2.8", (X,), (Y,))
def an_empty_list_or_not(x):
    match [v for v in x if v > 2]:
        case []:
            return x.sum()
        case [*found]:
            return found[0]


test_patterns = samples.test()


def too_many_positions(x):
    match Point(x[0]):
        case Point(a, b, c):
            return a + b + c


def one_attribute_twice(x):
    match Point(x[0]):
        case Point(a, x=b):
            return a + b


def no_class(x):
    kind = 3
    match x:
        case kind():
            return x


@pytest.mark.parametrize("sample", [too_many_positions, one_attribute_twice, no_class])
def test_wrong_patterns_raise_what_python_raises(sample):
    with pytest.raises(TypeError) as expected:
        sample(X)
    with pytest.raises(TypeError) as got:
        ag.convert(sample)(X)
    assert str(got.value) == str(expected.value)


corner = Point(3.0, 4.0)
path = [1.0, 2.0, 3.0]
table = {"k": 1.0, "z": 2.0}


@pytest.mark.parametrize("change", [
    lambda: setattr(corner, "x", 7.0), lambda: path.__setitem__(1, 9.0), lambda: table.update(z=5.0)
])  # fmt: skip
def test_what_is_older_than_the_call_is_read_at_each_call(change):
    def together(x):
        total = x.sum()
        match corner:
            case Point(a, b):
                total = total + a * b
        match path:
            case [a, *rest, b]:
                total = total + a + b + sum(rest)
        match table:
            case {"k": k, **rest}:
                total = total + k + rest["z"]
        return total

    converted = ag.convert(together)
    assert converted(X) == together(X)
    change()
    assert converted(X) == together(X)


def items_of_a_growing_list(x):
    match [v for v in x if v > 1]:
        case [a, *_]:  # refused
            return a


def items_of_a_dict_with_keys_by_data(x):
    match {int(v): v for v in x}:
        case {2: v}:  # refused
            return v


@pytest.mark.parametrize(("sample", "words"), [
    (items_of_a_growing_list, "depends on data, and a pattern takes its items"),
    (items_of_a_dict_with_keys_by_data, "depend on data, and a pattern takes its items"),
])  # fmt: skip
def test_what_only_the_graph_can_take_apart_is_refused(sample, words):
    refuse(sample, X, match=words)


def kind_or_none(x):
    found = None
    if x[0] > 0:
        found = [v for v in x if v > 1]
    if isinstance(found, list):
        return x.sum() + len(found)
    return -x.sum() - isinstance(found, type(None)) + isinstance(found, (list, type(None)))


def test_isinstance_of_what_may_be_none():
    check(kind_or_none, (X,), (Y,))


def array_compared_with_none(x):
    found = x if x[0] > 0 else None
    return (found == None) * x.sum()  # noqa: E711 - refused


@pytest.mark.parametrize(("sample", "words"), [
    (array_compared_with_none, "it is compared with None by"),
])  # fmt: skip
def test_what_differs_between_a_value_and_none_is_refused(sample, words):
    refuse(sample, X, match=words)
