"""`try` natively: next to plain Python, and gradients next to plans."""

import math

import numpy as np
import pytest

import autograph as ag
from runtime.autodiff.sweep import NoGradientError
from runtime.execute.native.prepared import Native

INT = np.int64
X = np.sin(np.arange(20.0)) * 1.5


def copied(args):
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]


def check(found, expected):
    if isinstance(expected, tuple | list):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


def run_of(function):
    return function.traces()[-1]._differentiable.run


def check_native(sample, *calls, runs_again=False):
    """As plain Python, in one native function; `runs_again` as a plan where that is to be seen."""
    function = ag.convert(sample)
    for args in calls:
        check(function(*copied(args)), sample(*copied(args)))
    run = run_of(function)
    assert isinstance(run, Native), run.reason
    assert (run._plan is not None) is runs_again
    assert function.trace_count == 1


def index(x, n):
    try:
        found = x[n]
    except IndexError:
        found = -1.0
    return found * 2


def indices(x, n):
    total = 0.0
    for i in range(n):
        try:
            total += x[i * 3]
            total += x[-i * 2] * 0.5
        except IndexError:
            total -= 1.0
    return total


def divisions(x, n):
    found, rest = 0, 0.0
    for i in range(n):
        try:
            found += 20 // (i - 2)
            rest += 1.5 % (i - 4)
            found += int(7 / (i - 6))
        except ZeroDivisionError:
            found -= 100
    return found, rest


def domains(x, n):
    total, bad = 0.0, 0
    for i in range(n):
        try:
            total += math.sqrt(x[i]) + math.log(x[i] + 0.25)
            total += math.asin(float(x[i])) + math.fmod(1.0, float(x[i]) - x[1])
        except ValueError:
            bad += 1
    return bad, total > 0


def raised(x, n):
    total, bad = 0.0, 0
    for i in range(n):
        try:
            if x[i] < 0:
                raise KeyError("negative")
            assert x[i] < 1.4, f"{x[i]} is large"
            total += x[i]
        except AssertionError:
            bad += 10
        except LookupError:
            bad += 1
    return total, bad


def nested(x, n):
    total, count = 0.0, 0
    for i in range(n):
        try:
            try:
                count += 1
                total += x[i * 2]
                count += 10 // (i - 2)
            except ZeroDivisionError:
                count += 1000
            total *= 2
            if total > 40:
                raise ValueError
        except (ValueError, TypeError):
            total -= 30
        except IndexError:
            count += 1
            break
        else:
            count += 5
        finally:
            total += 0.25
    return total, count


def arrays(x, n):
    y, z = np.zeros(6), x * 2
    for i in range(n):
        try:
            y[0] = i
            y[i] = x[i]
            z = z + 1.0
            z[3] = x[i]
            y[1] += math.sqrt(x[i])
            z = z * x[i + 12]
        except ValueError:
            y[2] += 1
        except IndexError:
            y[3] = y[3] + 1
            y[4] = i
            z = z - 0.5
    return y, z


def lists(x, n):
    out, seen = [0.5], np.zeros(0)
    for i in range(n):
        try:
            out.append(x[i])
            seen = np.append(seen, i * 0.5)
            if x[i] > 0.5:
                raise KeyError
            out.append(x[i] * 2)
            seen = seen[seen > 1.0]
        except KeyError:
            out.append(-1.0)
    return out, seen


def out_of_loops(x, n):
    found = 0.0
    try:
        for i in range(n):
            for v in x:
                if v * i > 4:
                    raise StopIteration
                found += v
        found += 1000
    except StopIteration:
        found = found * 2
    return found


def in_functions(x, n):
    def safe(v, k):
        try:
            return 10 // k + v
        except ZeroDivisionError:
            return v

    total = 0.0
    for i in range(n):
        total += safe(x[i], i - 1)
    return total


def of_a_list(x, n):
    rest, total = [], 0.0
    for i in range(n):
        rest.append(x[i] * i)
    try:
        while True:
            total += rest.pop() * (len(rest) + 1)
    except IndexError:
        total += 100
    return total


def gathered(x, n):
    total = 0.0
    for i in range(n):
        try:
            total += x[np.array([i, 2 * i, 3 * i])].sum()
        except IndexError:
            total *= 0.5
    return total


SAMPLES = [
    index, indices, divisions, domains, raised, nested, arrays, lists, out_of_loops, in_functions,
    of_a_list, gathered,
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES)
def test_handlers_are_run_natively(sample):
    check_native(sample, *((X, INT(n)) for n in (3, 0, 1, 8, 12)))


def test_what_is_not_caught_is_raised():
    def partly(x, n):
        total = 0.0
        try:
            for i in range(n):
                total += x[i]
                assert total < 9, f"{i} is too far"
        except AssertionError:
            return -total
        finally:
            total += 1
        return total

    function = ag.convert(partly)
    for n in (3, 19):
        check(function(X, INT(n)), partly(X, INT(n)))
    with pytest.raises(IndexError, match="index 20 is out of bounds"):
        function(X, INT(30))
    check(function(X + 1.0, INT(19)), partly(X + 1.0, INT(19)))
    assert isinstance(run_of(function), Native)


def test_what_may_be_of_several_classes_is_left_to_the_plan():
    def powers(x, n):
        total = 0.0
        for i in range(n):
            try:
                total += float(x[i]) ** -float(n - 3)
            except (ZeroDivisionError, OverflowError):
                total -= 1
        return total

    check_native(powers, (np.abs(X) + 0.5, INT(5)), (np.abs(X), INT(5)), runs_again=True)


def test_overflow_of_the_graph_is_not_caught():
    def summed(n, calls):
        calls[0] += 1  # what Python cannot begin again
        try:
            return n * 3
        except OverflowError:
            return 0

    function, calls = ag.convert(summed), np.zeros(1)
    assert [function(n, calls) for n in (5, 6, 7)] == [15, 18, 21]
    assert isinstance(run_of(function), Native)
    with pytest.raises(OverflowError, match="64 bits"):
        function(2**62, calls)
    assert calls[0] == 4


def test_prints_of_handlers_happen_once(capsys):
    def printed(x, n):
        total = 0.0
        for i in range(n):
            try:
                total += x[i * 4]
                if total > 2:
                    raise ValueError
            except ValueError:
                print("large", i)
                total = 0.0
            except IndexError:
                print("beyond", i)
        return total

    function = ag.convert(printed)
    expected = printed(X, INT(8))
    text = capsys.readouterr().out
    for _ in range(2):
        assert function(X, INT(8)) == expected
        assert capsys.readouterr().out == text
    assert isinstance(run_of(function), Native)


# ---- gradients -----------------------------------------------------------------------------------


def slopes(x):
    total = 0.0
    for i in range(len(x)):
        try:
            total = total + math.sqrt(x[i]) * x[i + 1]
        except ValueError:
            total = total + 0.5 * x[i] * x[i]
        except IndexError:
            total = total * 2.0
    return total


def of_arrays(x):
    y = x * x
    for i in range(30):
        try:
            y = y * 0.9
            if y[i] > 1.0:
                raise ValueError
            y = y + x[i] * 0.1
        except ValueError:
            y = y * 0.5
        except IndexError:
            pass
    return (y * y).sum()


def test_gradients_are_those_of_plans():
    made = [ag.convert(ag.value_and_grad(slopes), native=native) for native in (None, False)]
    for x in (X + 0.01, X * 0.5 + 0.1):
        found, expected = (function(x) for function in made)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-14)
    assert isinstance(run_of(made[0]), Native), run_of(made[0]).reason


def test_gradients_that_are_refused_are_so_natively():
    function = ag.convert(ag.grad(of_arrays))
    with pytest.raises(NoGradientError):
        function(X)


# ---- looking -------------------------------------------------------------------------------------


def test_the_text_of_the_kernels_shows_the_ways_out():
    function = ag.convert(indices)
    function(X, INT(3))
    text = function.traces()[-1].lower("kernels")
    assert "attempt:" in text and "go on behind attempt" in text


def test_saved_functions_catch(tmp_path):
    function = ag.convert(nested)
    function(X, INT(3))
    ag.save(function, tmp_path / "f.ag")
    check(ag.load(tmp_path / "f.ag")(X, INT(12)), nested(X, INT(12)))
