"""A linear map, as a derivative is, applied to many vectors: the rows and columns of Jacobians."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from runtime import ops
from runtime.batching.lanes import Lane, full
from runtime.batching.transform import batch
from runtime.building import Builder, body, building, traced
from runtime.devices import placing_on
from runtime.ops.declaration.operands import type_of
from runtime.spec import TensorType

__all__ = ["for_each", "unfolded", "units"]


def units(type_: TensorType, shape: tuple[int, ...]) -> Any:
    """For each element of an array of this shape, one that is 1 there, along a first axis."""
    count = math.prod(shape)
    with placing_on(type_.device):
        return ops.reshape(ops.eye(count, dtype=type_.dtype), (count, *shape))


def unfolded(rows: Any, shape: tuple[int, ...], axis: int) -> Any:
    """Rows, one for each element of `shape`, with these axes in the place of `axis`."""
    if rows is None:
        return None
    sizes, axis = tuple(rows.shape), axis % len(rows.shape)
    return ops.reshape(rows, (*sizes[:axis], *shape, *sizes[axis + 1 :]))


def for_each(vectors: Any, apply: Callable[[Any], list[Any]]) -> list[Any]:
    """What `apply` gives for each vector along axis 0, stacked; None where it gives None.

    In a graph `apply` is traced once, and computed for all vectors together, so that the graph is
    as large for many as for few.
    """
    parent = building()
    if parent is not None:
        return _together(parent, vectors, apply)
    count = vectors.shape[0]
    if count == 0:  # of which there is one to tell the shapes
        vectors = ops.zeros((1, *vectors.shape[1:]), dtype=vectors.dtype)
    columns = zip(*map(apply, vectors), strict=True)
    return [None if any(x is None for x in c) else ops.stack(c)[:count] for c in columns]


def _together(parent: Builder, vectors: Any, apply: Callable[[Any], list[Any]]) -> list[Any]:
    type_ = type_of(vectors)
    assert type_.shape is not None
    count = type_.shape[0]
    with body("row", parent) as builder:
        vector = builder.input(TensorType(type_.dtype, type_.shape[1:], device=type_.device))
        found = apply(traced(vector))
        builder.graph.outputs = [builder.value_of(x) for x in found if x is not None]
    captured = builder.captured()
    builder.graph.inputs = [vector, *(inner for _, inner in captured)]
    lanes = [Lane(vectors, True, vector.type)]
    lanes += [Lane(traced(outer), False, inner.type) for outer, inner in captured]
    with placing_on(type_.device):
        rows = iter(batch(count, builder.graph, lanes))
        return [None if x is None else full(next(rows), count) for x in found]
