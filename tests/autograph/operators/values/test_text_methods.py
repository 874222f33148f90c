"""Tests of `autograph.operators.values.text_methods`: methods that give text, called as such."""

import collections
import dataclasses
import types
from typing import NamedTuple

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check, graph_of

X, Y = np.array([1.0, 2.5]), np.array([-3.0, 4.0])


class Pair(NamedTuple):
    a: object
    b: object


class Shown(collections.namedtuple("Shown", "a b")):
    def __repr__(self):
        return "<" + super().__repr__() + ">"

    def __str__(self):
        return "s" + super().__str__()


@dataclasses.dataclass
class Point:
    x: object
    y: object = 0


@dataclasses.dataclass
class Point3(Point):
    z: object = None

    def __repr__(self):
        return f"3D: {super().__repr__()}"


class Plain:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Plain({self.value!r})"

    def __format__(self, spec):
        return "f" + (format(self.value, spec) if spec else super().__format__(spec))


class Further(Plain):
    def __repr__(self):
        return "Further:" + super().__repr__()

    def described(self):
        return self.__repr__() + " " + self.__str__() + " " + super().__repr__()


class Items(list):
    def __repr__(self):
        return "Items" + super().__repr__()


class Table(dict):
    def __repr__(self):
        return "Table" + super().__repr__()

    def __str__(self):
        return "str" + super().__str__()


class Queue(collections.deque):
    def __repr__(self):
        return "my" + super().__repr__()


class Ordered(collections.OrderedDict):
    def __repr__(self):
        return "my" + super().__repr__()


class Counts(collections.Counter):
    def __repr__(self):
        return "my" + super().__repr__()


class Failure(ValueError):
    def __str__(self):
        return "Failure:" + super().__str__()


def of_namedtuples(x):
    pair, shown = Pair(x[0], x * 2), Shown(x[0], x[1] + 1)
    print(tuple.__repr__(pair), Pair.__repr__(pair), object.__str__(pair), pair.__str__())
    print(shown, f"{shown!r}", str(shown))
    return shown.__repr__()


def of_dataclasses(x):
    point, further = Point(x[0], x), Point3(x[0], x[1] + 1, Point(x[1]))
    print(point.__repr__(), Point.__repr__(point), point.__format__(""), further)
    return further.__str__()


def of_own_classes(x):
    plain, further = Plain(x[0]), Further(float(x[1]))
    print(Plain.__repr__(further), further.described(), f"{plain}", f"{plain:.2f}")
    print(object.__format__(further, ""), plain.__format__(".1f"))
    return further.described() + "!"


def of_containers(x):
    items, table, queue = Items([x[0], x]), Table(a=x[0]), Queue([x[1], 2])
    print(items, list.__repr__(items), table, repr(table), dict.__repr__(table), queue)
    print(Ordered(a=x[0]), repr(Counts(a=int(x[1]), b=1)), [x[0]].__repr__(), (x,).__str__())
    groups = collections.defaultdict(list)
    groups["a"].append(x[0])
    print(groups.__repr__(), types.SimpleNamespace(a=x[1]).__repr__(), {"a": x}.items().__str__())
    return items.__str__() + table.__str__()


def of_numbers(x):
    number, whole = float(x[0]), int(x[1])
    print(x.__repr__(), x[0].__repr__(), x.__str__(), x[0].__format__(".2f"), whole.__str__())
    print(float.__repr__(number), int.__format__(whole, "04d"), (x[0] > 0).__repr__())
    print(ascii(x), ascii([x[0], "é"]), "{a} {b:.1f}".format_map({"a": x, "b": number}))
    return number.__format__(".3f") + np.ndarray.__repr__(x)


def of_exceptions(x):
    error = Failure(x[0], "t")
    print(error, error.__repr__(), BaseException.__str__(error), ValueError(x[1]).__str__())
    return len(error.args)


def by_data(x):
    for v in x:
        point = Point(v)
        if v > 0:
            print("positive " + point.__repr__())
    return x.sum()


@pytest.mark.parametrize(
    "sample",
    [of_namedtuples, of_dataclasses, of_own_classes, of_containers, of_numbers, of_exceptions,
     by_data],
)  # fmt: skip
def test_the_text_is_that_of_the_values(sample):
    checked = check(sample, (X,), (Y,), tensors=False)
    assert any(node.op.name in ("print", "store", "text") for node in checked.graph.walk())


def test_text_by_a_method_that_is_not_saved_says_so():
    f = ag.convert(lambda x: print(dict.__repr__({"a": x[0]})))
    f(X)
    assert graph_of(f).nodes
    with pytest.raises(ag.StagingError, match="cannot be saved|a file of a program"):
        ag.save(f, "/dev/null/never")


def test_a_method_of_a_class_is_not_taken_for_another_at_the_next_call():
    f = ag.convert(lambda x: Plain.__repr__(Further(x[0])))
    for x in (X, Y, X):
        assert f(x) == f"Plain({x[0]!r})"
    assert f.trace_count == 1
