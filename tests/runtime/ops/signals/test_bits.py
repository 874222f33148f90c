"""`numpy.packbits` and `numpy.unpackbits` in graphs: what NumPy gives, and what it raises."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import autograph as ag

ORDERS = ("big", "little")


def same(function, *args):
    """The result of the graph is NumPy's, or so is what it raises."""
    f = ag.convert(function)
    try:
        expected = function(*args)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            f(*args)
        return
    found = f(*args)
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected, strict=True)
    assert f.traces()[-1].graph.operations


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8])
@pytest.mark.parametrize("shape", [(8,), (5,), (0,), (2, 11), (3, 2, 4), ()])
def test_bits_become_bytes(shape, dtype):
    x = np.random.default_rng(0).integers(0, 3, shape)
    x = np.asarray(x).astype(dtype)
    for axis, order in itertools.product((None, 0, -1), ORDERS):
        same(lambda x, axis=axis, order=order: np.packbits(x, axis=axis, bitorder=order), x)


@pytest.mark.broad(3)
@pytest.mark.parametrize("count", [None, 0, 5, 20, 100, -3, -99])
@pytest.mark.parametrize("shape", [(4,), (0,), (2, 3), ()])
def test_bytes_become_bits(shape, count):
    if 0 in shape and count is not None and count > 0:
        pytest.skip("NumPy gives memory as it is found")
    x = np.asarray(np.random.default_rng(1).integers(0, 256, shape)).astype(np.uint8)
    for axis, order in itertools.product((None, 0, -1), ORDERS):
        same(lambda x, a=axis, o=order, n=count: np.unpackbits(x, axis=a, count=n, bitorder=o), x)


def test_sizes_may_depend_on_data():
    x = np.random.default_rng(2).integers(0, 3, 21).astype(np.uint8)
    same(lambda x: np.packbits(x[x > 0] > 1), x)
    same(lambda x: np.unpackbits(x[x > 0]), x)


def test_what_numpy_refuses():
    same(lambda x: np.packbits(x), np.ones(3))
    same(lambda x: np.unpackbits(x), np.arange(3))
    same(lambda x: np.packbits(x, bitorder="other"), np.arange(3))
    same(lambda x: np.unpackbits(x, bitorder="other"), np.arange(3, dtype=np.uint8))
