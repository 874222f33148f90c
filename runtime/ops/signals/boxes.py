"""Boxes in images."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.declaration.declare import no_gradient, op
from runtime.ops.declaration.operands import Array, Module, type_of
from runtime.ops.declaration.samples import array
from runtime.spec import TensorType

__all__ = ["kept_boxes"]


def _kept_type(boxes: TensorType, scores: TensorType, *others: TensorType) -> TensorType:
    if boxes.rank != 2 or scores.rank != 1:
        raise ValueError(f"boxes are of two axes, their scores of one, not {boxes} and {scores}")
    for type_ in others:
        if type_.rank != 0:
            raise ValueError(f"a limit is one number, not {type_}")
    for sizes in zip(boxes.shape or (), ((scores.shape or (None,))[0], 4), strict=True):
        if None not in sizes and len(set(sizes)) > 1:
            raise ValueError(f"boxes are four numbers for each score, not {boxes} for {scores}")
    return TensorType(np.dtype(np.int32), (None,))


def _overlaps(box: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> Any:
    """The area that a box shares with others, as a part of what both cover: 0 for none."""
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.maximum(high - np.maximum(box[:2], others[:, :2]), 0).prod(axis=1)
    area, areas = ((b[..., 2:] - b[..., :2]).prod(axis=-1) for b in (box, others))
    is_flat = (area <= 0) | (areas <= 0)
    return np.where(is_flat, 0, shared / np.where(is_flat, 1, area + areas - shared))


@op(
    inputs=5,
    infer=_kept_type,
    vjp=no_gradient,
    raises=lambda types, attrs: not all(t.is_static for t in types[:2]),
    samples=lambda: (
        ((array((5, 4), "f4", low=0), array((5,), "f4", salt=1), 3, 0.1, -np.inf), {}),
        ((array((4, 4)), array((4,), salt=1), np.int32(9), 0.5, 0.0), {}),
        ((np.zeros((0, 4)), np.zeros(0), 2, 0.5, 0.0), {}),
    ),
)
def kept_boxes(
    xp: Module, boxes: Array, scores: Array, most: Array, overlap: Array, least: Array
) -> Array:
    """Which boxes to keep, the best score first: `most` of them, none much over a better one.

    A box is given by two corners, each `(y, x)`. Of scores above `least`, those are left out whose
    box and one that is kept share more than the part `overlap` of what both cover.
    """
    _kept_type(*map(type_of, (boxes, scores, most, overlap, least)))  # sizes that the run tells
    host = [np.asarray(x.get() if hasattr(x, "get") else x) for x in (boxes, scores)]
    corners = host[0].reshape(-1, 2, 2)
    ordered = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    kept: list[int] = []
    for i in np.argsort(-host[1], kind="stable"):
        if len(kept) >= int(most):
            break
        if host[1][i] > least and not (_overlaps(ordered[i], ordered[kept]) > overlap).any():
            kept.append(int(i))
    return xp.asarray(kept, dtype=np.int32)
