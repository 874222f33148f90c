"""An array of the caller's that is stored somewhere is that array (S7, S8)."""

from __future__ import annotations

import types
from collections import deque

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import refuse
from tests.language.places import Plain, history


class Box:
    def __init__(self):
        self.value = None
        self.history = []


def keep(box, x):
    box.value = x
    box.history.append(x)
    x[0] = 7.0
    return x.sum()


def test_the_very_array_is_stored():
    converted = ag.convert(keep)
    box = Box()
    for start in (1.0, 2.0):
        x = np.full(3, start)
        assert converted(box, x) == 7 + 2 * start
        assert box.value is x
        assert box.history[-1] is x
        x[1] = -1.0
        assert box.value[1] == -1.0
    assert converted.trace_count == 1
    assert box.history[0] is not box.history[1]


def test_what_the_function_made_is_its_own():
    @ag.convert
    def f(box, x):
        box.value = x * 2
        return x + 1

    box, x = Box(), np.ones(2)
    f(box, x)
    first = box.value
    f(box, x)
    first[0] = 9.0
    np.testing.assert_array_equal(box.value, [2.0, 2.0])


def test_a_constant_is_not_handed_out():
    @ag.convert
    def f(box, x):
        box.value = np.zeros(2)
        return x + 1

    box = Box()
    f(box, 1.0)
    box.value[0] = 5.0
    f(box, 1.0)
    np.testing.assert_array_equal(box.value, [0.0, 0.0])


# ---- one object in several places ---------------------------------------------------------------


def two_attributes(s, x):
    y = x * 2
    s.a = y
    s.b = y
    return y, y


def item_and_attribute(s, x):
    y = x * 2
    s.d["k"] = y
    s.l[0] = y
    s.v = [y, {"k": y}]


def views_of_one(s, x):
    y = x * 2
    s.a, s.b, s.c, s.t = y, y[1:], y[::-1], y.reshape(1, 3).T
    y[1] = 50.0
    return s.b


def views_of_the_callers(s, x):
    s.b = x[1:]
    s.c = s.b[0:1]
    x[1] = 9.0


def one_branch(s, x):
    if x.sum() > 0:
        s.v = x * 2


def given_or_made(s, x):
    y = x * 2
    if x.sum() > 0:
        s.v = x
    else:
        s.v = y
    s.w = y
    return y


def made_in_both(s, x):
    if x.sum() > 0:
        y = x * 2
        s.v = y
        s.u = y[1:]
    else:
        y = x * 3
        s.v = y
        s.u = y
    s.w = y
    return y


def each_round(s, x):
    y = x
    for i in range(30):
        y = y * 1.1
        s.last = y
        if y.sum() > 10:
            s.best = y
    s.w = s.last
    return y


def while_round(s, x):
    i = 0
    while i < np.abs(x[0]):
        y = x * i
        s.v = y
        i += 1
    s.w = s.v


def one_array_in_all_items(s, x):
    y = x * 2
    for i in range(3):
        s.hist[i] = y
    s.hist.append(y[:2])


def rows_of_one(s, x):
    m = np.stack([x, x + 1])
    s.rows = list(m)
    s.pairs = [(a, b) for a, b in zip(m, m[1:])]
    s.m = m


def one_container(s, x):
    part = [x * 2, [1, 2]]
    s.a = part
    s.b = (part, part[1])
    return part


def containers_of_no_values(s, x):
    part = [1, 2]
    s.a, s.b, s.q = part, part, deque([1])
    return x, part


def an_object_of_its_own(s, x):
    made = Plain()
    made.v, made.up = x * 2, s
    made.same, made.name = made, types.SimpleNamespace(v=made.v)
    s.made = made
    s.again = [made]
    return made.v


def linked(s, x):
    node = Plain()
    node.value, node.next = x * 2, s.head
    s.head = node


def constants(s, x):
    z = np.zeros(2)
    s.a = z
    s.b = z
    return x, z


def zero_dimensional(s, x):
    y = np.array(x[0])
    s.a = y
    s.b = y
    y[()] = 7.0
    return y


def moved_items(s, x):
    s.l[0] = x
    buffer = s.l.pop(0)
    s.l.append(buffer)
    s.l.reverse()
    return buffer


def inserted(s, x):
    s.q.appendleft(x * 2)
    s.l.insert(0, x)


def pushed_out(s, x):
    s.short.append(x)
    s.short.append(x * 2)


def counted_from_the_end(s, x):
    s.l.append(x * 2)
    s.l[-1] = x * 3
    s.l[1] = x * 5


def in_fortran_order(s, x):
    y = np.outer(x, x[:2]).T * 2
    s.y, s.flat, s.t = y, y.reshape(-1), y.T.reshape(-1)


def what_is_the_same(s, x):
    y = x * 2
    z = y
    if x.sum() > 0:
        z = x
    s.v = z
    return int(z is y), int(z is x), int(s.v is z), int(y[:] is y)


def new_owner():
    owner = Plain()
    owner.v = owner.old = np.zeros(3)
    owner.d, owner.l, owner.hist = {}, [np.zeros(3), np.ones(3)], [None] * 3
    owner.m = [np.ones(3), np.zeros(3)]
    owner.head = owner.best = None
    owner.q, owner.short = deque(), deque([np.zeros(1)] * 3, maxlen=3)
    return owner


SHARING = [
    two_attributes, item_and_attribute, views_of_one, views_of_the_callers, one_branch,
    given_or_made, made_in_both, each_round, while_round, one_array_in_all_items, rows_of_one,
    one_container, containers_of_no_values, an_object_of_its_own, linked, constants,
    zero_dimensional, moved_items, inserted, pushed_out, counted_from_the_end, in_fortran_order,
    what_is_the_same,
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sample", SHARING)
def test_one_object_is_one_object(sample, backend):
    with config.backend.using(backend):
        got = history(ag.convert(sample), new_owner)
    assert got == history(sample, new_owner)


def test_containers_of_the_caller_are_handed_out_themselves():
    @ag.convert
    def f(s, d):
        d["y"] = d["x"] * 2
        s.d = d
        s.inner = d["l"]
        return d, d["l"], CONFIG

    s = Plain()
    for _ in range(2):
        given = {"x": np.ones(2), "l": [1.0]}
        d, inner, known = f(s, given)
        assert d is given and s.d is given and known is CONFIG
        assert inner is given["l"] and s.inner is inner
        assert given["y"].tolist() == [2.0, 2.0]


CONFIG = {"a": [1]}


def test_results_are_made_anew_by_each_call():
    @ag.convert
    def f(x):
        made = Plain()
        made.n = 1
        return x, made, {1}, deque([1])

    one, two = f(1.0), f(2.0)
    for a, b in zip(one, two):
        assert a is not b
    assert one[1].n == 1


def test_tensors_are_one_tensor_too():
    @ag.convert
    def f(s, x):
        y = x * 2
        s.a = y
        s.b = y
        s.x = x
        s.v = y[1:]
        return y, y

    s, x = Plain(), ag.constant([1.0, 2.0, 3.0])
    one, two = f(s, x)
    assert one is two and s.a is one and s.b is one and s.x is x
    s.a[1] = 9.0
    assert s.v.numpy().tolist() == [9.0, 6.0]
    with ag.GradientTape() as tape:
        tape.watch(x)
        result, _ = f(s, x)
        loss = (s.a * s.a).sum() + s.v.sum()
    assert s.a is result
    assert tape.gradient(loss, x).numpy().tolist() == [8.0, 18.0, 26.0]


def test_gradients_reach_a_tensor_that_is_only_stored():
    @ag.convert
    def f(s, x):
        s.loss = (x * x).sum()
        s.y = x * 3

    s, x = Plain(), ag.constant([1.0, 2.0])
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        f(s, x)
        twice = s.y * 2
    assert tape.gradient(s.y, x).numpy().tolist() == [3.0, 3.0]
    assert tape.gradient(twice, x).numpy().tolist() == [6.0, 6.0]
    assert tape.gradient(s.loss, x).numpy().tolist() == [2.0, 4.0]


def test_what_was_stored_before_an_error_is_one_object():
    @ag.convert
    def f(s, x, i):
        y = x * 2
        s.a = y
        s.b = y
        s.c = y[1:]
        return x[i]

    s = Plain()
    with pytest.raises(IndexError):
        f(s, np.ones(3), np.int64(9))
    assert s.a is s.b and s.c.base is s.a


def test_results_of_a_loaded_program_are_right(tmp_path):
    def f(x):
        y = x * 2
        z = [y, y[1:]]
        return y, y, z, z

    path = tmp_path / "f.agz"
    ag.save(ag.convert(f), path, [ag.TensorSpec([3])])
    x = np.arange(3.0)
    one, two, three, _ = ag.load(path)(x)
    assert one is two
    assert three[1].tolist() == f(x)[2][1].tolist()


# ---- what is refused ----------------------------------------------------------------------------


def stores_a_function(s, x):
    y = x * 2
    s.f = lambda: y  # refused


def stores_an_iterator(s, x):
    s.i = iter([1, 2])  # refused
    return x * 2


def stores_one_list_or_another(s, x):
    s.c = s.l if x.sum() > 0 else s.m


@pytest.mark.parametrize(
    ("sample", "match"),
    [
        (stores_a_function, "refers to what is known only when the graph runs"),
        (stores_an_iterator, "every call would store the same one"),
    ],
)
def test_refused(sample, match):
    refuse(sample, new_owner(), np.ones(3), match=match)


def test_which_list_is_stored_may_depend_on_data():
    owner, converted = new_owner(), ag.convert(stores_one_list_or_another)
    for x in (np.ones(3), -np.ones(3)):
        converted(owner, x)
        assert owner.c is (owner.l if x.sum() > 0 else owner.m)
