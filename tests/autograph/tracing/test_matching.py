"""Which trace serves which arguments."""

import numpy as np
import pytest

import autograph as ag
from autograph.tracing import matching
from autograph.tracing.signature import IntPolicy, classify


def arguments(*values):
    policy = IntPolicy(inputs=set(), fixed=set(), seen={})
    return classify({f"x{i}": value for i, value in enumerate(values)}, policy)


def spec(*shape):
    return ag.TensorSpec(shape, "float64")


def test_a_trace_serves_its_own_arguments():
    mine = arguments(np.zeros((2, 3)), 1.5, "a")
    assert matching.accepts(mine, False, arguments(np.ones((2, 3)), 2.5, "a"))
    for other in (
        arguments(np.ones((2, 4)), 2.5, "a"), arguments(np.ones((2, 3)), 2.5, "b"),
        arguments(np.ones((2, 3), int), 2.5, "a"), arguments(np.ones((2, 3)), 2.5),
        arguments(np.ones((2, 3)), np.float64(2.5), "a"),
    ):  # fmt: skip
        assert not matching.accepts(mine, False, other)


@pytest.mark.parametrize(("size", "relaxed"), [(0, False), (1, False), (2, True), (9, True)])
def test_a_relaxed_dimension_stands_for_two_and_more(size, relaxed):
    mine, given = arguments(spec(None)), arguments(ag.constant(np.zeros(size)))
    assert matching.accepts(mine, True, given) is relaxed
    assert matching.accepts(mine, False, given)


def test_the_more_specific_trace_has_fewer_open_dimensions():
    several = [arguments(spec(2, 3)), arguments(spec(None, 3)), arguments(spec(None, None))]
    assert [*map(matching.unknown_dimensions, several)] == [0, 1, 2]
    assert [*map(matching.is_general, several)] == [False, True, True]


def test_keys_merge_where_sizes_differ():
    a, b = arguments(np.zeros((2, 3))), arguments(np.zeros((4, 3)))
    (key,) = matching.merge_keys(a, b)
    assert key == (np.dtype("f8"), (None, 3))
    assert matching.merge_keys(a, arguments(np.zeros((1, 3)))) is None
    assert matching.merge_keys(a, arguments(np.zeros(3))) is None
    assert matching.merge_keys(a, arguments(np.zeros((4, 3), int))) is None


def test_a_value_conforms_to_its_spec_or_is_refused():
    declared = ag.TensorSpec([None], "float32")
    assert matching.conform_leaf([1, 2], declared, "x", "f").dtype == np.float32
    given = np.zeros(3, np.float32)
    assert matching.conform_leaf(given, declared, "x", "f") is given
    with pytest.raises(TypeError, match=r"f: `x` must be float32\[\?\] by its input_signature"):
        matching.conform_leaf(np.zeros((2, 2), np.float32), declared, "x", "f")
    with pytest.raises(TypeError, match="f: `x` must be"):
        matching.conform_leaf([1j], declared, "x", "f")
