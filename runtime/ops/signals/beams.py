"""Beam search through sequences of predictions, as connectionist temporal classification has it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.devices import host_array
from runtime.ops.declaration.declare import op
from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import array
from runtime.spec import TensorType

__all__ = ["best_prefixes"]


def _types(
    logs: TensorType, lengths: TensorType, width: int, count: int, blank: int
) -> tuple[TensorType, TensorType]:
    batch, time = (None, None) if logs.shape is None else logs.shape[:2]
    labels = TensorType(np.dtype(np.int64), (count, batch, time))
    return labels, TensorType(logs.dtype, (batch, count))


@op(
    inputs=2,
    infer=_types,
    samples=lambda: (
        (
            (array((2, 5, 3), low=-4, high=0), np.array([5, 3])),
            {"width": 4, "count": 2, "blank": 0},
        ),
        ((array((1, 4, 2), "f4", -4, 0), np.array([4])), {"width": 9, "count": 9, "blank": 1}),
        ((array((0, 4, 2)), np.zeros((0,), int)), {"width": 2, "count": 1, "blank": 0}),
    ),
)
def best_prefixes(
    xp: Module, logs: Array, lengths: Array, width: int, count: int, blank: int
) -> tuple[Array, Array]:
    """The `count` likeliest labels for log probabilities `(batch, time, classes)`, best first.

    At each time the `width` likeliest prefixes are kept. Labels are `(count, batch, time)`, -1
    behind them and where there are fewer; log probabilities `(batch, count)`, -inf there.
    """
    own, ends = np.asarray(host_array(logs)), np.asarray(host_array(lengths))
    labels = np.full((count, *own.shape[:2]), -1, np.int64)
    sizes = np.full((own.shape[0], count), -math.inf, own.dtype)
    for item, (rows, end) in enumerate(zip(own, ends, strict=True)):
        beam = _Beam()
        for row in rows[:end]:
            beam.go_on(row.astype(np.float64), width, blank)
        totals = beam.totals()
        for place, i in enumerate(np.argsort(-totals, kind="stable")[:count]):
            labels[place, item, : len(beam.prefixes[i])] = beam.prefixes[i]
            sizes[item, place] = totals[i]
    return (labels, sizes) if xp is np else (xp.asarray(labels), xp.asarray(sizes))


class _Beam:
    """Prefixes, and log probabilities of the paths to them that end with a blank, or not."""

    def __init__(self) -> None:
        self.prefixes: list[tuple[int, ...]] = [()]
        self.ending = np.zeros(1)
        self.going = np.full(1, -math.inf)

    def totals(self) -> Any:
        """Of all paths to each prefix."""
        return np.logaddexp(self.ending, self.going)

    def go_on(self, row: Any, width: int, blank: int) -> None:
        """Take in the log probabilities of the classes at one more time."""
        totals, size = self.totals(), len(self.prefixes)
        last = np.array([p[-1] if p else blank for p in self.prefixes])
        ending, going = totals + row[blank], self.going + row[last]
        longer = totals[:, None] + row
        # A label after itself is one label, but for a blank between.
        longer[np.arange(size), last] = self.ending + row[last]
        longer[:, blank] = -math.inf
        places = {prefix: i for i, prefix in enumerate(self.prefixes)}
        for i, prefix in enumerate(self.prefixes):
            parent = places.get(prefix[:-1]) if prefix else None
            if parent is not None:
                going[i] = np.logaddexp(going[i], longer[parent, prefix[-1]])
                longer[parent, prefix[-1]] = -math.inf
        everything = np.concatenate([np.logaddexp(ending, going), longer.ravel()])
        best = np.argsort(-everything, kind="stable")[:width]
        best = best[everything[best] > -math.inf]
        stay, more = best[best < size], best[best >= size] - size
        old, labels = np.divmod(more, row.size)
        self.prefixes = [self.prefixes[i] for i in stay] + [
            (*self.prefixes[i], int(c)) for i, c in zip(old, labels, strict=True)
        ]
        self.ending = np.concatenate([ending[stay], np.full(more.size, -math.inf)])
        self.going = np.concatenate([going[stay], longer[old, labels]])
