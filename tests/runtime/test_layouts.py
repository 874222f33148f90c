"""Tests of `runtime.layouts`: whether NumPy lays an array out in C order.

What is reshaped of an array is a view then, which sees what is written into the array later; else it
is a copy. The same is seen here as in plain Python, which makes the call where an argument lies
otherwise than the graph needs; or the program is refused.
"""

import numpy as np
import pytest

import autograph as ag

C = np.arange(12.0).reshape(4, 3) + 1
SQUARE = C @ C.T + np.eye(4)
FORTRAN = np.asfortranarray(C)
EVERY_SECOND = np.arange(48.0).reshape(8, 6)[::2, ::2]


def alike(x):
    """A new array that lies in memory as `x` does."""
    if x.flags.c_contiguous or x.flags.f_contiguous:
        return x.copy(order="K")
    rows, columns = x.shape
    room = np.empty((2 * rows, 2 * columns))[::2, ::2]
    room[...] = x
    return room


# Arrays that are in C order where x is, and are known to be.
KNOWN = {
    "product": lambda x: x * 2,
    "of rows and columns": lambda x: x[:, :1] + x[0],
    "of a slice": lambda x: x[::2, 1:] * 2,
    "reversed": lambda x: x[::-1] + 0,
    "turned twice": lambda x: x.T.copy() * 2,
    "C of a transpose": lambda x: x.T.astype(np.float32, order="C"),
    "flat and back": lambda x: x.flatten().reshape(3, 4) * 1,
    "sum": lambda x: np.stack([x, x * 2]).sum(axis=0),
    "mean": lambda x: np.stack([x, x]).mean(axis=1),
    "rows": lambda x: x[[0, 2, 1]],
    "some rows": lambda x: x[x[:, 0] > 4.0],
    "where": lambda x: np.where(x > 3, x, 0.0),
    "concatenate": lambda x: np.concatenate([x, x], axis=1),
    "cumsum": lambda x: np.cumsum(x, axis=0),
    "sort": lambda x: np.sort(x, axis=0),
    "zeros": lambda x: np.zeros((2, 3)),
    "ones": lambda x: np.ones((3, x.shape[0])),
    "zeros_like": lambda x: np.zeros_like(x),
    "matmul": lambda x: x.T @ x,
    "inverse": lambda x: np.linalg.inv(x.T @ x + np.eye(3)),
    "take": lambda x: np.take(x, [1, 0], axis=1),
    "roll": lambda x: np.roll(x, 1, axis=0),
    "copy": lambda x: np.copy(x),
    "clip": lambda x: np.clip(x, 2, 5),
    "list": lambda x: np.array([[x[0, 0], x[1, 1]], [x[0, 1], x[1, 0]]]),
    "contiguous": lambda x: np.ascontiguousarray(x.T),
    "C like a transpose": lambda x: np.zeros_like(x.T, order="C"),
    "outer": lambda x: np.outer(x[0], x[1]),
}
# Arrays that NumPy lays out otherwise, or in a way that is not known.
OTHERS = {
    "product of a transpose": lambda x: x.T * 2,
    "sum with one": lambda x: x.T + np.ones((3, 4)),
    "sum of transposes": lambda x: x.T + x.T,
    "cast": lambda x: x.T.astype(np.float32),
    "copy by columns": lambda x: x.copy(order="F"),
    "cast by columns": lambda x: x.astype(np.float32, order="F"),
    "np.copy": lambda x: np.copy(x.T),
    "zeros by columns": lambda x: np.zeros((2, 3), order="F") + x[0, 0],
    "constant by columns": lambda x: np.zeros((2, 3), order="F"),
    "ones by columns": lambda x: np.ones((x.shape[0], 3), order="F"),
    "full by columns": lambda x: np.full((2, 3), x[0, 0], order="F"),
    "zeros like a transpose": lambda x: np.zeros_like(x.T),
    "ones like by columns": lambda x: np.ones_like(x, order="F"),
    "full like a transpose": lambda x: np.full_like(x.T, x[0, 0]),
    "concatenated transposes": lambda x: np.concatenate([x.T, x.T]),
    "stacked transposes": lambda x: np.stack([x.T, x.T]),
    "where of a transpose": lambda x: np.where(x.T > 2, x.T, 0.0),
    "columns": lambda x: x[:, [0, 1]],
    "sorted transpose": lambda x: np.sort(x.T, axis=0),
    "running sums of a transpose": lambda x: np.cumsum(x.T, axis=0),
    "sum of transposed stacks": lambda x: np.stack([x, x]).transpose(2, 1, 0).sum(axis=1),
    "along an axis": lambda x: np.apply_along_axis(np.cumsum, 0, x),
    "distinct columns": lambda x: np.unique(x, axis=1),
    "cross": lambda x: np.cross(x[:3], x[1:], axis=0),
    "folded": lambda x: np.arange(6.0).reshape(2, 3).T * 2,
    "histogram": lambda x: np.histogram2d(x[0], x[1], bins=2)[0],
}


def reshaped_and_written(make):
    def sample(x):
        made = make(x)
        flat = made.ravel()
        made[0] = 99.0 + x[0, 0]
        return flat, made

    return sample


def plain_and_staged(make, x):
    sample = reshaped_and_written(make)
    converted = ag.convert(sample)
    return sample(alike(x)), converted(alike(x)), converted


def assert_alike(given, expected):
    for got, wanted in zip(given, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
        assert got.dtype == wanted.dtype


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_reshaped_of_an_array_in_c_order_is_a_view(name):
    expected, given, converted = plain_and_staged(KNOWN[name], C)
    assert_alike(given, expected)
    assert converted.trace_count == 1 and expected[0][0] == 100.0
    for x in (FORTRAN, EVERY_SECOND):
        try:
            expected, given, _ = plain_and_staged(KNOWN[name], x)
            again = converted(alike(x))
        except ag.StagingError as error:
            assert "contiguous" in str(error) or "layout" in str(error)  # noqa: PT017
        else:
            assert_alike(given, expected)
            assert_alike(again, expected)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_reshaped_of_any_other_array_is_refused_where_it_would_show(name):
    for x in (C, FORTRAN, EVERY_SECOND):
        with pytest.raises(ag.StagingError, match="layout in memory") as error:
            plain_and_staged(OTHERS[name], x)
        assert "flat = made.ravel()" in str(error.value)

    def copied(x):
        made = OTHERS[name](x)
        flat = made.ravel().copy()
        made[0] = 99.0 + x[0, 0]
        return flat, made

    converted = ag.convert(copied)
    for x in (C, FORTRAN):
        assert_alike(converted(x), copied(x))


def test_some_of_those_are_copies_in_numpy_and_some_views():
    first = {name: reshaped_and_written(make)(C)[0][0] for name, make in OTHERS.items()}
    assert sum(number != 100.0 for number in first.values()) > 20


def test_branches_and_loops_keep_the_order():
    def sample(x):
        made = np.zeros(x.shape)
        if x[0, 0] > 0:
            made = x * 2
        flat = made.ravel()
        made += 1
        grown = np.ones((2, 2))
        while grown[0, 0] < x[1, 1]:
            grown = grown * 2
        other = grown.reshape(4)
        for i in range(3):
            grown[i % 2, 0] += x[0, i]
        return flat, made, other

    converted = ag.convert(sample)
    for x in (C, -C, FORTRAN):
        assert_alike(converted(x), sample(x))


def test_a_loop_that_turns_an_array_is_refused():
    @ag.convert
    def f(x):
        made = x * 1
        while made[0, 0] < 50:
            made = (made * 2).T + 0
        flat = made.ravel()
        made[0, 0] = 0.0
        return flat

    with pytest.raises(ag.StagingError, match="layout in memory"):
        f(SQUARE)


def test_an_array_made_of_a_captured_one():
    given = C.copy()

    @ag.convert
    def f(n):
        made = given * n
        flat = made.ravel()
        made[0, 0] = -1.0
        return flat

    assert f(2.0)[0] == -1.0
    given = FORTRAN
    assert f(2.0)[0] == f.python_function(2.0)[0] == 2.0 * FORTRAN[0, 0]


def test_what_is_only_read_may_lie_as_it_likes():
    f = ag.convert(lambda x: (np.ascontiguousarray(x.T * 2).ravel(), np.ascontiguousarray(x)))
    for x in (C, FORTRAN):
        flat, same = f(x)
        assert np.array_equal(flat, (x.T * 2).ravel()) and np.array_equal(same, x)


def test_whether_an_array_was_contiguous_already_is_not_guessed():
    @ag.convert
    def f(x):
        made = np.ascontiguousarray(x.T * 2)
        made[0, 0] = 5.0
        return made

    with pytest.raises(ag.StagingError, match="gives the array itself where it is contiguous"):
        f(C)

    @ag.convert
    def g(x):
        made = np.ascontiguousarray(x.T)
        x[0, 0] = 5.0
        return made

    assert g(C.copy())[0, 0] == 1.0
    assert g(FORTRAN.copy(order="F"))[0, 0] == 5.0


def test_eager_tensors_know_their_memory():
    for x, first in ((C, 9.0), (FORTRAN, 1.0)):
        t = ag.asarray(x.copy(order="K"))
        assert t.array.flags.c_contiguous == x.flags.c_contiguous
        flat = t.reshape(-1)
        t[0, 0] = 9.0
        assert flat.numpy()[0] == first


def test_an_order_that_numpy_does_not_know():
    for f in (
        lambda x: x.copy("X"),
        lambda x: np.zeros_like(x, order="X"),
        lambda x: np.full((2,), x[0], order="X"),
        lambda x: x.astype(int, order="X"),
    ):
        with pytest.raises(ValueError, match=r"order must be one of 'C', 'F', 'A', or 'K'"):
            ag.convert(f)(np.ones(2))
