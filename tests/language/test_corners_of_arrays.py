"""Corners of NumPy's functions and writes: dtypes, zeros' signs, and errors with NumPy's text (E1)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples

KINDS = tuple(np.arange(4).astype(kind) for kind in ("i1", "i8", "u1", "f2", "f4", "f8", "?"))
ZEROS = np.array([-0.0, 0.0, -1.0, 1.0, np.nan])
PLANE = np.array([1, -1, 2j, -2j, 1 + 1j, complex(-0.0, 0), complex(3, -0.0)])


def selected(x):
    narrow = [x.astype(np.int16), x.astype(np.uint16)]
    small = [x.astype(np.float16), x.astype(np.int8)]
    tests = [x > 2, x < 1]
    numbers = np.select(tests, [1, 2], default=0.5), np.select(tests, [np.float32(1), x])
    return (
        np.select(tests, narrow, -1),
        np.select(tests, small),
        np.select(tests, [x, 1.5]),
        *numbers,
    )


def selected_beyond(x):
    return np.select([x > 2, x < 1], [x, 300])


def clipped(x):
    one_sided = np.clip(x, None, 0), x.clip(0.0, None)
    return np.clip(x, 0, 1), np.clip(x, -1, -0.0), np.clip(x, -0.0, 1), np.clip(x, 0, 0), *one_sided


def powers(x):
    slow = np.power(x, -1), np.power(x, 0.5), np.power(x, 2), np.power(x, True)
    return *slow, x**-1, x**0.5, x**2


def roots(x, y):
    """Powers of which NumPy takes some as roots: -0.0 and nan for -0.0 and -inf."""
    of_arrays = x**y, np.power(x, y), x[:1] ** y, x ** np.array([[y]]), x ** np.array([y, y, y])
    of_one = np.power(x[:1], [y]), np.power(x[0], [y]), np.power(x[:1], [[y]])
    of_numbers = np.power(x[0], y), np.power(x[1], y), x[0] ** y, x[1] ** y, np.float_power(x[0], y)
    known = np.power(x[0], 0.5), np.power(x[1], 0.5), x[1] ** 0.5, np.power(x, 0.5), x**0.5
    return *of_arrays, *of_one, *of_numbers, *known


def assert_same(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        assert type(a) is type(b) and a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
        for one, other in ((a.real, b.real), (a.imag, b.imag)):
            told = ~np.isnan(one)  # the sign of a nan says nothing
            assert (np.signbit(one) == np.signbit(other))[told].all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("function", "values"),
    [
        (selected, KINDS),
        (clipped, [ZEROS.astype(kind) for kind in ("f2", "f4", "f8")]),
        (powers, [PLANE, PLANE.astype(np.complex64), ZEROS.astype(np.float16)]),
    ],
)
def test_results_are_numpys_to_the_sign_of_zero(function, values, backend):
    with config.backend.using(backend):
        for x in values:
            assert_same(ag.convert(function)(x.copy()), function(x))
            assert_same((t.numpy() for t in function(ag.constant(x))), function(x))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_powers_of_one_half_are_roots_where_numpy_takes_roots(kind, backend):
    x = np.array([-0.0, -np.inf, 4.0], kind)
    with config.backend.using(backend):
        converted = ag.convert(roots)
        for y in (0.5, np.float64(0.5), np.float32(0.5)):
            assert_same(converted(x, y), roots(x, y))
            assert_same((t.numpy() for t in roots(ag.constant(x), y)), roots(x, y))


def test_a_number_that_numpy_does_not_cast_is_not_chosen():
    for x in (np.arange(4, dtype=np.uint8), ag.constant(np.arange(4, dtype=np.uint8))):
        with pytest.raises(TypeError, match="according to the rule 'same_kind'"):
            ag.convert(selected_beyond)(x)
    assert ag.convert(selected_beyond)(np.arange(4, dtype=np.int8)).tolist() == [44, 0, 0, 3]


# ---- writes ----------------------------------------------------------------------------------------


def a_tuple_into_a_row(x, n):
    n[:2] = (x[:2],)


def a_nest_into_a_row(x, n):
    n[1:] = [[x[0], 1, 2]]


def another_length(x, n):
    n[1:] = x[:2]


def another_length_at_places(x, n):
    n[[0, 2]] = x[:3]


def added(x, n):
    n[1:] += x[:2]


def added_to_the_whole(x, n):
    n *= x[:2]


def of_more_axes(x, n):
    n += x.reshape(2, 2, 1)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "write",
    [a_tuple_into_a_row, a_nest_into_a_row, another_length, another_length_at_places, added,
     added_to_the_whole, of_more_axes],
)  # fmt: skip
def test_what_does_not_fit_raises_with_numpys_text(write, backend):
    x = np.arange(4)
    with pytest.raises(ValueError) as wanted:
        write(x, np.zeros(4))
    with config.backend.using(backend), pytest.raises(ValueError) as found:
        ag.convert(write)(x, np.zeros(4))
    assert str(found.value) == str(wanted.value)


samples = Samples()


@samples("E5", (np.arange(4.0), np.zeros((2, 2))), (np.ones(4), np.ones((2, 2))))
def nests_that_fit(x, n):
    n[:] = (x[:2], x[2:])
    n[:, 0] = [x[0]]
    n[0] = (x[0], 3)
    n[1] += (x[2],)
    n[[0, 1]] = ([x[:2]],)
    return n


@samples("", (np.array([2.5, 3.0, 1.0]),), tensors=False)
def none_in_a_list_that_is_written(x):
    x[x > 2] = [None, 1]
    return x


@samples("", (np.array([1, 2], np.uint8),), tensors=False)
def padded_by_a_number_that_wraps(x):
    return np.pad(x, 1, constant_values=-1), np.take(x, -1), np.take(x[0], [0, -1], axis=0)


@samples(
    "", (np.array([2.5, 1.0]),), (np.array([1.0, 2.5]),), (np.array([-1.0, 2.0]),), (-np.ones(2),)
)
def ragged_rows(x):
    try:
        if x[0] > 2:
            return np.array([x, 2.0]).sum()
        if x[0] > 0:
            return np.array([[x, x], [x, [x[0]]]], dtype=np.float32).sum()
        if x[1] > 1:
            return np.array([[x[0], 1], [x[1]]], dtype=int).sum()
        return np.sum([[x[0], 1], [x[1]]])
    except ValueError as error:
        print(error)
    return x.sum()


@samples("E5", (np.float64(2.5),), (np.float64(0.5),))
@samples("E5", (2.5,), (0.5,), tensors=False)
def a_number_along_its_only_axis(x):
    taken = np.take(x, [0, -1], axis=0), np.take(x, 0, axis=-1), np.compress([True], x, axis=0)
    return taken, np.repeat(x, 2, axis=-1), np.argpartition(x, 0, axis=0)


test_writes = samples.test()

FIELD = np.zeros((4, 4))
INSIDE = FIELD[1:-1, 1:-1]


def test_a_view_of_a_global_array_is_written_while_its_base_is_read():
    def sample(x):
        INSIDE[:] = x
        FIELD[0] += 1
        return FIELD.sum() + INSIDE[0, 0]

    expected = sample(2.0), FIELD.copy()
    FIELD[:] = 0
    np.testing.assert_array_equal(ag.convert(sample)(np.float64(2)), expected[0])
    np.testing.assert_array_equal(FIELD, expected[1])


# ---- lines -----------------------------------------------------------------------------------------

RISING, HEIGHTS = np.array([0.0, 1.0, 1.0, 3.0]), np.array([2.0, 5.0, -1.0, 4.0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_line_through_points_that_do_not_rise_is_refused(backend):
    f = ag.convert(lambda x, points: np.interp(x, points, HEIGHTS))
    x = np.linspace(-1, 4, 12)
    with config.backend.using(backend):
        np.testing.assert_array_equal(f(x, RISING), np.interp(x, RISING, HEIGHTS))
        for points in (RISING[::-1].copy(), np.array([0, 2, 1, 3.0]), np.array([0, 1, np.nan, 3])):
            with pytest.raises(ValueError, match="points of `interp` do not increase"):
                f(x, points)


def test_axes_that_are_bools_are_refused_in_a_transposition():
    with pytest.raises(TypeError, match="an integer is required"):
        ag.convert(lambda x: np.transpose(x, (True, False)))(np.ones((2, 3)))
