"""`sum` of lists of arrays of which data says how many there are."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from runtime.errors import LimitValueError
from tests.language.harness import Samples

POINTS = np.array([[0.0, 1.0], [0.1, 0.9], [5.0, 5.0], [-0.0, 4.9]])
samples = Samples()


@samples("E4", (POINTS,), (POINTS - 4,), (POINTS - 9,))
def mean_of_some(points):
    members = [p for p in points if p[0] > 0]
    if members:
        return sum(members) / len(members)
    return np.zeros(2)


@samples("E4", (POINTS,), (POINTS + 1,))
def other_sums(points):
    found = []
    for p in points:
        if p[1] > 0:
            found.append(p.astype(np.float32))
    return (
        sum(found),
        sum(found, 2),
        sum(found, np.ones(2)),
        sum([p[0] for p in points if p[1] > 1]),
    )


test_sums = samples.test()


def spread(points):
    members = [p * p for p in points if p[0] > 0]
    return (sum(members) ** 2).sum()


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_are_those_of_the_items(backend):
    members = (POINTS[:, :1] > 0) * POINTS**2
    with config.backend.using(backend):
        found = ag.grad(ag.convert(spread))(POINTS)
    wanted = 4 * members.sum(axis=0) * (POINTS[:, :1] > 0) * POINTS
    np.testing.assert_allclose(found, wanted)


def test_the_sum_of_none_is_no_array():
    def total(points):
        try:
            return sum([p for p in points if p[0] > 9])
        except ValueError:
            return np.zeros(2)

    converted = ag.convert(total)
    assert converted(POINTS + 9).tolist() == total(POINTS + 9).tolist()
    with pytest.raises(LimitValueError, match="the sum of no arrays is a number"):
        converted(POINTS)
