"""Handlers of signals that raise at any time while functions are converted, traced and compiled."""

import gc
import random
import signal
import sys
import threading
import types
from importlib import import_module

import numpy as np
import pytest

import autograph as ag
from autograph.frontend import conversion
from autograph.tracing.traces import trace_lock
from runtime import journal, trace, warm_up
from runtime.process import dispatch_flag, interrupts
from runtime.process.collector import rarely
from runtime.process.forks import start, whole
from runtime.process.interrupts import Interrupted, uninterrupted

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="POSIX only")


class Late(Exception):
    """What the handler of a timer raises."""


@pytest.fixture(params=[KeyboardInterrupt, Late])
def raising(request):
    """A class of exceptions, which the handler of a signal raises."""

    def handle(number, frame):
        raise request.param("now")

    before = signal.signal(signal.SIGUSR1, handle)
    yield request.param
    signal.signal(signal.SIGUSR1, before)


def raise_signal():
    signal.raise_signal(signal.SIGUSR1)


# ---- one at a time -------------------------------------------------------------------------------


def test_what_is_uninterrupted_comes_to_its_end(raising):
    done = []

    @uninterrupted
    def begin():
        raise_signal()
        done.append("begun")

    with pytest.raises(raising, match="now") as caught, whole:
        begin()
    assert done == ["begun"] and type(caught.value) is raising and not whole._inside


@pytest.mark.parametrize("name", ["rise", "lower"])
def test_contexts_of_generators_are_left_whole(name, raising, monkeypatch):
    step, before = getattr(dispatch_flag, name), dispatch_flag.count[0]

    def interrupted():
        raise_signal()
        step()

    monkeypatch.setattr(dispatch_flag, name, interrupted)
    with pytest.raises(raising), whole, dispatch_flag.raised():
        pass
    assert dispatch_flag.count[0] == before


def test_handlers_are_the_users_again(raising):
    before = signal.getsignal(signal.SIGUSR1)
    with whole:
        assert signal.getsignal(signal.SIGUSR1) is not before
    assert signal.getsignal(signal.SIGUSR1) is before
    with whole:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # the program sets another one
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN


def test_other_threads_have_no_handlers():
    found = []

    def run():
        with whole:
            found.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [before]


def test_no_clause_of_the_program_takes_it(raising):
    """It is no exception of the function that is traced: that must not raise it at each call."""
    seen = []

    @ag.do_not_convert
    def ring():
        if not seen:
            seen.append("rung")
            raise_signal()

    @ag.convert
    def f(x):
        try:
            ring()
            if x > 10:
                raise ValueError
            return x + 1
        except Exception:
            return x - 1

    with pytest.raises(raising):
        f(np.float64(1.0))
    assert f(np.float64(1.0)) == 2.0


def test_it_is_an_interrupt_for_code_that_is_asked_meanwhile():
    assert issubclass(Interrupted, KeyboardInterrupt)


# ---- at random times -----------------------------------------------------------------------------

TEXTS = {
    "loop": """
def f(x, n):
    s = x * 0.0
    for i in range(n):
        if s.sum() > 3.0:
            s = s - x
        else:
            s = s + np.sin(x) * i
    return s
""",
    "lists": """
seen = []
def g(a):
    return a * 2 + 1
def f(x, n):
    out = []
    k = 0
    while k < x[3]:
        out.append(g(k) * x[1])
        k = k + 1
    seen.append(len(out))
    return out
""",
    "errors": """
class Box:
    total = 0.0
box = Box()
def f(x, n):
    try:
        if x[0] > 10:
            raise ValueError("big")
        box.total = x.sum()
    except ValueError:
        return x * 0
    finally:
        x = x + 1
    d = {"a": x, "b": x * 2}
    return d["a"] * d["b"]
""",
    "gradients": """
v = ag.Variable(2.0)
def h(x):
    y = x
    for i in range(20):
        y = np.tanh(y * v + i)
    return y.sum()
def f(x, n):
    with ag.GradientTape() as tape:
        y = h(x)
    return tape.gradient(y, v)
""",
    "recursion": """
def fact(n):
    if n <= 1:
        return n * 0 + 1
    return n * fact(n - 1)
def f(x, n):
    return fact(n) + sum(k * n for k in range(5))
""",
}
ARGUMENTS = np.arange(4.0), np.int64(6)


def made(name):
    return ag.convert_source(f"import numpy as np\nimport autograph as ag\n{TEXTS[name]}")


class AtEvent:
    """A profiler that raises the signal at one of the points where Python looks for them."""

    def __init__(self, number):
        self.number, self.count = number, 0

    def __call__(self, frame, event, argument):
        if event in ("call", "c_return"):
            self.count += 1
            if self.count == self.number:
                sys.setprofile(None)
                raise_signal()


def profiled(function, number):
    """What counted the points of a call, and what the call raised.

    That a generator is closed is an event, too, but Python runs no handler there: what is raised
    in its place is dropped, and the next point is taken.
    """
    at, error, hook = AtEvent(number), None, sys.unraisablehook

    def dropped(event):
        if not isinstance(event.object, types.GeneratorType):
            return hook(event)
        at.number = at.count + 1
        sys.setprofile(at)

    sys.unraisablehook = dropped
    sys.setprofile(at)
    try:
        function(*ARGUMENTS)
    except BaseException as raised:
        error = raised
    finally:
        sys.setprofile(None)
        sys.unraisablehook = hook
    return at, error


def state():
    """What must be as it was."""

    def are_free():
        for lock in (trace_lock, conversion._lock):
            found.append(lock.acquire(blocking=False))
            if found[-1]:
                lock.release()

    found = []
    thread = threading.Thread(target=are_free)
    thread.start()
    thread.join()
    return {
        "locks are free": found, "attention": dispatch_flag.count[0], "collector": gc.get_threshold(),
        "rarely": rarely._open, "interpreter": trace.current(), "tapes": trace.tapes(),
        "transaction": journal._transaction.get(), "at work": dict(whole._inside),
        "handler": signal.getsignal(signal.SIGUSR1),
    }  # fmt: skip


def interrupt(name, number, raising):
    """Interrupt the first call of a function at a point; it must be as if it had not been made."""
    module, plain = made(name), made(name)
    function, before = ag.convert(module.f), state()
    at, error = profiled(function, number)
    what = f"{name}, at point {number}"
    assert error is None or type(error) is raising, f"{what}: {error!r}"
    assert at.count < at.number or error is not None, f"{what}: it is lost"
    assert state() == before, what
    expected = plain.f(*ARGUMENTS)
    for _ in range(2):
        np.testing.assert_allclose(function(*ARGUMENTS), expected, err_msg=what)
    if name == "lists":
        assert set(map(type, module.seen)) == {int}, what
    if name == "errors":
        assert float(module.box.total) == 6.0, what


def at_random_points(seed, count, raising):
    rng, points = random.Random(seed), {}
    for name in TEXTS:
        ag.convert(made(name).f)(*ARGUMENTS)  # what is loaded for the first time is loaded by now
        at, error = profiled(ag.convert(made(name).f), 0)
        points[name] = at.count
        assert error is None
    for _ in range(count):
        name = rng.choice(list(TEXTS))
        interrupt(name, rng.randrange(1, points[name]), raising)


def interrupted_at_each_point(call, raising):
    """Whether each of a call's points was interrupted in turn; `call` makes what is called anew."""
    for number in range(1, 1000):
        step, check = call()
        at = AtEvent(number)
        sys.setprofile(at)
        try:
            step()
        except raising:
            pass
        finally:
            sys.setprofile(None)
        check()
        if at.count < number:
            return number > 2
    return False


@pytest.mark.parametrize("module", ["weakref", "_weakrefset"])
def test_no_handler_raises_where_an_object_goes_away(module):
    names = vars(import_module(module))
    callback = types.SimpleNamespace(f_globals=names, f_code=main_code(), f_back=None)
    assert interrupts._is_uninterrupted(callback)
    callback.f_globals = {}
    assert not interrupts._is_uninterrupted(callback)


def main_code():
    return compile("", "main", "exec")


def test_no_thread_waits_for_ever_for_what_an_interrupt_left(raising):
    def of_a_thread():
        done = []
        thread = threading.Thread(target=done.append, args=(1,), daemon=True)

        def check():
            if thread.ident is not None:
                thread.join(20)
                assert done and not thread.is_alive()

        return lambda: start(thread), check

    def of_a_flag():
        flag = warm_up._Flag()

        def check():
            flag.set()
            thread = threading.Thread(target=flag.wait, daemon=True)
            thread.start()
            thread.join(20)
            assert not thread.is_alive()

        return lambda: (flag.set(), flag.wait(), flag.is_set()), check

    assert interrupted_at_each_point(of_a_thread, raising)
    assert interrupted_at_each_point(of_a_flag, raising)


def test_interrupts_at_random_points(raising):
    at_random_points(1, 4, raising)


@pytest.mark.long
def test_interrupts_at_many_random_points(raising):
    at_random_points(random.randrange(10**6), 1500, raising)
