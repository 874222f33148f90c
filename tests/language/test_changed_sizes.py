"""Loops over dicts, sets and deques that data makes longer or shorter in a round.

Python raises where the next item is asked for then, and does not where the loop is left before.
"""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64  # noqa: E741 - numbers of a kind
WAYS = ((F(2.0), I(1)), (F(0.5), I(2)), (F(-1.0), I(1)))
samples = Samples()


@samples("B4.10", *WAYS)
def a_key_is_put_in(x, n):
    table, seen = {0: x, 1: x + 1, 2: F(3)}, []
    for key in table:
        seen.append(table[key])
        if x > 1:
            table[key + 10] = x
    return table, seen


@samples("B4.10", *WAYS)
def a_key_is_put_in_and_it_is_caught(x, n):
    table, seen = {0: x, 1: x + 1, 2: F(3)}, []
    try:
        for key, value in table.items():
            seen.append(value)
            if value > 1:
                table[key + 10] = x
    except RuntimeError as error:
        print(error)
    return table, seen


@samples("B4.10", *WAYS)
def the_loop_is_left(x, n):
    table, seen = {0: x, 1: x + 1, 2: F(3)}, []
    for key in table:
        seen.append(table[key])
        if table[key] > 1:
            table[key + 10] = x
            break
    return table, seen


@samples("B4.10", *WAYS)
def the_loop_is_left_in_a_try(x, n):
    table, seen = {0: x, 1: x + 1, 2: F(3)}, []
    try:
        for key in table:
            seen.append(table[key])
            if table[key] > 1:
                del table[key]
                break
    except RuntimeError as error:
        print(error)
    return table, seen


@samples("B4.10", *WAYS)
def a_default_is_put_in(x, n):
    table, seen = defaultdict(float, {0: x, 1: x + 1}), []
    try:
        for value in table.values():
            seen.append(value)
            if x > 1:
                table[len(table) + 3] += x
    except RuntimeError as error:
        print(error)
    return table, seen


@samples("B4.10", *WAYS)
def a_value_is_set(x, n):
    table, seen = {0: x, 1: x + 1, 2: F(3)}, []
    for key, value in table.items():
        seen.append(value)
        if x > 1:
            table[(key + 1) % 3] = value * 2
    return table, seen


@samples("B4.10", *WAYS)
def known_changes(x, n):
    table, items, members, seen = {0: x}, deque([x, x]), {1, 2}, []
    for container in (table, items, members):
        try:
            for item in container:
                seen.append(item + x)
                if container is table:
                    table[1] = x
                elif container is items:
                    items.append(x)
                else:
                    members.add(7)
        except RuntimeError as error:
            print(error)
    return table, items, members, seen


@samples("B4.10", *WAYS)
def what_is_older_than_the_round(x, n):
    table, total = {0: x, 1: x + 1}, x
    for _ in range(n):
        for key in table:
            total = total * 2 + table[key]
            if total > 9:
                table[key] = total
                break
    return table, total


@samples("B4.10", *WAYS)
def of_a_set(x, n):
    members, total = {0, 1, 2}, x
    for member in members:
        total = total + member
        if total > 1:
            members.add(member + 10)
    return members, total


@samples("B4.10", *WAYS)
def of_a_deque(x, n):
    items, total = deque([x, x + 1]), x
    for item in items:
        total = total + item
        if total > 1:
            items.append(item)
    return items, total


@samples("B4.10", *WAYS)
def a_key_is_moved_to_the_end_and_the_loop_is_left(x, n):
    table, grown = {0: x, 1: x + 1, 2: F(3)}, {}
    for k in range(n + 2):
        grown[k] = k
    for key in table:
        if x > 1 and key == 2:
            table[key] = table.pop(key) + 1
            break
    for key in grown:
        if key == n + 1:
            grown.pop(key)
            grown[key] = -1
            break
    return table, grown


@samples("B4.10", *WAYS)
def the_last_item_is_taken_out_before_its_turn(x, n):
    table, rounds = {"a": x, "b": x + 1, "c": F(3)}, 0
    for _ in table:
        rounds += 1
        if x > 1 and rounds == 1:
            del table["c"]
            table["c"] = x
        if rounds > 5:
            break
    return table, rounds


@samples("B4.10", (F(2.0), I(1)), (F(0.5), I(2)))
def what_python_alone_knows_is_asked_of_it(x, n):
    few, many, rounds = {1: x, 2: x, 5: x}, dict.fromkeys(range(9), 0.0), 0
    for _ in few:
        few.pop(5)
        few[5] = x + 1  # there is room in the table for just so many
    try:
        for key in many:
            rounds += 1
            if key == 8:
                del many[key]
                many[key] = 1.0
    except RuntimeError as error:
        print(error)
    return few, rounds, x


test_loop = samples.test()


def items_of_a_deque(x, n):
    items, total = deque([x, x + 1]), x
    for item in items:  # refused
        total = total + item
        if total > 1:
            items[0] = total
    return items, total


def test_items_of_a_deque_are_refused():
    refuse(items_of_a_deque, F(2.0), I(1), match="`for` goes through it, and has as many items")


def other_keys(x, n):
    table, rounds = {0: x, 1: x + 1, 2: F(3)}, 0
    try:
        for key in table:
            rounds += 1
            if rounds > 6:
                break
            if x > 1:
                del table[key]
                table[key + 10] = x
    except RuntimeError as error:
        print(error)
    return list(table), rounds


def other_keys_of_a_comprehension(x, n):
    table = {"a": x, "b": x + 1}

    def moved(key):
        if x > 1 and key == "a":
            del table[key]
            table["c"] = x
        return key

    return [moved(key) for key in table]


def the_last_key_anew(x, n):
    table = {0: x, 1: x + 1, 2: F(3)}
    for key in table:
        if x > 1 and key == 2:
            table.pop(key)
            table[key] = x
    return table


def the_last_key_of_a_text_anew(x, n):
    table = {"a": x, "b": x + 1}
    for key, _ in table.items():
        if x > 1 and key == "b":
            del table[key]
            table[key] = x
    return table


def the_last_key_by_data_anew(x, n):
    table = {}
    for k in range(n + 2):
        table[k] = k
    for key in table:
        if x > 1 and key == n + 1:
            table.pop(key, None)
            table[key] = 9
    return table


@pytest.mark.parametrize(
    "sample",
    [
        other_keys,
        other_keys_of_a_comprehension,
        the_last_key_anew,
        the_last_key_of_a_text_anew,
        the_last_key_by_data_anew,
    ],
)
def test_as_many_other_keys_are_told_when_the_graph_runs(sample):
    check(sample, (F(0.5), I(2)), (F(-1.0), I(1)), saved=False)
    with pytest.raises(NotImplementedError, match="and has as many items"):
        ag.convert(sample)(F(2.0), I(1))
