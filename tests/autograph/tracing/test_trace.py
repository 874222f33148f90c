"""One trace: what it leaves behind when it fails, what it keeps alive, what leaks, threads."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import autograph as ag
from runtime import journal, trace
from runtime.building import building

X = np.array([1.0, 2.0])


def clean():
    """Whether no trace, tape or transaction is open."""
    return building() is None and trace.tapes() == () and journal.recording() is None


class Counter:
    def __init__(self):
        self.value = 0
        self.items = [1]


# ---- a failing trace leaves nothing (S17) --------------------------------------------------------


def test_s17_exception_in_the_middle_of_a_trace():
    counter, seen, box = Counter(), [], {"a": 1}
    fail = [True]

    @ag.convert
    def f(x):
        counter.value += 1
        counter.items.append(x)
        seen.append(1)
        box["a"] = 2
        if x.sum() > 0:
            x = x + 1
        if fail[0]:
            raise KeyError("mid-trace")
        return x

    for _ in range(2):
        with pytest.raises(KeyError, match="mid-trace"):
            f(X)
        assert clean()
    fail[0] = False
    before = (counter.value, len(counter.items), len(seen))
    assert f(X).tolist() == [2.0, 3.0]
    assert (counter.value, len(counter.items), len(seen)) == tuple(n + 1 for n in before)


def test_s17_unstageable_code_changes_nothing():
    counter, box = Counter(), {"a": 1}

    @ag.convert
    def f(x):
        counter.value += 1
        counter.items.append(2)
        box["a"] = 2
        x[0] = 9.0
        return id(x)

    x = X.copy()
    for _ in range(2):
        with pytest.raises(ag.StagingError, match="`id`"):
            f(x)
        assert (counter.value, counter.items, box) == (0, [1], {"a": 1})
        assert x.tolist() == [1.0, 2.0] and clean()
    assert f.trace_count == 0 and f.traces() == []


def test_s17_failing_trace_of_a_variable():
    class Lazy:
        v = None
        fail = True

        @ag.convert
        def __call__(self, x):
            if self.v is None:
                self.v = ag.Variable(1.0)
            if self.fail:
                raise RuntimeError("later")
            return self.v.assign_add(x)

    lazy = Lazy()
    with pytest.raises(RuntimeError, match="later"):
        lazy(1.0)
    lazy.fail = False
    assert lazy(1.0).numpy() == 2.0 and lazy(1.0).numpy() == 3.0


def test_s17_failing_in_a_staged_body():
    fail = [True]

    @ag.convert
    def f(x):
        while x.sum() < 10:
            x = x * 2
            if fail[0]:
                id(x)
        return x

    with pytest.raises(ag.StagingError):
        f(X)
    assert clean()
    fail[0] = False
    assert f(X).tolist() == [4.0, 8.0]


def test_s17_failing_under_a_tape():
    f = ag.convert(lambda x: id(x))
    x = ag.constant(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(ag.StagingError):
            f(x)
        y = (x * x).sum()
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0] and clean()


def test_keyboard_interrupt_while_tracing():
    @ag.do_not_convert
    def interrupt():
        raise KeyboardInterrupt

    armed = [True]

    @ag.convert
    def f(x):
        if armed[0]:
            interrupt()
        return x + 1

    with pytest.raises(KeyboardInterrupt):
        f(1.0)
    assert clean()
    armed[0] = False
    assert f(1.0) == 2.0


def test_call_that_raises_at_run_time_leaves_the_graph_usable():
    @ag.convert
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x * 2

    assert f(2.0) == 4.0
    with pytest.raises(ValueError, match="negative"):
        f(-1.0)
    assert f(3.0) == 6.0 and f.trace_count == 1 and clean()


# ---- what is kept alive (B6.16) -----------------------------------------------------------------


def is_freed(reference):
    gc.collect()
    return reference() is None


def test_b6_16_arguments_are_held_weakly():
    f = ag.convert(lambda o, x: x * o.value + len(o.items))
    counter, array = Counter(), np.ones(3)
    f(counter, array)
    references = weakref.ref(counter), weakref.ref(array)
    del counter, array
    assert all(map(is_freed, references))


def test_b6_16_written_objects_are_held_weakly():
    @ag.convert
    def f(o, x):
        o.value = x * 2
        o.items.append(x)

    counter = Counter()
    f(counter, 1.0)
    assert counter.value == 2.0 and counter.items == [1, 1.0]
    reference = weakref.ref(counter)
    del counter
    assert is_freed(reference)


def test_b6_16_captured_arrays_are_held_weakly():
    box = {"a": np.ones(3)}
    f = ag.convert(lambda x: x * box["a"])
    f(1.0)
    reference = weakref.ref(box["a"])
    box["a"] = np.zeros(3)
    assert f(1.0).tolist() == [0.0] * 3 and is_freed(reference) and f.trace_count == 1


def test_b6_16_dropping_a_function_frees_its_graphs():
    f = ag.convert(lambda x: x * 2)
    f(X)
    references = weakref.ref(f), weakref.ref(f.traces()[0])
    del f
    assert all(map(is_freed, references))


def test_an_object_with_the_identity_of_a_dead_one_is_another():
    f = ag.convert(lambda o, x: x * o.value)

    def call(value):
        counter = Counter()
        counter.value = value
        return f(counter, 1.0)

    assert [call(float(i)) for i in range(50)] == [float(i) for i in range(50)]


# ---- leaks (B10.07) -----------------------------------------------------------------------------


def test_b10_07_leaked_tensor_raises_when_used():
    kept = []

    @ag.do_not_convert
    def keep(x):
        kept.append(x)

    @ag.convert
    def f(x):
        keep(x + 1)
        return x

    f(1.0)
    with pytest.raises(ag.LeakedTensorError) as caught:
        kept[0] + 1
    assert __file__ in str(caught.value) and "keep(x + 1)" in str(caught.value)
    with pytest.raises(ag.LeakedTensorError):
        ag.convert(lambda y: y + kept[0])(1.0)


def test_leaked_tensor_into_another_trace_of_the_same_function():
    kept = []

    @ag.do_not_convert
    def keep(x):
        kept.append(x)
        return kept[0]

    f = ag.convert(lambda x: x + keep(x * 1))
    assert f(1.0) == 2.0
    with pytest.raises(ag.LeakedTensorError):
        f(np.ones(2))


def test_function_called_while_another_is_traced_by_python_code():
    inner = ag.convert(lambda x: x * 3)

    @ag.do_not_convert
    def table():
        return float(inner(np.float64(2.0)))

    f = ag.convert(lambda x: x + 1)
    assert f(table()) == 7.0


# ---- threads (S18, B6.15) -----------------------------------------------------------------------


def run_threads(count, function):
    barrier, results, errors = threading.Barrier(count), [None] * count, []

    def work(i):
        barrier.wait()
        try:
            results[i] = function(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert not errors and not any(t.is_alive() for t in threads)
    return results


def test_b6_15_eight_threads_trace_once():
    traced = []

    @ag.do_not_convert
    def slow():
        traced.append(1)
        time.sleep(0.05)

    @ag.convert
    def f(x):
        slow()
        if x > 3:
            x = x * 2
        return x

    assert run_threads(8, lambda i: f(float(i))) == [0, 1, 2, 3, 8, 10, 12, 14]
    assert f.trace_count == 1 and len(traced) == 1


def test_b6_15_functions_that_call_each_other():
    @ag.convert
    def even(x):
        return x * 2 if depth(x) else odd(x)

    @ag.convert
    def odd(x):
        return x * 3 if depth(x) else even(x)

    @ag.do_not_convert
    def depth(x):
        time.sleep(0.005)
        return True

    results = run_threads(8, lambda i: even(1.0) if i % 2 else odd(1.0))
    assert results == [3.0, 2.0] * 4


def test_b6_15_recursion_on_python_values():
    @ag.convert
    def power(x, n):
        if n == 0:
            return x * 0 + 1
        return x * power(x, n - 1)

    assert power(2.0, 5) == 32.0 and power(3.0, 5) == 243.0


def test_s18_threads_with_different_signatures():
    f = ag.convert(lambda x: x.sum(), reduce_retracing=False)
    assert run_threads(8, lambda i: float(f(np.ones(i + 1)))) == [float(i + 1) for i in range(8)]
    assert f.trace_count == 8


def test_s18_eager_in_one_thread_does_not_reach_another():
    f = ag.convert(lambda x: ag.executing_eagerly())

    def call(i):
        if i == 0:
            with ag.eager():
                time.sleep(0.02)
                return f(X)
        return None

    run_threads(2, call)
    assert not ag.config.functions_run_eagerly()


def test_nested_loops_do_not_multiply_traces_of_the_body():
    rounds = []

    @ag.do_not_convert
    def note():
        rounds.append(1)

    def nest(depth):
        lines = ["def f(x):", "    n = x"]
        for d in range(depth):
            pad = "    " * (d + 1)
            lines += [f"{pad}i{d} = 0", f"{pad}while i{d} < n:", f"{pad}    i{d} += 1"]
        pad = "    " * (depth + 1)
        lines += [f"{pad}note()", f"{pad}x = x + 1.0", "    return x"]
        module = ag.convert_source("\n".join(lines) + "\n")
        module.note = note
        return module.f

    counts = {}
    for depth in (1, 2, 4, 8):
        rounds.clear()
        x = np.int64(1)
        assert ag.convert(nest(depth))(x) == nest(depth)(x)
        counts[depth] = len(rounds)
    assert counts[8] <= counts[1] + 4 * 8
