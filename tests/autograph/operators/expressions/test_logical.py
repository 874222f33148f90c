"""`and`, `or`, `not`, and comparisons."""

import itertools

import numpy as np
import pytest

import autograph as ag
from autograph import operators as ag__
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VALUES = [True, False, 0, 3, "", "a", [], [1], None, 1.5, np.float64(0.0)]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(VALUES, repeat=2)))
def test_operators_in_python(a, b):
    for ours, plain in ((ag__.and_(lambda: a, lambda: b), a and b),
                        (ag__.or_(lambda: a, lambda: b), a or b)):  # fmt: skip
        assert ours is plain or (type(ours) is type(plain) and ours == plain)
    assert ag__.not_(a) is (not a)


def test_short_circuit():
    assert ag__.and_(lambda: 0, lambda: 1 / 0) == 0
    assert ag__.or_(lambda: 1, lambda: 1 / 0) == 1
    with pytest.raises(ZeroDivisionError):
        ag__.and_(lambda: 1, lambda: 1 / 0)


def test_graph_meaning():
    with tracing() as facts:
        x = placeholder()
        for made in (
            ag__.and_(lambda: x > 0, lambda: x < 1), ag__.or_(lambda: x > 0, lambda: x < 1),
            ag__.not_(x > 0),
        ):  # fmt: skip
            assert not made.is_known and made.dtype == np.bool_
        assert facts.builder.graph.nodes


def test_known_values_stay_python_in_a_trace():
    with tracing():
        assert ag__.and_(lambda: 1, lambda: "a") == "a" and ag__.not_([]) is True


def test_identity_asks_nothing_of_an_object():
    class Thing:
        def __getattribute__(self, name):
            raise AssertionError(name)

    thing = Thing()
    converted = ag.convert(lambda x: (x is thing, x is not None, x is None, None is x))
    with ag.eager():
        assert converted(thing) == (True, True, False, False)
