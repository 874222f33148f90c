"""Several traces of one key of arguments: how many are made, kept, and which one serves a call."""

import gc
import weakref

import numpy as np
import pytest

import autograph as ag

X = np.arange(4.0)


class Model:
    """What the functions read."""

    def __init__(self):
        self.training, self.mode, self.shift, self.rate = True, "a", None, 0.5
        self.w = np.ones(4)
        self.act = np.sin


def by_flag(m, x):
    return x * m.w if m.training else x + m.w


def by_mode(m, x):
    return x * 2 if m.mode == "a" else x + 3 if m.mode == "b" else x - m.w


def by_shift(m, x):
    return x if m.shift is None else x * m.shift


def by_dtype(m, x):
    return x * m.w


def by_rate(m, x):
    return x * m.rate if m.training else x + m.rate


def by_function(m, x):
    return m.act(x) + 1


def double(x):
    return x * 2


def halve(x):
    return x / 2


# What is written before call i, and how many traces ten calls cost.
STATES = {
    "a flag": (by_flag, lambda m, i: {"training": i % 2 == 0}, 2),
    "a text": (by_mode, lambda m, i: {"mode": "abc"[i % 3]}, 3),
    "None or an array": (by_shift, lambda m, i: {"shift": [None, X][i % 2]}, 2),
    "dtypes": (by_dtype, lambda m, i: {"w": np.ones(4, ["f4", "f8"][i % 2])}, 2),
    "a function": (by_function, lambda m, i: {"act": [double, halve][i % 2]}, 2),
    # A number of which a second value comes is an input: of each state, another trace.
    "a flag and numbers": (by_rate, lambda m, i: {"training": i % 4 < 2, "rate": i * 0.5}, 3),
}


@pytest.mark.parametrize("is_captured", [True, False], ids=["captured", "argument"])
@pytest.mark.parametrize(("function", "state", "count"), STATES.values(), ids=STATES)
def test_each_state_is_traced_once(function, state, count, is_captured):
    m = Model()
    f = ag.convert((lambda x: function(m, x)) if is_captured else function)
    for i in range(10):
        vars(m).update(state(m, i))
        found = f(X) if is_captured else f(m, X)
        np.testing.assert_array_equal(found, function(m, X), strict=True)
    assert f.trace_count == count
    with ag.no_retrace():
        for i in range(10):
            vars(m).update(state(m, i))
            f(X) if is_captured else f(m, X)


def test_states_are_bounded_and_the_least_used_goes():
    m = Model()
    f = ag.convert(lambda x: x * len(m.mode) if m.training else x)
    for i in range(40):
        m.mode = "-" * i
        f(X)
        m.mode = ""
        assert f(X)[1] == 0
    assert f.trace_count <= 43
    assert f.cache_info()["size"] == 16


def test_what_was_replaced_is_not_kept_alive():
    class Items(list):
        pass

    m = Model()
    f = ag.convert(lambda x: x * m.items[0])
    seen = []
    for i in range(4):
        m.items = Items([X + i])
        seen.append(weakref.ref(m.items))
        f(X)
    gc.collect()
    assert [reference() is not None for reference in seen] == [False, False, False, True]


def test_a_trace_of_an_old_number_goes_when_the_number_is_an_input():
    m = Model()
    f = ag.convert(lambda x: x * m.rate)
    for m.rate in (1.0, 2.0, 3.0):
        f(X)
    assert f.trace_count == 2
    assert len(f.traces()) == 1
