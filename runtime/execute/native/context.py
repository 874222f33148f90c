"""The context of native code: all that it knows of the process, behind one pointer.

Its text holds no address, so compiled code can be kept and used by another process. A context is
a row of words: first those of the process (functions of CPython and NumPy, types, singletons),
then those of the one graph (what to call where it cannot go on, and the error slot).
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from runtime.execute.native import float_errors
from runtime.execute.native.samplers import NAMES, OWN

__all__ = ["HEAP", "OWN_SAMPLER", "PART", "SAMPLER", "SLOT", "WORDS", "Context", "word"]

_PYTHON = (
    "PyObject_Vectorcall",
    "PyLong_FromLongLong",
    "PyLong_AsLongLong",
    "PyFloat_FromDouble",
    "PyComplex_FromDoubles",
    "PyErr_Occurred",
    "PyErr_Clear",
    "PyErr_CheckSignals",
    "PyErr_Fetch",
    "PyErr_Restore",
    "PyErr_NormalizeException",
    "PyErr_NoMemory",
    "PyContextVar_Get",
    "PyCapsule_GetPointer",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyTuple_New",
    "PyDict_GetItemWithError",
    "PyDict_SetItem",
    "PyDict_Next",
    "PyWeakref_GetObject",
    "PyObject_GenericGetAttr",
    "PyObject_GetAttr",
    "_PyObject_GetDictPtr",
    "PyObject_GetItem",
    "PyObject_CallNoArgs",
    "PyErr_ExceptionMatches",
    "Py_IncRef",
    "Py_DecRef",
    "PyMem_RawMalloc",
    "PyMem_RawFree",
)
# Positions in the table of NumPy's C interface, which never change.
_NUMPY = {
    "PyArray_Scalar": 60, "PyArray_NewCopy": 85, "PyArray_New": 93, "PyDataMem_SetHandler": 304,
}  # fmt: skip
_KINDS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
_OBJECTS: dict[str, Any] = {
    "None": None,
    "True": True,
    "False": False,
    "int": int,
    "float": float,
    "complex": complex,
    "Exception": Exception,
    "ndarray": np.ndarray,
    **{f"type.{kind}": np.dtype(kind).type for kind in _KINDS},
    **{f"dtype.{kind}": np.dtype(kind) for kind in _KINDS},
    "errors": float_errors.variable(),
    "errors.usual": float_errors.usual(),
}
WORDS = (*_PYTHON, *_NUMPY, *_OBJECTS, "errors.name")
# Words of the graph: what it calls, by name; functions of machine code; its signature.
HANDLERS = ("fallback", "failed", "failed_alone", "interrupted", "miss")
CODE = (
    "kernel", "shapes", "poll", "parallel", "pool",
    "obtain", "enlarge", "release", "blocks", "memory", "call_out", "outside", *NAMES, *OWN,
)  # fmt: skip
SIGNATURE = (
    "parameters", "parameters.sizes", "parameters.count", "sizes.count",
    "results", "results.sizes", "results.count", "dims.count",
)  # fmt: skip
# Operands of the error slot.
SLOT = 32
# So begin the names of functions that threads call, of memory that is on the heap, and of bits of
# NumPy's generators.
PART, HEAP, SAMPLER, OWN_SAMPLER = "@part", "%heap", "%bits", "%own.bits"
_POSITIONS = {name: k for k, name in enumerate((*WORDS, *HANDLERS, *CODE, *SIGNATURE, "slot"))}


def word(name: str) -> int:
    """The position of a word of the context."""
    return _POSITIONS[name]


@cache
def _of_the_process() -> tuple[int, ...]:
    python = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in _PYTHON]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = pointer(_multiarray_umath._ARRAY_API, None)
    assert table is not None
    numpy = [ctypes.c_size_t.from_address(table + 8 * k).value for k in _NUMPY.values()]
    objects = [id(thing) for thing in _OBJECTS.values()]
    return (*(f.value or 0 for f in python), *numpy, *objects, float_errors.name())


class Context:
    """The context of one graph; it keeps what its words point to."""

    def __init__(
        self,
        handlers: dict[str, Any],
        code: dict[str, int],
        signature: dict[str, Any],
        constants: Sequence[np.ndarray[Any, Any]] = (),
    ) -> None:
        self._kept = handlers, signature, constants
        words = [
            *_of_the_process(),
            *(id(handlers[name]) for name in HANDLERS),
            *(code.get(name, 0) for name in CODE),
            *(_as_word(signature[name]) for name in SIGNATURE),
            *[0] * SLOT,
            *(array.ctypes.data for array in constants),
        ]
        self._words = (ctypes.c_uint64 * len(words))(*words)

    @classmethod
    def of_the_process(
        cls, code: Mapping[str, int], miss: object = None
    ) -> ctypes.Array[ctypes.c_uint64]:
        """A context for functions that belong to no graph; of the words of one, they know `miss`.

        That lives as long as the process.
        """
        handlers = [0] * len(HANDLERS)
        handlers[HANDLERS.index("miss")] = id(miss)
        words = [*_of_the_process(), *handlers, *map(code.get, CODE, itertools.repeat(0))]
        return (ctypes.c_uint64 * len(words))(*words)

    @property
    def address(self) -> int:
        """Where it is."""
        return ctypes.addressof(self._words)

    def operands(self, count: int) -> list[bytes]:
        """The first operands in the error slot, eight bytes each."""
        at = self.address + 8 * word("slot")
        return [ctypes.string_at(at + 8 * k, 8) for k in range(count)]


def _as_word(part: Any) -> int:
    return part if isinstance(part, int) else ctypes.addressof(part)
