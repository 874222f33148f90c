"""A result has the very type that Python gives it: Python number, NumPy scalar, array, record."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A
from tests.language.harness import Samples, check, observe, refuse

samples = Samples()


def Z(value):
    """An array of rank 0."""
    return np.array(value)


F = np.float64
M = np.array([[2.0, 1.0], [1.0, 3.0]])

# ---- Python numbers ----------------------------------------------------------------------------


@samples("S1", (A(1, 2), A(1, 2)), (A(1, 2), A(1, 3)))
def truths_of_whole_arrays(x, y):
    return np.allclose(x, y), np.array_equal(x, y), np.array_equiv(x, y), np.allclose(x, y) + 1


@samples("S2", (1 + 2j,), (3 - 1j,))
def parts_of_a_python_number(z):
    return z.real, z.imag, z.conjugate(), np.real(z), abs(z), z.real.imag


@dataclasses.dataclass
class Point:
    x: float
    y: float


@samples("B5.11", (1.5,), (2.5,))
def fields_as_a_dict(x):
    point = Point(x, x * 2)
    return dataclasses.asdict(point), dataclasses.astuple(dataclasses.replace(point, x=x + 1))


def step(w):
    def loss(v):
        return (v - 3.0) ** 2

    value, slope = ag.value_and_grad(loss)(w)
    return w - 0.5 * ag.grad(loss)(w), value, slope


@pytest.mark.parametrize("w", [1.5, F(1.5), A(1.5)[0]], ids=["float", "float64", "element"])
def test_s2_a_gradient_has_the_type_of_its_argument(w):
    for call in (step, ag.to_graph(step), ag.convert(step)):
        moved, value, slope = call(w)
        assert (moved, value, slope) == (3.0, 2.25, -3.0)
        assert type(moved) is type(w) and type(slope) is type(w)


def test_s2_a_second_gradient_of_a_python_number_is_one_too():
    second = ag.convert(lambda w: ag.grad(ag.grad(lambda v: v**3))(w))
    assert second(2.0) == 12.0 and type(second(2.0)) is float


# ---- arrays of rank 0 --------------------------------------------------------------------------


@samples("S7", (Z(1.0),), (Z(2.0),), tensors=False)
def written_in_place(x):
    y = x
    x += 1
    return x, y, x * 1


@samples("S7", (A(1.0, 2.0),), (A(3.0, 4.0),), tensors=False)
def a_view_of_one_element(x):
    last = x[-1, ...]
    last *= 5
    return x, last


@samples("S7", (Z(1.0),), (Z(2.0),), tensors=False)
def views_of_rank_0(x):
    y = x[...]
    y += 1
    z = x.T
    z *= 3
    return x, y


@samples("S7", (A(1.0, 2.0, 3.0), Z(0.0)), (A(3.0, 1.0, 0.5), Z(1.0)), tensors=False)
def summed_in_place(x, total):
    other = total
    for v in x:
        total += v
    return total, other


@samples("S7", (A(1.0, -2.0, 3.0),), (A(3.0, 1.0, -0.5),), tensors=False)
def summed_where_positive(x):
    total = np.zeros(())
    kept = total
    for v in x:
        if v > 0:
            total += v
    return total, kept


@samples("S7", (Z(2.0),), (Z(-2.0),), tensors=False)
def one_array_on_both_paths(x):
    if x > 0:  # noqa: SIM108
        y = np.zeros(())
    else:
        y = np.array(x)
    y += 1
    return y, x


@samples("S7", (Z(2.0), F(3.0)), (Z(-2.0), F(1.0)), tensors=False)
def made_of_rank_0(x, s):
    return (
        np.zeros(()), np.ones_like(x), np.full((), s), np.array(s), np.asarray(x),
        np.where(x > 0, x, s), x.copy(), x.astype(np.float32), s.astype(np.float32), x.T,
        s.T, x.real, s.real, x[...], x[()], np.squeeze(x), np.squeeze(s), np.reshape(x, ()),
        np.broadcast_to(s, ()), x.squeeze(),
    )  # fmt: skip


@samples("S7", (A(1, 2, 3),), (A(4, 5, 6),), tensors=False)
def products_of_rank_0(x):
    return np.tensordot(x, x, 1), np.dot(x, x), np.einsum("i,i->", x, x), np.cov(x), np.inner(x, x)


@samples("S3", (Z(1.0), F(1.0)), (Z(2.0), F(3.0)), tensors=False)
def asked_for_their_type(x, s):
    return isinstance(x, np.ndarray), isinstance(s, np.ndarray), type(x + 1).__name__, x + s


@samples("S10", (Z(1.0), F(1.0)), (Z(2.0), F(3.0)), tensors=False)
def shown_as_what_they_are(x, s):
    print(x, s, [x, s])
    return f"{x!r} {s!r} {x} {x + 1!r}", repr(np.where(s > 0, s, x))


# ---- records -----------------------------------------------------------------------------------


@samples("S2", (M,), (2 * M,), tensors=False, tolerance=1e-14)
def decompositions(x):
    sign, logarithm = np.linalg.slogdet(x)
    return (
        np.linalg.qr(x), np.linalg.svd(x), np.linalg.eigh(x), np.linalg.slogdet(x),
        np.linalg.eigh(x).eigenvalues, np.linalg.svd(x).S, sign * logarithm,
    )  # fmt: skip


test_kinds = samples.test()


# ---- read-only arrays --------------------------------------------------------------------------


def set_item(x, y):
    y += 1
    x[0] = 1.0
    return x


def add_in_place(x, y):
    print("adding")
    x += y
    return x


def set_item_if_positive(x, y):
    if y[0] > 0:
        x[0] = y[0]
    return x * 1


@pytest.mark.parametrize("function", [set_item, add_in_place, set_item_if_positive])
def test_s7_a_read_only_array_is_refused_as_in_python(function):
    def arguments(y):
        x = A(1, 2)
        x.flags.writeable = False
        return x, A(y, 1)

    converted = ag.convert(function)
    for y in (1.0, 1.0, -1.0):
        plain, found = observe(function, arguments(y)), observe(converted, arguments(y))
        assert type(found.error) is type(plain.error) and str(found.error) == str(plain.error)
        assert found.printed == plain.printed
        np.testing.assert_array_equal(found.arguments[1], plain.arguments[1])
        if plain.error is None:
            np.testing.assert_array_equal(found.value, plain.value)
            continue
        lines = [_line_of(error) for error in (found.error, plain.error)]
        assert lines[0] == lines[1]


def _line_of(error):
    step = error.__traceback__
    while step.tb_next is not None:
        step = step.tb_next
    return step.tb_frame.f_code.co_name, step.tb_lineno


# ---- arrays that are no numbers ----------------------------------------------------------------


def first_of(x):
    return x[0]  # refused


def is_one(x):
    return x == "a"  # refused


def field_of(x):
    return x["a"]  # refused


def total_of(x):
    return x.sum()  # refused


RECORDS = np.zeros(2, dtype=[("a", "f8"), ("b", "i4")])


@pytest.mark.parametrize(
    ("function", "x", "match"),
    [
        (first_of, np.array(["b", "a"]), "`x` is an array of text"),
        (is_one, np.array(["b", "a"]), "`x` is an array of text"),
        (first_of, np.array([b"b"]), "`x` is an array of bytes"),
        (first_of, np.array([1, "a"], dtype=object), "`x` is an array of Python objects"),
        (total_of, np.array([1, 2], dtype=object), "`x` is an array of Python objects"),
        (field_of, RECORDS, "`x` is an array of records"),
    ],
)
def test_arrays_that_are_no_numbers_are_refused_where_they_are_used(function, x, match):
    refuse(function, x, match=match)


WORDS = np.array(["a", "b"])


def by_captured_text(x):
    return x * 2 if WORDS[0] == "a" else x  # refused


def test_captured_text_is_not_frozen():
    refuse(by_captured_text, A(1, 2), match="`WORDS` is an array of text")


def test_they_are_passed_on_as_they_are():
    x = np.array(["b", "a"])
    words, doubled = ag.convert(lambda x, y: (x, y * 2))(x, A(1))
    assert words is x and doubled.tolist() == [2.0]


@pytest.mark.parametrize("make", [np.str_, np.bytes_])
def test_numpys_text_is_a_constant_of_a_trace(make):
    one, other = (make(text) if make is np.str_ else make(text.encode()) for text in "ab")

    f = ag.convert(lambda kind, x: x * 2 if kind == one else x * 3)
    assert [f(kind, F(1.0)) for kind in (one, other, one)] == [2.0, 3.0, 2.0]


def compared_with_none(x, s):
    return x == None, x != None, x == "a", s == None, x * 2  # noqa: E711


def test_what_is_no_number_equals_no_element():
    check(compared_with_none, (A(1, 2), F(1)), (A(3, 4), F(2)), tensors=False)


# ---- NumPy functions ---------------------------------------------------------------------------


@pytest.mark.parametrize("count", [-1, 2])
def test_from_an_iterable_of_traced_numbers(count):
    def doubled(x):
        return np.fromiter((v * 2 for v in x), np.float32, count)

    check(doubled, (A(1, 2, 3),), (A(4, 5, 6),), tensors=False)


def too_short(x):
    return np.fromiter((v * 2 for v in x), float, 5)


def test_from_an_iterable_that_is_too_short():
    plain, found = (observe(f, (A(1, 2, 3),)) for f in (too_short, ag.convert(too_short)))
    assert repr(found.error) == repr(plain.error)
    assert _line_of(found.error) == _line_of(plain.error)


def vectorized(x):
    return np.vectorize(lambda v, w: v * w, excluded=["w"])(x, w=2)  # refused


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (vectorized, "`np.vectorize` with `excluded`"),
    ],
)
def test_what_has_no_meaning_yet_is_named(function, match):
    refuse(function, M, match=match)


def identities(x):
    return np.identity(3, int), np.identity(2), np.eye(2, 3, k=1), x * 2


def test_arguments_of_functions_that_make_arrays():
    check(identities, (A(1),), (A(2),), tensors=False)
