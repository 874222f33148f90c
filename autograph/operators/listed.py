"""`x.tolist()` of an array whose length is known only when the graph runs: a list that long."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.forms import Leaf
from autograph.operators.runs import Run
from runtime import journal, ops
from runtime.spec import WEAK_DTYPES, TensorType
from runtime.tensor import Tensor

__all__ = ["grows", "listed"]

_KINDS = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_UNSIGNED = np.dtype(np.uint64)


def grows(x: Tensor) -> bool:
    """Whether `x.tolist()` is a list whose length depends on data."""
    type_ = x.type
    return type_.rank == 1 and type_.shape == (None,) and type_.dtype != _UNSIGNED


def listed(x: Tensor) -> list[Any]:
    """The elements of an array with one axis as Python numbers: a new list."""
    kind = _KINDS[x.dtype.kind]
    dtype = WEAK_DTYPES[kind]
    run = Run(Leaf(TensorType(dtype, (), weak=True)), [ops.astype(x.current(), dtype, copy=True)])
    result: list[Any] = journal.fresh([run])
    return result
