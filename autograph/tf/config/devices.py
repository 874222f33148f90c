"""Which devices there are, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import autograph as ag
from runtime import config as switches

__all__ = [
    "LogicalDevice",
    "PhysicalDevice",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_soft_device_placement",
    "set_visible_devices",
]


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


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that are used: all that there are.

    >>> import autograph.tf as tf
    >>> tf.config.get_visible_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return list_physical_devices(device_type)


def set_visible_devices(
    devices: PhysicalDevice | Sequence[PhysicalDevice], device_type: str | None = None
) -> None:
    """Taken where it names all devices of that kind: a process does not hide any.

    Raises ValueError where it would: operations are computed where their operands are, so that a
    device that nothing is put on is not used, and CUDA_VISIBLE_DEVICES hides cards.

    >>> import autograph.tf as tf
    >>> tf.config.set_visible_devices(tf.config.list_physical_devices("CPU"), "CPU")
    """
    wanted = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    there = list_physical_devices(device_type)
    hidden = [d.name for d in there if d not in wanted]
    unknown = [d for d in wanted if d not in there]
    if unknown:
        raise ValueError(f"there is no device {unknown[0]}; there are {there}")
    if hidden:
        raise ValueError(
            f"{', '.join(hidden)} cannot be hidden: put nothing there (`tf.device`), or start the "
            "process with CUDA_VISIBLE_DEVICES"
        )
