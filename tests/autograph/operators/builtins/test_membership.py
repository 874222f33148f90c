"""`in`, and chains of comparisons."""

import numpy as np
import pytest

import autograph as ag
from autograph import operators as ag__
from runtime.errors import StagingError
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_in_a_graph():
    with tracing():
        x = placeholder()
        assert ag__.in_(1, [1]) is True
        for made in (
            ag__.in_(x, [1.0, 2.0]), ag__.in_(x, ag.constant([1.0])), ag__.not_in(x, (3.0,)),
            ag__.in_(x, {1.0: 2, "a": 3}),
        ):  # fmt: skip
            assert not made.is_known and made.dtype == np.bool_
        assert ag__.in_(x, {"a", None}) is False


def test_an_iterator_that_is_searched_is_gone_through_up_to_what_is_found():
    with tracing():
        known = iter([1, 2, 3])
        assert ag__.in_(2, known) is True and list(known) == [3]
        searched = iter([1.0, 2.0])
        assert not ag__.in_(placeholder(), searched).is_known
        with pytest.raises(StagingError, match="which are left is known only when the graph runs"):
            ag__.in_(1.0, searched)


def test_a_chain_of_comparisons():
    asked = []
    assert ag__.compare(1, ("<", lambda: 0), ("<", lambda: asked.append(1))) is False
    assert asked == [] and ag__.compare(1, ("<", lambda: 2), ("in", lambda: [2, 3])) is True
    with tracing():
        x = placeholder()
        assert not ag__.compare(0, ("<", lambda: x), ("is not", lambda: None)).is_known
