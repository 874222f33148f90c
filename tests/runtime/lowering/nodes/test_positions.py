"""Where extremes are: along any axes, of any size and dtype, next to NumPy."""

import numpy as np
import pytest

import autograph as ag

FUNCTIONS = [np.argmax, np.argmin]
SHAPES = [(1,), (7,), (128,), (129,), (5000,), (3, 4), (40, 300), (301, 40), (5, 6, 7), (9, 3, 140)]


def arrays(shape, dtype):
    """Equal numbers, unlike ones, and some nans."""
    rng = np.random.default_rng(0)
    yield rng.integers(0, 50, shape).astype(dtype)
    yield (rng.standard_normal(shape) * 50).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x = rng.standard_normal(shape).astype(dtype)
        x.flat[rng.integers(0, x.size, 3)] = np.nan
        yield x
        yield np.copysign(np.zeros(shape), rng.standard_normal(shape)).astype(dtype)


@pytest.mark.broad(3)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "?"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_positions_are_those_of_numpy(function, dtype, shape, traced, native_of):
    for axis in (None, *range(len(shape))):
        for k, x in enumerate(arrays(shape, dtype)):
            how = {"axis": axis, "keepdims": len(shape) == 2}
            if k == 0:
                native = native_of(traced(lambda x, how=how: function(x, **how), x))
            np.testing.assert_array_equal(native(x)[0], function(x, **how), strict=True)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sizes_need_not_be_known(function):
    f = ag.convert(
        lambda x: (function(x), function(x, 0), function(x, 1), function(x * 2, 1)),
        input_signature=[ag.TensorSpec([None, None], "float64")],
    )
    for shape in [(1, 1), (3, 5), (6, 128), (130, 1030)]:
        x = np.random.default_rng(0).standard_normal(shape)
        expected = function(x), function(x, 0), function(x, 1), function(x * 2, 1)
        for a, e in zip(f(x), expected, strict=True):
            np.testing.assert_array_equal(a, e)
    assert f.trace_count <= 2  # one of them has an axis of size 1


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_they_are_found_in_vectors(axis, native_of, traced):
    x = np.random.default_rng(0).standard_normal((200, 300))
    text = native_of(traced(lambda x: ag.argmax(x, axis=axis), x))
    np.testing.assert_array_equal(text(x)[0], np.argmax(x, axis))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("size", [1, 7, 2048, 2049, 6144, 6145])
def test_truths_are_found_in_blocks(function, size, traced, native_of):
    given = np.zeros(size, bool)
    native = native_of(traced(lambda x: function(x), given))
    for first in {0, size // 2, 2047, 2048, size - 1, size} & {*range(size + 1)}:
        x = np.arange(size) >= first
        for given in (x, ~x):
            np.testing.assert_array_equal(native(given)[0], function(given), strict=True)
    rows = np.arange(size) % np.array([[size + 1], [3], [2500]]) > 1
    native = native_of(traced(lambda x: function(x, axis=1), rows))
    np.testing.assert_array_equal(native(rows)[0], function(rows, axis=1), strict=True)
