"""Reductions that leave elements out, and crosses; the rest is in the generic suite."""

import itertools
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime.building import constant

X = np.array([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]])
MASK = np.array([[True, False, True], [False, True, True]])
NAMES = ["sum", "prod", "mean", "any", "all", "max", "min", "var", "std", "nansum", "nanmax"]


@pytest.mark.parametrize(
    ("name", "axis", "keepdims"), [*itertools.product(NAMES, [None, 0, -1, (0, 1)], [False, True])]
)
def test_elements_are_left_out_as_in_numpy(name, axis, keepdims):
    further = {"initial": -1.0} if name in ("max", "min", "nanmax") else {}
    how = {"axis": axis, "keepdims": keepdims, "where": MASK, **further}
    found, expected = getattr(np, name)(constant(X), **how), getattr(np, name)(X, **how)
    np.testing.assert_allclose(found.array, expected, rtol=1e-14, strict=True)


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_an_extreme_of_chosen_elements_needs_an_initial_value(name):
    errors = []
    for x in (X, constant(X)):
        with pytest.raises(ValueError) as caught:
            getattr(np, name)(x, where=MASK)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_an_initial_value_stands_for_an_empty_axis():
    for axis, initial in ((0, 2.5), ((0, 1), -1.0)):
        found = np.max(constant(np.zeros((2, 3))), axis=axis, initial=initial)
        np.testing.assert_array_equal(found.array, np.max(np.zeros((2, 3)), axis, initial=initial))
    assert np.min(constant(np.zeros((0, 3))), axis=0, initial=1.5).tolist() == [1.5] * 3


def test_two_names_of_one_thing_are_refused_together():
    with pytest.raises(ValueError, match="ddof and correction"):
        np.var(constant(X), ddof=1, correction=1)


def test_a_mean_that_is_known_is_used():
    found = np.std(constant(X), axis=1, mean=np.zeros((2, 1)))
    np.testing.assert_allclose(found.array, np.std(X, axis=1, mean=np.zeros((2, 1))))


# ---- cross products of vectors of two ------------------------------------------------------------

PAIRS = {
    "2 and 2": (np.array([1.0, 2.0]), np.array([3.0, -4.0])),
    "rows": (np.array([[1.0, np.inf], [2.0, 0.5]]), np.array([[3.0, -4.0], [1.0, 1.0]])),
    "2 and 3": (np.array([[1, 2], [5, 6]]), np.array([3.0, 4.0, np.inf])),
    "3 and 2": (np.array([1, 2, 3], "i2"), np.array([3, 4], "i4")),
    "2 and 4": (np.ones(2), np.ones(4)),
}


def _outcome(function, *args):
    """The result or the kind of error, and what was warned of, and in which file."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            result = type(error)
    return result, {(str(w.message), w.category, w.filename) for w in said}


@pytest.mark.parametrize("name", PAIRS)
def test_crossing_vectors_of_two_is_what_the_installed_numpy_makes_of_it(name):
    def function(a, b):
        return np.cross(a, b)

    expected, said = _outcome(function, *PAIRS[name])
    eager = _outcome(lambda a, b: np.cross(constant(a), b).array[()], *PAIRS[name])
    staged = _outcome(ag.convert(function), *PAIRS[name])
    assert type(staged[0]) is type(expected)  # an array where it is one number, too
    for found, warned in (eager, staged):
        assert warned == said
        if isinstance(expected, type):
            assert found is expected
        else:
            np.testing.assert_array_equal(found, expected, strict=True)


def test_slopes_of_the_cross_product_of_vectors_of_two():
    a, b = PAIRS["2 and 2"]
    if isinstance(_outcome(np.cross, a, b)[0], type):
        a, b = (np.append(x, 0.0) for x in (a, b))  # NumPy takes none of two any more
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found = ag.grad(ag.convert(lambda a, b: np.cross(a, b)[..., None].sum()), argnums=(0, 1))
        da, db = found(a, b)
    np.testing.assert_allclose(da[:2], [b[1], -b[0]])
    np.testing.assert_allclose(db[:2], [-a[1], a[0]])
