"""`np.mgrid[...]` and `np.ogrid[...]` of traced values.

NumPy makes arrays of what stands in the brackets, and would ask traced values for theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import has_traced
from runtime import ops
from runtime.ops.declaration.operands import dtype_of

__all__ = ["line_of", "trick_of"]


def trick_of(thing: Any, key: Any) -> Callable[[Any], Any] | None:
    """What makes arrays of a key, as the calls that make some do; None for any other thing."""
    if type(thing) not in _KINDS:
        return None
    parts = [x for part in _parts(key) for x in (_bounds(part) if type(part) is slice else [part])]
    if not any(has_traced(x) or has_runs(x) for x in parts):
        return lambda key: _in_graph(thing[key])
    return next((made for known, made in _TRICKS if thing is known), None)


def _in_graph(made: Any) -> Any:
    """Arrays of NumPy's that are new, as those of the graph, which it may write into."""
    return tuple(map(ops.copy, made)) if type(made) is tuple else ops.copy(made)


def _parts(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def _bounds(part: slice) -> list[Any]:
    return [part.start, part.stop, part.step]


def line_of(part: slice) -> Any:
    """The numbers that a slice in the brackets stands for."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, (complex, np.complexfloating)):
        return ops.linspace(start, part.stop, int(abs(complex(step))))
    return ops.arange(start, part.stop, step)


def _lines(key: Any) -> list[Any]:
    """The numbers along each axis of a grid, each array long in its own axis only."""
    lines = [line_of(part) for part in _parts(key)]
    dtype = np.result_type(*map(dtype_of, lines))
    count = len(lines)
    return [
        ops.reshape(ops.astype(x, dtype), tuple(-1 if i == axis else 1 for i in range(count)))
        for axis, x in enumerate(lines)
    ]


def _open_grid(key: Any) -> Any:
    return tuple(_lines(key)) if type(key) is tuple else line_of(key)


def _full_grid(key: Any) -> Any:
    return ops.stack(ops.broadcast_arrays(*_lines(key))) if type(key) is tuple else line_of(key)


_TRICKS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (np.mgrid, _full_grid),
    (np.ogrid, _open_grid),
)
_KINDS = tuple(map(type, (np.mgrid, np.ogrid, np.r_, np.c_)))
