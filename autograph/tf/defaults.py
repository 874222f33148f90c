"""The dtypes that Python's numbers have in TensorFlow: int32 and float32 where `ag` has 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ARRAYS", "DEFAULTS", "NUMBERS", "array_of", "dtype_of_number", "dtype_of_weak"]

NUMBERS = (bool, int, float, complex)
ARRAYS = (np.ndarray, np.generic)
DEFAULTS = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int32),
    float: np.dtype(np.float32),
    complex: np.dtype(np.complex128),
}
_OF_WEAK = {"b": np.dtype(np.bool_), "i": DEFAULTS[int], "f": DEFAULTS[float]}


def dtype_of_number(number: Any) -> np.dtype[Any]:
    """The dtype that TensorFlow gives a Python number: int32, int64 where needed, float32.

    >>> dtype_of_number(2), dtype_of_number(2**40), dtype_of_number(0.5)
    (dtype('int32'), dtype('int64'), dtype('float32'))
    """
    if type(number) is int and not -(2**31) <= number < 2**31:
        return np.dtype(np.int64)
    return DEFAULTS[type(number)]


def dtype_of_weak(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that a weak value has once it is an operand: a counter is an int32 then."""
    return _OF_WEAK.get(dtype.kind, dtype)


def array_of(value: Any, dtype: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    """An array of numbers, nested lists or an array; raises TypeError for what holds others."""
    array = np.array(value)
    if array.dtype.kind not in "biufc":
        what = "text" if array.dtype.kind in "US" else f"{type(value).__name__} objects"
        raise TypeError(f"tensors hold numbers, not {what}: {value!r}")
    python = not isinstance(value, ARRAYS) and not _holds_array(value)
    if dtype is None:
        return array.astype(_default(array)) if python else array
    if python and array.dtype.kind in "fc" and dtype.kind in "iub":
        raise TypeError(f"cannot convert {value!r} to a tensor of dtype {dtype}: use tf.cast")
    return array.astype(dtype)


def _holds_array(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_array, value))
    return isinstance(value, ARRAYS)


def _default(array: np.ndarray[Any, Any]) -> np.dtype[Any]:
    """The dtype of an array that was made of Python numbers."""
    if array.dtype.kind == "i":
        info = np.iinfo(np.int32)
        fits = not array.size or (array.min() >= info.min and array.max() <= info.max)
        return np.dtype(np.int32 if fits else np.int64)
    return DEFAULTS[float] if array.dtype.kind == "f" else array.dtype
