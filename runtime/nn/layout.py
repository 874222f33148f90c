"""Where the channels of an array are."""

from __future__ import annotations

from typing import Any

from runtime import ops
from runtime.ops.declaration.operands import Operand, rank_of

__all__ = ["is_channels_first", "to_channels_last", "to_format"]

_FIRST = {"channels_first", "NCW", "NCHW", "NCDHW"}
_LAST = {"channels_last", "NWC", "NHWC", "NDHWC"}


def is_channels_first(data_format: str) -> bool:
    """Whether axis 1 holds the channels; raises ValueError for an unknown format."""
    if data_format not in _FIRST | _LAST:
        raise ValueError(
            f"data_format must be 'channels_last' or 'channels_first', not {data_format!r}"
        )
    return data_format in _FIRST


def to_channels_last(name: str, x: Operand, axes: int, data_format: str) -> Any:
    """`x` as `(batch, *sizes, channels)` with the given number of spatial axes."""
    first, rank = is_channels_first(data_format), rank_of(x)
    if rank != axes + 2:
        expected = "(batch, channels, *sizes)" if first else "(batch, *sizes, channels)"
        raise ValueError(
            f"{name} needs an array {expected} of {axes + 2} axes, not of {rank}; "
            "give a single example an axis of size 1 in front"
        )
    return ops.moveaxis(x, 1, -1) if first else x


def to_format(x: Operand, data_format: str) -> Any:
    """`x`, which has its channels last, in the given format."""
    return ops.moveaxis(x, -1, 1) if is_channels_first(data_format) else x
