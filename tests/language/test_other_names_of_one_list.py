"""Lists that are one or another by data, of which one has another name that the statement binds too.

A later write to one would have to be seen under the other name: it is refused (S8).
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.language.harness import refuse

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
    a.append(5.0)  # refused
    return a, c


def an_attribute(x):
    held = Holder()
    held.a = []
    held.c = held.a
    if x[0] > 0:
        held.c = held.c
        held.a = held.c + [1.0]
    held.a.append(5.0)  # refused
    return held.a, held.c


def an_attribute_and_a_name(x):
    a, held = [], Holder()
    held.c = a
    if x[0] > 0:
        a = [2.0]
        held.c = held.c
    a.append(5.0)  # refused
    return a, held.c


def an_item_of_a_dict(x):
    held = {"a": []}
    held["c"] = held["a"]
    if x[0] > 0:
        held["c"] = held["c"]
        held["a"] = held["c"] + [1.0]
    held["a"].append(5.0)  # refused
    return held


def an_item_of_a_list(x):
    held = [[], []]
    held[1] = held[0]
    if x[0] > 0:
        held[0] = held[1] + [1.0]
    held[0].append(5.0)  # refused
    return held


def an_item_of_a_list_and_a_name(x):
    a = []
    held = [a]
    if x[0] > 0:
        a = [2.0]
        held[0] = held[0]
    a.append(5.0)  # refused
    return a, held


def an_object(x):
    a = Holder()
    a.v = 1.0
    c = a
    if x[0] > 0:
        a = Holder()
        a.v = 2.0
        c = c
    a.v = 7.0  # refused
    return a.v, c.v


def in_a_loop(x):
    a = [0.0]
    c = a
    for v in x:
        if v > 3:
            a = [v]
            c = c
    a[0] = 9.0  # refused
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
    a[0] = 5.0  # refused
    return a, held


@pytest.mark.parametrize(
    "sample",
    [
        a_name,
        an_attribute,
        an_attribute_and_a_name,
        an_item_of_a_dict,
        an_item_of_a_list,
        an_item_of_a_list_and_a_name,
        an_object,
        in_a_loop,
        in_a_loop_of_a_list,
        in_a_try,
    ],
)
def test_a_write_that_another_name_would_have_to_see_is_refused(sample):
    refuse(sample, X, match="which (list|Holder) .* is depends on data, and one that it may be is")


def grown_and_named(x):
    a, b = [], []
    if x[0] < 0:
        a += [x[0]]
        b = a
    return a is b  # refused


def named_on_one_path(x):
    a, b = [], []
    c = a
    if x[0] < 0:
        if len(b) > 2:
            c = a + [1.0]
        b = c
    return a is b  # refused


@pytest.mark.parametrize("sample", [grown_and_named, named_on_one_path])
def test_whether_two_names_are_of_one_list_is_refused(sample):
    refuse(sample, X, match="whether this is the same list depends on data")
