"""Lists, deques and dicts that the body of a `try` or `with` makes longer or shorter."""

from collections import deque

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
X = np.array([10.0, -5, -20, 7])
Y = np.array([1.0, -0.5, 2, 7])
Z = np.array([-1.0, -2, -3, -4])


def inverse(v):
    if v < 0:
        raise ValueError("negative")
    return 1 / (v + 1)


class Account:
    def __init__(self, balance):
        self.balance, self.log = balance, []

    def withdraw(self, x):
        if x > self.balance:
            raise ValueError(f"{x - self.balance:.2f} more are needed")
        self.balance -= x
        self.log.append(-x)

    def deposit(self, x):
        self.balance += x
        self.log.append(x)


class Logged:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append(1.0)
        return self

    def __exit__(self, kind, value, trace):
        self.log.append(-1.0)
        return kind is ValueError


@samples("E9", (X,), (Y,), (Z,))
def what_could_be_computed(x):
    found, bad = [], 0
    for v in x:
        try:
            found.append(inverse(v))
        except ValueError:
            bad += 1
    return np.array(found), bad, len(found)


@samples("E9", (X,), (Y,), (Z,))
def in_all_clauses(x):
    found, bad = [], []
    for i, v in enumerate(x):
        try:
            found.append(v)
            found.append(inverse(v))
            found.append(-v)
        except ValueError:
            bad.append(i)
        finally:
            found.append(0.5 * v)
    return found, bad


@samples("E9", (X,), (Y,), (Z,))
def a_loop_in_a_try(x):
    found = []
    try:
        for v in x:
            found.append(inverse(v))
    except ValueError:
        found.append(x[0])
    else:
        found.append(0.0 * x[0])
    return found


@samples("E9", (X,), (Y,), (Z,))
def taken_from_an_empty_list(x):
    stack, count = [x[0], x[1]], 0
    try:
        for v in x:
            if v > 0:
                stack.append(v)
            else:
                stack.pop()
                count += 1
    except IndexError:
        count = -1
    return count, stack


@samples("E9", (X,), (Y,), (Z,))
def a_try_in_a_staged_loop(x):
    stack, k = [], 0
    while k < 10 and x[0] > k - 3:
        try:
            if k % 3 == 2:
                raise KeyError(k)
            stack.append((k, x[k % 4]))
        except KeyError:
            if stack:
                stack.pop()
        k += 1
    return stack, k


@samples("E9", (X,), (Y,), (Z,))
def in_an_object(x):
    account, errors = Account(2.0 * x[0] ** 0), []
    for v in x:
        try:
            if v > 0:
                account.deposit(v)
            else:
                account.withdraw(-v)
        except ValueError:
            errors.append(1)
            account.balance -= 1.0
    return account.balance, account.log, sum(errors)


@samples("E9", (X,), (Y,), (Z,))
def in_a_with(x):
    log, found = [], []
    for v in x:
        with Logged(log):
            found.append(inverse(v))
    return log, found


@samples("E9", (X,), (Y,), (Z,))
def deques_and_dicts(x):
    queue, known, bad = deque([1.0 * x[0]]), {}, 0
    for v in x:
        try:
            queue.append(v)
            known[int(v)] = 0.0 * v
            known[int(v) + 1] = inverse(v)
            queue.append(-v)
        except ValueError:
            bad += 1
            queue.popleft()
    return queue, known, bad


@samples("E9", (X,), (Y,), (Z,))
def texts(x):
    found = []
    for v in x:
        try:
            inverse(v)
            found.append("good")
        except ValueError:
            found.append("bad")
            if v < -10:
                found.append("worse")
    return found, found.count("bad")


# ---- lists that the body makes -------------------------------------------------------------------


@samples("F4", (X, np.int64(1)), (X, np.int64(9)))
def made_and_given_up(x, i):
    try:
        found = [v for v in x if v > 1]
        found.append(x[i])
    except IndexError:
        found = []
    return found


@samples("F4", (X, np.int64(1)), (X, np.int64(9)))
def longer_where_nothing_raised(x, i):
    try:
        found = [x[0]]
        found.append(x[i])
        found.append(x[i - 1])
    except IndexError:
        print("only", len(found))
    return found


@samples("F4", (X, np.int64(1)), (X, np.int64(9)))
def a_tuple_made_in_a_body(x, i):
    try:
        found = tuple(v for v in x if v > 1)
        found = (*found, x[i])
    except IndexError:
        return ()
    finally:
        print("done")
    return found


@samples("F4", (X,), (-X,))
def parts_of_each_round(x):
    good, bad = [], 0
    for v in x:
        try:
            parts = [v]
            if v < 1:
                raise ValueError("too small")
            parts.append(v * 2)
            good.extend(parts)
        except ValueError:
            bad += 1
    return good, bad


@samples("E9", (X, np.int64(1)), (Y, np.int64(0)), (Z, np.int64(3)))
def rows_that_a_function_holds(x, k):
    try:
        rows = [[x[0], x[1]], [x[1], x[2]]]
        table = {"p": [x[0], 1.0], "q": [2.0, x[1]]}
        rows[k][k] = x[3]
        table[("p", "q")[k]][1 - k] = x[2]
        both = lambda: rows[1][0] + table["q"][0]  # noqa: E731
        x[k + 1] = both()
    except IndexError:
        x[0] += 1
    return x


@samples("E9", (X,), (Y,), (Z,))
def asked_of_some_items(x):
    y = 1.0
    try:
        if all(v for v in x if v != 7):
            y += 1
        if any(v > 1 for v in x if v < 7):
            raise ValueError
        y += 2
    except ValueError:
        y += 10
    return y


@samples("E9", (X, np.int64(2)), (X, np.int64(9)), (X, np.int64(0)))
def the_first_of_what_is_sorted(x, n):
    found = []
    for k in range(n):
        found.append(x[0] + k)
    try:
        found = sorted(reversed(found), key=lambda v: -v)[:7]
    except ValueError:
        pass
    return n


test_sample = samples.test()


def test_a_gradient_goes_through_a_list_of_a_try():
    def total(x):
        found = []
        for v in x:
            try:
                found.append(inverse(v))
            except ValueError:
                found.append(3 * v)
        return np.sum(np.array(found))

    assert np.allclose(ag.grad(ag.convert(total))(X), [-1 / 121, 3, 3, -1 / 64])


def of_arrays(x):
    found = []
    for v in x:
        try:  # refused
            found.append(x * inverse(v))
        except ValueError:
            pass
    return found


@pytest.mark.parametrize("sample", [of_arrays])
def test_a_list_of_arrays_is_refused(sample):
    refuse(sample, X, match="after the `try`, depending on where it raised|items are arrays")


def emptied_in_a_try(numbers, shift):
    try:
        try:
            numbers.pop(7)
        except IndexError:
            shift += 1.0
        numbers.clear()
        numbers = []
        numbers.pop(7)
    except IndexError as error:
        print(error)
    return shift


def called_for_each(a):
    numbers, total = [0.5, 1.5], a[0]
    for _ in a:
        total += emptied_in_a_try(numbers, total)
    return total, numbers


def test_a_list_of_the_caller_that_a_try_empties_keeps_what_it_was_where_it_may_raise():
    check(called_for_each, (Z,), (Z + 1.0,))
