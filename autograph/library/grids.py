"""Functions of NumPy that call a function of the user's with the indices of a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["fromfunction", "mask_indices"]


def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """What a function makes of the index of each element of an array of that shape."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)


def mask_indices(n: Any, mask_func: Callable[..., Any], k: Any = 0) -> Any:
    """Indices of the elements of an `(n, n)` array that a function such as `np.triu` leaves."""
    return np.nonzero(mask_func(np.ones((n, n), int), k) != 0)
