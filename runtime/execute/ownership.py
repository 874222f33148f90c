"""When an array may be overwritten: nobody else can ever see it."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

__all__ = ["ALONE", "CONDITION", "may_share"]

# Source of the condition under which generated code may overwrite the array in local {0}: the
# local holds the only reference, and the memory belongs to the array itself and may be written.
CONDITION = "getrefcount({0}) == ALONE and {0}.base is None and {0}.flags.writeable"


def _references_of_a_local() -> int:
    """What `getrefcount` says in a function about an object that only a local of it holds."""
    array = np.empty(1)
    return getrefcount(array)


ALONE = _references_of_a_local()


def may_share(a: Any, b: Any) -> bool:
    """Whether two raw values may be, or look into, the same memory."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return False
    return a is b or np.may_share_memory(a, b)
