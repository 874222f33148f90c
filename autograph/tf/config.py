"""`tf.config`: eager mode, and which devices there are."""

from __future__ import annotations

from typing import NamedTuple

import autograph as ag
from autograph.tf.names import serve
from runtime import config as switches

__all__ = [
    "LogicalDevice",
    "PhysicalDevice",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_soft_device_placement",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_soft_device_placement",
]

run_functions_eagerly = ag.config.run_functions_eagerly
functions_run_eagerly = ag.config.functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device by the name that `tf.device` takes."""

    name: str
    device_type: str


def _devices(device_type: str | None) -> list[tuple[str, str, str]]:
    """Name here, kind and number of each device, of one kind if so asked for."""
    found = []
    for name in ag.list_devices():
        kind, _, number = name.removeprefix("/").partition(":")
        if device_type in (None, kind.upper()):
            found.append((name, kind.upper(), number))
    return found


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of a kind, "CPU" or "GPU", or of any.

    >>> import autograph.tf as tf
    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [PhysicalDevice(f"/physical_device:{k}:{n}", k) for _, k, n in _devices(device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The same by the names that `tf.device` takes.

    >>> import autograph.tf as tf
    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    return [LogicalDevice(f"/device:{k}:{n}", k) for _, k, n in _devices(device_type)]


def set_soft_device_placement(enabled: bool) -> None:
    """Whether `tf.device` takes the CPU where the device that it is told is not there.

    >>> import autograph.tf as tf
    >>> tf.config.set_soft_device_placement(False)
    """
    switches.soft_placement.set(bool(enabled))


def get_soft_device_placement() -> bool:
    """Whether `tf.device` takes the CPU for a device that is not there; False at first.

    >>> import autograph.tf as tf
    >>> tf.config.get_soft_device_placement()
    False
    """
    return switches.soft_placement.value


serve(globals())
