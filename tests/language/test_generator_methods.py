"""`yield from`, and `return`, `send`, `throw` and `close` of generators."""

import numpy as np

from tests.language.generators import positive
from tests.language.harness import Samples

samples = Samples()
F = np.float64
X = np.array([3.0, -1.0, 2.0, 5.0])
Y = np.array([-4.0, 1.0, -2.0, 0.5])


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


test_generator_methods = samples.test()
