"""In which dtype the compositions compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from runtime import ops
from runtime.dtypes import is_half_or_less, is_narrow
from runtime.ops.declaration.operands import Operand, dtype_of, is_number, is_tensor

__all__ = ["floating", "narrow_kept", "widened"]

Function = TypeVar("Function", bound=Callable[..., Any])


def floating(x: Operand) -> Any:
    """`x` as a tensor, integers and bools as float64: in their own dtype they would wrap around."""
    dtype = dtype_of(x)
    if dtype.kind in "biu":
        return ops.astype(x, np.dtype(np.float64))
    if is_number(x):
        return ops.astype(x, dtype)
    return x if is_tensor(x) else ops.identity(x)


def widened(function: Function) -> Function:
    """`function` of an array, less than single precision computed in it and rounded once."""
    return _in_single(function, is_half_or_less)


def narrow_kept(function: Function) -> Function:
    """As `widened`, for floats that NumPy has not: beside Python's floats they become float32."""
    return _in_single(function, is_narrow)


def _in_single(function: Function, is_less: Callable[[np.dtype[Any]], bool]) -> Function:
    @wraps(function)
    def in_single(x: Operand, *args: Any, **kwargs: Any) -> Any:
        own = dtype_of(x)
        if not is_less(own):
            return function(floating(x), *args, **kwargs)
        result = function(ops.astype(x, np.dtype(np.float32)), *args, **kwargs)
        if isinstance(result, tuple):
            return tuple(ops.astype(r, own) for r in result)
        return ops.astype(result, own)

    return in_single  # type: ignore[return-value]
