"""Tests of `runtime.process.dispatch_flag`."""

import threading

import pytest

from runtime.process import dispatch_flag


def test_the_word_is_up_as_long_as_any_context_is_open():
    before = dispatch_flag.count[0]
    with dispatch_flag.raised(), dispatch_flag.raised():
        assert dispatch_flag.count[0] == before + 2
    with pytest.raises(KeyError), dispatch_flag.raised():
        raise KeyError
    assert dispatch_flag.count[0] == before


def test_threads_do_not_lose_a_count():
    before = dispatch_flag.count[0]

    def open_and_close():
        for _ in range(2000):
            dispatch_flag.rise()
            dispatch_flag.lower()

    threads = [threading.Thread(target=open_and_close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dispatch_flag.count[0] == before
