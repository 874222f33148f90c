"""Layouts, windows and paddings in the ways in which TensorFlow takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["layout_of", "padding_of", "spatial"]

_LAST = {"NWC", "NHWC", "NDHWC", None}
_FIRST = {"NCW", "NCHW", "NCDHW"}


def layout_of(data_format: str | None) -> str:
    """Where the channels are. Raises ValueError for what is no `data_format`."""
    if data_format not in _LAST | _FIRST:
        raise ValueError(f"data_format is NHWC, NCHW or the like, not {data_format!r}")
    return "channels_first" if data_format in _FIRST else "channels_last"


def spatial(sizes: Any, axes_: int, layout: str, what: str) -> Any:
    """Strides, dilations or sizes of windows for the spatial axes alone."""
    if sizes is None or isinstance(sizes, (int, np.integer)):
        return sizes
    sizes = tuple(int(n) for n in sizes)
    if len(sizes) == 1:
        return sizes[0]
    if len(sizes) == axes_ + 2:
        batch, channel = sizes[0], sizes[1] if layout == "channels_first" else sizes[-1]
        if (batch, channel) != (1, 1):
            raise ValueError(f"{what} of the batch and the channels must be 1, not {sizes}")
        return sizes[2:] if layout == "channels_first" else sizes[1:-1]
    if len(sizes) != axes_:
        raise ValueError(f"{what} has {len(sizes)} numbers for {axes_} spatial axes")
    return sizes


def padding_of(padding: Any, axes_: int, layout: str) -> Any:
    """ "VALID", "SAME", or pairs for each axis, of which the spatial ones count."""
    if isinstance(padding, str):
        return padding.lower()
    pairs = tuple(tuple(int(n) for n in pair) for pair in padding)
    if len(pairs) == axes_ + 2:
        return pairs[2:] if layout == "channels_first" else pairs[1:-1]
    return pairs
