"""Functions, methods, closures, recursion and the examples of TensorFlow's guide to functions."""

import functools

import numpy as np
import pytest

import autograph as ag
from tests.autograph.converters.samples import collatz
from tests.language.harness import check

# ---- B10: the guide's examples ------------------------------------------------------------------


def fizzbuzz(n):
    for i in range(1, n + 1):
        if i % 3 == 0 and i % 5 == 0:
            print("FizzBuzz")
        elif i % 3 == 0:
            print("Fizz")
        elif i % 5 == 0:
            print("Buzz")
        else:
            print(i)


def test_b10_02_fizzbuzz():
    """B10.02: one staged loop, the right text for 5 and 20."""
    check(fizzbuzz, (np.int64(5),), (np.int64(20),), whiles=1)


def tanh_until_small(x):
    while x.sum() > 1:
        print(x)
        x = np.tanh(x)
    return x


def test_b10_04_loop_on_a_reduction():
    """B10.04: it stops, and prints each step."""
    check(tanh_until_small, (np.array([2.0, 1.5, 0.7]),), (np.array([9.0, 9.0, 9.0]),), whiles=1,
          tolerance=1e-14)  # fmt: skip


def dynamic_rnn(rnn_step, inputs, state):
    inputs = np.transpose(inputs, (1, 0, 2))
    states = []
    for i in range(inputs.shape[0]):
        state = rnn_step(inputs[i], state)
        states.append(state)
    return np.transpose(np.stack(states), (1, 0, 2))


def test_b10_03_dynamic_rnn_with_a_plain_list():
    f = ag.convert(lambda x, s: dynamic_rnn(lambda a, b: a + b, x, s))
    for x in (np.ones((2, 3, 4)), np.arange(24.0).reshape(2, 3, 4)):
        expected = dynamic_rnn(lambda a, b: a + b, x, np.zeros((2, 4)))
        np.testing.assert_array_equal(f(x, np.zeros((2, 4))), expected)
    assert f(np.ones((2, 3, 4)), np.zeros((2, 4)))[:, :, 0].tolist() == [[1.0, 2.0, 3.0]] * 2
    assert f.trace_count == 1


def test_collatz():
    check(collatz, (np.int64(27),), (np.int64(1),), whiles=1, conds=1)


# ---- calls between functions --------------------------------------------------------------------


def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


def calls_in_branches(x):
    if sign(x) > 0:
        y = sign(x - 10) * x
    else:
        y = x * sign(x)
    return y + sign(sign(x))


def test_calls_in_branches():
    check(calls_in_branches, (np.float64(3.0),), (np.float64(-3.0),), (np.float64(30.0),))


def keyword_calls(x):
    def scaled(x, *, by=2.0, **more):
        if x > more.get("limit", 5.0):
            return more.get("limit", 5.0) * by
        return x * by

    return scaled(x), scaled(x, by=3.0), scaled(x, limit=1.0), scaled(**{"x": x, "by": 0.5})


def test_keyword_calls():
    check(keyword_calls, (np.float64(3.0),), (np.float64(8.0),), joined=True)


def starred_calls(x):
    def total(*values, start=0.0):
        for v in values:
            if v > 0:
                start = start + v
        return start

    values = [x, -x, x * 2]
    return total(*values), total(x, *values[1:], start=x), total()


def test_starred_calls():
    check(starred_calls, (np.float64(3.0),), (np.float64(-8.0),))


def closures(x):
    factor = x * 2

    def scale(y):
        return y * factor

    result = scale(1.0)
    if x > 0:
        factor = factor + 1
    return result, scale(1.0)


def test_closures_see_later_values():
    check(closures, (np.float64(3.0),), (np.float64(-8.0),))


def counter(x):
    n = 0

    def bump(by):
        nonlocal n
        if by > 1:
            n += by
        return n

    return bump(x), bump(x * 2), bump(1), n


def test_nonlocal():
    check(counter, (np.int64(1),), (np.int64(5),), joined=True)


def _counter(start):
    total = start

    def add(v):
        nonlocal total
        total = total + v
        return total

    return add


def counter_of_one_branch(n, a):
    if n > 1:
        add = _counter(a[0])
        add(n)
        result = add(n)
    else:
        result = 0
    return result


def counter_of_each_round(n, a):
    s = 0
    for i in range(n):
        add = _counter(a[i])
        for j in range(i):
            add(j)
            if j > 1:
                add(a[j])
        s = s + add(0)
    return s


def counters_of_each_round(n, a):
    s = 0
    for i in range(n):
        adds = [_counter(a[i]), _counter(i)]
        adds[0](1)
        adds[1](2)
        s = s + adds[0](0) * adds[1](0)
    return s


def counter_under_a_test(n, a):
    def count():
        c = 0
        if n > 1:

            def bump():
                nonlocal c
                c += n

            bump()
            bump()
        return c

    s = 0
    while s < 20:
        s += count() + 1
    return s


def counter_in_what_may_raise(n, a):
    def count(k):
        c = 0

        def bump():
            nonlocal c
            c += 1
            return c

        while c < k:
            bump()
        return c + bump()

    s = 0
    for i in range(n):
        try:
            s += count(a[i]) // i
        except ZeroDivisionError:
            s -= count(2)
    return s


def generators_in_what_may_raise(n, a):
    def total(k):
        found = a[0]
        for v in (a[i] for i in range(k)):
            found = found + v
        return found

    items = [1]
    if a[0] < 1:
        items[0] = 5
    try:
        last = a[n]
        k = total(n) + sum(items[0] for v in range(2))
        a[n] = k + last
    except IndexError:
        k = -1
    return k


@pytest.mark.parametrize(
    "function",
    [
        counter_of_one_branch,
        counter_of_each_round,
        counters_of_each_round,
        counter_under_a_test,
        counter_in_what_may_raise,
        generators_in_what_may_raise,
    ],
)
def test_names_of_calls_that_a_body_makes_are_its_own(function):
    cases = [(np.int64(n), np.array([first, 2, 4, 5])) for n in (0, 1, 2, 4) for first in (0, 3)]
    check(function, *cases, joined=True)


def test_gradients_through_names_of_calls_that_a_body_makes():
    a = np.array([0.5, 2.0, 4.0, 5.0])
    value, gradient = ag.value_and_grad(ag.convert(counters_of_each_round), argnums=1)(
        np.int64(3), a
    )
    # The sum over i of (a[i] + 1) * (i + 2).
    assert value == 1.5 * 2 + 3.0 * 3 + 5.0 * 4
    assert np.array_equal(gradient, [2.0, 3.0, 4.0, 0.0])


def higher_order(x):
    def compose(*functions):
        def composed(y):
            for f in functions:
                y = f(y)
            return y

        return composed

    absolute = lambda y: y if y > 0 else -y  # noqa: E731
    both = compose(absolute, functools.partial(lambda a, b: a * b, 2.0), lambda y: y + 1)
    return both(x), list(map(absolute, [x, -x])), functools.reduce(lambda a, b: a + b, [x, x, 1.0])


def test_higher_order():
    check(higher_order, (np.float64(3.0),), (np.float64(-8.0),))


def static_recursion(x, n):
    if n == 0:
        return x
    if x > 100:
        return x
    return static_recursion(x * 2, n - 1)


def test_recursion_on_a_python_number():
    check(lambda x: static_recursion(x, 5), (np.float64(3.0),), (np.float64(60.0),))


class Account:
    """Methods, private names, properties, class attributes and inheritance."""

    fee = 1.0

    def __init__(self, amount):
        self.__amount = amount

    @property
    def amount(self):
        return self.__amount

    @amount.setter
    def amount(self, value):
        if value > 0:
            self.__amount = value
        else:
            self.__amount = value * 0

    def pay(self, x):
        self.amount = self.amount - x - self.fee
        return self


class Premium(Account):
    fee = 0.5

    def pay(self, x):
        if x > 2:
            return super().pay(x)
        return self


def objects(x):
    account = Premium(np.float64(10.0))
    account.pay(x).pay(x)
    return account.amount


def test_objects_made_in_the_function():
    check(objects, (np.float64(3.0),), (np.float64(1.0),), (np.float64(8.0),), tensors=False)


def results(x):
    return {"a": (x, [x + 1, None]), "b": "text", "c": 3, 4: x > 0}


def test_structured_results():
    check(results, (np.array([1.0, -1.0]),), (np.array([2.0, 3.0]),))


def mixed_returns(x):
    if x.sum() > 0:
        return x + 1, 1
    return x * 2, 2


def test_returns_of_one_structure():
    check(mixed_returns, (np.array([1.0]),), (np.array([-1.0]),))


def different_structures(x):
    if x > 0:
        return x
    return x, x


def test_returns_of_different_structures():
    check(different_structures, (np.float64(1.0),), (np.float64(-1.0),))


# ---- B6.13 and B4.11 ----------------------------------------------------------------------------


def test_b6_13_functions_call_functions():
    @ag.convert
    def inner(x):
        if x > 0:
            return x * 2
        return x

    middle = ag.convert(lambda x: inner(x) + inner(-1.0))

    @ag.convert
    def outer(x):
        while x < 10:
            x = middle(x)
        return x

    assert outer(np.float64(2.0)) == 17.0 and outer(np.float64(9.0)) == 17.0
    assert outer.trace_count == 1 and inner.trace_count == 0
    assert inner(3.0) == 6.0 and inner.trace_count == 1


def test_converted_method_of_a_temporary_object_in_a_function():
    class S:
        def __init__(self, k):
            self.k = k

        @ag.convert
        def f(self, x):
            if x > 0:
                return x * self.k
            return x

    g = ag.convert(lambda x: S(2.0).f(x) + S(x).f(x))
    assert g(3.0) == 15.0 and g(-3.0) == -6.0 and g.trace_count == 1
    assert S(4.0).f(2.0) == 8.0 and S(5.0).f(2.0) == 10.0


def test_a33_assert_is_part_of_the_graph():
    @ag.convert
    def f(x):
        assert x > 0, f"x is {x}"
        return x * 2

    assert f(2.0) == 4.0
    with pytest.raises(AssertionError, match="x is -1.0"):
        f(-1.0)

    @ag.convert
    def g(x, y):
        ag.debugging.Assert(x > 0, message="positive")
        ag.debugging.assert_equal(x, y)
        return x

    assert g(2.0, 2.0) == 2.0
    with pytest.raises(AssertionError, match="positive"):
        g(-2.0, -2.0)
    with pytest.raises(AssertionError):
        g(2.0, 3.0)


def test_e3_generator_consumed_by_sum_and_match():
    def numbers():
        yield from (1, 2, 3, 4)

    def f(x, kind):
        match kind:
            case "sum":
                return x + sum(numbers())
            case {"scale": k}:
                return x * k
            case _:
                return x - 300

    g = ag.convert(f)
    assert g(0.0, "sum") == 10.0 and g(2.0, {"scale": 5.0}) == 10.0 and g(600.0, None) == 300.0


def test_python_errors_are_pythons_own():
    f = ag.convert(lambda x, items: items[5] + x)
    with pytest.raises(IndexError, match="list index out of range"):
        f(1.0, [1.0])
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        ag.convert(lambda x: x)(1.0, 2.0)
    with pytest.raises(NameError, match="undefined_name"):
        ag.convert(lambda x: x + undefined_name)(1.0)  # noqa: F821
    with pytest.raises(AttributeError, match="'float' object has no attribute 'sum'"):
        ag.convert(lambda x: x.sum())(1.0)


@functools.singledispatch
def weight(x):
    return 1.0


@weight.register
def _(x: float):
    return x * 2


@weight.register(np.ndarray)
def _(x):
    return x.sum() + weight(float(x[0]))


@weight.register(list)
def _(x):
    return sum(map(weight, x))


def weights(x, n):
    return weight(x), weight(x[1]), weight([float(n), int(n), x]), weight("text") * n


def test_singledispatch_goes_by_the_class_of_what_a_value_stands_for():
    check(weights, (np.ones(2), np.int64(3)), (np.zeros(2), np.int64(5)), tensors=False)


def classes(x, a):
    names = x.__class__.__name__, a.__class__.__name__, f"{a}".__class__ is str
    known = a.__class__ is float, type(x) is np.ndarray, {np.ndarray: 1, float: 2}[type(x)]
    return names, known, a.__class__(3), x.sum().__class__ is np.float64, x.sum() * a


def test_the_class_of_a_value_of_the_graph_is_the_users():
    check(classes, (np.ones(2), 2.5), (np.zeros(2), 0.5), tensors=False)
