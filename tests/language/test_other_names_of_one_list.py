"""Lists that are one or another by data, of which one has another name that the statement binds too.

A later write to one is seen under the other name; what a loop left is refused (S8).
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.language.harness import check, refuse

X = np.array([-1.0, 4.0, 2.0])


class Holder:
    """An object with attributes."""


def a_name(x):
    a = []
    b, c = [], a
    if x[0] > 0:
        if len(b) > 2:
            c = b[1:]
        a = c + [1.0]
    a.append(5.0)
    return a, c


def an_attribute(x):
    held = Holder()
    held.a = []
    held.c = held.a
    if x[0] > 0:
        held.c = held.c
        held.a = held.c + [1.0]
    held.a.append(5.0)
    return held.a, held.c


def an_attribute_and_a_name(x):
    a, held = [], Holder()
    held.c = a
    if x[0] > 0:
        a = [2.0]
        held.c = held.c
    a.append(5.0)
    return a, held.c


def an_item_of_a_dict(x):
    held = {"a": []}
    held["c"] = held["a"]
    if x[0] > 0:
        held["c"] = held["c"]
        held["a"] = held["c"] + [1.0]
    held["a"].append(5.0)
    return held


def an_item_of_a_list(x):
    held = [[], []]
    held[1] = held[0]
    if x[0] > 0:
        held[0] = held[1] + [1.0]
    held[0].append(5.0)
    return held


def an_item_of_a_list_and_a_name(x):
    a = []
    held = [a]
    if x[0] > 0:
        a = [2.0]
        held[0] = held[0]
    a.append(5.0)
    return a, held


def an_object(x):
    a = Holder()
    a.v = 1.0
    c = a
    if x[0] > 0:
        a = Holder()
        a.v = 2.0
        c = c
    a.v = 7.0
    return a.v, c.v


def in_a_loop(x):
    a = [0.0]
    c = a
    for v in x:
        if v > 3:
            a = [v]
            c = c
    a[0] = 9.0
    return a, c


def in_a_loop_of_a_list(x):
    held = [[0.0], [0.0]]
    held[1] = held[0]
    for v in x:
        if v > 3:
            held[0] = [v]
            held[1] = held[1]
    held[0][0] = 9.0  # refused
    return held


def in_a_try(x):
    a = [0.0]
    held = [a]
    try:
        if x[1] > 3:
            raise ValueError
        a = [1.0]
        held[0] = held[0]
    except ValueError:
        held[0] = held[0]
    a[0] = 5.0
    return a, held


def test_a_write_of_what_a_loop_made_is_seen_by_another_name():
    check(in_a_loop, (np.array([1.0, 2.0]),), (np.array([1.0, 5.0]),), joined=True)


def test_a_write_that_another_item_of_a_list_would_have_to_see_is_refused():
    refuse(in_a_loop_of_a_list, X, match="one of several objects .list., depending on data")


def test_a_write_of_what_a_try_made_is_seen_by_another_name():
    check(in_a_try, (np.array([1.0, 2.0]),), (np.array([1.0, 5.0]),))


@pytest.mark.parametrize(
    "sample",
    [a_name, an_attribute, an_attribute_and_a_name, an_item_of_a_dict, an_item_of_a_list],
)
def test_a_list_that_may_be_in_two_places_of_the_result_is(sample):
    check(sample, (X,), (-X,), joined=True)


def content_of_a_name(x):
    a, c = a_name(x)
    return sum(a), len(a), sum(c), len(c), a is c


def content_of_an_attribute(x):
    a, c = an_attribute(x)
    return sum(a), len(a), sum(c), len(c), a is c


def content_of_an_attribute_and_a_name(x):
    a, c = an_attribute_and_a_name(x)
    return sum(a), len(a), sum(c), len(c), a is c


def content_of_an_item_of_a_dict(x):
    held = an_item_of_a_dict(x)
    a, c = held["a"], held["c"]
    return sum(a), len(a), sum(c), len(c), a is c


def content_of_an_item_of_a_list(x):
    a, c = an_item_of_a_list(x)
    return sum(a), len(a), sum(c), len(c), a is c


def content_of_an_item_of_a_list_and_a_name(x):
    a, (c,) = an_item_of_a_list_and_a_name(x)
    return sum(a), len(a), sum(c), len(c), a is c


SAMPLES = [
    content_of_a_name, content_of_an_attribute, content_of_an_attribute_and_a_name,
    content_of_an_item_of_a_dict, content_of_an_item_of_a_list,
    content_of_an_item_of_a_list_and_a_name, an_object,
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda f: f.__name__)
def test_a_write_is_seen_under_the_other_name(sample):
    check(sample, (X,), (-X,), joined=True)


def grown_and_named(x):
    a, b = [], []
    if x[0] < 0:
        a += [x[0]]
        b = a
    return a is b


def named_on_one_path(x):
    a, b = [], []
    c = a
    if x[0] < 0:
        if len(b) > 2:
            c = a + [1.0]
        b = c
    return a is b


@pytest.mark.parametrize("sample", [grown_and_named, named_on_one_path])
def test_whether_two_names_are_of_one_list_is_found(sample):
    check(sample, (X,), (-X,))
