"""Tests of `runtime.ops.numpy_compat.likenesses`: what NumPy takes as `out=`, and how it casts."""

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.ops.numpy_compat.likenesses import check_options, fits_exactly, raise_as_numpy

X = np.linspace(-2.3, 3.1, 6)
M = X.reshape(2, 3)

# Calls, with the shape that `out` must have.
CALLS = {
    "clip": (lambda x, m, out: np.clip(x, 0, 1, out=out), (6,)),
    "clip, by position": (lambda x, m, out: np.clip(x, 0, 1, out), (6,)),
    "clip, as a method": (lambda x, m, out: x.clip(0, 1, out=out), (6,)),
    "sum": (lambda x, m, out: np.sum(m, axis=0, out=out), (3,)),
    "sum, by position": (lambda x, m, out: np.sum(m, 0, None, out), (3,)),
    "cumsum": (lambda x, m, out: np.cumsum(x, out=out), (6,)),
    "mean": (lambda x, m, out: m.mean(axis=0, out=out), (3,)),
    "std": (lambda x, m, out: np.std(m, axis=0, out=out), (3,)),
    "var": (lambda x, m, out: np.var(m, axis=0, out=out), (3,)),
    "max": (lambda x, m, out: np.max(m, axis=0, out=out), (3,)),
    "argmax": (lambda x, m, out: np.argmax(m, axis=0, out=out), (3,)),
    "dot": (lambda x, m, out: np.dot(m, x[:3], out=out), (2,)),
    "matmul": (lambda x, m, out: np.matmul(m, x[:3], out=out), (2,)),
    "take": (lambda x, m, out: np.take(x, [0, 1], out=out), (2,)),
    "concatenate": (lambda x, m, out: np.concatenate([x, x], out=out), (12,)),
    "stack": (lambda x, m, out: np.stack([x, x], out=out), (2, 6)),
    "round": (lambda x, m, out: np.round(x, 1, out=out), (6,)),
    "nanmean": (lambda x, m, out: np.nanmean(m, axis=0, out=out), (3,)),
    "any": (lambda x, m, out: np.any(m, axis=0, out=out), (3,)),
    "ptp": (lambda x, m, out: np.ptp(m, axis=0, out=out), (3,)),
    "compress": (lambda x, m, out: np.compress([True, False, True], x[:3], out=out), (2,)),
    "trace": (lambda x, m, out: np.trace(m, out=out), ()),
    "einsum": (lambda x, m, out: np.einsum("ij,jk->ik", m, m.T, out=out), (2, 2)),
    "outer": (lambda x, m, out: np.outer(x, x, out=out), (6, 6)),
    "fix": (lambda x, m, out: np.fix(x, out=out), (6,)),
    "add": (lambda x, m, out: np.add(x, 1, out=out), (6,)),
    "greater": (lambda x, m, out: np.greater(x, 0, out=out), (6,)),
    "reduce": (lambda x, m, out: np.add.reduce(m, axis=0, out=out), (3,)),
    "accumulate": (lambda x, m, out: np.add.accumulate(x, out=out), (6,)),
    "outer of a ufunc": (lambda x, m, out: np.add.outer(x, x, out=out), (6, 6)),
    "fft": (lambda x, m, out: np.fft.fft(x, out=out), (6,)),
    "casting": (lambda x, m, out: np.add(x, 1, out=out, casting="unsafe"), (6,)),
    "multi_dot": (lambda x, m, out: np.linalg.multi_dot([m, m.T, m], out=out), (2, 3)),
}


def outcome(f, out):
    """What a call gives and leaves in `out`, or the class and the text of what it raises."""
    try:
        result = f(X.copy(), M.copy(), out)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    assert result is out
    return out.dtype, out.shape, out.tolist()


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", [float, "f4", int, "i4", bool, complex])
@pytest.mark.parametrize("call", CALLS)
def test_out_takes_what_numpy_takes(call, dtype):
    function, shape = CALLS[call]
    wrong = [(2, *shape), (*shape[:-1], 1)] if dtype in (float, int) else []
    for size in (shape, *wrong):
        expected = outcome(function, np.zeros(size, dtype))
        for backend in ("native", "plan"):
            with config.backend.using(backend):
                found = outcome(ag.convert(function), np.zeros(size, dtype))
            assert found == expected or _is_near(found, expected)


def _is_near(found, expected):
    """Whether numbers differ by the order only in which they were added up."""
    return found[:2] == expected[:2] and np.allclose(found[2], expected[2], rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", ["quantile", "percentile"])
def test_what_computes_in_the_precision_of_out_takes_one_of_its_own_dtype(name):
    function = getattr(np, name)
    f = ag.convert(lambda m, out: function(m, 0.5, axis=0, out=out))
    with pytest.raises(ag.StagingError, match="in whose precision it computes"):
        f(M, np.zeros(3, "f4"))
    np.testing.assert_array_equal(f(M, np.zeros(3)), function(M, 0.5, axis=0))


def test_products_are_written_into_what_lies_in_c_order():
    def rows(m, x):
        made = np.zeros((3, 2))
        np.dot(m, x, out=made[1])
        np.dot(m, x * 2, made[2])
        return made

    np.testing.assert_array_equal(ag.convert(rows)(M, X[:3]), rows(M, X[:3]))
    for column in (
        lambda m, x: np.dot(m, x, out=np.zeros((2, 3))[:, 1]),
        lambda m, x: np.dot(m, m.T, out=np.zeros((2, 2)).T),
        lambda m, x: np.linalg.multi_dot([m, m.T, m], out=np.zeros((3, 2)).T),
    ):
        with pytest.raises(ValueError, match="C-Array"):
            column(M, X[:3])
        with pytest.raises(ag.StagingError, match="may not lie in memory in C order"):
            ag.convert(column)(M, X[:3])


def test_a_part_of_out_is_not_written():
    f = ag.convert(lambda x, out: np.add.reduceat(x, [0, 2], out=out))
    with pytest.raises(ag.StagingError, match="np.add.reduceat with out= of 2 axes"):
        f(X, np.zeros((2, 2)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.add(x, 1, casting="no"),
        lambda x: np.add(x, np.float32(1), casting="no"),
        lambda x: np.add(x, np.arange(6), casting="safe"),
        lambda x: np.add(x, 1, dtype=int),
        lambda x: np.add(x, 1, dtype=int, casting="unsafe"),
        lambda x: np.clip(x, np.zeros(6), np.ones(6), out=np.zeros(6), casting="no"),
        lambda x: np.clip(x, np.zeros(6, "f4"), 1, casting="no"),
        lambda x: np.concatenate([x, x], dtype=int),
        lambda x: np.concatenate([x, x], dtype=int, casting="unsafe"),
        lambda x: np.concatenate([x, x], dtype="f4"),
    ],
)
def test_numbers_are_cast_by_the_rule_that_is_given(function):
    def outcome(f):
        try:
            result = f(X.copy())
        except TypeError as error:
            return type(error), str(error)
        return result.dtype, result.tolist()

    assert outcome(ag.convert(function)) == outcome(function)


def test_large_integers_are_cast_one_by_one():
    f = ag.convert(lambda n, x: np.concatenate([n, x], dtype=int, casting="unsafe"))
    n, x = np.array([2**60 + 1]), np.array([1.5])
    assert f(n, x).tolist() == [2**60 + 1, 1]


def test_sizes_that_a_graph_does_not_know():
    f = ag.convert(lambda x, out: np.cumsum(x[x > 0], out=out))
    assert f(X, np.zeros(3)).tolist() == np.cumsum(X[X > 0]).tolist()
    with pytest.raises(ValueError, match="wrong size"):
        f(X, np.zeros((2, 3)))
    g = ag.convert(lambda x, out: np.round(x[x > 0], 1, out=out))
    with pytest.raises(TypeError, match="Cannot cast ufunc 'multiply' output"):
        g(X, np.zeros(3, int))


def test_errors_that_have_another_cause_are_not_raised():
    def refuses_ones(x, out=None):
        raise np.linalg.LinAlgError("singular")

    check_options(refuses_ones, (X,), {"out": np.zeros(6)}, "out")
    assert fits_exactly(ag.constant(X), np.zeros(6)) and fits_exactly(ag.constant(X), (X,))
    assert not fits_exactly(ag.constant(X), np.zeros(6, "f4"))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, m: np.sum(m, axis=(0, 0)),
        lambda x, m: np.dot(m, m),
        lambda x, m: np.matmul(m, x),
        lambda x, m: np.einsum("ij,jk", m, m),
        lambda x, m: np.swapaxes(m, 0, 2),
        lambda x, m: np.clip(x, [1, 2], 3),
        lambda x, m: np.convolve(x, x, mode="nope"),
        lambda x, m: np.triu(x[0]),
        lambda x, m: np.fft.fft(x, axis=1),
        lambda x, m: np.ldexp(x, x),
        lambda x, m: np.linalg.norm(x, ord="fro"),
        lambda x, m: np.full((2, 3), x),
    ],
)
def test_what_does_not_fit_raises_what_numpy_raises(call):
    with pytest.raises((TypeError, ValueError, IndexError)) as expected:
        call(X, M)
    with pytest.raises(type(expected.value)) as found:
        ag.convert(call)(X, M)
    assert str(found.value).startswith(str(expected.value))


def test_errors_of_other_numbers_are_not_raised():
    def says(error):
        def function(x):
            raise error

        return function

    own = TypeError("positions are integers")
    for error in (IndexError("1"), ZeroDivisionError("1"), np.linalg.LinAlgError("singular")):
        with pytest.raises(TypeError, match="positions are integers"):
            raise_as_numpy(own, says(error), (X,), {})
    with pytest.raises(ValueError, match="NumPy's"):
        raise_as_numpy(own, says(ValueError("NumPy's")), (X,), {})
    with pytest.raises(TypeError, match="positions are integers"):
        raise_as_numpy(own, says(ValueError("of a function")), (abs,), {})
