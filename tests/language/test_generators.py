"""Generators that converted code goes through mean the same on every call."""

import contextlib
import inspect
import itertools

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, golden, refuse

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


# ---- iterators that are older than the call (B10.06) ---------------------------------------------

OLDER = counting(0)


def older_next(x):
    return x + next(OLDER)


def older_for(x):
    for i in OLDER:
        x = x + i
    return x


def older_sent(x):
    return x + OLDER.send(None)


def older_extended(x):
    found = [x]
    found.extend(OLDER)
    return found


def older_added(x):
    found = [x]
    found += OLDER
    return found


def older_itertools(x):
    return [x + i for i in itertools.islice(OLDER, 2)]


def older_delegated(x):
    def inner():
        yield from OLDER

    return x + sum(inner())


@pytest.mark.parametrize("sample", [
    older_next, older_for, older_sent, older_extended, older_added, older_itertools,
    older_delegated, lambda x: x + sum(OLDER), lambda x: [x + i for i in OLDER],
    lambda x: [*OLDER, x], lambda x: (x, dict(zip("ab", OLDER))), lambda x: x + (3 in OLDER),
])  # fmt: skip
def test_b10_06_an_older_generator_is_refused(sample):
    global OLDER
    OLDER = counting(4)
    next(OLDER)
    for _ in range(2):
        refuse(sample, F(1.0), match="outside of the converted function(,? and)? would advance")
    assert list(OLDER) == [1, 2, 3]


def test_b10_06_an_argument_that_is_a_generator_is_refused():
    refuse(lambda x, g: x + next(g), F(1.0), iter(()), match="would advance")
    with pytest.raises(ag.StagingError, match="would advance"):
        ag.convert(lambda x, g: x + sum(g))(F(1.0), counting(2))


def test_a_generator_that_begins_in_plain_code_is_refused():
    begun = ag.to_graph(lambda: counting(3))()
    next(begun)
    with pytest.raises(ag.StagingError, match="would advance"):
        ag.convert(lambda x: x + next(begun))(F(1.0))


def gives_a_generator(x):
    y = x * 2.0
    return y, counting(2)


def stores_a_generator(x):
    LOG.lines = counting(2)
    return x * 2.0


def test_what_would_be_given_or_stored_again_is_refused():
    refuse(gives_a_generator, F(1.0), match="every call would give the same one")
    refuse(stores_a_generator, F(1.0), match="every call would store the same one")
    f = ag.convert(lambda x: counting(2))  # with nothing to stage, it is plain Python
    assert [list(f(F(k))) for k in range(2)] == [[0, 1], [0, 1]]


def test_a_generator_that_goes_on_after_the_trace_is_refused():
    kept = []
    keep = ag.do_not_convert(kept.append)

    def f(x):
        numbers = counting(3)
        next(numbers)
        keep(numbers)
        return x * 2.0

    ag.convert(f)(F(1.0))
    with pytest.raises(ag.StagingError, match="begun while a function was traced"):
        next(kept[0])


# ---- refusals ------------------------------------------------------------------------------------


def positive_again(x):
    for v in x:
        if v > 0:  # refused
            yield v


def taken_one_by_one(x):
    return list(positive_again(x))


def test_b4_10_a_yield_under_data_taken_one_by_one_is_refused():
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(taken_one_by_one)(X)
    golden("yield_under_data", str(caught.value))


def rows(x):
    for row in x:
        yield row


def test_b4_10_items_of_unknown_number_are_refused():
    f = ag.convert(lambda x: list(rows(x)), input_signature=[ag.TensorSpec([None], np.float64)])
    with pytest.raises(ag.StagingError, match="how many items the generator `rows` gives"):
        f(X)


def cleaning():
    try:
        yield 1.0
        yield 2.0
    finally:
        print("cleans")


def left_in_a_try(x):
    for _, v in enumerate(cleaning()):
        x = x + v
        break
    return x


def goes_on_in_a_branch(x):
    g = cleaning()
    a = next(g)
    if x > 0:
        a = a + next(g)
    return a


def may_raise_in_a_try(x, i):
    for v in cleaning():
        v = v + x[i]  # refused
    return v


def stopped_by_data(x):
    def ends():
        yield 1.0
        if x > 1.0:
            raise StopIteration
        yield 2.0

    total = 0.0
    for v in ends():
        total = total + v
    return total


def spent_in_a_branch(x):
    g = counting(3)
    if x > 0:
        x = x + next(g)
    return x + next(g)


@pytest.mark.parametrize(("sample", "arguments", "match"), [
    (left_in_a_try, (F(1.0),), "left here, in a `try` or `with`"),
    (goes_on_in_a_branch, (F(1.0),), "goes on in a branch or loop that is staged"),
    (may_raise_in_a_try, (X, np.int64(1)), "inside a `try` with `yield`"),
    (stopped_by_data, (F(1.0),), "`ends` raises StopIteration where"),
    (spent_in_a_branch, (F(1.0),), "a branch or loop of the graph has taken some before"),
])  # fmt: skip
def test_what_depends_on_data_is_refused(sample, arguments, match):
    refuse(sample, *arguments, match=match)


async def coroutine():
    return 1


async def asynchronous():
    yield 1


@pytest.mark.parametrize("function", [coroutine, asynchronous])
def test_b4_02_asynchronous_callees_are_refused(function):
    refuse(lambda x: (x * 2.0, function()), F(1.0), match="is called while tracing")


def test_s19_a_generator_without_source_is_a_host_call():
    space = {}
    exec("def numbers(n):\n    for i in range(n):\n        print(i)\n        yield i\n", space)
    numbers = space["numbers"]
    refuse(lambda x: x + sum(numbers(2)), F(1.0), match="is called while tracing")


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


def names_of_a_nested_one(x):
    def inner():
        yield x

    return list(inner())


test_generators = samples.test()
