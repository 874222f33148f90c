"""Arrays that NumPy makes while tracing, and that are no part of the graph.

They hold text, dates, records or objects. A graph can hand them on, and would not see a write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.operators.captured.variables import Standing
from autograph.operators.values.templates import has_traced
from runtime import journal
from runtime.array_methods import check_class
from runtime.building import building, memory_of
from runtime.dtypes import kind_of
from runtime.errors import HostCallError, StagingError
from runtime.origins import origin_of_caller

__all__ = ["check_made", "note_call", "note_foreign", "note_method"]

# What writes into the array whose method it is, or that it is given first.
_METHODS = frozenset(
    ("byteswap", "fill", "partition", "put", "resize", "setfield", "setflags", "sort")
)
_FUNCTIONS = frozenset(
    (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
)


def note_foreign(thing: Any) -> None:
    """Note the write of an array that is no part of the graph, which would not see it."""
    builder = building()
    if builder is None or not isinstance(thing, np.ndarray):
        return
    memory = memory_of(thing)
    if id(memory) in builder.root.rewritten:
        return
    error = StagingError(
        "an array that code outside of the conversion made while tracing is written here, and the "
        "graph that uses it would not see the write",
        "copy it first (`a = np.array(a)`), or make the array in converted code",
        origin=origin_of_caller(),
    )
    builder.root.rewritten[id(memory)] = (memory, error)


def note_method(owner: Any, name: str) -> None:
    """Note what a method of an array writes."""
    if name in _METHODS:
        note_foreign(owner)


def note_call(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Note what a function of NumPy, or a method of a ufunc, writes."""
    is_at = getattr(function, "__name__", None) == "at"
    if args and (is_at or function in _FUNCTIONS):
        note_foreign(args[0])
    out = kwargs.get("out")
    for written in out if isinstance(out, tuple) else (out,):
        note_foreign(written)


def check_made(made: np.ndarray[Any, Any]) -> None:
    """Raise StagingError for a new array that is no plain one, or whose memory others write."""
    memory = memory_of(made)
    buffer: Any = memory.base
    try:
        check_class(type(made), "what this gives")
        if kind_of(memory.dtype) not in "biufc":
            _refuse_shared(f"an array of dtype {memory.dtype}")
        elif type(buffer) is memoryview and not buffer.readonly:
            _refuse_shared(f"an object ({type(buffer.obj).__name__})")
    except StagingError as refused:
        error = HostCallError(refused.what, refused.hint, origin=origin_of_caller())
        builder = building()
        error.staged = builder is None or bool(builder.root.graph.inputs)
        raise error from None


def refuse_made(array: np.ndarray[Any, Any]) -> None:
    """Refuse an array of objects that the trace made: each call of the graph makes others.

    So is one of what stands for a value of the graph.
    """
    if any(journal.is_made(x) or has_traced(x) or isinstance(x, Standing) for x in array.flat):
        raise StagingError(
            "an array of objects that the function makes is no part of a graph",
            "keep them in a list",
            origin=origin_of_caller(),
        )


def _refuse_shared(owner: str) -> None:
    raise StagingError(
        f"what this gives shares memory with {owner}, of which a graph would see no write",
        "copy it (`np.array(...)`)",
    )
