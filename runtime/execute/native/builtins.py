"""A compiled address as a builtin function of CPython."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, cast

__all__ = ["builtin"]

_FASTCALL = 0x0080


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Keeper:
    """The `self` of a builtin: what must live as long as it can be called."""

    def __init__(self, *kept: Any) -> None:
        self.kept = kept


@cache
def _new() -> Any:
    function = ctypes.pythonapi.PyCMethod_New
    function.restype = ctypes.py_object
    function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p]
    return function


def builtin(address: int, name: str, *kept: Any) -> Callable[..., Any]:
    """The function at an address, which takes positional arguments; it keeps `kept` alive."""
    definition = _MethodDef(name.encode(), address, _FASTCALL, None)
    keeper = _Keeper(definition, *kept)
    return cast("Callable[..., Any]", _new()(ctypes.addressof(definition), keeper, None, None))
