"""Tests of `runtime.attention`."""

import threading

import pytest

from runtime import attention


def test_the_word_is_up_as_long_as_any_context_is_open():
    before = attention.count[0]
    with attention.raised(), attention.raised():
        assert attention.count[0] == before + 2
    with pytest.raises(KeyError), attention.raised():
        raise KeyError
    assert attention.count[0] == before


def test_threads_do_not_lose_a_count():
    before = attention.count[0]

    def open_and_close():
        for _ in range(2000):
            attention.rise()
            attention.lower()

    threads = [threading.Thread(target=open_and_close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert attention.count[0] == before
