"""`try` around code that may raise when the graph runs: caught there, as Python does.

PYTEST_DONT_REWRITE: the samples' own `assert` must be Python's.
"""

from __future__ import annotations

import math
import traceback

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.autodiff import NoGradientError
from runtime.compile import BACKENDS
from runtime.errors import GraphLimit
from tests.language.arguments import A, I
from tests.language.harness import Samples, check, count_nodes, graph_of, refuse

samples = Samples()
F = np.float64


X = A(1, 2, 3, 4)


class OwnError(ValueError):
    pass


class Model:
    def __init__(self):
        self.total, self.steps, self.log = F(0), 0, []


# ---- clauses (B2.17, S11) --------------------------------------------------------------------


@samples("B2.17", (X, I(1)), (X, I(9)))
def index_error(x, i):
    try:
        y = x[i]
    except IndexError:
        y = F(-1)
    return y


@samples("B2.17", (F(2),), (F(-2),))
def staged_raise(x):
    try:
        y = F(1)
        if x < 0:
            raise ValueError("negative")
    except ValueError:
        y = F(2)
    return y * x


@samples("B2.17", (F(2),), (F(-2),), (F(0),))
def bare_except(x):
    y = x
    try:
        y = y + 1
        if x < 0:
            raise KeyError("below")
        y = y + 1
        assert x > 0
    except:  # noqa: E722
        y = y * 10
    return y


# ---- finally ---------------------------------------------------------------------------------


@samples("B2.17", (X, I(1)), (X, I(9)))
def with_finally(x, i):
    y = F(0)
    try:
        y = x[i]
        y = y * 2
    finally:
        print("finally", y)
        x[0] = 7
    return y


@samples("B2.17", (X, I(1)), (X, I(0)))
def containers_returned_from_a_loop_before_finally(x, i):
    found = {"p": x[0]}
    try:
        for j in range(i):
            return (i, found)
    finally:
        x[0] = 5.0


@samples("B2.17", *((F(c), I(n)) for n in (0, 1, 2, 5) for c in (1, -1)))
def views_that_the_body_takes(c, n):
    b = np.zeros((3, 3))
    p = q = b
    try:
        p = b[1] if c > 0 else b[2]
        q = p[1:]
        b[n] = 7.0
        p[n] = c
        q = b[0][1:]
        p = b[:, 0]
        p += 1
        b[n + 1] = 8.0
    except IndexError:
        p[0] = 8.0
    else:
        q[0] = 5.0
    q[1] = 3.0
    b += 1
    return p, b, q


@samples("B2.17", *((X, I(n)) for n in (0, 1, 3, 5)))
def views_of_each_round(x, n):
    b = np.zeros((3, 4))
    for i in range(n):
        try:
            row = b[1].copy()
            row = b[2]
            b[i, i] = x[i]
        except IndexError:
            row[0] -= 1
        row[1] += 1
    return b


@samples("B2.17", (X, I(1)), (X, I(9)))
def return_in_finally(x, i):
    try:
        y = x[i]
    finally:
        return x[0]  # noqa: B012
    return y


# ---- the exception ---------------------------------------------------------------------------


@samples("B2.17", (X, I(1)), (X, I(9)))
def printed_and_formatted(x, i):
    y = F(0)
    try:
        y = x[i]
    except IndexError as e:
        print("caught:", e, f"<{e}>", str(e), repr(e), "%s" % e)
        print(e.args, e.args[0])
    return y


@samples("B2.17", (F(2),), (F(-2),), (F(0),))
def asked_for_its_class(x):
    y = x
    try:
        if x < 0:
            raise OwnError("below", 3)
        if x == 0:
            raise KeyError("zero")
    except Exception as e:
        if isinstance(e, ValueError):
            y = x * 5
        elif isinstance(e, LookupError):
            y = x + 7
    return y


@samples("B2.17", (X, I(1)), (X, I(9)))
def raised_again_by_name(x, i):
    try:
        y = x[i]
    except IndexError as e:
        raise e
    return y


# ---- nests, loops, jumps, callees ------------------------------------------------------------


@samples("B2.17", (X, I(1)), (X, I(9)), (X, I(-9)))
def nested(x, i):
    y = F(0)
    try:
        y = y + 1
        try:
            if i < 0:
                raise KeyError("below")
            y = y + x[i]
        except IndexError:
            y = y + 100
            print("inner", y)
        y = y + 10
    except KeyError:
        y = -y
        print("outer", y)
    return y


@samples("B2.17", (X, I(1)), (X, I(9)))
def handled_further_out(x, i):
    y = F(1)
    try:
        try:
            y = y + x[i]
        except IndexError as e:
            y = y * 2
            raise OwnError("again") from e
        finally:
            y = y + 10
    except ValueError as e:
        print(e)
        y = y * 3
    return y


@samples("B2.17", (X, I(3)), (X, I(9)))
def inside_a_loop(x, n):
    total = F(0)
    missed = 0
    for i in range(n):
        try:
            total = total + x[i]
        except IndexError:
            missed += 1
    return total, missed


@samples("B2.17", (X, I(3)), (X, I(9)))
def continue_and_return(x, n):
    total = F(0)
    for i in range(n):
        try:
            y = x[i]
            if y == 2:
                continue
            if y > 3.5:
                return total
        except IndexError:
            return F(-1)
        total = total + y
    return total


@samples("B2.17", (X, I(3)), (X, I(9)))
def break_cancelled_by_an_error(x, i):
    rounds = 0
    for k in range(3):
        try:
            try:
                rounds += 1
                break
            finally:
                x[i] = k
        except IndexError:
            rounds += 10
    return rounds


@samples("B2.17", (X, I(2)), (X, I(9)))
def in_a_callee(x, i):
    def item(k, default):
        try:
            return x[k]
        except IndexError:
            return default

    return item(0, F(7)) + item(i, F(8))


@samples("B2.17", (X, I(2)), (X, I(9)))
def around_a_callee(x, i):
    def total(n):
        t = F(0)
        for k in range(n):
            t = t + x[k]
        return t

    try:
        y = total(i)
    except IndexError:
        y = total(2)
    return y


@samples("B2.17", (X, I(5)), (X, I(50)))
def retry_until_it_works(x, i):
    tries = 0
    while True:
        tries += 1
        try:
            y = x[i]
            break
        except IndexError:
            i = i - 7
            if tries > 20:
                raise
    return y, tries


# ---- what the body wrote ---------------------------------------------------------------------


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)))
def attributes(s, x, n):
    try:
        for i in range(n):
            s.total = s.total + x[i]
            s.steps = s.steps + 1
        s.steps = -1
    except IndexError:
        print(s.total, s.steps)
    s.total = s.total * 2
    return s.total


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)), (Model(), X, I(-9)))
def uncaught_after_caught(s, x, i):
    try:
        s.steps = 1
        y = x[i]
        s.steps = 2
    except IndexError:
        s.total = x[0]
        y = x[i + 7]
        s.total = x[1]
    return y


@samples("S11", (X, I(1)), (X, I(9)))
def array_in_place(x, i):
    try:
        x[0] = 50
        x[i] = 60
        x[1] = 70
    except IndexError:
        x[2] = 80
    return x.sum()


@samples("S11", (X, I(1)), (X, I(9)))
def local_array_in_place(x, i):
    z = x * 2
    w = z
    try:
        z[0] = 50
        z[i] = 60
    except IndexError:
        w[1] = 70
    return z


@samples("S11", ([1.0], {"a": 1.0}, X, I(1)), ([1.0], {"a": 1.0}, X, I(9)))
def container_item(items, table, x, i):
    try:
        table["a"] = x[0]
        items[0] = x[1]
        y = x[i]
        table["a"] = y
    except IndexError:
        items[0] = items[0] + 1
    return items[0]


@samples("S11", (X, I(1)), (X, I(9)), joined=True)
def joined_types(x, i):
    y = 1
    try:
        y = 2.5
        y = x[i] * 1j
    except IndexError:
        y = y * 2
    return y


@samples("S12", (X, I(1)), (X, I(9)))
def unbound_after_an_error(x, i):
    try:
        y = x[i]
    except IndexError:
        pass
    return y


@samples("S11", (np.eye(2), F(1)), (np.zeros((2, 2)), F(1)))
def singular(x, v):
    try:
        y = np.linalg.inv(x)
    except np.linalg.LinAlgError:
        y = np.linalg.pinv(x) if x[0, 0] > 0 else x + v
    return y


# ---- Python's own -----------------------------------------------------------------------------


@samples("B2.17", (X, 3), (X, 4), traces=2)
def python_errors_stay_python(x, k):
    try:
        y = {3: x}[k]
    except KeyError as e:
        y = x * e.args[0]
    else:
        y = y + 1
    return y


@samples("B2.17", (X, I(1)), (X, I(9)))
def python_error_after_a_run_time_one(x, i):
    try:
        y = x[i]
        {}["missing"]  # noqa: B018
    except IndexError:
        y = F(1)
    except KeyError as e:
        print(e)
    return y


# ---- gradients -------------------------------------------------------------------------------


def from_before(x, i):
    y = x[0] * 3
    try:
        y = y * x[i]
    except IndexError:
        y = y * x[1]
    return y


def through_a_loop(x, n):
    total = x[0]
    try:
        for i in range(n):
            total = total * x[i]
    except IndexError:
        total = x[1] * 5.0
    return total


def of_what_was_computed(x, i):
    y = x[0]
    try:
        y = y * 3
        y = y * x[i]
    except IndexError:
        y = y * 2
    return y


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("sample", "i", "expected"),
    [
        (from_before, 2, [9, 0, 3, 0]),
        (from_before, 9, [6, 3, 0, 0]),
        (through_a_loop, 2, [4, 1, 0, 0]),
        (through_a_loop, 9, [0, 5, 0, 0]),
        (of_what_was_computed, 2, [9, 0, 3, 0]),
    ],
)
def test_gradients(backend, sample, i, expected):
    with config.backend.using(backend):
        f = ag.convert(sample)
        assert ag.grad(f)(X, I(i)).tolist() == expected
        inside = ag.convert(lambda x, i: ag.grad(lambda x: sample(x, i))(x))
        assert inside(X, I(i)).tolist() == expected
        x = ag.constant(X)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(x, I(i))
        assert tape.gradient(y, x).numpy().tolist() == expected


@pytest.mark.parametrize("backend", BACKENDS)
def test_second_gradients(backend):
    with config.backend.using(backend):
        f = ag.convert(
            lambda x, i: ag.grad(lambda x: ag.grad(lambda x: from_before(x, i))(x)[0])(x)
        )
        assert f(X, I(2)).tolist() == [0, 0, 3, 0]
        assert f(X, I(9)).tolist() == [0, 3, 0, 0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_unknown_gradient_is_an_error_at_gradient_time(backend):
    with config.backend.using(backend):
        f = ag.convert(of_what_was_computed)
        assert f(X, I(9)) == 6.0
        with pytest.raises(NoGradientError, match="before an error was caught") as caught:
            ag.grad(f)(X, I(9))
        assert "of_what_was_computed" in str(caught.value)


# ---- what a graph looks like, and refusals ---------------------------------------------------


def test_a_body_that_cannot_raise_is_no_try():
    @ag.convert
    def f(x):
        try:
            y = x * 2
        except ValueError:
            y = x
        return y

    f(X)
    assert count_nodes(graph_of(f), "try") == 0
    g = ag.convert(index_error)
    g(X, I(1))
    assert count_nodes(graph_of(g), "try") == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_floating_point_errors_under_a_state_around_the_call(backend):
    def caught(x):
        try:
            y = 1.0 / x
        except FloatingPointError:
            y = -x
        return y

    with config.backend.using(backend), np.errstate(all="raise"):
        f = ag.convert(caught)
        assert f(F(0)) == 0.0 and f(F(4)) == 0.25


def kinds_differ(x, i):
    y = b"nothing"
    try:
        y = x[i]
        y = x[i + 1]
    except IndexError:
        y = y + 1
    return y


def test_a_kind_that_depends_on_where_it_raised_is_asked_for_what_it_can():
    check(kinds_differ, (X, I(0)), (X, I(len(X) - 1)), (X, I(len(X))))
    unknown = "`y` is a bytearray or"
    message = refuse(kinds_that_change, X, I(1), match="depending on where it raised")
    assert unknown in message


def kinds_that_change(x, i):
    y = bytearray(b"nothing")
    try:
        y = x[i]
        y = x[i + 1]
    except IndexError:
        y = y + 1  # refused
    return y


def uses_a_part(x, i):
    try:
        y = x[i]
    except IndexError as e:
        y = e.args[0] + 1  # refused
    return y


def test_parts_of_an_exception_are_for_text():
    refuse(uses_a_part, X, I(1), match="a part of an exception that was caught")


def advances_an_iterator(x, i):
    numbers = iter([1.0, 2.0])
    try:
        y = next(numbers)
        y = y + x[i]
    except IndexError:
        y = -1.0
    return y, next(numbers)


def test_an_iterator_cannot_be_advanced_twice():
    refuse(advances_an_iterator, X, I(1), match="advances an iterator that is older")


@samples("B2.17", (X, 2), (X, 3), traces=2)
def items_run_out(x, k):
    numbers = iter(range(k))
    total = x[0]
    while True:
        try:
            total = total + x[next(numbers)]
        except StopIteration:
            break
    return total


@samples("B2.17", (X, I(1)), (X, I(9)))
def write_through_either(x, i):
    y = x * 1
    old = y
    try:
        z = x[i]
        y = x
    except IndexError:
        z = F(0)
    y[0] = z
    return y, old, x


@samples("B2.17", (X, I(1)), (X, I(4)), (X, I(9)))
def a_new_array_or_an_older_one_is_written_after_it(x, i):
    new = x + 1.0
    old = new
    try:
        new = x * x[i]
        new = x * x[i - 1]
    except IndexError:
        new[0] = 3
    new -= 2
    return new, old


@samples("B2.17", (X, I(1)), (X, I(4)), (X, I(9)))
def an_argument_or_another_array_is_written_after_it(x, i):
    one = x + 1.0
    try:
        x[i]
        one = x
        x[i - 1]
    except IndexError:
        one[1] = 3
    else:
        one[2] = 5
    one -= 2
    return one, x


@samples("B2.17", (X, I(1)), (X, I(4)), (X, I(9)))
def arrays_change_places(x, i):
    a, b = x + 1.0, x * 2.0
    first = a
    try:
        x[i]
        a, b = b, a
        x[i - 1]
        a = first
    except IndexError:
        a[0] = -1
    a[1] = -2
    b[2] = -3
    return a, b, first


@samples("B2.17", (X, I(1)), (X, I(4)), (X, I(9)))
def an_attribute_is_bound_to_a_new_array(x, i):
    model = Model()
    model.total = x + 1
    try:
        model.total = x * x[i]
        model.total = model.total * x[i - 1]
    except IndexError:
        model.total[0] = 7
    model.total += 1
    return model.total


@samples("B2.17", (I(2),), (I(0),))
def an_item_is_set_to_what_may_raise(n):
    items = [1, 2]
    try:
        items[1] = items[0] // int(n)
    except ZeroDivisionError:
        print("zero")
    return items


@samples("B2.17", (X, I(1)), (X, I(4)), (X, I(9)))
def items_of_lists_and_dicts(x, i):
    items, table = [x[0], [x[1], x[2]], x], {"p": x[3], "q": x * 2}
    inner = items[1]
    try:
        items[0] = x[i]
        table["q"] = items[2] + x[i]
        inner[1] = x[i - 1]
        items[2] = x * x[i - 1]
    except IndexError:
        items[0] += 10
        table["p"] = items[0]
    inner[0] = x[3]
    table["q"][0] = -1
    items[2][1] = -2
    return items, inner, table, x


@samples("B2.17", (X, I(1)), (X, I(9)))
def writes_a_list_or_another(x, i):
    items = [x[3], x[2]]
    old = items
    try:
        items = [x[i], x[1]]
    except IndexError:
        pass
    old[0] = x[0]
    return items


@samples("B2.17", (X, I(1)), (X, I(9)))
def asks_which_list_it_is(x, i):
    items = [x[3], x[2]]
    old = items
    try:
        items = [x[i], x[1]]
    except IndexError:
        pass
    return items is old


@samples("B2.17", (X, I(0)), (X, I(1)), (X, I(2)))
def arrays_of_two_types_in_a_try_within_another(x, n):
    items = [x % 3.0, 1]
    rows = np.stack([x, x * 2])
    try:
        if n <= 0:
            raise IndexError(f"no {n}")
        items[1] = 2
        try:
            rows[n] += x
        except ZeroDivisionError:
            items[0] %= 2.0
        except AssertionError:
            items[0] = items[0] > 1
    except IndexError:
        pass
    return items, rows


@samples("B2.17", (X, I(1)), (X, I(9)))
def writes_a_view_or_a_new_array(x, i):
    y = x
    try:
        y = y[1:]
        x[i]
        y = x * 1
    except IndexError:
        pass
    y[0] = 3
    return y


def writes_a_view(x, i):
    y, k = x, i
    try:
        while k > 0:
            y = y[1:]
            k -= 1
        x[i]
        y = x * 1
    except IndexError:
        pass
    y[0] = 3  # refused
    return y


def test_a_view_or_another_array_is_not_written():
    refuse(writes_a_view, X, I(1), match="`y` may be another array or a new one")


def test_errors_of_staging_pass_the_handlers():
    def f(x, i):
        try:
            y = x[i]
            id(y)
        except Exception:  # noqa: BLE001
            y = x[0]
        return y

    with pytest.raises(ag.StagingError, match="`id` is called"):
        ag.convert(f)(X, I(1))


def test_an_exception_that_was_caught_keeps_no_frame_alive():
    """Otherwise arrays of the graph would live as long as the exception, and be copied in loops."""

    @ag.convert
    def f(x, i):
        try:
            y = x[i]
        except IndexError as e:
            raise OwnError("again") from e
        return y

    with pytest.raises(OwnError) as caught:
        f(X, I(9))
    cause = caught.value.__cause__
    assert isinstance(cause, IndexError)
    rows = traceback.extract_tb(cause.__traceback__)
    assert [row.line for row in rows if row.filename == __file__] == ["y = x[i]"]
    assert not any(row.filename.startswith("<plan") for row in rows)


def test_concurrent_saves_of_one_statement_in_two_calls():
    def item(x, k):
        try:
            return x[k]
        except IndexError:
            return x[0]

    def f(x, i, j):
        return item(x, i) * 10 + item(x, j)

    check(f, (X, I(1), I(9)), (X, I(9), I(2)), (X, I(2), I(3)), (X, I(9), I(9)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_context_of_an_error_in_a_handler(backend):
    def f(x, i):
        try:
            y = x[i]
        except IndexError:
            raise OwnError("again")  # noqa: B904
        return y

    with config.backend.using(backend), pytest.raises(OwnError) as caught:
        ag.convert(f)(X, I(9))
    assert isinstance(caught.value.__context__, IndexError)
    assert caught.value.__cause__ is None


def looked_up(x, i):
    if i < 0:
        raise KeyError("below")
    if x[i] > 3:
        raise ZeroDivisionError("four")
    return x[i]


@samples("B2.17", (X, I(1)), (X, I(3)), (X, I(9)), (X, I(-1)))
def the_name_of_the_class_of_an_error_is_text(x, i):
    seen = ""
    try:
        looked_up(x, i)
    except Exception as error:
        seen = f"{error}: "
        seen += type(error).__name__
        print(error.__class__.__qualname__ + ",")
    return seen, [seen]


class Wrapper:
    def __radd__(self, other):
        return [other, self]


@samples("B2.17", (X, I(1)), (X, I(9)))
def an_object_that_is_added_to_text(x, i):
    parts = f"{i}" + Wrapper()
    return parts[0]


def the_class_of_an_error_is_given_back(x, i):
    try:
        return looked_up(x, i)
    except Exception as error:
        return type(error)  # refused


def the_class_of_one_of_two_errors(x):
    try:
        if x[0] > 0:
            raise KeyError("above")
        raise IndexError("below")
    except Exception as error:
        return type(error)  # refused


def test_the_class_of_an_error_cannot_be_given_back():
    what = "the class of an exception that was caught"
    refuse(the_class_of_an_error_is_given_back, X, I(9), match=f"on one path but {what} on the")
    refuse(the_class_of_one_of_two_errors, X, match=f"{what} is in the result")


test_try = samples.test()


def changed_before_an_error_that_no_clause_takes(x, i):
    box = [x, x * 0.5]
    try:
        if x < 0.0:
            raise ValueError
        box[0] = np.sin(box[1])
        found = np.array([x, 2 * x])[i]
    except ValueError:
        found = x * x
    return box[0] * found


@pytest.mark.parametrize("x", [0.7, -0.7])
def test_a_gradient_knows_which_errors_a_clause_takes(x):
    f, i, step = changed_before_an_error_that_no_clause_takes, np.int64(1), 1e-6
    expected = (f(x + step, i) - f(x - step, i)) / (2 * step)
    assert ag.grad(ag.convert(f))(x, i) == pytest.approx(expected)


def product_beyond_64_bits(n):
    product = 1
    try:
        for k in range(1, n + 1):
            product *= k
    except OverflowError:
        product = -1
    return product


def complex_power(n):
    try:
        return (-2.0 * float(n)) ** 0.5
    except Exception:  # noqa: BLE001 - whatever a graph cannot do is none of these
        return -1.0


def number_that_does_not_fit(n):
    found = -1
    try:
        for v in np.zeros(n, np.uint8):
            if v > 2:
                found = v
    except ArithmeticError:
        return -2
    return found


def sorted_nan(n):
    try:
        return sorted(np.arange(3.0) / (n - 30) * np.inf)
    except ValueError:
        return [0.0, 0.0, 0.0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("sample", "match"),
    [
        (product_beyond_64_bits, "does not fit in 64 bits"),
        (complex_power, "the power is complex in Python"),
        (number_that_does_not_fit, "out of bounds for uint8, which the same name"),
        (sorted_nan, "nan is sorted"),
    ],
)
def test_s11_what_a_graph_cannot_do_is_taken_by_no_clause(sample, match, backend):
    with config.backend.using(backend), np.errstate(all="ignore"):
        with pytest.raises(GraphLimit, match=match):
            ag.convert(sample)(np.int64(30))


def test_s11_an_overflow_that_is_pythons_is_taken():
    def exponential(x):
        try:
            return math.exp(x)
        except OverflowError:
            return -1.0

    check(exponential, (1e4,), (1.0,))


HELD = {"values": np.full(3, 2.0), "place": 5}


def _halved():
    HELD["place"] = HELD["place"] % 7


def writes_what_a_dict_of_the_module_holds(x):
    try:
        try:
            _halved()
            HELD["values"][HELD["place"]] = x
        except IndexError:
            pass
    except ZeroDivisionError:
        pass
    finally:
        HELD["place"] = 2


def test_an_array_of_the_module_is_one_input_however_many_bodies_write_it():
    found = ag.convert(writes_what_a_dict_of_the_module_holds)
    for x in (1.0, 3.0, 4.0):
        found(np.float64(x))
        assert HELD["place"] == 2
    assert HELD["values"].tolist() == [2.0, 2.0, 4.0]


class Unclaimed(ValueError):
    pass


def raises_another_in_its_handler(a, n):
    rows = np.stack([a + 1.0, a * 2])
    try:
        assert any(v == n for v in a), "claimed"
    except AssertionError:
        rows[0][-1] = 0.0
        raise Unclaimed("none") from None
    if (rows[0] < 5).any():
        return rows
    print("rows", rows[1])
    return rows


def test_an_error_that_a_handler_raises_is_the_one_of_the_program():
    """What it replaces is no number that machine code could hand to Python."""
    a = np.array([-0.25, 2.5, 2.0])
    check(raises_another_in_its_handler, (a, np.int64(-1)), (a + 0.5, np.int64(3)))
