"""Means with weights: their shape, dtype and sum as NumPy asks for."""

import numpy as np
import pytest

import autograph as ag

X = np.arange(6.0).reshape(2, 3) + 1
WEIGHTS = {
    "all": X * 2,
    "the last axis": X[0],
    "the first axis": X[:, 0],
    "axes in another order": X.T,
    "one row": X[:1],
    "one": X[0, :1],
    "zeros": X * 0,
    "integers": X.astype("i8"),
}
DTYPES = ["f8", "f4", "i4", "?"]


def done(function, *args):
    try:
        return function(*args)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        return type(error), str(error)


@pytest.mark.broad(9)
@pytest.mark.parametrize("sizes", ["known", "unknown"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (1, 0)], ids=str)
@pytest.mark.parametrize("case", WEIGHTS)
def test_averages_are_numpys_or_its_error(case, axis, sizes):
    weights = WEIGHTS[case]

    def call(x, weights):
        return np.average(x, axis, weights, returned=True)

    for dtype in DTYPES:
        x = X.astype(dtype)
        expected = done(call, x, weights)
        if sizes == "unknown" and axis == (1, 0) and case == "axes in another order":
            # That the shapes may be the same decides, as nothing tells that they are not.
            expected = (ValueError, "Shape of weights must be consistent")
        signature = None
        if sizes == "unknown":
            signature = [ag.TensorSpec([None] * a.ndim, a.dtype) for a in (x, weights)]
        for native in (True, False):
            staged = ag.convert(call, native=native, input_signature=signature)
            found = done(staged, x, weights)
            if isinstance(expected[0], type):
                assert found[0] is expected[0]
                assert found[1].startswith(expected[1])
            else:
                for part, wanted in zip(found, expected, strict=True):
                    np.testing.assert_allclose(part, wanted, rtol=1e-6, strict=True)


def test_sizes_that_differ_are_named():
    spec = ag.TensorSpec([None], np.float64)
    staged = ag.convert(lambda x, w: np.average(x, weights=w), input_signature=[spec, spec])
    with pytest.raises(TypeError, match=r"differ. \(a size is 2 instead of 3\)"):
        staged(X[0], X[:, 0])


def test_both_operands_have_a_gradient():
    call = lambda x, w: np.average(x, 1, w).sum()
    w = np.array([1.0, 2.0, 1.0])
    dx, dw = ag.convert(ag.grad(call, argnums=(0, 1)))(X, w)
    np.testing.assert_allclose(dx, np.broadcast_to(w / 4, X.shape))
    means = np.average(X, 1, w)
    np.testing.assert_allclose(dw, (X - means[:, None]).sum(0) / 4)
