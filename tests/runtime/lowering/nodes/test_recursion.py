"""Functions that call themselves, natively: next to plain Python, and with gradients next to plans."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import autograph as ag
from runtime.compile import compile_graph
from runtime.execute.native.prepared import Native
from runtime.lowering.kernels.refusal import Refusal

INT = np.int64


def run_of(function):
    return function.traces()[-1]._differentiable.run


def native(function):
    run = run_of(function)
    assert isinstance(run, Native), run.reason
    return run


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def greatest(x, low, high):
    """It reads an array, by halves."""
    if high - low == 1:
        return x[low]
    middle = (low + high) // 2
    return max(greatest(x, low, middle), greatest(x, middle, high))


def both(n, y):
    """Two results, of two types."""
    if n <= 0:
        return 0.5, n > 5
    a, b = both(n - 1, y * 0.5)
    return a * y + n, not b


def turned(v, n):
    """A small array goes in and out."""
    return v * 2.0 if n <= 0 else turned(np.roll(v, 1) + n, n - 1) - v


def looked_up(x, n):
    """An element of a small array, at a place that the run tells."""
    return x[n] if n > 3 else looked_up(x, n + 2) * 2


def in_loops(n, y):
    """Loops in the function, and calls of another from a loop."""
    total = y
    for i in range(n):
        while total < i:
            total = total + 0.75
        total = total + fibonacci(i)
    return total if n <= 0 else total + in_loops(n - 2, total * 0.5)


def within(n):
    """A function that calls itself, in one that does."""

    def down(k):
        return 0 if k <= 0 else k + down(k - 2)

    return down(n) if n < 3 else down(n) * within(n - 1)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def third(n, k):
    return n if n <= 0 else fourth(n - 1, k)


def fourth(n, k):
    return k if n <= 0 else third(n - 1, k) + (fourth(n - 2, k) if k > 2 else 0)


def female(n):
    """Hofstadter's."""
    return 1 if n == 0 else n - male(female(n - 1))


def male(n):
    return 0 if n == 0 else n - female(male(n - 1))


def both_sexes(n):
    found = np.zeros((2, 12))
    for i in range(n):
        found[0, i], found[1, i] = female(i), male(i)
    return found


PLUS, TIMES, OPEN, CLOSE = -1, -2, -3, -4


def expression(tokens, at):
    """What an expression is worth, and where it ends."""
    value, at = term(tokens, at)
    while at < len(tokens) and tokens[at] == PLUS:
        other, at = term(tokens, at + 1)
        value = value + other
    return value, at


def term(tokens, at):
    value, at = factor(tokens, at)
    while at < len(tokens) and tokens[at] == TIMES:
        other, at = factor(tokens, at + 1)
        value = value * other
    return value, at


def factor(tokens, at):
    if tokens[at] == OPEN:
        value, at = expression(tokens, at + 1)
        return value, at + 1
    return tokens[at], at + 1


def evaluated(tokens):
    return expression(tokens, INT(0))[0]


def rising(x, k, n):
    return x[k] if n <= 0 else falling(x, (k + 1) % 5, n - 1) + x[k]


def falling(x, k, n):
    return x[k] * 2 if n <= 0 else rising(x, (k * 2) % 5, n - 2) * 0.5


def three_of_them(n, x):
    """One of them is called from two places, and a vector is handed on."""

    def first(n, v):
        return v if n <= 0 else second(n - 1, v * 0.5) + other(n - 2, v)

    def second(n, v):
        return v + 1 if n <= 0 else other(n - 1, v[::-1]) * first(n - 2, v)

    def other(n, v):
        return v * v if n <= 0 else first(n - 1, v + 1) - second(n - 3, v)

    return first(n, x).sum() + other(n, x)[0]


# (2 * (3 + 4 * (1 + 5)) + 7) and 1 + 2 * 3
TOKENS = np.array([2, -2, -3, 3, -1, 4, -2, -3, 1, -1, 5, -4, -4, -1, 7], float)
X = np.random.default_rng(0).normal(size=33)
SAMPLES = [
    (fibonacci, (INT(15),), (INT(1),)),
    (greatest, (X, INT(0), INT(33)), (X[::-1].copy(), INT(3), INT(9))),
    (both, (INT(7), 1.5), (INT(0), 2.0)),
    (turned, (np.array([0.5, -1.0, 3.0]), INT(4)), (np.ones(3), INT(0))),
    (looked_up, (np.arange(9.0), INT(1)), (np.arange(9.0), INT(8))),
    (in_loops, (INT(9), 0.25), (INT(0), 2.0)),
    (within, (INT(7),), (INT(2),)),
    (is_even, (INT(9),), (INT(4),)),
    (third, (INT(6), INT(3)), (INT(3), INT(1))),
    (both_sexes, (INT(12),), (INT(1),)),
    (evaluated, (TOKENS,), (np.concatenate([TOKENS[:-1], [0.5]]),)),
    (rising, (X, INT(0), INT(9)), (X, INT(3), INT(0))),
    (three_of_them, (INT(6), np.array([0.5, 2.0])), (INT(0), np.array([1.5, 1.0]))),
]


@pytest.mark.parametrize(
    ("sample", "one", "other"), SAMPLES, ids=lambda x: getattr(x, "__name__", "")
)
def test_native_code_does_what_python_does(sample, one, other):
    function = ag.convert(sample)
    for arguments in (one, other, one):
        np.testing.assert_array_equal(function(*arguments), sample(*arguments), strict=True)
    native(function)
    assert function.trace_count == 1


# ---- gradients -----------------------------------------------------------------------------------


def tree(x, n):
    if n <= 0:
        return np.sin(x)
    return tree(x * 0.5, n - 1) * tree(x + 1, n - 2) + x


def paired(x, n):
    if n <= 0:
        return x, x * x
    a, b = paired(x * 1.1, n - 1)
    return b, a * b


def of_pair(x, n):
    a, b = paired(x, n)
    return a + 2 * b


def of_vector(v, n):
    return turned(v, n).sum()


def by_condition(x, n):
    """Its depth depends on what it is differentiated for; a loop of it leaves something, too."""
    if x > 10:
        return x * n
    y = x
    while y < 5:
        y = y * 1.75
    return by_condition(x * x + 0.5, n) * y


def swinging(x, n):
    return np.sin(x) if n <= 0 else x * resting(x * 0.5 + 0.1, n - 1)


def resting(x, n):
    return x * x if n <= 0 else np.cos(swinging(x, n - 1)) + resting(x * 0.9, n - 2)


@pytest.mark.parametrize(
    ("sample", "x"),
    [
        (tree, 0.7),
        (swinging, 0.7),
        (of_pair, 0.7),
        (of_vector, np.array([0.5, -1.0, 3.0])),
        (by_condition, 1.25),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_gradients_are_native_and_those_of_the_plan(sample, x):
    base = ag.convert(sample)

    def gradient(x, n):
        return ag.grad(base)(x, n)

    function, planned = ag.convert(gradient), ag.convert(gradient, native=False)
    for n in map(INT, (4, 1, 0, 4)):
        np.testing.assert_array_equal(function(x, n), planned(x, n), strict=True)
        step = 1e-6 * np.eye(np.size(x)).reshape(-1, *np.shape(x))
        found = [(sample(x + h, n) - sample(x - h, n)) / 2e-6 for h in step]
        np.testing.assert_allclose(np.ravel(function(x, n)), found, rtol=1e-5)
    native(function)


def test_gradients_from_a_loop_of_calls():
    base = ag.convert(tree)

    @ag.convert
    def summed(x, n):
        total = 0.0
        for i in range(n):
            total = total + ag.grad(base)(x * i, n)
        return total

    for n in map(INT, (5, 2)):
        expected = sum(float(ag.grad(base)(0.3 * i, n)) for i in range(n))
        assert summed(0.3, n) == expected
    native(summed)


# ---- gradients of gradients ------------------------------------------------------------------------


def power(x, n):
    return 1.0 if n <= 0 else x * power(x, n - 1)


def of_seeds(x, n):
    """Fibonacci's sum as a product: x to the n-th of its numbers."""
    return x if n < 2 else of_seeds(x, n - 1) * of_seeds(x, n - 2)


def simpson(x, a, b, n):
    """The integral of exp(x t), by halves until that is no better."""
    m = (a + b) / 2
    ends, middle = np.exp(x * a) + np.exp(x * b), np.exp(x * m)
    quarters = np.exp(x * (a + m) / 2) + np.exp(x * (m + b) / 2)
    whole = (b - a) / 6 * (ends + 4 * middle)
    halves = (b - a) / 12 * (ends + 2 * middle + 4 * quarters)
    if n <= 0 or abs(whole - halves) < 1e-12:
        return halves
    return simpson(x, a, m, n - 1) + simpson(x, m, b, n - 1)


def integral(x, n):
    return simpson(x, 0.0, 1.0, n)


def by_parity(x, n):
    """The frames of calls from two branches, of which one does nothing else."""
    if n <= 0:
        return x * x * x
    if n % 2 == 0:
        return by_parity(x, n - 1)
    return by_parity(x * x * 0.5, n - 1) * x


def grown(x, n):
    return x * x if n <= 0 else grown(x * 0.5, n - 1) * grown(x + 1, n - 2) + x


def squared(v, n):
    """A small array goes in and out, and its Hessian is full."""
    return v * 2.0 if n <= 0 else squared(np.roll(v, 1) * v + n, n - 1) * v


def of_squared(v, n):
    return squared(v, n).sum()


def derivative(base, order):
    def found(x, n):
        gradient = base
        for _ in range(order):
            gradient = ag.grad(gradient)
        return gradient(x, n)

    return found


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize(
    ("sample", "x"),
    [(grown, 0.7), (of_pair, 0.7), (by_condition, 1.25), (by_parity, 0.7)],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_gradients_of_gradients_are_native_and_those_of_the_plan(sample, x, order):
    gradient, lower = (derivative(ag.convert(sample), k) for k in (order, order - 1))
    function, planned = ag.convert(gradient), ag.convert(gradient, native=False)
    lower, h = ag.convert(lower), 1e-5
    for n in map(INT, (4, 1, 0, 4)):
        found = function(x, n)
        np.testing.assert_array_equal(found, planned(x, n), strict=True)
        expected = (lower(x + h, n) - lower(x - h, n)) / (2 * h)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)
    native(function)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize(
    ("sample", "n", "exponent"), [(power, 9, 9), (of_seeds, 7, 21)], ids=["power", "of_seeds"]
)
def test_gradients_of_gradients_have_closed_forms(sample, n, exponent, order):
    function = ag.convert(derivative(ag.convert(sample), order))
    factor = np.prod(np.arange(exponent, exponent - order, -1.0))
    expected = factor * 1.125 ** (exponent - order)
    np.testing.assert_allclose(function(1.125, INT(n)), expected, rtol=1e-13)
    native(function)


def test_the_second_gradient_of_an_integral_by_halves():
    function = ag.convert(derivative(ag.convert(integral), 2))
    x = 0.7
    expected = (np.exp(x) * (x * x - 2 * x + 2) - 2) / x**3
    np.testing.assert_allclose(function(x, INT(12)), expected, rtol=1e-9)
    native(function)


@pytest.mark.parametrize("sample", [of_squared, of_vector], ids=["full", "zero"])
def test_hessians_are_native_and_those_of_the_plan(sample):
    base, v = ag.convert(sample), np.array([0.5, -1.0, 3.0])

    def hessian(v, n):
        return ag.hessian(base)(v, n)

    function, planned = ag.convert(hessian), ag.convert(hessian, native=False)
    for n in map(INT, (3, 1, 0)):
        found = function(v, n)
        np.testing.assert_array_equal(found, planned(v, n), strict=True)
        h = 1e-6 * np.eye(3)
        expected = [(ag.grad(base)(v + d, n) - ag.grad(base)(v - d, n)) / 2e-6 for d in h]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    native(function)


def signed(x, n):
    """Its gradient is a sum of zeros: of -0.0 alone it is -0.0."""
    return -0.0 * x if n <= 0 else signed(x, n - 1) * 1.0


def test_what_lacks_in_the_gradient_of_a_frame_is_not_added():
    gradient = derivative(ag.convert(signed), 2)
    function, planned = ag.convert(gradient), ag.convert(gradient, native=False)
    for n in map(INT, (3, 0)):
        assert repr(function(2.0, n)) == repr(planned(2.0, n))
    native(function)


# ---- errors --------------------------------------------------------------------------------------


def divided(n, by):
    return 100 % by if n == 0 else divided(n - 1, by) + n


def asserted(n, by):
    assert n * by < 50, f"{n} times {by}"
    return n if n > 15 else asserted(n * 3, by)


@pytest.mark.parametrize(
    ("sample", "good", "bad"),
    [
        (divided, (INT(3), 7), (INT(3), 0)),
        (asserted, (INT(2), 1), (INT(2), 3)),
        (looked_up, (np.arange(9.0), INT(1)), (np.arange(4.0), INT(1))),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_errors_are_python_s(sample, good, bad):
    function = ag.convert(sample)
    assert function(*good) == sample(*good)
    with pytest.raises((ArithmeticError, AssertionError, IndexError)) as expected:
        sample(*bad)
    with pytest.raises(expected.type) as raised:
        function(*bad)
    assert str(raised.value) == str(expected.value).split("\n")[0]  # pytest says more
    assert raised.traceback[-1].lineno == expected.traceback[-1].lineno
    native(function)
    assert function(*good) == sample(*good)


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def test_what_is_too_deep_raises_and_a_higher_limit_serves():
    function, limit = ag.convert(deep), sys.getrecursionlimit()
    assert function(INT(600)) == 600
    native(function)
    with pytest.raises(RecursionError):
        function(INT(100_000))
    try:
        sys.setrecursionlimit(9000)
        assert function(INT(4000)) == 4000
    finally:
        sys.setrecursionlimit(limit)
    assert function(INT(600)) == 600


LONG = """
import numpy as np, autograph as ag, signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it

@ag.convert
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

fibonacci(np.int64(10))
print("ready", flush=True)
try:
    fibonacci(np.int64(70))
except KeyboardInterrupt:
    print("stopped", fibonacci(np.int64(20)), flush=True)
"""


def test_control_c_stops_calls(tmp_path):
    path = tmp_path / "long.py"
    path.write_text(LONG)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        too_late = threading.Timer(60, child.kill)
        too_late.start()
        said = child.stdout.readline()
        too_late.cancel()
        child.kill()
    assert said == "stopped 6765\n"


# ---- what has no native form ---------------------------------------------------------------------


def doubled(x, n):
    return x if n <= 0 else np.sin(doubled(x * 2, n - 1))


def printed(n):
    print("at", n)
    return n if n <= 0 else printed(n - 1)


@pytest.mark.parametrize(
    ("sample", "arguments", "reason"),
    [
        (doubled, (np.ones(100), INT(3)), "with another array than it was given"),
        (printed, (INT(2),), "beside what may happen only once"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_has_no_native_form_says_why_and_runs_as_a_plan(sample, arguments, reason, capsys):
    function = ag.convert(sample)
    found = function(*arguments)
    said = capsys.readouterr().out
    np.testing.assert_array_equal(found, sample(*arguments))
    assert capsys.readouterr().out == said
    assert reason in run_of(function).reason
    with pytest.raises(Refusal, match=reason):
        function.traces()[-1].lower("kernels")


def test_functions_that_call_each_other_go_as_deep_as_python():
    function = ag.convert(is_even)
    assert function(INT(600)) is True
    with pytest.raises(RecursionError):
        function(INT(sys.getrecursionlimit() * 4))
    assert function(INT(601)) is False
    native(function)


# ---- looking -------------------------------------------------------------------------------------


def test_the_text_of_the_kernels_shows_the_function_and_its_calls():
    function = ag.convert(fibonacci)
    function(INT(5))
    text = function.traces()[-1].lower("kernels")
    assert "function fibonacci(depth, n.1):" in text
    assert "fibonacci((depth + 1), " in text and "fibonacci(0, n)" in text
    assert "define internal {i64, i64} @recursion0(" in function.traces()[-1].lower("llvm")


def test_the_profile_names_the_function():
    function = ag.convert(fibonacci)
    kernels = function.profile_kernels(INT(12)).kernels
    assert "function fibonacci, which calls itself" in [kernel.what for kernel in kernels]


def test_saved_functions_call_themselves(tmp_path):
    function = ag.convert(greatest)
    expected = function(X, INT(0), INT(33))
    ag.save(function, tmp_path / "greatest")
    assert ag.load(tmp_path / "greatest")(X, INT(0), INT(33)) == expected


def test_the_same_graph_on_all_backends_gives_the_same():
    function = ag.convert(tree)
    function(0.3, INT(6))
    graph = function.traces()[-1]._traced.graph
    results = [compile_graph(graph, name)(0.3, INT(6)) for name in ("reference", "plan", "native")]
    assert results[0] == results[1] == results[2]
