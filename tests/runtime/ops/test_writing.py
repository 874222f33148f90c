"""`put`, `place` and `putmask`: masks, values and dtypes as NumPy takes them, or its error."""

import numpy as np
import pytest

import autograph as ag

X = np.arange(6.0).reshape(2, 3)
MASK = X > 2
I = np.arange(6)
SEVEN, NONE = np.array([7.0]), np.zeros(0)
MASKED = {
    "two values": (X, MASK, np.array([7.0, 8.0])),
    "a flat mask": (X, MASK.ravel(), SEVEN),
    "a mask of numbers": (X, MASK * 2, SEVEN),
    "a number": (I, I > 2, 1.5),
    "a scalar": (I, I > 2, np.float64(1.5)),
    "a list": (I, I > 2, [1.5, 2]),
    "no values": (X, MASK, NONE),
    "no values and none wanted": (X, X > 9, NONE),
    "a mask of one row": (X, MASK[1], SEVEN),
    "a mask of one element": (X, MASK[:1, :1], SEVEN),
    "a mask of rank 0": (X, np.bool_(True), SEVEN),
    "values of a larger dtype": (X.astype("f4"), MASK, SEVEN),
    "values of another kind": (I, I > 2, SEVEN),
}
PLACED = {
    "some": (X, np.array([1, -1]), SEVEN),
    "no places": (X, np.array([], int), SEVEN),
    "no values": (X, np.array([1, 9]), NONE),
    "beyond": (X, np.array([1, 9]), SEVEN),
}
CASES = [
    *((name, case) for name in ("place", "putmask") for case in MASKED.items()),
    *(("put", case) for case in PLACED.items()),
]


def done(function, x, *args):
    x = x.copy()
    try:
        return function(x, *args), x
    except (TypeError, ValueError, IndexError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("sizes", ["known", "unknown"])
@pytest.mark.parametrize("native", [True, False], ids=["native", "plan"])
@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{n} {c[0]}" for n, c in CASES])
def test_they_write_what_numpys_write(name, case, native, sizes):
    function, (x, where, values) = getattr(np, name), case[1]

    def write(x, where):
        function(x, where, values)

    signature = None
    if sizes == "unknown":
        signature = [ag.TensorSpec([None] * np.ndim(a), a.dtype) for a in (x, where)]
    staged = ag.convert(write, native=native, input_signature=signature)
    found, expected = done(staged, x, where), done(write, x, where)
    assert found[0] is expected[0]
    if expected[0] is None:
        np.testing.assert_array_equal(found[1], expected[1], strict=True)
        assert staged.trace_count == 1
    elif name != "put":
        assert found[1] == expected[1]
