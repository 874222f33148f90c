"""Types and constants as LLVM writes them."""

from __future__ import annotations

import struct

import numpy as np

from runtime.dtypes import dtype_from
from runtime.lowering.kernels.narrow_floats import NARROW
from runtime.lowering.kernels.scalar import is_float, size_in_bytes

__all__ = ["literal", "llvm_type", "memory_type"]

_TYPES = {"b1": "i1", "f2": "half", "f4": "float", "f8": "double", "pair": "{i64, i1}"}


def llvm_type(type_: str) -> str:
    """The type of a value in a register."""
    return _TYPES.get(type_) or f"i{8 * size_in_bytes(type_)}"


def memory_type(type_: str) -> str:
    """The type of a value in memory."""
    return "i8" if type_ == "b1" else llvm_type(type_)


def literal(value: object, type_: str) -> str:
    """A constant."""
    if type_ == "b1":
        return "true" if value else "false"
    if type_ in NARROW:
        bits = np.array(value, dtype_from(type_)).view(f"u{size_in_bytes(type_)}").item()
        return f"0xH{bits:04X}" if type_ == "f2" else str(bits)
    if is_float(type_):
        number = float(np.dtype(type_).type(value))
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    bits = 8 * size_in_bytes(type_)
    number_ = int(value) & ((1 << bits) - 1)  # type: ignore[call-overload]
    return str(number_ - (1 << bits) if number_ >> (bits - 1) else number_)
