"""Containers that one `return` gives and another copies, while the function changes them."""

import contextlib

import numpy as np

from tests.language.harness import Samples

A, B, C = np.float64(0.5), np.float64(2.5), np.float64(4.0)
CASES = ((A,), (B,), (C,))
samples = Samples()


class Zeroing:
    def __init__(self, items):
        self.items = items

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.items[0] = 0.0


@contextlib.contextmanager
def raising(items):
    yield
    items[0] += 9.0


@samples("E3", *CASES, joined=True)
def in_a_loop(x):
    items, steps = [x, 1.0], 0
    while steps < 3:
        steps += 1
        if x > steps + 1:
            return items, steps
        items[0] += 1
        if x > steps:
            return items[:], steps
        items[1] += steps
    return list(items), steps


@samples("E3", *CASES, joined=True)
def dicts_in_a_loop(x):
    table = {"a": x}
    for i in range(3):
        if x > i + 1:
            return dict(table), i
        table["a"] += i
        if x < -1:
            return table, i
    return table, 7


@samples("E3", *CASES, joined=True)
def without_a_loop(x):
    items = [x, 1.0]
    if x > 3:
        return items
    items[1] = 5.0
    if x > 1:
        return items.copy()
    items[0] = 7.0
    return items


@samples("E3", *CASES, joined=True)
def what_a_finally_writes_is_seen(x):
    items = [x, 1.0]
    try:
        if x > 3:
            return items
        items[1] = 3.0
        if x > 1:
            return items[:]
    finally:
        items[0] = 9.0
    return items


@samples("E3", *CASES, joined=True)
def what_a_manager_writes_is_seen(x):
    items, others = [x, 1.0], [x, 2.0]
    with Zeroing(items), raising(others):
        if x > 3:
            return items, others
        items[1] = others[1] = 5.0
        if x > 1:
            return items[:], others[:]
        items[1] = others[1] = 6.0
    return items, others


@samples("E3", *CASES, joined=True)
def what_the_caller_writes_is_seen(x):
    items = [x, 1.0]

    def chosen():
        if x > 3:
            return items
        items[0] += 1
        if x > 1:
            return items[:]
        items[0] += 1
        return items

    found, again = chosen(), chosen()
    items[1] += 10
    again[0] += 100
    return found, again, items, found is again


@samples("E3", *CASES, joined=True)
def of_a_function_that_calls_itself(x):
    items = [x, 1.0]

    def walk(n):
        if n == 0:
            return items
        found = walk(n - 1)
        if x > n:
            return found[:]
        items[0] += 1
        return found

    return walk(3), items


@samples("E3", *CASES, joined=True)
def before_a_loop_and_in_a_handler_within(x):
    items = [x, 1.0, 2.0]
    if x > 3:
        if x != 9:
            return x, items
    while x < 1:
        try:
            items[2] = items[2]
            if x < 7:
                raise RuntimeError("claimed")
        except ValueError:
            return x * 2, [items[0], items[1], items[2]]
    return None


@samples("E3", *CASES, joined=True)
def dicts_by_a_try_in_which_they_are_made(x):
    table, limits = {"a": 9, "b": 1.0}, {"a": x}
    try:
        if x > 3:
            raise IndexError
        return x, {"a": limits["a"]}, {"a": table["a"], "b": x}
    except IndexError:
        return x * 2, {"a": limits["a"] + 1}, table
    finally:
        table["a"] = 5


@samples("E3", *((x, n) for (x,) in CASES for n in (np.int64(0), np.int64(1))), joined=True)
def what_a_finally_writes_that_may_return(x, n):
    items = [9.0, 1.0]
    try:
        if x > 3:
            return x, items
        return x, [9.0, x]
    finally:
        if n > 0:
            return x, [1.0, x]
        items[0] = 5.0


@samples("E3", *((x, n) for (x,) in CASES for n in (np.int64(0), np.int64(1))), joined=True)
def what_a_finally_writes_that_may_return_behind_an_error(x, n):
    table = {"a": 9.0}
    try:
        if x > 3:
            raise IndexError
        return {"a": table["a"]}
    except IndexError:
        return table
    finally:
        if n > 0:
            return
        table["a"] = 5.0


@samples("E3", *CASES, joined=True)
def made_in_a_branch_of_a_branch(x):
    table, found = {"a": 9.0, "b": x}, None
    if x > 3:
        pass
    else:
        if x > 1:
            found = {"a": x}
        else:
            found = table
        found["a"] += 1
    table["a"] += 10
    if found is None:
        return table
    found["a"] *= 2
    return found, table


@samples("E3", *CASES, joined=True)
def functions_made_in_a_branch_of_a_branch(x):
    scale = None
    if x < 3:
        y = x + 1
        if x > 1:
            scale = lambda v: v * y  # noqa: E731
        else:
            scale = np.cos
    if scale is None:
        return x
    return scale(2.0)


@samples("E3", *CASES, joined=True)
def itself_or_a_copy_with_a_finally_in_each_round(x):
    items, fuel = [x, 1.0], 3
    while x < 1:
        return items
    while fuel > 0:
        fuel -= 1
        x += 1.0
        try:
            if x > 5:
                return items[:]
            if x > 4:
                return items
            items[1] += 1.0
        finally:
            items[0] += 10.0
        items[1] += 2.0
    return items


@samples("E3", *CASES, joined=True)
def itself_or_a_copy_with_a_manager_in_each_round(x):
    items, fuel = [x, 1.0], 3
    while fuel > 0:
        fuel -= 1
        x += 1.0
        with Zeroing(items):
            if x > 4:
                return items[:], fuel
            if x > 3:
                return items, fuel
            items[1] += 1.0
    return items, fuel


@samples("E3", *CASES, joined=True)
def a_finally_around_a_loop_that_returns(x):
    items, fuel = [x, 1.0], 4
    try:
        while fuel > 0:
            fuel -= 1
            if x > 5:
                return items
            items[1] += 1.0
            if x > 3.5:
                return items[:]
            x += 1.0
    finally:
        items[0] += 10.0
    return items[:]


@samples("E3", *CASES, joined=True)
def several_copies_and_itself_in_nested_loops(x):
    first, second = {"a": x}, {"a": 2.0}
    for i in range(3):
        for j in range(2):
            if first["a"] > 4:
                return first, dict(second)
            if second["a"] > 3:
                return dict(first), second
            second["a"] += 0.5
        first["a"] += i
    first["a"] += 100
    return dict(first), second


@samples("E3", *CASES, joined=True)
def in_a_tuple_that_a_branch_of_a_branch_makes(x):
    items = [x, 1.0]
    if x > 1:
        if x > 3:
            kept = (items, x)
        else:
            kept = (items[:], x)
    if x > 1:
        kept[0][1] += 5.0
        return items, kept, kept[0] is items
    return items


@samples("E3", *CASES, joined=True)
def itself_in_a_branch_of_a_branch(x):
    items, found = [x, 1.0], None
    if x > 1:
        if x > 3:
            found = items
        else:
            found = items[:]
    return found, items, found is items


@samples("E3", *CASES, joined=True)
def itself_in_a_tuple_behind_a_try(x):
    items = [x, 1.0]

    def chosen():
        try:
            if x > 3:
                raise ValueError
        except ValueError:
            return items[:]
        if x > 1:
            return (x, items)
        return (x, [items[0], items[1]])

    found = chosen()
    items[0] += 5.0
    return found, items


def waiting(items, x):
    with Zeroing(items):
        yield 1.0
        if x > 1:
            items = items[:]
        yield items[1]


@samples("E3", *CASES, joined=True)
def a_manager_in_a_generator_holds_it(x):
    items, total = [x, 1.0], 0.0
    for value in waiting(items, x):
        total = total + value
        if x > 3:
            items = items[:]
    return items, total


def once_and_on(x):
    if x > 1:
        yield 1.0
    while x > 0:
        x = x - 1.0
        yield x


def changing_behind(x, items):
    if x > 1:
        yield 1.0
        items[0] = items[0] + 5.0
    while x > 0:
        x = x - 1.0
        yield x
        items[1] = items[1] - 1.0


@samples("E3", *CASES, joined=True)
def of_a_generator_in_place(x):
    items = [x, x + 1.0]
    for _ in once_and_on(x):
        if x > 3:
            return x, items
        return x, [items[0], items[1]]
    items[1] = 3.0 * x


@samples("E3", *CASES, joined=True)
def of_a_generator_that_changes_it(x):
    items = [x, x + 1.0]
    for value in changing_behind(x, items):
        if value + x > 4:
            return items, value
        if value > 1:
            return items[:], value
    items[1] = 3.0 * x
    return items, x


def from_a_generator(x, items):
    for _ in once_and_on(x):
        if x > 3:
            return x, items
        return x, items[:]
    items[1] = 3.0 * x
    return x, items


@samples("E3", *CASES, joined=True)
def of_a_function_that_goes_through_one(x):
    items = [x, x + 1.0]
    found = from_a_generator(x, items)
    return found[1][0], items


test_sample = samples.test()
