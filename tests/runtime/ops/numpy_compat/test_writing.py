"""`put`, `place`, `putmask` and `copyto`: masks, values and dtypes as NumPy takes them, or its error."""

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
    "an array of rank 0": (X, MASK, np.array(7)),
    "one of a larger dtype": (X.astype("f4"), MASK, np.array(7.0)),
    "one of another kind": (I, I > 2, np.array(7.0)),
}
PLACED = {
    "some": (X, np.array([1, -1]), SEVEN),
    "no places": (X, np.array([], int), SEVEN),
    "no values": (X, np.array([1, 9]), NONE),
    "beyond": (X, np.array([1, 9]), SEVEN),
    "no array": (NONE, np.array([0]), SEVEN),
    "no array and no places": (NONE, np.array([], int), SEVEN),
    "no array and no values": (NONE, np.array([1]), NONE),
}
B = I.astype("u1")
COPIED = {
    "an integer": (B, 2),
    "a bool": (B, True),
    "a negative integer": (B, -2),
    "a large integer": (B, 300),
    "a float": (B, 2.5),
    "a float into floats": (X.astype("f4"), 2.5),
    "a complex into bools": (I > 2, 2j),
    "an integer into bools": (I > 2, 1),
    "a scalar": (I, np.float64(2.5)),
    "rank 0": (I, np.array(2.5)),
    "an array": (I, SEVEN),
    "an array of a smaller dtype": (X.astype("f4"), SEVEN),
}
CASES = [
    *((name, case) for name in ("place", "putmask") for case in MASKED.items()),
    *(("put", case) for case in PLACED.items()),
]


def done(function, x, *args):
    x = x.copy()
    try:
        return function(x, *args), x
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        return type(error), str(error)


@pytest.mark.broad(3)
@pytest.mark.parametrize("sizes", ["known", "unknown", "of values, too"])
@pytest.mark.parametrize("native", [True, False], ids=["native", "plan"])
@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{n} {c[0]}" for n, c in CASES])
def test_they_write_what_numpys_write(name, case, native, sizes):
    function, (x, where, values) = getattr(np, name), case[1]

    def write(x, where, values=values):
        function(x, where, values)

    args, signature = (x, where), None
    if sizes == "of values, too":
        if not isinstance(values, np.ndarray):
            values = np.asarray(values, x.dtype)
        args = (x, where, values)
    if sizes != "known":
        signature = [ag.TensorSpec([None] * np.ndim(a), a.dtype) for a in args]
    staged = ag.convert(write, native=native, input_signature=signature)
    found, expected = done(staged, *args), done(write, *args)
    assert found[0] is expected[0]
    if expected[0] is None:
        np.testing.assert_array_equal(found[1], expected[1], strict=True)
        assert staged.trace_count == 1
    else:
        assert found[1] == expected[1]


@pytest.mark.parametrize("casting", ["no", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("case", COPIED)
def test_copyto_casts_as_numpys(case, casting):
    x, source = COPIED[case]

    def write(x, source):
        np.copyto(x, source, casting=casting)

    expected = done(write, x, source)
    for native in (True, False):
        found = done(ag.convert(write, native=native), x, source)
        assert found[0] is expected[0]
        if expected[0] is None:
            np.testing.assert_array_equal(found[1], expected[1], strict=True)
        else:
            assert expected[1] in found[1]
