"""Given values put into arrays of other dtypes: NumPy's value, or NumPy's exception.

Each function that writes is called with arrays and values drawn at random, one seed for each: as
plain Python, eagerly on tensors, as a graph on the plan and natively, the value as an argument and
as a captured one. What NumPy raises must be raised, type and text, and leave the array as it was.
"""

from __future__ import annotations

import copy
import random
import zlib

import numpy as np
import pytest

import autograph as ag
from runtime import config
from tests.language.harness import assert_equal, observe

CASES = 10
DTYPES = "? i1 u1 i4 i8 u8 f2 f4 f8 c8 c16".split()
NUMBERS = (
    0, 1, 2.5, -1, 300, 256, 2**31, -(2**40), -129, np.nan, np.inf, -np.inf, 1e20, -1.5, 1j,
    complex(np.nan, 1), True, 255, 128, 3.99, -0.0, 1e300, None, "3", "a", 2**63, 2**64,
)  # fmt: skip


def putmask(x, m, i, v):
    np.putmask(x, m, v)
    return x


def place(x, m, i, v):
    np.place(x, m, v)
    return x


def put(x, m, i, v):
    np.put(x, i, v)
    x.put(i[:1], v, mode="clip")
    return x


def copyto(x, m, i, v):
    np.copyto(x, v)
    return x


def copyto_unsafely(x, m, i, v):
    np.copyto(x, v, casting="unsafe", where=m)
    return x


def fill(x, m, i, v):
    x.fill(v)
    return x


def full(x, m, i, v):
    return np.full(3, v, x.dtype), np.full_like(x, v)


def along_an_axis(x, m, i, v):
    np.put_along_axis(x, i, v, 0)
    return x


def along_no_axis(x, m, i, v):
    np.put_along_axis(x, i, v, None)
    return x


def diagonal(x, m, i, v):
    y = np.zeros((3, 3), x.dtype)
    np.fill_diagonal(y, v)
    return y


def element(x, m, i, v):
    x[1] = v
    return x


def element_by_data(x, m, i, v):
    x[i[0]] = v
    return x


def element_of_rank_0(x, m, i, v):
    y = np.zeros((), x.dtype)
    y[()] = v
    return y


def view_of_rank_0(x, m, i, v):
    x[..., 1] = v
    return x


def slices(x, m, i, v):
    x[:2] = v
    return x


def steps(x, m, i, v):
    x[::-2] = v
    return x


def all_of_it(x, m, i, v):
    x[...] = v
    return x


def mask(x, m, i, v):
    x[m] = v
    return x


def fancy(x, m, i, v):
    x[i] = v
    return x


def fancy_beside_an_int(x, m, i, v):
    y = np.zeros((2, 3), x.dtype)
    y[1, i] = v
    return y


def nested(x, m, i, v):
    x[[0, 1]] = [v, 2]
    return x


def nested_by_mask(x, m, i, v):
    x[m] = [v]
    return x


def flat(x, m, i, v):
    y = np.zeros((2, 2), x.dtype)
    y.flat = v
    return y


def flat_element(x, m, i, v):
    x.flat[1] = v
    return x


def flat_slice(x, m, i, v):
    x.flat[:2] = v
    return x


def flat_mask(x, m, i, v):
    x.flat[m] = v
    return x


def flat_fancy(x, m, i, v):
    x.flat[i] = v
    return x


def through_a_view(x, m, i, v):
    y = x[::-1]
    y[1] = v
    return x


def real_part(x, m, i, v):
    x.real[:2] = v
    return x


def in_a_loop(x, m, i, v):
    for k in range(len(x)):
        x[k] = v
    return x


def in_a_branch(x, m, i, v):
    if x[0] != 0:
        x[0] = v
    else:
        x[1] = v
    return x


def insert(x, m, i, v):
    return np.insert(x, 1, v), np.insert(x, i[:2], v)


def pad(x, m, i, v):
    return np.pad(x, 1, constant_values=v)


def nan_to_num(x, m, i, v):
    return np.nan_to_num(x, nan=v, posinf=v)


def piecewise(x, m, i, v):
    return np.piecewise(x, [m], [v, 0])


def array(x, m, i, v):
    return np.array(v, dtype=x.dtype), np.asarray(v, x.dtype), np.array([v, v], x.dtype)


def scalar_type(x, m, i, v):
    return x.dtype.type(v)


def fromiter(x, m, i, v):
    return np.fromiter([v, x[0]], x.dtype)


def out(x, m, i, v):
    return np.add(x, v, out=x)


def out_unsafely(x, m, i, v):
    return np.multiply(x, v, out=x, casting="unsafe")


def out_where(x, m, i, v):
    return np.maximum(x, v, out=x, where=m)


def out_of_a_reduction(x, m, i, v):
    y = np.zeros((), x.dtype)
    np.sum([v, v], out=y)
    return y


def at(x, m, i, v):
    np.add.at(x, i, v)
    return x


def in_place(x, m, i, v):
    x += v
    return x


def in_place_of_a_part(x, m, i, v):
    x[i] *= v
    return x


def clip(x, m, i, v):
    return np.clip(x, 0, v)


def clip_out(x, m, i, v):
    return np.clip(x, v, v, out=x)


WRITERS = [
    putmask, place, put, copyto, copyto_unsafely, fill, full, along_an_axis, along_no_axis,
    diagonal, element, element_by_data, element_of_rank_0, view_of_rank_0, slices, steps, all_of_it,
    mask, fancy, fancy_beside_an_int, nested, nested_by_mask, flat, flat_element, flat_slice,
    flat_mask, flat_fancy, through_a_view, real_part, in_a_loop, in_a_branch, insert, pad,
    nan_to_num, piecewise, array, scalar_type, fromiter, out, out_unsafely, out_where,
    out_of_a_reduction, at, in_place, in_place_of_a_part, clip, clip_out,
]  # fmt: skip


def drawn_array(draw):
    dtype = np.dtype(draw.choice(DTYPES))
    numbers = {"b": [True, False, True], "u": [1, 200, 3], "i": [1, -2, 127]}.get(
        dtype.kind, draw.choice([[1.5, -2, 0.5], [np.nan, 1, np.inf], [300, -1, 0]])
    )
    return np.array(numbers, dtype)


def drawn_number(draw):
    if draw.random() < 0.75:
        return draw.choice(NUMBERS)
    return drawn_array(draw)[draw.randrange(3)]


def drawn_value(draw):
    kind = draw.random()
    if kind < 0.5:
        return drawn_number(draw)
    if kind < 0.65:
        return drawn_array(draw)[: draw.choice([0, 1, 3, 3])]
    if kind < 0.7:
        return np.array(draw.choice([2.5, 300, -1, np.nan, 1j]))
    # Of several numbers that do not fit, the graph may find another one first.
    numbers = [1] * draw.choice([0, 1, 2, 3, 3])
    if numbers:
        numbers[draw.randrange(len(numbers))] = drawn_number(draw)
    return draw.choice([list, tuple, lambda x: [x]])(numbers)


def is_of_no_graph(value):
    """Whether there is text, None or an int beyond 64 bits in it, which a graph may refuse."""
    if isinstance(value, (list, tuple)):
        return any(map(is_of_no_graph, value))
    return value is None or isinstance(value, str) or (type(value) is int and value >= 2**63)


def captured(writer, v):
    def with_captured(x, m, i):
        return writer(x, m, i, v)

    return with_captured


def ways(writer, x, m, i, v):
    """The ways to call a writer, by name: what is called, its arguments, and the backend."""
    given = (x, m, i, v)
    tensors = (*map(ag.constant, (x, m, i)), v)
    return {
        "eager": (ag.to_graph(writer), tensors, "native"),
        "plan": (ag.convert(writer), given, "plan"),
        "native": (ag.convert(writer), given, "native"),
        "captured": (ag.convert(captured(writer, v)), given[:3], "native"),
    }


@pytest.mark.parametrize("writer", WRITERS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore")
def test_given_values_are_written_as_numpy_writes_them(writer):
    draw = random.Random(zlib.crc32(writer.__name__.encode()))
    for _ in range(CASES):
        x, v = drawn_array(draw), drawn_value(draw)
        m = np.array([draw.random() < 0.5 for _ in x])
        i = np.array(draw.choice([[0, 1, 2], [2, 0, 1], [1, 1, 0]]))
        plain = observe(writer, copy.deepcopy((x, m, i, v)))
        for way, (function, given, backend) in ways(writer, x, m, i, v).items():
            with config.backend.using(backend):
                got = observe(function, copy.deepcopy(given))
            told = f"{way}: {x!r}, {m}, {i}, {v!r}: {got}, not {plain}"
            if got.error is not None and is_of_no_graph(v):
                continue
            assert type(got.error) is type(plain.error), told
            assert str(got.error) == str(plain.error), told
            try:
                assert_equal(got.value, plain.value)
                if not isinstance(v, (list, tuple)):  # of these NumPy may have written some
                    assert_equal(got.arguments[0], plain.arguments[0])
            except AssertionError as error:
                raise AssertionError(told) from error
