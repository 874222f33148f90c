"""The array: attributes, conversions, indexing, writing, and what its operators refuse."""

from __future__ import annotations

import itertools
import math
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.array_api.namespace import (
    ALL,
    COMPLEX,
    INTEGERS,
    PYTHON,
    REAL,
    SHAPES,
    arrays,
    assert_array,
    dtype,
    elements,
    few,
    indices,
    made,
    values,
    xp,
    xps,
)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", SHAPES)
def test_attributes(name, shape):
    x = xp.ones(shape, dtype=dtype(name))
    assert x.dtype == dtype(name) and x.shape == shape and x.ndim == len(shape)
    assert x.size == math.prod(shape)
    assert x.to_device(x.device).device == x.device
    if len(shape) == 2:
        assert x.T.shape == shape[::-1]
    if len(shape) >= 2:
        assert x.mT.shape == (*shape[:-2], shape[-1], shape[-2])


def test_an_array_knows_its_namespace():
    x = xp.ones(1)
    for version in (None, "2023.12"):
        assert x.__array_namespace__(api_version=version).ones is xp.ones


CONVERSIONS = {
    bool: ALL, int: ("bool", *INTEGERS), float: ("bool", *INTEGERS, *REAL), complex: ALL,
    operator.index: INTEGERS,
}  # fmt: skip


@pytest.mark.parametrize("convert", CONVERSIONS)
@few
@given(st.data())
def test_an_array_of_rank_0_becomes_a_python_number(convert, data):
    _, _, [number], x = data.draw(arrays(CONVERSIONS[convert], ()))
    found = convert(x)
    assert found == convert(number) and isinstance(found, (bool, int, float, complex))
    assert type(found) is (int if convert is operator.index else convert)


def test_floats_become_ints_by_truncation():
    assert int(xp.asarray(2.75)) == 2 and int(xp.asarray(-2.75)) == -2
    with pytest.raises(OverflowError):
        int(xp.asarray(math.inf))
    with pytest.raises(ValueError, match=r"NaN|nan"):
        int(xp.asarray(math.nan))


def test_what_is_no_one_number_is_refused():
    for convert in (bool, int, float, complex):
        with pytest.raises((TypeError, ValueError)):
            convert(xp.ones((2, 3)))
    for name in (*REAL, *COMPLEX):
        with pytest.raises(TypeError):
            operator.index(xp.ones((), dtype=dtype(name)))


# ---- reading and writing --------------------------------------------------------------------------


def chosen(shape, key):
    """Where, in row-major order, the elements lie that a basic index chooses; and their shape."""
    key = key if isinstance(key, tuple) else (key,)
    given_ = [k for k in key if k is not None and k is not Ellipsis]
    rest = [slice(None)] * (len(shape) - len(given_))
    parts, at = [], 0
    spread = key if Ellipsis in key else (*key, Ellipsis)
    for k in spread:
        if k is None:
            parts.append([None])
            continue
        for one in rest if k is Ellipsis else [k]:
            places = range(shape[at])
            parts.append(places[one] if isinstance(one, slice) else int(places[one]))
            at += 1
    sizes = tuple(len(p) for p in parts if not isinstance(p, int))
    steps = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    found = []
    for combined in itertools.product(*([p] if isinstance(p, int) else p for p in parts)):
        own = [i for i in combined if i is not None]
        found.append(sum(i * step for i, step in zip(own, steps, strict=True)))
    return found, sizes


@few
@given(st.data())
def test_a_basic_index_reads(data):
    name, shape, numbers, x = data.draw(arrays(ALL))
    key = data.draw(xps.indices(shape, allow_newaxis=True))
    places, sizes = chosen(shape, key)
    assert_array(x[key], name, sizes, [numbers[i] for i in places])


@few
@given(st.data())
def test_a_basic_index_writes(data):
    name, shape, numbers, x = data.draw(arrays(ALL))
    key = data.draw(xps.indices(shape))
    places, sizes = chosen(shape, key)
    new = data.draw(st.lists(elements(name, True), min_size=len(places), max_size=len(places)))
    x[key] = made(name, sizes, new)
    expected = list(numbers)
    for i, value in zip(places, new, strict=True):
        expected[i] = value
    assert_array(x, name, shape, expected)
    if places:
        x[key] = expected[places[0]]  # a Python number, broadcast
        for i in places:
            numbers[i] = expected[i] = expected[places[0]]
        assert_array(x, name, shape, expected)


@few
@given(st.data())
def test_a_mask_reads_and_writes(data):
    name, shape, numbers, x = data.draw(arrays(ALL))
    _, _, truths, mask = data.draw(arrays(("bool",), shape))
    kept = [n for n, is_kept in zip(numbers, truths, strict=True) if is_kept]
    assert_array(x[mask], name, (len(kept),), kept)
    value = data.draw(elements(name, True))
    x[mask] = value
    assert_array(x, name, shape, [value if t else n for n, t in zip(numbers, truths, strict=True)])


@few
@given(st.data())
def test_an_index_out_of_range_is_refused(data):
    size = data.draw(st.integers(0, 3))
    x = xp.ones((size, 2))
    for key in (size, -size - 1, (0, 2), (slice(None), -3)):
        if key in ((0, 2),) and size == 0:
            continue
        with pytest.raises(IndexError):
            x[key]


# ---- operators ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_matmul_is_its_function(name):
    if name == "bool":
        return
    x, y = (made(name, s, list(map(PYTHON[name], range(6)))) for s in ((2, 3), (3, 2)))
    assert_array(x @ y, name, (2, 2), values(xp.matmul(x, y)))
    assert_array(x @ y, name, (2, 2), [PYTHON[name](n) for n in (10, 13, 28, 40)])
    square = made(name, (2, 2), [PYTHON[name](n) for n in (0, 1, 2, 3)])
    square @= square
    assert_array(square, name, (2, 2), [PYTHON[name](n) for n in (2, 3, 6, 11)])


@pytest.mark.parametrize("name", INTEGERS)
def test_python_numbers_take_the_dtype_of_the_array(name):
    x = xp.ones((2,), dtype=dtype(name))
    for found in (x + 1, 1 + x, x * 2, x - 0):
        assert found.dtype == dtype(name)


@pytest.mark.parametrize("name", REAL)
def test_python_floats_do_not_widen(name):
    x = xp.ones((2,), dtype=dtype(name))
    for found in (x + 1, 1.5 * x, x / 2, 2**x):
        assert found.dtype == dtype(name)
    assert (x + 1j).dtype == dtype({"float32": "complex64", "float64": "complex128"}[name])


@few
@given(st.data())
def test_equality_goes_by_elements(data):
    _, shape, numbers, x = data.draw(arrays(ALL))
    assert_array(x == x, "bool", shape, [True] * len(numbers))  # noqa: PLR0124
    assert_array(x != x, "bool", shape, [False] * len(numbers))  # noqa: PLR0124
    assert [x[i] == n for i, n in zip(indices(shape), numbers, strict=True)].count(False) == 0
