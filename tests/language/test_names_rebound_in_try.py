"""Names that the body of a `try` binds to another object, which is written then, too."""

import numpy as np

from tests.language.harness import Samples, refuse

A, B, C = np.float64(0.5), np.float64(2.5), np.float64(4.0)
CASES = ((A,), (B,), (C,))
samples = Samples()


class Box:
    def __init__(self, value):
        self.value = value

    def scaled(self, x):
        return self.value * x


class Sum:
    def __init__(self, value):
        self.value = value

    def scaled(self, x):
        return self.value + x


@samples("E9", *CASES, joined=True)
def an_object(x):
    box = Box(x)
    try:
        if x > 3:
            raise ValueError
        box = Box(x * 2)
        if x > 2:
            raise ValueError
        box.value += 1
    except ValueError:
        pass
    return box.value


@samples("E9", *CASES, joined=True)
def one_that_is_written_and_compared(x):
    box = old = Box(x)
    try:
        if x > 3:
            raise ValueError
        box = Box(x * 3)
        if x > 2:
            raise ValueError
    except ValueError:
        pass
    box.value += 1
    return box.value, old.value, box is old


@samples("E9", *CASES, joined=True)
def one_of_another_class(x):
    box = old = Box(x)
    try:
        if x > 3:
            raise ValueError
        box = Sum(x)
        if x > 2:
            raise ValueError
        box.value += 1
    except ValueError:
        box.value += 10
    return box.scaled(2.0), old.scaled(2.0)


@samples("E9", *CASES, joined=True)
def none_or_an_object(x):
    box = None
    try:
        if x > 3:
            raise ValueError
        box = Box(x * 3)
        if x > 2:
            raise ValueError
    except ValueError:
        pass
    return -1.0 if box is None else box.value


@samples("E9", *CASES, joined=True)
def lists_and_dicts(x):
    items = old = [x, 1.0]
    table = known = {"a": x}
    try:
        if x > 3:
            raise ValueError
        items, table = [x * 2, 3.0], {"a": x * 2}
        if x > 2:
            raise ValueError
        items[1] += 1
    except ValueError:
        table["a"] = 7.0
    items[0] += 1
    table["a"] += 1
    return items, old, table, known


@samples("E9", *CASES, joined=True)
def a_list_that_grows(x):
    items = old = [x, 1.0]
    try:
        if x > 3:
            raise ValueError
        items = [x * 2, 3.0]
        if x > 2:
            raise ValueError
        items.append(1.0)
    except ValueError:
        pass
    return sum(items), len(items), sum(old)


@samples("E9", *CASES, joined=True)
def what_is_in_the_object(x):
    box = old = Box([x])
    grid = kept = Box(np.zeros(2))
    try:
        if x > 3:
            raise ValueError
        box, grid = Box([x * 3]), Box(np.ones(2))
        grid.value[0] = x
        if x > 2:
            raise ValueError
        box.value[0] += 4
    except ValueError:
        grid.value += 3
    box.value[0] += 1
    grid.value[1] += 1
    return box.value, old.value, grid.value, kept.value


@samples("E9", *CASES, joined=True)
def the_best_of_a_loop(x):
    best, steps = Box(0.0), 0.0
    while steps < x:
        steps = steps + 1
        try:
            found = Box(steps * 3)
            if steps > 2:
                raise ValueError
            best = found
            best.value += 1
        except ValueError:
            best.value += 10
    return best.value


@samples("E9", *CASES, joined=True)
def rows_of_a_loop(x):
    table = np.arange(6.0).reshape(3, 2) + x
    row = None
    try:
        for k, row in enumerate(table):
            row += 1
            if x > k + 2:
                raise ValueError
            table *= 2
    except ValueError:
        table -= 5
    row[1] += 100
    table[:, 0] += 1000
    return table, row


@samples("E9", *CASES, joined=True)
def a_row_of_one_of_two_tables(x):
    one, other = np.arange(6.0).reshape(3, 2) + x, np.arange(8.0).reshape(4, 2) * x
    table, row, k = one, one[0], 0
    while k < 3:
        try:
            row = table[k]
            if x > k + 2:
                raise ValueError
            row = table[k - 1, ::-1]
            table = other
            row[0] += x
        except ValueError:
            row = row * 2
        row += k
        k += 1
    row[1] -= 1
    return one, other, row


@samples("E9", *CASES, joined=True)
def a_row_of_one_of_two_constants(x):
    one, other = np.arange(6.0).reshape(3, 2), np.arange(8.0).reshape(4, 2)
    table, row, k = one, one[0], 0
    while k < 3:
        try:
            row = table[k]
            if x > k + 2:
                raise ValueError
            table = other
        except ValueError:
            row = row * 2
        k += 1
    return row


@samples("E9", *CASES, joined=True)
def functions_that_hold_a_row(x):
    table = np.arange(6.0).reshape(3, 2) + x
    try:
        for row in table:
            last = lambda: row  # noqa: B023, E731
            table %= x
            if row[0] > 2:
                raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    table += 1
    return last(), table


@samples("E9", *CASES, joined=True)
def given_back_where_it_was_none(x):
    found, rounds = 2, 4
    while rounds > 0:
        rounds -= 1
        try:
            if x > 1:
                raise ValueError
            if x > 0.5:
                return x, found
        except ValueError:
            if found < 1:
                return x, found
            other = None
            if x > 3:
                other = found + 1
            found = 4 if other is None else other
            x = x - 1
    return x, found


@samples("E9", *CASES, joined=True)
def a_list_as_long_as_before(x):
    held, total = [1, 1], 0
    while x < 5:
        x = x + 1
        try:
            if x > 3:
                raise ValueError
            held[0] += 2
        except ValueError:
            held[held[1]] += 3
        for v in reversed(held):
            held[:] = [held[1], 1]
            total = total * 2 + v
    return held, total


@samples("E9", *CASES)
def one_array_in_two_places(x):
    older = np.full(2, x)

    def pair():
        try:
            made = older * 2
            if x > 3:
                raise ValueError
            return made, [made]
        except ValueError:
            return older, [older + 1]

    one, (other,) = pair()
    one[0] = 9
    return one, other, older


def an_array_beside_its_part(x):
    older = np.full(2, x)
    try:
        made = older * 2
        if x > 3:
            raise ValueError
        pair = made, made[:1]
    except ValueError:
        pair = older, older[:1]
    pair[0][0] = 9  # refused
    return pair


def test_an_array_that_may_show_another_one_is_not_written():
    refuse(an_array_beside_its_part, A, match="two parts of `pair` may be one array")


test_sample = samples.test()
