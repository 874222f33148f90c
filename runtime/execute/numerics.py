"""Finds the operation that makes the first nan or infinity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from runtime.devices import host_array, is_device_array
from runtime.dtypes import kind_of
from runtime.graph.ir import Op

__all__ = ["refuse_new_nonfinite"]


def refuse_new_nonfinite(op: Op, operands: Iterable[Any], results: Iterable[Any]) -> None:
    """Raise FloatingPointError where results have a nan or infinity and no operand has.

    An operation without operands, such as a constant, may give one: it is what the user wrote.
    """
    given = list(operands)
    if given and not all(map(_is_finite, results)) and all(map(_is_finite, given)):
        raise FloatingPointError(f"`{op.name}` gave a nan or infinity, of operands without any")


def _is_finite(x: Any) -> bool:
    if is_device_array(x):
        x = host_array(x)
    if not isinstance(x, (np.ndarray, np.generic, float, complex)):
        return True
    array = np.asarray(x)
    return kind_of(array.dtype) not in "fc" or bool(np.isfinite(array).all())
