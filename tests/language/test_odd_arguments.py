"""NumPy's functions with odd arguments on arrays of sizes that only the run tells, next to NumPy."""

import warnings

import numpy as np
import pytest

import autograph as ag

X = np.arange(6.0).reshape(2, 3)
U = np.array([1, 0, 3], "u1")
F4 = np.array([1.0, 5.0], "f4")
NO_AXES = {
    "any": (lambda x: np.any(x, axis=()), U),
    "all": (lambda x: np.all(x, axis=()), X),
    "nanprod": (lambda x: np.nanprod(x, axis=()), U),
    "nanvar": (lambda x: np.nanvar(x, axis=()), X),
    "max": (lambda x: np.max(x, axis=()), X),
}
SPREADS = {
    f"{function.__name__} of {dtype} over {axis}": (
        lambda x, function=function, axis=axis: function(x, axis=axis, where=x != 1),
        X.astype(dtype),
    )
    for function in (np.mean, np.var, np.std)
    for dtype in ("f2", "f4", "i4", "c8")
    for axis in (None, 0)
}
SHAPES = {
    "wide diagonal": (lambda x: np.fill_diagonal(x, 5) or x, X),
    "tall diagonal": (lambda x: np.fill_diagonal(x, 5) or x, np.zeros((5, 2))),
    "wrapped diagonal": (lambda x: np.fill_diagonal(x, 5, wrap=True) or x, np.zeros((5, 2))),
    "rolled twice": (lambda x: np.roll(x, (1, -3), axis=(0, -1)), U),
    "rolled by one number": (lambda x: np.roll(x, 1, axis=(0, 0, 1)), X),
    "parts of nothing": (lambda x: np.array_split(x, 3), np.zeros(0)),
    "few parts": (lambda x: np.array_split(x, 3), np.arange(7.0)),
    "columns in parts": (lambda x: np.array_split(x, 2, axis=-1), X),
    "padded columns": (lambda x: np.pad(x, ((0, 0), (1, 1)), mode="linear_ramp"), X[:0]),
    "a mask of a number": (lambda x: x[x > 0], np.array(1.0)),
    "and one of none": (lambda x: x[x > 0], np.array(-1.0)),
    "no values for a diagonal": (lambda x: np.fill_diagonal(x, []) or x, X),
    "an empty array for it": (lambda x: np.fill_diagonal(x, np.zeros(0)) or x, X),
    "no axis squeezed": (lambda x: np.asarray(np.squeeze(x, axis=0)), np.array(2.5)),
    "nor the last": (lambda x: np.asarray(x.squeeze(axis=-1)), np.array(2.5)),
}
PADDED = {
    f"{mode} of {size} by {width}": (
        lambda x, mode=mode, width=width: np.pad(x, width, mode=mode),
        np.arange(size, dtype="f4"),
    )
    for mode in ("edge", "wrap", "reflect", "symmetric")
    for size in (1, 5)
    for width in ((0, 3), (7, 12))
} | {
    f"{mode} of {len(x)} by widths that data gives": (
        lambda x, mode=mode: np.pad(x, (np.sum(x > 0), np.sum(x > 2)), mode=mode),
        x,
    )
    for mode in ("edge", "wrap", "reflect", "symmetric")
    for x in (np.arange(5.0), np.ones(1))
}
PLACES = {
    "indices": (lambda x: np.indices(x.shape), X),
    "indices beside a number": (lambda x: np.indices((2, len(x), 3)), X),
    "sparse indices": (lambda x: list(np.indices(x.shape, sparse=True)), X),
    "indices of a dtype": (lambda x: np.indices((len(x),), dtype="f4"), X),
    "diagonal": (lambda x: list(np.diag_indices(len(x), 3)), X),
    **{
        f"{name} {k}": (
            lambda x, name=name, sizes=sizes: list(getattr(np, name)(*sizes(x))),
            X,
        )
        for name in ("tril_indices", "triu_indices")
        for k, sizes in enumerate(
            (
                lambda x: (x.shape[1], -1),
                lambda x: (2, 1, x.shape[1]),
                lambda x: (len(x), len(x), x.shape[1]),
            )
        )
    },
    "below": (lambda x: list(np.tril_indices_from(x, 1)), X),
    "above": (lambda x: list(np.triu_indices_from(x, -1)), X),
}
QUANTILES = {
    f"{name} {q!r} of {dtype}, {method}": (
        lambda x, name=name, q=q, method=method: np.asarray(getattr(np, name)(x, q, method=method)),
        np.array([1, 4, 3, 9], dtype),
    )
    for name in ("quantile", "nanquantile")
    for q in (0.3, np.float32(0.3), np.float64(0.3), np.array([0.3, 0.9], "f4"))
    for dtype in ("f2", "f4")
    for method in ("linear", "lower")
}
CHOICES = {
    "of a number": (lambda x: np.select([x == 1, x == 0], [x, 2], default=9), np.array(1, "f4")),
    "of an array": (lambda x: np.select([x == 1, x == 0], [x, 2], default=9), F4),
    "with a float": (lambda x: np.select([x == 1, x == 0], [x, 2.5], default=9), U),
    "complex values": (lambda x: np.interp(0.5, [0.0, 1.0], x), np.array([1j, 2.0])),
}
ALONE = {
    f"{name} over {axis}": (
        lambda x, name=name, axis=axis: np.asarray(getattr(np, name)(x, axis=axis)),
        np.array(2.5),
    )
    for name in (
        "sum prod max min any all argmax argmin nansum nanmean nanmax nanmin nanstd nanvar ptp "
        "count_nonzero nanargmax nanargmin nanprod"
    ).split()
    for axis in (0, -1)
}
TRUTH = np.array([True, False])
POWERS = {
    "the square of truth": (lambda x: x**2, TRUTH),
    "that of one": (lambda x: x**2, np.array(True)),
    "its cube": (lambda x: x**3, TRUTH),
    "the square by name": (lambda x: np.power(x, 2), TRUTH),
}
HOLES = np.array([[1.0, np.nan], [2.0, 4.0]])
MANY = np.where(np.arange(70001) == 5, np.nan, 0.01 + np.arange(70001) % 2 * 0.02)
PARTS = np.array([complex(np.nan, 1.0), complex(-np.inf, 2.0), complex(0.5, np.inf)])
STATISTICS = {
    **{
        f"{name} of {dtype}": (
            lambda x, name=name: np.asarray(getattr(np, name)(x, axis=0)),
            (MANY if dtype == "f2" else HOLES).astype(dtype),
        )
        for name in ("nanmean", "nanvar", "nanstd")
        for dtype in ("f2", "f4", "c8", "c16")
    },
    "numbers for parts": (lambda x: np.nan_to_num(x, nan=3.0), PARTS),
    "numbers for small parts": (lambda x: np.nan_to_num(x, posinf=7.0), PARTS.astype("c8")),
    "correlations": (lambda x: np.corrcoef(x), X + [[1.0], [2.0]] * X**2),
    "correlations of columns": (lambda x: np.corrcoef(x, rowvar=False), X * X),
    "of one row": (lambda x: np.asarray(np.corrcoef(x)), X[:1]),
}
SERVED = {**NO_AXES, **ALONE, **SPREADS, **SHAPES, **CHOICES, **POWERS}
SERVED |= {**PADDED, **PLACES, **QUANTILES, **STATISTICS}
REFUSED = {
    "nothing padded by what data gives": (
        lambda x: np.pad(x, (np.sum(x > 0) + 1, 0), mode="wrap"),
        np.zeros(0),
    ),
    **{
        f"{name} of a number over 0": (
            lambda x, name=name: getattr(np, name)(x, axis=0),
            np.array(2.5),
        )
        for name in ("mean", "var", "std", "median", "average")
    },
    "a sum of a number over 1": (lambda x: np.sum(x, axis=1), np.array(2.5)),
    "several axes of a position": (lambda x: np.argmax(x, axis=(0, 1)), X),
    "complex points": (lambda x: np.interp(x, [0, 1], [5, 6]), np.array([1j])),
    "an empty axis": (lambda x: np.pad(x, 1, mode="mean"), np.zeros(0)),
    "an empty ramp": (lambda x: np.pad(x, 1, mode="linear_ramp"), np.zeros(0)),
    "dot": (lambda x: np.dot(x, x), np.ones((2, 1, 3))),
    "inner": (lambda x: np.inner(x, x[:, :, :1]), np.ones((2, 1, 3))),
    "tensordot": (lambda x: np.tensordot(x, x[:, :, :1], ([0, 2], [0, 2])), np.ones((2, 2, 3))),
    "vecdot": (lambda x: np.vecdot(x, x[..., :1]), np.ones((2, 2, 3))),
}


def ways(function, x):
    """The function as graphs of known and unknown sizes, with and without native code."""
    for signature in (None, [ag.TensorSpec([None] * x.ndim, x.dtype)]):
        for native in (True, False):
            yield ag.convert(function, native=native, input_signature=signature)


@pytest.mark.broad(3)
@pytest.mark.parametrize("name", SERVED)
def test_results_are_numpys(name):
    function, x = SERVED[name]
    expected = function(x.copy())
    for staged in ways(function, x):
        found = staged(x.copy())
        parts = zip(found, expected, strict=True) if type(expected) is list else [(found, expected)]
        for part, wanted in parts:
            tolerance = 2e-3 if wanted.dtype == np.float16 else 1e-6
            np.testing.assert_allclose(part, wanted, rtol=tolerance, strict=True)
        assert staged.trace_count == 1


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_of_numpys_class(name):
    function, x = REFUSED[name]
    with pytest.raises((TypeError, ValueError)) as expected:
        function(x)
    for staged in ways(function, x):
        with pytest.raises(expected.type):
            staged(x)


@pytest.mark.parametrize("number", [float, int, complex, np.float64])
@pytest.mark.parametrize("size", [0, 1, 3])
def test_an_array_is_a_number_where_numpy_says_so(number, size):
    def first(x):
        return number(x) + 1

    def outcome(function):
        try:
            return function(np.full(size, 2.0))
        except (TypeError, ValueError):
            return "refused"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of one element, before NumPy 2.4
        expected = outcome(first)
        for staged in ways(first, np.ones(1)):
            np.testing.assert_array_equal(outcome(staged), expected)


def test_numbers_that_are_reduced_have_gradients_and_lanes():
    def total(x):
        return np.sum(x, axis=0) * x + np.max(x, axis=-1) * np.prod(x, axis=0)

    for native in (True, False):
        assert ag.convert(ag.grad(total), native=native)(np.array(3.0)) == 12.0
    np.testing.assert_array_equal(ag.vmap(total)(np.arange(3.0)), 2 * np.arange(3.0) ** 2)


def test_as_many_numbers_of_float16_as_it_cannot_count():
    """Gradients divide by how many there are: more than 65504."""
    x = (0.01 + np.arange(70001) % 2 * 0.02).astype("f2")
    for reduced in (np.mean, np.nanmean, np.var, np.nanvar, np.std, np.average):
        wide = ag.grad(lambda v, reduced=reduced: reduced(v) * 500)(x.astype(float))
        for native in (True, False):
            slope = ag.convert(ag.grad(lambda v, reduced=reduced: reduced(v) * 500), native=native)(
                x
            )
            assert slope.dtype == np.float16
            np.testing.assert_allclose(slope[:4], wide[:4], rtol=0.01)


@pytest.mark.parametrize("axis", [True, False, (0, True)])
@pytest.mark.parametrize(
    "name",
    ["sum", "mean", "max", "std", "any", "argmax", "cumsum", "cumprod", "count_nonzero", "ptp",
     "nansum", "nanmax", "squeeze", "take", "concatenate", "append"],
)  # fmt: skip
def test_an_axis_is_no_bool_where_numpy_takes_none(name, axis):
    def sample(x):
        if name in ("take", "append"):
            return getattr(np, name)(x, np.array([0]) if name == "take" else x, axis=axis)
        return getattr(np, name)((x, x) if name == "concatenate" else x, axis=axis)

    x = np.arange(6.0).reshape(2, 3)
    with pytest.raises(TypeError):
        sample(x)
    with pytest.raises(TypeError):
        ag.convert(sample)(x)


@pytest.mark.parametrize("name", ["median", "nanmedian", "quantile", "nanquantile", "percentile"])
@pytest.mark.parametrize("x", [np.array(2.5), np.float64(2.5)])
def test_kept_axes_of_a_number_make_an_array(name, x):
    q = () if "median" in name else (0.5,)
    for axis in (None, ()):
        sample = lambda x, axis=axis: getattr(np, name)(x, *q, axis=axis, keepdims=True)  # noqa: E731
        try:
            expected = sample(x)
        except (TypeError, ValueError, IndexError):
            continue
        found = ag.convert(sample)(x)
        assert type(found) is type(expected) is np.ndarray and found.shape == ()


def test_the_edges_of_a_grid_are_floats_where_limits_are_given():
    for dtype in (np.float16, np.float32, np.float64):
        x = np.array([0.5, 1.5, 2.5], dtype)
        for limits in (None, [[0, 2], [0, 3]]):
            expected = np.histogram2d(x, x, 3, limits)
            found = ag.convert(lambda x, limits=limits: np.histogram2d(x, x, 3, limits))(x)
            assert [a.dtype for a in found] == [a.dtype for a in expected]
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-3)
