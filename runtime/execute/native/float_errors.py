"""What NumPy is set to do about errors of floating point, as native code reads it: `np.errstate`.

The settings are a capsule in a context variable; the capsule points to a mask of three bits for
each kind of error. Native code ignores errors, so it leaves a call to the plan, which is NumPy,
where a setting is more than NumPy's own: raising, calling, printing, logging, and warnings of
underflow.
"""

from __future__ import annotations

import contextvars
import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy._core import umath

__all__ = ["IGNORED", "agrees", "is_served", "name", "usual", "variable"]

_NAME = b"numpy.ufunc.extobj"
_SHIFTS = {"divide": 0, "over": 3, "under": 6, "invalid": 9}
_WARN = 1
# Bits that may be set where native code serves: those of warnings that NumPy gives by itself.
IGNORED = sum(_WARN << shift for kind, shift in _SHIFTS.items() if kind != "under")


def variable() -> Any:
    """The context variable; None where NumPy has it elsewhere."""
    return getattr(umath, "_extobj_contextvar", None)


@cache
def usual() -> Any:
    """The settings where nobody made others; None where they are not known."""
    found = variable()
    return None if found is None else contextvars.Context().run(found.get)


def name() -> int:
    """The address of the name of the capsules."""
    address = ctypes.cast(ctypes.c_char_p(_NAME), ctypes.c_void_p).value
    assert address is not None
    return address


def agrees() -> bool:
    """Whether the settings are where native code looks for them."""
    if not isinstance(variable(), contextvars.ContextVar) or _mask(usual()) != IGNORED:
        return False
    for number, mode in enumerate(("ignore", "warn", "raise", "call", "print", "log")):
        for kind, shift in _SHIFTS.items():
            with np.errstate(all="ignore"), np.errstate(**{kind: mode}):  # type: ignore[arg-type]
                if _mask(variable().get()) != number << shift:
                    return False
    return True


def is_served() -> bool:
    """Whether native code does what the settings say."""
    settings = umath._extobj_contextvar.get()
    return settings is usual() or not (_mask(settings) or 0) & ~IGNORED


def _mask(settings: Any) -> int | None:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        address = pointer(settings, _NAME)
    except ValueError:
        return None
    return None if address is None else ctypes.c_int32.from_address(address).value
