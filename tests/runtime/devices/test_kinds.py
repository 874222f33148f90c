"""Names of devices, and what is said of those that are missing."""

from __future__ import annotations

import types

import numpy as np
import pytest

import autograph as ag
from runtime import config, devices
from runtime.devices import kinds
from runtime.devices.cuda import Cuda
from tests.devices.disguised import FarArray, disguised, far


@pytest.mark.parametrize(
    "name", ["/cpu:0", "cpu", "CPU:0", "/CPU:0", "/device:CPU:0",
             "/job:localhost/replica:0/task:0/device:CPU:0"]
)  # fmt: skip
def test_a_device_has_many_names(name):
    assert devices.resolve(name) == "/cpu:0"


@pytest.mark.parametrize("name", ["/tpu:0", "cpu:x", "", 3, None, "/cpu:0/more"])
def test_what_is_no_name_is_a_value_error(name):
    with pytest.raises(ValueError, match="there is no device .*; there are /cpu:0"):
        devices.resolve(name)


class _Card(Cuda):
    """The kind of graphics cards with another CuPy."""

    def __init__(self, xp=None):
        if xp is not None:
            self.xp = xp


class _CUDARuntimeError(RuntimeError):
    pass


def cupy_that(count):
    """A CuPy that finds so many cards; None: no driver."""

    def get_device_count():
        if count is None:
            raise _CUDARuntimeError("cudaErrorInsufficientDriver")
        return count

    runtime = types.SimpleNamespace(
        getDeviceCount=get_device_count, CUDARuntimeError=_CUDARuntimeError
    )
    cuda = types.SimpleNamespace(runtime=runtime)
    return types.SimpleNamespace(cuda=cuda, ndarray=type("ndarray", (), {}))


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (None, "CUDA finds no usable driver or card.*\ncheck with `nvidia-smi`"),
        (0, "there is no CUDA card\ncheck with `nvidia-smi`, and CUDA_VISIBLE_DEVICES"),
        (1, "there are 1 such devices"),
    ],
)
def test_s20_a_missing_card_says_what_is_missing(monkeypatch, count, message):  # A60
    monkeypatch.setitem(kinds._kinds, "gpu", _Card(cupy_that(count)))
    with pytest.raises(ag.DeviceError, match=f"/gpu:1 cannot be used: .*{message}"):
        ag.device("/gpu:1")


def test_s20_without_cupy_the_error_has_the_install_line(monkeypatch):  # A60
    class Nothing(Cuda):
        @property
        def xp(self):
            raise ModuleNotFoundError("No module named 'cupy'")

    monkeypatch.setitem(kinds._kinds, "gpu", Nothing())
    with pytest.raises(ag.DeviceError, match="CuPy is not installed.*\ninstall it: pip install"):
        ag.device("/gpu:0")
    assert ag.list_devices() == ["/cpu:0"]
    with config.soft_placement.using(True), ag.device("/gpu:0"):  # A60
        assert ag.ones(2).device == "/cpu:0"
    with config.soft_placement.using(True):
        assert ag.convert(lambda x: x + 1, device="/gpu:0")(np.ones(1)) == 2.0


def test_cards_are_listed(monkeypatch):
    monkeypatch.setitem(kinds._kinds, "gpu", _Card(cupy_that(2)))
    assert ag.list_devices() == ["/cpu:0", "/gpu:0", "/gpu:1"]
    assert devices.resolve("/GPU:1") == "/gpu:1"


def test_arrays_move_and_say_where_they_are():
    with disguised():
        x = far(np.arange(3), 1)
        assert devices.device_of(x) == "/far:1" and devices.device_of(np.ones(2)) is None
        there = devices.moved(x, "/far:0")
        assert type(there) is FarArray and there.number == 0
        np.testing.assert_array_equal(devices.moved(there, None), [0, 1, 2])
        assert type(devices.moved(far(2.5), None)) is np.float64
        assert devices.copied(x).number == 1
        assert not devices.is_device_array(np.ones(2)) and not devices.is_device_array("text")
        devices.synchronize("/far:0")


def test_kernels_run_with_their_device_as_the_current_one():
    with disguised() as kind:
        zeros = devices.located_kernel(lambda xp: xp.zeros(2), "/far:1")
        assert zeros(kind.xp).number == 1
        assert devices.located_kernel(len, None) is len


def test_a_device_that_is_gone_is_said_to_be():
    with pytest.raises(ag.DeviceError, match="there is no device /far:0"):
        devices.module_of("/far:0")
