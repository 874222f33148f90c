"""`tf.config.experimental`: names that moved up, and what holds anyway."""

from __future__ import annotations

from typing import Any

from autograph.tf.config.devices import (
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_visible_devices,
)
from autograph.tf.names import serve

__all__ = [
    "enable_op_determinism",
    "get_memory_growth",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_memory_growth",
    "set_visible_devices",
]


def enable_op_determinism() -> None:
    """Nothing: results never depend on threads, schedules or the number of the call.

    >>> import autograph.tf as tf
    >>> tf.config.experimental.enable_op_determinism()
    """


def set_memory_growth(device: Any, enable: bool) -> None:
    """Taken: memory of a device is always taken as it is needed.

    Raises ValueError for False, which nothing here can do.

    >>> import autograph.tf as tf
    >>> for gpu in tf.config.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    if not enable:
        raise ValueError("the memory of a device is taken as it is needed, never all at once")


def get_memory_growth(device: Any) -> bool:
    """Whether memory of a device is taken as it is needed: always.

    >>> import autograph.tf as tf
    >>> tf.config.experimental.get_memory_growth(tf.config.list_physical_devices()[0])
    True
    """
    return True


serve(globals())
