"""Forks while other threads are at work: what children find, and what they wait for."""

import os
import random
import subprocess
import sys
import threading
import time

import pytest

from runtime.process import dispatch_flag, forks
from runtime.process.forks import held_at_forks, imported, new_after_forks, whole

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def in_child(question):
    """Whether `question()` is true in the child of a fork, within some seconds."""
    child = os.fork()
    if not child:
        try:
            os._exit(0 if question() else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("the child waits for ever")


class Meanwhile:
    """A thread that is within a context as long as the `with` block runs."""

    def __init__(self, context):
        self.context = context
        self.inside, self.over = threading.Event(), threading.Event()

    def run(self):
        with self.context:
            self.inside.set()
            self.over.wait(60)

    def __enter__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        self.inside.wait(60)
        return self

    def __exit__(self, *details):
        self.over.set()
        self.thread.join()


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock])
def test_a_lock_that_another_thread_holds_is_free_in_the_child(make):
    lock = new_after_forks(make())
    with Meanwhile(lock):
        assert in_child(lambda: lock.acquire(timeout=5))
    assert lock.acquire(blocking=False)


def test_a_lock_of_the_thread_that_forks_stays_its_own():
    lock = new_after_forks(threading.RLock())
    with lock:
        assert in_child(lambda: lock._is_owned() and lock.release() is None)


def test_a_fork_waits_for_what_others_make():
    began = time.monotonic()
    with Meanwhile(whole) as other:
        threading.Timer(0.3, other.over.set).start()
        assert in_child(lambda: not whole.is_others())
        assert time.monotonic() - began > 0.25


def test_a_fork_does_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(forks, "PATIENCE", 0.1)
    lock = held_at_forks(threading.RLock())
    try:
        with Meanwhile(whole), Meanwhile(lock):
            assert in_child(lambda: not whole.is_others() and lock.acquire(timeout=5))
        assert lock.acquire(blocking=False)
    finally:
        forks._held.remove(lock)


def test_what_the_thread_itself_makes_is_not_waited_for():
    with whole, whole:
        assert in_child(lambda: not whole.is_others())
    assert not whole._inside


def test_contexts_that_other_threads_have_open_are_closed_in_the_child():
    before = dispatch_flag.count[0]
    with Meanwhile(dispatch_flag.raised()), dispatch_flag.raised():
        assert dispatch_flag.count[0] == before + 2
        assert in_child(lambda: dispatch_flag.count[0] == before + 1)
    assert dispatch_flag.count[0] == before


def test_a_module_is_imported():
    assert imported("json").loads("1") == 1


RANDOM = """
import faulthandler, os, random, sys, threading, time
import numpy as np
import autograph as ag

TEXT = '''
import numpy as np
import autograph as ag
def f(x, n):
    s = x * 0.0
    for i in range(n):
        if s.sum() > 3.0:
            s = s - x
        else:
            s = s + x * i
    return s
v = ag.Variable(np.zeros(3))
def g(x):
    v.assign_add(x)
    with ag.GradientTape() as tape:
        y = (v * x).sum()
    return tape.gradient(y, v)
'''

def used():
    made = ag.convert_source(TEXT)
    x = np.arange(3.0)
    f, g = ag.convert(made.f), ag.convert(made.g)
    assert np.array_equal(f(x, np.int64(5)), made.f(x, 5)), "wrong"
    assert np.array_equal(g(x), x) and np.array_equal(g(x), x), "wrong"

def keep_using():
    while not over.is_set():
        used()

rng, over = random.Random(int(sys.argv[1])), threading.Event()
threads = [threading.Thread(target=keep_using) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(int(sys.argv[2])):
    time.sleep(0.3 * rng.random())
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(60, exit=True)
        try:
            used()
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
over.set()
for thread in threads:
    thread.join()
"""


def forked(seed, count):
    """Forks at random times while two threads convert, trace, compile and run."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RANDOM, str(seed), str(count)],
        env={**os.environ, "AUTOGRAPH_CACHE_DIR": "off"}, capture_output=True, text=True,
        timeout=1800, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


def test_children_of_forks_at_random_times_work():
    forked(1, 4)


@pytest.mark.long
def test_children_of_many_forks_at_random_times_work():
    forked(random.randrange(10**6), 300)
