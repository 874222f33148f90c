"""`with` on managers of all kinds: what they do, they do at each call."""

import contextlib
import decimal
import io
import threading
import time
import types
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import (
    Samples,
    assert_equal,
    count_nodes,
    graph_of,
    no_line_of,
    observe,
    refuse,
)

samples = Samples()
F = np.float64
X = np.array([1.0, 2.0])
PLACE = types.SimpleNamespace()


def agree(sample, make, *cases, traces=1, alone=True):
    """Calls of the sample do what plain Python does, also to the object that `make` gives.

    The object is in `PLACE.it` while the sample runs; the second call runs the graph alone.
    """
    PLACE.it = make()
    expected = [(observe(sample, case), snapshot(PLACE.it)) for case in cases]
    for backend in BACKENDS:
        PLACE.it = make()
        function = ag.convert(sample)
        with config.backend.using(backend), config.check.using(True):
            for k, (case, (plain, state)) in enumerate(zip(cases, expected)):
                with no_line_of(__file__) if k and alone else contextlib.nullcontext():
                    got = observe(function, case)
                assert type(got.error) is type(plain.error), f"{got} for {plain}"
                assert str(got.error) == str(plain.error)
                assert_equal(got.value, plain.value)
                assert got.printed == plain.printed
                assert snapshot(PLACE.it) == state, f"{snapshot(PLACE.it)} for {state}"
        assert function.trace_count == traces, function.explain()
    return function


def snapshot(thing):
    return repr(vars(thing)) if hasattr(thing, "__dict__") else repr(thing)


# ---- managers of the user's (B2.18) --------------------------------------------------------------


class Log:
    def __init__(self):
        self.entries, self.last = [], 0.0

    def __enter__(self):
        self.entries.append("enter")
        print("enter")
        return self

    def __exit__(self, kind, error, traceback):
        self.entries.append("leave")
        print("leave", kind is None)


def logged(x):
    with PLACE.it as log:
        log.last = x * 2.0
        print("inside", x)
    return log.last + 1.0


def test_b2_18_enter_and_exit_run_on_each_call():
    agree(logged, Log, (1.5,), (2.5,), (-1.0,))


class Scaled:
    """What `__enter__` gives, and what `__exit__` stores, depends on data."""

    def __init__(self):
        self.total = np.float64(0.0)

    def __enter__(self):
        if self.total > 3.0:
            self.total = self.total - 1.0
        return self.total

    def __exit__(self, *details):
        if self.total < 5.0:
            self.total = self.total * 2.0


def accumulated(x):
    with PLACE.it as before:
        PLACE.it.total = PLACE.it.total + x
        y = before * x
    return y


def test_b2_18_control_flow_in_enter_and_exit_is_staged():
    agree(accumulated, Scaled, (F(1.5),), (F(2.5),), (F(-1.0),), (F(9.0),))


def in_a_branch(x):
    y = x
    if x > 0:
        with PLACE.it:
            y = x * 3.0
    return y


def in_a_loop(x):
    s = F(0.0)
    while s < x:
        with PLACE.it:
            s = s + 1.0
    return s


class Counted:
    def __init__(self):
        self.depth, self.most = np.float64(0.0), np.float64(1.0)

    def __enter__(self):
        self.depth = self.depth + 1.0
        self.most = np.maximum(self.most, self.depth)
        return self

    def __exit__(self, *details):
        self.depth = self.depth - 0.5


@pytest.mark.parametrize("sample", [in_a_branch, in_a_loop])
def test_b2_18_inside_of_staged_statements(sample):
    agree(sample, Counted, (F(3.0),), (F(-2.0),), (F(5.0),))


def raising_while_tracing(x):
    try:
        with PLACE.it:
            raise KeyError("k")
    except KeyError:
        return x + 1.0


def test_b2_18_exceptions_of_python_code_reach_exit():
    agree(raising_while_tracing, Log, (1.0,), (2.0,))


@samples("B2.18", (F(2.0),), (F(-3.0),))
def only_exit(x):
    with Closing() as made:
        y = x + 1.0
    return y, made.closed


class Closing(contextlib.AbstractContextManager):
    closed = False

    def __exit__(self, *details):
        self.closed = True


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def index_error_inside(x, i):
    with Quiet():
        return x[i]


class Quiet:
    def __enter__(self):
        return 1

    def __exit__(self, kind, error, traceback):
        if kind is None:
            print("fine")


class Noisy(Quiet):
    def __exit__(self, kind, error, traceback):
        if kind is not None:
            print("failed", kind.__name__, error)
        print("leave")


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)), (X, np.int64(0)))
def an_error_of_the_graph_reaches_exit(x, i):
    with Noisy():
        return x[i]


class Swallowing:
    """Swallows errors of some classes, and counts them."""

    def __init__(self, *kinds):
        self.kinds, self.caught = kinds, 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None and issubclass(kind, self.kinds):
            self.caught = self.caught + 1
            return True


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def not_swallowed(x, i):
    y = None
    with Swallowing(KeyError):
        y = x[i] * 2.0
    return y + 1.0


class Deciding(Quiet):
    def __exit__(self, kind, error, traceback):
        return kind is IndexError or kind in (KeyError, TypeError)


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)), (X, np.int64(-2)))
def decided_by_the_class(x, i):
    y = -1.0
    with Deciding():
        if i < 0:
            raise ValueError(f"negative: {i}")
        y = x[i] * 1.0
    return np.float64(y)


@samples("B2.18", (7, 2), (9, 4), (5, 0), (8, -1), traces=2)
def division_by_zero_of_python_numbers(a, b):
    q = -1
    with Swallowing(ZeroDivisionError) as s:
        if b < 0:
            raise ValueError(f"b is {b}")
        q = a // b
    return q, s.caught


class Everything(Quiet):
    def __exit__(self, *details):
        print("left")
        return True


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def always_swallowed(x, i):
    y = np.float64(0.0)
    with Everything():
        y = x[i]
        print("inside", y)
    return y


class Depth:
    """Records enter and exit in itself, whatever happens inside."""

    def __init__(self):
        self.entered, self.left = 0, 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, *details):
        self.left += 1


@samples("B2.18", (Depth(), X, np.int64(1)), (Depth(), X, np.int64(7)))
def counted_when_it_raises(depth, x, i):
    with depth:
        y = x[i]
    return y


@samples("B2.18", (X, np.int64(2)), (X, np.int64(9)))
def in_every_round(x, n):
    s = np.float64(0.0)
    depth = Depth()
    for k in range(n):
        with depth:
            s = s + x[k]
    return s, depth.entered, depth.left


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def several_managers_in_order(x, i):
    with Noisy() as a, Noisy(), Swallowing(KeyError):
        print("inside", a)
        return x[i]


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def a_target_that_is_an_item(x, i):
    held = {}
    with Depth() as held["depth"]:
        held["y"] = 1.0
    return held["depth"].left, x[0]


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def raised_again_as_another(x, i):
    with Translating():
        return x[i]


class Translating(Quiet):
    def __exit__(self, kind, error, traceback):
        if kind is not None and isinstance(error, LookupError):
            raise ValueError(f"no such item: {error}") from error


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def an_exit_that_is_inherited(x, i):
    y = np.float64(0.0)
    with Inherited(IndexError) as s:
        y = x[i]
    return y, s.caught


class Inherited(Swallowing):
    def __exit__(self, *details):
        print(details[0] is None)
        return super().__exit__(*details)


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def another_kind_where_it_raised(x, i):
    y = "nothing"
    with Swallowing(IndexError):
        y = x[i]
    return y


@pytest.mark.parametrize("backend", BACKENDS)
def test_b2_18_gradients_through_a_guarded_body(backend):
    def guarded(x, i):
        y = x[0]
        with Swallowing(IndexError):
            y = x[i] * x[1]
        return y

    with config.backend.using(backend):
        f = ag.convert(ag.grad(guarded))
        assert_equal(f(np.array([2.0, 3.0]), np.int64(0)), np.array([3.0, 2.0]))
        assert_equal(f(np.array([2.0, 3.0]), np.int64(5)), np.array([1.0, 0.0]))


def test_b2_18_an_exit_without_effect_on_errors_costs_no_try():
    f = ag.convert(index_error_inside)
    f(X, np.int64(1))
    assert count_nodes(graph_of(f), "try") == 0


class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *details):
        self.took = time.perf_counter() - self.start


@pytest.mark.parametrize("backend", BACKENDS)
def test_b2_18_a_timer_measures_each_call(backend):
    timer = Timer()

    @ag.convert
    def timed(x, i):
        with timer:
            return x[i]

    with config.backend.using(backend):
        for i, error in ((1, None), (7, IndexError), (0, None)):
            before = time.perf_counter()
            with pytest.raises(error) if error else contextlib.nullcontext():
                timed(X, np.int64(i))
            assert type(timer.took) is float
            assert before <= timer.start <= timer.start + timer.took <= time.perf_counter()
    assert timed.trace_count == 1


# ---- contextlib.suppress, closing ----------------------------------------------------------------


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def suppressed(x, i):
    y = np.float64(5.0)
    with contextlib.suppress(IndexError, KeyError):
        y = x[i]
        print("found")
    return y


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def not_suppressed(x, i):
    with contextlib.suppress(ValueError):
        return x[i]


@samples("B2.18", (3, 1), (7, 2), (5, 0), traces=2)
def suppressed_around_python_numbers(a, b):
    with contextlib.suppress(ZeroDivisionError):
        return a / b


class Resource:
    def __init__(self):
        self.is_open = True

    def close(self):
        self.is_open = False
        print("closed")


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def closed_at_the_end(x, i):
    with contextlib.closing(Resource()) as resource:
        y = x[i]
        print(resource.is_open)
    return y, resource.is_open


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)))
def nothing_around_what_may_raise(x, i):
    with contextlib.nullcontext(x) as y:
        return y[i]


# ---- contextlib.contextmanager -------------------------------------------------------------------


@contextlib.contextmanager
def doubled(x):
    print("before", x)
    if x > 0:
        x = x * 2.0
    yield x
    PLACE.it.entries.append("after")
    print("after", x)


def with_generator(x):
    with doubled(x) as y:
        z = y + 1.0
        print("inside", z)
    return z


def test_b2_18_generator_managers_are_converted():
    agree(with_generator, Log, (F(1.0),), (F(-1.0),), (F(4.0),))


@contextlib.contextmanager
def protected(x):
    PLACE.it.last = x
    try:
        yield
    finally:
        PLACE.it.last = PLACE.it.last + 100.0


def with_finally(x):
    with protected(x):
        PLACE.it.last = PLACE.it.last + 1.0
    return x


def test_b2_18_generator_managers_with_finally():
    agree(with_finally, Log, (F(1.0),), (F(-1.0),))


@contextlib.contextmanager
def announced():
    print("before")
    yield
    print("after")


@samples("B2.18", (F(1.0),), (F(-1.0),))
def generators_one_in_the_other(x):
    with outer(x) as y, announced():
        y = y * 3.0
        if y > 1:
            y = y - 1.0
    return y


@contextlib.contextmanager
def outer(x):
    print("outer")
    with announced():
        yield x + 1.0
    print("outer ends")


@samples("B2.18", (F(1.0),), (F(2.0),))
def generator_catches_in_python(x):
    with catching():
        x = x + 1.0
        raise KeyError("no")
    return x


@contextlib.contextmanager
def catching():
    try:
        yield
    except KeyError as error:
        print("caught", error)


def error_under_finally(x, i):
    with protected(x):
        return x[i]


def test_b2_18_a_generator_cleans_up_after_an_error_of_the_graph():
    agree(error_under_finally, Log, (X, np.int64(1)), (X, np.int64(7)), alone=False)


@contextlib.contextmanager
def handling(x):
    print("before")
    with announced():
        try:
            yield x
        except IndexError as error:
            print("caught", error)
        else:
            print("no error")
        finally:
            print("after")


@samples("B2.18", (X, np.int64(1)), (X, np.int64(7)), (X, np.int64(-7)))
def handled_by_a_generator(x, i):
    y = np.float64(-1.0)
    with handling(x) as z:
        if i < 0:
            raise ValueError(i)
        y = z[i]
    return y


@samples("B2.18", (X, np.int64(2)), (X, np.int64(9)))
def handled_by_a_generator_in_every_round(x, n):
    s = np.float64(0.0)
    for k in range(n):
        with handling(x) as z:
            s = s + z[k]
    return s


@contextlib.contextmanager
def either(x, first):
    try:
        if first:
            yield x
        else:
            yield -x
    finally:
        print("after")


def with_either(x, i):
    with either(x, True) as y:
        return y[i]  # refused


def test_b2_18_an_error_in_a_generator_with_several_yields_is_refused():
    refuse(with_either, X, np.int64(1), match="give the value in one `yield`")


@contextlib.contextmanager
def branching(x, k):
    for i in range(3):
        if i == k:
            print("before", i)
            yield x + i
            print("after")
            return
    print("never")


@samples("B2.18", (F(1.0),), (F(2.0),))
def yield_in_a_branch(x):
    with branching(x, 1) as y:
        x = x * y
    return x


@contextlib.contextmanager
def raised_within(items):
    items[1] += 1.0
    yield items[0]
    items[2] += 1.0


@samples("B2.18", (X, np.int64(0)), (X, np.int64(2)))
def generators_that_are_given_lists_set_by_data(x, n):
    items = [x[0], x[1], x[0] * 3.0]
    total = x[0]
    while n < 3:
        n = n + 1
        items[n % 3] = total
        with raised_within(items) as first:
            total = total + first
    return items, total


@samples("B2.18", (X, np.int64(0)), (X, np.int64(2)))
def generators_that_are_given_lists_that_grow(x, n):
    items = [x[0], x[1], x[0] * 3.0]
    for k in range(n):
        items.append(x[0] * k)
        with raised_within(items) as first:
            items.append(first)
    return items


class Holder:
    def __init__(self, value):
        self.value = value


@contextlib.contextmanager
def increased(holder):
    holder.value = holder.value + 1.0
    yield holder
    holder.value = holder.value * 2.0


@samples("B2.18", (F(1.0),), (F(-1.0),))
def generators_that_are_given_one_of_two_objects(x):
    one, other = Holder(x), Holder(x * 3.0)
    with increased(one if x > 0 else other) as chosen:
        x = x + chosen.value
    return x, one.value, other.value


@contextlib.contextmanager
def branching_by_data(x):
    if x > 0:  # refused
        yield x
    else:
        yield -x


def with_branching(x):
    with branching_by_data(x) as y:
        return x * y


def test_b2_18_a_yield_under_data_is_refused():
    message = "`branching_by_data` comes to a `yield` depends on data"
    text = refuse(with_branching, F(1.0), match=message)
    assert "if x > 0:  # refused" in text


# ---- managers of others --------------------------------------------------------------------------


LOCK = threading.Lock()


def locked(x):
    with LOCK:
        return x + 1.0


def test_b2_18_a_lock_is_held_while_the_graph_runs():
    f = ag.convert(locked)
    assert f(1.0) == 2.0
    with LOCK:
        waiting = threading.Thread(target=lambda: results.append(f(5.0)))
        results = []
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive() and not results
    waiting.join(5.0)
    assert results == [6.0] and f.trace_count == 1


def locked_index(x, i):
    with LOCK:
        return x[i]


@pytest.mark.parametrize("backend", BACKENDS)
def test_b2_18_an_error_of_the_graph_leaves_the_manager(backend):
    f = ag.convert(locked_index)
    with config.backend.using(backend):
        assert f(X, np.int64(1)) == 2.0
        with pytest.raises(IndexError):
            f(X, np.int64(7))
        assert not LOCK.locked()
        assert f(X, np.int64(0)) == 1.0


def locked_in_loop(x):
    s = F(0.0)
    while s < x:
        with LOCK:
            s = s + 1.0
            if s > 100.0:
                raise ValueError(f"too far: {s}")
    return s


@pytest.mark.parametrize("backend", BACKENDS)
def test_b2_18_managers_in_staged_loops_are_left_at_errors(backend):
    f = ag.convert(locked_in_loop)
    with config.backend.using(backend):
        assert f(F(3.0)) == 3.0
        with pytest.raises(ValueError, match="too far: 101"):
            f(F(1000.0))
        assert not LOCK.locked() and f(F(2.0)) == 2.0 and f.trace_count == 1


def test_b2_18_gradients_pass_through():
    assert ag.grad(ag.convert(lambda x: locked_square(x)))(3.0) == 6.0
    assert ag.convert(ag.grad(locked_square))(3.0) == 6.0


def locked_square(x):
    with LOCK:
        return x * x


def library_value(x):
    with LOCK as value:
        return x * value  # refused


def test_b2_18_what_a_manager_of_others_gives_is_refused():
    refuse(library_value, 1.0, match="what a lock gives")


@samples("B2.18", (F(1.0),), (F(3.0),), tensors=False, saved=False)
def precise(x):
    with np.printoptions(precision=2):
        print(np.array([1 / 3, 2 / 3]) * x)
    print(np.array([1 / 3, 2 / 3]) * x)
    return x


def divided(x):
    with np.errstate(all="raise"):
        y = 1.0 / x
    return y


@pytest.mark.parametrize("backend", BACKENDS)
def test_s11_errstate_inside_is_honoured(backend):
    f = ag.convert(divided)
    with config.backend.using(backend):
        assert_equal(f(X), 1.0 / X)
        with pytest.raises(FloatingPointError):
            f(np.array([1.0, 0.0]))
        with pytest.raises(FloatingPointError):
            ag.convert(divided)(F(0.0))
        assert_equal(f(X), 1.0 / X)


def divided_for_nothing(x):
    with np.errstate(divide="raise"):
        1.0 / x
    with np.errstate(divide="ignore"):
        return 1.0 / x


def test_s11_errstate_inside_keeps_what_only_raises():
    f = ag.convert(divided_for_nothing)
    assert_equal(f(X), 1.0 / X)
    with pytest.raises(FloatingPointError):
        f(np.zeros(2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_s11_errstate_outside_is_honoured(backend):
    f = ag.convert(lambda x: np.log(x) + np.exp(x))
    with config.backend.using(backend), np.errstate(all="raise"):
        assert_equal(f(X), np.log(X) + np.exp(X))
        for bad in (np.zeros(2), np.array([1.0, 1e4])):
            with pytest.raises(FloatingPointError):
                f(bad)
    with np.errstate(all="ignore"):
        assert_equal(f(np.zeros(2)), np.array([-np.inf, -np.inf]))


@samples("S11", (F(2.0),), (F(0.0),), (F(-4.0),), saved=False)
def floating_errors_are_caught(x):
    y = F(0.0)
    try:
        with np.errstate(all="raise"):
            y = y + 1.0
            y = 1.0 / x
            print("no error")
    except FloatingPointError:
        print("caught")
    return y


def caught_around_a_lock(x, i):
    y = 1.0
    try:
        with LOCK:
            y = 2.0
            y = x[i]
    except IndexError:
        y = y + 10.0
    return y


@pytest.mark.parametrize("backend", BACKENDS)
def test_s11_a_manager_is_left_before_the_handler_runs(backend):
    f = ag.convert(caught_around_a_lock)
    with config.backend.using(backend):
        for i in (1, 7, 0, -9):
            assert f(X, np.int64(i)) == caught_around_a_lock(X, i)
            assert not LOCK.locked()
    assert f.trace_count == 1


OUT = io.StringIO()


def redirected(x):
    with contextlib.redirect_stdout(OUT):
        print("hidden", x)
    print("shown", x)
    return x


def test_b2_18_redirected_output_goes_there_on_each_call(capsys):
    OUT.truncate(0)
    OUT.seek(0)
    f = ag.convert(redirected)
    f(1.0), f(2.0)
    assert OUT.getvalue() == "hidden 1.0\nhidden 2.0\n"
    assert capsys.readouterr().out == "shown 1.0\nshown 2.0\n"


@samples("B2.18", (F(1.0),), (F(3.0),))
def decimals(x):
    with decimal.localcontext() as context:
        context.prec = 3
        third = decimal.Decimal(1) / 3
    return x * float(third), str(decimal.Decimal(1) / 7)


@samples("B2.18", (F(1.0),), (F(-3.0),), saved=False)
def warnings_are_ignored(x):
    with warnings.catch_warnings(action="ignore"):
        return np.abs(x) * 2.0


def stacked(x):
    with contextlib.ExitStack() as stack:  # refused
        stack.enter_context(LOCK)
        return x


def test_b2_18_a_stack_of_managers_is_refused():
    refuse(stacked, 1.0, match="write a `with` statement for each manager")


def traced_setting(x):
    with np.printoptions(precision=x):  # refused
        return x


def test_b2_18_a_traced_setting_is_refused():
    refuse(traced_setting, 1.0, match="known only when the graph runs")


@pytest.mark.parametrize(
    "call",
    [
        lambda x: (np.seterr(all="ignore"), x)[1],
        lambda x: x * len(np.geterr()),
        lambda x: (np.set_printoptions(precision=3), x)[1],
    ],
)
def test_s9_settings_of_numpy_are_not_frozen(call):
    before = np.geterr(), np.get_printoptions()
    with pytest.raises(ag.StagingError, match="called while tracing"):
        ag.convert(call)(np.float64(1.0))
    assert (np.geterr(), np.get_printoptions()) == before


test_contexts = samples.test()
