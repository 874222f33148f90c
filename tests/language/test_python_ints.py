"""Functions of Python's ints: what they give is Python's, whatever they were called with before.

Values and types, also beyond 64 bits; and what a call costs, counted in calls of the program's.
"""

import math
import random
import sys
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.errors import LimitOverflowError
from runtime.execute.native.prepared import problem as native_problem


def sum_of_squares(n):
    s = 0
    for i in range(n % 60):
        s += i * i
    return s


def congruential(n):
    for _ in range(5):
        n = (6364136223846793005 * n + 1442695040888963407) % 2**64
    return n


def hashed(n):
    h = 0xCBF29CE484222325
    for k in range(8):
        h = h ^ ((n >> (8 * k)) & 255)
        h = (h * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def common_divisor(n):
    a, b = n, 36
    while b:
        a, b = b, a % b
    return a


def steps_to_one(n):
    n = n % 1000 + 1
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def halved(n):
    y = 1
    for _ in range(n % 7):
        y = y / 2
    return y


def halved_later(n):
    y = 1
    for i in range(n % 10):
        if i > 5:
            y = y / 2
    return y


def sum_of_floats(n):
    s = 0
    for i in range(n % 25):
        s += i * 0.5
    return s


def sum_of_roots(n):
    s = 0.0
    for i in range(n % 25):
        s += np.sqrt(i)
    return s


def one_of_two_types(n):
    if n > 3:
        return 1
    return 2.5


def swapped(n):
    a, b = 1, 2.0
    for _ in range(n % 5):
        a, b = b, a
    return a, b


def true_or_seven(n):
    x = n > 3
    if n % 2:
        x = 7
    return x


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n % 120):
        a, b = b, a + b
    return a


def fibonacci_by_itself(n):
    def f(k):
        return k if k < 2 else f(k - 1) + f(k - 2)

    return f(n % 9)


def power_of_a_modulus(n):
    result, base, exponent = 1, n, 65
    while exponent > 0:
        if exponent & 1:
            result = result * base % 1000000007
        base = base * base % 1000000007
        exponent >>= 1
    return result


def ones(n):
    n, count = abs(n), 0
    while n:
        n &= n - 1
        count += 1
    return count


def primes(n):
    found = []
    for k in range(2, n % 40):
        for p in found:
            if k % p == 0:
                break
        else:
            found.append(k)
    return found


def powers_of_seven(n):
    p = 1
    for _ in range(n % 30):
        p *= 7
    return p


def negative_power(n):
    return 2 ** -(n % 5), 2 ** (n % 70), 1 << (n % 80)


def compared(n):
    return n > 9007199254740992.0, n == 3.0, n < 1e300, (n + 1) / 3, divmod(n, 7)


def chosen(n):
    return min(n, 2.5), max(n, 7), (n and 5), (n or 2.5), (1, 2.5, 3)[n % 3]


def written(n):
    s = ""
    for i in range(n % 6):
        s += f"{i * n}, "
    return s


def counted(n):
    d = {}
    for i in range(n % 30):
        d[i % 4] = d.get(i % 4, 0) + 1
    return d


def left_early(n):
    for i in range(n % 50):
        if i * i > 200:
            return i
    return None


def caught(n):
    try:
        p = 1
        for _ in range(n % 100):
            p *= 3
        return p
    except OverflowError:
        return -1


def divided(n):
    if n < 0:
        raise ValueError(f"negative {n}")
    t = 0
    for i in range(n % 20):
        t += 100 // (i - 13)
    return t


def square(k):
    return k * k + 1


def calling(n):
    t = 0
    for i in range(n % 30):
        t += square(i) * n
    return t


def doubled_by_itself(n):
    def f(k, product):
        return product if k <= 0 else f(k - 1, product * 2)

    return f(n % 80, 1)


def by_module(n):
    return math.gcd(n, 12), math.isqrt(abs(n)), abs(n), -n, round(n, -1), n.bit_length()


def printing(n):
    p = 1
    for i in range(n % 50):
        p *= 3
        if i % 10 == 0:
            print(p)
    return p


PROGRAMS = [
    sum_of_squares, congruential, hashed, common_divisor, steps_to_one, halved, halved_later,
    sum_of_floats, sum_of_roots, one_of_two_types, swapped, true_or_seven, fibonacci,
    fibonacci_by_itself, power_of_a_modulus, ones, primes, powers_of_seven, negative_power,
    compared, chosen, written, counted, left_early, caught, divided, calling, doubled_by_itself,
    by_module, printing,
]  # fmt: skip
INTS = [
    *range(9), 13, 17, 33, 49, 59, 100, -1, -2, -7, -50, True, False, 2**31, 2**40, 2**53 + 1,
    10**18, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64 + 5, 2**70, -(2**70), 10**30,
]  # fmt: skip
# What is between: calls that have traces of their own.
OTHERS = [2.5, -3.5, 1e20, np.int64(3), np.int64(-5), np.float64(2.5), np.int32(7)]


def kinds(x):
    if isinstance(x, (list, tuple)):
        return type(x), [kinds(part) for part in x]
    if isinstance(x, dict):
        return dict, [(kinds(key), kinds(part)) for key, part in x.items()]
    return type(x)


def outcome(function, capsys, *arguments):
    """All that can be seen of a call."""
    try:
        value = function(*arguments)
        seen = repr(value), kinds(value)
    except Exception as error:  # noqa: BLE001 - what the program raises
        seen = type(error), str(error)
    return seen, capsys.readouterr().out


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_what_was_called_before_does_not_show(program, capsys):
    chance = random.Random(program.__name__)
    function, before = ag.convert(program), []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in range(30):
            n = chance.choice(INTS if chance.random() < 0.8 else OTHERS)
            got = outcome(function, capsys, n)
            if type(n) in (int, bool):
                assert got == outcome(program, capsys, n), f"of {n!r} after {before}"
            before.append(n)


def scaled(x, n):
    """Beside an array: what an int decides is Python's, too."""
    total = 0
    for i in range(n % 20):
        total = total + x[i % 3] * i
    return total, x * (n * n % 2**64 % 1000)


def test_nor_beside_an_array(capsys):
    chance, x = random.Random(5), np.array([1.5, 2.5, 3.5])
    function = ag.convert(scaled)
    for _ in range(40):
        n = chance.choice(INTS)
        assert outcome(function, capsys, x, n) == outcome(scaled, capsys, x, n), n


# ---- what it costs -----------------------------------------------------------------------------


def calls_within(function, *arguments):
    """How many calls of functions of Python's a call makes."""
    count = 0

    def see(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return count


def of_squares(n):
    s = 0
    for i in range(n):
        s += square(i) % 7
    return s


def of_sines(n):
    s = 0.0
    for i in range(n):
        s += np.sin(i)
    return s


def of_a_literal():
    s = 0
    for i in range(1_000_000):
        s += i & 5
    return s


def of_items_of_a_literal(n):
    return sum([i * n for i in range(20_000)]) + sum(i & n for i in range(20_000) if i % 2)


def of_a_while(n):
    i = s = 0
    while i < n:
        s ^= i * i
        i += 1
    return s


def of_items(n):
    return sum([i * i for i in range(n)])


def of_some_items(n):
    return sum(i * i for i in range(n) if i % 3)


STAGED = [of_squares, of_sines, of_a_while]


@pytest.mark.parametrize("program", STAGED, ids=lambda f: f.__name__)
def test_a_long_loop_is_staged_by_its_first_call(program):
    of_few, of_many = ag.convert(program), ag.convert(program)
    few = calls_within(of_few, 3000)
    assert calls_within(of_many, 1_000_000) < few + 2_000, "no round is Python's"
    assert [c.graph.nodes[-1].op.name for c in of_many.traces()] == ["while"]
    assert of_many(0) == program(0) and type(of_many(0)) is type(program(0))
    assert calls_within(of_many, 999_999) < 50
    assert of_many.trace_count == 1


def test_a_loop_of_a_literal_is_staged():
    function = ag.convert(of_a_literal)
    assert function() == of_a_literal()
    assert calls_within(function) < 50


@pytest.mark.parametrize("program", [of_items, of_some_items], ids=lambda f: f.__name__)
def test_the_items_of_a_long_comprehension_are_staged_by_its_first_call(program):
    of_few, of_many = ag.convert(program), ag.convert(program)
    few = calls_within(of_few, 20_000)
    assert calls_within(of_many, 200_000) < few + 2_000, "few items are Python's"
    for n in (200_000, 0, 5, 1000):
        assert of_many(n) == program(n) and type(of_many(n)) is int


def test_items_of_a_literal_are_staged():
    function = ag.convert(of_items_of_a_literal)
    for n in (3, 4, 5):
        assert calls_within(function, n) < 400_000
        assert function(n) == of_items_of_a_literal(n)


def of_a_list(numbers):
    s = 0
    for x in numbers:
        s += square(x) % 5
    return s


def test_lists_of_many_ints_are_left_to_python_once_they_staged_nothing():
    function, numbers = ag.convert(of_a_list), list(range(3000))
    assert function(numbers) == of_a_list(numbers)
    for k in range(4):
        numbers[k] = -k * 2**70
        assert function(numbers) == of_a_list(numbers)
        numbers[k] = k + 7
        assert function(numbers) == of_a_list(numbers)
    assert function.trace_count == 1


def of_keys(n):
    d = {}
    for i in range(n):
        d[str(square(i))] = i
    return len(d)


def of_large(n):
    x = 1
    for i in range(n):
        x = x * 3 + square(i)
    return x % 1000


def of_calls(n):
    return n if n < 2 else of_calls(n - 1) + of_calls(n - 2)


@pytest.mark.parametrize("program", [of_keys, of_large], ids=lambda f: f.__name__)
def test_what_is_not_staged_is_run_by_python_once(program):
    function, n = ag.convert(program), 20_000
    plain = calls_within(program, n)
    short = calls_within(ag.convert(program), 2_000)
    assert calls_within(function, n) < short + plain + 5_000
    for k in range(5):
        function(n + k)
    assert calls_within(function, n + 9) < plain + 500
    assert function(n) == program(n)


def of_divisors(n):
    t = 0
    for i in range(1, n):
        t += math.gcd(i, n) + square(i) % 3
    return t


def test_what_has_no_native_form_is_left_to_python():
    function = ag.convert(of_divisors)
    for n in (500, 600, 20_000):
        assert function(n) == of_divisors(n)
    if config.backend.value == "native" and not native_problem():
        assert all(concrete._traced.stages_nothing for concrete in function.traces())


def test_a_recursion_of_many_calls_is_staged():
    function = ag.convert(of_calls)
    assert calls_within(function, 24) < 200_000 and function(24) == 46368


def beside_an_array(x, n):
    s = 0
    for i in range(n):
        s += i & 3
    return x * s


def keys_beside_an_array(x, n):
    d = {}
    for i in range(n):
        d[str(square(i))] = i
    return x * len(d)


@pytest.mark.parametrize("program", [beside_an_array, keys_beside_an_array])
def test_rounds_without_an_array_beside_one(program):
    x, n, function = np.ones(3), 30_000, ag.convert(program)
    plain = calls_within(program, x, n)
    short = calls_within(ag.convert(program), x, 8_000)
    assert calls_within(function, x, n) < short + plain + 5_000
    np.testing.assert_array_equal(function(x, n), program(x, n))


def test_a_function_of_few_numbers_is_plain_python():
    function = ag.convert(lambda n: n * n + 2)
    for n in (2, 3, 2**80, 4):
        assert function(n) == n * n + 2
    assert all(concrete._traced.stages_nothing for concrete in function.traces())


def rounds_that_overflow(n):
    s = 0
    for i in range(n):
        s += i * 2**40
    return s


def test_calls_that_overflow_are_left_to_python_for_a_while():
    function = ag.convert(rounds_that_overflow)
    assert function(100) == rounds_that_overflow(100)
    for _ in range(40):
        assert function(6000) == rounds_that_overflow(6000)
    assert function(100) == rounds_that_overflow(100)
    assert function.trace_count == 1


def test_a_graph_that_is_saved_has_the_types_that_are_common(tmp_path):
    function = ag.convert(halved)
    assert function(0) == 1 and type(function(0)) is int
    concrete = function.get_concrete_function(3)
    assert concrete(0) == 1.0 and type(concrete(0)) is float


DONE = []


def begins_and_fails(n):
    DONE.append(n)
    raise LimitOverflowError("an int leaves 64 bits")


def test_python_makes_no_call_twice():
    function = ag.convert(begins_and_fails)
    for n in (3, 4, 4):
        DONE.clear()
        with pytest.raises(LimitOverflowError):
            function(n)
        assert DONE == [n]


def test_what_took_long_and_led_to_nothing_is_traced_once():
    converted = ag.convert(lambda n: len({i * n for i in range(5000)}) + len({n: 0}))
    assert [converted(n) for n in (3, 4, 5)] == [5001] * 3
    assert converted.trace_count == 1
