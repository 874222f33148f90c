"""Arrays that are one array or two: depending on the branch taken, or on the round of a loop.

Samples return copies: which object a result is may depend on data, its content may not.
"""

from __future__ import annotations

import io

import numpy as np
import pytest

import autograph as ag
from autograph.programs.loading import unpacked
from autograph.programs.saving import packed
from tests.language.arguments import A, I
from tests.language.harness import Samples, check, refuse

samples = Samples()


def rounds(*arrays, upto=4):
    """A case per trip count from 0 on, each with arrays of its own."""
    return [(*(a.copy() for a in arrays), I(k)) for k in range(upto)]


X, Z = A(1, 2), A(5, 6)
SQUARE = np.array([[1.0, 2.0], [3.0, 4.0]])


@samples("S7", *rounds(X), joined=True)
def written_in_place_by_an_operator(x, n):
    w = x
    s = 0.0
    for _ in range(n):
        x += 1
        s = s + w[0]
    return s, x, w


@samples("S7", *rounds(X))
def bound_anew_after_the_write(x, n):
    w = x
    for _ in range(n):
        x[0] += 1
        x = x * 2
    return w + 0, x + 0


@samples("S7", *rounds(X))
def bound_anew_in_one_round(x, n):
    w = x
    for i in range(n):
        x[0] += 1
        if i == 1:
            x = x.copy()
    return w + 0, x + 0


@samples("S7", (A(1, 2), A(-1, -1)), (A(1, 2), A(-1, 1)))
def bound_anew_in_some_rounds_and_written_later(x, c):
    y = x
    for v in c:
        if v > 0:
            x = x + 1
    x[0] = 5
    return y + 0, x + 0


@samples("S7", *rounds(X))
def bound_anew_and_written_later(x, n):
    for _ in range(n):
        x = x * 2
    x[0] = 1
    return x + 0


@samples("S7", *rounds(X))
def two_names_of_what_a_round_made(x, n):
    y = x
    z = x
    for _ in range(n):
        y = x * 2
        z = y
    z[0] = 100
    return x + 0, y + 0, z + 0


@samples("S7", *rounds(X))
def another_name_keeps_the_old_array(x, n):
    prev = x
    for _ in range(n):
        x[0] = x[0] + 1
        prev = prev * 1
        x = x + prev
    return x + 0, prev + 0


@samples("S7", (A(1, 2),), (A(100, 2),))
def while_loop_writes_and_binds(x):
    w = x
    while x.sum() < 20:
        x[0] += 1
        x = x * 2
    x[1] = -1
    return w + 0, x + 0


@samples("S7", *rounds(np.ones((2, 2))))
def view_from_before_the_loop(x, n):
    row = x[0]
    for _ in range(n):
        row += 1
        x[0, 0] = x[0, 0] * 2
    return x, row


@samples("S7", *((I(k),) for k in range(4)))
def local_arrays_swapped(n):
    a = np.zeros(2)
    b = np.ones(2)
    for _ in range(n):
        a, b = b, a
        a[0] += 1
    return a, b


# ---- views of arrays whose content is known while tracing ---------------------------------------


@samples("S7", (1.5,))
def written_through_a_slice_of_a_constant_array(a):
    x = np.zeros(3)
    y = x[1:]
    y[0] = a
    return x, y + 0


@samples("S7", (1.5,))
def written_where_a_slice_of_a_constant_array_shows_it(a):
    x = np.zeros((2, 3))
    y, z = x[1], x.T
    x[1, 2] = a
    return y + 0, z + 0


@samples("S7", (1.5,))
def written_through_a_view_of_a_view_of_a_constant_array(a):
    x = np.arange(6.0).reshape(2, 3).copy()
    x[1:].T[0] = a
    return x


@samples("S7", (1.5,))
def written_in_place_through_a_row_of_a_constant_array(a):
    x = np.ones((2, 2))
    row = x[0]
    row += a
    return x


@samples("S7", *rounds(A(1, 2)))
def written_in_rounds_through_rows_of_a_constant_array(v, n):
    x = np.zeros((4, 2))
    first = x[0]
    for i in range(n):
        x[i] = v
    return x, first + 0


@samples("S7", (1.5,))
def copied_before_a_constant_array_is_written(a):
    x = np.zeros(3)
    y = x[1:].copy()
    y[0] = a
    x[2] = a
    return x, y


@samples("S7", (SQUARE, np.array(1)), (SQUARE * 2, np.array(0)), tensors=False)
def parts_at_an_index_in_an_array_are_copies(x, i):
    row, rest, number = x[i], x[i, 1:], x[i, i, ...]
    row += 1
    rest *= 2
    number -= 5
    x[i] += 100
    for k in range(2):
        if x[k, i] > 3:
            part = x[k]
            part[i] = -1
    return row, rest, number, x


@samples("S7", (SQUARE, np.array([1, 0])), (SQUARE * 2, np.array([0, 1])), tensors=False)
def parts_at_a_number_are_views(x, places):
    i, j = places[0], places.argmax()
    row, rest, number = x[i], x[i, 1:], x[i, j, ...]
    row += 1
    rest *= 2
    number -= 5
    return x


def _a_view_that_a_path_makes(x, n):
    a, c = np.zeros(3), np.zeros(0)
    for i in range(2):
        if x.sum() > i:
            k = int(n)
            while k > 0:
                k -= 1
                a = x * k
                c = a[k % 2 :]
    return a, c


@samples("S7", *rounds(A(1, 2, 3)), (A(-1, -2, -3), I(2)))
def a_view_and_its_array_are_made_on_a_path(x, n):
    a, c = _a_view_that_a_path_makes(x, n)
    return a * 2.0, c + 1.0


def test_a_view_that_a_path_made_is_not_read_after_a_write():
    def sample(x, n):
        a, c = _a_view_that_a_path_makes(x, n)
        a[0] = 5.0
        return c + 1.0

    refuse(sample, A(1, 2, 3), I(2), match="that array was written before it is read here")


MADE_ANEW = {
    "tile": lambda x: np.tile(x, 2),
    "tile once": lambda x: np.tile(x, 1),
    "kron": lambda x: np.kron(x, np.eye(2)),
    "take": lambda x: np.take(x, 1, axis=0),
    "method take": lambda x: x.take(1, axis=0),
    "repeat": lambda x: np.repeat(x, 1, axis=0),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1])[0],
    "resize": lambda x: np.resize(x, (2, 2)),
    "roll": lambda x: np.roll(x, 0),
    "apply_along_axis": lambda x: np.apply_along_axis(lambda row: row, 0, x),
    "ediff1d": lambda x: np.ediff1d(x),
    "percentile": lambda x: np.percentile(x, 50, axis=0),
    "quantile": lambda x: np.quantile(x, [0.5, 0.2], axis=0),
    "contiguous transpose": lambda x: np.ascontiguousarray(x.T),
    "every second": lambda x: np.ascontiguousarray(x[:, ::2]),
}
VIEWS = {
    "transpose by einsum": lambda x: np.einsum("ij->ji", x),
    "all by einsum": lambda x: np.einsum("ij", x),
    "axes by einsum": lambda x: np.einsum("...j->j...", x),
    "contiguous": lambda x: np.ascontiguousarray(x),
    "contiguous row": lambda x: np.ascontiguousarray(x[1]),
    "split": lambda x: np.split(x, 2)[1],
    "atleast_3d": lambda x: np.atleast_3d(x),
    "nan_to_num": lambda x: np.nan_to_num(x, copy=False),
    "real": lambda x: np.real(x),
}


@pytest.mark.parametrize("make", [*MADE_ANEW.values(), *VIEWS.values()], ids=[*MADE_ANEW, *VIEWS])
def test_s7_what_numpy_makes_of_an_array_is_a_view_where_numpy_gives_one(make):
    def written_first(x, c):
        made = make(x)
        if c > 0:
            made[..., 0] += 5
        else:
            made[...] = 7
        x[0, 0] += 100
        return made + 0, x

    def its_array_written_first(x, c):
        made = make(x)
        if c > 0:
            x[0] += 5
        else:
            x[...] = 7
        x[1, 1] += 100
        return made + 0, x

    for sample in (written_first, its_array_written_first):
        check(sample, (SQUARE, np.float64(1)), (SQUARE * 2, np.float64(-1)), tensors=False)


def test_s7_a_diagonal_of_einsum_is_read_but_not_written():
    def read(x):
        found = np.einsum("ii->i", x)
        x[0, 0] += 5
        return found + 0, x

    def written(x):
        found = np.einsum("ii->i", x)
        found[:] = 1  # refused
        return x

    check(read, (SQUARE,), (SQUARE * 2,), tensors=False)
    refuse(written, SQUARE, match="writes through the result of `diagonal`")


def reshaped_and_read_after_a_write(x):
    flat = x.ravel()
    x[0, 0] = 5.0
    return flat + 0, x


def test_s7_what_is_reshaped_of_a_written_array_is_a_view_if_that_is_contiguous():
    check(reshaped_and_read_after_a_write, (SQUARE,), (SQUARE * 2,), tensors=False)
    converted = ag.convert(reshaped_and_read_after_a_write)
    for make in (lambda: np.asfortranarray(SQUARE), lambda: np.zeros((2, 4))[:, ::2]):
        expected = reshaped_and_read_after_a_write(make())
        np.testing.assert_array_equal(converted(make())[0], expected[0])
    loaded = unpacked(io.BytesIO(packed(converted, [np.zeros((2, 2))])))
    assert loaded(SQUARE.copy())[0][0] == 5.0
    with pytest.raises(ag.StagingError, match="shares memory only if it is contiguous"):
        loaded(np.asfortranarray(SQUARE))


def test_s7_what_is_reshaped_of_a_part_that_is_not_contiguous_is_not_read_after_a_write():
    def sample(x):
        flat = x.T.ravel()  # refused
        x[0, 0] = 5.0
        return flat + 0

    refuse(sample, SQUARE, match="depends on its layout in memory")


def number_in_later_rounds(h, n):
    for _ in range(n):
        h += 1  # refused
        h = h * 2
    return h


def number_on_one_path(h, n):
    if h > n:
        h = h * 1.0
    h += 1  # refused
    return h


def number_of_two(h, n):
    h = min(h, n)
    h *= 2  # refused
    return h


def best_so_far(h, n):
    for v in np.arange(4.0):
        if v > n:
            h = v
    h -= 1  # refused
    return h


def attribute_on_one_path(h, n):
    box = Box()
    box.h = h
    if h > n:
        box.h = n
    box.h += 5  # refused
    return box.h


def written_by_a_function(h, n):
    if h > n:
        h = h * 1.0
    np.add(h, 1, out=h)  # refused
    return h


class Box:
    pass


@pytest.mark.parametrize(
    "sample",
    [
        number_in_later_rounds,
        number_on_one_path,
        number_of_two,
        best_so_far,
        attribute_on_one_path,
        written_by_a_function,
    ],
)
def test_s7_an_array_of_rank_0_that_is_a_number_at_times_is_not_written(sample):
    match = "an array of rank 0 at times and a number at other times"
    refuse(sample, np.array(2.0), np.int64(3), match=match)


@samples("S7", (np.array(2.0), I(3)), (np.array(5.0), I(1)), tensors=False, joined=True)
def an_array_of_rank_0_that_is_read_or_is_no_array_from_outside(h, n):
    total = np.float64(0.0)
    for k in range(n):
        total += k
        total = np.where(total > 2, 0.0, total)
    if h > n:
        h = h * 1.0
    return h * 2 + total


@samples("E5", (A(1.0, 2.0, 3.0),), (A(4.0, 5.0, 6.0),))
def arrays_of_the_function_as_arrays(x):
    made = np.zeros(3)
    np.asarray(made)[0] = x[0]
    np.asanyarray(made, float)[1:] += x[1]
    np.ascontiguousarray(made)[2] *= 2
    held = [np.ones(2), np.zeros(3)]
    for one in [np.asarray(v, order="C") for v in held]:
        one[0] -= x[2]
    apart = np.asarray(made, int), np.array(made), np.array(made, ndmin=3)
    apart[0][0] = apart[1][0] = -1
    np.array(made, copy=None)[0] += 1
    return made, held, apart, np.array(x, ndmin=2), np.array(x[0], ndmin=1)


test_aliases = samples.test()


def names_exchanged(a, b, n):
    for _ in range(n):
        a, b = b, a + b
    return a + 0, b + 0


def test_s7_names_may_be_exchanged_when_nothing_is_written():
    check(names_exchanged, *rounds(X, Z))
