"""Where arrays live: `/cpu:0` is NumPy."""

from __future__ import annotations

__all__ = ["list_devices"]


def list_devices() -> list[str]:
    """Names of the devices that can be used.

    >>> import autograph as ag
    >>> ag.list_devices()
    ['/cpu:0']
    """
    return ["/cpu:0"]
