"""Fields of `str.format`."""

import numpy as np
import pytest

from autograph.operators.expressions.text_fields import format_method
from autograph.operators.values.templates import LazyString
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


@pytest.mark.parametrize(
    ("text", "args", "kwargs"),
    [("{} {}", (1, 2), {}), ("{1}{0!r}", (1, "a"), {}), ("{x:>{w}}", (), {"x": 3, "w": 5}),
     ("{0[1]} {0[0].real} {t[k]}", ([2.5, "a"],), {"t": {"k": np.int64(3)}})],
)  # fmt: skip
def test_format_of_known_values(text, args, kwargs):
    assert format_method(text, args, kwargs) == text.format(*args, **kwargs)


def test_traced_values_make_lazy_text():
    with tracing():
        x = placeholder()
        for text, args in (("{} {:.1f}", (1, x)), ("{0[1]}", ([1, x],)), ("{[k]}", ({"k": x},))):
            assert isinstance(format_method(text, args, {}), LazyString)
