"""Generators that converted code goes through mean the same on every call."""

import contextlib
import itertools

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
F = np.float64
X = np.array([3.0, -1.0, 2.0, 5.0])
Y = np.array([-4.0, 1.0, -2.0, 0.5])


# ---- effects, item by item -----------------------------------------------------------------------


def counting(n):
    for i in range(n):
        print("gives", i)
        yield i
    print("ends")


@samples("B4.10", (F(1.0),), (F(2.0),))
def prints_of_a_generator(x):
    for i in counting(3):
        x = x + i
        print("has", x)
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def prints_around_a_break(x):
    for i in counting(9):
        x = x + i
        if i == 2:
            break
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def passed_on_to_built_ins(x):
    print(sum(counting(3)), list(counting(2)), max(counting(4)), sorted(counting(2), reverse=True))
    for k, (i, j) in enumerate(zip(counting(2), counting(3))):
        x = x + k * i + j
    print(any(counting(3)), all(counting(3)), dict(zip("ab", counting(2))), [*counting(1)])
    print({i: 2 * i for i in counting(2)}, tuple(counting(1)), [2 * i for i in counting(2)])
    first, *rest = counting(3)
    print(first, rest, next(counting(1)), next(counting(0), "none"))
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def passed_on_to_itertools(x):
    for i, j in itertools.product(counting(2), repeat=2):
        x = x + i * j
    print(list(itertools.chain(counting(1), itertools.islice(counting(5), 2))))
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def half_consumed(x):
    numbers = counting(4)
    x = x + next(numbers)
    for i in numbers:
        x = x * 2.0 + i
        if i == 2:
            break
    print("rest", list(numbers), next(numbers, None))
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def gone_through_twice(x):
    numbers = counting(2)
    for i in numbers:
        x = x + i
    for i in numbers:
        x = x + 100.0
    return x, list(numbers)


@samples("B4.10", (F(1.0),), (F(2.0),))
def two_in_turns(x):
    a, b = counting(2), counting(3)
    print(next(a), next(b), next(b), next(a))
    return x + next(b)


@samples("B4.10", (F(1.0),), (F(2.0),))
def expressions(x):
    squares = (print("squares", i) or i * x for i in range(3))
    print("made")
    total = x
    for s in squares:
        total = total + s
    return total + sum(i for i in counting(2) if i)


# ---- what a generator does with data -------------------------------------------------------------


def running(x, *, scale=2.0):
    total = 0.0
    for v in x:
        total = total + v * scale
        if total > 3.0:
            print("large", total)
        yield total


@samples("B4.10", (X,), (Y,))
def state_of_a_generator(x):
    out = 0.0
    for t in running(x, scale=0.5):
        out = out * 2.0 + t
    return out


@samples("B4.10", (X,), (Y,))
def state_of_a_generator_item_by_item(x):
    totals = running(x)
    first = next(totals)
    return [first, *totals]


def positive(x):
    for v in x:
        if v > 0:
            yield v


@samples("B4.10", (X,), (Y,), whiles=1)
def yield_under_data(x):
    total = 0.0
    for v in positive(x):
        total += v
    return total


@samples("B4.10", (X,), (Y,))
def break_by_data(x):
    total = 0.0
    for v in positive(x):
        print("has", v)
        if v > 4.0:
            break
        if v > 2.5:
            continue
        total = total + v
    return total


@samples("B4.10", (X,), (Y,), joined=True)
def return_by_data(x):
    for v in positive(x):
        if v < 1.0:
            return v
    return 100.0


def doubling(a):
    while True:
        yield a
        a = a * 2


@samples("B4.10", (np.int64(3),), (np.int64(1),), whiles=1)
def endless(n):
    for v in doubling(n):
        if v > 100:
            return v


@samples("B4.10", (np.int64(27),), (np.int64(6),))
def collatz(n):
    def steps(n):
        yield n
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            yield n

    count, largest = 0, n
    for v in steps(n):
        count += 1
        if v > largest:
            largest = v
    return count, largest


@samples("B4.10", (X,), (Y,))
def sum_of_what_is_positive(x):
    return sum(positive(x))


@samples("B4.10", (np.arange(40.0),), (np.arange(40.0)[::-1].copy(),), whiles=1)
def long_range(x):
    def indexed(n):
        for i in range(n):
            yield x[i] * i

    total = 0.0
    for v in indexed(40):
        total = total + v
    return total


@samples("B4.10", (X, F(1.0)), (Y, F(-1.0)), joined=True)
def consumed_in_a_branch(x, c):
    total = 0.0
    if c > 0:
        for v in positive(x):
            total = total + v
    else:
        for i in counting(2):
            total = total - i
    return total


@samples("B4.10", (np.ones((3, 2)),), (-np.ones((3, 2)),), joined=True)
def consumed_in_a_loop(x):
    total = 0.0
    for row in x:
        for v in positive(row):
            total = total + v
        for i in counting(2):
            total = total + i
    return total


def pairs(x):
    for a in x:
        for b in x:
            if a < b:
                yield a, b


@samples("B4.10", (X,), (Y,))
def pairs_under_data(x):
    total, count = 0.0, 0
    for a, b in pairs(x):
        total = total + a * b
        count = count + 1
    return total, count


@samples("B4.10", (X,), (Y,))
def writes_an_array(x):
    out = np.zeros(4)
    k = 0
    for v in positive(x):
        out[k] = v
        k += 1
    return out


# ---- yield from, return, send, throw, close ------------------------------------------------------


def tree_walk(tree):
    if isinstance(tree, tuple):
        left, right = tree
        yield from tree_walk(left)
        print("between")
        yield from tree_walk(right)
    else:
        yield tree


@samples("B4.10", (F(1.0), F(2.0), F(3.0)), (F(4.0), F(5.0), F(6.0)))
def recursion_over_a_nest(a, b, c):
    total = 0.0
    for leaf in tree_walk(((a, (b, a)), c)):
        total = total * 2.0 + leaf
    return total, sum(tree_walk((a, b)))


def flattened(parts):
    for part in parts:
        yield from part


@samples("B4.10", (X,), (Y,))
def from_parts(x):
    total = 0.0
    for v in flattened([x, positive(x), [1.0, 2.0], (v * 2.0 for v in x)]):
        total = total + v
    return total


def averaging():
    total, count = 0.0, 0
    while count < 3:
        value = yield total
        print("got", value)
        total = total + value
        count += 1
    return total / count


def result_of(generator):
    result = yield from generator
    print("result", result)
    return result * 10.0


@samples("B4.10", (F(1.0),), (F(2.0),))
def sent_values(x):
    average = result_of(averaging())
    print(next(average))
    print(average.send(x))
    print(average.send(x * 2.0))
    try:
        average.send(x * 3.0)
    except StopIteration as stop:
        return stop.value


def caring(log):
    k = 0
    while k < 4:
        try:
            print("at", k)
            yield k
        except ValueError as error:
            print("caught", error)
        finally:
            print("leaves", k)
            log.append(k)
        k += 1
    print("ends")


@samples("B4.10", (F(1.0),), (F(2.0),))
def thrown_and_closed(x):
    log = []
    g = caring(log)
    print(next(g))
    print(g.throw(ValueError("no")))
    print(next(g))
    g.close()
    print(next(g, "nothing"))
    return x + len(log)


@samples("B4.10", (F(1.0),), (F(2.0),))
def a_break_closes_it(x):
    for i in caring([]):
        print("body", x)
        if i == 1:
            break
    print("after")
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def an_error_closes_it(x):
    try:
        for i in caring([]):
            x = x + i
            if i == 1:
                raise KeyError("body")
    except KeyError as error:
        print("handled", error)
    return x


def ending(n):
    if n > 2:
        return n
    yield n
    raise StopIteration("mine")


@samples("B4.10", (F(1.0),), (F(2.0),))
def stop_iteration_inside(x):
    for k in (1, 3):
        try:
            for i in ending(k):
                x = x + i
        except RuntimeError as error:
            print(error, type(error.__cause__).__name__)
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def never_reached(x):
    def nothing():
        print("runs")
        return
        yield 1

    for v in nothing():
        x = x + v
    return x, list(nothing())


# ---- where generators come from ------------------------------------------------------------------


class Bag:
    def __init__(self, *parts):
        self.parts = list(parts)
        self.taken = 0

    def __iter__(self):
        for part in self.parts:
            self.taken += 1
            print("part", self.taken)
            yield part

    def scaled(self, by):
        for part in self:
            yield part * by

    @property
    def large(self):
        for part in self.parts:
            if part > 1.0:
                yield part


@samples("B4.10", (F(1.0), F(2.0)), (F(3.0), F(0.5)))
def of_an_object(a, b):
    bag = Bag(a, b)
    total = 0.0
    for v in bag:
        total = total + v
    for v in bag.scaled(3.0):
        total = total + v
    for v in bag.large:
        total = total * v
    return total, bag.taken, sum(bag.scaled(2.0))


@samples("B4.10", (F(1.0),), (F(2.0),))
def nested_with_captures(x):
    seen = []
    calls = 0

    def remembering(n):
        nonlocal calls, x
        for i in range(n):
            calls += 1
            x = x + 1.0
            seen.append(x * i)
            yield from counting(i)

    total = 0.0
    for i in remembering(3):
        total = total + i * x
    return total, calls, seen, x


@samples("B4.10", (F(1.0),), (F(2.0),))
def with_a_manager_inside(x):
    @contextlib.contextmanager
    def announced(n):
        for k in range(n):
            if k == 1:
                print("in")
                yield k
                print("out")

    def lines():
        with announced(2) as k:
            for i in range(2):
                yield i + k
        print("closed")

    for i in lines():
        x = x + i
        print("body", x)
    return x


@samples("B4.10", (F(1.0),), (F(2.0),))
def pattern_and_jumps(x):
    def jumping(items):
        for item in items:
            match item:
                case 0:
                    continue
                case (a, b):
                    yield a
                    yield b
                case "stop":
                    return
                case _:
                    yield item
        else:
            print("all")
        print("never with stop")

    total = x
    for v in jumping([0, 1, (2, 3), "stop", 4]):
        total = total * 2.0 + v
    return total, list(jumping([0]))


test_generators = samples.test()
