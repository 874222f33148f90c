"""`x.tolist()` and `list(x)` of an array of which only the graph knows how long it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.symbolic.forms import Leaf
from autograph.operators.values.runs import Run
from runtime import journal, ops
from runtime.spec import WEAK_DTYPES, TensorType
from runtime.tensor import Tensor

__all__ = ["grows", "is_of_open_length", "listed", "scalars"]

_KINDS = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_UNSIGNED = np.dtype(np.uint64)
# More items than this are not named one by one.
_LONG = 1000


def grows(x: Tensor) -> bool:
    """Whether the list is one whose items are rows of the graph, as where lengths depend on data.

    A graph that names each item of a list would be as long as the list.
    """
    type_ = x.type
    if type_.shape is None or len(type_.shape) != 1 or type_.dtype == _UNSIGNED:
        return False
    (length,) = type_.shape
    return length is None or (length > _LONG and not x.is_known)


def listed(x: Tensor) -> list[Any]:
    """The elements of an array with one axis as Python numbers: a new list."""
    kind = _KINDS[x.type.kind]
    dtype = WEAK_DTYPES[kind]
    return _of(TensorType(dtype, (), weak=True), ops.astype(x.current(), dtype, copy=True))


def is_of_open_length(x: Any) -> bool:
    """Whether `x` is an array of which only the graph knows how many rows it has."""
    shape = x.type.shape if isinstance(x, Tensor) else None
    return shape is not None and shape[:1] == (None,)


def scalars(x: Tensor) -> list[Any]:
    """The elements of an array with one axis as NumPy's scalars: a new list."""
    return _of(TensorType(x.dtype, ()), ops.copy(x.current()))


def _of(type_: TensorType, row: Tensor) -> list[Any]:
    result: list[Any] = journal.fresh([Run(Leaf(type_), [row])])
    return result
