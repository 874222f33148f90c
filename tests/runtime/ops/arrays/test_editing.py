"""Parts left out and put in where data say which; the rest is in the generic suite."""

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, -2.0, 3.0, -4.0, 5.0])
MASK = X < 0


def deleted(x, mask, place, places):
    kept = np.delete(x, mask)
    return (
        kept * 2.0,
        np.delete(x, x > 2),
        np.delete(x, place),
        np.delete(x, places),
        np.delete(x, slice(place, None, 2)),
        np.delete(x, [place, 0]),
        np.delete(np.stack([x, x]), mask, axis=1),
    )


def inserted(x, mask, place, places):
    return (
        np.insert(x, mask, 7.0),
        np.insert(x, place, [8.0, 9.0]),
        np.insert(x, places, x[places]),
        np.insert(x, slice(place, None), 0.5),
        np.insert(np.stack([x, x]), places, 1.5, axis=1),
        np.insert(np.stack([x, x]), place, [1.5, 2.5], axis=1),
    )


def assert_equal(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("function", [deleted, inserted])
@pytest.mark.parametrize("length", [5, None], ids=["known size", "unknown size"])
def test_positions_that_a_graph_computes(function, length):
    given = (X, MASK, np.int64(-2), np.array([3, 0, -1]))
    signature = [
        ag.TensorSpec([length]),
        ag.TensorSpec([length], bool),
        ag.TensorSpec([], np.int64),
        ag.TensorSpec([None if length is None else 3], np.int64),
    ]
    staged = ag.convert(function, input_signature=signature)
    for place in (-2, 0, 3):
        given = (X, MASK, np.int64(place), np.array([3, 0, -1]))
        assert_equal(staged(*given), function(*given))
    assert staged.trace_count == 1


def test_the_same_program_after_save_and_load(tmp_path):
    given = (X, MASK, np.int64(1), np.array([3, 0]))
    staged = ag.convert(lambda *given: (*deleted(*given), *inserted(*given)))
    expected = staged(*given)
    ag.save(staged, tmp_path / "f.agz")
    assert_equal(ag.load(tmp_path / "f.agz")(*given), expected)


@pytest.mark.parametrize("name", ["delete", "insert"])
def test_what_is_not_there_raises_as_in_numpy(name):
    def function(x, obj):
        return np.delete(x, obj) if name == "delete" else np.insert(x, obj, 1.0)

    cases = (np.int64(9), np.int64(-9), np.array([0, 99]), np.ones((1, 2), bool))
    wrong = [*cases, np.ones(3, bool)] if name == "delete" else cases
    for obj in wrong:
        with pytest.raises((IndexError, ValueError)) as expected:
            function(X, obj)
        with pytest.raises(expected.type):
            ag.convert(function)(X, obj)


def test_gradients_go_where_elements_went():
    def function(x):
        kept = np.delete(x, x < 0)
        return (kept**2).sum() + (np.insert(x, x > 2, x[0] * 3)[::2] * 1.0).sum()

    for way in (function, ag.convert(function)):
        found = ag.grad(way)(X)
        # Of the values put in, at 2 and 5 of (1, -2, 3, 3, -4, 3, 5), one is taken: that at 2.
        np.testing.assert_allclose(found, [2 + 1 + 3, 0, 6, 1, 10 + 1])
