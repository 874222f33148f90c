"""What generators and the loops over them do with data: staged, with gradients."""

import numpy as np

import autograph as ag
from tests.language.generators import counting, positive
from tests.language.harness import Samples

samples = Samples()
F = np.float64
X = np.array([3.0, -1.0, 2.0, 5.0])
Y = np.array([-4.0, 1.0, -2.0, 0.5])


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


# ---- loops that a generator runs in the place of -------------------------------------------------


class Total:
    def __init__(self):
        self.total, self.count = 0.0, 0


@samples("B4.10", (X,), (Y,))
def state_of_objects(x):
    kept = Total()
    for v in positive(x):
        kept.total += v
        kept.count += 1
    return kept.total, kept.count


@samples("B4.10", (X,), (Y,))
def names_of_other_functions(x):
    total = 0.0

    def add():
        nonlocal total
        for v in positive(x):
            total = total + v

    add()
    add()
    return total


@samples("S12", (X,), (-np.ones(4),))
def bound_by_the_loop_only(x):
    for v in positive(x):
        last = v
    return last


def halves(x):
    for v in positive(x):
        if v < 4.0:
            yield v * 0.5


@samples("B4.10", (X,), (Y,), joined=True)
def generators_of_generators(x):
    total = 0.0
    for a in positive(x):
        for b in halves(x):
            if b > a:
                return a * b
            total = total * 2.0 + b
    return total


@samples("B4.10", (X,), (Y,))
def in_a_staged_loop(x):
    k, total = 0, 0.0
    while total < 20.0 and k < 5:
        for a in positive(x):
            total = total + a
        k += 1
    return total, k


def strict(x):
    for v in x:
        if v < 0:
            raise ValueError(f"{v} is negative")
        yield v


@samples("S11", (X,), (np.abs(X),))
def error_of_the_generator(x):
    total = 0.0
    for v in strict(x):
        total = total + v
        print("has", total)
    return total


@samples("S11", (X,), (Y,))
def error_of_the_body(x):
    total = 0.0
    try:
        for v in positive(x):
            total = total + v
            if total > 4.0:
                raise ValueError("too much")
    except ValueError as error:
        print("caught", error)
    return total


@samples("B4.10", (F(1.0),), (F(2.0),))
def one_generator_in_two_loops(x):
    numbers = counting(3)
    for a in numbers:
        for b in numbers:
            x = x + 10.0 * a + b
    return x


def permutations(a, k=0):
    if k == len(a):
        yield list(a)
    for i in range(k, len(a)):
        a[k], a[i] = a[i], a[k]
        yield from permutations(a, k + 1)
        a[k], a[i] = a[i], a[k]


@samples("B4.10", (F(1.0),), (F(2.0),))
def changes_what_it_gives(x):
    count = 0
    for p in permutations([1, 2, 3]):
        x = x * 2.0 + p[0]
        count += 1
    return x, count


def improved(x):
    guess = x
    while True:
        guess = 0.5 * (guess + x / guess)
        yield guess


@samples("B4.10", (F(2.0),), (F(9.0),), whiles=1)
def square_root(x):
    before = x
    for guess in improved(x):
        if abs(guess - before) < 1e-9:
            break
        before = guess
    return guess


@samples("B4.10", (X.copy(),), (Y.copy(),))
def writes_what_the_generator_reads(x):
    i = 0
    for v in positive(x):
        x[i] = 7.0
        i += 1
    return x


def test_s15_gradients_go_through_generators():
    def f(x):
        total = 0.0
        for v in positive(x):
            total = total + v * v
        return total

    assert ag.grad(f)(X).tolist() == [6.0, 0.0, 4.0, 10.0]


test_generators_of_data = samples.test()
