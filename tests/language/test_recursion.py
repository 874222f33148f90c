"""Functions that call themselves until a condition on data holds (B2.23, D19, E11)."""

import functools

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import check, count_nodes, refuse

I = np.int64  # noqa: E741 - a strong number, which is an input of the graph


def nodes(checked):
    """Numbers of nodes of recursion, and of calls from within."""
    return tuple(count_nodes(checked.graph, name) for name in ("recursion", "recur"))


# ---- numbers -----------------------------------------------------------------------------------


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def test_factorial():
    found = check(fact, (I(6),), (I(1),), (I(15),), joined=True)
    assert nodes(found) == (1, 1) and not found.unsaved
    f = ag.convert(fact)
    assert f(I(6)) == 720
    assert "`fact` is a function of the graph, which calls itself there" in f.explain()


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def test_fibonacci():
    assert nodes(check(fib, (I(10),), (I(0),), (I(1),))) == (1, 2)


def ack(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))


def test_ackermann():
    assert nodes(check(ack, (I(2), I(3)), (I(1), I(5)), (I(0), I(0)), joined=True)) == (1, 3)


def test_ackermann_with_a_number_that_the_trace_knows():
    check(lambda m: ack(m, 3), (I(2),), (I(0),), joined=True)


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def test_euclid():
    check(gcd, (I(48), I(18)), (I(7), I(0)), (I(17), I(5)))


def collatz(n, steps=0):
    if n == 1:
        return steps
    return collatz(n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1)


def test_a_number_that_a_default_gives_becomes_a_value_of_the_graph():
    check(collatz, (I(27),), (I(1),))


def mccarthy(n):
    return n - 10 if n > 100 else mccarthy(mccarthy(n + 11))


def test_a_call_whose_argument_is_a_call():
    check(mccarthy, (I(95),), (I(150),))


def hanoi(n, a, b, c):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


def test_python_numbers_that_change_places():
    check(lambda n: hanoi(n, 0, 1, 2), (I(5),), (I(0),), joined=True)


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 0:
        half = power(x, n // 2)
        return half * half
    return x * power(x, n - 1)


def test_power():
    check(power, (1.1, I(10)), (2.0, I(0)), (-0.5, I(7)))


def test_ints_stay_python_ints():
    found = ag.convert(lambda n, k: (fact(n), k))
    assert found(4, 1) == (24, 1) and found(5, 2) == (120, 2)
    value = found(6, 3)[0]
    assert value == 720 and type(value) is int
    assert type(ag.convert(collatz)(I(27))) is int


def test_an_int_that_leaves_64_bits_is_an_error():
    def double(n, k=1):
        return k if n == 0 else double(n - 1, k * 2)

    f = ag.convert(double)
    assert f(I(62)) == 2**62
    with pytest.raises(OverflowError):
        f(I(64))


# ---- several functions -------------------------------------------------------------------------


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


def test_mutual_recursion():
    assert nodes(check(is_even, (I(10),), (I(7),), (I(0),))) == (1, 1)


def female(n):
    return 1 if n == 0 else n - male(female(n - 1))


def male(n):
    return 0 if n == 0 else n - female(male(n - 1))


def test_two_functions_each_of_which_calls_both():
    check(lambda n: (female(n), male(n)), (I(6),), (I(0),), joined=True)


def walk(x, n):
    if n <= 0:
        return x
    if n > 3:
        return walk(x, n - 2) * 2.0
    return turn(x + 1.0, n - 1) * x


def turn(x, n):
    if n <= 0:
        return x * x
    return walk(x * 1.5, n - 1) + x


def test_functions_that_call_themselves_and_each_other():
    check(turn, (0.7, I(9)), (0.5, I(2)))


# ---- functions as arguments, closures, methods ---------------------------------------------------


def simpson(f, a, b, fa, fm, fb, whole, tolerance):
    m = (a + b) / 2
    fl, fr = f((a + m) / 2), f((m + b) / 2)
    left = (m - a) / 6 * (fa + 4 * fl + fm)
    right = (b - m) / 6 * (fm + 4 * fr + fb)
    delta = left + right - whole
    if abs(delta) <= 15 * tolerance:
        return left + right + delta / 15
    first = simpson(f, a, m, fa, fl, fm, left, tolerance / 2)
    return first + simpson(f, m, b, fm, fr, fb, right, tolerance / 2)


def integral(f, a, b, tolerance=1e-6):
    fa, fm, fb = f(a), f((a + b) / 2), f(b)
    return simpson(f, a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), tolerance)


def test_adaptive_quadrature_of_a_function_that_is_passed():
    f = check(lambda a, b: integral(np.sin, a, b), (0.0, 2.0), (0.0, 0.5)).function
    assert f(0.0, np.pi) == pytest.approx(2.0, abs=1e-6)


def test_adaptive_quadrature_of_a_lambda_with_a_captured_value():
    check(lambda b, k: integral(lambda x: np.exp(-k * x * x), 0.0, b), (2.0, 1.3), (1.0, 0.1))


def quadrature(b, k):
    def f(x):
        return np.sin(k * x)

    def area(a, b, tolerance):
        m = (a + b) / 2
        one = (b - a) * f(m)
        two = (m - a) * f((a + m) / 2) + (b - m) * f((m + b) / 2)
        if abs(two - one) < tolerance:
            return two
        return area(a, m, tolerance / 2) + area(m, b, tolerance / 2)

    return area(0.0, b, 1e-3)


def test_a_nested_function_and_captured_values():
    check(quadrature, (2.0, 1.5), (1.0, 3.0))


class Chain:
    def __init__(self, w):
        self.w = w

    def through(self, x, n):
        if n <= 0:
            return x
        return self.through(x * self.w, n - 1)


def test_a_method():
    chain = Chain(np.array([1.5, 2.0]))
    f = ag.convert(chain.through)
    x = np.ones(2)
    assert f(x, I(4)).tolist() == chain.through(x, 4).tolist()
    chain.w = np.array([0.5, 1.0])  # captured arrays are read at each call
    assert f(x, I(3)).tolist() == chain.through(x, 3).tolist()
    assert f.trace_count == 1


def test_a_decorated_method():
    class Counter:
        @ag.convert
        def down(self, n):
            return 0 if n <= 0 else 1 + self.down(n - 1)

    assert Counter().down(I(6)) == 6


def test_a_lambda():
    down = lambda n: 0 if n <= 0 else 2 + down(n - 1)  # noqa: E731
    check(lambda n: down(n), (I(4),), (I(0),))


def test_functions_that_are_decorated_themselves():
    fall = ag.convert(lambda n: 0 if n <= 0 else rise(n - 1) + 1)
    rise = ag.convert(lambda n: 0 if n <= 0 else fall(n - 1) + 10)
    assert [int(fall(I(k))) for k in range(4)] == [0, 1, 11, 12]
    assert fall.trace_count == 1


# ---- arguments and results -----------------------------------------------------------------------


def total(n, *, acc=0, step=1):
    if n <= 0:
        return acc
    return total(n - step, acc=acc + n, step=step)


def test_keyword_and_default_arguments():
    check(lambda n: total(n), (I(10),), (I(0),), joined=True)
    check(lambda n: total(n, step=3, acc=n), (I(10),), (I(0),))


def spread(n, *rest, **options):
    if n <= 0:
        return sum(rest) + options["base"]
    return spread(n - 1, *(r * 2 for r in rest), **options)


def test_starred_arguments():
    check(lambda n, x: spread(n, x, 1.0, base=x), (I(3), 0.5), (I(0), 2.0))


def pair(n):
    if n <= 0:
        return 0, 1
    a, b = pair(n - 1)
    return b, a + b


def test_a_tuple_as_result():
    check(pair, (I(10),), (I(0),))


def report(n):
    if n <= 0:
        return {"sum": 0.0, "last": (n, 1), "name": "end"}
    inner = report(n - 1)
    last, size = inner["last"]
    return {"sum": inner["sum"] + 0.5, "last": (last + n, size * 2), "name": "end"}


def test_a_dict_as_result():
    check(report, (I(4),), (I(0),))


def firsts(n, items):
    if n <= 0:
        return [items[0], items[1]]
    return firsts(n - 1, [items[1], items[0] + items[1]])


def test_lists_as_arguments_and_results():
    check(lambda n, x: firsts(n, [x, 1.0]), (I(5), 2.0), (I(0), 0.5))


def find(n, limit):
    if n > limit:
        return None
    if n % 7 == 0:
        return n
    return find(n + 1, limit)


def test_none_or_a_number_as_result():
    check(lambda n: -1 if find(n, 20) is None else find(n, 20) * 2, (I(8),), (I(15),), joined=True)


def part(n):
    if n > 3:
        return None
    return n


def test_whether_the_result_of_a_call_is_none():
    check(lambda n: (part(n) is None, n), (I(5),), (I(1),), joined=True)
    check(lambda n: (part(n) is not None, n), (I(5),), (I(1),), joined=True)
    check(lambda n: (part(n) == None, part(n) != None), (I(5),), (I(1),), joined=True)  # noqa: E711


def test_a_type_that_widens():
    def halved(x, n):
        return x if n == 0 else halved(x / 2, n - 1)

    check(lambda n: halved(8, n), (I(2),), (I(0),), joined=True)


def bisect(f, low, high, n):
    middle = (low + high) / 2
    if n <= 0:
        return middle
    if f(middle) > 0:
        return bisect(f, low, middle, n - 1)
    return bisect(f, middle, high, n - 1)


def test_bisection():
    check(lambda c, n: bisect(lambda x: x * x - c, 0.0, 4.0, n), (2.0, I(30)), (9.0, I(3)))


# ---- arrays ----------------------------------------------------------------------------------


def doubled(x, n):
    if n <= 0:
        return x
    return doubled(x * 2, n - 1) + x


def test_arrays_of_a_fixed_shape():
    check(doubled, (np.arange(3.0), I(4)), (np.ones(3), I(1)))


def quicksort(x):
    if len(x) <= 1:
        return x
    pivot, rest = x[0], x[1:]
    small, large = rest[rest < pivot], rest[rest >= pivot]
    return np.concatenate([quicksort(small), x[:1], quicksort(large)])


def test_quicksort():
    numbers = np.random.default_rng(5)
    check(quicksort, (numbers.normal(size=20),), (numbers.normal(size=20),))


def grown(x, n):
    if n <= 0:
        return x
    return grown(np.concatenate([x, x[-1:] + 1]), n - 1)


def test_an_array_that_grows():
    check(lambda x, n: grown(x, n) * 1.0, (np.arange(3.0), I(4)), (np.ones(3), I(0)))


def merged(a, b):
    if len(a) == 0:
        return b
    if len(b) == 0:
        return a
    if a[0] < b[0]:
        return np.concatenate([a[:1], merged(a[1:], b)])
    return np.concatenate([b[:1], merged(a, b[1:])])


def mergesort(x):
    if len(x) <= 1:
        return x
    half = len(x) // 2
    return merged(mergesort(x[:half]), mergesort(x[half:]))


def test_mergesort_with_open_shapes():
    numbers = np.random.default_rng(6)
    spec = ag.TensorSpec([None], np.float64)
    f = ag.convert(mergesort, input_signature=[spec])
    for size in (7, 2, 12):
        x = numbers.normal(size=size)
        assert f(x).tolist() == sorted(x.tolist())
    assert f.trace_count == 1


def search(a, x, low, high):
    if low >= high:
        return -1
    middle = (low + high) // 2
    if a[middle] == x:
        return middle
    if a[middle] < x:
        return search(a, x, middle + 1, high)
    return search(a, x, low, middle)


def test_binary_search():
    table = np.arange(0, 90, 3)
    check(lambda a, x: search(a, x, 0, 30), (table, I(27)), (table, I(28)), (table, I(0)))


def test_the_very_array_that_is_given_comes_back():
    def last(x, n):
        return x if n <= 0 else last(x, n - 1)

    f = ag.convert(last)
    x = np.ones(3)
    assert f(x, I(2)) is x and f(x, I(0)) is x
    assert f.trace_count == 1


def test_a_write_into_what_came_back_is_seen_in_the_argument():
    def either(x, y, n):
        if n <= 0:
            return x
        if n == 7:
            return y * 2.0
        return either(y, x, n - 1)

    def f(x, y, n):
        found = either(x, y, n)
        found[0] = 9.0
        return x + y, found

    x, y = np.zeros(2), np.ones(2)
    check(f, (x, y, I(2)), (x, y, I(1)), (x, y, I(9)))


def test_what_may_be_a_view_is_not_written_after_a_try():
    def f(v, n):
        def turned(v, n):
            if n <= 0:
                return v[::-1]
            if n > 100:
                raise ValueError(n)
            return turned(v, n - 1)

        try:
            out = turned(v, n)
        except ValueError:
            out = v * 0.0
        out[0] = 9.0  # refused
        return out, v

    refuse(f, np.zeros(5), I(2), match="after the `try`, `out` may be another array")


def test_what_may_be_a_view_is_not_written():
    def tail(x, n):
        return x if n <= 0 else tail(x[1:], n - 1)

    def f(x, n):
        y = tail(x, n)
        y[0] = 1.0  # refused
        return x

    refuse(f, np.zeros(5), I(2), match="shares memory with another array")
    check(lambda x, n: tail(x, n).copy() + 1.0, (np.arange(5.0), I(2)), (np.zeros(5), I(4)))


# ---- statements in functions that call themselves ------------------------------------------------


def with_loop(n):
    s = 0
    for i in range(n):
        s += i
    if n <= 0:
        return s
    return s + with_loop(n - 1)


def test_a_loop_in_the_function():
    check(with_loop, (I(6),), (I(0),))


def sums(n):
    t = 0
    for i in range(n):
        t = t + fact(i)
    return t


def test_a_call_in_a_loop():
    found = check(sums, (I(7),), (I(0),))
    assert nodes(found) == (1, 1) and count_nodes(found.graph, "while") == 1


def branching(x, n):
    if n <= 0:
        return x
    s = 0.0
    i = 0
    while i < n:
        s = s + branching(x * 0.5, n - 2 - i) * x
        i += 1
    return s + x


def test_calls_from_a_loop_in_the_function():
    check(branching, (1.3, I(5)), (0.5, I(0)))


def countdown(n):
    print("down", n)
    if n > 0:
        countdown(n - 1)
    print("up", n)


def test_prints_keep_their_order():
    check(countdown, (I(3),), (I(0),))


def checked(n):
    if n <= -3:
        raise AssertionError(f"{n} is too small")
    return checked(n - 1) + 1


def test_an_error_of_the_innermost_call_comes_from_its_line():
    check(checked, (I(2),), (I(-2),))


def test_an_assertion():
    def f(n):
        assert n > -3, f"{n} is too small"
        return f(n - 1) + 1

    with pytest.raises(AssertionError, match="-3 is too small"):
        ag.convert(f)(I(2))


def raising(n):
    if n < -3:
        raise ValueError(f"bad {n}")
    return raising(n - 1)


def test_an_exception_comes_from_its_line():
    check(raising, (I(2),), (I(-5),))


def around(n):
    k = 1
    try:
        k = raising(n)
    except ValueError:
        k = k + 10
    return k


def test_a_try_around_the_recursion():
    check(around, (I(2),), (I(-4),))


def test_a_try_in_the_recursion_is_refused():
    def f(n):
        if n <= 0:
            raise ValueError("end")
        try:
            return f(n - 1)  # refused
        except KeyError:
            return 1

    refuse(f, I(3), match="`f` calls itself .* inside of its own `try`")


def test_python_code_is_called_in_each_call():
    seen = []

    @ag.do_not_convert
    def tell(n):
        seen.append(int(n))

    def f(n):
        ag.py_call(tell, n)
        return 0 if n <= 0 else f(n - 1) + 1

    assert ag.convert(f)(I(3)) == 3
    assert seen == [3, 2, 1, 0]


def test_variables_are_read_and_assigned_in_order():
    v = ag.Variable(2.0)

    def f(n):
        v.assign_add(1.0)
        return 1.0 if n <= 0 else v * f(n - 1)

    assert float(ag.convert(f)(I(2))) == 25.0 and float(v) == 5.0


# ---- refusals --------------------------------------------------------------------------------


def test_a_list_of_lists_that_is_appended_to_is_refused():
    def f(n):
        found = []

        def down(k):
            if k > 0:
                found.append([k])
                down(k - 1)

        down(n)
        return found

    refuse(f, I(3), match="`down` calls itself .* and changes a list")


def test_a_write_into_one_of_several_arrays_that_are_given_is_refused():
    def f(x, y, n):
        if n <= 0:
            return x.sum()
        x[0] = n  # refused
        return f(y, x, n - 1)

    refuse(f, np.zeros(3), np.ones(3), I(3), match="`x` is an array that `f` is given, which calls")


def test_a_view_of_an_array_that_is_written_is_refused():
    def f(x, n):
        def down(part, k):
            if k <= 0:
                return part.sum()
            x[k] = 5.0
            return down(part[1:], k - 1) + part[0]

        return down(x[0:], n)  # refused

    refuse(
        f, np.ones(6), I(3), match="is given an array that shares memory with one that it writes"
    )


def test_an_attribute_that_is_bound_to_another_array_is_refused():
    class Holder:
        def __init__(self, x):
            self.x = x

    def f(x, n):
        holder = Holder(x)

        def down(k):
            if k > 0:  # refused
                holder.x = holder.x * 2.0
                down(k - 1)

        down(n)
        return holder.x

    refuse(f, np.ones(3), I(3), match="changes Holder.x, which is older than the call")


def test_settings_around_a_call_from_within():
    def f(x, n):
        if n <= 0:
            return 1.0 / x
        with np.errstate(divide="ignore"):
            return f(x, n - 1) + 1.0

    check(f, (np.float64(2.0), I(3)), (np.float64(0.0), I(2)), saved=False)


def test_a_dict_that_is_given_back_is_refused():
    def f(n, items):
        return items if n <= 0 else f(n - 1, {"a": items["a"] + n})

    refuse(lambda n: f(n, {"a": 1.0}), I(3), match="gives back the very dict that it is given")


def test_a_list_that_is_given_back_is_read():
    def f(n, items):
        return items if n <= 0 else f(n - 1, [items[0] + n])

    check(lambda n: f(n, [1.0]), (I(3),), (I(0),), joined=True)


def test_a_result_whose_kind_depends_on_data_is_refused():
    def f(n):
        return "end" if n <= 0 else (n, f(n - 1))

    refuse(f, I(3), match="takes and gives does not settle")


def test_a_gradient_of_the_function_in_itself_is_refused():
    def f(x, n):
        if n <= 0:
            return x * x
        return ag.grad(lambda y: f(y, n - 1))(x)

    with pytest.raises((ag.StagingError, LookupError), match="`f`"):
        ag.convert(f)(2.0, I(2))


# ---- what is changed in place ----------------------------------------------------------------


def fill(grid, i, j):
    if grid[i, j] != 0:
        return 0
    grid[i, j] = 1
    size = 1
    if i > 0:
        size += fill(grid, i - 1, j)
    if j > 0:
        size += fill(grid, i, j - 1)
    if i < 3:
        size += fill(grid, i + 1, j)
    return size


def test_a_flood_fill():
    wall = np.zeros((4, 3))
    wall[1, :2] = 2.0
    check(fill, (np.zeros((4, 3)), I(2), I(2)), (wall, I(3), I(2)), (wall, I(1), I(0)))


def sort_in_place(a, low, high):
    if low >= high:
        return
    pivot, i = a[high], low
    for j in range(low, high):
        if a[j] < pivot:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[high] = a[high], a[i]
    sort_in_place(a, low, i - 1)
    sort_in_place(a, i + 1, high)


def test_a_sort_in_place():
    numbers = np.random.default_rng(8)
    first, second = numbers.normal(size=9), numbers.normal(size=9)
    check(sort_in_place, (first, I(0), I(8)), (second, I(0), I(8)), (second, I(3), I(2)))


def queens(board, row, n):
    if row == n:
        return 1
    found = 0
    for column in range(n):
        safe = True
        for other in range(row):
            there = board[other]
            if there == column or there - other == column - row or there + other == column + row:
                safe = False
        if safe:
            board[row] = column
            found += queens(board, row + 1, n)
    return found


def test_queens():
    def f(n, first):
        return queens(np.zeros(8, np.int64), first, n)

    assert nodes(check(f, (I(4), I(0)), (I(5), I(0)), joined=True)) == (1, 1)


def test_a_table_of_what_is_known():
    def f(n):
        known = np.zeros(40, np.int64)

        def fib(k):
            if k < 2:
                return k
            if known[k] != 0:
                return known[k]
            known[k] = fib(k - 1) + fib(k - 2)
            return known[k]

        return fib(n), known

    check(f, (I(30),), (I(1),), joined=True)


def test_a_captured_number_and_an_attribute():
    class Tally:
        def __init__(self):
            self.deepest = 0

    def f(n):
        calls = 0
        tally = Tally()

        def down(k, depth):
            nonlocal calls
            calls += 1
            if depth > tally.deepest:
                tally.deepest = depth
            if k > 0:
                down(k - 2, depth + 1)
                down(k - 3, depth + 1)

        down(n, 0)
        return calls, tally.deepest

    check(f, (I(7),), (I(0),))


class Walker:
    def __init__(self):
        self.steps = np.float64(0.0)

    def go(self, n):
        self.steps += 1.5
        return 0 if n <= 0 else 1 + self.go(n - 1)


def test_the_attribute_of_an_object_from_outside():
    walker, plain = Walker(), Walker()
    f = ag.convert(lambda n: walker.go(n))
    for n in (3, 0, 5):
        assert f(I(n)) == plain.go(n) and walker.steps == plain.steps
    assert f.trace_count == 1


def marked(x, n):
    x[n] = n
    if n <= 1:
        raise ValueError(f"at {n}")
    marked(x, n - 1)


def test_what_was_written_before_an_error_stays():
    check(marked, (np.zeros(6), I(4)), (np.zeros(6), I(1)), (np.zeros(6), I(7)))


def test_what_was_written_before_an_error_that_is_caught():
    def f(x, n):
        try:
            marked(x, n)
        except ValueError:
            x[0] = 9.0
        return x * 2.0

    check(f, (np.zeros(6), I(4)), (np.zeros(6), I(1)))


def test_a_captured_number_after_an_error_that_is_caught():
    def f(n):
        count = 0

        def down(k):
            nonlocal count
            count += 1
            if k <= 0:
                raise KeyError(k)
            down(k - 1)

        try:
            down(n)
        except KeyError:
            count += 100
        return count

    check(f, (I(4),), (I(0),))


def test_writes_in_a_loop_over_calls():
    def f(x, n):
        for i in range(n):
            marked_once(x, i)
        return x.sum()

    check(f, (np.zeros(6), I(4)), (np.zeros(6), I(0)))


def marked_once(x, n):
    if n > 0:
        marked_once(x, n - 1)
    x[n] += 1.0


# ---- depth -----------------------------------------------------------------------------------


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def test_as_deep_as_python():
    f = ag.convert(deep)
    assert f(I(700)) == 700


def test_too_deep_is_a_recursion_error():
    f = ag.convert(deep)
    for backend in BACKENDS:
        with config.backend.using(backend):
            with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
                f(I(-1))
            assert f(I(3)) == 3


@functools.cache
def remembered(k):
    return k if k < 2 else remembered(k - 1) + remembered(k - 2)


def fibonacci_remembered(n):
    return remembered(n)  # refused


def test_what_remembers_its_results_by_data_is_refused():
    refuse(fibonacci_remembered, I(5), match="`remembered` keeps its results by its arguments")
    assert ag.convert(lambda x: x * remembered(8))(2.0) == 42.0


def test_what_cannot_be_a_key_is_pythons_own_error():
    with pytest.raises(TypeError, match="unhashable type"):
        ag.convert(lambda x: remembered([x]))(2.0)


def test_a_recursion_that_never_ends_is_a_recursion_error():
    def f(n):
        return f(n + 1) if n > 0 else f(n - 1)

    with pytest.raises(RecursionError):
        ag.convert(f)(I(1))


# ---- what stays as it is -----------------------------------------------------------------------


def test_recursion_over_python_values_is_unrolled():
    found = ag.convert(lambda x: power(x, 9))
    assert found(1.5) == power(1.5, 9) and found(2.5) == power(2.5, 9)
    assert count_nodes(found.traces()[-1].graph, "recursion") == 0


def tree_sum(tree, x):
    if isinstance(tree, tuple):
        return tree_sum(tree[0], x) + tree_sum(tree[1], x)
    return tree * x if x > 0 else tree - x


def test_a_walk_over_a_tree_is_unrolled():
    tree = ((1.0, (2.0, 3.0)), ((4.0, 5.0), 6.0))
    found = check(lambda x: tree_sum(tree, x), (2.0,), (-1.0,))
    assert nodes(found) == (0, 0)


def limited(x, n):
    if n == 0 or x > 100:
        return x
    return limited(x * 2, n - 1)


def test_a_python_number_that_ends_it_is_unrolled():
    assert nodes(check(lambda x: limited(x, 5), (3.0,), (60.0,))) == (0, 0)


@pytest.mark.parametrize("size", [3, 28])
def test_a_number_that_must_be_known_is_unrolled(size):
    steps = [{"sin": np.sin}, {"cos": np.cos}] * (size // 2) + [{"sin": np.sin}]

    def through(x, n):
        if n == len(steps) or x > 50:
            return x
        (step,) = steps[n].values()
        return through(step(x), n + 1)

    found = check(lambda x: through(x, 0), (np.float64(2.0),), (np.float64(60.0),))
    assert nodes(found) == (0, 0)


def test_a_function_of_a_list_is_chosen_at_each_depth():
    steps = [np.sin, np.cos]

    def through(x, n):
        if x > 0.7 or n > 20:
            return x, n
        return through(steps[n % 2](x), n + 1)

    check(lambda x: through(x, 0), (np.float64(0.1),), (np.float64(0.72),), (np.float64(-3.0),))


def test_a_number_that_must_be_known_and_has_no_end_is_refused():
    steps = [{"sin": np.sin}, {"cos": np.cos}]

    def through(x, n):
        if x > 0.5:
            return x
        (step,) = steps[n % 2].values()  # refused
        return through(step(x), n + 1)

    refuse(lambda x: through(x, 0), 0.1, match="a list is indexed by")


def adaptive(a, b, tolerance, depth):
    if depth <= 0 or abs(b - a) < tolerance:
        return np.sin((a + b) / 2) * (b - a)
    m = (a + b) / 2
    return adaptive(a, m, tolerance, depth - 1) + adaptive(m, b, tolerance, depth - 1)


def test_a_bound_that_would_be_unrolled_to_a_million_calls_becomes_a_value():
    found = check(lambda b: adaptive(0.0, b, 0.1, 20), (1.0,), (0.2,))
    assert nodes(found) == (1, 2)


def test_what_was_written_before_it_was_too_deep_stays():
    def f(x, n):
        x[n % 4] = 1.0
        f(x, n + 1)

    converted = ag.convert(f)
    for backend in BACKENDS:
        x = np.zeros(4)
        with config.backend.using(backend), pytest.raises(RecursionError):
            converted(x, I(0))
        assert x.tolist() == [1.0, 1.0, 1.0, 1.0]


def by_halves(x, n):
    return (
        x * x * x if n <= 0 else (by_halves(x, n - 1) if n % 2 else by_halves(np.sin(x), n - 1) * x)
    )


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_gradient_within_a_converted_function_where_both_sides_of_a_condition_recur(n):
    slope = ag.convert(lambda x, n: ag.grad(by_halves)(x, n))
    expected = ag.grad(by_halves)(0.6, np.int64(n))
    assert expected != 0
    np.testing.assert_allclose(slope(0.6, np.int64(n)), expected, rtol=1e-12)
