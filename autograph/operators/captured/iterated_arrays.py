"""What `np.nditer` is asked for: refused where a graph does not know the order of the elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.captured.alternatives import trace_root
from runtime import ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["check_iteration"]

_PARAMETERS = ("op", "flags", "op_flags", "op_dtypes", "order", "casting", "op_axes", "itershape",
               "buffersize")  # fmt: skip
_FLAGS = frozenset(
    ("multi_index", "c_index", "f_index", "zerosize_ok", "refs_ok", "copy_if_overlap")
)
_USES = frozenset(("readonly", "readwrite", "writeonly", "allocate", "no_broadcast", "contig",
                   "aligned", "nbo", "overlap_assume_elementwise"))  # fmt: skip


def check_iteration(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise StagingError for a call of `np.nditer` that goes through arrays in ways of its own."""
    given = dict(zip(_PARAMETERS, args, strict=False)) | kwargs
    op = given.get("op")
    operands = list(op) if isinstance(op, (list, tuple)) else [op]
    uses = given.get("op_flags") or ()
    for flag in given.get("flags") or ():
        if flag not in _FLAGS:
            raise _refusal(f"the flag {flag!r}", "go through the elements one by one")
    for use in (uses,) if uses and isinstance(uses[0], str) else uses:
        for flag in use:
            if flag not in _USES:
                raise _refusal(f"the flag {flag!r}", "leave it out")
    for name in ("op_axes", "itershape", "buffersize"):
        if given.get(name):
            raise _refusal(f"`{name}`", "leave it out, and give arrays of that shape")
    for x, dtype in zip(operands, given.get("op_dtypes") or (), strict=False):
        if x is not None and dtype is not None and np.dtype(dtype) != ops.asarray(x).dtype:
            raise _refusal("another dtype than that of an array", "cast it before (`x.astype`)")
    if given.get("order", "K") in ("K", "A"):
        _check_memory([x for x in operands if isinstance(x, Tensor) and x.type.rank != 0])


def _check_memory(operands: list[Tensor]) -> None:
    """Demand that the arrays lie in C order: NumPy goes through them as they lie in memory."""
    shapes = [x.type.shape for x in operands]
    known: list[Any] = [shape for shape in shapes if shape is not None and None not in shape]
    if len(known) < len(shapes) or (known and np.broadcast_shapes(*known) not in known):
        raise _refusal("an order that is up to arrays of several shapes", 'say `order="C"`')
    for x in operands:
        cell = x.cell()
        needed = cell.inputs_in_c_order()
        if needed is None or not all(step.keeps_contiguous() for step in x._chain):
            raise _refusal(
                "the order in which an array lies in memory, which is not known",
                'say `order="C"` for the order of rows',
            )
        root = trace_root()
        root.in_c_order |= needed
        if cell.first in root.graph.inputs:
            root.in_c_order.add(cell.first)


def _refusal(what: str, hint: str) -> StagingError:
    return StagingError(f"`np.nditer` is asked for {what}", hint, origin=origin_of_caller())
