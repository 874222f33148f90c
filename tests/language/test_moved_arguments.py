"""Lists and dicts among the arguments that a call moves: each stays the very one that it was."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check


def swapped(rows, k):
    first = rows[0]
    rows[0], rows[-1] = rows[-1], rows[0]
    if k > 0:
        first.append(4)
    return first


def swapped_after_a_choice(rows, k):
    row = rows[k]
    row.append(5)
    rows[0], rows[-1] = rows[-1], rows[0]
    row[0] = 77
    return row, rows


def taken_out(rows, k):
    row = rows[1] if k > 0 else rows[0]
    rows.pop(0)
    return row


def put_in_before(rows, k):
    row = rows[k]
    rows.insert(0, [1, 2, 3])
    row.append(4)
    return row


def reversed_in_place(rows, k):
    row = rows[0]
    rows.reverse()
    for i in range(k):
        row[0] += i
    return row, rows[0]


def another_in_its_place(rows, k):
    row = rows[k]
    rows[0] = [0]
    row[0] = 9
    return row


@pytest.mark.parametrize("sample", [
    swapped, swapped_after_a_choice, taken_out, put_in_before, reversed_in_place,
    another_in_its_place,
], ids=lambda f: f.__name__)  # fmt: skip
def test_a_list_that_was_moved_is_the_one_that_it_was(sample):
    rows = [[3, 1], [2, 2], [0, 5]]
    check(sample, *[(rows, np.int64(k)) for k in (0, 1, 2)])


def swapped_values(parts, k):
    part = parts["a"] if k > 0 else parts["b"]
    parts["a"], parts["b"] = parts["b"], parts["a"]
    part.append(4)
    return part


def test_a_list_in_a_dict_that_was_moved_is_the_one_that_it_was():
    check(swapped_values, *[({"a": [1], "b": [2]}, np.int64(k)) for k in (0, 1)])


def test_what_is_given_back_is_the_list_of_the_caller():
    first, last = [3, 1], [0, 5]
    rows = [first, last]
    assert ag.convert(swapped)(rows, np.int64(4)) is first
    assert rows[0] is last and rows[1] is first and first == [3, 1, 4]
