"""`range` whose bounds are known only when the graph runs, and sums from a start (B3.03, B3.06)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, observe, refuse

samples = Samples()
I = np.int64
F = np.float64


def A(*values):
    return np.array(values)


@samples("B3.03", (I(3), I(10)), (I(-7), I(10)), (I(7), I(3)))
def items_and_slices(n, m):
    r = range(n, m, 2)
    found = [sum(r[::-1]), sum(r[-2:]), sum(r[:-1]), len(r[5:2]), len(r[::3]), sum(r[n:m])]
    total = 0
    for i in r[1:][::-1]:
        total = total * 2 + i
    return found, total, r[0], r[-1], [i for i in r[1:]]


@samples("B3.03", (I(2),), (I(260),))
def bounds_of_a_small_dtype(n):
    r = range(np.uint8(250), n, np.uint8(5))
    return len(r), [*r], 255 in r, len(range(n, np.uint8(3))), r[0] + 100 if n > 250 else 0


@samples("B3.03", (I(3), I(-1)), (I(-5), I(-3)), (I(50), I(7)), (I(3), I(0)))
def step_of_any_sign(n, s):
    r = range(10, n, s)
    same = r == range(10, n, s), r != range(3), range(n) == range(3)
    return sum(r), 4 in r, 24 in r, n in r, same, r.start, r.step, r.stop, bool(r)


@samples("B3.03", (I(3), I(0)), (I(7), I(-1)), (I(7), I(7)), (I(2), I(-3)))
def item_at_a_position(n, k):
    return range(n)[k]


@samples("B3.03", (I(3),), (I(0),), (I(7),))
def truth_length_and_class(n):
    r = range(n)
    held = "some" if r else "none"
    return held, len(r), isinstance(r, range), type(r) is range, isinstance(r, list)


@samples("B3.03", (I(3), I(1)), (I(0), I(-2)), tensors=False)
def text_of_a_range(n, s):
    print(range(n), [range(1, n, s)])
    return f"{range(n)!r}", str(range(2, n, 3))


@samples("B3.03", *((I(n),) for n in (-1, 0, 3, 4, 5, 7)))
def number_in_a_range(n):
    ranges = [range(0), range(5), range(5, 0, -1), range(10, 0, -3), range(0, 10, 3)]
    return [n in r for r in ranges], n in range(9, -1, -2)


@samples("B3.03", (np.array([3.0, 1.0, 2.0]),), (np.array([2.0, 4.0, 0.0]),))
def lists_of_them(x):
    n = int(x[0])
    whole = [*range(n)], list(range(1, n)), sorted(range(n), reverse=True)
    return whole, list(enumerate(range(n))), np.array(list(range(n)))


KINDS = ("i1", "u1", "i8", "f2", "f4", "f8", "c8", "?")


@samples("B3.06", *((np.array([3, 1, 2], dtype=kind),) for kind in KINDS), traces=len(KINDS))
def sums_from_a_start(x):
    more = sum(x, True), sum(x, 2), sum(x), sum(x, start=F(2)), sum(x, np.float32(1))
    return sum(x, 1.5), more


@samples("B3.06", (A(1, 2), 1j), (A(3, 4), 2j))
def sum_from_a_complex_start(x, start):
    return sum(x, start), sum(x, 1j)


@samples("B3.06", (np.ones((2, 3)), np.zeros(3)), (np.eye(2, 3), np.ones(3)))
def sum_of_rows(x, start):
    return sum(x, start), sum(x[:, 0], start), sum(x, x), sum(x[:0], 1.5)


@samples("B3.03", (I(9), I(3)), (I(4), I(7)), (I(2), I(1)), (I(-3), I(4)))
def searched(n, m):
    r, known = range(1, n, 2) if n > 3 else range(n, 5), range(1, 10, 3)
    for x in (3, True, 2.0, "a", None):
        print(r.count(x))
        try:
            print(r.index(x))
        except ValueError as error:
            print(error)
    counts = known.count(m), r.count(m), n in known, (m + 0.5) in known
    return counts, known.index(m), r.index(m)


TABLE = np.arange(12.0)


@samples("B3.03", (np.arange(9.0), I(4)), (np.arange(9.0) * 2, I(7)))
def indices_of_an_array(x, n):
    r = range(n) if n > 4 else range(0, n, 2)
    y = x.copy()
    y[r] = 7.0
    return y, x[r], x[(r,)], TABLE[r], TABLE.reshape(1, 12)[0, r], TABLE[[1, 2]]


@samples("B3.03", (I(4),), (I(0),))
def true_as_all_iterators(n):
    r, found = range(n), []
    for i in r:
        found.append(i)
    ways = zip(found, r), enumerate(found), reversed(found), map(str, r), iter(found)
    return [1 if way else 2 for way in ways], not zip(r, r), bool(enumerate(r)), len(found)


test_ranges = samples.test()


def result_of_the_function(n):
    return {"a": range(n)}  # refused


def pairs_as_a_result(x):
    return zip(x, x)  # refused


@pytest.mark.parametrize(
    ("sample", "given", "match"),
    [
        (result_of_the_function, I(3), "`range` of what is known only .* is in the result"),
        (pairs_as_a_result, np.ones(2), "`zip` of what is known only .* is in the result"),
    ],
)
def test_ranges_themselves_are_not_handed_out(sample, given, match):
    refuse(sample, given, match=match)


# ---- what NumPy gives is the array itself ------------------------------------------------------------


def conj_method(x):
    y = x.conj()
    y[0] = 7
    return x, x.conjugate() is x, np.conj(x) is x, (x > 0).conj()


def real_part(x):
    y = x.real
    y[0] = 7
    x.real += 1
    return x, x.real is x


def numbers_for_nan_in_place(x):
    y = np.nan_to_num(x, copy=False)
    y[0] += 1
    return x, y is x


def broadcast_together(x):
    y, z = np.broadcast_arrays(x, np.ones(x.shape))
    return y, y is x, z


def parts_that_are_set(x):
    z = x * 1j + x
    z.real = 3
    z.imag = x
    x.flat = 4
    return z, x


@pytest.mark.parametrize(
    "sample",
    [conj_method, real_part, numbers_for_nan_in_place, broadcast_together, parts_that_are_set],
)
def test_arrays_that_numpy_hands_on_are_written(sample):
    converted = ag.convert(sample)
    for first in (1.0, np.nan):
        plain, given = np.array([first, 2.0, -3.0]), np.array([first, 2.0, -3.0])
        expected, got = observe(sample, (plain,)), observe(converted, (given,))
        np.testing.assert_equal(got.value, expected.value)
        np.testing.assert_equal(given, plain)
        assert got.identities == expected.identities
        assert got.error is None and expected.error is None
    assert converted.trace_count == 1


def shape_that_is_set(x):
    x.shape = (2, 2)  # refused
    return x


def complex_number_for_a_part(x):
    z = x * 1j
    z.real = 5 + 2j  # NumPy 2.5 raises, older ones drop the imaginary part
    return z


def imaginary_part_of_floats(x):
    x.imag = 0
    return x


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("sample", [complex_number_for_a_part, imaginary_part_of_floats])
def test_parts_are_set_as_by_the_numpy_at_hand(sample):
    expected, got = (observe(f, (np.ones(2),)) for f in (sample, ag.convert(sample)))
    np.testing.assert_equal(got.value, expected.value)
    assert str(got.error).splitlines()[0] == str(expected.error)


def test_an_attribute_of_an_array_that_cannot_be_set_is_refused():
    refuse(shape_that_is_set, np.ones(4), match=r"`\.shape` of an array of the caller's is set")


def index_of_a_list(n):
    return [1, 2][range(n)]


def test_python_calls_it_a_range():
    with pytest.raises(TypeError, match="must be integers or slices, not range"):
        ag.convert(index_of_a_list)(I(1))
