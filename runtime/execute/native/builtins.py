"""A compiled address as a builtin function of CPython."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

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


class _Address(np.uint64):
    """The `self` of a builtin: an address, with what must live as long as it is used.

    The entry finds the address where NumPy keeps the value of a scalar.
    """

    kept: tuple[Any, ...]


@cache
def _new() -> Any:
    function = ctypes.pythonapi.PyCMethod_New
    function.restype = ctypes.py_object
    function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p]
    return function


@cache
def _definition(name: str, address: int) -> _MethodDef:
    """What a builtin is made of, for ever.

    CPython reads it when the builtin dies. In a cycle, the collector may clear its `self` before.
    """
    return _MethodDef(name.encode(), address, _FASTCALL, None)


def builtin(address: int, name: str, context: int, *kept: Any) -> Callable[..., Any]:
    """The entry at an address for the graph of a context, as a function of positional arguments."""
    definition = _definition(name, address)
    self = _Address(context)
    self.kept = kept
    made: Callable[..., Any] = _new()(ctypes.addressof(definition), self, None, None)
    return made
