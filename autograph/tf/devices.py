"""`tf.device`: where operations are computed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import autograph as ag
from autograph.tf.config import get_soft_device_placement

__all__ = ["device"]

_NAME = re.compile(r"(?:/job:\w+)?(?:/replica:\d+)?(?:/task:\d+)?/?(?:device:)?([A-Za-z]+)(?::(\d+|\*))?")


@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """Compute in this context on a device: "/cpu:0", "GPU:0", "/device:CPU:0".

    Raises RuntimeError for a device that is not there, unless soft placement is on; ValueError for
    what is no name of a device.

    >>> import autograph.tf as tf
    >>> with tf.device("/cpu:0"):
    ...     print(tf.zeros([2]).device)
    /cpu:0
    """
    if device_name is not None:
        _check(str(device_name))
    yield


def _check(name: str) -> None:
    parts = _NAME.fullmatch(name)
    if parts is None or parts[1].lower() not in ("cpu", "gpu"):
        raise ValueError(f"{name!r} is no device; there are {', '.join(ag.list_devices())}")
    wanted = f"/{parts[1].lower()}:{parts[2] if parts[2] not in (None, '*') else 0}"
    if wanted in ag.list_devices() or get_soft_device_placement():
        return
    how = ""
    if wanted.startswith("/gpu"):
        how = (
            " Computing on a GPU needs CuPy: pip install 'autograph-numpy[cuda12]' (or cuda13);"
            " tf.config.set_soft_device_placement(True) takes the CPU instead."
        )
    raise RuntimeError(f"there is no device {wanted}, only {', '.join(ag.list_devices())}.{how}")
