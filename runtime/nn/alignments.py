"""Connectionist temporal classification: sequences of labels out of longer ones of predictions.

A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, "Connectionist temporal classification: labelling
unsegmented sequence data with recurrent neural networks", ICML 2006. A path names a class, or the
blank, at each time; its labels are left when repetitions become one and blanks are dropped.
"""

from __future__ import annotations

import math
from typing import Any

from runtime import ops
from runtime.nn.activations import log_softmax
from runtime.nn.rounds import rounds
from runtime.ops.declaration.declare import with_operands
from runtime.ops.declaration.operands import Operand, dtype_of, rank_of, shape_of
from runtime.ops.signals.beams import best_prefixes

__all__ = ["ctc_decode", "ctc_loss"]


@with_operands
def ctc_loss(
    labels: Operand,
    logits: Operand,
    label_length: Operand,
    logit_length: Operand,
    blank_index: int = 0,
) -> Any:
    """Minus the logarithm of the probability of labels, over all paths: one for each of a batch.

    `labels` are class numbers `(batch, labels)`, `logits` are `(batch, time, classes)`, of which
    the first `label_length` and `logit_length` (integers of shape `(batch,)`) count. It is inf for
    labels that no path has. Raises ValueError for other shapes.

    >>> logits = np.log([[[0.5, 0.5], [0.25, 0.75]]])
    >>> np.exp(-ag.nn.ctc_loss(np.array([[1]]), logits, np.array([1]), np.array([2])).numpy())
    array([0.875])
    """
    if (rank_of(labels), rank_of(logits)) != (2, 3):
        raise ValueError(
            "ctc_loss takes labels (batch, labels) and logits (batch, time, classes), not arrays "
            f"of {rank_of(labels)} and {rank_of(logits)} axes"
        )
    logs = log_softmax(logits)
    batch, count = shape_of(labels)
    width, length = 2 * count + 1, ops.expand_dims(label_length, 1)
    # Blanks stand before, between and behind the labels, and for those that do not count.
    known = ops.where(ops.less(ops.arange(count), length), labels, blank_index)
    pairs = ops.stack([ops.full_like(known, blank_index), known], -1)
    states = ops.pad(
        ops.reshape(pairs, (batch, width - 1)), ((0, 0), (0, 1)), constant_values=blank_index
    )
    emitted = ops.take_along_axis(logs, ops.expand_dims(states, 1), -1)
    nothing = dtype_of(logs).type(-math.inf)

    def before(x: Any, by: int, filling: Any) -> Any:
        return ops.getitem(
            ops.pad(x, ((0, 0), (by, 0)), constant_values=filling),
            (slice(None), slice(None, width)),
        )

    # From a label to the next one without a blank between, where these differ.
    may_skip = ops.not_equal(states, blank_index) & ops.not_equal(states, before(states, 2, -1))

    def step(t: Any, paths: Any) -> tuple[Any]:
        found = ops.logaddexp(paths, before(paths, 1, nothing))
        found = ops.logaddexp(found, ops.where(may_skip, before(paths, 2, nothing), nothing))
        is_on = ops.expand_dims(ops.less(t, logit_length), 1)
        return (ops.where(is_on, found + ops.take(emitted, t, 1), paths),)

    # Before the first time all are at the first state, from which the first two are reached.
    begin = ops.where(ops.equal(ops.arange(width), 0), dtype_of(logs).type(0), nothing)
    begin = ops.broadcast_to(begin, (batch, width))
    (paths,) = rounds(shape_of(logits)[1], step, (begin,))
    # At the end they are at the last label or at the blank behind it.
    last = ops.take_along_axis(paths, 2 * length, 1)
    label = ops.take_along_axis(paths, ops.maximum(2 * length - 1, 0), 1)
    label = ops.where(ops.greater(length, 0), label, nothing)
    return -ops.squeeze(ops.logaddexp(last, label), 1)


@with_operands
def ctc_decode(
    logits: Operand,
    logit_length: Operand,
    beam_width: int | None = None,
    top_paths: int = 1,
    merge_repeated: bool = True,
    blank_index: int = 0,
) -> tuple[Any, Any]:
    """The likeliest labels of predictions `(batch, time, classes)`, and their log probabilities.

    Without `beam_width`, the labels of the likeliest path, whose log probability has a gradient;
    with it, the `top_paths` likeliest labels among so many prefixes at each time, summed over
    paths. The first result has the shape `(top_paths, batch, time)`, -1 behind the labels, the
    second `(batch, top_paths)`. Of a path, repetitions stay with `merge_repeated` false. Raises
    ValueError for more paths than there are prefixes, or than the one path.

    >>> logits = np.log([[[0.1, 0.9], [0.9, 0.1], [0.2, 0.8]]])
    >>> labels, logarithms = ag.nn.ctc_decode(logits, np.array([3]))
    >>> labels.tolist(), np.exp(logarithms.numpy()).round(3)
    ([[[1, 1, -1]]], array([[0.648]]))
    """
    if not 1 <= top_paths <= (beam_width or 1):
        raise ValueError(
            f"ctc_decode: {top_paths} paths are asked for, of {beam_width or 1} (`beam_width`)"
        )
    if rank_of(logits) != 3:
        raise ValueError(
            f"ctc_decode takes logits (batch, time, classes), not an array of {rank_of(logits)} "
            "axes"
        )
    logs = log_softmax(logits)
    if beam_width is not None:
        found = best_prefixes(
            logs, logit_length, width=beam_width, count=top_paths, blank=blank_index
        )
        return found[0], found[1]
    best = ops.argmax(logs, axis=-1)
    is_on = ops.less(ops.arange(shape_of(logits)[1]), ops.expand_dims(logit_length, 1))
    is_label = is_on & ops.not_equal(best, blank_index)
    if merge_repeated:
        earlier = ops.pad(best, ((0, 0), (1, 0)), constant_values=-1)
        is_label = is_label & ops.not_equal(best, ops.getitem(earlier, (slice(None), slice(-1))))
    order = ops.argsort(ops.logical_not(is_label), axis=-1)
    labels = ops.take_along_axis(ops.where(is_label, best, -1), order, -1)
    path = ops.where(is_on, ops.max(logs, axis=-1), 0)
    return ops.expand_dims(labels, 0), ops.sum(path, axis=-1, keepdims=True)
