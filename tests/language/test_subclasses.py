"""Arrays of a subclass are refused; what a class holds is older than its instances."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag

M = np.ma.masked_array([1.0, 2.0], [0, 1])
R = np.rec.array([(1.0, 2.0)], dtype=[("a", "f8"), ("b", "f8")])


@pytest.mark.parametrize("array", [M, R])
def test_s1_a_subclass_of_ndarray_is_refused(array):
    with pytest.raises(ag.StagingError, match=r"subclass of ndarray(.|\n)*asarray"):
        ag.convert(lambda x: x * x)(array)


def test_s1_a_captured_subclass_of_ndarray_is_refused():
    with pytest.raises(ag.StagingError, match="subclass of ndarray"):
        ag.convert(lambda x: x + M)(np.ones(2))


class Logged:
    log: list[str] = []

    def __init__(self):
        self.log.append("made")


def test_e2_a_list_of_the_class_is_changed_at_each_call():
    f = ag.convert(lambda x: (Logged(), x * 2)[1])
    Logged.log.clear()
    assert [f(2.0), f(3.0), f(4.0)] == [4.0, 6.0, 8.0]
    assert Logged.log == ["made"] * 3
