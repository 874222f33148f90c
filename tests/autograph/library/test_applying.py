"""Functions that are called with parts of an array, as plain Python: NumPy's results."""

import numpy as np
import pytest

from autograph.library import applying

X = np.array([-2.0, -0.5, 0.0, 1.5, 3.0])
BLOCK = np.arange(24.0).reshape(2, 3, 4)


def outcome(function, *args, **kwargs):
    try:
        found = function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - compared
        return type(error), str(error)
    return type(found), found.dtype, found.shape, found.tolist()


@pytest.mark.parametrize(
    ("conditions", "functions"),
    [
        ([X < 0, X >= 0], [lambda v: -v, lambda v: v**2]),
        ([X < 0, X > 1], [lambda v: -v, lambda v: v**2, 7.0]),
        (X < 0, [lambda v: -v, lambda v: v + 1]),
        ([X < -100], [lambda v: v - v.max()]),
        (np.array([X < 0, X > 1]), [lambda v: v.sum(), 3]),
        ((X < 0).tolist(), [lambda v: -v]),
        ([X < 0], [abs, abs, abs]),
    ],
)
def test_pieces(conditions, functions):
    for x in (X, X.astype(int)):
        wanted = outcome(np.piecewise, x, conditions, functions)
        assert outcome(applying.piecewise, x, conditions, functions) == wanted


@pytest.mark.parametrize("axis", [0, 1, -1, 3])
def test_vectors_along_an_axis(axis):
    functions = [
        lambda v: v.sum(),
        lambda v: v[::-1],
        lambda v: np.outer(v, v),
        lambda v: 3,
        lambda v: [v[0], 2.0],
    ]
    for function in functions:
        for x in (BLOCK, BLOCK[0, :0], X):
            wanted = outcome(np.apply_along_axis, function, axis, x)
            assert outcome(applying.apply_along_axis, function, axis, x) == wanted


@pytest.mark.parametrize("axes", [0, (0, 2), [-1]])
def test_several_axes(axes):
    for function in (
        lambda a, axis: a.sum(axis),
        lambda a, axis: a.max(axis, keepdims=True),
        lambda a, axis: a.sum(),
    ):
        wanted = outcome(np.apply_over_axes, function, BLOCK, axes)
        assert outcome(applying.apply_over_axes, function, BLOCK, axes) == wanted
