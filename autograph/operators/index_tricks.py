"""`np.r_[...]`, `np.c_[...]`, `np.mgrid[...]` and `np.ogrid[...]` of traced values.

NumPy makes arrays of what stands in the brackets, and would ask traced values for theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.runs import has_runs
from autograph.operators.templates import has_traced
from runtime import ops
from runtime.building import constant
from runtime.dispatch import no_tensor_form
from runtime.ops.operands import dtype_of, is_number, rank_of, type_of
from runtime.spec import promote
from runtime.tensor import Tensor

__all__ = ["trick_of"]


def trick_of(thing: Any, key: Any) -> Callable[[Any], Any] | None:
    """What makes an array of a key with traced values in it; None for any other thing and key."""
    if type(thing) not in _KINDS:
        return None
    parts = [x for part in _parts(key) for x in (_bounds(part) if type(part) is slice else [part])]
    if not any(has_traced(x) or has_runs(x) for x in parts):
        return None
    return next((made for known, made in _TRICKS if thing is known), None)


def _parts(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def _bounds(part: slice) -> list[Any]:
    return [part.start, part.stop, part.step]


def _joined(key: Any, name: str, rank: int, axis: int) -> Any:
    """The parts of a key one behind the other, each of that rank at least."""
    found = []
    for part in _parts(key):
        if isinstance(part, str):
            raise no_tensor_form(f"np.{name} with a text in its brackets")
        is_alone = is_number(part) or type(part) is slice
        found.append(_line(part) if type(part) is slice else part if is_alone else _array(part))
    dtype = promote(*map(type_of, found)).dtype
    columns = [_of_rank(ops.astype(constant(x), dtype), rank) for x in found]
    return ops.concat(columns, axis=axis)


def _array(part: Any) -> Any:
    return part if isinstance(part, (Tensor, np.ndarray, np.generic)) else constant(part)


def _of_rank(x: Any, rank: int) -> Any:
    """`x` with axes of size 1 behind its own."""
    for axis in range(rank_of(x), rank):
        x = ops.expand_dims(x, axis=axis)
    return x


def _line(part: slice) -> Any:
    """The numbers that a slice in the brackets stands for."""
    start, step = part.start or 0, 1 if part.step is None else part.step
    if isinstance(step, complex):
        return ops.linspace(start, part.stop, int(abs(step)))
    return ops.arange(start, part.stop, step)


def _lines(key: Any) -> list[Any]:
    """The numbers along each axis of a grid, each array long in its own axis only."""
    lines = [_line(part) for part in _parts(key)]
    dtype = np.result_type(*map(dtype_of, lines))
    count = len(lines)
    return [
        ops.reshape(ops.astype(x, dtype), tuple(-1 if i == axis else 1 for i in range(count)))
        for axis, x in enumerate(lines)
    ]


def _open_grid(key: Any) -> Any:
    return tuple(_lines(key)) if type(key) is tuple else _line(key)


def _full_grid(key: Any) -> Any:
    return ops.stack(ops.broadcast_arrays(*_lines(key))) if type(key) is tuple else _line(key)


_TRICKS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (np.r_, lambda key: _joined(key, "r_", 1, 0)),
    (np.c_, lambda key: _joined(key, "c_", 2, -1)),
    (np.mgrid, _full_grid),
    (np.ogrid, _open_grid),
)
_KINDS = tuple(type(thing) for thing, _ in _TRICKS)
