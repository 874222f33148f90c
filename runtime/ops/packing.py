"""Numbers put into an array of integers as NumPy puts them there: a Python number must fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.conversion import astype
from runtime.ops.creation import full
from runtime.ops.internal import as_weak
from runtime.ops.joining import has_tensor, stack
from runtime.ops.operands import Operand, content, is_tensor, type_of
from runtime.spec import TensorType

__all__ = ["must_fit", "packed"]


def packed(x: Operand, dtype: np.dtype[Any], *, is_item: bool = False) -> Any:
    """A number, an array or a nest of them as an array of `dtype`; `is_item` in a nest.

    Raises OverflowError where a Python number does not fit into integers, ValueError for nan; so do
    NumPy's numbers in a nest, for signed integers.

    >>> ag.packed([1, 2.5], np.dtype("u1")).tolist()
    [1, 2]
    """
    x = content(x)
    if isinstance(x, (list, tuple)) and has_tensor(x):
        return stack([packed(part, dtype, is_item=True) for part in x])
    if not is_tensor(x):
        return np.array([x], dtype)[0] if is_item else np.array(x, dtype)
    if must_fit(type_of(x), dtype, is_item=is_item and not x.is_array):
        return full((), as_weak(x, kind="int"), dtype)
    return astype(x, dtype)


def must_fit(own: TensorType, dtype: np.dtype[Any], *, is_item: bool = True) -> bool:
    """Whether NumPy raises for a number of type `own` that does not fit into `dtype`."""
    if own.rank != 0 or dtype.kind not in "iu" or own.dtype.kind not in "iuf":
        return False
    is_asked = own.weak or (is_item and dtype.kind == "i")
    return is_asked and not np.can_cast(own.dtype, dtype)
