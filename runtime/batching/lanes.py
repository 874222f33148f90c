"""Values of a batched function: one tensor for all lanes, the lanes along its first axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runtime import ops
from runtime.ops.declaration.operands import shape_of
from runtime.spec import TensorType, Type, promote

__all__ = ["Lane", "Uneven", "adapted", "aligned", "full", "lane_type", "moved"]


class Uneven(Exception):
    """Lanes cannot be computed in one step here; they are computed one after the other."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A value of the function as traced for one lane, and the tensor that holds it.

    `type` is what one lane is. A batched tensor has the lanes along axis 0; otherwise all lanes
    share the one value. Python numbers that differ from lane to lane are strong elements.
    """

    tensor: Any
    batched: bool
    type: Type

    @property
    def rank(self) -> int:
        """Number of axes of one lane; raises Uneven when it is not known."""
        rank = lane_type(self).rank
        if rank is None:
            raise Uneven
        return rank

    @property
    def is_weak(self) -> bool:
        """Whether one lane is a Python number."""
        return isinstance(self.type, TensorType) and self.type.weak


def lane_type(lane: Lane) -> TensorType:
    """Type of one lane; raises Uneven for what is not an array."""
    if not isinstance(lane.type, TensorType):
        raise Uneven
    return lane.type


def aligned(lane: Lane, rank: int) -> Any:
    """The tensor, made to broadcast with others whose lanes have `rank` axes."""
    missing = rank - lane.rank
    if not lane.batched or missing <= 0:
        return lane.tensor
    return ops.expand_dims(lane.tensor, tuple(range(1, 1 + missing)))


def adapted(lane: Lane, others: Sequence[Lane]) -> Lane:
    """`lane` with the dtype that a Python number takes on beside the others (NEP 50)."""
    if not (lane.batched and lane.is_weak):
        return lane
    common = promote(*(lane_type(x) for x in others))
    dtype = lane_type(lane).dtype if common.weak else common.dtype
    return Lane(ops.astype(lane.tensor, dtype), True, TensorType(dtype, ()))


def full(lane: Lane, size: Any) -> Any:
    """The tensor with the lanes along axis 0, repeated if they share one value."""
    if lane.batched:
        return lane.tensor
    dtype = lane_type(lane).dtype
    x = ops.astype(lane.tensor, dtype) if lane.is_weak else lane.tensor
    return ops.broadcast_to(x, (size, *shape_of(x)))


def moved(x: Any, axes: Sequence[int]) -> Any:
    """`x` with its axes in this order."""
    order = tuple(axes)
    return x if order == tuple(range(len(order))) else ops.permute_dims(x, order)
