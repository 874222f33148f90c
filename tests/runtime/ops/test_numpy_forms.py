"""Reductions that leave elements out; the rest is in the generic suite."""

import itertools

import numpy as np
import pytest

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
