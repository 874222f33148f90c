"""Names that data binds to one function or another: closures, lambdas, methods and partials."""

import functools

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

A, B, C = np.float64(0.5), np.float64(2.5), np.float64(4.0)
CASES = ((A,), (B,), (C,))
samples = Samples()


class Holder:
    def __init__(self, value):
        self.value = value

    def plus(self, p):
        return self.value + p


def add(q):
    return lambda p: p + q


def factorial(q):
    def run(n):
        return q if n <= 0 else n * run(n - 1)

    return run


def weighted(a, b):
    return a * 3 + b


@samples("E2", *CASES, joined=True)
def behind_a_break_in_a_try(x):
    total, steps = 0.0, 0.0
    while steps < 5:
        steps = steps + 1
        try:
            if x > 1:
                if steps > 3:
                    break
            else:
                total = total + 1

            def step(p):
                return p + steps

            if x > 3:
                total = total * 2
            elif steps > 2:
                continue
            total = total + step(x)
        except IndexError:
            pass
    return steps, total


@samples("E2", *CASES, joined=True)
def found_by_its_last_round(x):
    total = 0.0
    for i in range(3):
        try:
            if x < i:
                return total

            def step(p):
                nonlocal total
                total = total + p
                return total

            if x > 3:
                continue
            step(x)
        finally:
            total = total + 1
    return total + step(2.0)


@samples("E2", *CASES, joined=True)
def closures_of_one_function(x):
    run = add(x)
    if x > 1:
        run = add(x * 2)
    return run(3.0)


@samples("E2", (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),))
def closures_over_values_of_the_paths(x):
    run = add(x[0] * 2) if x[0] > 0 else add(x[1])
    return run(x)


@samples("E2", *CASES, joined=True)
def a_closure_of_one_path(x):
    run, y = None, x + 1
    if x > 1:
        run = add(x * 2)
    if x > 1:
        y = run(y)
    return y


@samples("E2", *CASES, joined=True)
def a_counter_of_one_path(x):
    def counter(q):
        total = 0.0

        def more(p):
            nonlocal total
            total = total + p + q
            return total

        def get():
            return total

        return more, get

    y = x
    if x > 1:
        more, get = counter(x * 2)
        more(1.0)
    if x > 1:
        more(x)
        y = get()
    return y


@samples("E2", *CASES, joined=True)
def functions_that_call_themselves(x):
    run = factorial(1.0)
    if x > 1:
        run = factorial(x * 2)
    again = factorial(5.0)
    try:
        if x > 3:
            raise ValueError
        again = factorial(x)
        if x > 2:
            raise ValueError
    except ValueError:
        pass
    return run(3), again(2)


@samples("E2", *CASES, joined=True)
def methods_and_partials(x):
    run, other = Holder(x).plus, functools.partial(weighted, x)
    if x > 1:
        run, other = Holder(x * 2).plus, functools.partial(weighted, x * 2)
    return run(3.0), other(1.0)


@samples("E2", *CASES, joined=True)
def defaults(x):
    def run(p, q=1.0, *, r=2.0):
        return p * q + r

    old = run
    if x > 1:

        def run(p, q=x, *, r=x * 2):
            return p - q * r

    return run(3.0), run(3.0, r=1.0), old(3.0), run is old


@samples("E2", *CASES, joined=True)
def rebound_in_a_try(x):
    run = add(1.0)
    try:
        if x > 3:
            raise ValueError
        run = add(x * 2)
        if x > 2:
            raise ValueError
    except ValueError:
        x = x + 100
    return run(1.0), x


@samples("E2", *CASES, joined=True)
def two_functions_in_a_try(x):
    y = 0.0
    try:

        def step(p):
            return p + x

        y = step(y)
        if x > 3:
            raise ValueError

        def step(p):
            return p * x

        if x > 2:
            raise ValueError
    except ValueError:
        y = y + 1
    return step(y)


@samples("E2", *CASES, joined=True)
def names_that_are_bound_anew_behind_it(x):
    y, run = x, add(0.0)
    try:
        if x > 3:
            raise ValueError
        y = x * 2
        run = lambda p: p + y + x  # noqa: E731
        if x > 2:
            raise ValueError
    except ValueError:
        y = y + 50
    y, x = y + 100, x + 1000
    return run(1.0)


@samples("E2", *CASES, joined=True)
def made_by_the_rounds_of_a_loop(x):
    steps, run, method = 0.0, add(0.0), Holder(1.0).plus
    part, deep = functools.partial(weighted, 1.0), factorial(2.0)
    while steps < x:
        steps = steps + 1
        run, method = add(run(steps)), Holder(steps).plus
        part, deep = functools.partial(weighted, steps), factorial(steps)
    return run(1.0), method(1.0), part(1.0), deep(3)


@samples("E2", *CASES, joined=True)
def lambdas_of_a_loop_see_its_last_values(x):
    steps, y = 0.0, x
    run = add(0.0)
    while steps < x:
        steps = steps + 1
        y = steps * 2
        run = lambda p: p + y + steps  # noqa: E731
    y, steps = y + 100, steps + 7
    return run(1.0)


@samples("E2", *CASES, joined=True)
def in_dicts_and_attributes(x):
    runs, box = {"a": add(1.0)}, Holder(0.0)
    box.run = lambda p, q=1.0: p + q
    if x > 1:
        runs["a"], box.run = add(x), lambda p, q=x: p * q
    return runs["a"](2.0), box.run(2.0)


@samples("E2", *CASES, joined=True)
def of_a_frame_that_goes_on(x):
    def run(given, n):
        q = x + n
        mine = lambda p: p + q  # noqa: E731
        if n > 0:
            found = run(mine, n - 1)
            q = q + 100
            return found(1.0)
        if x > 1:
            mine = given
        return mine

    return run(None, 1)


# ---- functions that a round of a loop makes, and a later one calls ---------------------------------

ROUNDS = ((np.float64(4.75), np.array([0.5, 1.0])), (np.float64(6.75), np.array([0.25, 3.0])))


@samples("E2", *ROUNDS, joined=True)
def called_by_another_that_one_path_makes(x, c):
    s, total = abs(x), 0.0
    while x > 3:
        x -= 1
        if x < 5:
            s %= 37.0
        else:

            def inner(v=s):
                return v

            outer = lambda: inner()  # noqa: E731
            total += outer()
    return s, total


@samples("E2", *ROUNDS, joined=True)
def made_in_some_rounds(x, c):
    s, total, k = abs(x), 0.0, 0
    while x > 1:
        x -= 1
        s = s * 1.5
        if k > 1:
            total += thrice() + given(k)  # noqa: F821
        if c[0] < k:

            def once(v=s):
                return v + 1

            def twice():
                return once() * 2

            def thrice():
                return twice() + 3

            given = functools.partial(weighted, s)
        k += 1
    return s, total


@samples("E2", *ROUNDS, joined=True)
def calling_each_other_and_themselves(x, c):
    s, total, k = abs(x), 0.0, 0
    while x > 1:
        x -= 1
        s = s * 1.5
        if k > 0:
            total += even(3) + count(2)  # noqa: F821

        def even(n, v=s):
            return v if n <= 0 else odd(n - 1)

        def odd(n):
            return 1.0 if n <= 0 else even(n - 1)

        def count(n, v=s):
            return v if n <= 0 else count(n - 1) + 1

        k += 1
    return s, total


@samples("E2", *ROUNDS, joined=True)
def holding_an_array_that_is_written(x, c):
    total, k = 0.0, 0
    before = add(c)
    while x > 1:
        x -= 1
        total += before(1.0).sum()
        if k > 0:
            total += run() + bound(1.0).sum() + given()  # noqa: F821
        a = c * x
        before, bound, given = add(a), Holder(a).plus, functools.partial(np.sum, a)
        run = lambda v=a: v.sum()  # noqa: E731
        a[0] = 7.0
        k += 1
    return total, before(0.0)


@samples("E2", *ROUNDS, joined=True)
def holding_a_list_that_grows(x, c):
    total, k = 0.0, 0
    while x > 1:
        x -= 1
        if k > 0:
            total += run()  # noqa: F821
            same.append(4.0)  # noqa: F821
            total += run()  # noqa: F821
        items = [x, c[0]]
        run = lambda v=items: sum(v)  # noqa: E731
        items.append(x * 2)
        same = items
        k += 1
    return total


@samples("E2", *ROUNDS, joined=True)
def a_partial_of_a_function_of_the_round(x, c):
    total, k = 0.0, 0
    while x > 1:
        x -= 1
        if k > 0:
            total += run(1.0)  # noqa: F821

        def late(p, q, r=x):
            return p - 2 * q + r

        run = functools.partial(late, x)
        k += 1
    return total


test_sample = samples.test()


def test_gradient_flows_through_what_a_joined_function_holds():
    def f(x):
        run = add(x)
        if x > 1:
            run = add(x * x)
        for _ in range(3):
            run = add(run(x))
        return run(1.0)

    assert ag.grad(f)(0.5) == pytest.approx(4.0)
    assert ag.grad(f)(2.0) == pytest.approx(7.0)


def counters(x):
    def counter(q):
        total = 0.0

        def more(p):
            nonlocal total
            total = total + p + q
            return total

        return more

    run = counter(x)
    if x > 1:
        run = counter(x * 2)
    return run(x)


def one_of_a_loop(x):
    run, first, steps = add(0.0), add(1.0), 0.0
    while steps < x:
        steps = steps + 1
        run = add(steps)
    return run is first  # refused


def test_a_name_of_one_of_several_functions_is_not_written():
    refuse(counters, B, match="which variable `total` is depends on data")


def test_which_of_several_functions_it_is_is_not_known():
    refuse(one_of_a_loop, B, match="whether this is the same function depends on data")
