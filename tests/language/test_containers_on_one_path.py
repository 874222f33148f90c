"""Containers and objects that a name is on one path only, and others of the same content."""

from __future__ import annotations

from collections import OrderedDict, deque

import numpy as np
import pytest

from tests.language.harness import check, refuse

F8 = np.float64


class Box:
    def __init__(self, right=2.0):
        self.right = right


# ---- an older one under a name that has no value on the other path --------------------------------


def read_in_the_branch(x):
    older = Box()
    if x < 2:
        given = older
        x += sum(given.right for j in range(2))
    for v in [1.0, x]:
        older.right = v
    return x, older.right


def captured_by_a_lambda(x):
    older = Box()
    if x < 2:
        given = older
        read = lambda: given.right
        x += read()
    older.right = x
    return x, older.right


def read_and_written_later(x):
    older = [F8(1.0), x]
    if x < 2:
        given = older
    older[0] = x + 5.0
    if x < 2:
        x = given[0] + x
        given[1] = x * 7.0
    return x, older


def none_on_the_other(x):
    older, given = [F8(1.0), x], None
    if x < 2:
        given = older
    older[0] = x + 5.0
    if given is not None:
        x = given[0] + x
        given[1] = x * 7.0
    return x, older


def in_a_list_that_the_branch_made(x):
    older = [F8(1.0), x]
    if x < 2:
        given = [older, x]
    older[0] = x + 5.0
    if x < 2:
        x = given[0][0] + given[1]
        given[0][1] = x * 7.0
    return x, older


def written_in_the_branch(x):
    older = [x, x]
    if x < 2:
        given = older
        older[1] = x * 3.0
        given[0] = x
    older[0] += 5.0
    if x < 2:
        x = given[0] + given[1]
    return x, older


def of_the_caller(x, items):
    if x < 2:
        given = items
    items[0] = x + 5.0
    if x < 2:
        x = given[0] + x
    return x, items


def the_other_path_raises(x, items):
    if x > 5:
        raise ValueError("large")
    else:
        given = items
    given[0] = x
    return items[0] + 1, items


def arrays_in_it(x):
    older = [np.zeros(2), x]
    if x < 2:
        given = older
        given[0][0] = x
    older[0][1] += x
    if x < 2:
        given[0] += 1
    return older


def bound_in_a_loop(x):
    older = Box()
    while x < 4:
        given = older
        x += given.right
    for v in [1.0, x]:
        older.right = v
    return (x, given.right) if x < 6 else (x, older.right)


def bound_in_a_loop_in_a_loop(x):
    total = x
    for k in range(3):
        inner = [x, total]
        while x < 4 + k:
            given = inner
            x += 1.5
            given[0] = x
        inner[1] = x
        total = total + inner[0]
    return x, total


def returned_from_a_loop(x):
    first, second = [F8(1.0), x], [F8(2.0), F8(3.0)]
    while x < 5:
        x = x + 1
        if x > 3:
            return first, second
        first[0] = x
    return first, second


def returned_from_a_loop_or_another(x):
    first, second = [F8(1.0), x], [F8(2.0), F8(3.0)]
    while x < 5:
        x = x + 1
        if x > 3:
            return first, second
        first[0] = x
    return first, [second[0], F8(1.0)]


ONE_PATH = [
    read_in_the_branch, captured_by_a_lambda, read_and_written_later, none_on_the_other,
    in_a_list_that_the_branch_made, written_in_the_branch, arrays_in_it, bound_in_a_loop,
    bound_in_a_loop_in_a_loop, returned_from_a_loop, returned_from_a_loop_or_another,
]  # fmt: skip


@pytest.mark.parametrize("sample", ONE_PATH)
def test_e2_what_one_path_binds_stays_the_object_that_it_is(sample):
    check(sample, (F8(1),), (F8(3),), (F8(7),), (F8(0.5),), joined=True)


@pytest.mark.parametrize("sample", [of_the_caller, the_other_path_raises])
def test_e2_what_one_path_binds_stays_the_caller_s(sample):
    check(sample, *((F8(x), [F8(1), F8(2)]) for x in (1, 3, 7)), joined=True)


# ---- a name that nobody reads any more -------------------------------------------------------------


def gone_through_by_built_ins(x):
    older, given = Box(), Box(3.0)
    if x < 2:
        given = older
        x += sum(given.right for j in range(2))
        x += max((given.right for j in range(2)), default=0)
        x += list(given.right for j in range(2))[0] + tuple(given.right for j in range(2))[0]
        if any(given.right > 1 for j in range(2)) and all(given.right < 9 for j in range(2)):
            x += sorted([1.0, 2.0], key=lambda v: v * given.right)[0]
    older.right = x
    return x, older.right


def gone_through_in_place(x):
    older, given = Box(), Box(3.0)
    if x < 2:
        given = older
        x += max(*(given.right for j in range(2)))
        first, second = (given.right for j in range(2))
        x += first + second + [*(given.right for j in range(2))][0]
        for v in (given.right for j in range(2)):
            x += v
        x += (lambda: given.right)()
    older.right = x
    return x, older.right


def in_a_loop_with_both(x):
    older, given = Box(), Box(3.0)
    while x < 4:
        given = older
        x += sum(given.right for j in range(2))
    older.right = x
    return x, older.right


@pytest.mark.parametrize(
    "sample", [gone_through_by_built_ins, gone_through_in_place, in_a_loop_with_both]
)
def test_e2_what_is_read_at_once_is_not_in_use_afterwards(sample):
    check(sample, (F8(1),), (F8(3),), (F8(0.5),))


def kept_by_a_generator(x):
    older, given = Box(), Box(3.0)
    read = (given.right for j in range(2))
    if x < 2:
        given = older
    older.right = x
    return next(read)


def used_by_a_function_of_the_same_name(x):
    def sum(items):
        return next(items)

    older, given = Box(), Box(3.0)
    if x < 2:
        given = older
        x += sum(given.right for j in range(2))
    older.right = x
    return x


@pytest.mark.parametrize("sample", [kept_by_a_generator, used_by_a_function_of_the_same_name])
def test_e2_what_is_read_later_sees_the_write(sample):
    check(sample, (F8(1),), (F8(3),), joined=True)


# ---- two of the same content are two ---------------------------------------------------------------


def swapped_in_a_try(x):
    rows = [[F8(1.0)], [F8(1.0)]]
    first = rows[0]
    try:
        assert x < 4
        rows[0], rows[1] = rows[1], rows[0]
        assert x < 3
    except AssertionError:
        pass
    first[0] = x * 7.0
    return rows[0][0] + x, rows[1][0], rows[0] is first


def a_set(x):
    one, other = {1.0}, {1.0}
    chosen = one if x < 3 else other
    chosen.add(2.0)
    return x + len(one), len(other)


def a_set_after_a_try(x):
    one, other = {1.0}, {1.0}
    chosen = one
    try:
        assert x < 4
        chosen = other
        assert x < 2
    except AssertionError:
        pass
    chosen.add(2.0)
    return x + len(one), len(other)


def a_set_after_a_loop(x):
    one, other = {1.0}, {1.0}
    chosen = one
    while x < 3:
        chosen = other
        x += 1
    chosen.add(2.0)
    return x + len(one), len(other)


def a_dict_with_an_order(x):
    one, other = OrderedDict(a=1.0), OrderedDict(a=1.0)
    chosen = one
    if x < 3:
        chosen = other
    chosen["a"] = 2.0
    return x + one["a"], other["a"]


def a_queue(x):
    one, other = deque([1.0]), deque([1.0])
    chosen = one if x < 3 else other
    chosen.append(2.0)
    return x + len(one), len(other)


def in_a_tuple(x):
    one, other = ({1.0},), ({1.0},)
    chosen = one if x < 3 else other
    chosen[0].add(2.0)
    return x + len(one[0]), len(other[0])


TWO = [
    swapped_in_a_try, a_set, a_set_after_a_try, a_set_after_a_loop, a_dict_with_an_order, a_queue,
    in_a_tuple,
]  # fmt: skip


@pytest.mark.parametrize("sample", TWO, ids=lambda f: f.__name__)
def test_e2_containers_of_one_content_are_not_taken_for_one_another(sample):
    check(sample, *((F8(x),) for x in (1, 2.5, 3.5, 5)), joined=True)


def a_deque_or_nothing(x):
    if x[1] > 1.5:
        return deque([x[0]])
    return None  # refused


def a_set_or_nothing(x):
    if x[1] > 1.5:
        return {int(v) for v in x}
    return None  # refused


def a_slice_or_nothing(x):
    part = None
    if x[1] > 1.5:
        part = slice(0, int(x[0]))
    return part  # refused


@pytest.mark.parametrize("sample", [a_deque_or_nothing, a_set_or_nothing, a_slice_or_nothing])
def test_what_one_path_makes_and_is_not_taken_apart_is_refused(sample):
    refuse(sample, np.arange(3.0), match="that one path makes of what only the graph knows")
