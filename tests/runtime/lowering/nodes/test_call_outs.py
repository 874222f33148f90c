"""What native code has Python do at its place, in branches and loops."""

import contextlib
import io

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.lower import lower
from tests.runtime.lowering.calls import compare, done, native, same

# ---- effects -------------------------------------------------------------------------------------


def test_a_print_in_a_branch_of_a_loop_is_called_from_native_code():
    def sample(x):
        s = np.float64(0)
        for i in range(len(x)):
            s = s + x[i]
            if s > 3:
                print(s, i)
        return s

    function = same(sample, np.ones(40))
    line = sample.__code__.co_firstlineno + 5
    assert f"line {line}: native code calls Python for `print`" in function.explain()
    assert "not natively" not in function.explain()
    text = function.traces()[-1].lower("kernels")
    assert "python call" in text


def test_what_is_printed_has_its_kind():
    def sample(x, flag, n):
        k = 0
        while k < n:
            print(x, x[k], k, flag, k / 2, x[k] > 0, x * 2, sep="|")
            k += 1
        return k

    for dtype in (np.float32, np.int8, np.uint64, np.bool_):
        same(sample, np.array([[1, 0], [0, 1], [1, 1]], dtype), np.bool_(True), np.int64(3))


def test_what_is_printed_is_as_it_was_then():
    def sample(x, n):
        while n > 0:
            n = n - 1
            x[n] = n + 7
            print(x)
            x[n] += 1
        return x.sum()

    same(lambda x, n: sample(x.copy(), n), np.zeros(20), np.int64(4))


@pytest.mark.parametrize("size", [0, 1, 2, 5, 40])
def test_sizes_are_not_known(size):
    @ag.convert(input_signature=[ag.TensorSpec([None, 3], "float64"), ag.TensorSpec([], "int64")])
    def function(x, n):
        y = x
        while n > 0:
            y = np.sort(y + x, axis=0)
            print(y.shape, y[:1])
            n = n - 1
        return y

    x = np.random.default_rng(0).normal(size=(size, 3))
    for _ in range(2):
        actual, told = done(function, x, np.int64(3))
        expected, text = done(function.python_function, x, np.int64(3))
        compare(np.asarray(actual), expected)
        assert told == text


def test_an_error_comes_after_what_was_printed_and_not_twice():
    def sample(x, n):
        for i in range(n):
            print("at", i)
            y = x[i] * 2
        return y

    same(sample, np.ones(20), np.int64(30))


def test_an_error_of_python_numbers():
    def sample(x):
        total = 0
        for i in range(len(x)):
            print(total)
            total = total + 10 // (3 - i)
        return total

    same(sample, np.ones(20))


def test_the_users_exception_is_raised():
    def sample(x):
        for i in range(len(x)):
            if x[i] < 0:
                raise ValueError(f"{x[i]} at {i} of {x}")
            print(x[i])
        return x

    same(sample, np.array([1.0, 2.0, -1.0] * 10))


def test_an_array_that_was_written_before_an_error_is_written():
    def sample(x, n):
        k = 0
        while k < n:
            print(k)
            x[k] = k
            k += 1
        return x

    function, x, y = ag.convert(sample), np.ones(30), np.ones(30)
    for _ in range(2):
        (actual, told), (expected, text) = done(function, x, np.int64(31)), done(sample, y, 31)
        assert isinstance(actual, IndexError) and isinstance(expected, IndexError)
        np.testing.assert_array_equal(x, y)
        assert told == text


def test_an_interrupt_in_a_print_ends_the_loop():
    class Stream(io.StringIO):
        def write(self, text):
            if "7" in text:
                raise KeyboardInterrupt
            return super().write(text)

    @ag.convert
    def sample(n):
        k = 0
        while k < n:
            print(k)
            k += 1
        return k

    assert done(sample, np.int64(5))[1] == "0\n1\n2\n3\n4\n"
    native(sample)
    for _ in range(2):
        stream = Stream()
        with contextlib.redirect_stdout(stream), pytest.raises(KeyboardInterrupt):
            sample(np.int64(50))
        assert stream.getvalue().split() == list("0123456")


def test_a_stream_that_calls_the_function_again():
    inner = []

    class Stream(io.StringIO):
        def write(self, text):
            if not inner and "3" in text:
                inner.append(None)
                inner[0] = sample(np.arange(30.0))
            return super().write(text)

    @ag.convert
    def sample(x):
        s = np.float64(0)
        for i in range(len(x)):
            s = s + x[i]
            if s < 9:
                print(s)
        return s

    stream = Stream()
    with contextlib.redirect_stdout(stream):
        assert sample(np.ones(30)) == 30
    assert inner == [435.0]
    expected = [f"{k}.0" for k in range(1, 3)] + ["0.0", "1.0", "3.0", "6.0"]
    assert stream.getvalue().split() == expected + [f"{k}.0" for k in range(3, 9)]
    native(sample)


# ---- calls of Python code ------------------------------------------------------------------------


def test_a_call_with_a_result():
    def halved(x):
        return x / 2

    def sample(x):
        s = np.float64(1)
        for i in range(len(x)):
            s = ag.py_call(halved, s, result=ag.TensorSpec((), np.float64)) + x[i]
        return s

    function = same(sample, np.linspace(0.0, 1.0, 40))
    assert "native code calls Python for" in function.explain()


def test_a_call_with_arrays():
    def step(y):
        return np.cumsum(y)[::-1], int(y.argmax())

    def sample(x, n):
        y, k = x * 1, 0
        while k < n:
            y, i = ag.py_call(step, y * 0.5 + x, result=(ag.TensorSpec((20,), "float64"), int))
            k += i + 1
        return y, k

    same(sample, np.linspace(0.0, 1.0, 20), np.int64(50))


def test_an_error_of_the_called_code():
    def checked(x):
        if x > 3:
            raise KeyError("too much", x)
        return float(x)

    def sample(x):
        s = 0.0
        for i in range(len(x)):
            print(i)
            s = s + ag.py_call(checked, x[i], result=float)
        return s

    same(sample, np.arange(20.0))
    same(sample, np.ones(20))


def test_a_result_of_another_shape_than_declared():
    def sample(x):
        for i in range(len(x)):
            print(i)
            x = ag.py_call(np.ones, 3 if i < 5 else 4, result=ag.TensorSpec((20,), "float64")) + x
        return x

    function = ag.convert(sample)
    for _ in range(2):
        error, told = done(function, np.ones(20))
        assert isinstance(error, TypeError) and "declared as its result" in str(error)
        assert told == "0\n"


def test_arrays_that_the_called_code_may_keep_are_left_to_the_plan():
    kept = []

    def keep(y):
        kept.append(y)

    @ag.convert
    def sample(x):
        y = x * 2
        for _ in range(len(x)):
            ag.py_call(keep, y)
        return x

    sample(np.ones(20))
    np.testing.assert_array_equal(kept, np.full((20, 20), 2.0))
    assert "it may keep an array" in sample.explain()


def test_called_code_that_changes_how_errors_are_treated_is_an_error():
    def strict():
        np.seterr(all="raise")
        return 1.0

    @ag.convert
    def sample(x):
        for i in range(len(x)):
            x = x / (i * ag.py_call(strict, result=float))
        return x

    before = np.geterr()
    try:
        with pytest.raises((RuntimeError, FloatingPointError)):
            sample(np.ones(20))
    finally:
        np.seterr(**before)


def test_a_large_array_is_not_copied_in_case_a_call_fails():
    def sample(x, a, n):
        k = 0
        while k < n:
            x[k] = np.linalg.inv(a + k)[0, 0]
            if x[k] > 100:
                print("large", x[k])
            k += 1
        return k

    function, a = ag.convert(sample), np.diag([1.0, 2.0])
    for size in (5000, 40):
        x, y = np.zeros(size), np.zeros(size)
        assert function(x, a, np.int64(20)) == sample(y, a, 20)
        np.testing.assert_array_equal(x, y)
    large, small = (concrete.execution for concrete in function.traces())
    assert "a large array that is written if it fails" in large[0]
    assert not small


# ---- nodes without a native form -----------------------------------------------------------------


def test_a_sort_in_a_loop():
    def sample(x, n):
        while n > 0:
            x = np.sort(x * 2 + 1 - x * x)
            x = x / 4 - x * x * 0.01 + n
            n = n - 1
        return x

    function = same(sample, np.linspace(0.0, 1.0, 5000), np.int64(4))
    line = sample.__code__.co_firstlineno + 2
    assert f"line {line}: native code calls Python for `sort`" in function.explain()


def test_several_results():
    def sample(a, n):
        s = np.zeros(3)
        while n > 0:
            u, w, v = np.linalg.svd(a + n)
            s = s + w + u[0] * v[1]
            n = n - 1
        return s

    same(sample, np.random.default_rng(0).normal(size=(3, 3)), np.int64(20))


def test_loops_in_loops_and_branches():
    def sample(x, n):
        total = np.float64(0)
        for i in range(n):
            for j in range(i):
                if (i + j) % 3 == 0:
                    order = np.argsort(x * (i - j))
                    total = total + order[j] * x[i]
                    print(i, j, order[:2])
                else:
                    total = total + np.median(x[:7]) / 3
        return total

    x = np.random.default_rng(0).normal(size=20)
    same(sample, x, np.int64(18))


def test_a_failing_node_is_run_once_more_by_nobody_where_there_are_effects():
    def sample(a, n):
        s = np.float64(0)
        while n > 0:
            print(n)
            s = s + np.linalg.inv(a - n * np.eye(2))[0, 0]
            n = n - 1
        return s

    same(sample, np.diag([3.0, 7.0]), np.int64(30))


def test_a_failing_node_without_effects():
    def sample(a, n):
        s = np.float64(0)
        while n > 0:
            s = s + np.linalg.inv(a - n * np.eye(2))[0, 0]
            n = n - 1
        return s

    same(sample, np.diag([3.0, 7.0]), np.int64(30))


def test_sizes_that_depend_on_data_are_left_to_the_plan():
    def sample(x):
        s = np.float64(0)
        for i in range(len(x)):
            s = s + np.unique(x * i).sum()
        return s

    function, x = ag.convert(sample), np.arange(30.0) % 4
    assert function(x) == sample(x)
    assert "sizes that only Python knows" in function.explain()


def test_gradients_of_loops_with_such_nodes():
    def sample(x):
        y = x
        for i in range(20):
            y = np.sort(y * x) + y / (i + 1)
        return y.sum()

    x = np.random.default_rng(0).normal(size=9)
    compiled = ag.grad(ag.convert(sample))(x)
    with ag.eager():
        expected = ag.grad(sample)(x)
    np.testing.assert_allclose(compiled, expected, rtol=1e-12)
    function = ag.convert(lambda x: ag.grad(sample)(x))
    np.testing.assert_allclose(function(x), expected, rtol=1e-12)
    native(function)


def test_such_nodes_beside_variables():
    def make():
        v = ag.Variable(np.linspace(1.0, 2.0, 20))

        def sample(x, n):
            while n > 0:
                v.assign(np.sort(v * x))
                n = n - 1
            return v.read_value().sum()

        return v, sample

    results = []
    for backend in ("native", "plan"):
        v, sample = make()
        function, x = ag.convert(sample), np.random.default_rng(0).normal(size=20)
        with config.backend.using(backend):
            results.append((function(x, np.int64(5)), v.numpy()))
        if backend == "native":
            assert not function.traces()[-1].execution
    compare(tuple(map(np.asarray, results[0])), tuple(map(np.asarray, results[1])))


def test_what_a_plan_does_in_place_is_not_copied_for_it():
    def sample(x, at):
        for k in range(40):
            x[at[k]] = k
        return x.sum()

    many, few = np.zeros(100_000), np.zeros(50)
    at = np.arange(40, dtype=np.uint64)
    function = ag.convert(sample)
    for x in (many, few):
        assert function(x.copy(), at) == sample(x.copy(), at)
    large, small = (concrete.execution for concrete in function.traces())
    assert large and "nor can native code call it: an array that is written in place" in large[0]
    assert not small


def test_such_a_node_outside_of_branches_and_loops_parts_the_graph(traced):
    graph = traced(ag.sort, np.ones(5))
    with pytest.raises(Refusal, match="op `sort` has no native form"):
        lower(graph)
