"""Arrays from elsewhere: numbers, nests of them, and the memory of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import trace
from runtime.devices import is_device_array, module_of, resolve
from runtime.dtypes import kind_of
from runtime.ops.arrays.joining import as_operand, has_tensor, of_nest
from runtime.ops.arrays.packing import packed
from runtime.ops.declaration.internal import CONSTANT, identity
from runtime.ops.declaration.operands import Operand, as_dtype, content, is_tensor, type_of
from runtime.ops.elementwise.conversion import astype_
from runtime.ops.elementwise.placement import device_of_operand, to_device

__all__ = ["asarray", "from_dlpack"]

# DLPack's numbers of memory that CUDA reads: of a card, and managed.
_CUDA = (2, 13)


def asarray(
    x: Operand, /, dtype: Any = None, *, device: Any = None, copy: bool | None = None
) -> Any:
    """`x`, a number, a nest of numbers or an array, as a tensor; of another dtype if one is given.

    `copy` false shares the memory of an array with the result, and raises ValueError where that
    cannot be, on another device for one. Else the result is a tensor as it is, or has memory of its
    own.

    >>> ag.asarray([1, 2], dtype=float).numpy()
    array([1., 2.])
    """
    x, target = content(x), None if dtype is None else as_dtype(dtype)
    if not (is_tensor(x) or isinstance(x, (np.ndarray, np.generic)) or is_device_array(x)):
        if copy is False:
            raise ValueError(f"a {type(x).__name__} has no memory to share: leave `copy` out")
        result = _from_nest(x, target)
    elif type_of(x).weak or (target is not None and target != type_of(x).dtype):
        if copy is False:
            raise ValueError(f"{type_of(x)} as {target} cannot share memory: leave `copy` out")
        result = astype_(x, type_of(x).dtype) if target is None else packed(x, target)
    elif copy is not True and is_tensor(x):
        result = x  # an array of rank 0 has no views: only its own name sees what is written
    elif copy is False:
        if not type_of(x).shape:
            raise ValueError("rank 0 cannot share memory: leave `copy` out")
        result = identity(x)
    else:
        result = astype_(x, type_of(x).dtype)
    if copy is False and device is not None and resolve(device) != device_of_operand(result):
        raise ValueError(_elsewhere(result, device))
    return result if device is None else to_device(result, device)


def _from_nest(x: Any, dtype: np.dtype[Any] | None) -> Any:
    """A new tensor with a Python number, or with nested sequences or a buffer of numbers."""
    if dtype is not None and has_tensor(x):
        return of_nest(x, lambda nest: packed(nest, dtype))
    parts = as_operand(x)
    if parts is not x:
        return parts
    array = np.array(x, dtype)
    if kind_of(array.dtype) not in "biufc":
        raise TypeError(f"a tensor cannot hold {array.dtype} values: {x!r}")
    return trace.apply(CONSTANT, (), {"value": array[()]})


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor of an array of another library, by `x.__dlpack__()`; it shares the memory of `x`.

    With `copy`, or for another device, it is a copy. Raises BufferError, as that library does,
    where the memory cannot be shared, and with `copy` false for another device.

    >>> ag.from_dlpack(np.array([1.0, 2.0])).numpy()
    array([1., 2.])
    """
    if is_tensor(x):
        result = x
    else:
        array = x if is_device_array(x) else _module_for(x).from_dlpack(x)
        if copy is False and not array.ndim:
            raise BufferError("rank 0 cannot share memory: leave `copy` out")
        result = identity(array)
    if copy is False and device is not None and resolve(device) != device_of_operand(result):
        raise BufferError(_elsewhere(result, device))
    if copy:
        result = astype_(result, type_of(result).dtype)
    return result if device is None else to_device(result, device)


def _module_for(x: Any) -> Any:
    """The array module that reads what `x` hands out by its `__dlpack__`."""
    kind, number = x.__dlpack_device__()
    return module_of(resolve(f"/gpu:{number}")) if kind in _CUDA else np


def _elsewhere(x: Operand, device: str) -> str:
    return (
        f"memory of {device_of_operand(x)} cannot be shared with {resolve(device)}: "
        "leave `copy` out for a copy"
    )
