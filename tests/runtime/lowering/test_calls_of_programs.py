"""Programs whose loops call Python: kept, saved, beside variables, with signals and threads."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import autograph as ag
from runtime import config
from tests.runtime.lowering.calls import compare, done, iterate, line_of, native, same

# ---- programs ------------------------------------------------------------------------------------

PROGRAM = """
import numpy as np, autograph as ag

@ag.convert
def sample(x):
    for i in range(len(x)):
        x = np.sort(x * 1.5)
        if i % 9 == 0:
            print(i, x[0])
    return x.sum()

print(sample(np.linspace(0.0, 1.0, 20)))
assert "native code calls Python" in sample.explain()
"""


def test_another_process_uses_the_code_that_was_kept(tmp_path):
    folder = tmp_path / "cache"
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = {**os.environ, "AUTOGRAPH_CACHE_DIR": str(folder), "PYTHONPATH": os.getcwd()}
    outputs, files = [], []
    for _ in range(2):
        found = subprocess.run(
            [sys.executable, str(path)], env=environment, capture_output=True, text=True, check=True
        )
        outputs.append(found.stdout)
        files.append(sorted(p.name for p in folder.rglob("*") if p.is_file()))
    assert outputs[0] == outputs[1] and outputs[0].startswith("0 0.0\n9 ")
    assert files[0] == files[1] != []


def test_saved_and_loaded(tmp_path):
    @ag.convert
    def sample(x):
        for i in range(20):
            x = np.sort(x * 1.5)
            if i % 9 == 0:
                print(i, x[0])
        return x.sum()

    x = np.linspace(0.0, 1.0, 20)
    expected, told = done(sample, x)
    ag.save(sample, tmp_path / "sample")
    loaded = ag.load(tmp_path / "sample")
    found, text = done(loaded, x)
    assert (float(np.asarray(found)), text) == (float(expected), told)


class Count:
    """An object that a function writes into."""

    def __init__(self):
        self.rounds = 0
        self.last = np.float64(0)


@pytest.mark.parametrize("prints", [False, True])
def test_objects_written_before_a_node_fails(prints):
    def sample(count, a, n):
        while n > 0:
            count.rounds += 1
            if prints:
                print(n)
            count.last = np.linalg.inv(a - n * np.eye(2))[0, 0]
            n = n - 1
        return count.last

    function, one, other = ag.convert(sample), Count(), Count()
    for n in (2, 30, 2):
        actual, told = done(function, one, np.diag([3.0, 7.0]), np.int64(n))
        expected, text = done(sample, other, np.diag([3.0, 7.0]), np.int64(n))
        assert type(actual) is type(expected) and told == text
        assert (one.rounds, one.last) == (other.rounds, other.last)
    assert "native code calls Python for `inv`" in function.explain()


def test_objects_written_before_an_index_fails():
    def sample(count, x, n):
        k = 0
        while k < n:
            count.rounds += 1
            count.last = x[k]
            print(k)
            k += 1
        return count.last

    function, one, other = ag.convert(sample), Count(), Count()
    for n in (2, 30, 2):
        actual, told = done(function, one, np.arange(20.0), np.int64(n))
        expected, text = done(sample, other, np.arange(20.0), np.int64(n))
        assert type(actual) is type(expected) and told == text
        assert (one.rounds, one.last) == (other.rounds, other.last)
    assert "native code calls Python for `print`" in function.explain()


def test_settings_that_are_put_back_do_no_harm():
    def careful(x):
        before = np.seterr(all="raise")
        np.seterr(**before)
        return float(x)

    def sample(x):
        s = 0.0
        for i in range(len(x)):
            s = s + ag.py_call(careful, x[i], result=float)
        return s

    same(sample, np.ones(20))


def test_frames_of_an_error_hold_no_memory_of_the_call():
    @ag.convert
    def sample(a, n):
        s = np.float64(0)
        while n > 0:
            s = s + np.linalg.inv(a - n * np.eye(2))[0, 0]
            n = n - 1
        return s

    with config.full_traceback.using(True), pytest.raises(np.linalg.LinAlgError) as caught:
        sample(np.diag([3.0, 7.0]), np.int64(30))
    native(sample)
    for part in iterate(caught.value.__traceback__):
        found = [x for x in part.tb_frame.f_locals.values() if isinstance(x, np.ndarray)]
        inner = "site-packages" in part.tb_frame.f_code.co_filename
        assert not (inner and found)


# ---- prints beside variables ---------------------------------------------------------------------


def trained(make, *args):
    """What a function does natively and as a plan: results, what was printed, and variables."""
    outcomes = []
    for backend in ("native", "plan"):
        variables, sample = make()
        function = ag.convert(sample)
        with config.backend.using(backend):
            found = [done(function, *args) for _ in range(2)]
            run = function.traces()[-1]._differentiable.run
        assert backend == "plan" or (run.outside and not hasattr(run, "reason"))
        outcomes.append((found, [v.numpy() for v in variables]))
    (actual, contents), (expected, others) = outcomes
    for (one, told), (other, text) in zip(actual, expected, strict=True):
        assert told == text
        assert type(one) is type(other) and str(one) == str(other)
        if isinstance(one, Exception):
            assert line_of(one) == line_of(other)
    compare(tuple(contents), tuple(others))
    return actual


def test_a_training_loop_that_prints():
    def make():
        w, steps = ag.Variable(np.linspace(0.1, 1.0, 20)), ag.Variable(np.int64(0))

        def sample(x, n):
            for i in range(n):
                loss = ((w * x - 1.0) ** 2).sum()
                w.assign_sub(0.01 * (w * x - 1.0) * x)
                steps.assign_add(1)
                if i % 10 == 0:
                    print(f"step {i}: loss {loss:.6f}", steps.read_value(), w[:2])
            return w.read_value().sum()

        return (w, steps), sample

    trained(make, np.linspace(1.0, 2.0, 20), np.int64(35))


def test_an_error_after_prints_beside_variables():
    def make():
        v = ag.Variable(np.zeros(20))

        def sample(x, n):
            k = 0
            while k < n:
                v.assign_add(x)
                print("round", k, v[0])
                v.assign_add(x * x[k])
                k += 1
            return v[0]

        return (v,), sample

    found = trained(make, np.linspace(1.0, 2.0, 20), np.int64(30))
    assert [type(error) for error, _ in found] == [IndexError] * 2
    assert found[0][1].count("round") == 21


def test_an_error_of_a_print_beside_variables():
    v = ag.Variable(np.float64(0))

    class Stream(io.StringIO):
        def write(self, text):
            if "7" in text:
                raise OSError("it is full")
            return super().write(text)

    @ag.convert
    def sample(n):
        k = 0
        while k < n:
            v.assign_add(1.0)
            print(k)
            v.assign_add(0.5)
            k += 1
        return k

    for _ in range(2):
        v.assign(0.0)
        stream = Stream()
        with contextlib.redirect_stdout(stream), pytest.raises(OSError, match="it is full"):
            sample(np.int64(50))
        assert stream.getvalue().split() == list("0123456")
        assert v.numpy() == 7 * 1.5 + 1
    assert "native code calls Python for `print`" in sample.explain()
    assert "not natively" not in sample.explain()


def test_a_print_of_a_variable_itself():
    v = ag.Variable(np.float64(0), name="v")

    @ag.convert
    def sample(n):
        k = 0
        while k < n:
            v.assign_add(1.0)
            print(k, v)
            k += 1
        return k

    _, told = done(sample, np.int64(3))
    numbers = [line.rpartition("numpy=")[2] for line in told.splitlines()]
    assert numbers == ["1.>", "2.>", "3.>"]
    assert "native code calls Python for `print`" in sample.explain()
    assert "not natively" not in sample.explain()


# ---- signals, threads, gradients -----------------------------------------------------------------


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_a_signal_ends_a_loop_that_calls_python_at_the_users_line():
    class Stop(Exception):
        pass

    def stop(number, frame):
        raise Stop

    @ag.convert
    def sample(x, n):
        k = 0
        while k < n:
            x = np.sort(x + k)
            if k % 1000 == 0:
                print(k)
            k += 1
        return x

    done(sample, np.ones(5), np.int64(3))
    native(sample)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        for _ in range(3):
            stream = io.StringIO()
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with contextlib.redirect_stdout(stream), pytest.raises(Stop) as caught:
                sample(np.ones(5), np.int64(10**9))
            first = sample.python_function.__code__.co_firstlineno
            assert any(
                t.tb_frame.f_code.co_name == "sample" and first < t.tb_lineno < first + 9
                for t in iterate(caught.value.__traceback__)
            )
            told = stream.getvalue().split()
            assert told == [str(1000 * k) for k in range(len(told))]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_several_threads_of_python():
    def sample(x, n):
        k = 0
        while k < n:
            x = np.sort(x[::-1] * 0.5 + k)
            k += 1
        return x

    function, found = ag.convert(sample), {}
    function(np.ones(50), np.int64(2))

    def work(i):
        for _ in range(10):
            found.setdefault(i, []).append(function(np.full(50, float(i)), np.int64(200 + i)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, results in found.items():
        for result in results:
            np.testing.assert_array_equal(result, sample(np.full(50, float(i)), 200 + i))
    native(function)


def test_a_gradient_of_a_loop_that_prints_prints_once():
    def sample(x):
        y, total = x, np.float64(0)
        for i in range(30):
            y = np.sort(y * x)[::-1] + y / (i + 1)
            total = total + y.sum()
            if i % 10 == 0:
                print("at", i, total)
        return total

    x = np.linspace(0.1, 0.9, 7)
    function = ag.convert(lambda x: ag.value_and_grad(sample)(x))
    (value, gradient), told = done(function, x)
    expected, text = done(sample, x)
    assert value == expected and told == text
    native(function)
    with config.native.using(False):
        other, _ = done(ag.convert(lambda x: ag.value_and_grad(sample)(x)), x)
    np.testing.assert_array_equal(gradient, other[1])
