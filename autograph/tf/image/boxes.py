"""Boxes that were found in images."""

from __future__ import annotations

from typing import Any

from autograph.tf.tensors import Tensor, as_tensor
from runtime.ops.signals.boxes import kept_boxes

__all__ = ["non_max_suppression"]


def non_max_suppression(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"), name: str | None = None,
) -> Tensor:  # fmt: skip
    """Which boxes `(y1, x1, y2, x2)` to keep: of those that overlap, the one of the best score.

    Of scores above `score_threshold` at most `max_output_size` are taken, the best first; a box is
    left out if it and one before share more than `iou_threshold` of what both cover.

    >>> import autograph.tf as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 5.0, 1.0, 6.0]]
    >>> tf.image.non_max_suppression(boxes, [0.9, 0.8, 0.7], 3).numpy()
    array([0, 2], dtype=int32)
    """
    limits = map(as_tensor, (max_output_size, iou_threshold, score_threshold))
    return kept_boxes(as_tensor(boxes), as_tensor(scores), *limits)
