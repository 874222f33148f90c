"""`with device(...)` as a context: nesting, errors, what it leaves behind."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import autograph as ag
from runtime import devices
from runtime.process import dispatch_flag
from tests.devices.disguised import disguised


@pytest.fixture(autouse=True)
def far_devices():
    with disguised():
        yield


def test_contexts_nest_and_end():
    before = dispatch_flag.count[0]
    assert devices.placement() is None
    with ag.device("/far:0"):
        with ag.device("/far:1") as inner:
            assert devices.placement() == "/far:1" and repr(inner) == "device('/far:1')"
        assert devices.placement() == "/far:0"
        with ag.device(None):
            assert devices.placement() is None
    assert devices.placement() is None and dispatch_flag.count[0] == before


def test_an_error_leaves_nothing_behind():
    used = devices.in_use[0]
    with pytest.raises(ZeroDivisionError), ag.device("/far:0"):
        raise ZeroDivisionError
    assert devices.placement() is None and devices.in_use[0] == used


def test_one_context_serves_several_times():
    there = ag.device("/far:1")
    for _ in range(2):
        with there, there:
            assert ag.zeros(1).device == "/far:1"
    assert ag.zeros(1).device == "/cpu:0"


def test_threads_have_their_own():
    seen = []
    with ag.device("/far:0"):
        thread = threading.Thread(target=lambda: seen.append(ag.zeros(1).device))
        thread.start()
        thread.join()
    assert seen == ["/cpu:0"]


def test_operands_share_a_device():
    assert devices.common_device([], "add") is None
    assert devices.common_device([None, None], "add") is None
    assert devices.common_device(["/far:0", "/far:0"], "add") == "/far:0"
    with pytest.raises(ag.DeviceError, match="the operands of `add` are on /cpu:0 and /far:0"):
        devices.common_device([None, "/far:0"], "add")


def test_within_the_host_context_operands_come_home():
    x = ag.constant(np.arange(3.0)).to("/far:0")
    with ag.device("/cpu:0"):
        assert (x * 2).device == "/cpu:0"
