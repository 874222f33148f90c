"""Writes through what is reshaped of an array, and arrays whose `.shape` is set."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from tests.language.harness import Samples, refuse

pytestmark = pytest.mark.filterwarnings("ignore:Setting the shape")  # from NumPy 2.5 on
I = np.int64
X = np.arange(6.0)
TABLE = np.arange(6.0).reshape(2, 3)
samples = Samples()


@samples("E2", (X,), (X + 1,))
def made_and_written_flat(x):
    y = np.zeros((2, 3))
    y.reshape(-1)[1] = x[0]
    y.ravel()[2:4] = x[1]
    y.reshape(y.shape)[1, 2] = 5
    np.ravel(y)[0] = 3
    np.reshape(y, (3, 2))[1] += 4
    return y


@samples("E2", (TABLE,), (TABLE + 1,))
def computed_and_written_flat(x):
    y = x * 2
    flat = y.ravel()
    flat += 1
    flat[x.ravel() > 2] = 0
    for i in range(len(flat)):
        flat[i] += i
    return y, flat


@samples("E2", (TABLE,), (TABLE + 1,))
def an_argument_is_written_flat(x):
    x.reshape(-1)[0] = 100
    x.ravel()[1] = 3
    x.reshape(x.shape)[1, 1] = 8
    return x


@samples("E2", (X, I(3)), (X, I(4)))
def a_diagonal_by_data(x, n):
    y = np.zeros((n, n))
    y.reshape(-1)[:: n + 1] = x[0]
    y.ravel()[1] = 2
    return y


@samples("E2", (X, I(1)), (X, I(3)))
def in_a_branch_and_a_loop(x, n):
    y = x.reshape(2, 3) + 1
    flat = y.reshape(-1)
    if n > 2:
        flat[0] = n
    for i in range(n):
        y.ravel()[i] *= 2
    return y, flat


@samples("E2", (X,), (X + 1,))
def a_number_is_no_view(x):
    s = x[0]
    parts = s[None], np.reshape(s, (1,)), np.atleast_1d(s), s.reshape(-1), np.expand_dims(s, 0)
    for part in parts:
        part[0] = 9
    whole = np.zeros(())
    whole[None][0] = 5
    whole.reshape(1, 1)[0, 0] += 1
    return s, parts, whole + 0


@samples("E2", (X,), (X + 1,))
def a_shape_is_set(x):
    y = x * 2
    z = y[1:]
    other = y
    y.shape = (2, 3)
    y[0, 1] = 7
    z[0] += 1
    return y, z, other, y.sum(axis=0), y.shape


@samples("E2", (X,), (X + 1,))
def shapes_are_set_in_turn(x):
    y = x.copy()
    for shape in ((3, 2), -1, (1, 6), 6):
        y.shape = shape
        y += 1
    z = np.array(2.5)
    z.shape = 1
    z[0] = 3
    z.shape = ()
    return y, z + 1


@samples("E2", (X, I(1)), (X, I(3)))
def a_shape_is_set_where_the_array_is_made(x, n):
    total = 0.0
    for i in range(n):
        y = x + i
        y.shape = 3, 2
        total += y[1].sum()
    return total


test_samples = samples.test()


def written_flat(x):
    x.reshape(-1)[0] = 9.0
    return x.sum()


def written_as_contiguous(x):
    y = np.ascontiguousarray(x)
    y[0] = 5.0
    return y


def given_back_as_contiguous(x):
    return np.ascontiguousarray(x), np.asarray(x, order="C")


LAYOUTS = {
    "C": TABLE, "F": np.asfortranarray(TABLE), "part": np.arange(24.0).reshape(4, 6)[::2, ::2],
    "turned": TABLE.T, "gaps": np.arange(8.0)[::2], "reversed": X[::-1], "vector": X,
}  # fmt: skip


def in_layout(x):
    """A copy of an array, and of what it is a part of."""
    whole = x
    while whole.base is not None:
        whole = whole.base
    start = x.ctypes.data - whole.ctypes.data
    base = whole.copy(order="K")
    return np.ndarray(x.shape, x.dtype, base.ravel(order="K"), start, x.strides)


@pytest.mark.parametrize("backend", ["plan", "native"])
@pytest.mark.parametrize(
    "function", [written_flat, written_as_contiguous, given_back_as_contiguous]
)
def test_the_layout_of_an_argument_says_what_shares_its_memory(function, backend):
    """Where it lies otherwise than the graph needs, the call is plain Python."""
    converted = ag.convert(function)
    for array in [*LAYOUTS.values()] * 2:
        x, y = in_layout(array), in_layout(array)
        with config.backend.using(backend):
            found, expected = converted(x), function(y)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(x, y)
        if isinstance(expected, np.ndarray):
            assert (found is x) == (expected is y)


def test_the_shape_of_an_array_from_outside_of_a_branch_is_not_set():
    def shaped(x):
        y = x * 2
        if x[0] > 0:
            y.shape = (2, 3)  # refused
        return y.sum()

    refuse(shaped, X, match="from outside of this branch or loop is set")


def test_a_shape_that_does_not_fit_raises_as_numpy_does():
    def shaped(x):
        y = x * 2
        y.shape = (4, 2)

    for function in (shaped, ag.convert(shaped)):
        with pytest.raises(ValueError, match=r"cannot reshape array of size 6 into shape \(4,2\)"):
            function(X)


def test_the_shape_of_an_eager_tensor_is_set():
    x = ag.constant(X)
    part = x[1:]
    x.shape = (2, 3)
    part[0] = 9.0
    assert x.numpy().tolist() == [[0.0, 9.0, 2.0], [3.0, 4.0, 5.0]] and part.shape == (5,)
    with pytest.raises(AttributeError, match="Incompatible shape"):
        x.T.shape = 6
