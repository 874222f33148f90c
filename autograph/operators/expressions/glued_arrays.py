"""`np.r_[...]` and `np.c_[...]` of what is known only when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.values.carried import type_of
from autograph.operators.values.runs import holds_runs, refusal
from runtime import ops
from runtime.errors import StagingError
from runtime.ops.arrays.grids import line_of, parts_of
from runtime.ops.declaration.operands import content
from runtime.origins import origin_of_caller
from runtime.spec import TensorType, promote
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["GLUES", "glued", "is_glued_by_ops"]

GLUES = frozenset((type(np.r_), type(np.c_)))


def is_glued_by_ops(key: Any) -> bool:
    """Whether a key of `np.r_` or `np.c_` has tensors in it."""
    return any(map(_has_tensor, parts_of(key)))


def _has_tensor(x: Any) -> bool:
    if isinstance(x, slice):
        return any(map(_has_tensor, (x.start, x.stop, x.step)))
    if isinstance(x, (list, tuple)):
        return holds_runs(x) or any(map(_has_tensor, x))
    return isinstance(x, (Tensor, Variable))


def glued(glue: Any, key: Any) -> Any:
    """`glue[key]`: numbers, arrays and ranges that slices stand for, along one axis."""
    axis, rank, place = glue.axis, glue.ndmin, glue.trans1d
    parts: list[Any] = []
    types: list[TensorType] = []
    for item in map(content, parts_of(key)):
        if isinstance(item, str):
            if parts:
                raise ValueError("special directives must be the first entry.")
            axis, rank, place = _directive(item, axis, rank, place)
            continue
        is_number = _is_number(item)
        part = item if is_number else _with_rank(_part(item), rank, place)
        parts.append(part)
        types.append(type_of(part) if is_number else type_of(part).strong())
    dtype = promote(*types).dtype
    return ops.concat([_of_dtype(part, dtype, rank) for part in parts], axis=axis)


def _directive(text: str, axis: int, rank: int, place: int) -> tuple[int, int, int]:
    """What the text in front says: the axis, the least rank, and where new axes are not."""
    if text in ("r", "c"):
        raise StagingError(
            f"`np.r_[{text!r}, ...]` makes a matrix, which a graph does not have",
            "leave the text out, and reshape the result",
            origin=origin_of_caller(),
        )
    given = text.split(",")
    try:
        numbers = [int(part) for part in given]
    except ValueError:
        raise ValueError("unknown special directive") from None
    return (*numbers[:3], *(axis, rank, place)[len(numbers) :])[:3]  # type: ignore[return-value]


def _is_number(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.type.rank == 0 and not item.is_array
    return isinstance(item, (bool, int, float, complex, np.generic))


def _part(item: Any) -> Any:
    """The array that an item of the key stands for."""
    if holds_runs(item):
        raise refusal("it is put together by `np.r_` or `np.c_`", "give `np.array` of it")
    return line_of(item) if isinstance(item, slice) else ops.asarray(item)


def _with_rank(x: Any, rank: int, place: int) -> Any:
    """`x` with new axes in front, or such that its own ones begin at `place`."""
    missing = rank - x.ndim
    if missing <= 0:
        return x
    before = missing if place == -1 else place % (missing + 1)
    behind = tuple(range(-1, -1 - (missing - before), -1))
    return ops.expand_dims(ops.expand_dims(x, behind), tuple(range(before)))


def _of_dtype(x: Any, dtype: np.dtype[Any], rank: int) -> Any:
    made = ops.packed(x, dtype)
    return made if made.ndim else ops.reshape(made, (1,) * rank)
