"""Text with holes."""

import numpy as np
import pytest

from autograph.operators.values.templates import (
    dig,
    fill,
    has_traced,
    percent,
    python_type_of,
    shown,
)
from runtime.building import constant
from runtime.structure.templates import LazyString
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

CASES = [
    ("%d items", 3), ("%s and %r", ("a", "b")), ("%5.2f%%", 1.2345), ("%(k)s", {"k": 1}),
    ("no holes", ()), ("%x %o %e", (255, 8, 1.5)), ("%-5s|", "ab"), ("%+d", 2),
]  # fmt: skip


@pytest.mark.parametrize(("text", "values"), CASES)
def test_known_values_are_formatted_as_in_python(text, values):
    assert percent(text, values) == text % values


@pytest.mark.parametrize(
    ("text", "values", "run"),
    [("%d items", 3, 3.7), ("%s and %r", ("a", None), 1.5), ("%5.2f%%", None, 1.2345)],
)
def test_traced_values_are_formatted_when_the_graph_runs(text, values, run):
    with tracing():
        x = placeholder()
        traced = tuple(x if v is None else v for v in values) if isinstance(values, tuple) else x
        made = percent(text, traced)
        operands = []
        template = dig(made, operands)
        plain = tuple(run if v is None else v for v in values) if isinstance(values, tuple) else run
        assert isinstance(made, LazyString) and fill(template, [run]) == text % plain


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [("%s %s", 1, "not enough arguments"), ("%s", (1, 1), "not all arguments converted")],
)
def test_a_wrong_number_of_values_raises_as_in_python(text, values, message):
    with tracing():
        x = placeholder()
        with pytest.raises(TypeError, match=message):
            percent(text, (x,) * len(values) if isinstance(values, tuple) else x)


def test_holes_are_found_in_nests_that_hold_themselves():
    with tracing():
        nest = [1, {"k": placeholder()}]
        assert has_traced(nest) and not has_traced([1, constant(2.0)])
        loop = []
        loop.append(loop)
        assert not has_traced(loop)


def test_a_hole_of_an_array_of_rank_0_is_filled_with_one():
    with tracing():
        operands = []
        parts = dig((placeholder().as_array(), placeholder()), operands)
    array, scalar = fill(parts, [np.float64(1), np.float64(2)])
    assert type(array) is np.ndarray and type(scalar) is np.float64


def test_known_tensors_show_their_values():
    with tracing():
        assert shown(constant(2.5)) == 2.5 and shown("a") == "a"
        types = [
            placeholder("int64", weak=True), placeholder("float32"), placeholder(shape=(2,)),
            placeholder().as_array(),
        ]  # fmt: skip
        assert [*map(python_type_of, types)] == [int, np.float32, np.ndarray, np.ndarray]
