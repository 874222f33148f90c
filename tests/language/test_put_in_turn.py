"""What takes a generator puts each item in before it asks for the next one, as Python does."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples

F, I = np.float64, np.int64  # noqa: E741 - numbers of a kind
WAYS = ((F(2.0), I(1)), (F(0.5), I(3)), (F(-1.0), I(1)))
samples = Samples()


def checked(v):
    if v < 0:
        raise ValueError("negative")
    return v * 2


def some(x):
    yield F(1)
    yield x
    if x > 1:
        raise ValueError("large")
    yield F(3)


class Own(list):
    def append(self, value):
        raise KeyError(value)


class OwnDict(dict):
    def __setitem__(self, key, value):
        raise KeyError(key)


# ---- an error part of the way --------------------------------------------------------------------


@samples("E9", *WAYS)
def a_list_is_extended(x, n):
    items = []
    try:
        items.extend(checked(v) for v in [F(1), x, -x, F(3)])
    except ValueError:
        items.append(F(-1))
    return items


@samples("E9", *WAYS)
def a_list_is_added_to(x, n):
    items = [F(1)]
    try:
        items += (checked(v) for v in [F(1), x, -x, F(3)])
    except ValueError:
        items.append(F(-1))
    return items


@samples("E9", *WAYS)
def a_list_set_by_data_is_extended(x, n):
    items = [x, F(1), F(2), F(3)]
    items[n] += 1
    try:
        items.extend(checked(v) for v in [F(1), x, -x, F(3)])
    except ValueError:
        items.append(F(-1))
    return items


@samples("E9", *WAYS)
def a_deque(x, n):
    items = deque([F(1)])
    try:
        items.extend(checked(v) for v in [F(1), x, -x, F(3)])
    except ValueError:
        items.append(F(-1))
    return items


@samples("E9", *WAYS)
def a_dict(x, n):
    items = {}
    try:
        items.update((k, checked(v)) for k, v in enumerate([F(1), x, -x, F(3)]))
    except ValueError:
        items["error"] = F(-1)
    return items


@samples("E9", *WAYS)
def a_dict_with_keys_of_data(x, n):
    items = {1: x}
    items[n] = x
    try:
        items.update((k, checked(v)) for k, v in enumerate([F(1), x, -x, F(3)]))
    except ValueError:
        items[7] = F(-1)
    return items


@samples("E9", *WAYS)
def a_set(x, n):
    items = set()
    try:
        items.update(k for k, v in enumerate([F(1), x, -x, F(3)]) if checked(v) > 0)
    except ValueError:
        items.add(9)
    return items


@samples("E9", *WAYS)
def a_generator_function(x, n):
    items = []
    try:
        items.extend(some(x))
    except ValueError:
        items.append(F(-1))
    return items


@samples("E9", *WAYS)
def as_many_as_data_says(x, n):
    items = [x]
    try:
        items.extend(checked(v) for v in 3.0 - np.arange(n + 4))
    except ValueError:
        items.append(F(-1))
    return items


# ---- what is there already is looked at ------------------------------------------------------------


@samples("B4.10", *WAYS)
def its_length(x, n):
    items = []
    items.extend(a + len(items) for a in [x, F(2), F(3)])
    items += (a * len(items) for a in [x, F(2), F(3)])
    return items


@samples("B4.10", *WAYS)
def its_length_as_data_says(x, n):
    items = [x, F(1)]
    items.extend(v + len(items) for v in np.arange(n) - x)
    items += (v * len(items) for v in np.arange(n) - x if v > -1)
    return items


@samples("B4.10", *WAYS)
def of_a_dict(x, n):
    items = {0: x}
    items.update(((len(items), a) for a in [x, F(2), F(3)]), k=len(items))
    return items


@samples("B4.10", *WAYS)
def the_first_of_a_deque(x, n):
    items, last = deque([x]), deque([x], 3)
    items.extendleft(a + items[0] for a in [x, F(2), F(3)])
    last.extend(v + len(last) for v in [x, F(1), F(5), F(2)])
    last += (v + last[0] for v in [x, F(1)])
    return list(items), list(last)


@samples("B4.10", *WAYS)
def of_sets(x, n):
    seen, found = set(), {1, 2}
    seen.update(k for k in [1, 2, 3] if k - 1 not in seen)
    found.update((i for i in range(4)), [7, 8], (9 for _ in "a"))
    found.difference_update((i for i in range(3) if i in found), [8])
    return seen, found, x


@samples("B4.10", *WAYS)
def methods_of_own_classes_are_not_asked(x, n):
    items, table = Own([x]), OwnDict([(1, x)])
    items.extend(v + len(items) for v in [1.0, x])
    table.update((v + len(table), x) for v in [1.0, 4.0])
    return items, table


test_generator = samples.test()


def no_pairs(x):
    table = {}
    table.update((v, 1, 2) for v in [x, F(2)])
    return table


def test_what_is_no_pair_is_an_error():
    with pytest.raises(ValueError, match="has length 3; 2 is required"):
        ag.convert(no_pairs)(F(1))
