"""Tests of `runtime.process.collector`."""

import gc
import os
import threading

import pytest

from runtime.process.collector import FEW, Rarely, rarely


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    gc.set_threshold(500, 7, 8)
    yield (500, 7, 8)
    gc.set_threshold(*before)


def test_collections_are_far_apart_inside_and_as_before_after(thresholds):
    with rarely:
        assert gc.get_threshold() == (FEW, 7, 8)
        with rarely:
            assert gc.get_threshold()[0] == FEW
        assert gc.get_threshold()[0] == FEW
    assert gc.get_threshold() == thresholds


def test_an_error_ends_it(thresholds):
    with pytest.raises(KeyError), rarely:
        raise KeyError
    assert gc.get_threshold() == thresholds


def test_the_last_of_several_threads_ends_it(thresholds):
    inside, go = threading.Event(), threading.Event()

    def stay():
        with rarely:
            inside.set()
            go.wait(10)

    thread = threading.Thread(target=stay)
    with rarely:
        thread.start()
        assert inside.wait(10)
    assert gc.get_threshold()[0] == FEW
    go.set()
    thread.join()
    assert gc.get_threshold() == thresholds


@pytest.mark.parametrize("users", [(0, 5, 5), (FEW * 2, 5, 5)])
def test_collections_that_the_user_stopped_or_made_rare_stay_so(users):
    gc.set_threshold(*users)
    with rarely:
        assert gc.get_threshold() == users
    assert gc.get_threshold() == users


def test_what_is_set_meanwhile_stays():
    with rarely:
        gc.set_threshold(900, 9, 9)
    assert gc.get_threshold() == (900, 9, 9)


def test_garbage_is_still_collected(monkeypatch):
    monkeypatch.setattr("runtime.process.collector.FEW", 1_000)
    before = gc.get_stats()[0]["collections"]
    with Rarely():
        kept = [[i] for i in range(5_000)]
    assert gc.get_stats()[0]["collections"] > before
    assert len(kept) == 5_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_that_is_forked_meanwhile_collects_as_before(thresholds):
    with rarely:
        child = os.fork()
        if child == 0:
            os._exit(0 if gc.get_threshold() == thresholds else 1)
    assert os.waitpid(child, 0)[1] == 0
