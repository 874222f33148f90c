"""Distinct parts along an axis; the rest is in the generic suite."""

import numpy as np
import pytest

import autograph as ag

ROWS = np.array([[3.0, 1.0], [0.5, 1.0], [3.0, 1.0], [0.5, -1.0]])


def distinct(x):
    values, first, inverse, counts = np.unique(x, True, True, True, axis=0)
    return values * 2, first, inverse, counts, np.unique(x, axis=-1), values[inverse]


def assert_equal(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


def test_rows_in_a_graph_of_unknown_sizes(tmp_path):
    staged = ag.convert(distinct, input_signature=[ag.TensorSpec([None, None])])
    ag.save(staged, tmp_path / "f.agz")
    for way in (staged, ag.load(tmp_path / "f.agz")):
        for x in (ROWS, ROWS[:1], ROWS.T, np.array([[np.nan, 1.0], [np.nan, 1.0]])):
            assert_equal(way(x), distinct(x))
    assert staged.trace_count == 1


def test_the_gradient_goes_to_the_first_of_equal_rows():
    def function(x):
        return (np.unique(x, axis=0) ** 2).sum()

    expected = 2 * ROWS * np.array([[1], [1], [0], [1]])
    for way in (function, ag.convert(function)):
        np.testing.assert_array_equal(ag.grad(way)(ROWS), expected)


def test_an_axis_that_is_not_there_raises():
    for axis in (2, -3):
        with pytest.raises(np.exceptions.AxisError):
            ag.convert(lambda x, axis=axis: np.unique(x, axis=axis))(ROWS)


def test_the_largest_elements_come_first():
    x = np.array([[2.0, 5.0, 5.0, 1.0], [np.nan, 0.0, 7.0, 7.0]])
    for way in (ag.top_k, ag.convert(ag.top_k, input_signature=None)):
        found = way(x, 3)
        np.testing.assert_array_equal(found.indices, [[1, 2, 0], [0, 2, 3]])
        np.testing.assert_array_equal(found.values, np.take_along_axis(x, found.indices, 1))
    slopes = ag.grad(lambda x: ag.sum(ag.top_k(x, 1, axis=0).values ** 2))(x[:, 1:])
    assert slopes.tolist() == [[10.0, 0.0, 0.0], [0.0, 14.0, 14.0]]
    with pytest.raises(ValueError, match="5 elements are asked for, but the axis has 4"):
        ag.top_k(x, 5)
    staged = ag.convert(lambda x: ag.top_k(x, 3), input_signature=[ag.TensorSpec([None])])
    assert staged(x[0]).values.tolist() == [5.0, 5.0, 2.0]
    with pytest.raises(ValueError, match="3 elements are asked for, but the axis has 2"):
        staged(x[0, :2])


@pytest.mark.parametrize(("values", "how"), [(np.eye(2), "too deep"), (1.0, "too small depth")])
def test_sorted_values_are_a_vector(values, how):
    for function in (ag.searchsorted, lambda x, v: ag.digitize(v, x)):
        with pytest.raises(ValueError, match=how):
            function(values, np.ones(2))
