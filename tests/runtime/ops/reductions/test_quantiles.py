"""Medians and quantiles where there are no elements, which are nan as NumPy's are, or its error."""

import numpy as np
import pytest

import autograph as ag

pytestmark = pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")

SHAPES = [(0,), (0, 3), (3, 0), (0, 0), (2, 3, 0), (4,), (2, 3)]
AXES = [None, 0, -1, (0, 1)]
QUANTILES = [np.quantile, np.percentile, np.nanquantile, np.nanpercentile]


def both(call, x, is_unknown):
    """What NumPy and the graph give, with and without native code; for an error its class."""
    signature = [ag.TensorSpec([None] * x.ndim, x.dtype)] if is_unknown else None
    ways = [call, *(ag.convert(call, native=n, input_signature=signature) for n in (True, False))]
    results = []
    for way in ways:
        try:
            results.append(way(x))
        except (IndexError, ValueError) as error:
            results.append(type(error))
    return results


def cases(dtype):
    """Arrays and axes of theirs. (NumPy's `median` refuses two axes of (2, 3, 0), not of (2, 3).)"""
    for shape in SHAPES:
        for axis in AXES:
            if axis != (0, 1) or len(shape) == 2:
                yield np.arange(np.prod(shape)).reshape(shape).astype(dtype), axis


def assert_same(results):
    expected, *found = results
    for result in found:
        if isinstance(expected, type):
            assert result is expected
        else:
            np.testing.assert_allclose(result, expected, rtol=1e-15, strict=True)


@pytest.mark.broad(4)
@pytest.mark.parametrize("sizes", ["known", "unknown"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8"])
@pytest.mark.parametrize("function", [np.median, np.nanmedian])
def test_the_median_of_none_is_nan(function, dtype, sizes):
    for x, axis in cases(dtype):
        call = lambda x, axis=axis: function(x, axis=axis, keepdims=True)
        assert_same(both(call, x, sizes == "unknown"))


@pytest.mark.broad(4)
@pytest.mark.parametrize("sizes", ["known", "unknown"])
@pytest.mark.parametrize("dtype", ["f8", "i8"])
@pytest.mark.parametrize("function", QUANTILES)
def test_a_quantile_of_none_is_what_numpys_is(function, dtype, sizes):
    for x, axis in cases(dtype):
        call = lambda x, axis=axis: function(x, 0.3, axis=axis)
        assert_same(both(call, x, sizes == "unknown"))


@pytest.mark.parametrize("function", QUANTILES)
def test_several_quantiles_of_none_have_numpys_axes(function):
    for shape in SHAPES:
        x = np.arange(np.prod(shape)).reshape(shape) * 1.0
        assert_same(both(lambda x: function(x, np.array([0.2, 0.4]), axis=0), x, False))


def test_what_has_other_axes_of_none_is_refused_where_the_size_is_unknown():
    staged = ag.convert(
        lambda x: np.nanquantile(x, np.array([0.2, 0.4])),
        input_signature=[ag.TensorSpec([None], np.float64)],
    )
    np.testing.assert_allclose(staged(np.arange(6.0)), [1.0, 2.0])
    with pytest.raises(ValueError, match="no axis for `q`"):
        staged(np.zeros(0))


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_the_median_of_an_unknown_size_has_its_gradient(n):
    x = np.arange(n) * 1.5
    known = ag.convert(ag.grad(lambda x: np.median(x) ** 2))
    spec = ag.TensorSpec([None], np.float64)
    for native in (True, False):
        staged = ag.convert(ag.grad(np.median), native=native, input_signature=[spec])
        slope = np.zeros(n)
        slope[[(n - 1) // 2, n // 2]] = 1.0 if n % 2 else 0.5
        np.testing.assert_array_equal(staged(x), slope)
    np.testing.assert_array_equal(known(x), 2 * np.median(x) * slope)


@pytest.mark.parametrize("function", QUANTILES)
def test_numbers_of_python_leave_the_dtype_and_places_exact(function):
    x = np.random.default_rng(0).permutation(100003).astype("f4")
    call = lambda x, q: function(x, q, method="hazen")
    for native in (True, False):
        result = ag.convert(call, native=native)(x, 0.3)
        np.testing.assert_array_equal(result, np.float32(call(x.astype("f8"), 0.3)), strict=True)
