"""Attributes, items and the identity of objects: what calls leave behind is what Python leaves."""

from __future__ import annotations

import collections
import dataclasses
import functools
import types

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import refuse
from tests.language.places import Plain, history


class Slots:
    __slots__ = ("a", "b", "log")


class Counting:
    """Counts what its property and hooks are asked."""

    kind = 0
    log = None

    def __init__(self):
        self._v, self.n = None, 0

    @property
    def v(self):
        self.n += 1
        return self._v

    @v.setter
    def v(self, value):
        self.n += 10
        self._v = value

    @v.deleter
    def v(self):
        self.n += 100
        self._v = None

    @functools.cached_property
    def once(self):
        self.n += 1000
        return self._v


class Hooked:
    def __init__(self):
        object.__setattr__(self, "names", [])

    def __setattr__(self, name, value):
        self.names.append(name)
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return name


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object


@dataclasses.dataclass
class Record:
    x: object
    n: int = 0
    log: list = dataclasses.field(default_factory=list)


class Items(list):
    tag = 0


class Table(dict):
    pass


Pair = collections.namedtuple("Pair", "a b")
STATE, HISTORY = None, []


def new_owner():
    owner = Plain()
    owner.v = owner.same = np.zeros(3)
    owner.m = np.zeros((2, 3))
    owner.l, owner.d, owner.n = [1, 2, 3], {"a": 1, "b": 2}, 0
    owner.nested = [[None] * 2 for _ in range(2)]
    owner.o, owner.c, owner.h, owner.s = Counting(), Plain(), Hooked(), Slots()
    owner.items, owner.table = Items(), Table()
    owner.ordered = collections.OrderedDict(z=1)
    owner.lists, owner.counts = collections.defaultdict(list), collections.Counter()
    owner.space, owner.none = types.SimpleNamespace(), None
    owner.bufs = [np.zeros(3), np.ones(3)]
    return owner


def deleted(o, x):
    o.t = x * 2
    del o.t
    o.has = hasattr(o, "t")


def deleted_on_one_path(o, x):
    o.t = x * 2
    if x.sum() > 0:
        del o.t


def set_by_name(o, x):
    for i, name in enumerate(["p", "q", "r"]):
        setattr(o, name, x[i:])
    return getattr(o, "q")


def through_a_property(o, x):
    o.o.v = x * 2
    y = o.o.v
    o.o.v = y
    return o.o.once


def property_deleted(o, x):
    o.o.v = x * 2
    del o.o.v


def slots(o, x):
    o.s.a = x * 2
    o.s.b = o.s.a
    made = Slots()
    made.a, made.b = x * 3, made
    o.made = made


def frozen(o, x):
    made = Frozen(x)
    try:
        made.x = x * 2
    except dataclasses.FrozenInstanceError as error:
        o.text = str(error)
    o.made = made


def class_attribute_hidden(o, x):
    o.o.kind = x * 2
    return o.o.kind


def records(o, x):
    made = Record(x * 2, 3)
    made.log.append(made.x)
    o.r = made
    o.rs = [made, made]
    return made


def hooks(o, x):
    o.h.a = x * 2
    o.h.b = o.h.a
    return o.h.zzz


def lists_of_one(o, x):
    y = x * 2
    o.a = [y for _ in range(3)]
    o.b = tuple(y for _ in range(2))
    o.e = {k: y for k in "ab"}
    o.f = [y] * 3
    o.g = [[y]] * 2


def list_methods(o, x):
    y = x * 2
    o.l.insert(0, y)
    o.l.reverse()
    o.l.extend([y, x])
    o.l.pop(0)
    o.l[1:2] = [y, y]


def nested_lists(o, x):
    y = x * 2
    o.nested[0][1] = y
    o.nested[1] = o.nested[0]


def cleared(o, x):
    y = x * 2
    o.l.clear()
    o.l += [y, y]
    o.d.clear()
    o.d.update(a=y, b=y)
    o.e, o.k, o.t = dict(o.d), list(o.l), o.l[:1]


def items_deleted(o, x):
    y = x * 2
    o.l[0] = y
    del o.l[1]
    o.l.append(1)
    o.d["c"] = y
    del o.d["a"]
    o.d["a"] = x


def special_dicts(o, x):
    o.ordered["a"] = x * 2
    o.ordered["b"] = o.ordered["a"]
    o.ordered.move_to_end("z")
    o.lists["a"].append(x * 2)
    o.counts.update("ab")
    o.fresh = collections.OrderedDict(b=x, a=x)
    o.keys = list(o.ordered)


def default_set(o, x):
    return o.d.setdefault("k", x * 2)


def subclasses(o, x):
    y = x * 2
    o.items.append(y)
    o.items.tag += 1
    o.made = Items([y, y])
    o.table["k"] = y
    o.again = Table(a=y, b=o.made)


def holds_itself(o, x):
    made = [x * 2]
    made.append(made)
    o.cycle = made


def tuples(o, x):
    y = x * 2
    t = (y, [y])
    o.t = t
    o.u = (t, Pair(y, t))
    o.p = o.u[1]._replace(a=x)
    return t


def chained(o, x):
    a = o.p = o.q = x * 2
    o.p += 1
    return a


def walrus(o, x):
    o.t = [(y := x * 2), y, y[0:2]]


def swapped(o, x):
    t = o.v
    o.v = o.m
    o.m = t
    o.m += x
    return o.v


def rotated(o, x):
    buffer = o.bufs.pop(0)
    buffer[:] = x
    o.bufs.append(buffer)
    return buffer


def in_place(o, x):
    o.v += x
    o.n += 1
    o.v = o.v + 1
    o.v *= 2
    return o.same


def view_of_held(o, x):
    o.row = o.m[0]
    o.row[:] = x
    return o.row


def view_by_data(o, x):
    i = 0
    if x.sum() > 0:
        i = 1
    o.row = o.m[i]
    o.row += x


def none_at_first(o, x):
    if o.none is None:
        o.none = np.zeros(3)
    o.none += x
    return o.none


def stored_before_raise(o, x):
    y = x * 2
    o.a = y
    o.b = y[1:]
    try:
        if x.sum() > 0:
            raise ValueError("a")
        o.w = o.a
    except ValueError:
        o.w = x


def text(o, x):
    o.t = f"{x[0]:.2f}"
    o.u = [f"{x}"]
    x[0] = 5.0
    return o.t


def numbers(o, x):
    o.a, o.b, o.e = x[0], float(x[1]), int(x[2])
    o.f, o.g = x.sum() > 0, bool(x[0] > 0)
    o.t = (x.shape, len(x))


def simple_namespace(o, x):
    o.space.a = x * 2
    o.made = types.SimpleNamespace(v=o.space.a, w=o.space.a)
    return o.made.v


def functions(o, x):
    k = 3
    o.function = lambda a: a * k
    o.partial = functools.partial(max, 1)
    return x * 2


def from_numpy(o, x):
    y = x * 2
    o.parts, o.y = np.split(y, 3), y
    a, b, c = y
    o.abc = [a, b, c]
    o.views = [np.asarray(y), np.atleast_2d(y), np.expand_dims(y, 0), np.squeeze(y[None]), y.real]
    o.copies = [y.copy(), np.array(y), y.flatten(), y + 0, np.sort(y), y.astype(float)]


PROGRAMS = [
    deleted, deleted_on_one_path, set_by_name, through_a_property, property_deleted, slots, frozen,
    class_attribute_hidden, records, hooks, lists_of_one, list_methods, nested_lists, cleared,
    items_deleted, special_dicts, default_set, subclasses, holds_itself, tuples, chained, walrus,
    swapped, rotated, in_place, view_of_held, view_by_data, none_at_first, stored_before_raise,
    text, numbers, simple_namespace, functions, from_numpy,
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_calls_leave_what_python_leaves(program, backend):
    with config.backend.using(backend):
        got = history(ag.convert(program), new_owner)
    assert got == history(program, new_owner)


# ---- names outside of the function --------------------------------------------------------------


def in_a_global(o, x):
    global STATE
    STATE = x * 2
    HISTORY.append(STATE)
    return STATE


def in_a_class(o, x):
    Counting.kind = x * 2
    Counting.log = [Counting.kind]
    return Counting.kind


def default_argument(o, x, seen=[], total=np.zeros(3)):  # noqa: B006
    seen.append(x * 2)
    total += x
    o.seen, o.total = seen, total
    return len(seen)


@pytest.mark.parametrize("program", [in_a_global, in_a_class])
def test_names_outside_hold_what_was_given_back(program, monkeypatch):
    monkeypatch.setattr(Counting, "kind", 0)
    monkeypatch.setattr(Counting, "log", None)
    monkeypatch.setitem(globals(), "HISTORY", [])
    f = ag.convert(program)
    for start in (1.0, 2.0):
        result = f(None, np.full(2, start))
        assert result.tolist() == [2 * start, 2 * start]
        held = [STATE, HISTORY[-1]] if program is in_a_global else [Counting.kind, Counting.log[0]]
        assert all(x is result for x in held)


def test_a_default_argument_is_one_object():
    f, o = ag.convert(default_argument), Plain()
    assert [f(o, np.ones(3)) for _ in range(3)] == [1, 2, 3]
    seen, total = default_argument.__defaults__
    assert o.seen is seen and o.total is total and total.tolist() == [3.0, 3.0, 3.0]


def test_nonlocal_names():
    state, count = None, 0

    @ag.convert
    def f(x):
        nonlocal state, count
        state = [x * 2]
        count += 1
        return state

    for number in (1, 2):
        result = f(np.ones(2))
        assert state is result and count == number


# ---- what is refused ----------------------------------------------------------------------------


def a_deque_of_values(o, x):
    return collections.deque([x * 2])


def a_function_given_back(o, x):
    y = x * 2
    return lambda: y


def an_error_that_holds_a_value(o, x):
    o.t = ValueError(x * 2)  # refused


@pytest.mark.parametrize(
    ("program", "match"),
    [
        (a_deque_of_values, "returns a deque that it made"),
        (a_function_given_back, "in the result"),
        (an_error_that_holds_a_value, "a ValueError made in the function"),
    ],
)
def test_refused(program, match):
    refuse(program, new_owner(), np.ones(3), match=match)


def test_the_object_that_data_chose_is_stored():
    @ag.convert
    def one_or_another(o, x):
        o.t = o.o if x.sum() > 0 else o.c

    owner = new_owner()
    for sign in (1.0, -1.0, 1.0):
        one_or_another(owner, np.full(3, sign))
        assert owner.t is (owner.o if sign > 0 else owner.c)
    assert one_or_another.trace_count == 1
    owner.o = type(owner.o)()
    one_or_another(owner, np.ones(3))
    assert owner.t is owner.o


class Chain:
    """Methods that are converted by themselves, and call each other."""

    def __init__(self):
        self.by = 2.0

    @ag.convert
    def inner(self, x):
        return x * self.by if x > 1 else x

    @ag.convert
    def outer(self, x):
        return self.inner(x) + 1


def test_converted_methods_that_are_read_of_an_object_are_the_same_in_each_call():
    thing = Chain()
    outside = ag.convert(lambda x: thing.inner(x))
    through = ag.convert(lambda o, x: o.outer(x))
    for _ in range(4):
        assert thing.outer(3.0) == 7.0 and outside(3.0) == 6.0 and through(thing, 3.0) == 7.0
    assert [f.trace_count for f in (Chain.outer, outside, through)] == [1, 1, 1]
    thing.inner = lambda x: x - 1.0
    assert thing.outer(3.0) == 3.0 and outside(3.0) == 2.0 and through(thing, 3.0) == 3.0
    del thing.inner
    assert thing.outer(3.0) == 7.0 and outside(3.0) == 6.0 and through(thing, 3.0) == 7.0
