"""Covariances and order statistics at their edges; the rest is in the generic suite."""

import itertools

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.ops.declaration.samples import array

X = array((3, 5))


@pytest.mark.parametrize(
    ("bias", "ddof", "weighted"), [*itertools.product([False, True], [None, 0, 1, 2], range(4))]
)
def test_covariances_have_numpys_divisors(bias, ddof, weighted):
    weights = {}
    if weighted & 1:
        weights["fweights"] = np.array([1, 2, 1, 3, 1])
    if weighted & 2:
        weights["aweights"] = np.array([0.5, 2.0, 1.0, 0.1, 1.0])
    found = ops.cov(X, bias=bias, ddof=ddof, **weights)
    np.testing.assert_allclose(found.array, np.cov(X, bias=bias, ddof=ddof, **weights), rtol=1e-12)


def test_single_precision_is_computed_in_double_as_in_numpy():
    assert ops.cov(X.astype("f4")).dtype == np.cov(X.astype("f4")).dtype == np.float64
    assert ops.cov(X, dtype=np.float32).dtype == np.float32


def test_weights_and_tables_of_more_axes_are_refused_as_in_numpy():
    for module in (np, ops):
        with pytest.raises(ValueError, match="m has more than 2 dimensions"):
            module.cov(np.zeros((2, 2, 2)))
        with pytest.raises(RuntimeError, match="cannot handle multidimensional"):
            module.cov(X, aweights=np.ones((5, 1)))


def test_correlations_stay_within_one():
    x = np.array([1.0, 2.0, 3.0]) * 1e-3
    found = ops.corrcoef(np.stack([x, 3 * x, -x])).array
    assert np.abs(found).max() <= 1.0
    np.testing.assert_allclose(found, np.corrcoef(np.stack([x, 3 * x, -x])), atol=1e-12)


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 0.99, 1.0])
def test_quantiles_with_nan_are_nan(q):
    x = np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 2.0]])
    np.testing.assert_array_equal(ops.quantile(x, q, 1).array, np.quantile(x, q, 1))
    np.testing.assert_array_equal(ops.median(x, 1).array, np.median(x, 1))


@pytest.mark.parametrize("native", [None, False])
@pytest.mark.parametrize(
    ("x", "options"),
    [
        (np.array([-1, 2]), {}),
        (np.array([3, -7], "i2"), {"minlength": 9}),
        (np.array([-1, 2]), {"weights": np.array([1.0, 2.0])}),
        (np.array([1, 2]), {"weights": np.array([1.0])}),
        (np.array([[1, 2]]), {}),
        (np.array([1, 2]), {"minlength": -1}),
    ],
)
def test_bincount_refuses_what_numpys_refuses(x, options, native):
    def count(x):
        return np.bincount(x, **options)

    with pytest.raises(ValueError) as plain:
        count(x)
    for run in (lambda: count(ag.constant(x)), lambda: ag.convert(count, native=native)(x)):
        with pytest.raises(ValueError) as found:
            run()
        assert str(plain.value) in str(found.value)


@pytest.mark.parametrize("native", [None, False])
@pytest.mark.parametrize("x", [np.array([1, 3, 1]), np.array([], int)], ids=["some", "none"])
def test_bincount_has_as_many_as_a_graph_computes_at_least(x, native):
    def count(x, n):
        return np.bincount(x, minlength=n)

    staged = ag.convert(count, native=native)
    for n in (0, 2, 7):
        np.testing.assert_array_equal(staged(x, np.int64(n)), count(x, n), strict=True)
    with pytest.raises(ValueError, match="'minlength' must not be negative"):
        staged(x, np.int64(-1))
    assert staged.trace_count == 1


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
def test_segments_have_no_negative_numbers(name):
    function, ids = getattr(ag, f"segment_{name}"), np.array([0, -1])
    for run in (function, ag.convert(function)):
        with pytest.raises(ValueError, match="segments must have no negative elements"):
            run(np.ones(2), ids, 2)


def test_means_of_integers_do_not_wrap_where_nan_is_left_out():
    x = np.array([2**62, 2**62, 2**62], dtype=np.int64)
    found = ag.nanmean(ag.constant(x)).item()
    assert found == np.nanmean(x) == 2.0**62


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("spacing", [2.0, np.array([0.0, 0.5, 2.0, 3.0])])
def test_slopes_at_the_ends_have_the_bits_of_numpys(order, spacing):
    for x in (np.ones(4), -np.ones(4), np.array([0.1, 0.7, 0.2, 0.9])):
        found = ag.gradient(ag.constant(x), spacing, edge_order=order).numpy()
        wanted = np.gradient(x, spacing, edge_order=order)
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    "values", [[1.0, np.inf, 5.0], [1.0, np.nan, 5.0], [np.inf, np.inf, -np.inf], [np.nan] * 3]
)
def test_lines_are_interpolated_beside_what_is_not_finite(values):
    points, x = np.array([0.0, 1.0, 2.0]), np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, np.nan])
    with np.errstate(invalid="ignore"):
        found = ag.interp(ag.constant(x), points, np.array(values)).numpy()
    assert np.array_equal(found, np.interp(x, points, values), equal_nan=True)
    slopes = ag.jacobian(lambda x: ag.interp(x, points, np.array([1.0, 3.0, 2.0])))(points)
    assert np.array_equal(np.diag(slopes)[:2], [2.0, -1.0])


def test_complex_weights_are_no_counts():
    weights = np.array([1.0, 2.0], np.complex64)
    with pytest.raises(TypeError, match="complex64") as raised:
        ag.bincount(ag.constant(np.array([0, 1])), weights)
    with pytest.raises(TypeError) as numpys:
        np.bincount(np.array([0, 1]), weights)
    assert str(raised.value) == str(numpys.value)
