"""Generators that converted code goes through mean the same on every call."""

import contextlib
import inspect
import itertools

import numpy as np

import autograph as ag
from tests.language.generators import cleaning, counting, positive
from tests.language.harness import Samples, golden

samples = Samples()
F = np.float64


# ---- effects, item by item -----------------------------------------------------------------------


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


# ---- what outlives a call ------------------------------------------------------------------------


class Log:
    def __init__(self):
        self.lines = []


LOG = Log()


def logging(n):
    for i in range(n):
        LOG.lines.append(i)
        yield i


def logged(x):
    for i in logging(2):
        x = x + i
    return x


def test_b4_10_what_a_generator_writes_it_writes_at_each_call():
    LOG.lines = []
    f = ag.convert(logged)
    for k in range(1, 4):
        assert f(F(k)) == k + 1.0
        assert LOG.lines == [0, 1] * k


STEP = 1.0


def stepping(n):
    for i in range(n):
        yield i * STEP


def test_s6_what_a_generator_reads_is_guarded():
    global STEP
    f = ag.convert(lambda x: x + sum(stepping(3)))
    try:
        assert f(F(1.0)) == 4.0
        STEP = 2.0
        assert f(F(1.0)) == 7.0
    finally:
        STEP = 1.0


# ---- plain Python stays what it is ---------------------------------------------------------------


def test_a_converted_generator_is_a_generator():
    def f(n):
        def numbers(k):
            """Some numbers."""
            got = yield k
            while got is not None:
                got = yield got * k

        return numbers, numbers(n)

    function, generator = ag.to_graph(f)(3)
    assert inspect.isgeneratorfunction(function) and inspect.isgenerator(generator)
    assert function.__doc__ == "Some numbers." and generator.__name__ == "numbers"
    assert inspect.getgeneratorstate(generator) == inspect.GEN_CREATED
    assert generator.gi_frame.f_code.co_name == "numbers"
    assert [next(generator), generator.send(4), generator.send(5)] == [3, 12, 15]
    assert inspect.getgeneratorstate(generator) == inspect.GEN_SUSPENDED
    assert next(generator, "end") == "end" and generator.gi_frame is None


def test_a_generator_ends_where_the_last_one_lets_it_go(capsys):
    def f():
        try:
            for v in cleaning():
                raise KeyError(v)
        except KeyError:
            print("handled")

    f()
    plain = capsys.readouterr().out
    ag.to_graph(f)()
    assert capsys.readouterr().out == plain == "cleans\nhandled\n"


def test_the_code_of_a_generator_can_be_seen():
    golden("code_of_a_generator", ag.to_code(positive))
    assert "(yield fscope_1.suspended(" in ag.to_code(names_of_a_nested_one)


def some_and_one_more(x, n):
    for _ in range(n % 4):
        yield x / 3.0
    yield -x


@samples(
    "B4.10",
    (F(0.5), np.int64(1)),
    (F(1.5), np.int64(2)),
    (F(-3.0), np.int64(2)),
    (F(4.0), np.int64(3)),
)
def a_list_or_a_copy_is_given_back_out_of_one(x, n):
    items = [x, x + 1.0, x * 2.0]
    for v in some_and_one_more(x, n):
        x = v
        if v < 1:
            return x, [items[0], items[1], items[2]]
        items[n % 3] -= 1.0
        if n % 2:
            return x, items
    return x, items


def names_of_a_nested_one(x):
    def inner():
        yield x

    return list(inner())


test_generators = samples.test()
