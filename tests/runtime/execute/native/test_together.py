"""Things done at the same time."""

import os
import threading

import pytest

from runtime import config
from runtime.execute.native.together import cores, together


def test_results_come_in_the_order_of_the_tasks():
    assert together([]) == []
    assert together([lambda k=k: k * k for k in range(20)]) == [k * k for k in range(20)]


def test_tasks_run_at_the_same_time():
    both = threading.Barrier(2)
    with config.threads.using(2):
        together([lambda: both.wait(20), lambda: both.wait(20)])


def test_settings_hold_in_all_threads():
    both = threading.Barrier(3)

    def setting():
        both.wait(20)
        return config.cache_dir.value

    with config.threads.using(3), config.cache_dir.using("here"):
        assert together([setting] * 3) == ["here"] * 3


def test_no_more_threads_are_used_than_may_be():
    with config.threads.using(1):
        names = together([lambda: threading.current_thread().name] * 4)
    assert names == [threading.current_thread().name] * 4
    assert 1 <= cores() <= (os.cpu_count() or 1)


def test_where_no_thread_can_be_started_all_is_done_here(monkeypatch):
    def fail(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    with config.threads.using(3):
        assert together([lambda k=k: k for k in range(4)]) == [0, 1, 2, 3]


def test_the_first_exception_is_raised_when_all_is_done():
    done = []

    def fail(kind):
        raise kind("no")

    tasks = [lambda: fail(KeyError), lambda: fail(ValueError), lambda: done.append(1)]
    for threads in (1, 2, 3):
        with config.threads.using(threads), pytest.raises(KeyError):
            together(tasks)
    assert done == [1, 1, 1]
