"""Threads of native code: the same bits with any number of them; forks, signals, many callers."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native import pool
from runtime.execute.native.prepared import Native


def random(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype("f4")


def chain(x):
    return np.tanh(x * 2 + 1) * x


def rows(x):
    return np.sum(x * x, -1) + np.max(x, -1)


def softmax(x):
    e = np.exp(x - np.max(x, -1, keepdims=True))
    return e / np.sum(e, -1, keepdims=True)


def total(x):
    return np.mean(x * x)


def product(x):
    return x @ x


CASES = {
    "chain": (chain, random(300_007)),
    "outer": (lambda x: x[:, None] * x + np.exp(x), random(1031)),
    "rows": (rows, random(1003, 1009)),
    "softmax": (softmax, random(1003, 509)),
    "total": (total, random(3_000_001)),
    "product": (product, random(257, 257)),
    "wide": (lambda x: x[:3] @ x.T, random(1500, 700)),
    "stack": (lambda x: x @ x[0], random(9, 130, 130)),
}


def native(function):
    """A function that is native code, or fails the test."""
    converted = ag.convert(function)

    def run(*inputs):
        result = converted(*inputs)
        found = converted.traces()[-1]._differentiable.run
        assert isinstance(found, Native), found.reason
        return result

    return run


@pytest.mark.parametrize("case", CASES)
def test_results_do_not_depend_on_threads(case):
    """A27: in parallel, with the same bits."""
    function, x = CASES[case]
    run = native(function)
    results = []
    for count in (1, 2, 3, 7):
        with config.threads.using(count):
            results += [np.array(run(x)) for _ in range(3)]
    np.testing.assert_allclose(results[0], function(x), rtol=1e-4, atol=1e-3)
    for result in results:
        np.testing.assert_array_equal(result, results[0])


def called(count, work=lambda k: None):
    """The numbers that the pool calls a function of, in the order of the calls, and by whom."""
    found = []

    def part(data, k):
        found.append((k, threading.get_ident()))
        work(k)

    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, kind, ctypes.c_void_p, ctypes.c_int64)
    run(pool.parallel())(pool.address(), kind(part), None, count)
    return found


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 70])
@pytest.mark.parametrize("count", [0, 1, 2, 5, 16, 100])
def test_each_number_is_called_once(threads, count):
    with config.threads.using(threads):
        for _ in range(3):
            assert sorted(k for k, _ in called(count)) == list(range(count))


@pytest.mark.skipif(os.name != "posix", reason="there are no threads here")
def test_each_thread_begins_with_its_own_numbers():
    started = {0: threading.Event(), 8: threading.Event()}

    def work(k):
        for number, event in started.items():
            if k == number:
                event.set()
                assert started[8 - number].wait(60)

    with config.threads.using(2):
        found = called(16, work)
    firsts = {who: k for k, who in reversed(found)}
    assert firsts[threading.get_ident()] == 0
    assert sorted(firsts.values()) == [0, 8]


def test_sizes_that_are_not_known_do_not_matter():
    run = native(chain)
    for size in (5, 1000, 400_000, 700_001):
        x = random(size)
        with config.threads.using(1):
            alone = run(x)
        with config.threads.using(3):
            np.testing.assert_array_equal(run(x), alone)


def test_many_threads_of_python_share_the_pool():
    run = native(product)
    x = random(300, 300)
    expected, wrong = run(x), []

    def work():
        for _ in range(20):
            if not np.array_equal(run(x), expected):
                wrong.append(1)

    with config.threads.using(3):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_other_threads_of_python_run_meanwhile():
    run = native(product)
    x = random(1200, 1200)
    run(x)
    counts, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before, interval = counts[0], sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nobody takes the lock who is not given it
    try:
        run(x)
        assert counts[0] > before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_of_a_fork_has_threads_of_its_own():
    code = """
        import os, sys
        import numpy as np
        import autograph as ag
        from runtime import config
        config.threads.set(3)
        f = ag.convert(lambda x: x @ x)
        x = np.random.default_rng(0).normal(size=(400, 400))
        expected = f(x)
        for _ in range(5):
            child = os.fork()
            if not child:
                good = all(np.array_equal(f(x), expected) for _ in range(5))
                os._exit(0 if good and len(os.listdir("/proc/self/task")) >= 3 else 1)
            assert np.array_equal(f(x), expected)
            assert os.waitpid(child, 0)[1] == 0
        print("good")
    """
    if not os.path.isdir("/proc/self/task"):
        code = code.replace(' and len(os.listdir("/proc/self/task")) >= 3', "")
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "good\n", done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals are otherwise here")
def test_an_interrupt_ends_a_loop_of_large_work(tmp_path):
    code = """
        import signal
        import numpy as np
        import autograph as ag
        from runtime import config
        config.threads.set(3)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it

        def run(x, n):
            for _ in range(n):
                x = np.tanh(x @ x)
            return x

        f = ag.convert(run)
        x = np.random.default_rng(0).normal(size=(300, 300))
        f(x, np.int64(2))
        print("ready", flush=True)
        try:
            f(x, np.int64(10**9))
        except KeyboardInterrupt:
            print("interrupted")
    """
    path = tmp_path / "loop.py"
    path.write_text(textwrap.dedent(code))
    with subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        try:
            assert child.communicate(timeout=60)[0] == "interrupted\n"
        finally:
            child.kill()


def test_the_number_of_threads_is_a_setting():
    with pytest.raises(ValueError, match="threads"):
        config.threads.set(-1)
    with config.threads.using(5):
        assert config.threads.value == 5
    assert config.threads.value == 0
