"""Which boxes are kept, next to a plain loop."""

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf

CHANCE = np.random.default_rng(3)
CORNERS = CHANCE.uniform(0, 1, (40, 2))
BOXES = np.concatenate([CORNERS, CORNERS + CHANCE.uniform(0.1, 0.6, (40, 2))], 1)
SCORES = CHANCE.uniform(0, 1, 40)


def area(box):
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def plain(boxes, scores, most, overlap, least):
    kept = []
    for i in sorted(range(len(scores)), key=lambda i: -scores[i]):
        if len(kept) < most and scores[i] > least:
            parts = []
            for j in kept:
                both = [*np.maximum(boxes[i][:2], boxes[j][:2])]
                both += [*np.minimum(boxes[i][2:], boxes[j][2:])]
                shared = area(both)
                parts.append(shared / (area(boxes[i]) + area(boxes[j]) - shared))
            if not any(part > overlap for part in parts):
                kept.append(i)
    return kept


@pytest.mark.parametrize("sizes", ["known", "unknown"])
@pytest.mark.parametrize("limits", [(5, 0.5, 0.0), (40, 0.2, 0.4), (40, 0.9, -np.inf), (0, 0.5, 0)])
def test_they_are_those_of_a_plain_loop(limits, sizes):
    def kept(boxes, scores, most, overlap, least):
        return tf.image.non_max_suppression(boxes, scores, most, overlap, least)

    specs = None
    if sizes == "unknown":
        specs = [ag.TensorSpec([None, 4], np.float64), ag.TensorSpec([None], np.float64)]
        specs += [ag.TensorSpec([], np.int64)] + [ag.TensorSpec([], np.float64)] * 2
    staged = ag.convert(kept, input_signature=specs)
    found = staged(BOXES, SCORES, np.int64(limits[0]), *map(np.float64, limits[1:]))
    assert found.tolist() == plain(BOXES, SCORES, *limits)
    turned = staged(
        BOXES[:, [2, 1, 0, 3]], SCORES, np.int64(limits[0]), *map(np.float64, limits[1:])
    )
    assert turned.tolist() == found.tolist()
    if specs:
        none = staged(BOXES[:0], SCORES[:0], np.int64(3), *map(np.float64, limits[1:]))
        assert none.tolist() == []
        with pytest.raises(ValueError, match=r"four numbers for each score, not float64\[40, 4\]"):
            staged(BOXES, SCORES[1:], np.int64(3), *map(np.float64, limits[1:]))


def test_a_box_of_no_size_is_in_nobodys_way():
    boxes = [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
    assert tf.image.non_max_suppression(boxes, [3.0, 2.0, 1.0], 3, 0.0).numpy().tolist() == [
        0,
        1,
        2,
    ]


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="four numbers for each score"):
        tf.image.non_max_suppression(BOXES, SCORES[1:], 3)
    with pytest.raises(ValueError, match="two axes"):
        tf.image.non_max_suppression(SCORES, SCORES, 3)
