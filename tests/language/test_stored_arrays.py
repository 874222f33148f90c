"""An array of the caller's that is stored somewhere is that array (S7, S8)."""

from __future__ import annotations

import numpy as np

import autograph as ag


class Box:
    def __init__(self):
        self.value = None
        self.history = []


def keep(box, x):
    box.value = x
    box.history.append(x)
    x[0] = 7.0
    return x.sum()


def test_the_very_array_is_stored():
    converted = ag.convert(keep)
    box = Box()
    for start in (1.0, 2.0):
        x = np.full(3, start)
        assert converted(box, x) == 7 + 2 * start
        assert box.value is x
        assert box.history[-1] is x
        x[1] = -1.0
        assert box.value[1] == -1.0
    assert converted.trace_count == 1
    assert box.history[0] is not box.history[1]


def test_what_the_function_made_is_its_own():
    @ag.convert
    def f(box, x):
        box.value = x * 2
        return x + 1

    box, x = Box(), np.ones(2)
    f(box, x)
    first = box.value
    f(box, x)
    first[0] = 9.0
    np.testing.assert_array_equal(box.value, [2.0, 2.0])


def test_a_constant_is_not_handed_out():
    @ag.convert
    def f(box, x):
        box.value = np.zeros(2)
        return x + 1

    box = Box()
    f(box, 1.0)
    box.value[0] = 5.0
    f(box, 1.0)
    np.testing.assert_array_equal(box.value, [0.0, 0.0])
