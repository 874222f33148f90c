"""In which dtype the compositions compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from runtime import ops
from runtime.ops.operands import Operand, dtype_of, is_number, is_tensor

__all__ = ["floating", "widened"]

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
    """`function` of an array first, with half precision computed in single and rounded once."""

    @wraps(function)
    def in_single(x: Operand, *args: Any, **kwargs: Any) -> Any:
        if dtype_of(x) != np.float16:
            return function(floating(x), *args, **kwargs)
        result = function(ops.astype(x, np.dtype(np.float32)), *args, **kwargs)
        if isinstance(result, tuple):
            return tuple(ops.astype(r, np.dtype(np.float16)) for r in result)
        return ops.astype(result, np.dtype(np.float16))

    return in_single  # type: ignore[return-value]
