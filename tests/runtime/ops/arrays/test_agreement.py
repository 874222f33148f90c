"""What must agree with something else, or lie in a range, and turns out not to as the graph runs."""

import numpy as np
import pytest

import autograph as ag

V = np.array([1.0, 2.0, 4.0])
LONG = np.arange(5.0)
NONE = np.zeros(0)
ORDER = np.array([2, 0, 1])
X2 = np.ones((2, 2))

# The function, arguments that NumPy takes, and those that it refuses.
CASES = {
    "quantile": (np.quantile, [(V, 0.25), (V, 1.0)], [(V, 1.5), (V, -0.1), (V, np.nan)]),
    "percentile": (
        np.percentile,
        [(V, np.array([0.0, 30.0]))],
        [(V, np.array([1.0, 101.0])), (V, np.array([-1.0, 2.0]))],
    ),
    "nanquantile": (np.nanquantile, [(V, 0.25)], [(V, 1.5)]),
    "interp": (
        np.interp,
        [(LONG, V, V * 2)],
        [(LONG, V, LONG), (LONG, LONG, V), (LONG, NONE, NONE), (V, NONE, V)],
    ),
    "interp with a period": (
        lambda x, points, period: np.interp(x, points, points * 2, period=period),
        [(LONG, V, 3.0), (LONG, V, -3.0)],
        [(LONG, V, 0.0)],
    ),
    "gradient": (np.gradient, [(V, V), (LONG, LONG * 2)], [(LONG, V), (V, LONG)]),
    "gradient of few": (np.gradient, [(V,), (LONG,)], [(V[:1],), (NONE,)]),
    "lexsort": (lambda x, y: np.lexsort((x, y)), [(V, -V)], [(LONG, V), (V, LONG)]),
    "searchsorted": (
        lambda x, order: np.searchsorted(x, 2.0, sorter=order),
        [(V[[1, 2, 0]], ORDER)],
        [(LONG, ORDER), (V, ORDER[:2])],
    ),
    "resize": (
        lambda x, n: np.resize(x, (n, 2)),
        [(V, np.int64(4)), (V, np.int64(0))],
        [(V, np.int64(-1))],
    ),
    "histogram": (
        lambda x: np.histogram(x)[0],
        [(V,)],
        [(np.array([1.0, np.inf]),), (np.array([1e300, np.nextafter(1e300, np.inf)]),)],
    ),
    "histogram in a range": (
        lambda x, last: np.histogram(x, range=(0.0, last))[0],
        [(V, 2.0)],
        [(V, np.float64(np.inf)), (V, -1.0)],
    ),
    "delete by a mask": (
        lambda x, mask: np.delete(x, mask),
        [(V, V > 2)],
        [(V, LONG > 2)],
    ),
}  # fmt: skip


def unknown(x):
    """The spec of an argument, of a size that is not known."""
    return ag.TensorSpec([None] * np.ndim(x), np.asarray(x).dtype)


@pytest.mark.broad(2)
@pytest.mark.parametrize("native", [True, False], ids=["native", "plan"])
@pytest.mark.parametrize("sizes", ["known", "unknown"])
@pytest.mark.parametrize("name", CASES)
def test_what_does_not_agree_raises_as_in_numpy(name, sizes, native):
    function, taken, refused = CASES[name]

    def call(*args):
        return function(*args)

    signature = [tuple(map(unknown, taken[0]))] if sizes == "unknown" else None
    staged = ag.convert(call, native=native, input_signature=signature)
    for args in taken:
        np.testing.assert_allclose(staged(*args), function(*args), rtol=1e-12)
    for args in refused:
        with pytest.raises(ValueError) as expected:
            function(*args)
        with pytest.raises(ValueError) as found:
            staged(*args)
        assert str(found.value) == str(expected.value)
    if sizes == "unknown":
        assert staged.trace_count == 1


@pytest.mark.parametrize("native", [True, False], ids=["native", "plan"])
@pytest.mark.parametrize(
    ("function", "args", "what"),
    [
        (np.delete, (LONG, np.int64(7)), "index 7 is out of bounds for axis 0 with size 5"),
        (np.delete, (LONG, np.int64(-6)), "index -6 is out of bounds for axis 0 with size 5"),
        (lambda x, i: np.insert(x, i, 3.0), (LONG, np.int64(7)), "index 7 is out of bounds"),
        (lambda x: np.einsum("ii", x), (np.ones((2, 3)),), "'i' don't match (2 != 3)"),
        (np.cross, (np.ones((2, 2)), np.ones((2, 3))), "3 elements, and one has 2"),
        (np.cross, (np.ones((2, 3)), np.ones((2, 4))), "3 elements, and one has 4"),
    ],
)
def test_what_only_the_run_tells_to_be_wrong_is_named_with_its_values(function, args, what, native):
    def call(*args):
        return function(*args)

    staged = ag.convert(call, native=native, input_signature=[tuple(map(unknown, args))])
    with pytest.raises((ValueError, IndexError)) as found:
        staged(*args)
    assert what in str(found.value)


def test_vectors_of_two_and_of_an_unknown_size_are_refused_where_the_program_runs():
    staged = ag.convert(np.cross, input_signature=[unknown(X2), ag.TensorSpec([2, 2], np.float64)])
    with pytest.raises(ag.StagingError, match="give that size") as found:
        staged(X2, X2)
    assert "np.cross" in str(found.value)
