"""When an array may be overwritten: nobody else can ever see it."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from runtime.devices import device_of, module_of

__all__ = ["ALONE", "CONDITION", "DEVICE_CONDITION", "may_overlap_itself", "may_share"]

# Source of the condition under which generated code may overwrite the array in local {0}: the
# local holds the only reference, and the memory belongs to the array itself and may be written.
CONDITION = "getrefcount({0}) == ALONE and {0}.base is None and {0}.flags.writeable"
# Likewise for an array of another device, where no array is read-only.
DEVICE_CONDITION = "getrefcount({0}) == ALONE and {0}.base is None"


def _references_of_a_local() -> int:
    """What `getrefcount` says in a function about an object that only a local of it holds."""
    array = np.empty(1)
    return getrefcount(array)


ALONE = _references_of_a_local()


def may_share(a: Any, b: Any) -> bool:
    """Whether two raw values may be, or look into, the same memory."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a is b or np.may_share_memory(a, b)
    device = device_of(a)
    if device is None or device != device_of(b):
        return False
    return a is b or bool(module_of(device).may_share_memory(a, b))


def may_overlap_itself(array: Any) -> bool:
    """Whether two items of an array may lie in the same memory, by its strides."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return False
    steps = sorted((abs(by), n) for by, n in zip(array.strides, array.shape, strict=True) if n > 1)
    end = array.itemsize
    for by, n in steps:
        if by < end:
            return bool(array.size > 0)
        end += by * (n - 1)
    return False
